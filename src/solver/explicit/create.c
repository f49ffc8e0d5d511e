/* Makes an explicit solver: A, B and half the mass over dt^2 per node (operator/epilogue.k.h), vectors u and increment
 * [shots][padded][components], then sources, terms of HK_TERM_LIST, the integrator, energies, receivers, recorded graphs, in this order.
 * All memory is taken and all kernels are compiled here; hk_explicit_plan says beforehand how many bytes that is. */
#include "solver/explicit/parts.h"

static const hk_term_kind *const kinds[HK_TERMS] = {HK_TERM_LIST};
static const hk_integrator *const integrators[] = {HK_INTEGRATOR_LIST};

const hk_integrator *hk_integrator_first(void)
{
  return integrators[0];
}

hk_status hk_explicit_send(const hk_explicit *s, hk_count bytes, const void *from, hk_buffer **out)
{
  HK_PASS(hk_buffer_create(s->device, bytes, out));
  if (from && bytes) HK_PASS(hk_buffer_write(*out, 0, bytes, from));
  return HK_OK;
}

hk_status hk_explicit_send_last(const hk_explicit *s, int shot, hk_index count,
                                const hk_index *node, const double *d, hk_buffer *to)
{
  hk_status status = HK_OK;
  const int c = s->space->components;
  const hk_count all = (hk_count)count * c;
  double *last = NULL;
  HK_TRY(hk_get(&last, all));
  for (hk_count i = 0; i < all; i++) last[i] = d[(hk_count)node[i / c] * c + i % c];
  HK_TRY(hk_buffer_write(to, shot * all * 8, all * 8, last));
cleanup:
  hk_free(&last);
  return status;
}

/* A and B of operator/epilogue.k.h, and half the mass over dt^2. */
typedef enum factor { A, B, HALF_MASS } factor;

/* Of internal node i; padding keeps still. */
static double factor_of(const hk_explicit *s, const hk_explicit_desc *desc, factor which,
                        hk_index i)
{
  const bool node = s->space->mesh_node[i] >= 0;
  const double c = desc->damping ? 0.5 * desc->damping[i] * s->scheme.dt : 0;
  if (which == A) return node ? (1 - c) / (1 + c) : 1;
  if (which == B) return node ? s->scheme.dt * s->scheme.dt / desc->mass[i] / (1 + c) : 1;
  return node ? desc->mass[i] / (2 * s->scheme.dt * s->scheme.dt) : 0;
}

/* *out [padded], written part by part. */
static hk_status create_factor(hk_explicit *s, const hk_explicit_desc *desc, factor which,
                               hk_buffer **out)
{
  hk_status status = HK_OK;
  const hk_index padded = s->space->padded;
  double *value = NULL;
  HK_TRY(hk_get(&value, HK_COPY_REALS));
  HK_TRY(hk_buffer_create(s->device, (hk_count)padded * (s->double_precision ? 8 : 4), out));
  for (hk_index first = 0; first < padded; first += HK_COPY_REALS) {
    const hk_index count = padded - first < HK_COPY_REALS ? padded - first : HK_COPY_REALS;
    for (hk_index k = 0; k < count; k++) value[k] = factor_of(s, desc, which, first + k);
    HK_TRY(hk_buffer_write_reals(*out, s->double_precision, first, count, value));
  }
cleanup:
  hk_free(&value);
  return status;
}

/* A of each node. Where all are one, the kernels of the operator take it from place 0, which may be padding: that keeps still with any A.
 * Kernels that are not compiled have no such variant. */
static hk_status create_decay(hk_explicit *s, const hk_explicit_desc *desc)
{
  const hk_index *mesh_node = s->space->mesh_node, padded = s->space->padded;
  hk_index first = 0, next;
  s->scheme.damping = HK_DAMPED;
  HK_PASS(create_factor(s, desc, A, &s->vector.a));
  if (!padded || !hk_device_describe(s->device)->compiles) return HK_OK;
  while (first < padded - 1 && mesh_node[first] < 0) first++;
  for (next = first; next < padded; next++)
    if (mesh_node[next] >= 0 && desc->damping[next] != desc->damping[first]) return HK_OK;
  s->scheme.damping = HK_DAMPED_ALIKE;
  const double a = factor_of(s, desc, A, first);
  return hk_buffer_write_reals(s->vector.a, s->double_precision, 0, 1, &a);
}

static hk_status create_factors(hk_explicit *s, const hk_explicit_desc *desc)
{
  HK_PASS(create_factor(s, desc, HALF_MASS, &s->vector.half_mass));
  HK_PASS(create_factor(s, desc, B, &s->vector.b));
  return s->scheme.damped ? create_decay(s, desc) : HK_OK;
}

static hk_status create_vectors(hk_explicit *s)
{
  const hk_count bytes = hk_explicit_dofs(s) * s->shots * (s->double_precision ? 8 : 4);
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count losses = s->op->groups * s->shots * hk_loss_run(info);
  HK_PASS(hk_buffer_create(s->device, bytes, &s->vector.x[0]));
  HK_PASS(hk_buffer_create(s->device, bytes, &s->vector.x[1]));
  if (s->scheme.form == HK_FORM_INCREMENTS)
    HK_PASS(hk_buffer_create(s->device, bytes, &s->vector.v));
  HK_PASS(hk_buffer_create(s->device, bytes, &s->vector.ku));
  if (s->scheme.damped)
    HK_PASS(hk_state_add(&s->state, s->device, "loss by damping", HK_ARRAY_TRIAL, losses * 8,
                         &s->vector.loss));
  return HK_OK;
}

hk_status hk_explicit_kernel(const hk_explicit *s, const char *function, int threads, int gather,
                             int lines, hk_kernel **out)
{
  hk_kernel_desc desc = {.text = "sources",
                         .function = function,
                         .threads = threads,
                         .early = true,
                         .double_precision = s->double_precision,
                         .local = 2 * hk_local_bytes((hk_count)gather * lines, 8),
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"DAMPED", s->scheme.damped},
                                    {"DIM", s->space->components},
                                    {"FORM", (int)s->scheme.form}}};
  if (gather) hk_kernel_specialise(&desc, "GATHER", gather);
  if (gather) hk_kernel_specialise(&desc, "LINES", lines);
  hk_kernel_define(&desc, "STEPS", HK_TABLE_STEPS);
  return hk_kernel_create(s->device, &desc, out);
}

static hk_status create_terms(hk_explicit *s, const hk_explicit_desc *desc)
{
  for (int k = 0; k < HK_TERMS; k++) {
    s->term[k] = (hk_term){.kind = kinds[k], .solver = s};
    HK_PASS(kinds[k]->create(&s->term[k], desc));
  }
  return HK_OK;
}

static void destroy_terms(hk_explicit *s)
{
  for (int k = 0; k < HK_TERMS; k++) {
    if (s->term[k].data) s->term[k].kind->destroy(&s->term[k]);
    hk_memory_free(&s->term[k].data);
  }
}

static void destroy_scheme(hk_explicit *s)
{
  if (s->scheme.data && s->scheme.integrator->destroy) s->scheme.integrator->destroy(s);
  hk_memory_free(&s->scheme.data);
}

static void destroy_vectors(hk_vectors *v)
{
  hk_buffer **const all[] = {&v->x[0], &v->x[1], &v->v, &v->ku, &v->b, &v->a, &v->half_mass};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
}

typedef struct counts { /* of nodes */
  hk_count all, sent, boundary, ghosts;
} counts;

/* Of a space by elements all of its boundary counts. */
static bool is_sent(const hk_explicit *s, hk_index node)
{
  return s->space->interior ? hk_space_is_boundary(s->space, node)
                            : s->link && node < s->link->sent;
}

static void count(const hk_explicit *s, hk_index node, counts *c)
{
  c->all++, c->sent += is_sent(s, node);
  c->boundary += hk_space_is_boundary(s->space, node);
  c->ghosts += node >= hk_space_rows(s->space);
}

static counts count_dofs(const hk_explicit *s, hk_count entries, const hk_index *dof)
{
  counts c = {0};
  for (hk_count k = 0; k < entries; k++)
    count(s, dof[k] / s->space->components % s->space->padded, &c);
  return c;
}

void hk_explicit_place(hk_term *term, hk_index nodes, const hk_index *node)
{
  counts c = {0};
  for (hk_index k = 0; k < nodes; k++) count(term->solver, node[k], &c);
  term->sent = c.sent > 0, term->ahead = c.boundary == c.all;
}

/* Forces or motions, of which there are some: aside; some act on rows that other parts read: late; or all on the boundary: ahead. HK_BAD_INPUT: one acts on a ghost, which
 * its owner alone may. */
static hk_status place_loads(hk_explicit *s, hk_count entries, const hk_index *dof)
{
  const counts c = count_dofs(s, entries, dof);
  HK_NEED(!c.ghosts, HK_BAD_INPUT,
          "a force or a prescribed motion acts on a node of another part: give it to that part "
          "alone");
  s->late = s->late || c.sent, s->ahead = s->ahead && c.boundary == c.all;
  s->aside = s->aside || c.all;
  return HK_OK;
}

/* Receivers may read ghosts, after the exchange; terms that sample all nodes do too. */
static void place_samples(hk_explicit *s)
{
  const hk_sparse *r = s->receivers.count ? s->receivers.rows : NULL;
  const hk_count entries = r && r->rows ? r->begin[r->rows] : 0;
  const counts c = count_dofs(s, entries, entries ? r->dof : NULL);
  s->ahead = s->ahead && c.boundary + c.ghosts == c.all;
  s->aside = s->aside || c.all;
  s->trailing = !c.ghosts;
  for (int k = 0; k < HK_TERMS; k++)
    if (s->term[k].data && s->term[k].kind->phase == HK_PHASE_SAMPLED) s->trailing = false;
}

static void place_terms(hk_explicit *s)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++) { /* slots are summed by the kernel of K */
    s->ahead = s->ahead && !s->op->term_data[k];
    s->late = s->late || (s->op->term_data[k] && !s->op->desc.terms.term[k].kind->slots);
  }
  for (int k = 0; k < HK_TERMS; k++) {
    const hk_term *t = &s->term[k];
    const bool follows = t->data && t->kind->launch && t->kind->phase == HK_PHASE_FORCES;
    s->ahead = s->ahead && (!follows || t->ahead);
    s->late = s->late || t->sent, s->aside = s->aside || follows;
  }
}

/* Where what follows K stands in a step of a part (link.h). */
static hk_status find_places(hk_explicit *s)
{
  const hk_excitation *e = s->sources.excitation;
  HK_NEED(s->op->rows, HK_BAD_INPUT, "form of K \"%s\" cannot be stepped in parts",
          s->op->kind->name);
  HK_NEED(s->scheme.integrator->parts, HK_BAD_INPUT,
          "time integrator %s cannot step a model in parts", s->scheme.integrator->name);
  const hk_count held = e->motion.rows ? e->motion.begin[e->motion.rows] : 0;
  s->ahead = true;
  HK_PASS(place_loads(s, e->force.rows, e->force.dof));
  HK_PASS(place_loads(s, held, e->motion.dof));
  place_samples(s);
  place_terms(s);
  s->aside = s->aside && s->ahead && !s->late;
  s->late = s->late && !s->ahead;
  return HK_OK;
}

hk_status hk_explicit_create(const hk_explicit_desc *desc, hk_explicit **out)
{
  hk_status status = HK_OK;
  hk_explicit *s = NULL;
  const hk_space *space = desc->op->desc.space;
  const hk_count dofs = (hk_count)space->padded * space->components;
  hk_index counted;

  HK_TRY(hk_narrow(dofs * (desc->shots ? desc->shots : 1), "degrees of freedom of all shots",
                   &counted)); /* kernels count them so */
  HK_TRY(hk_new(&s));
  s->op = desc->op, s->device = desc->op->desc.device, s->space = space;
  s->link = desc->link;
  s->double_precision = desc->op->desc.double_precision;
  s->scheme = (hk_scheme){.integrator = desc->integrator ? desc->integrator : hk_integrator_first(),
                          .damped = desc->damping != NULL,
                          .dt = desc->dt};
  s->scheme.form = s->scheme.integrator->form[s->double_precision || desc->positions];
  s->steps = desc->steps;
  s->shots = desc->shots ? desc->shots : 1;
  HK_TRY(create_factors(s, desc));
  HK_TRY(create_vectors(s));
  HK_TRY(hk_receivers_create(s, desc));
  HK_TRY(hk_sources_create(s, desc->excitation));
  HK_TRY(create_terms(s, desc));
  if (s->scheme.integrator->create) HK_TRY(s->scheme.integrator->create(s));
  HK_TRY(hk_energy_create(s));
  HK_TRY(hk_operator_bind(s->op, s->scheme.form, s->scheme.damping, s->shots));
  HK_TRY(hk_operator_bind(s->op, HK_FORM_STORE, false, s->shots));
  if (s->link) HK_TRY(find_places(s));
  if (!s->link || (s->link->recorded && !s->link->singly && !hk_explicit_overlaps(s)))
    HK_TRY(hk_explicit_record(s));
  *out = s, s = NULL;
cleanup:
  hk_explicit_destroy(&s);
  return status;
}

void hk_explicit_destroy(hk_explicit **solver)
{
  hk_explicit *s = *solver;
  if (!s) return;
  for (int k = 0; k < HK_GRAPHS; k++) hk_graph_destroy(&s->graph[k]);
  hk_receivers_destroy(s);
  hk_energy_destroy(s);
  destroy_terms(s);
  destroy_scheme(s);
  hk_sources_destroy(s);
  destroy_vectors(&s->vector);
  hk_state_destroy(&s->state);
  hk_free(solver);
}

static hk_count plan_vectors(const hk_explicit_size *size)
{
  const hk_space *space = size->space;
  const hk_count real = size->double_precision ? 8 : 4, vectors = size->double_precision ? 3 : 4;
  return space->padded * real * (vectors * size->shots * space->components + 2 + size->damped);
}

hk_count hk_explicit_plan(const hk_explicit_size *size)
{
  hk_count sum = plan_vectors(size);
  for (int k = 0; k < HK_TERMS; k++)
    if (kinds[k]->plan) sum += kinds[k]->plan(size);
  return sum;
}
