/* What a static solution takes beside K, told by a part of the mesh: K of the part is made, its solver, an estimate of its error and stresses at its
 * nodes, while hooke's allocator counts. Matrices grow with K and vectors with the nodes, which are nearly the same: bytes of the whole are those of the part times
 * the bytes of K over those of K of the part. Work room of a fixed size is lessened for the part in the same way (hk_memory_share). */
#include "run/static/static.h"
#include "device/held.h"
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "operator/measure/stress.h"
#include "solver/linear/list.h"
#include <math.h>

/* K of a part takes about so many bytes; nodes at least and at most. A part that is most of the mesh is all of it. On a device with a memory of its own
 * a part is larger and so has less surface, but K takes no more than a share of what is free there. */
static const double PART_BYTES = 96e6, MOST_OF = 0.8, OWN_BYTES = 1.5e9, OWN_SHARE = 1. / 16;
enum { LEAST_NODES = 8000, MOST_NODES = 40000, OWN_NODES = 200000, FEW_NODES = 300 };
enum { ITERATIONS = 2 };

typedef struct part {
  const hk_static *s;
  hk_part_mesh cut;
  hk_discretisation on; /* its device, model and list are those of s */
  hk_constraints held;
  hk_assembled_room k;
  hk_linear *linear;
  hk_pool pool;
} part;

static void clear(part *t)
{
  hk_linear_destroy(&t->linear);
  hk_constraints_clear(&t->held);
  hk_operator_destroy(&t->on.op);
  hk_space_destroy(&t->on.space);
  hk_part_mesh_clear(&t->cut);
  hk_pool_clear(&t->pool);
}

static hk_operator_desc desc_of(const part *t)
{
  hk_operator_desc desc = hk_discretisation_desc(&t->s->on);
  desc.space = t->on.space, desc.element_region = t->cut.region;
  desc.terms = (hk_operator_terms){0};
  return desc;
}

/* Plans K of the part. */
static hk_status plan_k(part *t)
{
  const hk_static *s = t->s;
  const hk_operator_desc desc = desc_of(t);
  if (s->on.kind == &hk_operator_assembled) return hk_assembled_plan(&desc, true, &t->k);
  t->k.bytes = hk_operator_plan(s->on.kind, t->cut.mesh, s->components, s->on.device,
                                s->on.double_precision);
  return HK_OK;
}

/* So that K of the part is regular: the first nodes are held. */
static hk_status hold(part *t)
{
  enum { NODES = 8 };
  const hk_space *space = t->on.space;
  const hk_index nodes = space->padded < NODES ? space->padded : NODES;
  hk_constraints *c = &t->held;
  c->dofs = (hk_count)space->padded * space->components;
  c->count = nodes * space->components;
  HK_PASS(hk_get(&c->dof, c->count));
  HK_PASS(hk_get(&c->begin, (hk_count)c->count + 1));
  HK_PASS(hk_get(&c->master, 0));
  HK_PASS(hk_get(&c->weight, 0));
  HK_PASS(hk_get(&c->offset, c->count));
  for (hk_index i = 0; i < c->count; i++) c->dof[i] = i;
  return HK_OK;
}

static hk_status number(part *t, hk_index nodes)
{
  const hk_static *s = t->s;
  HK_PASS(hk_part_mesh_first(&s->on, nodes, &t->cut));
  hk_space_desc numbering = s->on.kind->space(t->cut.mesh, s->on.device, s->on.double_precision);
  numbering.components = s->components, numbering.coupled = hk_static_coupled(s);
  HK_PASS(hk_space_create(t->cut.mesh, &numbering, &t->on.space));
  HK_PASS(plan_k(t));
  return hold(t);
}

/* The most that was held since `before` bytes were; from now on anew. */
static double most_beyond(hk_count before)
{
  const hk_count most = hk_memory_peak() - before;
  hk_memory_renew_peak();
  return (double)(most > 0 ? most : 0);
}

static hk_status make_k(part *t, hk_trial *out)
{
  const hk_operator_desc desc = desc_of(t);
  const double plan = (double)t->k.bytes;
  const hk_count before = hk_memory_held(), on_device = hk_device_held(t->s->on.device);
  hk_memory_renew_peak();
  hk_device_renew_peak(t->s->on.device);
  HK_PASS(hk_operator_create(t->s->on.kind, &desc, &t->on.op));
  HK_PASS(hk_operator_bind(t->on.op, HK_FORM_STORE, false, 1));
  const double took = (double)(hk_memory_held() - before);
  const bool own = hk_device_describe(t->s->on.device)->own_memory;
  out->making = most_beyond(before) - took;
  out->planned = own ? 1 : took / plan;
  out->beside_k = own ? took : 0;
  out->device_making = (double)(hk_device_peak(t->s->on.device) - on_device) / plan;
  out->device_k = (double)(hk_device_held(t->s->on.device) - on_device) - plan;
  return HK_OK;
}

/* The solver of the whole mesh. Where that is too large for factors, "auto" would take them for the part all the same. */
static hk_linear_desc solver_of(const part *t)
{
  hk_linear_desc desc = hk_static_solver(t->s, t->on.op, &t->held);
  if (hk_is_auto(desc.method) && !hk_static_factors(t->s))
    desc.method = t->on.op->unsymmetric ? hk_method_idr.name : hk_method_cg.name;
  desc.iterations = ITERATIONS, desc.progress = NULL;
  return desc;
}

/* PETSc obtains its matrices and preconditioners itself. */
static bool by_petsc(const hk_static *s)
{
  return hk_linear_method(s->on.model->solve.how.method) == &hk_method_petsc;
}

/* Bytes that are resident and that hooke's allocator did not obtain. */
static double others(void)
{
  hk_count now, peak;
  hk_memory_trim();
  hk_memory_resident(&now, &peak);
  return (double)(now - hk_memory_held());
}

/* The error's estimate asks for a solution, which ends after a few iterations here. */
static hk_status solve(part *t, hk_trial *out)
{
  const hk_linear_desc desc = solver_of(t);
  const hk_count before = hk_memory_held(), on_device = hk_device_held(t->s->on.device);
  double *f, *u, error;
  const double begun = by_petsc(t->s) ? others() : 0;
  hk_device_renew_peak(t->s->on.device);
  HK_PASS(hk_linear_create(&desc, &t->linear));
  out->creating = most_beyond(before);
  out->kept = (double)(hk_memory_held() - before);
  HK_PASS(hk_pool_get(&t->pool, &f, t->held.dofs));
  HK_PASS(hk_pool_get(&t->pool, &u, t->held.dofs));
  for (hk_count i = 0; i < t->held.dofs; i++) f[i] = u[i] = 1;
  const hk_count made = hk_memory_held();
  hk_memory_renew_peak();
  HK_PASS(hk_linear_error(t->linear, f, u, &error));
  out->checking = most_beyond(made);
  const double foreign = by_petsc(t->s) ? fmax(0, others() - begun) : 0;
  out->kept += foreign;
  out->device_solving = (double)(hk_device_peak(t->s->on.device) - on_device);
  return HK_OK;
}

/* Stresses at nodes, with the vector that reactions are moved by. */
static hk_status gather(part *t, hk_trial *out)
{
  const hk_static *s = t->s;
  const hk_mesh *mesh = t->cut.mesh;
  const hk_model *model = s->on.model;
  double *u, *stress, *strain;
  if (hk_static_coupled(s)) return HK_OK;
  HK_PASS(hk_pool_get(&t->pool, &u, mesh->node_count * s->components));
  HK_PASS(hk_pool_get(&t->pool, &stress, mesh->node_count * s->tensor));
  HK_PASS(hk_pool_get(&t->pool, &strain, mesh->node_count * s->tensor));
  const hk_count before = hk_memory_held();
  hk_memory_renew_peak();
  HK_PASS(hk_static_heats(s)
              ? hk_flux_nodes(mesh, model->region, model->region_count, t->cut.region, u, stress)
              : hk_stress_nodes(mesh, model->region, model->region_count, t->cut.region, u, stress,
                                strain));
  out->gathering = most_beyond(before);
  return HK_OK;
}

/* Opens the library of factors and fills the pages that it and a solution take, by factors of a few nodes. Whether they exist does not matter.
 * *device_of_row: bytes of the device that the solver takes for each row. */
static hk_status touch_library(const hk_static *s, double *device_of_row)
{
  hk_status status = HK_OK;
  part t = {.s = s};
  hk_trial none = {0};
  HK_TRY(number(&t, FEW_NODES));
  HK_TRY(make_k(&t, &none));
  HK_TRY(solve(&t, &none));
cleanup:
  *device_of_row = t.on.space ? none.device_solving / t.on.space->padded : 0;
  clear(&t);
  return status == HK_NOT_CONVERGED || status == HK_UNSTABLE ? HK_OK : status;
}

/* Compiles the kernels of a device that does: what that takes of the host's memory does not grow with the mesh. */
static hk_status compile(const hk_static *s, hk_index nodes)
{
  hk_status status = HK_OK;
  part t = {.s = s};
  hk_trial none = {0};
  if (!hk_device_describe(s->on.device)->compiles) return HK_OK;
  HK_TRY(number(&t, nodes));
  HK_TRY(make_k(&t, &none));
  if (!hk_static_factors(s)) HK_TRY(solve(&t, &none));
cleanup:
  clear(&t);
  return status;
}

static hk_status try_all(part *t, hk_trial *out)
{
  HK_PASS(plan_k(t)); /* with the work room that it has here */
  HK_PASS(compile(t->s, t->cut.mesh->node_count));
  HK_PASS(make_k(t, out));
  const double bare = by_petsc(t->s) ? others() : 0;
  double of_row;
  if (by_petsc(t->s)) HK_PASS(touch_library(t->s, &of_row));
  if (by_petsc(t->s)) out->library = fmax(0, others() - bare);
  HK_PASS(hk_static_factors(t->s) ? touch_library(t->s, &of_row) : solve(t, out));
  if (hk_static_factors(t->s)) out->device_solving = of_row * t->on.space->padded;
  return gather(t, out);
}

/* A part may have no solution where the whole has one: nothing holds some of its bodies. */
static hk_status give_up(const hk_static *s, hk_status status, hk_trial *out)
{
  if (status != HK_NOT_CONVERGED && status != HK_UNSTABLE && status != HK_NO_RESOURCES)
    return status;
  hk_messages_add(s->on.list, HK_NOTE, s->on.model->path, 0, 0,
                  "the memory of a run is not predicted: a trial with a part of the mesh ended "
                  "with an error: %s",
                  hk_error());
  *out = (hk_trial){.planned = 1, .failed = true};
  return HK_OK;
}

/* Nodes of the part, of a mesh of `all` nodes whose K takes k bytes. */
static hk_index choose_nodes(const hk_static *s, double k, double all)
{
  const bool own = hk_device_describe(s->on.device)->own_memory;
  const double free = (double)hk_device_available(s->on.device),
               bytes = own ? fmin(OWN_BYTES, OWN_SHARE * free) : PART_BYTES,
               wanted = fmin(fmax(all * bytes / k, LEAST_NODES), own ? OWN_NODES : MOST_NODES);
  return (hk_index)(wanted > MOST_OF * all ? all : wanted);
}

hk_status hk_static_try(const hk_static *s, const hk_assembled_room *k, double nodes, hk_trial *out)
{
  hk_status status = HK_OK;
  part t = {.s = s};
  const double all = (double)s->on.model->mesh->node_count;
  const bool own = hk_device_describe(s->on.device)->own_memory;
  double share;
  *out = (hk_trial){0};
  HK_TRY(number(&t, choose_nodes(s, hk_static_share(s) * (double)k->bytes, all)));
  const double times = nodes * ((double)k->bytes - k->waiting) / ((double)t.k.bytes - t.k.waiting);
  share = hk_memory_share(1 / fmax(times, 1));
  status = try_all(&t, out);
  hk_memory_share(share);
  HK_TRY(status);
  /* on a host whose device has K and its levels, vectors and lists of nodes are held alone */
  const double beside = own ? nodes * all / t.cut.mesh->node_count : times;
  out->making *= times, out->beside_k *= beside;
  out->creating *= beside, out->kept *= beside;
  out->checking *= beside, out->gathering *= beside;
  out->device_k *= times, out->device_solving *= times;
cleanup:
  clear(&t);
  return give_up(s, status, out);
}
