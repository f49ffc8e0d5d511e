/* The term of a perfectly matched layer of spectral elements (S.10)-(S.14): its state (memory variables, past values, increments), and its
 * launches in a step. pml.k.h computes the forces of its elements, solids and fluids apart, those between both, then what its nodes add to the
 * increment. The lists come from operator/spectral/pml/pml_pack.h. What acts inside the layer is refused here if the kernels could not serve it. */
#include "solver/explicit/parts.h"
#include "base/sort.h"
#include "physics/viscoelastic/fit.h"
#include <stdlib.h>

/* Threads of a group, for the points of an element. */
enum { MOST_THREADS = 128 };

typedef struct layer {
  hk_pml_lists lists;
  bool ring;              /* of an axisymmetric model: the circumference is stretched too */
  hk_buffer *slot, *hold; /* hold: with the force rows on the layer's degrees of freedom */
  hk_index *first;        /* first[shots + 1]: a shot's losses in last */
  hk_buffer *memory, *past, *last;    /* borrowed of the state; last: increments, then losses */
  hk_kernel *forces[2], *nodes, *fsi; /* forces of solids, of fluids */
} layer;

static int threads_of(const hk_explicit *s, const layer *own)
{
  const hk_device_info *info = hk_device_describe(s->device);
  const int wanted = (own->lists.points + info->lockstep - 1) / info->lockstep * info->lockstep,
            most = info->most_threads < MOST_THREADS ? info->most_threads : MOST_THREADS;
  return wanted < most ? wanted : most;
}

static hk_kernel_desc describe(const hk_explicit *s, int components)
{
  hk_kernel_desc desc = {.text = "pml",
                         .early = true,
                         .threads = hk_sources_threads(hk_device_describe(s->device)),
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"COMPONENTS", components},
                                    {"DAMPED", s->scheme.damped},
                                    {"DIM", s->space->dim},
                                    {"FORM", (int)s->scheme.form}}};
  return desc;
}

/* The most points of an element, attenuation in the forces of a layer that has it, axisymmetric models, and the components of a node: by name. */
static void define_rest(const hk_explicit *s, const layer *own, bool relaxed, hk_kernel_desc *desc)
{
  hk_kernel_specialise(desc, "MOST", own->lists.points);
  if (relaxed) hk_kernel_define(desc, "RELAXED", 1);
  if (own->ring) hk_kernel_define(desc, "RING", 1);
  hk_kernel_define(desc, "STATE", s->space->components);
}

/* Of elements of solids, or (fluid) of fluids. */
static hk_status create_forces(const hk_explicit *s, layer *own, bool fluid)
{
  const hk_device_info *info = hk_device_describe(s->device);
  const int dim = s->space->dim, most = s->space->components > dim ? s->space->components : dim,
            components = fluid ? 1 : most, real = s->double_precision ? 8 : 4;
  hk_kernel_desc desc = describe(s, components);
  if ((fluid ? own->lists.batches - own->lists.solids : own->lists.solids) == 0) return HK_OK;
  define_rest(s, own, own->lists.head.at[HK_PML_RELAXED], &desc);
  desc.function = "pml_forces", desc.threads = threads_of(s, own);
  desc.local =
      hk_local_bytes(own->lists.points * components, real) * (dim == 3 || own->ring ? 2 : 1) +
      hk_local_bytes(own->lists.points * components * dim, real) +
      (own->ring ? hk_local_bytes(own->lists.points, real) : 0);
  HK_NEED(!info->local_memory || desc.local <= info->local_memory, HK_NO_RESOURCES,
          "a perfectly matched layer of this order needs %lld bytes of local memory, device %s "
          "has %lld: use a lower order, single precision or device cpu",
          (long long)desc.local, info->backend, (long long)info->local_memory);
  return hk_kernel_create(s->device, &desc, &own->forces[fluid]);
}

static hk_status create_kernels(const hk_explicit *s, layer *own)
{
  hk_kernel_desc desc = describe(s, s->space->components);
  HK_PASS(create_forces(s, own, false));
  HK_PASS(create_forces(s, own, true));
  define_rest(s, own, false, &desc);
  desc.function = "pml_nodes";
  HK_PASS(hk_kernel_create(s->device, &desc, &own->nodes));
  desc.function = "pml_fsi";
  if (own->lists.fsi_fluids) HK_PASS(hk_kernel_create(s->device, &desc, &own->fsi));
  return HK_OK;
}

/* Place of an internal node in the layer; -1: not there. */
static hk_index find(const layer *own, hk_index node)
{
  const hk_index *at =
      bsearch(&node, own->lists.node, (size_t)own->lists.nodes, sizeof node, hk_compare_index);
  return at ? (hk_index)(at - own->lists.node) : -1;
}

/* What acts on nodes of the layer: conditions of single degrees of freedom alone, and no dashpots (the model sees to that). */
static hk_status check_excitation(const hk_explicit *s, const layer *own)
{
  const hk_sparse *m = &s->sources.excitation->motion;
  const int dim = s->space->components;
  const hk_index padded = s->space->padded;
  for (hk_index r = 0; r < m->rows; r++)
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++)
      HK_NEED(m->begin[r + 1] - m->begin[r] == 1 || find(own, m->dof[p] / dim % padded) < 0,
              HK_BAD_INPUT,
              "a motion that couples several components or nodes acts on a node of the perfectly "
              "matched layer: prescribe single components of nodes there");
  return HK_OK;
}

/* hold of solver/explicit/matched/pml.k.h */
static hk_status send_holds(hk_explicit *s, hk_term *term, layer *own)
{
  hk_status status = HK_OK;
  const hk_sparse *m = &s->sources.excitation->motion;
  const int dim = s->space->components;
  const hk_index padded = s->space->padded, nodes = own->lists.nodes;
  const hk_count all = (hk_count)s->shots * nodes;
  hk_index *hold = NULL;
  HK_TRY(hk_get(&hold, all * (1 + dim)));
  for (hk_count i = 0; i < all; i++) { /* the owner moves a ghost */
    const bool ghost = own->lists.node[i % nodes] >= hk_space_rows(s->space);
    hold[i] = ghost ? (1 << dim) - 1 : own->lists.held[i % nodes] ? 1 << dim : 0;
  }
  for (hk_index p = 0; m->rows && p < m->begin[m->rows]; p++) {
    const hk_index at = find(own, m->dof[p] / dim % padded);
    if (at >= 0) hold[(hk_count)(m->dof[p] / dim / padded) * nodes + at] |= 1 << m->dof[p] % dim;
  }
  hk_explicit_place(term, nodes, own->lists.node);
  term->ahead = false; /* it computes elements */
  term->loaded = hk_sources_find_loaded(s, nodes, own->lists.node, hold + all);
  HK_TRY(hk_explicit_send(s, all * (1 + dim) * 4, hold, &own->hold));
cleanup:
  hk_free(&hold);
  return status;
}

static hk_status add_state(hk_explicit *s, layer *own)
{
  const int dim = s->space->dim, ways = dim + own->ring, components = s->space->components,
            real = s->double_precision ? 8 : 4;
  const hk_count nodes = (hk_count)s->shots * own->lists.nodes,
                 slots = (hk_count)s->shots * own->lists.slots,
                 points = (hk_count)s->shots * own->lists.first_fsi / components;
  HK_PASS(hk_get(&own->first, s->shots + 1));
  for (int k = 0; k <= s->shots; k++)
    HK_PASS(hk_narrow(nodes * components + (hk_count)k * own->lists.nodes,
                      "nodes of the layer in all shots", &own->first[k]));
  HK_PASS(hk_buffer_create(s->device, slots * real, &own->slot));
  HK_PASS(hk_state_add(&s->state, s->device, "memory of the layer", HK_ARRAY_TRIAL,
                       slots * dim * real *
                               (own->lists.head.at[HK_PML_RELAXED] ? 1 + HK_MECHANISMS : 1) +
                           (own->ring ? points * real : 0),
                       &own->memory));
  HK_PASS(hk_state_add(&s->state, s->device, "past of the layer", HK_ARRAY_TRIAL,
                       nodes * components * ways * real, &own->past));
  HK_PASS(hk_state_add(&s->state, s->device, "increments and loss in the layer", HK_ARRAY_TRIAL,
                       nodes * (components + 1) * 8, &own->last));
  return hk_sum_add(s, &(hk_sum){.kind = HK_SUM_EXCHANGE,
                                 .array = own->last,
                                 .first = own->first,
                                 .number = own->lists.node,
                                 .period = own->lists.nodes});
}

static hk_count plan(const hk_explicit_size *size)
{
  const hk_space *space = size->space;
  if (!size->pml) return 0;
  return hk_pml_plan(space->mesh, size->pml, space->components, size->double_precision,
                     size->laws > 0, size->shots);
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  const hk_pml *pml = desc->pml;
  layer *own = NULL;
  hk_index unused;
  if (!pml || !pml->stretch) return HK_OK;
  HK_PASS(hk_new(&own));
  term->data = own;
  own->ring = pml->around != NULL;
  HK_PASS(hk_pml_pack(&s->op->desc, pml, desc->mass, s->scheme.dt, &own->lists));
  HK_PASS(hk_narrow((hk_count)s->shots * own->lists.nodes * s->space->components * s->space->dim,
                    "nodes of the layer in all shots", &unused));
  HK_PASS(check_excitation(s, own));
  HK_PASS(send_holds(s, term, own));
  HK_PASS(add_state(s, own));
  int32_t *head = own->lists.head.at;
  head[HK_PML_SHOTS] = s->shots, head[HK_PML_PADDED] = s->space->padded;
  head[HK_PML_FORCE_ROWS] = s->sources.excitation->force.rows;
  head[HK_PML_ANY_LOADED] = term->loaded;
  return create_kernels(s, own);
}

static void destroy(hk_term *term)
{
  layer *own = term->data;
  hk_pml_lists_clear(&own->lists);
  hk_buffer_destroy(&own->slot);
  hk_buffer_destroy(&own->hold);
  hk_free(&own->first);
  for (int k = 0; k < 2; k++) hk_kernel_destroy(&own->forces[k]);
  hk_kernel_destroy(&own->nodes);
  hk_kernel_destroy(&own->fsi);
}

static hk_status set(hk_term *term, int shot, const double *d)
{
  const layer *own = term->data;
  return hk_explicit_send_last(term->solver, shot, own->lists.nodes, own->lists.node, d, own->last);
}

static hk_status launch_forces(const hk_explicit *s, const layer *own, int from)
{
  const hk_pml_lists *l = &own->lists;
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_integers(&l->head),
                                  hk_arg_buffer(l->list),
                                  hk_arg_buffer(l->buffer[HK_PML_SHAPE]),
                                  hk_arg_buffer(l->buffer[HK_PML_LAW]),
                                  hk_arg_buffer(l->buffer[HK_PML_STRETCH]),
                                  hk_arg_buffer(l->buffer[HK_PML_LINE]),
                                  hk_arg_buffer(own->memory),
                                  hk_arg_buffer(own->past),
                                  hk_arg_buffer(own->slot),
                                  hk_arg_real(l->gain)};
  const hk_count end[] = {0, l->solids, l->batches};
  for (int k = 0; k < 2; k++)
    if (own->forces[k])
      HK_PASS(hk_kernel_launch(own->forces[k], end[k] * s->shots, (end[k + 1] - end[k]) * s->shots,
                               argument, sizeof argument / sizeof *argument));
  return HK_OK;
}

static hk_status launch_fsi(const hk_explicit *s, const layer *own, int from)
{
  const hk_pml_lists *l = &own->lists;
  const hk_index rows = s->sources.group_rows;
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[1 - from]),
                                  hk_arg_buffer(s->vector.v),
                                  hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.b),
                                  hk_arg_integers(&l->head),
                                  hk_arg_buffer(l->list),
                                  hk_arg_buffer(l->buffer[HK_PML_TERM]),
                                  hk_arg_buffer(own->slot),
                                  hk_arg_buffer(own->past),
                                  hk_arg_buffer(own->last),
                                  hk_arg_buffer(l->buffer[HK_PML_FSI_NORMAL]),
                                  hk_arg_buffer(l->buffer[HK_PML_FSI_RATES]),
                                  hk_arg_real(0.5 / s->scheme.dt),
                                  hk_arg_real(l->gain)};
  if (!own->fsi) return HK_OK;
  return hk_kernel_launch(own->fsi, 0, (l->fsi_fluids + rows - 1) / rows * (hk_count)s->shots,
                          argument, sizeof argument / sizeof *argument);
}

static hk_status launch_nodes(const hk_explicit *s, const layer *own, int from)
{
  const hk_pml_lists *l = &own->lists;
  const hk_index rows = s->sources.group_rows;
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[1 - from]),
                                  hk_arg_buffer(s->vector.v),
                                  hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.b),
                                  hk_arg_buffer(s->vector.a),
                                  hk_arg_integers(&l->head),
                                  hk_arg_buffer(l->list),
                                  hk_arg_buffer(own->hold),
                                  hk_arg_buffer(l->buffer[HK_PML_TERM]),
                                  hk_arg_buffer(own->slot),
                                  hk_arg_buffer(own->past),
                                  hk_arg_buffer(own->last),
                                  hk_arg_buffer(s->sources.change),
                                  hk_arg_real(l->fade),
                                  hk_arg_real(l->gain)};
  return hk_kernel_launch(own->nodes, 0, (l->nodes + rows - 1) / rows * (hk_count)s->shots,
                          argument, sizeof argument / sizeof *argument);
}

static hk_status launch(const hk_term *term, int from)
{
  const layer *own = term->data;
  HK_PASS(launch_forces(term->solver, own, from));
  HK_PASS(launch_fsi(term->solver, own, from));
  return launch_nodes(term->solver, own, from);
}

const hk_term_kind hk_term_layer = {.name = "matched layer",
                                    .phase = HK_PHASE_FORCES,
                                    .create = create,
                                    .plan = plan,
                                    .set = set,
                                    .launch = launch,
                                    .destroy = destroy};
