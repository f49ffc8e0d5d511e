/* Meshes of deformed blocks: their map, what they share, what is refused. */
#include "mesh/make/multiblock.h"
#include "support/check.h"

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

/* area or volume */
static double volume_of(const hk_mesh *mesh)
{
  hk_mesh_quality q;
  ok(hk_mesh_measure(mesh, &q));
  return q.volume;
}

/* A square of side 2 around a hole of radius r: four blocks; points 0-3 on the square, 4-7 on the hole. */
static hk_mesh *ring(double r, hk_count around, hk_count through, int order)
{
  const double q = r / sqrt(2);
  const double point[8][3] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                              {-q, -q}, {q, -q}, {q, q}, {-q, q}};
  double middle[4][1][3] = {{{0, -r}}, {{r, 0}}, {{0, r}}, {{-r, 0}}};
  hk_curve curve[4];
  hk_part part[4];
  const hk_part_side side[4] = {
      {"hole", {4, 5}}, {"hole", {5, 6}}, {"hole", {6, 7}}, {"hole", {7, 4}}};
  hk_mesh *mesh = NULL;
  for (int k = 0; k < 4; k++) {
    const int n = (k + 1) % 4;
    curve[k] = (hk_curve){HK_CURVE_ARC, {4 + n, 4 + k}, 1, middle[k], {0}};
    part[k] = (hk_part){"plate", {k, n, 4 + n, 4 + k}, {around, through}, {1, 0.5}};
  }
  ok(hk_mesh_create_multiblock(&(hk_multiblock){.dim = 2,
                                                .order = order,
                                                .points = 8,
                                                .curves = 4,
                                                .parts = 4,
                                                .sides = 4,
                                                .point = point,
                                                .point_name = names,
                                                .curve = curve,
                                                .part = part,
                                                .side = side},
                               &mesh));
  return mesh;
}

/* nodes = around the ring times through it; hole's nodes on the circle; the area tends to 4 - pi r^2 with order 2 or, curved, 4 */
static void ring_is_joined_and_round(void **state)
{
  const double r = 0.4, exact = 4 - acos(-1.0) * r * r;
  (void)state;
  for (int order = 1; order <= 2; order++) {
    double error[2];
    for (int fine = 1; fine <= 2; fine++) {
      hk_mesh *mesh = ring(r, 4 * fine, 3, order);
      const hk_set *hole = hk_mesh_find_set(mesh, "hole", HK_NODE_SET);
      assert_int_equal(mesh->node_count, order * 16 * fine * (order * 3 + 1));
      assert_int_equal(hk_mesh_find_set(mesh, "plate", HK_ELEMENT_SET)->count, 48 * fine);
      assert_int_equal(hk_mesh_find_set(mesh, "hole", HK_FACE_SET)->count, 16 * fine);
      assert_int_equal(hole->count, order * 16 * fine);
      for (hk_count n = 0; n < hole->count; n++) {
        const double *x = mesh->x + 2 * (hk_count)hole->item[n];
        assert_true(fabs(hypot(x[0], x[1]) - r) <= 1e-14);
      }
      error[fine - 1] = fabs(volume_of(mesh) - exact);
      hk_mesh_destroy(&mesh);
    }
    const double rate = log2(error[0] / error[1]);
    if (!(fabs(rate - 2 * order) < 0.2)) fail_msg("order %d: rate %g", order, rate);
  }
}

/* a side that bulges outward by more than a cell is no block on another one: a lens of two blocks, joined at its straight middle */
static void bulging_sides_are_free(void **state)
{
  const double point[6][3] = {{-1, -0.2}, {1, -0.2}, {1, 0}, {-1, 0}, {1, 0.2}, {-1, 0.2}};
  double low[1][3] = {{0, -0.9}}, high[1][3] = {{0, 0.9}};
  const hk_curve curve[2] = {{HK_CURVE_ARC, {0, 1}, 1, low, {0}},
                             {HK_CURVE_ARC, {4, 5}, 1, high, {0}}};
  const hk_part part[2] = {{"low", {0, 1, 2, 3}, {2, 2}, {1, 1}},
                           {"high", {3, 2, 4, 5}, {2, 2}, {1, 1}}};
  (void)state;
  for (int order = 1; order <= 2; order++) {
    hk_mesh *mesh = NULL;
    ok(hk_mesh_create_multiblock(&(hk_multiblock){.dim = 2,
                                                  .order = order,
                                                  .points = 6,
                                                  .curves = 2,
                                                  .parts = 2,
                                                  .point = point,
                                                  .point_name = names,
                                                  .curve = curve,
                                                  .part = part},
                                 &mesh));
    assert_int_equal(mesh->node_count, (2 * order + 1) * (4 * order + 1));
    hk_mesh_destroy(&mesh);
  }
}

/* A rectangle of 3 x 1 in so many cells along x. */
static hk_mesh *make_graded(hk_count cells, double grading)
{
  const double point[4][3] = {{0, 0}, {3, 0}, {3, 1}, {0, 1}};
  const hk_part part = {"only", {0, 1, 2, 3}, {cells, 2}, {grading, 1}};
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_multiblock(&(hk_multiblock){.dim = 2,
                                                .order = 1,
                                                .points = 4,
                                                .parts = 1,
                                                .point = point,
                                                .point_name = names,
                                                .part = &part},
                               &mesh));
  return mesh;
}

/* a grading of 1 but for rounding is none */
static void gradings_near_one(void **state)
{
  (void)state;
  hk_mesh *mesh = make_graded(300, 1 + 1e-15);
  for (int i = 0; i <= 300; i++) assert_true(fabs(mesh->x[2 * i] - i / 100.) <= 1e-13);
  hk_mesh_destroy(&mesh);
}

/* the last cell is `grading` times as long as the first */
static void cells_grow(void **state)
{
  (void)state;
  hk_mesh *mesh = make_graded(5, 4);
  const double *x = mesh->x;
  assert_true(fabs((x[10] - x[8]) / (x[2] - x[0]) - 4) <= 1e-12);
  assert_true(x[10] == 3 && x[0] == 0);
  for (int i = 0; i < 3; i++)
    assert_true(fabs((x[2 * i + 4] - x[2 * i + 2]) / (x[2 * i + 2] - x[2 * i]) - sqrt(2)) <= 1e-12);
  hk_mesh_destroy(&mesh);
}

/* a sheared box with one edge that is a parabola: its nodes lie on it, and the transfinite map reproduces bilinear faces */
static void box_follows_its_edges(void **state)
{
  double point[8][3];
  double through[3][3];
  hk_mesh *mesh = NULL;
  (void)state;
  for (int p = 0; p < 8; p++) {
    const int u = (p % 4 == 1 || p % 4 == 2), v = p % 4 >= 2, w = p / 4;
    point[p][0] = 2 * u + 0.3 * w, point[p][1] = v + 0.1 * u, point[p][2] = w + 0.2 * v;
  }
  for (int k = 0; k < 3; k++) {
    const double s = (k + 1) / 4.0;
    for (int c = 0; c < 3; c++) through[k][c] = (1 - s) * point[4][c] + s * point[5][c];
    through[k][2] += 0.4 * s * (1 - s);
  }
  const hk_curve curve = {HK_CURVE_SPLINE,
                          {5, 4},
                          3,
                          (double[3][3]){{through[2][0], through[2][1], through[2][2]},
                                         {through[1][0], through[1][1], through[1][2]},
                                         {through[0][0], through[0][1], through[0][2]}},
                          {0}};
  for (int curved = 0; curved < 2; curved++) {
    ok(hk_mesh_create_multiblock(
        &(hk_multiblock){.dim = 3,
                         .order = 1,
                         .points = 8,
                         .curves = curved,
                         .parts = 1,
                         .sides = 1,
                         .point = (const double(*)[3])point,
                         .point_name = names,
                         .curve = &curve,
                         .part = &(hk_part){"box", {0, 1, 2, 3, 4, 5, 6, 7}, {4, 3, 2}, {1, 1, 1}},
                         .side = &(hk_part_side){"top", {4, 5, 6, 7}}},
        &mesh));
    assert_int_equal(mesh->node_count, 5 * 4 * 3);
    assert_int_equal(hk_mesh_find_set(mesh, "top", HK_FACE_SET)->count, 12);
    for (int n = 0; n < 60; n++) {
      const double u = n % 5 / 4.0, v = n / 5 % 4 / 3.0, w = n / 20 / 2.0;
      const double straight[3] = {2 * u + 0.3 * w, v + 0.1 * u, w + 0.2 * v};
      for (int c = 0; c < 3; c++) {
        const double off = mesh->x[3 * n + c] - straight[c];
        if (!curved || c < 2 || v == 1 || w == 0 || u == 0 || u == 1)
          assert_true(fabs(off) <= (curved ? 2e-2 : 1e-14));
        else
          assert_true(off > 0); /* lifted, most at the edge */
      }
      if (curved && v == 0 && w == 1)
        for (int c = 0; c < 3 && u > 0 && u < 1; c++)
          assert_true(fabs(mesh->x[3 * n + c] - through[n % 5 - 1][c]) <= 2e-2);
    }
    hk_mesh_destroy(&mesh);
  }
}

/* two squares side by side and one above the left, of the given cells: HK_BAD_INPUT with the words, or HK_OK where words == NULL */
static void two_blocks(hk_count left, hk_count right, double grading, double up, const char *words)
{
  const double point[6][3] = {{0, 0}, {1, 0}, {2, 0}, {2, up}, {1, up}, {0, 1}};
  const double high[3] = {1, 1};
  double all[7][3];
  hk_mesh *mesh = NULL;
  memcpy(all, point, sizeof point);
  memcpy(all[6], high, sizeof high);
  const int top = up == 1 ? 4 : 6; /* the left block's own corner where the right one is lower */
  const hk_part part[2] = {{"left", {0, 1, top, 5}, {3, left}, {1, 1}},
                           {"right", {1, 2, 3, 4}, {3, right}, {1, grading}}};
  const hk_status status =
      hk_mesh_create_multiblock(&(hk_multiblock){.dim = 2,
                                                 .order = 1,
                                                 .points = 7,
                                                 .parts = 2,
                                                 .point = (const double(*)[3])all,
                                                 .point_name = names,
                                                 .part = part},
                                &mesh);
  if (words) {
    assert_int_equal(status, HK_BAD_INPUT);
    error_says(words);
    assert_null(mesh);
  } else {
    ok(status);
    assert_int_equal(mesh->node_count, 7 * (left + 1));
  }
  hk_mesh_destroy(&mesh);
}

static void sides_that_do_not_match_are_named(void **state)
{
  (void)state;
  two_blocks(4, 4, 1, 1, NULL);
  two_blocks(4, 5, 1, 1, "side (b e) of block left and side (e b) of block right");
  two_blocks(4, 4, 3, 1, "do not match");
  two_blocks(4, 3, 1, 0.6, "of block left touches block right but does not match it");
  two_blocks(4, 4, 1, -1, "block right is tangled: its cell (1, 1)");
}

/* HK_BAD_INPUT: a curve or a side that belongs to nothing, an arc of three points on a line */
static void wrong_curves_and_sides_are_named(void **state)
{
  const double point[4][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  double flat[1][3] = {{0.5, 0}}, crossing[1][3] = {{0.5, 1.4}};
  const hk_curve arc = {HK_CURVE_ARC, {0, 1}, 1, flat, {0}},
                 fold = {HK_CURVE_POLYLINE, {0, 1}, 1, crossing, {0}};
  const hk_part part = {"only", {0, 1, 2, 3}, {4, 4}, {1, 1}};
  const hk_part_side side = {"across", {0, 2}};
  hk_multiblock desc = {.dim = 2,
                        .order = 1,
                        .points = 4,
                        .curves = 1,
                        .parts = 1,
                        .point = point,
                        .point_name = names,
                        .curve = &arc,
                        .part = &part};
  hk_mesh *mesh = NULL;
  (void)state;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("edge a b: the arc's point lies on the straight line");
  const hk_curve loose = {HK_CURVE_LINE, {0, 2}, 0, NULL, {0}};
  desc.curve = &loose;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("edge a c: it does not join neighbouring corners");
  const hk_curve twice[2] = {fold, {HK_CURVE_LINE, {1, 0}, 0, NULL, {0}}};
  desc.curve = twice, desc.curves = 2;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("edge b a: it is given twice");
  desc.curve = &fold, desc.curves = 1;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("block only is tangled");
  desc.curves = 0, desc.sides = 1, desc.side = &side;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("side across: no block has a side with the corners a c");
  const hk_part_side same = {"point", {1, 1}};
  desc.side = &same;
  assert_int_equal(hk_mesh_create_multiblock(&desc, &mesh), HK_BAD_INPUT);
  error_says("side point: has the corner b twice");
  assert_null(mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ring_is_joined_and_round),
      cmocka_unit_test(bulging_sides_are_free),
      cmocka_unit_test(cells_grow),
      cmocka_unit_test(gradings_near_one),
      cmocka_unit_test(box_follows_its_edges),
      cmocka_unit_test(sides_that_do_not_match_are_named),
      cmocka_unit_test(wrong_curves_and_sides_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
