/* The forms `spectral` and `spectral-colours`: elements by spectral.k.h, interface forces by fsi.k.h, then sums of slots by slots.k.h.
 * On the host chunk by chunk, so that slots stay in a cache: a chunk's elements, the nodes that they alone write, at the end the others;
 * spectral-colours instead adds forces colour by colour. Numbering is space/interior.h's. Groups are shaped by the choice of tune.h. */
#include "operator/element/element_matrix.h"
#include "operator/list.h"
#include "operator/spectral/map.h"
#include "operator/spectral/pack.h"
#include "operator/spectral/patch.h"
#include "operator/spectral/tune.h"
#include <math.h>
#include <string.h>

/* Nodes of a group of the host that sums slots: what its variants are compiled for. Nodes of a chunk, whose slots stay in a cache; a GPU has
 * one chunk. */
enum { SPAN = 256, CHUNK_NODES = 32768 };

typedef struct shape {                  /* of the groups */
  int order, elements, threads, groups; /* groups: per multiprocessor, at least; 1: as it comes */
  bool ahead;
  hk_index span, chunk;
  hk_count local; /* bytes */
} shape;

enum { SOLIDS, FLUIDS, PARTS };
enum { OWN_ARGUMENTS = 8 }; /* of spectral_step, behind those of all steps */

typedef struct spectral {
  shape size;
  hk_spectral_patch patch; /* elements 0: slots or colours */
  int kinds[PARTS];
  hk_index groups;
  int sum_threads;     /* of groups that sum slots, */
  hk_index sums_first; /* which are launched from this one on */
  hk_buffer *buffer[HK_SPECTRAL_BUFFERS];
  hk_index *group_node; /* hk_operator.group_node */
  hk_kernel *inside[PARTS][HK_FORM_COUNT][HK_DAMPINGS], *slots[HK_FORM_COUNT][HK_DAMPINGS];
} spectral;

/* Bytes of LOCAL memory of a group where an item has one lane. */
static hk_count local_of(int dim, int components, int order, int elements, bool double_precision)
{
  const int side = order + 1, row = side | 1, real = double_precision ? 8 : 4;
  const hk_count one = (hk_count)(dim == 3 ? side : 1) * elements * side * row;
  return 2 * hk_local_bytes(components * one, real) +
         hk_local_bytes(components * (dim == 3 ? one : 16), real);
}

/* Groups that leave a thread no more registers than that, if LOCAL memory has room for them. */
static int groups_of(const shape *s, const hk_multiprocessor *on, int registers)
{
  const int groups = registers ? on->registers / (registers * s->threads) : 1;
  const int most = (int)(on->local_memory / (s->local + on->reserved));
  return groups < 1 || most < 1 ? 1 : groups < most ? groups : most;
}

/* Of groups of so many batches; 0: of as many as the choice wants and have room. components: of solids. */
static shape shape_of(const hk_mesh *mesh, int components, const hk_device *device,
                      bool double_precision, const hk_spectral_choice *choice, int elements)
{
  const hk_device_info *info = hk_device_describe(device);
  const int order = hk_spectral_order(mesh), columns = (int)pow(order + 1, mesh->dim - 1);
  shape s = {.order = order, .elements = 1, .threads = info->group_threads, .span = SPAN};
  if (!hk_device_has_groups(info)) {
    const hk_index chunk = (hk_index)(CHUNK_NODES / pow(order, mesh->dim));
    s.chunk = (chunk / info->lanes + 1) * info->lanes;
    return s;
  }
  const int most = info->most_threads < choice->threads ? info->most_threads : choice->threads;
  if (columns < most) s.elements = most / columns;
  while (s.elements > 1 && info->local_memory &&
         local_of(mesh->dim, components, order, s.elements, double_precision) > info->local_memory)
    s.elements--;
  if (elements) s.elements = elements;
  s.threads = (s.elements * columns + info->lockstep - 1) / info->lockstep * info->lockstep;
  s.span = s.threads;
  s.local = local_of(mesh->dim, components, order, s.elements, double_precision);
  s.groups = groups_of(&s, &info->multiprocessor, choice->registers), s.ahead = choice->ahead;
  return s;
}

hk_space_desc hk_spectral_space(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                                const int *option)
{
  const hk_device_info *info = hk_device_describe(device);
  const hk_spectral_choice choice = hk_spectral_chosen(mesh, device, double_precision, option);
  const shape s = shape_of(mesh, mesh->dim, device, double_precision, &choice, 0);
  const hk_spectral_patch patch =
      hk_spectral_patch_shape(mesh->dim, s.order, double_precision, choice.patches);
  return (hk_space_desc){.patch = patch.elements ? info->group_threads : s.span,
                         .slice = info->width,
                         .element_lanes = info->lanes,
                         .element_group = s.elements,
                         .element_patch = patch.elements,
                         .element_chunk = choice.colours ? 0 : s.chunk,
                         .element_colours = choice.colours};
}

static hk_space_desc space_spectral(const hk_mesh *mesh, const hk_device *device,
                                    bool double_precision)
{
  return hk_spectral_space(mesh, device, double_precision, NULL);
}

static hk_space_desc space_colours(const hk_mesh *mesh, const hk_device *device,
                                   bool double_precision)
{
  hk_space_desc desc = hk_spectral_space(mesh, device, double_precision, NULL);
  desc.element_chunk = 0, desc.element_colours = true;
  return desc;
}

static bool serves_spectral(const hk_mesh *mesh)
{
  return hk_spectral_order(mesh) > 0;
}

/* Straight elements of isotropic materials, of fluids alone, which have one component, or of three components in the plane. */
static hk_count plan_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                        hk_count components)
{
  const hk_count real = double_precision ? 8 : 4, dim = mesh->dim,
                 constants = components == 1    ? 1
                             : components > dim ? 15
                                                : 2;
  const int order = hk_spectral_order(mesh);
  const hk_count surface = hk_spectral_surface(mesh->dim, order),
                 lines = hk_spectral_is_affine(mesh, order) ? dim * dim : dim << dim;
  return mesh->element_count *
             (surface * (4 + components * real) + (lines + constants) * real + 8) +
         (hk_count)(4 * hk_spectral_sums(mesh, order, hk_device_describe(device)->width));
}

/* With slots, also where isotropic solids would have patches. */
static hk_count plan_slots(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, device, double_precision, mesh->dim);
}

static hk_count plan_spectral(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_spectral_choice choice = hk_spectral_chosen(mesh, device, double_precision, NULL);
  const hk_spectral_patch patch =
      hk_spectral_patch_shape(mesh->dim, hk_spectral_order(mesh), double_precision, choice.patches);
  return patch.elements ? hk_spectral_patch_plan(mesh, &patch, double_precision)
                        : plan_slots(mesh, device, double_precision);
}

static hk_count plan_fluid(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, device, double_precision, 1);
}

static hk_count plan_spatial(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, device, double_precision, 3);
}

static hk_count colours_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                           hk_count components)
{
  const hk_count real = double_precision ? 8 : 4;
  const int order = hk_spectral_order(mesh);
  const hk_count surface = hk_spectral_surface(mesh->dim, order),
                 inner = (hk_count)pow(order + 1, mesh->dim) - surface;
  return plan_of(mesh, device, double_precision, components) -
         mesh->element_count * surface * components * real -
         (hk_count)(4 * hk_spectral_sums(mesh, order, hk_device_describe(device)->width)) +
         (mesh->node_count - mesh->element_count * inner) * components * real;
}

static hk_count plan_colours(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return colours_of(mesh, device, double_precision, mesh->dim);
}

static hk_count plan_fluid_colours(const hk_mesh *mesh, const hk_device *device,
                                   bool double_precision)
{
  return colours_of(mesh, device, double_precision, 1);
}

/* The kinds of elements, lengths of lists, and a map with its lines per thread. */
static hk_count making_spectral(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)double_precision;
  return mesh->element_count + 4 * mesh->node_count +
         hk_device_describe(device)->threads * (hk_count)(sizeof(hk_spectral_map) * 2);
}

static void destroy_spectral(hk_operator *op)
{
  spectral *s = op->data;
  if (!s) return;
  for (int m = 0; m < HK_SPECTRAL_BUFFERS; m++) hk_buffer_destroy(&s->buffer[m]);
  hk_free(&s->group_node);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < HK_DAMPINGS; d++) {
      for (int p = 0; p < PARTS; p++) hk_kernel_destroy(&s->inside[p][f][d]);
      hk_kernel_destroy(&s->slots[f][d]);
    }
  hk_memory_free(&op->data);
}

/* Elements of part 1 have one unknown per node, fluids or solids that move across their plane, those of part 0 are other solids. */
static hk_status check_parts(const hk_operator *op)
{
  const hk_interior *by = op->desc.space->interior;
  for (hk_count p = 0; p < (hk_count)by->batches * by->lanes; p++) {
    if (by->element[p] < 0) continue;
    const bool fluids = hk_interior_part(by, (hk_index)(p / by->lanes)) == FLUIDS;
    const hk_region *r = &op->desc.region[op->desc.element_region[by->element[p]]];
    const hk_material *m = &r->material;
    HK_NEED(!fluids || hk_region_is_scalar(r), HK_BAD_INPUT,
            "material %s is not a fluid: method %s computes either fluids or solids",
            m->name ? m->name : "(no name)", op->kind->name);
    HK_NEED(fluids || (!hk_region_is_scalar(r) && op->desc.space->components > 1), HK_INTERNAL,
            "spectral elements: the numbering does not separate fluids from solids");
  }
  return HK_OK;
}

/* Of a solid's node, which groups are made for. */
static int components_of(const hk_space *space)
{
  return space->components > space->dim ? space->components : space->dim;
}

static hk_status check(const hk_operator *op, const shape *s)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_space *space = op->desc.space;
  HK_NEED(!info->local_memory || s->local <= info->local_memory, HK_NO_RESOURCES,
          "spectral elements of order %d need %lld bytes of local memory, device %s has %lld: use "
          "a lower order, single precision or device cpu",
          s->order, (long long)s->local, info->backend, (long long)info->local_memory);
  HK_PASS(check_parts(op));
  if (components_of(space) > space->dim) return HK_OK;
  return hk_element_plain_check(space->mesh, op->desc.region, op->desc.element_region,
                                op->kind->name);
}

/* Of elements the first inner node, of sums the first node that they finish; those of elements that another part has count there. each, sums_each:
 * groups of `loss` of a group. */
static hk_status find_group_nodes(hk_operator *op, hk_count each, hk_count sums_each)
{
  spectral *s = op->data;
  const hk_interior *by = op->desc.space->interior;
  const hk_index own = by->own / s->size.elements, inside = hk_space_inside(op->desc.space);
  const hk_index unit = by->unit / by->group * s->size.elements;
  HK_PASS(hk_get(&s->group_node, op->groups));
  for (hk_count n = 0; n < op->groups; n++) {
    const hk_count behind = n - (hk_count)s->groups * each;
    const hk_index g = (hk_index)(behind < 0 ? n / each : s->groups + behind / sums_each);
    s->group_node[n] = g < own         ? inside + g * unit
                       : g < s->groups ? -1
                                       : (g - s->groups) * s->size.span;
  }
  if (by->unit) op->group_node = s->group_node;
  return HK_OK;
}

/* Elements of a group by slots, of a numbering by patches or of three components in the plane: the divisor of a group that fills threads best and has room. */
static int divisor_of(const hk_operator *op, int wanted)
{
  const hk_space *space = op->desc.space;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const int group = space->interior->group, order = hk_spectral_order(space->mesh);
  const int columns = (int)pow(order + 1, space->dim - 1);
  int best = 1;
  double most = 0;
  if (!space->interior->patched && components_of(space) == space->dim) return group;
  for (int n = 1; n <= group && n <= 2 * wanted; n++) {
    const int threads = (n * columns + info->lockstep - 1) / info->lockstep * info->lockstep;
    const double filled = (double)n * columns / threads;
    const hk_count local =
        local_of(space->dim, components_of(space), order, n, op->desc.double_precision);
    const bool fits = !info->local_memory || local <= info->local_memory;
    if (group % n == 0 && threads <= info->most_threads && fits && filled >= most)
      best = n, most = filled;
  }
  return best;
}

/* By patches where they serve, else by slots or colours. */
static hk_status make_lists(hk_operator *op, const hk_spectral_choice *choice)
{
  spectral *s = op->data;
  const hk_space *space = op->desc.space;
  const bool double_precision = op->desc.double_precision;
  const shape plain =
      shape_of(space->mesh, space->dim, op->desc.device, double_precision, choice, 0);
  s->patch = hk_spectral_patch_shape(space->dim, plain.order, double_precision, choice->patches);
  HK_PASS(hk_spectral_patch_serves(&op->desc, &s->patch));
  if (s->patch.elements)
    HK_PASS(hk_spectral_patch_pack(&op->desc, choice->patches, &s->patch, s->buffer));
  s->size = shape_of(space->mesh, components_of(space), op->desc.device, double_precision, choice,
                     divisor_of(op, plain.elements));
  s->size.span = space->patch;
  if (s->patch.elements) {
    s->size.elements = s->patch.elements, s->size.threads = s->patch.threads;
    s->size.groups = s->patch.groups, s->size.local = s->patch.local, s->size.ahead = false;
    return hk_element_plain_check(space->mesh, op->desc.region, op->desc.element_region,
                                  op->kind->name);
  }
  HK_PASS(check(op, &s->size));
  return hk_spectral_pack(&op->desc, s->size.elements, s->buffer, s->kinds, &op->slots.first);
}

static hk_status create_spectral(hk_operator *op)
{
  spectral *s = NULL;
  const hk_space *space = op->desc.space;
  hk_spectral_choice choice;
  HK_PASS(hk_new(&s));
  op->data = s;
  HK_NEED(space->interior, HK_INTERNAL,
          "spectral elements need nodes that are numbered by elements");
  choice =
      hk_spectral_chosen(space->mesh, op->desc.device, op->desc.double_precision, op->desc.choice);
  HK_PASS(make_lists(op, &choice));
  const hk_interior *by = space->interior;
  s->groups = by->batches / s->size.elements;
  const hk_count each = hk_loss_groups(hk_device_describe(op->desc.device), s->size.threads);
  const hk_count sums_each = s->patch.elements ? 1 : each;
  s->sum_threads = s->patch.elements ? s->size.span : s->size.threads;
  HK_PASS(hk_narrow(s->groups * (each / sums_each), "groups of elements", &s->sums_first));
  op->state_batches = s->size.elements;
  op->state = hk_operator_state(&op->desc, op->state_batches);
  op->groups = s->groups * each + by->chunk_node[by->chunks + 1] / s->size.span * sums_each;
  op->rows = !by->coloured, op->chained = true;
  HK_PASS(find_group_nodes(op, each, sums_each));
  for (int m = 0; m < HK_SPECTRAL_BUFFERS; m++)
    if (s->buffer[m]) op->memory += hk_buffer_bytes(s->buffer[m]);
  op->bytes = op->memory + hk_buffer_bytes(s->buffer[HK_SPECTRAL_SLOT]);
  op->slots.slice = s->buffer[HK_SPECTRAL_SLICE], op->slots.from = s->buffer[HK_SPECTRAL_FROM];
  op->slots.slot = s->buffer[HK_SPECTRAL_SLOT];
  op->slots.threads = s->sum_threads, op->slots.span = s->size.span;
  return HK_OK;
}

static hk_kernel_desc describe(const hk_operator *op, int damped)
{
  const spectral *s = op->data;
  hk_kernel_desc d = {.threads = s->size.threads,
                      .early = true,
                      .double_precision = op->desc.double_precision,
                      .define = {{"DAMPED", damped}, {"DIM", op->desc.space->components}}};
  hk_kernel_specialise(&d, "COLOURS", op->desc.space->interior->coloured);
  return d;
}

static bool has_part(const hk_operator *op, int part)
{
  const hk_interior *by = op->desc.space->interior;
  bool any = false;
  for (hk_index r = 0; r < by->ranges; r++)
    any = any || (by->range_part[r] == part && by->range_batch[r + 1] > by->range_batch[r]);
  return any;
}

static hk_status bind_inside(const hk_operator *op, int part, hk_form form, int damped)
{
  const spectral *s = op->data;
  const hk_space *space = op->desc.space;
  const int components = part == FLUIDS ? 1 : components_of(space);
  hk_kernel_desc d = describe(op, damped);
  d.text = "spectral", d.function = "spectral_step";
  d.local =
      local_of(space->dim, components, s->size.order, s->size.elements, op->desc.double_precision);
  memset(d.define, 0, sizeof d.define), d.special = 0;
  hk_kernel_define(&d, "COMPONENTS", components);
  hk_kernel_define(&d, "DAMPED", damped);
  hk_kernel_define(&d, "DIM", space->dim);
  hk_kernel_specialise(&d, "COLOURS", space->interior->coloured);
  hk_kernel_specialise(&d, "ELEMS", s->size.elements);
  hk_kernel_specialise(&d, "FETCHES", s->size.ahead);
  hk_kernel_define(&d, "FORM", (int)form);
  hk_kernel_specialise(&d, "GROUPS", s->size.groups);
  hk_kernel_specialise(&d, "KINDS", s->kinds[part]);
  hk_kernel_define(&d, "ORDER", s->size.order);
  hk_kernel_define(&d, "PARTS", 1);
  hk_kernel_define(&d, "STATE", space->components);
  return hk_kernel_create(op->desc.device, &d, &((spectral *)op->data)->inside[part][form][damped]);
}

static hk_status bind_patches(hk_operator *op, hk_form form, int damped)
{
  spectral *s = op->data;
  const hk_spectral_patch *p = &s->patch;
  hk_kernel_desc d = {.text = "spectral_patch",
                      .function = "spectral_patch_step",
                      .threads = p->threads,
                      .early = true,
                      .local = p->local,
                      .double_precision = op->desc.double_precision};
  hk_kernel_define(&d, "DAMPED", damped);
  hk_kernel_define(&d, "DIM", op->desc.space->dim);
  hk_kernel_specialise(&d, "ELEMS", p->elements);
  hk_kernel_define(&d, "FORM", (int)form);
  hk_kernel_specialise(&d, "GEOMETRY", p->straight);
  hk_kernel_specialise(&d, "GROUPS", p->groups);
  hk_kernel_define(&d, "ORDER", s->size.order);
  hk_kernel_specialise(&d, "OUTER", p->outer);
  hk_kernel_specialise(&d, "OWN", p->own);
  hk_kernel_define(&d, "PARTS", 1);
  hk_kernel_specialise(&d, "ROWS", p->rows);
  hk_kernel_specialise(&d, "RUNS", p->runs);
  hk_kernel_specialise(&d, "SUMS", p->sums);
  return hk_kernel_create(op->desc.device, &d, &s->inside[SOLIDS][form][damped]);
}

static hk_status bind_spectral(hk_operator *op, hk_form form, int damped, int shots)
{
  (void)shots;
  spectral *s = op->data;
  hk_kernel_desc slots = describe(op, damped);
  if (s->slots[form][damped]) return HK_OK;
  if (s->patch.elements) HK_PASS(bind_patches(op, form, damped));
  for (int part = 0; part < PARTS; part++)
    if (!s->patch.elements && has_part(op, part) && !s->inside[part][form][damped])
      HK_PASS(bind_inside(op, part, form, damped));
  slots.threads = s->sum_threads;
  slots.text = "slots", slots.function = "slots_step";
  hk_kernel_define(&slots, "FORM", (int)form);
  hk_kernel_define(&slots, "PARTS", 1);
  hk_kernel_define(&slots, "SPAN", s->size.span);
  return hk_kernel_create(op->desc.device, &slots, &s->slots[form][damped]);
}

hk_spectral_launch hk_spectral_describe(const hk_operator *op, hk_form form, int damped)
{
  const spectral *s = op->data;
  const int part = has_part(op, SOLIDS) ? SOLIDS : FLUIDS;
  const int lanes = hk_device_describe(op->desc.device)->lanes;
  return (hk_spectral_launch){.elements = s->size.elements * lanes,
                              .threads = s->size.threads,
                              .groups = s->size.groups,
                              .ahead = s->size.ahead,
                              .local = s->size.local,
                              .cost = hk_kernel_measure(s->inside[part][form][damped])};
}

static hk_status set_parameters(hk_operator *op, double dt)
{
  spectral *s = op->data;
  if (s->patch.elements) return hk_spectral_patch_parameters(&op->desc, &s->patch, dt, s->buffer);
  return hk_spectral_set_parameters(&op->desc, s->size.elements, dt, s->buffer);
}

/* Groups [first, end), range by range: of solids or fluids, and of a colour. */
static hk_status launch_groups(const hk_operator *op, const hk_epilogue *e, hk_index first,
                               hk_index end, const hk_argument *argument)
{
  const spectral *s = op->data;
  const hk_interior *by = op->desc.space->interior;
  for (hk_index r = 0; r < by->ranges && first < end; r++) {
    const hk_index last = by->range_batch[r + 1] / s->size.elements, to = end < last ? end : last;
    if (to <= first) continue;
    HK_PASS(hk_kernel_launch(s->inside[by->range_part[r]][e->form][e->damped], first, to - first,
                             argument, HK_STATE_ARGUMENTS + OWN_ARGUMENTS));
    first = to;
  }
  return HK_OK;
}

static hk_status launch_sums(const hk_operator *op, const hk_epilogue *e, hk_index first,
                             hk_index end, const hk_argument *argument)
{
  const spectral *s = op->data;
  if (end <= first) return HK_OK;
  return hk_kernel_launch(s->slots[e->form][e->damped], s->sums_first + first, end - first,
                          argument, HK_STATE_ARGUMENTS + 6);
}

/* Of a part: the elements that act on nodes which others read, with those that others have too, and these nodes; the other elements; the other nodes,
 * which sum forces of both. */
static hk_status apply_phases(const hk_operator *op, const hk_epilogue *e, int shot,
                              unsigned phases, const hk_argument *elements,
                              const hk_argument *nodes)
{
  const spectral *s = op->data;
  const hk_space *space = op->desc.space;
  const hk_interior *by = space->interior;
  const int size = s->size.elements;
  if (phases & HK_PHASE_BOUNDARY) {
    HK_PASS(launch_groups(op, e, 0, by->boundary / size, elements));
    HK_PASS(launch_groups(op, e, by->own / size, by->batches / size, elements));
    HK_PASS(hk_terms_launch(op, HK_PHASE_SLOTS, e, shot));
    HK_PASS(launch_sums(op, e, 0, space->boundary, nodes));
  }
  if (phases & HK_PHASE_INTERIOR)
    HK_PASS(launch_groups(op, e, by->boundary / size, by->own / size, elements));
  if (!(phases & HK_PHASE_SUMMED)) return HK_OK;
  return launch_sums(op, e, space->boundary, hk_space_flat_runs(space), nodes);
}

/* One shot by patches: the elements, with the nodes of one patch alone, then the rims. */
static hk_status apply_patches(const hk_operator *op, const hk_epilogue *e,
                               const hk_argument *elements, const hk_argument *nodes)
{
  const spectral *s = op->data;
  HK_PASS(hk_kernel_launch(s->inside[SOLIDS][e->form][e->damped], 0, s->patch.most, elements,
                           HK_STATE_ARGUMENTS + OWN_ARGUMENTS));
  return launch_sums(op, e, 0, op->desc.space->interior->rims / s->size.span, nodes);
}

/* One shot, chunk by chunk: the elements, then the nodes whose slots they alone write; the others last. */
static hk_status apply_shot(const hk_operator *op, const hk_epilogue *e, int shot,
                            const hk_argument *elements, const hk_argument *nodes)
{
  const spectral *s = op->data;
  const hk_interior *by = op->desc.space->interior;
  const int size = s->size.elements;
  if (s->patch.elements) return apply_patches(op, e, elements, nodes);
  for (hk_index c = 0; c <= by->chunks; c++) {
    if (c < by->chunks)
      HK_PASS(
          launch_groups(op, e, by->chunk_batch[c] / size, by->chunk_batch[c + 1] / size, elements));
    else
      HK_PASS(hk_terms_launch(op, HK_PHASE_SLOTS, e, shot));
    HK_PASS(launch_sums(op, e, by->chunk_node[c] / s->size.span,
                        by->chunk_node[c + 1] / s->size.span, nodes));
  }
  return HK_OK;
}

static hk_status apply_spectral(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const spectral *s = op->data;
  const hk_interior *by = op->desc.space->interior;
  hk_argument elements[HK_STATE_ARGUMENTS + OWN_ARGUMENTS], nodes[HK_STATE_ARGUMENTS + 6];
  hk_argument *own = elements + HK_STATE_ARGUMENTS, *sum = nodes + HK_STATE_ARGUMENTS;
  hk_epilogue_arguments(op, epilogue, elements);
  memcpy(nodes, elements, HK_STATE_ARGUMENTS * sizeof *nodes);
  for (int m = 0; m <= HK_SPECTRAL_SLOT; m++) own[m] = hk_arg_buffer(s->buffer[m]);
  own[4] = hk_arg_int(by->chunk_node[by->chunks + 1]);
  own[7] = hk_arg_buffer(epilogue->state);
  sum[0] = hk_arg_buffer(s->buffer[HK_SPECTRAL_SLICE]);
  sum[1] = hk_arg_buffer(s->buffer[HK_SPECTRAL_FROM]);
  sum[2] = hk_arg_buffer(s->buffer[HK_SPECTRAL_SLOT]);
  sum[3] = hk_arg_int(s->sums_first);
  own[6] = sum[5] = hk_arg_int(by->coloured);
  if (s->patch.elements) own[6] = hk_arg_int(s->patch.patches), own[7] = hk_arg_int(s->patch.most);
  const int shots = epilogue->shots ? epilogue->shots : 1;
  if (shots > 1) phases = phases & HK_PHASE_BOUNDARY ? HK_PHASES : 0; /* they share the slots */
  for (int shot = 0; shot < shots; shot++) {
    own[5] = sum[4] = hk_arg_int(shot);
    HK_PASS(op->desc.space->whole ? apply_phases(op, epilogue, shot, phases, elements, nodes)
                                  : apply_shot(op, epilogue, shot, elements, nodes));
  }
  return HK_OK;
}

const hk_operator_kind hk_operator_spectral = {
    .name = "spectral",
    .elements = "quadrilaterals and hexahedra with element: {order: 2 .. 10}",
    .parts = hk_operator_in_rows,
    .steps = true,
    .scalar = true,
    .points = true,
    .space = space_spectral,
    .serves = serves_spectral,
    .plan = plan_spectral,
    .plan_scalar = plan_fluid,
    .plan_spatial = plan_spatial,
    .plan_anisotropic = plan_slots,
    .making = making_spectral,
    .mass = hk_spectral_mass,
    .tune = hk_spectral_tune,
    .create = create_spectral,
    .bind = bind_spectral,
    .apply = apply_spectral,
    .set_parameters = set_parameters,
    .destroy = destroy_spectral,
};

const hk_operator_kind hk_operator_spectral_colours = {
    .name = "spectral-colours",
    .elements = "quadrilaterals and hexahedra with element: {order: 2 .. 10}",
    .parts = hk_operator_in_rows,
    .steps = true,
    .by_name = true,
    .scalar = true,
    .points = true,
    .space = space_colours,
    .serves = serves_spectral,
    .plan = plan_colours,
    .plan_scalar = plan_fluid_colours,
    .plan_spatial = plan_spatial,
    .making = making_spectral,
    .mass = hk_spectral_mass,
    .tune = hk_spectral_tune,
    .create = create_spectral,
    .bind = bind_spectral,
    .apply = apply_spectral,
    .set_parameters = set_parameters,
    .destroy = destroy_spectral,
};
