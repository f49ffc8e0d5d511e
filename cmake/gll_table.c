/* Writes the kernel text gll.k.h: points, weights and derivatives of element/gll.h for each order, as constants that compilers unroll.
 *
 *   hooke_gll_table OUTPUT */
#include "element/gll.h"
#include <stdio.h>

static void write_table(FILE *out, const char *name, const double *value, int count)
{
  fprintf(out, "TABLE(real, %s, %d) = {", name, count);
  for (int i = 0; i < count; i++)
    fprintf(out, "%sREAL(%#.17g)", i ? ", " : "", value[i] + 0); /* + 0: no negative zero */
  fputs("};\n", out);
}

int main(int count, char **argument)
{
  FILE *out = count == 2 ? fopen(argument[1], "w") : NULL;
  if (!out) return fprintf(stderr, "usage: hooke_gll_table OUTPUT\n"), 1;
  fputs("/* Gauss-Lobatto-Legendre points of the line -1 .. 1 with N = ORDER + 1 nodes "
        "(element/gll.h):\n"
        " *   GLL_X[N] points, GLL_W[N] weights, GLL_D[N * N]: derivative of function m at point i "
        "in GLL_D[i * N + m] */\n"
        "#ifdef ORDER\n",
        out);
  for (int order = 1; order <= HK_MOST_ORDER; order++) {
    const hk_gll *g = hk_gll_of(order);
    fprintf(out, "#%s ORDER == %d\n", order == 1 ? "if" : "elif", order);
    write_table(out, "GLL_X", g->x, order + 1);
    write_table(out, "GLL_W", g->w, order + 1);
    write_table(out, "GLL_D", g->d, (order + 1) * (order + 1));
  }
  fputs("#endif\n#endif\n", out);
  return ferror(out) | fclose(out) ? 1 : 0;
}
