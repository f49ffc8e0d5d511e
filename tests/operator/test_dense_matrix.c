/* The dense matrix and the sparsity scan of Keating (2019): on each device what the host's rows say, with the four steps of section 2.4.3. */
#include "operator/dense/dense_matrix.h"
#include "operator/assembly/assembled.h"
#include "operator/assembly/assembly.h"
#include "support/dense.h"
#include "operator/list.h"
#include "papers/scan_pattern.h"
#include <hooke/status.h>

typedef struct made {
  body b;
  hk_space *space;
  hk_operator_desc desc;
  hk_exchange exchange[3];
} made;

/* Elasticity, or (components 1) conduction with films and a law that varies. */
static void make(made *m, hk_device *device, hk_shape shape, int components, bool real)
{
  static const double conductivity[6] = {2, 3, 1.5, .4, -.3, .2};
  *m = (made){.exchange = {{0, 1, 5, NULL}, {2, 0, 3, NULL}, {2, 2, 4, NULL}}};
  m->b.mesh = make_patch(shape, .1);
  body_dress(&m->b, EVERY_KIND);
  for (int r = 0; components == 1 && r < REGIONS; r++) {
    m->b.region[r] = (hk_region){.thickness = 1, .varies = r % 3 == 0};
    ok(hk_material_conduct(6, conductivity, &m->b.region[r].material));
    m->b.region[r].axes = (hk_axes){.kind = HK_AXES_CYLINDRICAL,
                                    .origin = {-5, -4, 0},
                                    .row = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  }
  hk_space_desc numbering = hk_operator_assembled.space(m->b.mesh, device, real);
  numbering.components = components;
  ok(hk_space_create(m->b.mesh, &numbering, &m->space));
  m->desc =
      (hk_operator_desc){.device = device,
                         .space = m->space,
                         .region = m->b.region,
                         .element_region = m->b.element_region,
                         .double_precision = real,
                         .terms = {{{&hk_exchange_kind, m->exchange, components == 1 ? 3 : 0}}}};
}

static void unmake(made *m)
{
  hk_space_destroy(&m->space);
  body_destroy(&m->b);
}

/* The same by rows, in the order of the space; hk_free */
static double *plain(const made *m)
{
  hk_csr k = {0};
  ok(hk_csr_assemble(&m->desc, &k));
  double *a = dense_of_csr(&k, NULL);
  hk_csr_clear(&k);
  return a;
}

static double *read_dense(const hk_dense *d)
{
  const hk_count entries = (hk_count)d->n * d->n;
  double *a = NULL;
  ok(hk_get(&a, entries));
  ok(hk_buffer_read_reals(d->value, d->double_precision, 0, entries, a));
  return a;
}

static void compare_to(const double *a, const double *b, hk_count count, double tolerance,
                       const char *what)
{
  const double error = difference_of(a, b, count);
  if (!(error <= tolerance)) fail_msg("%s: off by %g", what, error);
}

/* the dense matrix is K to 1e-13 (single: 1e-5) of its largest entry, of every shape and with films, whatever the chunks of elements */
static void dense_is_k(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int way = 0; way < 3; way++) {
        if (left_out(device, shape + way, 3)) continue;
        made m;
        hk_dense *k = NULL;
        const bool real = way < 2;
        make(&m, device, (hk_shape)shape, way == 0 ? 1 : 0, real);
        ok(hk_dense_assemble(&m.desc, false, &k));
        assert_int_equal(k->n, m.space->padded * m.space->components);
        double *expected = plain(&m), *got = read_dense(k);
        compare_to(got, expected, (hk_count)k->n * k->n, real ? 1e-13 : 1e-5,
                   hk_shape_name((hk_shape)shape));
        hk_free(&expected);
        hk_free(&got);
        hk_dense_destroy(&k);
        unmake(&m);
      }
    hk_device_close(&device);
  }
}

static hk_buffer *put(hk_device *device, const void *from, hk_count bytes)
{
  hk_buffer *b = NULL;
  ok(hk_buffer_create(device, bytes, &b));
  ok(hk_buffer_write(b, 0, bytes, from));
  return b;
}

/* the dense blocks of K among lists of nodes are those of K, whatever the lists' order, with zeros where a list has no node */
static void blocks_of_nodes_are_those_of_k(void **state)
{
  enum { LISTS = 9, SIZE = 7 };
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++)
    for (int components = 0; components < 2; components++) {
      made m;
      hk_operator *op = NULL;
      hk_buffer *out = NULL;
      make(&m, device, HK_TET10, components, true);
      const int c = m.space->components, width = SIZE * c;
      const hk_index n = m.space->padded;
      hk_index list[LISTS * SIZE];
      double *got = NULL;
      ok(hk_operator_create(&hk_operator_assembled, &m.desc, &op));
      for (int i = 0; i < LISTS * SIZE; i++) list[i] = i % 11 == 5 ? -1 : (i * 5 + 3) % 23 % n;
      hk_buffer *lists = put(device, list, sizeof list);
      ok(hk_buffer_create(device, LISTS * width * width * 8LL, &out));
      ok(hk_assembled_blocks(op, lists, LISTS, SIZE, out));
      ok(hk_get(&got, LISTS * width * width));
      ok(hk_buffer_read(out, 0, LISTS * width * width * 8LL, got));
      double *k = plain(&m);
      for (int l = 0; l < LISTS; l++)
        for (int row = 0; row < width; row++)
          for (int column = 0; column < width; column++) {
            const hk_index i = list[l * SIZE + row / c], j = list[l * SIZE + column / c];
            const double expected =
                i < 0 || j < 0
                    ? 0
                    : k[((hk_count)i * c + row % c) * n * c + (hk_count)j * c + column % c];
            if (!(fabs(got[(l * width + row) * width + column] - expected) <= 1e-12))
              fail_msg("list %d, row %d, column %d: %g, expected %g", l, row, column,
                       got[(l * width + row) * width + column], expected);
          }
      hk_free(&k);
      hk_free(&got);
      hk_buffer_destroy(&lists);
      hk_buffer_destroy(&out);
      hk_operator_destroy(&op);
      unmake(&m);
    }
}

/* two assemblies give the same bits, also where elements come in many chunks */
static void dense_has_the_same_bits(void **state)
{
  (void)state;
  made m;
  hk_device *device = NULL;
  hk_assembly *one = NULL, *many = NULL;
  ok(hk_device_open("cpu", 2, &device));
  make(&m, device, HK_TET10, 0, true);
  ok(hk_assembly_create(&(hk_assembly_desc){.on = m.desc, .format = HK_FORMAT_DENSE}, &one));
  ok(hk_assembly_create(
      &(hk_assembly_desc){.on = m.desc, .format = HK_FORMAT_DENSE, .scratch = 4096}, &many));
  ok(hk_assembly_fill(one));
  ok(hk_assembly_fill(many));
  ok(hk_assembly_fill(many)); /* and anew */
  assert_true(many->chunks.chunks >= 2);
  assert_null(many->neighbours->column); /* which rows alone take */
  assert_int_equal(hk_buffer_bytes(one->value), hk_buffer_bytes(many->value));
  assert_memory_equal(hk_buffer_host(one->value), hk_buffer_host(many->value),
                      (size_t)hk_buffer_bytes(one->value));
  hk_assembly_destroy(&one);
  hk_assembly_destroy(&many);
  unmake(&m);
  hk_device_close(&device);
}

/* The four steps in plain words; lines without an entry: 1 on the diagonal. */
static void eliminate(double *a, double *b, hk_count n, const hk_index *dof, const double *value,
                      hk_index count)
{
  for (hk_index h = 0; h < count; h++)
    for (hk_count i = 0; i < n; i++) b[i] -= a[i * n + dof[h]] * value[h];
  for (hk_index h = 0; h < count; h++) {
    for (hk_count i = 0; i < n; i++) a[i * n + dof[h]] = a[dof[h] * n + i] = 0;
    a[dof[h] * n + dof[h]] = 1;
    b[dof[h]] = value[h];
  }
  for (hk_count i = 0; i < n; i++) {
    bool empty = true;
    for (hk_count j = 0; j < n; j++) empty = empty && a[i * n + j] == 0;
    if (empty) a[i * n + i] = 1;
  }
}

/* elimination gives the matrix and the right side of section 2.4.3, to 1e-13 of the largest */
static void boundary_rows_are_eliminated(void **state)
{
  enum { HELD = 4 };
  const hk_index dof[HELD] = {3, 0, 7, 11};
  const double value[HELD] = {2.5, -1, 0, 4};
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    made m;
    hk_dense *k = NULL;
    make(&m, device, HK_TRI6, 1, true);
    ok(hk_dense_assemble(&m.desc, false, &k));
    double *a = plain(&m), *b = NULL, *got_b = NULL;
    ok(hk_get(&b, k->n));
    ok(hk_get(&got_b, k->n));
    for (hk_index i = 0; i < k->n; i++) b[i] = uniform();
    hk_buffer *right = put(device, b, (hk_count)k->n * 8), *held = put(device, dof, sizeof dof),
              *given = put(device, value, sizeof value);
    eliminate(a, b, k->n, dof, value, HELD);
    ok(hk_dense_eliminate(k, &(hk_dense_held){HELD, held, given}, right));
    double *got = read_dense(k);
    ok(hk_buffer_read(right, 0, (hk_count)k->n * 8, got_b));
    compare_to(got, a, (hk_count)k->n * k->n, 1e-13, "matrix");
    compare_to(got_b, b, k->n, 1e-13, "right side");
    hk_buffer_destroy(&right);
    hk_buffer_destroy(&held);
    hk_buffer_destroy(&given);
    hk_free(&a);
    hk_free(&b);
    hk_free(&got);
    hk_free(&got_b);
    hk_dense_destroy(&k);
    unmake(&m);
    hk_device_close(&device);
  }
}

/* u solves what elimination leaves of K u = b where u_j = U_j is held: K' u = b', of every shape, elasticity and heat, where each seventh
 * degree of freedom is held; to 1e-12 of the largest sum */
static void what_is_held_keeps_the_solution(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++)
    for (int way = 0; way < 2 * HK_SHAPE_COUNT; way++) {
      if (left_out(device, way, 9)) continue;
      made m;
      hk_dense *k = NULL;
      double *u = NULL, *b = NULL, *value = NULL, most = 0, error = 0;
      hk_index *dof = NULL, count = 0;
      make(&m, device, (hk_shape)(way / 2), way % 2, true);
      ok(hk_dense_assemble(&m.desc, false, &k));
      double *a = plain(&m);
      ok(hk_get(&u, k->n));
      ok(hk_get(&b, k->n));
      ok(hk_get(&dof, k->n));
      ok(hk_get(&value, k->n));
      for (hk_index i = 0; i < k->n; i++)
        u[i] = m.space->mesh_node[i / m.space->components] < 0 ? 0 : 1 + uniform();
      for (hk_index i = 0; i < k->n; i++)
        for (hk_index j = 0; j < k->n; j++) b[i] += a[(hk_count)i * k->n + j] * u[j];
      for (hk_index i = k->n - 1; i >= 0; i -= 7)
        if (u[i] != 0) dof[count] = i, value[count++] = u[i];
      hk_buffer *right = put(device, b, (hk_count)k->n * 8), *held = put(device, dof, count * 4LL),
                *given = put(device, value, count * 8LL);
      ok(hk_dense_eliminate(k, &(hk_dense_held){count, held, given}, right));
      double *left = read_dense(k);
      ok(hk_buffer_read(right, 0, (hk_count)k->n * 8, b));
      for (hk_index i = 0; i < k->n; i++) {
        double sum = -b[i];
        for (hk_index j = 0; j < k->n; j++) sum += left[(hk_count)i * k->n + j] * u[j];
        error = hk_larger(error, fabs(sum)), most = hk_larger(most, fabs(b[i]));
      }
      if (!(error <= 1e-12 * most))
        fail_msg("%s, %d: %g of %g", hk_shape_name((hk_shape)(way / 2)), way % 2, error, most);
      hk_buffer_destroy(&right);
      hk_buffer_destroy(&held);
      hk_buffer_destroy(&given);
      hk_free(&a);
      hk_free(&u);
      hk_free(&b);
      hk_free(&dof);
      hk_free(&value);
      hk_free(&left);
      hk_dense_destroy(&k);
      unmake(&m);
    }
}

/* rows made of the dense matrix hold each number that is not zero, ascending, and nothing else */
static void rows_are_what_is_not_zero(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    made m;
    hk_dense *k = NULL;
    hk_dense_rows rows = {0};
    hk_count *begin = NULL, at = 0;
    hk_index *column = NULL;
    double *value = NULL;
    make(&m, device, HK_TET10, 0, true);
    ok(hk_dense_assemble(&m.desc, false, &k));
    ok(hk_dense_to_rows(k, &rows));
    double *a = read_dense(k);
    ok(hk_get(&begin, (hk_count)rows.n + 1));
    ok(hk_get(&column, rows.entries));
    ok(hk_get(&value, rows.entries));
    ok(hk_buffer_read(rows.begin, 0, ((hk_count)rows.n + 1) * 8, begin));
    ok(hk_buffer_read(rows.column, 0, rows.entries * 4, column));
    ok(hk_buffer_read(rows.value, 0, rows.entries * 8, value));
    for (hk_index i = 0; i < k->n; i++) {
      assert_int_equal(begin[i], at);
      for (hk_index j = 0; j < k->n; j++)
        if (a[(hk_count)i * k->n + j] != 0) {
          assert_true(at < rows.entries);
          assert_int_equal(column[at], j);
          assert_true(value[at] == a[(hk_count)i * k->n + j]);
          at++;
        }
    }
    assert_int_equal(at, rows.entries);
    hk_free(&begin);
    hk_free(&column);
    hk_free(&value);
    hk_free(&a);
    hk_dense_rows_clear(&rows);
    hk_dense_destroy(&k);
    unmake(&m);
    hk_device_close(&device);
  }
}

/* a matrix that does not fit is refused with what it needs, before it is asked for */
static void what_does_not_fit_is_refused(void **state)
{
  (void)state;
  hk_device *device = NULL;
  hk_mesh *mesh = NULL;
  hk_space *space = NULL;
  hk_dense *k = NULL;
  ok(hk_device_open("cpu", 1, &device));
  mesh =
      make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {900, 900}, .shape = HK_QUAD4, .shuffle = 0});
  ok(hk_space_create(mesh, &(hk_space_desc){.components = 1, .patch = 32, .slice = 32}, &space));
  const hk_operator_desc desc = {.device = device, .space = space, .double_precision = true};
  assert_int_equal(hk_dense_assemble(&desc, false, &k), HK_NO_RESOURCES);
  error_says("dense matrix");
  assert_null(k);
  hk_space_destroy(&space);
  hk_mesh_destroy(&mesh);
  hk_device_close(&device);
}

/* the scan's lists are those of the neighbour matrix, by the plain loop and on each device */
static void the_scan_is_the_neighbour_matrix(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
      made m;
      hk_csr k = {0};
      hk_index *node = NULL;
      make(&m, device, (hk_shape)shape, 1, true);
      ok(hk_csr_assemble(&m.desc, &k));
      const hk_mesh *mesh = m.b.mesh;
      int stride = 1;
      for (int b = 0; b < mesh->block_count; b++)
        if (mesh->block[b].nodes > stride) stride = mesh->block[b].nodes;
      ok(hk_get(&node, mesh->element_count * stride));
      for (hk_count e = 0; e < mesh->element_count; e++)
        for (int n = 0; n < stride; n++)
          node[e * stride + n] = n < hk_mesh_block_of(mesh, e)->nodes
                                     ? m.space->node[hk_mesh_nodes_of(mesh, e)[n]]
                                     : -1;
      for (int host = 0; host < 2; host++) {
        hk_pattern p = {0};
        ok(hk_pattern_scan(&(hk_pattern_desc){.device = host ? NULL : device,
                                              .nodes = m.space->padded,
                                              .elements = (hk_index)mesh->element_count,
                                              .stride = stride,
                                              .node = node},
                           &p));
        assert_int_equal(p.entries, k.entries);
        assert_memory_equal(p.begin, k.begin, ((size_t)k.rows + 1) * sizeof *p.begin);
        assert_memory_equal(p.column, k.column, (size_t)k.entries * sizeof *p.column);
        hk_pattern_clear(&p);
      }
      hk_csr_clear(&k);
      hk_free(&node);
      unmake(&m);
    }
    hk_device_close(&device);
  }
}

/* the mesh of two triangles: AI 0 3 7 11 14 by hand, with AI_0 = 0 (the paper's algorithm leaves it out) */
static void the_scan_of_two_triangles(void **state)
{
  (void)state;
  const hk_index node[] = {0, 1, 2, 1, 3, 2};
  const hk_count begin[] = {0, 3, 7, 11, 14};
  const hk_index column[] = {0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3};
  hk_pattern p = {0};
  ok(hk_pattern_scan(&(hk_pattern_desc){.nodes = 4, .elements = 2, .stride = 3, .node = node}, &p));
  assert_memory_equal(p.begin, begin, sizeof begin);
  assert_memory_equal(p.column, column, sizeof column);
  hk_pattern_clear(&p);
}

static hk_status everything(const made *m, hk_buffer *held)
{
  hk_status status = HK_OK;
  const hk_index node[] = {0, 1, 2, 1, 3, 2};
  hk_dense *k = NULL;
  hk_dense_rows rows = {0};
  hk_pattern p = {0};
  hk_buffer *b = NULL;
  const hk_pattern_desc scan = {m->desc.device, 4, 2, 3, node};
  HK_TRY(hk_dense_assemble(&m->desc, true, &k));
  HK_TRY(hk_buffer_create(m->desc.device, (hk_count)k->n * 8, &b));
  HK_TRY(hk_dense_eliminate(k, &(hk_dense_held){2, held, NULL}, b));
  HK_TRY(hk_dense_to_rows(k, &rows));
  HK_TRY(hk_pattern_scan(&scan, &p));
  hk_pattern_clear(&p);
  HK_TRY(hk_pattern_scan(&(hk_pattern_desc){NULL, 4, 2, 3, node}, &p));
cleanup:
  hk_buffer_destroy(&b);
  hk_pattern_clear(&p);
  hk_dense_rows_clear(&rows);
  hk_dense_destroy(&k);
  return status;
}

/* the k-th allocation fails: told, and nothing is left behind */
static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  const hk_index dof[2] = {0, 5};
  hk_device *device = NULL;
  made m;
  hk_status status = HK_NO_RESOURCES;
  ok(hk_device_open("cpu", 1, &device));
  make(&m, device, HK_TRI3, 1, true);
  hk_buffer *held = put(device, dof, sizeof dof);
  for (hk_count k = 1; status == HK_NO_RESOURCES; k++) {
    const hk_count before = hk_memory_held();
    hk_memory_fail_at(k);
    status = everything(&m, held);
    hk_memory_fail_at(0);
    assert_int_equal(hk_memory_held(), before);
  }
  ok(status);
  hk_buffer_destroy(&held);
  unmake(&m);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_is_k),
      cmocka_unit_test(blocks_of_nodes_are_those_of_k),
      cmocka_unit_test(dense_has_the_same_bits),
      cmocka_unit_test(boundary_rows_are_eliminated),
      cmocka_unit_test(what_is_held_keeps_the_solution),
      cmocka_unit_test(rows_are_what_is_not_zero),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(the_scan_is_the_neighbour_matrix),
      cmocka_unit_test(the_scan_of_two_triangles),
      cmocka_unit_test(a_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
