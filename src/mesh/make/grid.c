/* Rectangles and boxes, mesh: {rectangle: ...} and {box: ...} of case files (docs/reference/case.md): a regular section of nx times ny
 * quadrilaterals, which generate.c splits into the wanted shape and draws out along z. The last line of nodes in each direction takes the
 * given end itself, so that sides are found by comparing numbers exactly. The sides are left, right (x), bottom, top (y), front and back (z). */
#include "mesh/make/generate.h"

/* Node (i, j) is number j (cells[0] + 1) + i. */
static void fill_section(const hk_mesh_grid *g, hk_section *s)
{
  const hk_count nx = g->cells[0], ny = g->cells[1];
  hk_index *quad = s->quad;
  double *x = s->x;
  for (hk_count j = 0; j <= ny; j++)
    for (hk_count i = 0; i <= nx; i++, x += 2) {
      const double u = (double)i / (double)nx, v = (double)j / (double)ny;
      x[0] = i == nx ? g->to[0] : g->from[0] + u * (g->to[0] - g->from[0]);
      x[1] = j == ny ? g->to[1] : g->from[1] + v * (g->to[1] - g->from[1]);
    }
  for (hk_count j = 0; j < ny; j++)
    for (hk_count i = 0; i < nx; i++, quad += 4) hk_section_quad(j * (nx + 1) + i, nx + 1, quad);
}

static hk_status check_grid(const hk_mesh_grid *g)
{
  const bool plane = g->shape == HK_TRI3 || g->shape == HK_QUAD4;
  const bool solid = g->shape == HK_TET4 || g->shape == HK_HEX8;
  hk_index fits;

  HK_NEED((g->dim == 2 && plane) || (g->dim == 3 && solid), HK_BAD_INPUT,
          "a grid of %d dimensions of %s: rectangles are made of tri3 or quad4, boxes of tet4 or "
          "hex8",
          g->dim, hk_shape_name(g->shape));
  for (int d = 0; d < g->dim; d++) {
    HK_NEED(g->to[d] > g->from[d], HK_BAD_INPUT,
            "grid: %c runs from %g to %g: the second must be larger", 'x' + d, g->from[d],
            g->to[d]);
    HK_NEED(g->cells[d] >= 1, HK_BAD_INPUT, "grid: %lld cells along %c: must be at least 1",
            (long long)g->cells[d], 'x' + d);
    HK_PASS(hk_narrow(g->cells[d], "number of cells", &fits));
  }
  return hk_narrow((g->cells[0] + 1) * (g->cells[1] + 1), "number of nodes", &fits);
}

hk_status hk_mesh_create_grid(const hk_mesh_grid *desc, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_section section;
  const double *from = desc->from, *to = desc->to;
  const hk_side side[6] = {{"left", 0, from[0]}, {"right", 0, to[0]},   {"bottom", 1, from[1]},
                           {"top", 1, to[1]},    {"front", 2, from[2]}, {"back", 2, to[2]}};
  hk_generate generate = {.name = "grid",
                          .shape = desc->shape,
                          .layers = desc->cells[2],
                          .from = from[2],
                          .to = to[2],
                          .side = side,
                          .sides = 2 * desc->dim,
                          .jitter = desc->jitter,
                          .shuffle = desc->shuffle};

  HK_TRY(check_grid(desc));
  for (int d = 0; d < desc->dim; d++) generate.cell[d] = (to[d] - from[d]) / (double)desc->cells[d];
  HK_TRY(hk_section_create(&pool, (desc->cells[0] + 1) * (desc->cells[1] + 1),
                           desc->cells[0] * desc->cells[1], &section));
  fill_section(desc, &section);
  HK_TRY(hk_mesh_generate(&section, &generate, out));
cleanup:
  hk_pool_clear(&pool);
  return status;
}
