/* Elements of order p: multigrid by orders, and patches. */
#include "solver/linear_fixture.h"
#include "operator/coarse/coarse.h"
#include "solver/linear/multigrid/order.h"
#include "solver/linear/multigrid/patches.h"
#include "solver/linear/product.h"
#include "solver/linear/sparse/block_rows.h"
#include <omp.h>

/* As test_linear. */
static void multigrid_is_the_dense_solution(void **state)
{
  (void)state;
  static const problem_desc bodies[] = {
      {.shape = HK_WEDGE6, .order = 2, .cells = {2, 2, 1}, .form = "assembled"},
      {.shape = HK_WEDGE6, .order = 4, .cells = {1, 1, 1}, .form = "assembled", .equations = true},
      {.shape = HK_WEDGE6, .order = 5, .cells = {1, 1, 1}, .form = "assembled"},
      {.shape = HK_HEX8, .order = 3, .cells = {2, 1, 1}, .jitter = 0.1, .form = "assembled"},
      {.shape = HK_QUAD4, .order = 7, .cells = {2, 2}, .form = "assembled", .equations = true},
  };
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    problem p;
    problem_create(&p, &bodies[k]);
    ok(solve(&p, "cg", "multigrid", 1e-12, 0, NULL));
    double *expected = dense_solution(&p);
    const double error = difference_of(p.u, expected, p.dofs);
    if (!(error <= 1e-10)) fail_msg("body %d: error %g, expected at most 1e-10", (int)k, error);
    hk_free(&expected);
    problem_destroy(&p);
  }
}

/* Iterations grow by a half at most from p = 2 to 4 (from 11 to 20, without an order between 4 and 1), on elements that are ten times as wide as thick too. */
static void iterations_hardly_grow_with_the_order(void **state)
{
  (void)state;
  static const problem_desc bodies[] = {
      {.shape = HK_WEDGE6, .cells = {3, 3, 2}, .jitter = 0.2, .form = "assembled"},
      {.shape = HK_WEDGE6, .cells = {3, 3, 2}, .size = {15, 15, 1}, .form = "assembled"},
      {.shape = HK_HEX8, .cells = {2, 2, 2}, .form = "assembled"},
      {.shape = HK_QUAD4, .cells = {6, 6}, .jitter = 0.2, .form = "assembled"},
  };
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    int first = 0;
    for (int order = 2; order <= 4; order += 2) {
      problem p;
      problem_desc desc = bodies[k];
      hk_linear_report report;
      desc.order = order;
      problem_create(&p, &desc);
      ok(solve(&p, "cg", "multigrid", 0, 0, &report));
      if (order == 2) first = report.iterations;
      if (2 * report.iterations > 3 * first)
        fail_msg("body %d, order %d: %d iterations, %d at order 2", (int)k, order,
                 report.iterations, first);
      hk_linear_report_clear(&report);
      problem_destroy(&p);
    }
  }
}

static void opencl_gives_what_the_host_gives(void **state)
{
  (void)state;
  hk_device *device = NULL;
  if (hk_device_open("opencl", 0, &device) != HK_OK) skip();
  hk_device_close(&device);
  problem host, other;
  problem_desc desc = {.shape = HK_WEDGE6, .order = 3, .cells = {2, 2, 1}, .form = "assembled"};
  problem_create(&host, &desc);
  desc.device = "opencl";
  problem_create(&other, &desc);
  ok(solve(&host, "cg", "multigrid", 1e-12, 0, NULL));
  ok(solve(&other, "cg", "multigrid", 1e-12, 0, NULL));
  assert_true(difference_of(host.u, other.u, host.dofs) <= 1e-10);
  problem_destroy(&host);
  problem_destroy(&other);
}

/* Each internal number is in one list; nodes above each other, which lie close, are together, as far as a patch has room. */
static void patches_hold_each_node_once_and_what_lies_close(void **state)
{
  (void)state;
  problem p;
  hk_index count = 0, *list = NULL;
  int *of = NULL;
  problem_create(&p, &(problem_desc){.shape = HK_WEDGE6,
                                     .order = 4,
                                     .cells = {2, 2, 1},
                                     .size = {40, 40, 1},
                                     .form = "assembled"});
  const hk_index padded = p.space->padded;
  ok(hk_patches_group(p.space, &count, &list));
  ok(hk_get(&of, padded));
  assert_in_range(count, padded / HK_PATCH_NODES, 3 * padded / HK_PATCH_NODES / 2);
  for (hk_index k = 0; k < count * HK_PATCH_NODES; k++)
    if (list[k] >= 0) {
      assert_int_equal(of[list[k]], 0);
      of[list[k]] = 1 + k / HK_PATCH_NODES;
    }
  for (hk_index i = 0; i < padded; i++) {
    assert_true(of[i] > 0);
    for (hk_index j = 0; j < i && p.space->mesh_node[i] >= 0; j++) {
      if (p.space->mesh_node[j] < 0) continue;
      const double *a = p.mesh->x + 3 * (hk_count)p.space->mesh_node[i],
                   *b = p.mesh->x + 3 * (hk_count)p.space->mesh_node[j];
      if (hypot(a[0] - b[0], a[1] - b[1]) < 1e-9) assert_int_equal(of[i], of[j]);
    }
  }
  hk_free(&of);
  hk_free(&list);
  problem_destroy(&p);
}

/* the memory of patches is that of their lists and of an inverse of 16 nodes with all components each */
static void memory_of_patches_is_told(void **state)
{
  problem p;
  hk_patches patches = {0};
  double *diagonal = NULL;
  hk_buffer *buffer = NULL;
  (void)state;
  problem_create(
      &p, &(problem_desc){.shape = HK_WEDGE6, .order = 4, .cells = {3, 3, 2}, .form = "assembled"});
  const hk_count rows = HK_PATCH_NODES * 3;
  const hk_count entries = (hk_count)p.space->padded * 9;
  ok(hk_get(&diagonal, entries));
  ok(hk_buffer_create(p.device, entries * 8, &buffer));
  ok(p.op->kind->diagonal(p.op, buffer));
  ok(hk_buffer_read_reals(buffer, true, 0, entries, diagonal));
  ok(hk_patches_create(p.op, &p.constraints, diagonal, &patches));
  assert_true(patches.count >= p.space->nodes / HK_PATCH_NODES);
  assert_int_equal(patches.bytes, patches.count * (HK_PATCH_NODES * 4 + rows * rows * 8));
  hk_patches_destroy(&patches);
  hk_buffer_destroy(&buffer);
  hk_free(&diagonal);
  problem_destroy(&p);
}

/* Inverses of patches that a device with a memory of its own makes are those of the host, to rounding, with nodes that are held; a patch that is not full has zeros. */
static void opencl_inverts_patches(void **state)
{
  (void)state;
  hk_device *device = NULL;
  double *inverse[2] = {NULL}, *diagonal = NULL, most = 0, apart = 0;
  hk_count entries = 0;
  if (hk_device_open("opencl", 0, &device) != HK_OK) skip();
  hk_device_close(&device);
  for (int k = 0; k < 2; k++) {
    problem p;
    hk_patches patches = {0};
    problem_create(&p, &(problem_desc){.shape = HK_QUAD4,
                                       .order = 3,
                                       .cells = {4, 3},
                                       .jitter = 0.2,
                                       .form = "assembled",
                                       .device = k ? "opencl" : NULL});
    ok(hk_get(&diagonal, (hk_count)p.space->padded * 4));
    ok(hk_diagonal_of(p.op, diagonal));
    for (hk_index i = 0; i < p.constraints.count; i++)
      for (int c = 0; c < 2; c++) {
        double *own = diagonal + (hk_count)(p.constraints.dof[i] / 2) * 4;
        own[p.constraints.dof[i] % 2 * 2 + c] = own[c * 2 + p.constraints.dof[i] % 2] = 0;
      }
    assert_true(p.constraints.count > 0);
    ok(hk_patches_create(p.op, &p.constraints, diagonal, &patches));
    entries = hk_buffer_bytes(patches.inverse) / 8;
    ok(hk_get(&inverse[k], entries));
    ok(hk_buffer_read(patches.inverse, 0, entries * 8, inverse[k]));
    hk_patches_destroy(&patches);
    hk_free(&diagonal);
    problem_destroy(&p);
  }
  for (hk_count i = 0; i < entries; i++) {
    most = fmax(most, fabs(inverse[0][i]));
    apart = hk_larger(apart, fabs(inverse[1][i] - inverse[0][i]));
  }
  if (!(most > 0 && apart <= 1e-12 * most))
    fail_msg("inverses %g apart, the largest entry is %g", apart, most);
  for (int k = 0; k < 2; k++) hk_free(&inverse[k]);
}

/* Closeness of two nodes, in 64 classes; 64: they are not close. */
static int class_of(const problem *p, const double *near, hk_index a, hk_index b, double apart)
{
  const double close = sqrt(near[p->space->node[a]] * near[p->space->node[b]]);
  const int class = (int)((1 - close / apart) / 0.9 * 64);
  if (!(close > 0.1 * apart)) return 64;
  return class < 0 ? 0 : class < 63 ? class : 63;
}

static double apart_of(const problem *p, hk_index a, hk_index b)
{
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    const double x = p->mesh->x[(hk_count)a * 3 + d] - p->mesh->x[(hk_count)b * 3 + d];
    sum += x * x;
  }
  return sum;
}

/* up[internal number]: its group, at the lowest number of it, by plain loops over classes, elements and pairs. */
static void group_plainly(const problem *p, double *near, hk_index *up, int *size)
{
  for (hk_index i = 0; i < p->space->padded; i++) near[i] = INFINITY, up[i] = i, size[i] = 1;
  for (int class = -1; class < 64; class ++)
    for (hk_count e = 0; e < p->mesh->element_count; e++)
      for (int n = 0; n < p->mesh->block[0].nodes; n++)
        for (int m = 0; m < n; m++) {
          const hk_index *node = hk_mesh_nodes_of(p->mesh, e);
          hk_index a = p->space->node[node[n]], b = p->space->node[node[m]];
          const double apart = apart_of(p, node[n], node[m]);
          if (class < 0)
            near[a] = fmin(near[a], apart), near[b] = fmin(near[b], apart);
          else if (class_of(p, near, node[n], node[m], apart) == class) {
            a = up[a], b = up[b];
            if (a == b || size[a] + size[b] > HK_PATCH_NODES) continue;
            const hk_index low = a < b ? a : b, high = a + b - low;
            size[low] += size[high];
            for (hk_index i = 0; i < p->space->padded; i++)
              if (up[i] == high) up[i] = low;
          }
        }
}

/* The nodes that these loops join are in one list, for any number of threads, whose lists are the same. */
static void patches_are_those_of_one_loop(void **state)
{
  (void)state;
  const int before = omp_get_max_threads();
  problem p;
  hk_index count[2] = {0}, *list[2] = {NULL}, *up = NULL;
  int *size = NULL, *of = NULL;
  double *near = NULL;
  problem_create(&p, &(problem_desc){.shape = HK_HEX8,
                                     .order = 3,
                                     .cells = {6, 5, 5},
                                     .size = {4, 4, 1},
                                     .jitter = 0.2,
                                     .form = "assembled"});
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(1 + 4 * k);
    ok(hk_patches_group(p.space, &count[k], &list[k]));
  }
  omp_set_num_threads(before);
  assert_int_equal(count[0], count[1]);
  assert_memory_equal(list[0], list[1], (size_t)count[0] * HK_PATCH_NODES * sizeof *list[0]);
  ok(hk_get(&near, p.space->padded));
  ok(hk_get(&up, p.space->padded));
  ok(hk_get(&size, p.space->padded));
  ok(hk_get(&of, p.space->padded));
  group_plainly(&p, near, up, size);
  for (hk_index k = 0; k < count[0] * HK_PATCH_NODES; k++)
    if (list[0][k] >= 0) of[list[0][k]] = k / HK_PATCH_NODES;
  hk_index joined = 0;
  for (hk_index i = 0; i < p.space->padded; i++) {
    assert_int_equal(of[i], of[up[i]]);
    joined += up[i] != i;
  }
  assert_true(joined > p.space->nodes / 2);
  for (int k = 0; k < 2; k++) hk_free(&list[k]);
  hk_free(&near);
  hk_free(&up);
  hk_free(&size);
  hk_free(&of);
  problem_destroy(&p);
}

/* as many threads as may be, the same bits */
static void interpolation_has_the_same_bits(void **state)
{
  (void)state;
  problem p;
  hk_mesh *lower = NULL;
  hk_interpolation of[2] = {{0}};
  const int threads = omp_get_max_threads();
  problem_create(
      &p, &(problem_desc){.shape = HK_WEDGE6, .order = 5, .cells = {3, 3, 3}, .form = "assembled"});
  ok(hk_coarse_mesh(p.space, 3, &lower));
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(k ? 7 : 1);
    ok(hk_interpolation_create(p.space, lower, NULL, lower->node_count, &of[k]));
  }
  omp_set_num_threads(threads);
  assert_memory_equal(of[0].weight, of[1].weight,
                      (size_t)of[0].begin[of[0].rows] * sizeof *of[0].weight);
  for (int k = 0; k < 2; k++) hk_interpolation_clear(&of[k]);
  hk_mesh_destroy(&lower);
  problem_destroy(&p);
}

/* An equation is kept below where its nodes, dependent and masters, are nodes there and the masters are free; else the degree of freedom
 * is held there, and one between two nodes is dropped. Two components; rows 0, 2, 4, 5 are the columns 0, 1, 2, 3. */
static void equations_of_the_order_below(void **state)
{
  (void)state;
  static hk_count rows[7] = {0, 1, 3, 4, 6, 7, 8};
  static hk_index column[8] = {0, 0, 1, 1, 1, 2, 2, 3};
  static double weight[8] = {1, .5, .5, 1, .75, .25, 1, 1};
  const hk_interpolation p = {6, 4, rows, column, weight};
  static hk_index dof[5] = {1, 2, 4, 7, 8}, begin[6] = {0, 1, 1, 2, 2, 4},
                  master[4] = {5, 6, 0, 11};
  static double factor[4] = {1, 2, .3, -.7}, offset[5] = {0, 1, 0, 2, 3};
  const hk_constraints c = {12, 5, dof, begin, master, factor, offset};
  static const hk_index held[4] = {1, 2, 3, 4}, first[5] = {0, 0, 0, 0, 2}, of[2] = {0, 7};
  hk_constraints out = {0};
  ok(hk_constraints_coarse(&c, &p, 2, &out));
  assert_int_equal(out.dofs, 8);
  assert_int_equal(out.count, 4);
  assert_memory_equal(out.dof, held, sizeof held);
  assert_memory_equal(out.begin, first, sizeof first);
  assert_memory_equal(out.master, of, sizeof of);
  assert_memory_equal(out.weight, factor + 2, 2 * sizeof *factor);
  for (int k = 0; k < 4; k++) assert_true(out.offset[k] == 0);
  hk_constraints_clear(&out);
}

/* a^-1 a = 1 for more rows than are eliminated at a time, 0 where a row is held; the same bits for any number of threads */
static void dense_inverse(void **state)
{
  (void)state;
  enum { N = 77, HELD = 40 };
  static double a[N * N], inverse[2][N * N];
  const int threads = omp_get_max_threads();
  double *room = NULL;
  ok(hk_get(&room, hk_dense_room(N)));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i * N + j] = i == HELD || j == HELD ? 0 : (i == j ? 3 : 0) + 1. / (1 + abs(i - j));
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(k ? 5 : 1);
    memcpy(inverse[k], a, sizeof a);
    hk_dense_invert(N, inverse[k], room);
  }
  omp_set_num_threads(threads);
  assert_memory_equal(inverse[0], inverse[1], sizeof a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += inverse[0][i * N + k] * a[k * N + j];
      if (!(fabs(sum - (i == j && i != HELD)) <= 1e-13))
        fail_msg("row %d, column %d: %.17g", i, j, sum);
      if (i == HELD) assert_true(inverse[0][i * N + j] == 0 && inverse[0][j * N + i] == 0);
    }
  hk_free(&room);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multigrid_is_the_dense_solution),
      cmocka_unit_test(iterations_hardly_grow_with_the_order),
      cmocka_unit_test(opencl_gives_what_the_host_gives),
      cmocka_unit_test(opencl_inverts_patches),
      cmocka_unit_test(patches_hold_each_node_once_and_what_lies_close),
      cmocka_unit_test(patches_are_those_of_one_loop),
      cmocka_unit_test(interpolation_has_the_same_bits),
      cmocka_unit_test(memory_of_patches_is_told),
      cmocka_unit_test(equations_of_the_order_below),
      cmocka_unit_test(dense_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
