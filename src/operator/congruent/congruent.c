/* The form `congruent`: rows of K from a dictionary, for meshes whose elements repeat (K.10), on every device. pack.h
 * makes the lists, congruent.k.h is the kernel. On other meshes it serves too, with a dictionary as large as `stored`, but threads of a GPU then have
 * one node where they take four. */
#include "element/element.h"
#include "graph/shapes.h"
#include "operator/congruent/pack.h"
#include "operator/edges/means.h"
#include "operator/list.h"

/* PATCH, MAX_LOCAL: of the host, whose variants are compiled for them and whose lanes have one node each. */
enum { PATCH = 1024, MAX_LOCAL = 16384, GPU_PATCH = 512 };

typedef struct congruent {
  hk_buffer *list[HK_CONGRUENT_LISTS];
  hk_congruent_sizes size; /* what the kernel is compiled for */
  bool staged;
  int run; /* nodes of a lane */
  int threads;
  hk_kernel *kernel[HK_FORM_COUNT][HK_DAMPINGS];
} congruent;

/* Nodes of a lane where lanes are threads: of a mesh and of its parts alike, as sums of losses go lane by lane. */
static int run_of(const hk_device *device)
{
  return hk_device_has_groups(hk_device_describe(device)) ? 4 : 1;
}

/* Groups of a multiprocessor that registers are given out for, by dimension and precision. */
static int groups_of(const hk_operator *op)
{
  static const int groups[2][2] = {{6, 5}, {3, 3}};
  return groups[op->desc.space->dim - 2][op->desc.double_precision];
}

static hk_space_desc space_congruent(const hk_mesh *mesh, const hk_device *device,
                                     bool double_precision)
{
  (void)mesh, (void)double_precision;
  const hk_device_info *info = hk_device_describe(device);
  return (hk_space_desc){
      .patch = hk_kernel_size(info, GPU_PATCH, PATCH), .slice = info->width, .layers = true};
}

static bool serves_congruent(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape shape = mesh->block[b].shape;
    if (!hk_shape_listed(shape) || hk_element_of(shape)->order > 1) return false;
  }
  return mesh->block_count > 0;
}

/* Rows that differ in a mesh of one material; a mesh that cannot be looked at has one for each node. */
static double rows_of(const hk_mesh *mesh)
{
  hk_shapes shapes;
  hk_index rows = (hk_index)mesh->node_count;
  if (hk_shapes_find(mesh, (hk_index)mesh->element_count, &shapes) != HK_OK) return rows;
  if (hk_shapes_count_nodes(mesh, &shapes, NULL, rows, &rows) != HK_OK)
    rows = (hk_index)mesh->node_count;
  hk_shapes_clear(&shapes);
  return rows;
}

static hk_count plan_congruent(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const double padded = 1.02;
  const hk_edges_means mean =
      hk_edges_mean(mesh, space_congruent(mesh, device, double_precision).patch);
  const double nodes = (double)mesh->node_count, neighbours = 2 * mean.pairs,
               lists = padded * neighbours * 2 + 2 + 4.0 / run_of(device) + 4 * mean.halo +
                       4.0 / hk_device_describe(device)->width;
  return (hk_count)(nodes * lists + rows_of(mesh) * neighbours *
                                        hk_congruent_stride(mesh->dim, double_precision) *
                                        (double_precision ? 8 : 4));
}

/* The patterns of the rows and the lists, which are there twice. */
static hk_count making_congruent(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision)
{
  const hk_count lists = plan_congruent(mesh, device, double_precision);
  return hk_edges_making(mesh, space_congruent(mesh, device, double_precision).patch,
                         hk_device_describe(device)->width, double_precision ? 8 : 4, 0, 0) +
         2 * lists + 12 * mesh->element_count;
}

static hk_count local_of(const hk_operator *op, bool staged)
{
  const congruent *s = op->data;
  const int dim = op->desc.space->dim, real = op->desc.double_precision ? 8 : 4;
  const hk_count patch = op->desc.space->patch, width = hk_device_describe(op->desc.device)->width;
  const hk_count nodes = hk_local_bytes((hk_count)s->size.local * dim, real);
  if (!staged) return nodes;
  return nodes + hk_local_bytes((hk_count)s->size.entries * width * s->run, 2) +
         hk_local_bytes((hk_count)s->size.lanes * s->run, 2) + hk_local_bytes(s->size.lanes, 4) +
         64 + patch * (dim + 2) * real; /* last, factor, damping */
}

static hk_status create_congruent(hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_space *space = op->desc.space;
  congruent *s = NULL;
  HK_PASS(hk_pool_get(&op->pool, &s, 1));
  op->data = s;
  s->run = run_of(op->desc.device);
  op->rows = true;
  HK_PASS(hk_congruent_pack(&op->desc, &op->pool, s->run, MAX_LOCAL, s->list, &s->size));
  s->threads = info->group_threads;
  if (space->patch / s->run <= info->most_threads) s->threads = space->patch / s->run;
  op->groups = space->patches * hk_loss_groups(info, s->threads);
  s->size.local = hk_kernel_size(info, s->size.local, MAX_LOCAL);
  s->staged = hk_device_has_groups(info) &&
              (!info->local_memory || local_of(op, true) <= info->local_memory);
  HK_NEED(!info->local_memory || !hk_device_has_groups(info) ||
              local_of(op, false) <= info->local_memory,
          HK_NO_RESOURCES,
          "a patch of %d nodes needs %lld bytes of local memory, and the device has %lld; use "
          "--set solve.explicit.method=stored",
          space->patch, (long long)local_of(op, false), (long long)info->local_memory);
  for (int m = 0; m < HK_CONGRUENT_LISTS; m++) op->memory += hk_buffer_bytes(s->list[m]);
  op->bytes = op->memory;
  return HK_OK;
}

static hk_status bind_congruent(hk_operator *op, hk_form form, int damped, int shots)
{
  (void)shots;
  congruent *s = op->data;
  const hk_space *space = op->desc.space;
  hk_kernel_desc desc = {.text = "congruent",
                         .function = "congruent_step",
                         .early = true,
                         .double_precision = op->desc.double_precision,
                         .define = {{"DAMPED", damped},
                                    {"DIM", space->dim},
                                    {"FORM", (int)form},
                                    {"MAX_LOCAL", s->size.local},
                                    {"PATCH", space->patch}},
                         .local = local_of(op, s->staged),
                         .threads = s->threads};
  if (s->kernel[form][damped]) return HK_OK;
  hk_kernel_specialise(&desc, "GROUPS", groups_of(op));
  hk_kernel_specialise(&desc, "MAX_ENTRIES", s->size.entries);
  hk_kernel_specialise(&desc, "MAX_LANES", s->size.lanes);
  hk_kernel_specialise(&desc, "RUN", s->run);
  hk_kernel_specialise(&desc, "STAGED", s->staged);
  return hk_kernel_get(&op->pool, op->desc.device, &desc, &s->kernel[form][damped]);
}

static hk_status apply_congruent(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const congruent *s = op->data;
  hk_argument own[HK_CONGRUENT_LISTS];
  for (int m = 0; m < HK_CONGRUENT_LISTS; m++) own[m] = hk_arg_buffer(s->list[m]);
  return hk_epilogue_run(op, epilogue, s->kernel[epilogue->form][epilogue->damped],
                         hk_groups_of_rows(op, phases, op->desc.space->patch), own,
                         HK_CONGRUENT_LISTS);
}

const hk_operator_kind hk_operator_congruent = {
    .name = "congruent",
    .elements = "tri3, quad4, tet4, hex8 and wedge6",
    .parts = hk_operator_in_rows,
    .steps = true,
    .space = space_congruent,
    .serves = serves_congruent,
    .plan = plan_congruent,
    .making = making_congruent,
    .create = create_congruent,
    .bind = bind_congruent,
    .apply = apply_congruent,
};
