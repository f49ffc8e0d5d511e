/* A perfectly matched layer beside the operator: its state, and its two kernels (solver/explicit/pml.k.h) in a step. */
#include "solver/explicit/parts.h"
#include <stdlib.h>

/* Threads of a group that compiles, for the points of an element. */
enum { TEAM = 32, MOST_THREADS = 128 };

static int threads_of(const hk_explicit *s)
{
  const hk_device_info *info = hk_device_describe(s->device);
  const int wanted = (s->layer.points + TEAM - 1) / TEAM * TEAM,
            most = info->most_threads < MOST_THREADS ? info->most_threads : MOST_THREADS;
  if (!info->compiles) return 0;
  return wanted < most ? wanted : most;
}

static hk_kernel_desc describe(const hk_explicit *s, int components)
{
  hk_kernel_desc desc = {.text = "pml",
                         .early = true,
                         .threads = hk_drive_threads(hk_device_describe(s->device)),
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"COMPONENTS", components},
                                    {"DAMPED", s->damped},
                                    {"DIM", s->space->dim},
                                    {"FORM", (int)s->form}}};
  if (hk_device_describe(s->device)->compiles) hk_kernel_define(&desc, "MOST", s->layer.points);
  hk_kernel_define(&desc, "STATE", s->space->components);
  return desc;
}

/* Of elements of solids, or (fluid) of fluids. */
static hk_status create_forces(hk_explicit *s, bool fluid)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(s->device);
  const int dim = s->space->dim, components = fluid ? 1 : dim, real = s->double_precision ? 8 : 4;
  hk_kernel_desc desc = describe(s, components);
  if ((fluid ? s->layer.batches - s->layer.solids : s->layer.solids) == 0) return HK_OK;
  desc.function = "pml_forces", desc.threads = threads_of(s);
  desc.local = hk_local_bytes(s->layer.points * components, real) * (dim == 3 ? 2 : 1) +
               hk_local_bytes(s->layer.points * components * dim, real);
  HK_CHECK(!info->compiles || !info->local_memory || desc.local <= info->local_memory,
           HK_NO_RESOURCES,
           "a perfectly matched layer of this order needs %lld bytes of local memory, device %s "
           "has %lld: take a lower order, single precision or device cpu",
           (long long)desc.local, info->backend, (long long)info->local_memory);
  HK_TRY(hk_kernel_create(s->device, &desc, &s->layer_forces[fluid]));
cleanup:
  return status;
}

static hk_status create_kernels(hk_explicit *s)
{
  hk_status status = HK_OK;
  hk_kernel_desc desc = describe(s, s->space->components);
  HK_TRY(create_forces(s, false));
  HK_TRY(create_forces(s, true));
  desc.function = "pml_nodes";
  HK_TRY(hk_kernel_create(s->device, &desc, &s->layer_nodes));
  desc.function = "pml_wet";
  if (s->layer.wet_fluids) HK_TRY(hk_kernel_create(s->device, &desc, &s->layer_wet));
cleanup:
  return status;
}

static int by_index(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

/* Place of an internal node in the layer; -1: not there. */
static hk_index find(const hk_explicit *s, hk_index node)
{
  const hk_index *at = bsearch(&node, s->layer.node, (size_t)s->layer.nodes, sizeof node, by_index);
  return at ? (hk_index)(at - s->layer.node) : -1;
}

/* What acts on nodes of the layer: conditions of single degrees of freedom alone, and no dashpots (the model sees to that). */
static hk_status check_drive(const hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_sparse *m = &s->drive->motion;
  const int dim = s->space->components;
  const hk_index padded = s->space->padded;
  for (hk_index r = 0; r < m->rows; r++)
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++)
      HK_CHECK(m->begin[r + 1] - m->begin[r] == 1 || find(s, m->dof[p] / dim % padded) < 0,
               HK_BAD_INPUT,
               "a motion of several components or nodes holds a node of the perfectly matched "
               "layer: prescribe single components of nodes there");
cleanup:
  return status;
}

/* hold [shots][nodes] of solver/explicit/pml.k.h */
static hk_status send_holds(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_sparse *m = &s->drive->motion;
  const int dim = s->space->components;
  const hk_index padded = s->space->padded, nodes = s->layer.nodes;
  const hk_count all = (hk_count)s->shots * nodes;
  hk_index *hold = NULL;
  HK_TRY(hk_get(&hold, all));
  for (hk_count i = 0; i < all; i++) hold[i] = s->layer.held[i % nodes] ? 1 << dim : 0;
  for (hk_index p = 0; m->rows && p < m->begin[m->rows]; p++) {
    const hk_index at = find(s, m->dof[p] / dim % padded);
    if (at >= 0) hold[(hk_count)(m->dof[p] / dim / padded) * nodes + at] |= 1 << m->dof[p] % dim;
  }
  HK_TRY(hk_buffer_create(s->device, all * 4, &s->layer_hold));
  HK_TRY(hk_buffer_write(s->layer_hold, 0, all * 4, hold));
cleanup:
  hk_free(&hold);
  return status;
}

hk_status hk_layer_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  const hk_pml *pml = desc->pml;
  if (!pml || !pml->stretch) return HK_OK;
  const int dim = s->space->dim, components = s->space->components,
            real = s->double_precision ? 8 : 4;
  const hk_count shots = s->shots;
  HK_TRY(hk_pml_pack(&s->op->desc, pml, desc->mass, s->dt, &s->layer));
  const hk_count nodes = s->layer.nodes * shots;
  hk_index unused;
  HK_TRY(hk_narrow(nodes * components * dim, "nodes of the layer in all shots", &unused));
  HK_TRY(check_drive(s));
  HK_TRY(send_holds(s));
  HK_TRY(hk_drive_send_loaded(s, s->layer.nodes, s->layer.node, &s->layer_force, &s->layer_loaded));
  HK_TRY(hk_buffer_create(s->device, shots * s->layer.slots * real, &s->layer_slot));
  HK_TRY(
      hk_buffer_create(s->device, shots * s->layer.slots * dim * real, &s->small[HK_LAYER_MEMORY]));
  HK_TRY(hk_buffer_create(s->device, nodes * components * dim * real, &s->small[HK_LAYER_PAST]));
  HK_TRY(hk_buffer_create(s->device, nodes * components * 8, &s->small[HK_LAYER_LAST]));
  HK_TRY(hk_buffer_create(s->device, nodes * 8, &s->small[HK_LAYER_LOSS]));
  HK_TRY(create_kernels(s));
cleanup:
  return status;
}

void hk_layer_destroy(hk_explicit *s)
{
  hk_pml_lists_clear(&s->layer);
  hk_buffer_destroy(&s->layer_slot);
  hk_buffer_destroy(&s->layer_hold);
  hk_buffer_destroy(&s->layer_force);
  for (int k = 0; k < 2; k++) hk_kernel_destroy(&s->layer_forces[k]);
  hk_kernel_destroy(&s->layer_nodes);
  hk_kernel_destroy(&s->layer_wet);
}

hk_status hk_layer_set(hk_explicit *s, int shot, const double *d)
{
  hk_status status = HK_OK;
  const int dim = s->space->components;
  const hk_count count = (hk_count)s->layer.nodes * dim;
  double *last = NULL;
  if (!count) return HK_OK;
  HK_TRY(hk_get(&last, count));
  for (hk_count i = 0; i < count; i++)
    last[i] = d[(hk_count)s->layer.node[i / dim] * dim + i % dim];
  HK_TRY(hk_buffer_write(s->small[HK_LAYER_LAST], shot * count * 8, count * 8, last));
cleanup:
  hk_free(&last);
  return status;
}

static hk_status launch_forces(hk_explicit *s, int from)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = &s->layer;
  const hk_argument argument[] = {hk_arg_buffer(s->x[from]),
                                  hk_arg_buffer(l->buffer[HK_PML_PLACE]),
                                  hk_arg_buffer(l->buffer[HK_PML_NODE]),
                                  hk_arg_buffer(l->buffer[HK_PML_SHAPE]),
                                  hk_arg_buffer(l->buffer[HK_PML_LAW]),
                                  hk_arg_buffer(l->buffer[HK_PML_STRETCH]),
                                  hk_arg_buffer(l->buffer[HK_PML_LINE]),
                                  hk_arg_buffer(s->small[HK_LAYER_MEMORY]),
                                  hk_arg_buffer(s->small[HK_LAYER_PAST]),
                                  hk_arg_buffer(s->layer_slot),
                                  hk_arg_int(l->side),
                                  hk_arg_int(l->points),
                                  hk_arg_int(l->nodes),
                                  hk_arg_int(l->batches),
                                  hk_arg_int(l->slots),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_real(l->gain)};
  const hk_count end[] = {0, l->solids, l->batches};
  for (int k = 0; k < 2; k++)
    if (s->layer_forces[k])
      HK_TRY(hk_kernel_launch(s->layer_forces[k], end[k] * s->shots,
                              (end[k + 1] - end[k]) * s->shots, argument,
                              sizeof argument / sizeof *argument));
cleanup:
  return status;
}

static hk_status launch_wet(hk_explicit *s, int from)
{
  const hk_pml_lists *l = &s->layer;
  const hk_count groups = (l->wet_fluids + s->group_rows - 1) / s->group_rows;
  const hk_argument argument[] = {hk_arg_buffer(s->x[1 - from]),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[from]),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(l->buffer[HK_PML_NODE]),
                                  hk_arg_buffer(l->buffer[HK_PML_BEGIN]),
                                  hk_arg_buffer(l->buffer[HK_PML_FROM]),
                                  hk_arg_buffer(l->buffer[HK_PML_TERM]),
                                  hk_arg_buffer(s->layer_slot),
                                  hk_arg_buffer(s->small[HK_LAYER_PAST]),
                                  hk_arg_buffer(s->small[HK_LAYER_LAST]),
                                  hk_arg_buffer(s->small[HK_LAYER_LOSS]),
                                  hk_arg_buffer(l->buffer[HK_PML_WET_BEGIN]),
                                  hk_arg_buffer(l->buffer[HK_PML_WET_FLUID]),
                                  hk_arg_buffer(l->buffer[HK_PML_WET_SOLID]),
                                  hk_arg_buffer(l->buffer[HK_PML_WET_NORMAL]),
                                  hk_arg_buffer(l->buffer[HK_PML_WET_RATES]),
                                  hk_arg_int(l->nodes),
                                  hk_arg_int(l->slots),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_int(l->first_wet),
                                  hk_arg_int(l->wet_fluids),
                                  hk_arg_real(0.5 / s->dt),
                                  hk_arg_real(l->gain)};
  if (!s->layer_wet) return HK_OK;
  return hk_kernel_launch(s->layer_wet, 0, groups * s->shots, argument,
                          sizeof argument / sizeof *argument);
}

hk_status hk_layer_launch(hk_explicit *s, int from)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = &s->layer;
  const hk_count groups = (l->nodes + s->group_rows - 1) / s->group_rows;
  HK_TRY(launch_forces(s, from));
  HK_TRY(launch_wet(s, from));
  const hk_argument argument[] = {hk_arg_buffer(s->x[1 - from]),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[from]),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(s->a),
                                  hk_arg_buffer(l->buffer[HK_PML_NODE]),
                                  hk_arg_buffer(l->buffer[HK_PML_BEGIN]),
                                  hk_arg_buffer(l->buffer[HK_PML_FROM]),
                                  hk_arg_buffer(l->buffer[HK_PML_TERM]),
                                  hk_arg_buffer(s->layer_hold),
                                  hk_arg_buffer(s->layer_slot),
                                  hk_arg_buffer(s->small[HK_LAYER_PAST]),
                                  hk_arg_buffer(s->small[HK_LAYER_LAST]),
                                  hk_arg_buffer(s->small[HK_LAYER_LOSS]),
                                  hk_arg_buffer(s->layer_force),
                                  hk_arg_buffer(s->force_now),
                                  hk_arg_buffer(s->small[HK_FORCE_LAST]),
                                  hk_arg_buffer(s->small[HK_FORCE_WORK]),
                                  hk_arg_int(l->nodes),
                                  hk_arg_int(l->slots),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_int(s->layer_loaded),
                                  hk_arg_real(l->fade),
                                  hk_arg_real(l->gain)};
  HK_TRY(hk_kernel_launch(s->layer_nodes, 0, groups * s->shots, argument,
                          sizeof argument / sizeof *argument));
cleanup:
  return status;
}
