/* The bound of the largest frequency (operator/measure/bound.c) over meshes of several parts that are looked at side by side. */
#include "operator/element/element_matrix.h"
#include "support/body.h"

/* Elements in another order. */
static void shuffle_elements(body *b)
{
  hk_block *block = &b->mesh->block[0];
  for (hk_count e = 0; e < block->count; e++) {
    const hk_count f = e + rand() % (block->count - e);
    const hk_index region = b->element_region[e];
    b->element_region[e] = b->element_region[f], b->element_region[f] = region;
    for (int n = 0; n < block->nodes; n++) {
      const hk_index node = block->node[e * block->nodes + n];
      block->node[e * block->nodes + n] = block->node[f * block->nodes + n];
      block->node[f * block->nodes + n] = node;
    }
  }
}

/* it is that of the worst element, whichever part holds that and whichever element seems the worst at first: the same in every
 * order, but for the 0.5 % by which the bound of an element's eigenvalues may exceed them, which is half as much of their root */
static void the_order_of_elements_does_not_matter(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4};
  (void)state;
  for (int s = 0; s < 3; s++)
    for (int seed = 1; seed < 4; seed++) {
      body b = {0};
      double first = 0, omega;
      hk_index stiffest;
      b.mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1},
                                        .cells = {s == 2 ? 12 : 100, s == 2 ? 11 : 90, 12},
                                        .shape = shapes[s],
                                        .jitter = 0.25,
                                        .shuffle = (uint64_t)seed});
      body_dress(&b, EVERY_KIND);
      srand((unsigned)seed);
      for (int way = 0; way < 6; way++, shuffle_elements(&b)) {
        ok(hk_element_bound(b.mesh, b.region, b.element_region, &omega, &stiffest));
        if (way == 0) first = omega;
        if (!(fabs(omega / first - 1) <= 2.5e-3))
          fail_msg("%s, way %d: %.12g, at first %.12g", hk_shape_name(shapes[s]), way, omega,
                   first);
      }
      body_destroy(&b);
    }
}

/* Quadrilaterals left, right of them halves: blocks of two shapes, the triangles first if so wanted. */
static hk_mesh *half_split(bool triangles_first)
{
  enum { CELLS = 20, QUADS = CELLS * CELLS / 2 };
  hk_mesh *m = NULL;
  hk_index *node = NULL;
  m = make_grid((hk_mesh_grid){
      .to = {1, 1}, .cells = {CELLS, CELLS}, .shape = HK_QUAD4, .jitter = 0.25, .shuffle = 3});
  hk_block own = m->block[0];
  hk_index *quad = own.node;
  ok(hk_get(&node, (hk_count)QUADS * 2 * 3));
  for (int e = 0; e < QUADS; e++) {
    const hk_index *n = quad + (QUADS + e) * 4;
    const hk_index halves[6] = {n[0], n[1], n[2], n[0], n[2], n[3]};
    memcpy(node + (hk_count)e * 6, halves, sizeof halves);
  }
  hk_free(&m->block);
  ok(hk_get(&m->block, 2));
  const hk_block quads = {.shape = HK_QUAD4, .nodes = 4, .node = quad, .count = QUADS},
                 halves = {.shape = HK_TRI3, .nodes = 3, .node = node, .count = 2 * QUADS};
  m->block[triangles_first] = quads, m->block[!triangles_first] = halves;
  m->block[1].first = m->block[0].count;
  m->block_count = 2, m->element_count = 3 * QUADS;
  return m;
}

/* nor does the order of blocks of different shapes */
static void the_order_of_blocks_does_not_matter(void **state)
{
  double omega[2];
  hk_index stiffest;
  (void)state;
  for (int way = 0; way < 2; way++) {
    body b = {.mesh = half_split(way)};
    body_dress(&b, ONE);
    ok(hk_element_bound(b.mesh, b.region, b.element_region, &omega[way], &stiffest));
    body_destroy(&b);
  }
  if (!(fabs(omega[1] / omega[0] - 1) <= 2.5e-3)) fail_msg("%.12g, %.12g", omega[0], omega[1]);
}

/* A cell of a grid from x = `from`, `size[0]` by `size[1]`. */
static hk_mesh *make_cell(double from, double width, double height)
{
  return make_grid((hk_mesh_grid){
      .from = {from}, .to = {from + width, height}, .cells = {1, 1}, .shape = HK_QUAD4});
}

/* The elements of both meshes, which share no node: those of a first. */
static hk_mesh *put_together(hk_mesh *a, hk_mesh *b)
{
  const hk_count nodes = a->node_count, elements = a->element_count;
  hk_block *block = &a->block[0];
  ok(hk_resize(&a->x, (nodes + b->node_count) * a->dim));
  memcpy(a->x + nodes * a->dim, b->x, (size_t)(b->node_count * a->dim) * sizeof *a->x);
  ok(hk_resize(&block->node, (elements + b->element_count) * block->nodes));
  for (hk_count k = 0; k < b->element_count * block->nodes; k++)
    block->node[elements * block->nodes + k] = (hk_index)nodes + b->block[0].node[k];
  a->node_count += b->node_count, a->element_count += b->element_count;
  block->count = a->element_count;
  hk_mesh_destroy(&b);
  return a;
}

static double bound_of(hk_mesh *mesh)
{
  body b = {.mesh = mesh};
  double omega;
  hk_index stiffest;
  body_dress(&b, ONE);
  ok(hk_element_bound(b.mesh, b.region, b.element_region, &omega, &stiffest));
  body_destroy(&b);
  return omega;
}

/* Elements alone, whose nodes give each all their mass: the second has the larger eigenvalue and the smaller norm, so that the first one is the
 * likely one, and is compared first. What holds for that is not taken to hold for the second: the bound is the larger one. */
static void an_element_of_another_shape_is_not_taken_for_the_one_before(void **state)
{
  (void)state;
  const double square = bound_of(make_cell(0, 1, 1)), flat = bound_of(make_cell(0, 4, 1)),
               size = flat / (1.02 * square);
  const double want = bound_of(make_cell(2, 4 * size, size)),
               got = bound_of(put_together(make_cell(0, 1, 1), make_cell(2, 4 * size, size)));
  if (!(want > 1.01 * square) || !(fabs(got / want - 1) <= 2.5e-3))
    fail_msg("%.12g of both, %.12g and %.12g of each", got, square, want);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_elements_does_not_matter),
      cmocka_unit_test(the_order_of_blocks_does_not_matter),
      cmocka_unit_test(an_element_of_another_shape_is_not_taken_for_the_one_before)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
