/* Absorbing layers: distances, the profile, what is chosen, and the reflection. */
#include "load/absorb/absorb.h"
#include "load/absorb/distance.h"
#include "support/mesh.h"

/* [0, 4] x [0, 3] (x [0, 2]) in cells of 0.25 */
static hk_mesh *box(hk_shape shape, double jitter)
{
  const int dim = shape == HK_TRI3 || shape == HK_QUAD4 ? 2 : 3;
  const hk_mesh_grid desc = {.dim = dim,
                             .to = {4, 3, 2},
                             .cells = {16, 12, 8},
                             .shape = shape,
                             .jitter = jitter,
                             .shuffle = 9};
  hk_mesh *m = NULL;
  ok(hk_mesh_create_grid(&desc, &m));
  return m;
}

static const hk_set *set(const hk_mesh *m, const char *name, hk_set_kind kind)
{
  const hk_set *s = hk_mesh_find_set(m, name, kind);
  assert_non_null(s);
  return s;
}

/* to a side of the box, given by faces or by nodes: distance = coordinate, up to the limit */
static void distance_to_plane(void **state)
{
  (void)state;
  static const hk_shape shape[4] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  for (int s = 0; s < 8; s++) {
    hk_mesh *m = box(shape[s % 4], .2);
    const hk_set *left = set(m, "left", s < 4 ? HK_FACE_SET : HK_NODE_SET);
    hk_distance *d = NULL;
    ok(hk_distance_create(m, left->count, left->item, left->face, &d));
    for (hk_count n = 0; n < m->node_count; n++) {
      const double *x = m->x + n * m->dim;
      near(hk_distance_to(d, x, 10), x[0], 1e-12);
      near(hk_distance_to(d, x, 1.3), fmin(x[0], 1.3), 1e-12);
    }
    hk_distance_destroy(&d);
    hk_mesh_destroy(&m);
  }
}

/* random triangles, one element of tet4 each, and random points: the least over finely spread
 * points of the faces is never below the distance, and near it */
static void distance_to_triangles(void **state)
{
  (void)state;
  enum { COUNT = 20, FINE = 60 };
  hk_mesh *m = NULL;
  hk_index item[COUNT];
  uint8_t face[COUNT];
  hk_distance *d = NULL;
  srand(2);
  ok(hk_mesh_begin(3, &m));
  m->node_count = 4 * COUNT, m->element_count = COUNT, m->block_count = 1;
  ok(hk_get(&m->x, m->node_count * 3));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = HK_TET4, .nodes = 4, .count = COUNT};
  ok(hk_get(&m->block[0].node, m->node_count));
  for (int i = 0; i < 12 * COUNT; i++) m->x[i] = (double)rand() / RAND_MAX;
  for (int i = 0; i < 4 * COUNT; i++) m->block[0].node[i] = i;
  for (int i = 0; i < COUNT; i++) item[i] = i, face[i] = 0; /* nodes 0 2 1 */
  ok(hk_distance_create(m, COUNT, item, face, &d));
  for (int p = 0; p < 30; p++) {
    double x[3], least = INFINITY;
    for (int c = 0; c < 3; c++) x[c] = 2.0 * rand() / RAND_MAX - .5;
    for (int i = 0; i < COUNT; i++)
      for (int a = 0; a <= FINE; a++)
        for (int b = 0; a + b <= FINE; b++) {
          double sum = 0;
          for (int c = 0; c < 3; c++) {
            const double *v = m->x + 12 * i + c;
            const double y = v[0] + (v[3] - v[0]) * a / FINE + (v[6] - v[0]) * b / FINE - x[c];
            sum += y * y;
          }
          least = fmin(least, sqrt(sum));
        }
    const double got = hk_distance_to(d, x, 10);
    assert_true(got <= least + 1e-12 && got >= least - 1.5 / FINE);
    near(hk_distance_to(d, x, got / 2), got / 2, 1e-15);
  }
  hk_distance_destroy(&d);
  hk_mesh_destroy(&m);
}

/* the nodes of two sides that meet: the inner faces across the corner's elements do not count */
static void distance_to_corner(void **state)
{
  (void)state;
  static const hk_shape shape[2] = {HK_TRI3, HK_TET4};
  for (int s = 0; s < 2; s++) {
    hk_mesh *m = box(shape[s], 0);
    const hk_set *left = set(m, "left", HK_NODE_SET), *top = set(m, "top", HK_NODE_SET);
    hk_index *both = NULL;
    hk_distance *d = NULL;
    ok(hk_get(&both, left->count + top->count));
    memcpy(both, left->item, (size_t)left->count * sizeof *both);
    memcpy(both + left->count, top->item, (size_t)top->count * sizeof *both);
    ok(hk_distance_create(m, left->count + top->count, both, NULL, &d));
    for (double x = .01; x < 1; x += .07)
      for (double y = .02; y < 1; y += .07)
        near(hk_distance_to(d, (double[3]){x, 3 - y, .7}, 10), fmin(x, y), 1e-12);
    hk_distance_destroy(&d);
    hk_free(&both);
    hk_mesh_destroy(&m);
  }
}

/* nodes that make no face are points; beyond the end of a face its end counts */
static void distance_to_nodes(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4, 0);
  hk_index node[1] = {17};
  hk_distance *d = NULL;
  ok(hk_distance_create(m, 1, node, NULL, &d));
  for (hk_count n = 0; n < m->node_count; n++)
    near(hk_distance_to(d, m->x + 2 * n, 10),
         hypot(m->x[2 * n] - m->x[34], m->x[2 * n + 1] - m->x[35]), 1e-12);
  hk_distance_destroy(&d);
  const hk_set *left = set(m, "left", HK_FACE_SET);
  static const double above[2] = {3, 7};
  ok(hk_distance_create(m, left->count, left->item, left->face, &d));
  near(hk_distance_to(d, above, 10), 5, 1e-12); /* to the corner (0, 3) */
  hk_distance_destroy(&d);
  hk_mesh_destroy(&m);
}

/* d = d_max ((L - distance) / L)^3; the largest of the layers and of what was there holds */
static void profile(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_TRI3, .2);
  const hk_set *left = set(m, "left", HK_FACE_SET), *bottom = set(m, "bottom", HK_NODE_SET);
  const hk_absorb_wave wave = {.speed = 2, .frequency = 5};
  hk_absorb_layer layer[2] = {
      {.count = left->count, .item = left->item, .face = left->face, .thickness = 1.5, .d_max = 8},
      {.count = bottom->count, .item = bottom->item, .thickness = 1, .d_max = 27}};
  double *damping = NULL;
  ok(hk_get(&damping, m->node_count));
  for (hk_count n = 0; n < m->node_count; n++) damping[n] = .5;
  ok(hk_absorb_profile(m, &wave, 2, layer, NULL, damping));
  for (hk_count n = 0; n < m->node_count; n++) {
    const double *x = m->x + 2 * n;
    const double a = fmax(0, 1 - x[0] / 1.5), b = fmax(0, 1 - x[1]);
    near(damping[n], fmax(.5, fmax(8 * a * a * a, 27 * b * b * b)), 1e-11);
  }
  near(layer[0].thickness, 1.5, 0);
  near(layer[1].d_max, 27, 0);
  hk_free(&damping);
  hk_mesh_destroy(&m);
}

/* chosen: L = 1.5 c / f, at most a quarter of the smallest extent; exp(-d_max L / (4 c)) = 1e-3 */
static void chosen(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_HEX8, 0);
  const hk_set *left = set(m, "left", HK_FACE_SET);
  double *damping = NULL;
  static const double frequency[3] = {10, 1, 0}, thickness[3] = {.3, .5, .5};
  ok(hk_get(&damping, m->node_count));
  for (int i = 0; i < 3; i++) {
    const hk_absorb_wave wave = {.speed = 2, .frequency = frequency[i]};
    hk_absorb_layer layer = {.count = left->count, .item = left->item, .face = left->face};
    ok(hk_absorb_profile(m, &wave, 1, &layer, NULL, damping));
    near(layer.thickness, thickness[i], 1e-14);
    near(exp(-layer.d_max * layer.thickness / 8), 1e-3, 1e-15);
  }
  hk_free(&damping);
  hk_mesh_destroy(&m);
}

/* the reflection tends to the attenuation exp(-d_max L / (4 c)) for long layers; without damping to
 * 1; for short ones to that of a dashpot of a = d_max L / (4 c) impedances, (a - 1) / (a + 1); in
 * between the table of the header */
static void reflection(void **state)
{
  (void)state;
  static const double row[4][2] = {{.5, .2585}, {1, .0386}, {1.5, .0073}, {2, .0024}};
  near(hk_absorb_reflection(2, 5, 400, 4 * 2 * log(30) / 400) * 30, 1, .01);
  near(hk_absorb_reflection(2, 5, .7, 0), 1, 1e-6);
  near(hk_absorb_reflection(2, 5, .7, 1e30), 1, 0);
  near(hk_absorb_reflection(2, 5, 1e-4, 4 * 2 * log(1000) / 1e-4),
       (log(1000) - 1) / (log(1000) + 1), 1e-5);
  for (int i = 0; i < 4; i++) {
    const double thickness = row[i][0] * 2 / 5;
    near(hk_absorb_reflection(2, 5, thickness, 8 * log(1000) / thickness), row[i][1], 1e-4);
  }
}

/* a layer of half a wavelength is warned of with its place and the thickness to use; of 1.5 not;
 * one within the first elements is, and one that holds the whole body */
static void warnings(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4, 0);
  const hk_set *left = set(m, "left", HK_FACE_SET);
  const hk_absorb_wave wave = {.speed = 1, .frequency = 1};
  double *damping = NULL;
  static const double thickness[4] = {.5, 1.5, .2, 4.5};
  static const hk_count expected[4] = {1, 0, 2, 1};
  ok(hk_get(&damping, m->node_count));
  for (int i = 0; i < 4; i++) {
    hk_messages *list = NULL;
    ok(hk_messages_create(&list));
    hk_absorb_layer layer = {.count = left->count,
                             .item = left->item,
                             .face = left->face,
                             .thickness = thickness[i],
                             .file = "case.yaml",
                             .line = 12};
    ok(hk_absorb_profile(m, &wave, 1, &layer, list, damping));
    assert_int_equal(hk_messages_total(list, HK_WARNING), expected[i]);
    if (expected[i]) {
      const hk_message *message = hk_messages_at(list, 0);
      assert_string_equal(message->file, "case.yaml");
      assert_int_equal(message->line, 12);
      assert_non_null(strstr(message->text, i < 3 ? "make it 1.5 thick" : "contains every node"));
    }
    hk_messages_destroy(&list);
  }
  hk_free(&damping);
  hk_mesh_destroy(&m);
}

/* an empty layer is refused; the k-th allocation fails: no memory is lost */
static void failures(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4, 0);
  const hk_set *left = set(m, "left", HK_NODE_SET);
  const hk_absorb_wave wave = {.speed = 1, .frequency = 1};
  hk_absorb_layer layer = {.count = 0};
  double *damping = NULL;
  ok(hk_get(&damping, m->node_count));
  assert_int_equal(hk_absorb_profile(m, &wave, 1, &layer, NULL, damping), HK_BAD_INPUT);
  const hk_count held = hk_memory_held();
  hk_status status = HK_NO_RESOURCES;
  for (int k = 1; status != HK_OK; k++) {
    layer = (hk_absorb_layer){.count = left->count, .item = left->item};
    hk_memory_fail_at(k);
    status = hk_absorb_profile(m, &wave, 1, &layer, NULL, damping);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    assert_int_equal(hk_memory_held(), held);
  }
  hk_free(&damping);
  hk_mesh_destroy(&m);
}

/* without a frequency the layer is a quarter of the mesh's smallest extent thick, whichever direction that is and wherever the mesh lies */
static void a_quarter_of_the_smallest_extent(void **state)
{
  static const double from[3] = {5, -7, 11}, extent[3] = {2, 3, 4};
  (void)state;
  for (int dim = 2; dim < 4; dim++)
    for (int first = 0; first < dim; first++) {
      hk_mesh *m = NULL;
      double *damping = NULL, to[3], least = INFINITY;
      for (int d = 0; d < 3; d++) to[d] = from[d] + extent[(first + d) % 3];
      for (int d = 0; d < dim; d++) least = fmin(least, to[d] - from[d]);
      m = make_grid((hk_mesh_grid){.from = {from[0], from[1], from[2]},
                                   .to = {to[0], to[1], to[2]},
                                   .cells = {8, 9, 7},
                                   .shape = dim == 2 ? HK_TRI3 : HK_HEX8,
                                   .shuffle = 4});
      ok(hk_get(&damping, m->node_count));
      const hk_set *left = set(m, "left", HK_FACE_SET);
      const hk_absorb_wave wave = {.speed = 2};
      hk_absorb_layer layer = {.count = left->count, .item = left->item, .face = left->face};
      ok(hk_absorb_profile(m, &wave, 1, &layer, NULL, damping));
      near(layer.thickness, least / 4, 1e-12);
      hk_free(&damping);
      hk_mesh_destroy(&m);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(distance_to_plane),
                                     cmocka_unit_test(distance_to_triangles),
                                     cmocka_unit_test(distance_to_nodes),
                                     cmocka_unit_test(distance_to_corner),
                                     cmocka_unit_test(profile),
                                     cmocka_unit_test(chosen),
                                     cmocka_unit_test(a_quarter_of_the_smallest_extent),
                                     cmocka_unit_test(reflection),
                                     cmocka_unit_test(warnings),
                                     cmocka_unit_test(failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
