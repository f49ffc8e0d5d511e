/* The forms of K as a list: which one serves a mesh, a device, shots or heat (hk_operator_choose and its kin), and the calls that a solver
 * makes, handed on to the form: create, bind, apply, plan. Also what forms share: the arguments of the epilogue and its launch
 * by ranges of patches (hk_epilogue_launch), and kernels for 1, 2, 4 or 8 shots at once (hk_batches). */
#include "operator/operator.h"
#include "element/element.h"
#include "graph/shapes.h"
#include "operator/list.h"
#include "operator/words.h"
#include "physics/law.h"
#include <stdio.h>
#include <string.h>

static const hk_operator_kind *const kinds[] = {HK_OPERATOR_LIST};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *hk_operator_name(int i)
{
  return i < KINDS ? kinds[i]->name : NULL;
}

const hk_operator_kind *hk_operator_find(const char *name)
{
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(kinds[i]->name, name)) return kinds[i];
  return NULL;
}

static bool for_steps(const hk_operator_kind *kind)
{
  return kind->steps;
}

static bool for_spatial(const hk_operator_kind *kind)
{
  return kind->plan_spatial != NULL;
}

static bool for_statics(const hk_operator_kind *kind)
{
  return kind->statics;
}

static bool for_heat(const hk_operator_kind *kind)
{
  return kind->statics && kind->scalar;
}

static const char *word_of(int k, bool (*wanted)(const hk_operator_kind *kind))
{
  if (k == 0) return HK_AUTO;
  for (int i = 0; i < KINDS; i++)
    if (wanted(kinds[i]) && --k == 0) return kinds[i]->name;
  return NULL;
}

const char *hk_operator_step_word(int k)
{
  return word_of(k, for_steps);
}

const char *hk_operator_static_word(int k)
{
  return word_of(k, for_statics);
}

const char *hk_operator_heat_word(int k)
{
  return word_of(k, for_heat);
}

/* Patches of solids need a large local memory. */
static bool holds_patches(const hk_mesh *mesh, const hk_device_info *info)
{
  return mesh->dim == 2 || hk_device_has_room(info);
}

bool hk_operator_second_order(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (hk_element_of(mesh->block[b].shape)->order > 1) return true;
  return false;
}

/* The fastest form where groups have threads (bench/results). */
static const char *fastest_in_groups(const hk_mesh *mesh, const hk_device_info *info)
{
  bool tets = false;
  if (hk_operator_spectral.serves(mesh)) return hk_operator_spectral.name;
  for (int b = 0; b < mesh->block_count; b++) tets = tets || mesh->block[b].shape == HK_TET4;
  if (!hk_operator_matrix_free.serves(mesh) || hk_operator_second_order(mesh))
    return hk_operator_assembled.name;
  if (!holds_patches(mesh, info)) return hk_operator_stored.name;
  return (tets ? hk_operator_edges : hk_operator_matrix_free).name;
}

bool hk_operator_in_rows(const hk_mesh *mesh, const hk_device *device)
{
  (void)mesh, (void)device;
  return true;
}

/* Whether a group can compute several shots at once. */
static bool takes_batches(const hk_device *device)
{
  return hk_kernel_fits(hk_device_describe(device), 2, 1);
}

const char *hk_operator_for_shots(const char *method, int shots, const hk_mesh *mesh,
                                  const hk_device *device)
{
  enum { LEAST = 3 }; /* its matrix is larger: with two it gains nothing */
  const bool many = shots >= LEAST && mesh->dim == 3 && takes_batches(device);
  if (!hk_is_auto(method) || !hk_operator_stored.serves(mesh)) return method;
  if (many) return hk_operator_stored.name;
  return hk_operator_second_order(mesh) ? hk_operator_edges.name : method;
}

const char *hk_operator_for_regions(const char *method, int regions, const hk_mesh *mesh,
                                    const hk_device *device)
{
  const hk_operator_kind *kind = NULL;
  if (!hk_is_auto(method) || regions <= HK_MOST_LISTED_REGIONS ||
      hk_operator_choose(method, mesh, device, &kind) != HK_OK)
    return method;
  const bool lists = kind == &hk_operator_matrix_free && hk_operator_stored.serves(mesh);
  return lists ? hk_operator_stored.name : method;
}

/* Not on hexahedra, where `matrix-free` is about as fast and reads shorter lists (bench/results), nor on wedges. */
static bool pays_for_shapes(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape == HK_HEX8 || mesh->block[b].shape == HK_WEDGE6) return false;
  return hk_operator_congruent.serves(mesh);
}

hk_status hk_operator_for_shapes(const char *method, const hk_mesh *mesh,
                                 const hk_index *element_region, const hk_device *device,
                                 const char **out)
{
  enum { MOST = 1 << 16, LEAST = 16 }; /* rows that differ, which a cache holds; nodes for each */
  const hk_operator_kind *kind = NULL;
  const hk_device_info *info = hk_device_describe(device);
  hk_shapes shapes;
  hk_index most = (hk_index)(mesh->node_count / LEAST), rows = 0;
  *out = method;
  if (!hk_is_auto(method) || !hk_device_has_groups(info) || !pays_for_shapes(mesh)) return HK_OK;
  HK_PASS(hk_operator_choose(method, mesh, device, &kind));
  if (kind != &hk_operator_matrix_free && kind != &hk_operator_edges) return HK_OK;
  if (most > MOST) most = MOST;
  HK_PASS(hk_shapes_find(mesh, most, &shapes));
  const bool few = shapes.count <= most;
  const hk_status status =
      few ? hk_shapes_count_nodes(mesh, &shapes, element_region, most, &rows) : HK_OK;
  hk_shapes_clear(&shapes);
  if (status == HK_OK && few && rows <= most) *out = hk_operator_congruent.name;
  return status;
}

/* ", A, B": the forms that serve the mesh, of which a fluid may narrow the choice later; mesh, may: NULL: all. */
static void names_of_kinds(const hk_mesh *mesh, bool (*may)(const hk_operator_kind *kind),
                           char *out, size_t size)
{
  size_t used = 0;
  *out = 0;
  for (int i = 0; i < KINDS && used < size; i++)
    if ((!mesh || kinds[i]->serves(mesh)) && (!may || may(kinds[i])))
      used += (size_t)snprintf(out + used, size - used, ", %s", kinds[i]->name);
}

/* "quad4, tri3" */
static void names_of_shapes(const hk_mesh *mesh, char *out, size_t size)
{
  size_t used = 0;
  *out = 0;
  for (int b = 0; b < mesh->block_count && used < size; b++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", b ? ", " : "",
                             hk_shape_name(mesh->block[b].shape));
}

/* HK_BAD_INPUT unless the form serves the mesh; NULL: no form does. May: of these the message names the others; NULL: of all. */
static hk_status check_shapes(const hk_operator_kind *kind, const hk_mesh *mesh,
                              bool (*may)(const hk_operator_kind *kind))
{
  char names[256], shapes[128];
  HK_NEED(mesh->block_count, HK_BAD_INPUT, "the mesh has no elements");
  if (kind && kind->serves(mesh)) return HK_OK;
  names_of_shapes(mesh, shapes, sizeof shapes), names_of_kinds(mesh, may, names, sizeof names);
  HK_NEED(kind, HK_BAD_INPUT, "no form of K supports %s elements together", shapes);
  HK_NEED(false, HK_BAD_INPUT, "form of K \"%s\" supports %s, not %s elements: give auto%s",
          kind->name, kind->elements, shapes, names);
}

/* The form of this name; of "auto" the first that serves the mesh, or NULL. */
static hk_status find_for(const char *method, const hk_mesh *mesh, const hk_operator_kind **out)
{
  const bool any = hk_is_auto(method);
  char names[256];
  *out = NULL;
  for (int i = 0; i < KINDS && !*out; i++)
    if (any ? !kinds[i]->by_name && kinds[i]->serves(mesh) : !strcmp(kinds[i]->name, method))
      *out = kinds[i];
  if (*out || any) return HK_OK;
  names_of_kinds(NULL, NULL, names, sizeof names);
  HK_NEED(false, HK_USAGE, "unknown form of K \"%s\": give auto%s", method, names);
}

hk_status hk_operator_choose(const char *method, const hk_mesh *mesh, const hk_device *device,
                             const hk_operator_kind **out)
{
  const hk_device_info *info = device ? hk_device_describe(device) : NULL;
  if (hk_is_auto(method) && info && hk_device_has_groups(info))
    method = fastest_in_groups(mesh, info);
  HK_PASS(find_for(method, mesh, out));
  return check_shapes(*out, mesh, NULL);
}

hk_status hk_operator_check(const char *method, const hk_mesh *mesh, bool steps, bool heat)
{
  const hk_operator_kind *kind;
  HK_PASS(find_for(method, mesh, &kind));
  return check_shapes(kind, mesh, steps ? for_steps : heat ? for_heat : for_statics);
}

hk_status hk_operator_check_explicit(const hk_mesh *mesh)
{
  if (hk_operator_spectral.serves(mesh) || hk_mesh_quad_families(mesh)) return HK_OK;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    HK_NEED(hk_element_of(s)->steps, HK_BAD_INPUT,
            "explicit dynamics does not support %s elements: use tri3, quad4, tet4, hex8, tri6, "
            "quad8, tet10, hex20 or wedge15, or only quadrilaterals or hexahedra of one order with "
            "element: {order: 2 .. 10}",
            hk_shape_name(s));
  }
  return HK_OK;
}

hk_status hk_operator_choose_rings(const char *method, bool fluid, const hk_operator_kind **out)
{
  const hk_operator_kind *own = fluid ? &hk_operator_assembled : &hk_operator_stored;
  HK_NEED(hk_is_auto(method) || !strcmp(method, own->name), HK_BAD_INPUT,
          "explicit steps of axisymmetric models with elements of order p do not support the form "
          "of K \"%s\": give method: auto",
          method);
  *out = own;
  return HK_OK;
}

const char *hk_operator_spatial(const hk_mesh *mesh)
{
  return (hk_mesh_quad_families(mesh) ? &hk_operator_spectral : &hk_operator_stored)->name;
}

hk_status hk_operator_check_spatial(const char *method, const hk_mesh *mesh)
{
  const hk_operator_kind *kind = hk_is_auto(method) ? NULL : hk_operator_find(method);
  if (!kind) return HK_OK;
  HK_NEED(kind->plan_spatial, HK_BAD_INPUT,
          "plane: three-components does not support the form of K \"%s\": give method: auto",
          method);
  if (kind == &hk_operator_stored && hk_mesh_quad_families(mesh)) return HK_OK;
  return check_shapes(kind, mesh, for_spatial);
}

hk_count hk_operator_plan(const hk_operator_kind *kind, const hk_mesh *mesh, int components,
                          const hk_device *device, bool double_precision)
{
  if (components > mesh->dim && kind->plan_spatial)
    return kind->plan_spatial(mesh, device, double_precision);
  return components < mesh->dim && kind->plan_scalar
             ? kind->plan_scalar(mesh, device, double_precision)
             : kind->plan(mesh, device, double_precision);
}

/* HK_LAW_VECTOR ... */
static int components_of(const hk_operator_desc *desc, const hk_region *region)
{
  return hk_space_solid(desc->space) ? hk_law_components(region, desc->space->dim) : HK_LAW_SCALAR;
}

/* A form that stores K, or knows two laws, refuses laws that are not linear. */
static hk_status check_laws(const hk_operator_kind *kind, const hk_operator_desc *desc)
{
  char who[64], instead[192] =
                    "give element: {order: 2 .. 10} on quadrilaterals or hexahedra, in explicit "
                    "steps by";
  snprintf(who, sizeof who, "form of K \"%s\"", kind->name);
  for (int i = 0; i < KINDS; i++) {
    const size_t used = strlen(instead);
    if (kinds[i]->points) snprintf(instead + used, sizeof instead - used, " %s", kinds[i]->name);
  }
  int last = -1;
  for (hk_count e = 0; e < desc->space->mesh->element_count; e++) {
    if (desc->element_region[e] == last) continue;
    last = desc->element_region[e];
    const hk_region *region = &desc->region[last];
    HK_PASS(hk_law_check(components_of(desc, region), region, desc->space->dim,
                         kind->points ? NULL : who, instead));
  }
  return HK_OK;
}

bool hk_operator_differences(const hk_operator_desc *desc)
{
  const hk_mesh *mesh = desc->space->mesh;
  if (!hk_space_solid(desc->space)) return false;
  for (hk_count e = 0; mesh->dim == 2 && e < mesh->element_count; e++) {
    const int r = desc->element_region[e];
    if (r >= 0 && desc->region[r].plane == HK_AXISYMMETRIC) return false;
  }
  return true;
}

hk_status hk_operator_check_advection(const hk_operator_kind *kind, const hk_operator_desc *desc,
                                      bool *unsymmetric)
{
  const hk_mesh *mesh = desc->space->mesh;
  *unsymmetric = false;
  if (hk_space_solid(desc->space)) return HK_OK;
  *unsymmetric = desc->warm && desc->warm->newton;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int r = desc->element_region[e];
    if (r < 0 || !desc->region[r].material.advection.flows) continue;
    const hk_material *m = &desc->region[r].material;
    *unsymmetric = true;
    HK_NEED(
        kind->unsymmetric, HK_BAD_INPUT,
        "form of K \"%s\" stores symmetric matrices alone, and that of material %s, which has a "
        "velocity, is not symmetric: give form: assembled, or method: femses",
        kind->name, m->name ? m->name : desc->region[r].name);
    HK_NEED(hk_mesh_block_of(mesh, e)->nodes <= HK_LISTED_NODES, HK_BAD_INPUT,
            "material %s has a velocity, which elements of %d nodes do not support: give element: "
            "{order: 1} or {order: 2}",
            m->name ? m->name : desc->region[r].name, hk_mesh_block_of(mesh, e)->nodes);
  }
  return HK_OK;
}

int hk_operator_state_rows(const hk_space *space, int batches)
{
  const hk_element *shape = hk_element_of(space->mesh->block[0].shape);
  const int lanes = space->interior->lanes, rows = shape->nodes / (shape->order + 1) * batches;
  return (rows * lanes + HK_LAW_ROWS - 1) / HK_LAW_ROWS * HK_LAW_ROWS / lanes;
}

int hk_operator_state_values(const hk_space *space)
{
  const int side = hk_element_of(space->mesh->block[0].shape)->order + 1;
  return side * hk_law_most_states(space->dim) + HK_LAW_SUMS;
}

hk_count hk_operator_state(const hk_operator_desc *desc, int batches)
{
  const hk_space *space = desc->space;
  const hk_interior *by = space->interior;
  bool any = false;
  for (hk_count e = 0; by && e < space->mesh->element_count && !any; e++) {
    const hk_region *region = &desc->region[desc->element_region[e]];
    const hk_law *law =
        region->material.law ? hk_law_of(components_of(desc, region), region, space->dim) : NULL;
    any = law && hk_law_states(law, space->dim) > 0;
  }
  if (!any) return 0;
  if (!batches) batches = by->group;
  return (hk_count)(by->batches / batches) * by->lanes * (desc->double_precision ? 8 : 4) *
         hk_operator_state_rows(space, batches) * hk_operator_state_values(space);
}

hk_status hk_operator_create(const hk_operator_kind *kind, const hk_operator_desc *desc,
                             hk_operator **out)
{
  hk_status status = HK_OK;
  hk_operator *op = NULL;
  bool unsymmetric;
  HK_CHECK(kind->scalar || hk_space_solid(desc->space), HK_BAD_INPUT,
           "method %s does not compute heat conduction: give auto, assembled or elements",
           kind->name);
  HK_CHECK(kind->coupled || desc->space->unknowns != HK_UNKNOWNS_COUPLED, HK_BAD_INPUT,
           "form of K \"%s\" does not compute coupled equations: give form: assembled", kind->name);
  HK_TRY(check_laws(kind, desc));
  HK_CHECK(kind->rings || !hk_space_solid(desc->space) || hk_operator_differences(desc),
           HK_BAD_INPUT,
           "form of K \"%s\" does not compute axisymmetric solids: give form: auto, assembled, "
           "elements or stored",
           kind->name);
  HK_CHECK(kind->plan_spatial || !hk_space_solid(desc->space) ||
               desc->space->components == desc->space->dim,
           HK_BAD_INPUT,
           "plane: three-components does not support the form of K \"%s\": give method: auto",
           kind->name);
  HK_TRY(hk_operator_check_advection(kind, desc, &unsymmetric));
  HK_TRY(hk_new(&op));
  op->kind = kind, op->desc = *desc, op->unsymmetric = unsymmetric;
  HK_TRY(kind->create(op));
  op->desc.rounded = NULL; /* not for those that are made like this one */
  op->form_groups = op->groups;
  HK_TRY(hk_terms_create(op));
  *out = op, op = NULL;
cleanup:
  hk_operator_destroy(&op);
  return status;
}

void hk_operator_destroy(hk_operator **op)
{
  if (!*op) return;
  hk_terms_destroy(*op);
  if ((*op)->kind->destroy) (*op)->kind->destroy(*op);
  hk_pool_clear(&(*op)->pool);
  hk_free(op);
}

hk_status hk_operator_bind(hk_operator *op, hk_form form, int damped, int shots)
{
  const hk_status status = hk_terms_bind(op, form, damped, shots ? shots : 1);
  return status == HK_OK ? op->kind->bind(op, form, damped, shots ? shots : 1) : status;
}

hk_status hk_operator_apply(hk_operator *op, const hk_epilogue *epilogue)
{
  return hk_operator_apply_phases(op, epilogue, HK_PHASES);
}

hk_status hk_operator_apply_phases(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const unsigned own = phases & ~(unsigned)HK_PHASE_BEFORE;
  if (phases & HK_PHASE_BEFORE) HK_PASS(hk_terms_launch(op, HK_PHASE_BEFORE, epilogue, 0));
  if (own && (op->rows || phases & HK_PHASE_BOUNDARY)) HK_PASS(op->kind->apply(op, epilogue, own));
  if (phases & HK_PHASE_SUMMED) HK_PASS(hk_terms_launch(op, HK_PHASE_SUMMED, epilogue, 0));
  return HK_OK;
}

hk_groups hk_groups_of(unsigned phases, hk_count boundary, hk_count all)
{
  const hk_count first = phases & HK_PHASE_BOUNDARY ? 0 : boundary,
                 end = phases & HK_PHASE_INTERIOR ? all : boundary;
  return (hk_groups){first, end > first ? end - first : 0};
}

hk_groups hk_groups_of_rows(const hk_operator *op, unsigned phases, hk_index span)
{
  const hk_space *space = op->desc.space;
  const hk_count boundary = (hk_count)space->boundary * space->patch;
  return hk_groups_of(phases, (boundary + span - 1) / span,
                      (hk_space_rows(space) + span - 1) / span);
}

static int shots_of(const hk_epilogue *e)
{
  return e->shots ? e->shots : 1;
}

void hk_epilogue_arguments(const hk_operator *op, const hk_epilogue *e, hk_argument *argument)
{
  enum { BUFFERS = HK_STATE_ARGUMENTS - 2 };
  const hk_space *space = op->desc.space;
  const hk_buffer *buffer[BUFFERS] = {e->u, e->out, e->v, e->b, e->a, e->loss};
  for (int i = 0; i < BUFFERS; i++) argument[i] = hk_arg_buffer(buffer[i]);
  argument[BUFFERS] = hk_arg_int(shots_of(e));
  argument[BUFFERS + 1] = hk_arg_int(space->padded * space->components);
}

hk_status hk_epilogue_launch(const hk_epilogue *e, hk_kernel *kernel, hk_groups groups,
                             const hk_argument *argument, int argument_count)
{
  const int shots = shots_of(e);
  return hk_kernel_launch(kernel, groups.first * shots, groups.count * shots, argument,
                          argument_count);
}

hk_status hk_epilogue_run(const hk_operator *op, const hk_epilogue *e, hk_kernel *kernel,
                          hk_groups groups, const hk_argument *own, int count)
{
  hk_argument argument[HK_MOST_ARGUMENTS];
  hk_epilogue_arguments(op, e, argument);
  for (int i = 0; i < count; i++) argument[HK_STATE_ARGUMENTS + i] = own[i];
  return hk_epilogue_launch(e, kernel, groups, argument, HK_STATE_ARGUMENTS + count);
}

static hk_status create_batch(hk_operator *op, const hk_kernel_desc *desc, int size,
                              hk_kernel **kernel)
{
  hk_kernel_desc batch = *desc;
  if (*kernel) return HK_OK;
  memmove(batch.define + 1, desc->define, sizeof batch.define - sizeof *batch.define);
  batch.define[0] = (hk_define){"BATCH", size};
  return hk_kernel_get(&op->pool, op->desc.device, &batch, kernel);
}

hk_status hk_batches_create(hk_operator *op, const hk_kernel_desc *desc, int shots, int most,
                            hk_batches *batches)
{
  if (!takes_batches(op->desc.device))
    return batches->kernel[0]
               ? HK_OK
               : hk_kernel_get(&op->pool, op->desc.device, desc, &batches->kernel[0]);
  for (int k = HK_BATCHES - 1; k >= 0; k--) {
    const int size = 1 << k;
    if (size > most || size > shots) continue;
    HK_PASS(create_batch(op, desc, size, &batches->kernel[k]));
    shots %= size;
  }
  return HK_OK;
}

hk_status hk_batches_launch(const hk_operator *op, const hk_epilogue *e, const hk_batches *batches,
                            hk_groups groups, hk_argument *argument, int argument_count)
{
  const int shots = shots_of(e);
  if (!takes_batches(op->desc.device))
    return hk_epilogue_launch(e, batches->kernel[0], groups, argument, argument_count);
  for (int shot = 0, k = HK_BATCHES - 1; shot < shots; shot += 1 << k) {
    while (!batches->kernel[k] || 1 << k > shots - shot) k--;
    argument[argument_count] = hk_arg_int(shot);
    HK_PASS(hk_kernel_launch(batches->kernel[k], groups.first, groups.count, argument,
                             argument_count + 1));
  }
  return HK_OK;
}
