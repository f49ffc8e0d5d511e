/* Fans of tetrahedra (operator/fans/fans.h), and K in the form that is made of them, by groups with neighbours. */
#include "mesh/mesh.h"
#include "operator/assembly/csr.h"
#include "support/body.h"
#include "operator/list.h"
#include "operator/fans/fans.h"
#include <hooke/status.h>

enum { WIDTH = 8, LAWS = 3 };

static hk_mesh *mesh_create(hk_index cells)
{
  return make_grid((hk_mesh_grid){
      .cells = {cells, cells, cells}, .shape = HK_TET4, .jitter = 0.3, .shuffle = 5});
}

static int region_of(hk_count e)
{
  return e % 7 == 0 ? 2 : e % 3 == 0;
}

static hk_fans *fans_create(const hk_mesh *mesh, bool regions)
{
  hk_fans *fans = NULL;
  ok(hk_fans_create(WIDTH, &fans));
  hk_fans_start(fans);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *n = hk_mesh_nodes_of(mesh, e);
    ok(hk_fans_add(
        fans, &(hk_tet){.node = {n[0], n[1], n[2], n[3]}, .region = regions ? region_of(e) : 0}));
  }
  ok(hk_fans_make(fans, (hk_index)mesh->node_count));
  return fans;
}

/* The element with these nodes; -1: none. */
static hk_count find(const hk_mesh *mesh, const hk_index *begin, const hk_index *around,
                     const hk_index *node)
{
  for (hk_index q = begin[node[0]]; q < begin[node[0] + 1]; q++) {
    const hk_index *n = hk_mesh_nodes_of(mesh, around[q]);
    int same = 0;
    for (int c = 0; c < 16; c++) same += n[c / 4] == node[c % 4];
    if (same == 4) return around[q];
  }
  return -1;
}

/* every tetrahedron is in one fan once, with its region */
static void fans_hold_each_tetrahedron_once(void **state)
{
  hk_mesh *mesh = mesh_create(7);
  hk_fans *f = fans_create(mesh, true);
  hk_index *begin = NULL, *around = NULL, *times = NULL;
  (void)state;
  ok(hk_mesh_node_elements(mesh, &begin, &around));
  ok(hk_get(&times, mesh->element_count));
  for (hk_index s = 0; s < f->slices; s++)
    for (int l = 0; l < WIDTH; l++) {
      const uint16_t *n = f->list + (hk_count)f->row[s] * WIDTH + l;
      const int entries = f->row[s + 1] - f->row[s] - 3;
      if (n[0] == mesh->node_count) continue;
      for (int i = 0; i < entries; i++) {
        const uint16_t *at = n + (3 + i) * WIDTH;
        if (i == 0 || at[0] == n[0] || at[-WIDTH] == n[0]) continue;
        const hk_index node[4] = {n[0], n[WIDTH], at[-WIDTH], at[0]};
        const hk_count e = find(mesh, begin, around, node);
        assert_true(e >= 0);
        assert_int_equal(region_of(e), n[2 * WIDTH]);
        times[e]++;
      }
    }
  for (hk_count e = 0; e < mesh->element_count; e++) assert_int_equal(times[e], 1);
  hk_free(&times);
  hk_free(&begin);
  hk_free(&around);
  hk_fans_destroy(&f);
  hk_mesh_destroy(&mesh);
}

/* of one region at most 2 numbers per tetrahedron, with those of its edge and law, where their nodes are 4 */
static void lists_are_short(void **state)
{
  hk_mesh *mesh = mesh_create(9);
  hk_fans *f = fans_create(mesh, false);
  const double numbers = (double)f->rows * WIDTH / (double)mesh->element_count;
  (void)state;
  if (!(numbers <= 2)) fail_msg("%g numbers", numbers);
  hk_fans_destroy(&f);
  hk_mesh_destroy(&mesh);
}

/* no two fans of a colour have a node in common */
static void colours_are_free_of_races(void **state)
{
  hk_mesh *mesh = mesh_create(6);
  hk_fans *f = fans_create(mesh, true);
  hk_index *owner = NULL, fan = 0;
  (void)state;
  assert_in_range(f->colours, 2, 64);
  for (hk_index c = 0; c < f->colours; c++) {
    hk_free(&owner);
    ok(hk_get(&owner, mesh->node_count));
    for (hk_index s = f->colour[c]; s < f->colour[c + 1]; s++)
      for (int l = 0; l < WIDTH; l++) {
        const uint16_t *n = f->list + (hk_count)f->row[s] * WIDTH + l;
        fan++;
        for (int i = 0; i < f->row[s + 1] - f->row[s]; i++) {
          const int at = n[i * WIDTH];
          if (i == 2 || at == mesh->node_count) continue;
          assert_true(owner[at] == 0 || owner[at] == fan);
          owner[at] = fan;
        }
      }
  }
  hk_free(&owner);
  hk_fans_destroy(&f);
  hk_mesh_destroy(&mesh);
}

/* a node that 2000 tetrahedra share needs more colours than a mask has */
static void many_fans_at_one_node(void **state)
{
  enum { TETS = 2000 };
  hk_fans *f = NULL;
  (void)state;
  ok(hk_fans_create(WIDTH, &f));
  hk_fans_start(f);
  for (hk_index t = 0; t < TETS; t++)
    ok(hk_fans_add(f, &(hk_tet){.node = {0, 3 * t + 1, 3 * t + 2, 3 * t + 3}}));
  ok(hk_fans_make(f, 3 * TETS + 1));
  assert_int_equal(f->colours, TETS);
  assert_int_equal(f->slices, TETS);
  hk_fans_destroy(&f);
}

/* K u = the rows' times u on every device, of groups that touch each other, in three regions of any conductivity; in double to 1e-13; the
 * same bits twice; at most 80 bytes a node, less than half of what rows take */
static void product_is_that_of_the_rows(void **state)
{
  static const double conductivity[6] = {2, 3, 1.5, .4, -.3, .2};
  char name[16];
  hk_mesh *mesh = mesh_create(16);
  hk_region region[LAWS] = {{.thickness = 1}, {.thickness = 1}, {.thickness = 1}};
  hk_index *element_region = NULL;
  (void)state;
  ok(hk_get(&element_region, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) element_region[e] = (hk_index)region_of(e);
  for (int r = 0; r < LAWS; r++)
    ok(hk_material_conduct(r ? 6 : 1, conductivity, &region[r].material));
  for (int d = 0; hk_device_list(&(hk_device_desc){0}, d, name); d++)
    for (int real = 0; real < 2; real++) {
      hk_device *device = NULL;
      hk_space *space = NULL;
      hk_operator *op = NULL;
      hk_buffer *u = NULL, *out[2] = {NULL};
      hk_csr k = {0};
      double *value = NULL, *got[2] = {NULL}, most = 0, error = 0;
      ok(hk_device_open(name, 2, &device));
      hk_space_desc numbering = hk_operator_matrix_free.space(mesh, device, real);
      numbering.components = 1;
      ok(hk_space_create(mesh, &numbering, &space));
      const hk_operator_desc desc = {.device = device,
                                     .space = space,
                                     .region = region,
                                     .element_region = element_region,
                                     .double_precision = real};
      ok(hk_operator_create(&hk_operator_matrix_free, &desc, &op));
      ok(hk_operator_bind(op, HK_FORM_STORE, false, 1));
      ok(hk_csr_assemble(&desc, &k));
      const hk_count n = space->padded;
      ok(hk_get(&value, n));
      ok(hk_buffer_create(device, n * (real ? 8 : 4), &u));
      srand(3);
      for (hk_count i = 0; i < n; i++) value[i] = uniform();
      ok(hk_buffer_write_reals(u, real, 0, n, value));
      for (int t = 0; t < 2; t++) {
        ok(hk_get(&got[t], n));
        ok(hk_buffer_create(device, n * (real ? 8 : 4), &out[t]));
        ok(hk_operator_apply(op, &(hk_epilogue){.form = HK_FORM_STORE, .u = u, .out = out[t]}));
        ok(hk_buffer_read_reals(out[t], real, 0, n, got[t]));
      }
      assert_memory_equal(got[0], got[1], (size_t)n * sizeof **got);
      for (hk_count i = 0; i < n; i++) {
        double sum = 0;
        for (hk_count e = k.begin[i]; e < k.begin[i + 1]; e++)
          sum += k.block[e] * value[k.column[e]];
        most = fmax(most, fabs(sum)), error = hk_larger(error, fabs(sum - got[0][i]));
      }
      if (!(error <= (real ? 1e-13 : 1e-5) * most))
        fail_msg("%s, %d: %g", name, real, error / most);
      const double bytes = (double)op->memory / (double)mesh->node_count;
      if (!(bytes <= 80 - 12 * !real) && !hk_device_describe(device)->compiles)
        fail_msg("%s, %d: %g bytes per node", name, real, bytes);
      for (int t = 0; t < 2; t++) hk_free(&got[t]), hk_buffer_destroy(&out[t]);
      hk_buffer_destroy(&u);
      hk_free(&value);
      hk_csr_clear(&k);
      hk_operator_destroy(&op);
      hk_space_destroy(&space);
      hk_device_close(&device);
    }
  hk_free(&element_region);
  hk_mesh_destroy(&mesh);
}

/* What an operator of heat conduction is created from, without it. */
typedef struct conductor {
  hk_mesh *mesh;
  hk_region region;
  hk_index *element_region;
  hk_operator_desc desc;
} conductor;

static void conductor_create(conductor *c, int cells)
{
  const double one = 1;
  hk_device *device = NULL;
  hk_space *space = NULL;
  *c = (conductor){.mesh = mesh_create(cells), .region = {.thickness = 1}};
  ok(hk_get(&c->element_region, c->mesh->element_count));
  ok(hk_material_conduct(1, &one, &c->region.material));
  ok(hk_device_open("cpu", 1, &device));
  hk_space_desc numbering = hk_operator_matrix_free.space(c->mesh, device, true);
  numbering.components = 1;
  ok(hk_space_create(c->mesh, &numbering, &space));
  c->desc = (hk_operator_desc){.device = device,
                               .space = space,
                               .region = &c->region,
                               .element_region = c->element_region,
                               .double_precision = true};
}

static void conductor_destroy(conductor *c)
{
  hk_space *space = (hk_space *)c->desc.space;
  hk_space_destroy(&space);
  hk_device_close(&c->desc.device);
  hk_free(&c->element_region);
  hk_mesh_destroy(&c->mesh);
}

/* a folded element is named */
static void folded_elements_are_refused(void **state)
{
  conductor c;
  hk_operator *op = NULL;
  (void)state;
  conductor_create(&c, 3);
  hk_index *n = c.mesh->block[0].node + 4 * 5, first = n[0];
  n[0] = n[1], n[1] = first;
  assert_int_equal(hk_operator_create(&hk_operator_matrix_free, &c.desc, &op), HK_BAD_INPUT);
  error_says("element 6");
  conductor_destroy(&c);
}

/* each allocation may fail: nothing is left */
static void allocations_fail(void **state)
{
  conductor c;
  shortage memory = {0};
  (void)state;
  conductor_create(&c, 9);
  while (next_shortage(&memory)) {
    hk_operator *op = NULL;
    memory.status = hk_operator_create(&hk_operator_matrix_free, &c.desc, &op);
    hk_operator_destroy(&op);
  }
  conductor_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fans_hold_each_tetrahedron_once),
      cmocka_unit_test(lists_are_short),
      cmocka_unit_test(colours_are_free_of_races),
      cmocka_unit_test(many_fans_at_one_node),
      cmocka_unit_test(product_is_that_of_the_rows),
      cmocka_unit_test(folded_elements_are_refused),
      cmocka_unit_test(allocations_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
