/* K by rows of symmetric blocks: kernels/edges_rows.k.h. Where several states are stepped at once on a device that
 * compiles it reads each block once for all of them; on the host it is `edges`, whose patches lie in a cache. */
#include "operator/edges_means.h"
#include "operator/edges_pack.h"
#include "operator/list.h"

/* States of a group; nodes of a patch in 2D and in 3D; threads that a multiprocessor has at once, in single and double, which
 * bounds their registers. Measured on an H200. */
enum { SHOTS = 4, PATCH_2D = 256, PATCH = 128, RESIDENT = 768, RESIDENT_DOUBLE = 512 };
enum { MOST_LOCAL = 65535 };

typedef struct rows {
  hk_buffer *list[HK_EDGES_LISTS];
  hk_index local; /* of the largest patch */
  hk_kernel *kernel[HK_FORM_COUNT][2];
} rows;

static bool compiles(const hk_device *device)
{
  return hk_device_describe(device)->compiles;
}

static hk_count local_bytes(int dim, int real, hk_index patch, hk_index local)
{
  return hk_local_bytes((hk_count)local * dim * SHOTS, real) +
         hk_local_bytes((hk_count)patch * dim * SHOTS, real);
}

static hk_index patch_of(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const double uneven = 1.25;
  const hk_device_info *info = hk_device_describe(device);
  hk_index patch = mesh->dim == 2 ? PATCH_2D : PATCH;
  for (; patch > info->width; patch -= info->width) {
    const hk_index local = (hk_index)(patch * (1 + uneven * hk_edges_mean(mesh, patch).halo));
    const hk_count bytes = local_bytes(mesh->dim, double_precision ? 8 : 4, patch, local);
    if (!info->local_memory || bytes <= info->local_memory) break;
  }
  return patch;
}

static hk_space_desc space_rows(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  if (!compiles(device)) return hk_operator_edges.space(mesh, device, double_precision);
  return (hk_space_desc){.patch = patch_of(mesh, device, double_precision),
                         .slice = hk_device_describe(device)->width,
                         .sort_valence = true};
}

static hk_count plan_rows(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  if (!compiles(device)) return hk_operator_edges.plan(mesh, device, double_precision);
  const double padded = 1 + 10.0 / patch_of(mesh, device, double_precision);
  const int dim = mesh->dim, real = double_precision ? 8 : 4,
            width = hk_device_describe(device)->width;
  const hk_edges_means mean = hk_edges_mean(mesh, patch_of(mesh, device, double_precision));
  const double bytes = padded * 2 * mean.pairs * (dim * (dim + 1) / 2 * real + 2) +
                       padded * mean.twists * ((2 * dim - 3) * real + 2) + mean.halo * 4 +
                       16.0 / width;
  return (hk_count)(bytes * (double)mesh->node_count);
}

static hk_count making_rows(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  if (!compiles(device)) return hk_operator_edges.making(mesh, device, double_precision);
  return hk_edges_making(mesh, patch_of(mesh, device, double_precision),
                         hk_device_describe(device)->width, double_precision ? 8 : 4,
                         plan_rows(mesh, device, double_precision));
}

static void destroy_rows(hk_operator *op)
{
  rows *s = op->data;
  if (!compiles(op->desc.device)) {
    hk_operator_edges.destroy(op);
    return;
  }
  if (!s) return;
  for (int m = 0; m < HK_EDGES_LISTS; m++) hk_buffer_destroy(&s->list[m]);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < 2; d++) hk_kernel_destroy(&s->kernel[f][d]);
  hk_memory_free(&op->data);
}

static hk_status create_rows(hk_operator *op)
{
  hk_status status = HK_OK;
  const hk_operator_desc *d = &op->desc;
  const hk_device_info *info = hk_device_describe(d->device);
  const hk_edges_limits limits = {.local = MOST_LOCAL};
  hk_edges_sizes size;
  rows *s = NULL;
  if (!info->compiles) return hk_operator_edges.create(op);
  HK_TRY(hk_new(&s));
  op->data = s;
  op->groups = d->space->patches * hk_loss_groups(info, d->space->patch);
  HK_TRY(hk_edges_pack(d, limits, s->list, &size));
  s->local = size.local;
  const hk_count bytes =
      local_bytes(d->space->dim, d->double_precision ? 8 : 4, d->space->patch, s->local);
  HK_CHECK(!info->local_memory || bytes <= info->local_memory, HK_NO_RESOURCES,
           "%d nodes of a patch with its neighbours, %d states each, need %lld bytes of the "
           "device's local memory, there are %lld; use --method stored",
           s->local, SHOTS, (long long)bytes, (long long)info->local_memory);
  for (int m = 0; m < HK_EDGES_LISTS; m++) op->memory += hk_buffer_bytes(s->list[m]);
  op->bytes = op->memory;
cleanup:
  return status;
}

static hk_status bind_rows(hk_operator *op, hk_form form, bool damped, int shots)
{
  rows *s = op->data;
  const hk_operator_desc *d = &op->desc;
  const hk_device_info *info = hk_device_describe(d->device);
  const int dim = d->space->dim, threads = d->space->patch;
  if (!compiles(d->device)) return hk_operator_edges.bind(op, form, damped, shots);
  if (s->kernel[form][damped]) return HK_OK;
  return hk_kernel_create(
      d->device,
      &(hk_kernel_desc){
          .text = "edges_rows",
          .function = "edges_rows_step",
          .double_precision = d->double_precision,
          .define = {{"DAMPED", damped},
                     {"DIM", dim},
                     {"FORM", (int)form},
                     {"GROUPS", (d->double_precision ? RESIDENT_DOUBLE : RESIDENT) / threads},
                     {"MAX_LOCAL", s->local},
                     {"PATCH", d->space->patch},
                     {"SHOTS", SHOTS}},
          .local = local_bytes(dim, d->double_precision ? 8 : 4, d->space->patch, s->local),
          .threads = threads <= info->most_threads ? threads : info->group_threads},
      &s->kernel[form][damped]);
}

static hk_status apply_rows(hk_operator *op, const hk_epilogue *epilogue)
{
  rows *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + HK_EDGES_LISTS];
  int count = HK_STATE_ARGUMENTS;
  if (!compiles(op->desc.device)) return hk_operator_edges.apply(op, epilogue);
  const int shots = epilogue->shots ? epilogue->shots : 1;
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_EDGES_LISTS; m++)
    if (m != HK_EDGES_GATHER) argument[count++] = hk_arg_buffer(s->list[m]);
  return hk_kernel_launch(s->kernel[epilogue->form][epilogue->damped], 0,
                          op->desc.space->patches * (hk_count)((shots + SHOTS - 1) / SHOTS),
                          argument, count);
}

const hk_operator_kind hk_operator_edges_rows = {
    .name = "edges-rows",
    .space = space_rows,
    .serves = hk_edges_serve,
    .plan = plan_rows,
    .making = making_rows,
    .create = create_rows,
    .bind = bind_rows,
    .apply = apply_rows,
    .destroy = destroy_rows,
};
