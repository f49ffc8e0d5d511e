/* Models stepped in parts, each by a solver and a thread of its own, with mailboxes between them: the same numbers as in one part. */
#include "fixture.h"
#include "solver/explicit/parts.h"
#include "solver/team/division.h"
#include "space/part.h"
#include "support/mesh.h"
#include <pthread.h>

enum { MOST_PARTS = 5, SHOTS = 2, STEPS = 24, LOADED = 40, ROWS = 24, KINDS = 3, PAIRS = 14 };

typedef struct kind {          /* of a run */
  const char *method, *device; /* NULL: the processor */
  hk_shape shape;
  hk_count cells;
  int parts;
  int order; /* of the elements; 0: linear */
  bool double_precision, positions;
  bool loads_border;   /* forces, dashpots and a motion on rows that other parts read too */
  bool resists_border; /* dashpots there alone */
  bool layer;          /* a matched layer on a third of the body */
  bool
      ahead; /* all loads and receivers lie in a corner and at borders, and their patches come first */
  bool away; /* and none at borders */
  bool
      beside; /* the link is recorded, so that the boundary may run beside the interior, which comes first here */
  bool one_shot;
  bool undamped;
  bool trailing; /* receivers read no ghosts, and rates are not exchanged unless others read them */
  bool fluids;   /* alone */
  bool wet; /* the second material is a fluid; pairs of its nodes with others act on each other */
} kind;

/* One solver: of a part, or of the whole. */
typedef struct side {
  struct model *m;
  int number;
  hk_part *part; /* NULL: the whole */
  hk_space *space;
  hk_device *device;
  hk_division_part own; /* its terms */
  hk_operator *op;
  double *mass, *damping, *u, *v;
  hk_excitation excitation;
  hk_dashpots dashpots;
  hk_sparse receivers;
  hk_index row[ROWS], rows; /* of the model's receivers */
  hk_link link;
  hk_explicit *solver;
  hk_energy energy[SHOTS];
  /* displacement and increment of each shot; samples of each group */
  double *got[2], *sample[KINDS];
  char *mail;
} side;

typedef struct model {
  const kind *kind;
  hk_mesh *mesh;
  const hk_operator_kind *form;
  hk_region region[2];
  hk_index *element_region;
  double *mass, *u, *v, dt; /* of mesh nodes */
  hk_index *owner;          /* owner[mesh node] */
  hk_index loaded[LOADED];  /* mesh nodes; the first is held */
  hk_index element[ROWS];   /* whose nodes a receiver reads */
  hk_pml pml;
  hk_fsi fsi[PAIRS];
  hk_operator_terms terms;
  hk_signal burst;
  pthread_barrier_t barrier;
  side whole, part[MOST_PARTS];
} model;

static void check(hk_status status)
{
  if (status == HK_OK) return;
  fprintf(stderr, "a part fails: %s\n", hk_error());
  abort();
}

static size_t real_of(const side *s)
{
  return s->m->kind->double_precision ? 8 : 4;
}

static size_t node_bytes(const side *s)
{
  return (size_t)s->space->components * real_of(s);
}

static int shots_of(const side *s)
{
  return s->m->kind->one_shot ? 1 : SHOTS;
}

static const char *device_of(const model *m)
{
  return m->kind->device ? m->kind->device : "cpu";
}

static hk_integrator reversed;

/* The interior of a step from x[from] while its ghosts are no numbers. */
static hk_status step_interior(const hk_explicit *s, int from)
{
  const hk_space *space = s->space;
  const hk_count node = space->components * (s->double_precision ? 8 : 4);
  const hk_count bytes = hk_buffer_bytes(s->vector.x[from]), rows = hk_space_rows(space);
  char *kept = malloc((size_t)bytes), *nothing = malloc((size_t)(space->padded * node));
  memset(nothing, 0xff, (size_t)(space->padded * node));
  check(hk_device_finish(s->device));
  check(hk_buffer_read(s->vector.x[from], 0, bytes, kept));
  for (int shot = 0; shot < s->shots; shot++)
    check(hk_buffer_write(s->vector.x[from], (shot * (hk_count)space->padded + rows) * node,
                          (space->padded - rows) * node, nothing));
  check(hk_integrator_central.step(s, from, HK_PHASE_INTERIOR));
  check(hk_device_finish(s->device));
  for (int shot = 0; shot < s->shots; shot++) {
    const hk_count at = (shot * (hk_count)space->padded + rows) * node;
    check(hk_buffer_write(s->vector.x[from], at, (space->padded - rows) * node, kept + at));
  }
  free(kept);
  free(nothing);
  return HK_OK;
}

/* Phases that may run beside one another in the other order than they are launched in. */
static hk_status step_reversed(const hk_explicit *s, int from, unsigned phases)
{
  if (phases == HK_PHASE_INTERIOR) return HK_OK;
  if (phases == HK_PHASE_BOUNDARY) check(step_interior(s, from));
  return hk_integrator_central.step(s, from, phases);
}

/* A vector as it is now lies in the mail; its ghosts are no numbers until `take`. */
static hk_status send(void *user, hk_buffer *vector)
{
  side *s = user;
  const hk_count node = (hk_count)node_bytes(s), bytes = s->part->ghosts * node;
  char *nothing = malloc((size_t)bytes + 1);
  check(hk_device_finish(s->device));
  check(hk_buffer_read(vector, 0, hk_buffer_bytes(vector), s->mail));
  memset(nothing, 0xff, (size_t)bytes);
  for (int shot = 0; shot < shots_of(s); shot++)
    check(hk_buffer_write(vector, (shot * (hk_count)s->space->padded + s->part->rows) * node, bytes,
                          nothing));
  free(nothing);
  return HK_OK;
}

/* The rows that neighbour n sends to this part, of one shot: ghosts[..] count from the first ghost. */
static void take_rows(const side *s, int n, int shot, char *ghosts)
{
  const side *from = &s->m->part[s->part->neighbour[n]];
  const hk_part *p = from->part, *own = s->part;
  const size_t node = node_bytes(s);
  const hk_index first = own->take_begin[n + 1] - own->take_begin[n];
  int k = 0;
  while (p->neighbour[k] != s->number) k++;
  for (hk_index i = 0; i < p->send_begin[k + 1] - p->send_begin[k]; i++) {
    const hk_index to = i < first ? own->take_begin[n] + i : own->inside_begin[n] + i - first;
    const size_t sent = (size_t)p->send[p->send_begin[k] + i];
    memcpy(ghosts + (size_t)(to - own->rows) * node,
           from->mail + ((size_t)shot * (size_t)from->space->padded + sent) * node, node);
  }
}

static hk_status take(void *user, hk_buffer *vector)
{
  side *s = user;
  const hk_part *p = s->part;
  const hk_count node = (hk_count)node_bytes(s);
  char *ghosts = malloc((size_t)(p->ghosts * node) + 1);
  pthread_barrier_wait(&s->m->barrier);
  for (int shot = 0; shot < shots_of(s); shot++) {
    for (int k = 0; k < p->neighbours; k++) take_rows(s, k, shot, ghosts);
    check(hk_buffer_write(vector, (shot * (hk_count)s->space->padded + p->rows) * node,
                          p->ghosts * node, ghosts));
  }
  pthread_barrier_wait(&s->m->barrier);
  free(ghosts);
  return HK_OK;
}

static bool is_own(const side *s, hk_index node)
{
  return s->space->node[node] >= 0 && s->space->node[node] < hk_space_rows(s->space);
}

/* Two forces on every loaded node, and a motion of the first along (0.6, 0.8), in a layer along x, all of shot 0. */
static void excite(side *s)
{
  const model *m = s->m;
  const int c = s->space->components, some = c < 2 ? c : 2, moved = m->kind->layer ? 1 : some;
  hk_excitation *e = &s->excitation;
  hk_force_entry entry[2 * LOADED];
  hk_count entries = 0;
  const bool held = is_own(s, m->loaded[0]);
  e->signal_count = 2;
  ok(hk_get(&e->signal, 2));
  e->signal[0] = (hk_source_signal){.signal = &m->burst, .role = HK_ROLE_FORCE};
  e->signal[1] = (hk_source_signal){.signal = &m->burst, .role = HK_ROLE_ACCELERATION};
  e->motion.rows = held;
  ok(hk_get(&e->motion.begin, 2));
  ok(hk_get(&e->motion.dof, 2));
  ok(hk_get(&e->motion.weight, 2));
  ok(hk_get(&e->motion_signal, 1));
  ok(hk_get(&e->motion_value, 1));
  ok(hk_get(&e->motion_base, 1));
  ok(hk_get(&e->motion_drift, 1));
  for (int i = 0; i < moved && held; i++) {
    e->motion.dof[i] = c * s->space->node[m->loaded[0]] + i;
    e->motion.weight[i] = i ? 0.8 : 0.6;
  }
  e->motion.begin[1] = moved * held;
  e->motion_signal[0] = 1, e->motion_value[0] = 3;
  for (int k = 0; k < LOADED; k++)
    for (int i = 0; i < some && is_own(s, m->loaded[k]); i++)
      entry[entries++] = (hk_force_entry){.dof = c * s->space->node[m->loaded[k]] + i,
                                          .coefficient = 1e-2 * (k + 1 + 3 * i)};
  ok(hk_force_rows_build(entry, entries, &e->motion, &e->force));
}

static int compare(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

static void add_dashpot(side *s, hk_index node)
{
  hk_dashpots *d = &s->dashpots;
  const hk_index own = s->space->node[node];
  for (hk_index k = 0; k < d->count; k++)
    if (d->node[k] == own) return;
  if (is_own(s, node)) d->node[d->count++] = own;
}

/* Dashpots 0.3 m / dt on every loaded node, and on what receivers read first. */
static void add_dashpots(side *s)
{
  const model *m = s->m;
  const int c = s->space->components;
  hk_dashpots *d = &s->dashpots;
  ok(hk_get(&d->node, LOADED + ROWS));
  for (int k = 0; k < LOADED; k++) add_dashpot(s, m->loaded[k]);
  for (int k = 0; k < ROWS && m->kind->resists_border; k++)
    add_dashpot(s, hk_mesh_nodes_of(m->mesh, m->element[k])[0]);
  qsort(d->node, (size_t)d->count, sizeof *d->node, compare);
  ok(hk_get(&d->c, d->count * c * c));
  for (hk_index k = 0; k < d->count; k++)
    for (int i = 0; i < c; i++)
      d->c[(k * c + i) * c + i] = 0.3 * m->mass[s->space->mesh_node[d->node[k]]] / m->dt;
}

/* Rows over the nodes of an element, of the part that has its first node. */
static void receive(side *s)
{
  const model *m = s->m;
  const int nodes = m->mesh->block[0].nodes;
  hk_sparse *r = &s->receivers;
  hk_index used = 0;
  ok(hk_get(&r->begin, ROWS + 1));
  ok(hk_get(&r->dof, ROWS * nodes));
  ok(hk_get(&r->weight, ROWS * nodes));
  for (int k = 0; k < ROWS; k++) {
    const hk_index *node = hk_mesh_nodes_of(m->mesh, m->element[k]);
    if (!is_own(s, node[0])) continue;
    for (int i = 0; i < nodes; i++) {
      r->dof[used] = s->space->components * s->space->node[node[i]] + k % 2 % s->space->components;
      r->weight[used++] = 1.0 / (1 + i);
    }
    s->row[s->rows++] = k;
    r->begin[s->rows] = used;
  }
  r->rows = s->rows;
}

static hk_status solver_create(side *s)
{
  const model *m = s->m;
  const hk_receiver_group group[KINDS] = {
      {.rows = s->rows, .kind = HK_RECEIVER_DISPLACEMENT, .every = 1},
      {.rows = s->rows, .kind = HK_RECEIVER_VELOCITY, .every = 1},
      {.rows = s->rows, .kind = HK_RECEIVER_ACCELERATION, .every = 1}};
  return hk_explicit_create(&(hk_explicit_desc){.op = s->op,
                                                .dt = m->dt,
                                                .steps = STEPS,
                                                .mass = s->mass,
                                                .damping = m->kind->undamped ? NULL : s->damping,
                                                .dashpots = &s->dashpots,
                                                .excitation = &s->excitation,
                                                .pml = &m->pml,
                                                .receivers = &s->receivers,
                                                .receiver_group = group,
                                                .group_count = KINDS,
                                                .positions = m->kind->positions,
                                                .shots = shots_of(s),
                                                .integrator = m->kind->beside ? &reversed : NULL,
                                                .link = s->part ? &s->link : NULL},
                            &s->solver);
}

/* A ghost's owner alone loads it: what a part gives to its ghosts is refused. */
static void refuse_ghosts(side *s)
{
  const hk_index ghost = hk_space_rows(s->space), c = s->space->components;
  hk_index *const loaded[] = {s->excitation.force.rows ? s->excitation.force.dof : NULL,
                              s->excitation.motion.rows ? s->excitation.motion.dof : NULL,
                              s->dashpots.count ? s->dashpots.node + s->dashpots.count - 1 : NULL};
  for (int k = 0; k < 3 && s->part && s->part->ghosts; k++) {
    if (!loaded[k]) continue;
    const hk_index own = *loaded[k];
    *loaded[k] = k < 2 ? ghost * c : ghost;
    assert_int_equal(solver_create(s), HK_BAD_INPUT);
    assert_null(s->solver);
    error_says("another part");
    *loaded[k] = own;
  }
}

static void side_create(side *s)
{
  const model *m = s->m;
  const int c = s->space->components;
  ok(hk_device_open(device_of(m), 1, &s->device));
  s->own.space = s->space, s->own.terms = m->terms;
  if (s->part) ok(hk_division_take_terms(&m->terms, &s->own));
  ok(hk_operator_create(m->form,
                        &(hk_operator_desc){.device = s->device,
                                            .space = s->space,
                                            .region = m->region,
                                            .element_region = m->element_region,
                                            .double_precision = m->kind->double_precision,
                                            .terms = s->own.terms},
                        &s->op));
  s->mass = vector(s->space->padded), s->damping = vector(s->space->padded);
  s->u = vector((hk_count)s->space->padded * c), s->v = vector((hk_count)s->space->padded * c);
  hk_space_to_internal(s->space, 1, m->mass, s->mass);
  hk_space_to_internal(s->space, c, m->u, s->u);
  hk_space_to_internal(s->space, c, m->v, s->v);
  for (hk_index i = 0; i < s->space->padded; i++)
    s->damping[i] = 0.01 / m->dt * (1 + s->space->mesh_node[i] % 7);
  excite(s), add_dashpots(s), receive(s);
  s->link = (hk_link){.sent = s->part ? s->part->sent : 0,
                      .recorded = m->kind->beside,
                      .rates = !m->kind->trailing || m->kind->wet,
                      .begin = send,
                      .end = take,
                      .user = s};
  s->mail = malloc((size_t)(SHOTS * s->space->padded) * node_bytes(s));
  for (int k = 0; k < 2; k++) s->got[k] = vector((hk_count)SHOTS * s->space->padded * c);
  for (int k = 0; k < KINDS; k++) s->sample[k] = vector((STEPS + 1) * SHOTS * ROWS);
  refuse_ghosts(s);
  ok(solver_create(s));
  if (!s->part || !m->kind->ahead) return;
  assert_true(s->solver->ahead && !s->solver->late);
  assert_true(s->solver->aside == (m->kind->away && s->excitation.force.rows));
  assert_true(hk_explicit_overlaps(s->solver) == m->kind->beside);
  assert_true(s->solver->trailing == m->kind->trailing);
}

static void *step(void *user)
{
  static const hk_state_part state[] = {HK_STATE_DISPLACEMENT, HK_STATE_INCREMENT};
  side *s = user;
  const hk_count dofs = (hk_count)s->space->padded * s->space->components;
  check(hk_explicit_start(s->solver, s->u, s->v));
  check(hk_explicit_advance(s->solver, STEPS));
  check(hk_explicit_finish(s->solver));
  for (int k = 0; k < 2; k++)
    for (int shot = 0; shot < shots_of(s); shot++)
      check(hk_explicit_read(s->solver, shot, state[k], s->got[k] + shot * dofs));
  for (int k = 0; k < KINDS; k++)
    check(hk_explicit_samples(s->solver, k, 0, STEPS + 1, s->sample[k]));
  check(hk_explicit_energy_begin(s->solver));
  if (!s->part) check(hk_explicit_energy_end(s->solver, s->energy));
  return NULL;
}

static void side_destroy(side *s)
{
  hk_explicit_destroy(&s->solver);
  hk_excitation_clear(&s->excitation);
  hk_dashpots_clear(&s->dashpots);
  hk_sparse_clear(&s->receivers);
  hk_operator_destroy(&s->op);
  hk_device_close(&s->device);
  hk_pool_clear(&s->own.pool);
  hk_space_destroy(&s->space);
  hk_part_destroy(&s->part);
  for (int k = 0; k < 2; k++) hk_free(&s->got[k]);
  for (int k = 0; k < KINDS; k++) hk_free(&s->sample[k]);
  hk_free(&s->mass), hk_free(&s->damping);
  hk_free(&s->u), hk_free(&s->v);
  free(s->mail);
}

static hk_status lumped(const hk_mesh *mesh, const hk_region *region,
                        const hk_index *element_region, double *mass, hk_index *element)
{
  (void)element;
  return hk_mass_lumped(mesh, region, element_region, mass);
}

/* A grid of two materials whose nodes move. */
static void make_physics(model *m)
{
  const kind *k = m->kind;
  double omega;
  hk_index guilty;
  m->mesh = make_grid((hk_mesh_grid){
      .cells = {k->cells, k->cells + 2, k->cells}, .shape = k->shape, .jitter = 0.2, .shuffle = 3});
  for (int r = 0; r < 2; r++) {
    m->region[r].material.density = 1 + r, m->region[r].thickness = 1;
    ok(hk_material_isotropic(1 + 2 * r, 0.3, &m->region[r].material));
    if (k->fluids || (k->wet && r)) ok(hk_material_fluid(2 + r, &m->region[r].material));
  }
  ok(hk_get(&m->element_region, m->mesh->element_count));
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    m->element_region[e] = m->mesh->x[m->mesh->dim * hk_mesh_nodes_of(m->mesh, e)[0]] > 0.5;
  if (k->fluids || k->wet)
    m->dt = 0.1 / (double)k->cells;
  else {
    ok(hk_element_bound(m->mesh, m->region, m->element_region, &omega, &guilty));
    m->dt = 0.8 * 2 / omega;
  }
  if (k->order) ok(hk_mesh_raise_to(m->mesh, k->order));
  if (k->order) m->dt /= k->order * k->order;
  m->mass = vector(m->mesh->node_count);
  ok((m->form->mass ? m->form->mass : lumped)(m->mesh, m->region, m->element_region, m->mass,
                                              &guilty));
  m->burst = (hk_signal){.kind = HK_SIGNAL_TONEBURST,
                         .frequency = 0.05 / m->dt,
                         .cycles = 3,
                         .hann = true,
                         .scale = 1};
  const int c = k->fluids ? 1 : m->mesh->dim;
  m->u = vector(m->mesh->node_count * c);
  m->v = vector(m->mesh->node_count * c);
  for (hk_count i = 0; i < m->mesh->node_count * c; i++)
    m->u[i] = uniform() * m->dt, m->v[i] = uniform();
}

/* At random where loads lie at borders, but for the first runs: every part has one. Else half by half, but for the last run, whose
 * padding comes before other rows of its part. */
static int owner_of(const kind *k, hk_index run, hk_index runs)
{
  if (!k->loads_border) return run == runs - 1 ? 0 : (int)(run * k->parts / runs);
  return run < k->parts ? k->parts - 1 - run : rand() % k->parts;
}

static bool crosses(const model *m, hk_count e)
{
  const hk_index *node = hk_mesh_nodes_of(m->mesh, e);
  for (int i = 1; i < m->mesh->block[0].nodes; i++)
    if (m->owner[node[i]] != m->owner[node[0]]) return true;
  return false;
}

/* Nodes whose patch other parts read (in one part of the model: all). */
static bool in_boundary(const model *m, hk_index node)
{
  const hk_space *space = m->part[m->owner[node]].space;
  return hk_space_is_boundary(space, space->node[node]);
}

static bool in_corner(const model *m, hk_count e)
{
  const hk_index *node = hk_mesh_nodes_of(m->mesh, e);
  for (int i = 0; i < m->mesh->block[0].nodes; i++)
    for (int d = 0; d < m->mesh->dim; d++)
      if (m->mesh->x[node[i] * m->mesh->dim + d] > 0.1) return false;
  return !crosses(m, e);
}

/* Whether load or receiver k may lie in an element. */
static bool is_place(const model *m, hk_count e, bool border)
{
  if (border) return crosses(m, e);
  if (m->kind->trailing && crosses(m, e)) return false;
  return !m->kind->ahead || in_corner(m, e);
}

/* Every second loaded node and every second receiver lies at a border. */
static void make_loads(model *m)
{
  const hk_count elements = m->mesh->element_count;
  bool *taken = NULL;
  ok(hk_get(&taken, m->mesh->node_count));
  for (int k = 0; k < LOADED; k++) {
    const bool border = (m->kind->loads_border || m->kind->ahead) && !m->kind->away && k % 2 == 0;
    hk_index e, node;
    do e = (hk_index)(rand() % elements), node = hk_mesh_nodes_of(m->mesh, e)[0];
    while (
        taken[node] || !is_place(m, e, border) ||
        (!m->kind->loads_border && !m->kind->ahead && !m->kind->trailing && in_boundary(m, node)));
    taken[node] = true, m->loaded[k] = node;
  }
  for (int k = 0; k < ROWS; k++) do
      m->element[k] = (hk_index)(rand() % elements);
    while (!is_place(m, m->element[k], k % 2 == 0 && m->kind->parts > 1 && !m->kind->trailing));
  hk_free(&taken);
}

/* acted[padded]: of loads and receivers */
static bool *find_acted(const model *m)
{
  const hk_space *space = m->whole.space;
  bool *acted = NULL;
  ok(hk_get(&acted, space->padded));
  for (int k = 0; k < LOADED; k++) acted[space->node[m->loaded[k]]] = true;
  for (int k = 0; k < ROWS; k++)
    for (int i = 0; i < m->mesh->block[0].nodes; i++)
      acted[space->node[hk_mesh_nodes_of(m->mesh, m->element[k])[i]]] = true;
  return acted;
}

/* Sums are made granule by granule, of a few runs each. */
static void make_parts(model *m)
{
  const hk_space *space = m->whole.space;
  hk_index *first = NULL;
  int *owner = NULL;
  bool *acted = NULL;
  const hk_index runs = hk_space_runs(space);
  assert_true(runs >= m->kind->parts);
  ok(hk_get(&first, runs + 1));
  ok(hk_get(&owner, runs));
  for (hk_index p = 0; p < runs; p++) {
    first[p + 1] = p + 1;
    owner[p] = owner_of(m->kind, p, runs);
  }
  for (hk_count n = 0; n < m->mesh->node_count; n++)
    m->owner[n] = owner[hk_space_run(space, space->node[n])];
  hk_granules granules = {.count = runs, .first_patch = first, .part = owner};
  hk_pool pool = {0};
  ok(hk_division_list_pairs(&m->terms, &pool, &granules));
  if (m->kind->ahead) {
    make_loads(m);
    granules.acted = acted = find_acted(m);
  }
  for (int k = 0; k < m->kind->parts; k++) {
    m->part[k].m = m, m->part[k].number = k;
    ok(hk_part_create(space, &granules, k, &m->part[k].part));
    ok(hk_space_create_part(space, m->part[k].part, &m->part[k].space));
  }
  hk_pool_clear(&pool);
  hk_free(&acted);
  hk_free(&first);
  hk_free(&owner);
}

/* Fluid nodes with one or two solid nodes each, on surfaces of elements. */
static void make_pairs(model *m)
{
  hk_index node[2] = {0};
  for (int k = 0; k < PAIRS && m->kind->wet; k++) {
    for (int i = k % 3 == 1; i < 2; i++) do { /* pairs 0 and 1 of three have one fluid node */
        const hk_index e = (hk_index)(rand() % m->mesh->element_count);
        node[i] = m->element_region[e] == 1 - i ? hk_mesh_nodes_of(m->mesh, e)[rand() % 4] : -1;
      } while (node[i] < 0);
    m->fsi[k] = (hk_fsi){node[0], node[1], {1e-3 * uniform(), 1e-3 * uniform(), 1e-3 * uniform()}};
  }
  if (m->kind->wet) m->terms.term[1] = (hk_operator_term){&hk_fsi_kind, m->fsi, PAIRS};
}

/* Stretched along all axes; some nodes are held. */
static void make_layer(model *m)
{
  const int dim = m->mesh->dim;
  if (!m->kind->layer) return;
  m->pml.alpha = 0.01 / m->dt;
  m->pml.stretch = vector(m->mesh->node_count * dim);
  ok(hk_get(&m->pml.held, m->mesh->node_count));
  for (hk_count n = 0; n < m->mesh->node_count; n++) {
    const bool in = m->mesh->x[n * dim] < 1.0 / 3;
    for (int c = 0; c < dim; c++) m->pml.stretch[n * dim + c] = in ? 0.02 / m->dt * (1 + c) : 0;
    m->pml.held[n] = in && n % 31 == 0;
  }
}

/* Nodes of pairs are of no chunk alone, whose sums do not wait for the others. */
static void number(model *m, hk_space_desc numbering)
{
  uint8_t *fluid = NULL;
  bool *apart = NULL;
  ok(hk_get(&fluid, m->mesh->element_count));
  ok(hk_get(&apart, m->mesh->node_count));
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    fluid[e] = m->region[m->element_region[e]].material.fluid;
  for (int k = 0; k < PAIRS && m->kind->wet; k++)
    apart[m->fsi[k].fluid] = apart[m->fsi[k].solid] = true;
  if (m->kind->fluids || m->kind->wet) numbering.element_part = fluid, numbering.apart = apart;
  if (m->kind->fluids) numbering.components = 1;
  ok(hk_space_create(m->mesh, &numbering, &m->whole.space));
  hk_free(&fluid);
  hk_free(&apart);
}

static void model_create(model *m, const kind *k)
{
  memset(m, 0, sizeof *m);
  m->kind = k, m->whole.m = m;
  m->form = hk_operator_find(k->method);
  srand(7);
  make_physics(m);
  ok(hk_get(&m->owner, m->mesh->node_count));
  hk_device *device = NULL;
  ok(hk_device_open(device_of(m), 1, &device));
  const hk_space_desc numbering = m->form->space(m->mesh, device, k->double_precision);
  hk_device_close(&device);
  make_pairs(m);
  make_layer(m);
  number(m, numbering);
  make_parts(m);
  if (!k->ahead) make_loads(m);
  side_create(&m->whole);
  for (int p = 0; p < k->parts; p++) side_create(&m->part[p]);
  assert_int_equal(pthread_barrier_init(&m->barrier, NULL, (unsigned)k->parts), 0);
}

static void model_destroy(model *m)
{
  side_destroy(&m->whole);
  for (int p = 0; p < m->kind->parts; p++) side_destroy(&m->part[p]);
  pthread_barrier_destroy(&m->barrier);
  hk_pml_clear(&m->pml);
  hk_free(&m->mass), hk_free(&m->u), hk_free(&m->v);
  hk_free(&m->owner), hk_free(&m->element_region);
  hk_mesh_destroy(&m->mesh);
  assert_int_equal(hk_memory_held(), 0);
}

/* Displacements and increments at own nodes, and samples, bit by bit. */
static void check_state(const model *m, const side *s)
{
  const int c = s->space->components;
  const hk_count own = (hk_count)s->space->padded * c, all = (hk_count)m->whole.space->padded * c;
  for (int k = 0; k < 2; k++)
    for (int shot = 0; shot < shots_of(s); shot++)
      for (hk_index i = 0; i < s->part->rows; i++) {
        const double *got = s->got[k] + shot * own + i * c,
                     *expected = m->whole.got[k] + shot * all + s->part->whole[i] * c;
        if (s->space->mesh_node[i] >= 0) assert_memory_equal(got, expected, (size_t)c * 8);
      }
  for (int k = 0; k < KINDS; k++)
    for (int t = 0; t < (STEPS + 1) * shots_of(s); t++)
      for (hk_index r = 0; r < s->rows; r++)
        assert_memory_equal(&s->sample[k][t * s->rows + r],
                            &m->whole.sample[k][t * ROWS + s->row[r]], 8);
}

/* Energies of the parts are those of the whole bit by bit. */
static void check_energies(model *m)
{
  hk_energy_table part[MOST_PARTS];
  hk_energy sum[SHOTS];
  for (int k = 0; k < m->kind->parts; k++) ok(hk_explicit_energies(m->part[k].solver, &part[k]));
  hk_energy_join(part, m->kind->parts, shots_of(&m->whole), sum);
  for (int shot = 0; shot < shots_of(&m->whole); shot++) {
    const hk_energy *e = &m->whole.energy[shot];
    assert_true(e->kinetic > 0 && e->strain > 0 && (e->damping > 0 || m->kind->undamped));
    assert_true((e->work != 0) == (shot == 0));
    assert_memory_equal(&sum[shot], e, sizeof *e);
  }
}

static void run(const kind *k)
{
  reversed = hk_integrator_central, reversed.step = step_reversed;
  model m;
  pthread_t thread[MOST_PARTS];
  hk_index rows = 0;
  model_create(&m, k);
  step(&m.whole);
  for (int p = 0; p < k->parts; p++)
    assert_int_equal(pthread_create(&thread[p], NULL, step, &m.part[p]), 0);
  for (int p = 0; p < k->parts; p++) assert_int_equal(pthread_join(thread[p], NULL), 0);
  for (int p = 0; p < k->parts; p++) check_state(&m, &m.part[p]), rows += m.part[p].rows;
  assert_int_equal(rows, ROWS);
  check_energies(&m);
  model_destroy(&m);
}

/* forms that sum slots or parts of several patches: as above, the exchange beside the interior, with and without receivers across borders */
static void sums_come_behind(void **state)
{
  static const kind kinds[] = {
      {.shape = HK_QUAD4, .cells = 22, .order = 4, .parts = 2, .trailing = true},
      {.shape = HK_HEX8, .cells = 6, .order = 2, .parts = 4, .loads_border = true},
      {.method = "spectral-colours",
       .shape = HK_QUAD4,
       .cells = 15,
       .order = 3,
       .parts = 2,
       .trailing = true,
       .layer = true},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 3, .trailing = true, .wet = true}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.beside = k.one_shot = true;
    if (!k.method) k.method = "spectral";
    run(&k);
  }
}

/* patches that share nodes, where threads share a memory: as above */
static void patches_share_nodes(void **state)
{
  static const kind kinds[] = {{.shape = HK_HEX8, .cells = 20, .parts = 3, .trailing = true},
                               {.shape = HK_QUAD4, .cells = 72, .parts = 2, .loads_border = true}};
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 1, &device) != HK_OK) skip();
  hk_device_close(&device);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.method = "matrix-free", k.device = "opencl";
    k.beside = k.one_shot = k.undamped = true;
    run(&k);
  }
}

/* every form that computes rows: parts = one part, bit by bit, with damping, forces, a motion and dashpots at borders, receivers across them */
static void run_form(const char *method)
{
  static const kind kinds[] = {
      {.shape = HK_QUAD4, .cells = 72, .parts = 2, .double_precision = true, .loads_border = true},
      {.shape = HK_TRI3, .cells = 72, .parts = 3, .loads_border = true},
      {.shape = HK_TET4, .cells = 17, .parts = 4, .double_precision = true, .loads_border = true},
      {.shape = HK_HEX8, .cells = 17, .parts = 5, .positions = true, .loads_border = true},
      {.shape = HK_TET4, .cells = 17, .parts = 5, .loads_border = true},
      {.shape = HK_QUAD4, .cells = 72, .parts = 1, .positions = true}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.method = method;
    run(&k);
  }
}

/* loads and receivers on a few patches: these come before the interior and before the exchange, within a step and across steps */
static void loads_come_ahead(void **state)
{
  static const kind kinds[] = {
      {.method = "edges", .shape = HK_TRI3, .cells = 200, .parts = 2},
      {.method = "stored", .shape = HK_QUAD4, .cells = 200, .parts = 2, .beside = true},
      {.method = "edges",
       .shape = HK_TRI3,
       .cells = 200,
       .parts = 2,
       .beside = true,
       .trailing = true},
      {.method = "matrix-free",
       .shape = HK_QUAD4,
       .cells = 200,
       .parts = 2,
       .double_precision = true,
       .away = true,
       .beside = true,
       .trailing = true}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.ahead = true;
    run(&k);
  }
}

/* elements of higher order under random owners of surfaces and insides, straight and curved in one group: as above */
static void spectral(void **state)
{
  static const kind kinds[] = {
      {.shape = HK_QUAD4, .cells = 22, .order = 4, .parts = 2, .double_precision = true},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 3},
      {.shape = HK_HEX8, .cells = 6, .order = 2, .parts = 4, .double_precision = true},
      {.shape = HK_HEX8, .cells = 4, .order = 5, .parts = 5},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 4, .layer = true},
      {.shape = HK_HEX8,
       .cells = 6,
       .order = 2,
       .parts = 3,
       .double_precision = true,
       .layer = true},
      {.shape = HK_HEX8, .cells = 6, .order = 2, .parts = 5, .layer = true},
      {.shape = HK_QUAD4, .cells = 9, .order = 2, .parts = 1}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.method = "spectral", k.loads_border = k.parts > 1;
    run(&k);
  }
}

/* forces added colour by colour in the whole: as above */
static void colours(void **state)
{
  static const kind kinds[] = {
      {.shape = HK_QUAD4, .cells = 22, .order = 4, .parts = 2, .double_precision = true},
      {.shape = HK_HEX8, .cells = 6, .order = 2, .parts = 4},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 3, .layer = true},
      {.shape = HK_HEX8,
       .cells = 6,
       .order = 2,
       .parts = 5,
       .double_precision = true,
       .wet = true}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.method = "spectral-colours", k.loads_border = true;
    run(&k);
  }
}

/* fluids alone, and fluids with solids that act on each other across random owners: as above */
static void fluids(void **state)
{
  static const kind kinds[] = {
      {.shape = HK_QUAD4, .cells = 22, .order = 4, .parts = 2, .fluids = true},
      {.shape = HK_HEX8,
       .cells = 6,
       .order = 2,
       .parts = 4,
       .double_precision = true,
       .fluids = true},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 3, .wet = true},
      {.shape = HK_HEX8, .cells = 6, .order = 2, .parts = 4, .double_precision = true, .wet = true},
      {.shape = HK_QUAD4, .cells = 20, .order = 2, .parts = 5, .wet = true},
      {.shape = HK_QUAD4, .cells = 9, .order = 2, .parts = 1, .wet = true},
      {.shape = HK_QUAD4, .cells = 15, .order = 3, .parts = 3, .fluids = true, .layer = true}};
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind k = kinds[i];
    k.method = "spectral", k.loads_border = k.parts > 1;
    run(&k);
  }
}

static void edges(void **state)
{
  (void)state;
  run_form("edges");
}

static void stored(void **state)
{
  (void)state;
  run_form("stored");
}

static void matrix_free(void **state)
{
  (void)state;
  run_form("matrix-free");
}

static void edges_packed(void **state)
{
  (void)state;
  run(&(kind){
      .method = "edges-packed", .shape = HK_HEX8, .cells = 17, .parts = 3, .loads_border = true});
}

static void congruent(void **state)
{
  (void)state;
  run(&(kind){
      .method = "congruent", .shape = HK_HEX8, .cells = 17, .parts = 3, .loads_border = true});
}

/* loads within parts alone: the exchange begins before the other rows of K are computed, and after dashpots where they lie at borders */
static void loads_away_from_borders(void **state)
{
  (void)state;
  kind k = {
      .method = "stored", .shape = HK_QUAD4, .cells = 150, .parts = 2, .double_precision = true};
  run(&k);
  k.resists_border = true;
  run(&k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads_come_ahead),
                                     cmocka_unit_test(sums_come_behind),
                                     cmocka_unit_test(patches_share_nodes),
                                     cmocka_unit_test(spectral),
                                     cmocka_unit_test(fluids),
                                     cmocka_unit_test(colours),
                                     cmocka_unit_test(edges),
                                     cmocka_unit_test(stored),
                                     cmocka_unit_test(matrix_free),
                                     cmocka_unit_test(edges_packed),
                                     cmocka_unit_test(congruent),
                                     cmocka_unit_test(loads_away_from_borders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
