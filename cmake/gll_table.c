/* Writes the kernel text gll.k.h: points, weights and derivatives of element/gll.h for each order, as constants that compilers unroll.
 *
 *   hooke_gll_table OUTPUT */
#include "element/gll.h"
#include <stdio.h>

static void write_values(FILE *out, const double *value, int count)
{
  for (int i = 0; i < count; i++)
    fprintf(out, "REAL(%#.17g), ", value[i] + 0); /* + 0: no negative zero */
}

int main(int count, char **argument)
{
  FILE *out = count == 2 ? fopen(argument[1], "w") : NULL;
  if (!out) return fprintf(stderr, "usage: hooke_gll_table OUTPUT\n"), 1;
  fputs(
      "/* Gauss-Lobatto-Legendre points of the line -1 .. 1 with N = order + 1 nodes "
      "(element/gll.h), of all orders:\n"
      " *   GLL_X[GLL_FIRST(order) + i] points, GLL_W weights\n"
      " * and of ORDER, GLL_D[N * N]: derivative of function m at point i in GLL_D[i * N + m] */\n"
      "#define GLL_FIRST(order) (((order)-1) * ((order) + 2) / 2)\n",
      out);
  const int all = (HK_MOST_ORDER * (HK_MOST_ORDER + 3)) / 2;
  for (int weights = 0; weights < 2; weights++) {
    fprintf(out, "TABLE(real, GLL_%c, %d) = {", "XW"[weights], all);
    for (int order = 1; order <= HK_MOST_ORDER; order++) {
      const hk_gll *g = hk_gll_of(order);
      write_values(out, weights ? g->w : g->x, order + 1);
    }
    fputs("};\n", out);
  }
  fputs("#ifdef ORDER\n", out);
  for (int order = 1; order <= HK_MOST_ORDER; order++) {
    const int n = order + 1;
    fprintf(out, "#%s ORDER == %d\nTABLE(real, GLL_D, %d) = {", order == 1 ? "if" : "elif", order,
            n * n);
    write_values(out, hk_gll_of(order)->d, n * n);
    fputs("};\n", out);
  }
  fputs("#endif\n#endif\n", out);
  return ferror(out) | fclose(out) ? 1 : 0;
}
