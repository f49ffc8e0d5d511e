/* The order of a phase's items does not matter: operator/patches/ring.k.h, operator/patches/patch.k.h and
 * papers/blocks.k.h in a dialect that runs them, and the groups, backwards give what they give forwards. On a device where they run
 * side by side, an item that needs another one of its phase would be a race. */
#define FOR_ITEMS(i, n) for (int i = (n)-1; i >= 0; i--)
#define HOST_ISA backwards
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "variants/ring.c"
#include "variants/patch.c"
#include "variants/blocks.c"
#include "mesh/mesh.h"
#include "papers/blocks.h"
#include "operator/patches/pack.h"
#include "support/body.h"

static hk_host_run *find(const hk_host_kernel *k, const char *key)
{
  for (; k->key; k++)
    if (!strcmp(k->key, key)) return k->run;
  fail_msg("no kernel %s", key);
  return NULL;
}

/* out = K u, backwards */
static void apply_backwards(const hk_operator_desc *desc, double *u, double *out)
{
  const hk_group_limits limits = {.local = {2048, 2048, 4096}, .slots = 32768};
  hk_group_limits largest;
  hk_groups_parts parts;
  hk_host_run *kernel[HK_GROUP_KINDS];
  hk_buffer *buffer[HK_GROUPS_RING_BUFFERS] = {0};
  hk_count groups[HK_GROUP_KINDS], g = 0;
  void *at[HK_STATE_ARGUMENTS + HK_GROUPS_RING_BUFFERS] = {u, out},
                                *value[HK_STATE_ARGUMENTS + HK_GROUPS_RING_BUFFERS];
  kernel[0] = find(hk_host_ring_backwards, "ring_step d DAMPED=0 FORM=0 LAWS=0 MAX_LOCAL=2048");
  kernel[1] = find(hk_host_ring_backwards, "ring_step d DAMPED=0 FORM=0 LAWS=1 MAX_LOCAL=2048");
  kernel[2] = find(hk_host_patch_backwards,
                   desc->space->dim == 2
                       ? "patch_step d DAMPED=0 DIM=2 FORM=0 MAX_LOCAL=4096 MAX_SLOTS=32768"
                       : "patch_step d DAMPED=0 DIM=3 FORM=0 MAX_LOCAL=4096 MAX_SLOTS=32768");
  ok(hk_groups_pack(desc, &limits, buffer, groups, &largest, &parts));
  for (int m = 0; m < HK_GROUPS_RING_BUFFERS; m++)
    at[HK_STATE_ARGUMENTS + m] = hk_buffer_host(buffer[m]);
  int shots[] = {1, desc->space->padded * desc->space->components};
  for (int m = 0; m < HK_STATE_ARGUMENTS + HK_GROUPS_RING_BUFFERS; m++) value[m] = &at[m];
  for (int m = 0; m < 2; m++) value[HK_STATE_ARGUMENTS - 2 + m] = &shots[m];
  for (int kind = 0; kind < HK_GROUP_KINDS; g += groups[kind++])
    for (hk_count k = groups[kind]; k-- > 0;) kernel[kind]((int)(g + k), value);
  for (int m = 0; m < HK_GROUPS_RING_BUFFERS; m++) hk_buffer_destroy(&buffer[m]);
}

static void apply_blocks_backwards(const hk_operator_desc *desc, double *u, double *out)
{
  const hk_block_layout *k = &desc->space->links->layout;
  hk_block_lists list = {0};
  hk_pool pool = {0};
  hk_host_run *kernel =
      find(hk_host_blocks_backwards, desc->space->dim == 2
                                         ? "blocks_step d DAMPED=0 DIM=2 FORM=0 MAX_LOCAL=5120"
                                         : "blocks_step d DAMPED=0 DIM=3 FORM=0 MAX_LOCAL=5120");
  void *at[HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS] = {u, out},
                                *value[HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS + 3];
  ok(hk_blocks_pack(desc, &pool, &list));
  int number[] = {desc->space->patches, k->size, k->load[0] | k->load[1] << 10 | k->load[2] << 20};
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++)
    at[HK_STATE_ARGUMENTS + m] = hk_buffer_host(list.buffer[m]);
  int shots[] = {1, desc->space->padded * desc->space->components};
  for (int m = 0; m < HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS; m++) value[m] = &at[m];
  for (int m = 0; m < 2; m++) value[HK_STATE_ARGUMENTS - 2 + m] = &shots[m];
  for (int m = 0; m < 3; m++) value[HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS + m] = &number[m];
  for (hk_index b = desc->space->patches; b-- > 0;) kernel(b, value);
  hk_pool_clear(&pool);
}

/* largest difference of the two orders over the largest value */
static double error_of(const char *method, hk_shape shape, int regions)
{
  const hk_operator_kind *kind;
  hk_mesh *mesh = NULL;
  hk_device *device = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_buffer *u = NULL, *out = NULL;
  double *backwards = NULL, most = 0, scale = 0;
  hk_region region[2] = {{.thickness = 1}, {.thickness = 2}};
  hk_index *element_region = NULL;
  mesh = make_grid((hk_mesh_grid){
      .to = {1, 1, 1}, .cells = {40, 30, 3}, .shape = shape, .jitter = 0.2, .shuffle = 3});
  for (int r = 0; r < 2; r++) ok(hk_material_isotropic(1 + r, 0.3, &region[r].material));
  ok(hk_get(&element_region, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) element_region[e] = (hk_index)(e % regions);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_operator_choose(method, mesh, device, &kind));
  const hk_space_desc numbering = kind->space(mesh, device, true);
  ok(hk_space_create(mesh, &numbering, &space));
  const hk_operator_desc desc = {.device = device,
                                 .space = space,
                                 .region = region,
                                 .element_region = element_region,
                                 .double_precision = true};
  ok(hk_operator_create(kind, &desc, &op));
  const hk_count dofs = (hk_count)space->padded * space->dim;
  ok(hk_buffer_create(device, dofs * 8, &u));
  ok(hk_buffer_create(device, dofs * 8, &out));
  ok(hk_get(&backwards, dofs));
  double *value = hk_buffer_host(u), *forwards = hk_buffer_host(out);
  for (hk_count i = 0; i < dofs; i++) value[i] = sin((double)i * (double)i);
  ok(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  ok(hk_operator_apply(op, &(hk_epilogue){.form = HK_FORM_STORE, .u = u, .out = out}));
  if (space->blocks)
    apply_blocks_backwards(&desc, value, backwards);
  else
    apply_backwards(&desc, value, backwards);
  for (hk_count i = 0; i < dofs; i++) {
    const double difference = fabs(backwards[i] - forwards[i]);
    most = isfinite(difference) ? fmax(most, difference) : HUGE_VAL;
    scale = fmax(scale, fabs(forwards[i]));
  }
  hk_free(&backwards);
  hk_free(&element_region);
  hk_buffer_destroy(&u);
  hk_buffer_destroy(&out);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  hk_device_close(&device);
  hk_mesh_destroy(&mesh);
  return most / scale;
}

/* backwards = forwards to the rounding of contracted products */
static void backwards_equals_forwards(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  static const char *const methods[] = {"matrix-free", "blocks"};
  (void)state;
  for (int m = 0; m < 2; m++)
    for (int s = 0; s < 4; s++)
      for (int regions = 1; regions <= 2 && serves(methods[m], shapes[s]); regions++) {
        const double error = error_of(methods[m], shapes[s], regions);
        if (!(error <= 1e-13))
          fail_msg("%s, %s, %d regions: error %.2e", methods[m], hk_shape_name(shapes[s]), regions,
                   error);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(backwards_equals_forwards)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
