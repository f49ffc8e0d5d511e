/* Each call is done by all solvers at once where steps are taken, each by the thread of its device; what only reads goes through them in turn. With one
 * solver every call is handed on as it is. */
#include "solver/team/parts.h"

struct hk_team_end { /* what the functions of a link need */
  hk_links *links;
  int part;
};

typedef struct job { /* of hk_crew_run */
  hk_team *team;
  hk_status (*what)(hk_team *team, int part, void *user);
  void *user;
} job;

static hk_status do_work(void *user, int part)
{
  const job *w = user;
  return w->what(w->team, part, w->user);
}

static void stop_links(void *user)
{
  hk_links_stop(((const job *)user)->team->links);
}

hk_status hk_team_each(hk_team *t, hk_status (*what)(hk_team *team, int part, void *user),
                       void *user)
{
  if (!t->division) return what(t, 0, user);
  if (t->ranks) {
    const hk_status status = what(t, t->first, user);
    if (status != HK_OK) hk_links_stop(t->links);
    return status;
  }
  return hk_crew_run(t->division->crew, do_work, stop_links, &(job){t, what, user});
}

static hk_status begin_link(void *user, hk_buffer *vector)
{
  const struct hk_team_end *e = user;
  return hk_links_begin(e->links, e->part, vector);
}

static hk_status end_link(void *user, hk_buffer *vector)
{
  const struct hk_team_end *e = user;
  return hk_links_end(e->links, e->part, vector);
}

static hk_status share(hk_team *t, int part, void *user)
{
  (void)user;
  return hk_share_create(&t->desc, t->division, part, &t->share[part]);
}

/* What all parts have to know of one another. */
static hk_status compare(hk_team *t, int64_t *rates)
{
  int64_t most[2] = {*rates, hk_team_losses(t)};
  if (t->ranks) HK_PASS(hk_ranks_largest(t->ranks, most, 2));
  *rates = most[0], t->losses = most[1];
  return HK_OK;
}

static hk_status open_links(hk_team *t)
{
  int64_t rates = 0;
  HK_PASS(hk_pool_get(&t->pool, &t->side, t->parts));
  for (int k = t->first; k < t->first + t->own; k++) {
    const hk_division_part *p = &t->division->part[k];
    rates = rates || t->share[k].rates;
    t->side[k] = (hk_link_side){.device = p->device,
                                .neighbours = p->part->neighbours,
                                .neighbour = p->part->neighbour,
                                .send_begin = p->part->send_begin,
                                .send = p->part->send,
                                .take_begin = p->part->take_begin,
                                .more_begin = p->part->inside_begin,
                                .padded = p->space->padded,
                                .components = p->space->components,
                                .shots = t->desc.shots ? t->desc.shots : 1,
                                .double_precision = p->op->desc.double_precision,
                                .exchanges = t->desc.steps};
  }
  HK_PASS(compare(t, &rates));
  HK_PASS(hk_links_open(t->division->link, t->parts, t->side, &t->links));
  t->division->link = t->links->kind->name; /* of the stages to come */
  HK_PASS(hk_pool_get(&t->pool, &t->link, t->parts));
  HK_PASS(hk_pool_get(&t->pool, &t->end, t->parts));
  for (int k = t->first; k < t->first + t->own; k++) {
    t->end[k] = (struct hk_team_end){t->links, k};
    t->link[k] = (hk_link){.sent = t->division->part[k].part->sent,
                           .recorded = t->links->kind->recorded,
                           .singly = t->links->kind->singly,
                           .rates = rates != 0,
                           .begin = begin_link,
                           .end = end_link,
                           .user = &t->end[k]};
  }
  return HK_OK;
}

static hk_status create_solver(hk_team *t, int k, void *user)
{
  hk_explicit_desc desc = t->desc;
  hk_share *own = t->share ? &t->share[k] : NULL;
  (void)user;
  if (own) {
    desc.op = t->division->part[k].op, desc.link = &t->link[k];
    desc.mass = own->mass, desc.damping = own->damping, desc.dashpots = &own->dashpots;
    desc.excitation = &own->excitation, desc.receivers = &own->receivers;
    desc.receiver_group = own->group, desc.of_rate = own->of_rate;
  }
  return hk_explicit_create(&desc, &t->solver[k]);
}

hk_status hk_team_create(const hk_explicit_desc *desc, hk_division *division, hk_team **out)
{
  hk_status status = HK_OK;
  hk_team *t = NULL;
  HK_TRY(hk_new(&t));
  t->division = division, t->desc = *desc, t->parts = division ? division->parts : 1;
  t->first = division ? division->first : 0, t->own = division ? division->own : 1;
  t->ranks = division ? division->ranks : NULL;
  HK_TRY(hk_pool_get(&t->pool, &t->solver, t->parts));
  HK_TRY(hk_pool_get(&t->pool, &t->table, t->parts));
  if (division) {
    HK_TRY(hk_pool_get(&t->pool, &t->share, t->parts));
    HK_TRY(hk_team_each(t, share, NULL));
    HK_TRY(open_links(t));
    HK_TRY(hk_team_get_samples(t));
  }
  HK_TRY(hk_team_each(t, create_solver, NULL));
  *out = t, t = NULL;
cleanup:
  hk_team_destroy(&t);
  return status;
}

void hk_team_destroy(hk_team **team)
{
  hk_team *t = *team;
  if (!t) return;
  for (int k = 0; k < 2; k++) hk_team_fetch_destroy(&t->fetch[k]);
  for (int k = 0; t->solver && k < t->parts; k++) hk_explicit_destroy(&t->solver[k]);
  hk_links_close(&t->links);
  for (int k = 0; t->share && k < t->parts; k++) hk_pool_clear(&t->share[k].pool);
  hk_pool_clear(&t->pool);
  hk_free(team);
}

/* *out: that of a part; its ghosts too. */
static hk_status part_vector(const hk_team *t, int k, int shots, const double *whole, hk_pool *pool,
                             double **out)
{
  const hk_space *own = t->division->part[k].space, *all = t->division->whole;
  const hk_count dofs = (hk_count)own->padded * own->components,
                 of_whole = (hk_count)all->padded * all->components;
  if (!whole) return HK_OK;
  HK_PASS(hk_pool_get(pool, out, shots * dofs));
  for (int shot = 0; shot < shots; shot++)
    hk_share_vector(t->division, k, own->components, whole + shot * of_whole, *out + shot * dofs);
  return HK_OK;
}

static hk_status start_part(hk_team *t, int k, void *user)
{
  hk_status status = HK_OK;
  const hk_team_vectors *v = user;
  hk_pool pool = {0};
  double *u0 = NULL, *v0 = NULL;
  if (!t->division) return hk_explicit_start(t->solver[0], v->a, v->b);
  HK_TRY(part_vector(t, k, 1, v->a, &pool, &u0));
  HK_TRY(part_vector(t, k, 1, v->b, &pool, &v0));
  HK_TRY(hk_explicit_start(t->solver[k], u0, v0));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status continue_part(hk_team *t, int k, void *user)
{
  hk_status status = HK_OK;
  const hk_team_vectors *v = user;
  const int shots = t->desc.shots ? t->desc.shots : 1;
  hk_pool pool = {0};
  double *u = NULL, *d = NULL;
  if (!t->division) return hk_explicit_continue(t->solver[0], v->a, v->b);
  HK_TRY(part_vector(t, k, shots, v->a, &pool, &u));
  HK_TRY(part_vector(t, k, shots, v->b, &pool, &d));
  HK_TRY(hk_explicit_continue(t->solver[k], u, d));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Other ranks get a vector of rank 0 into a copy. */
static hk_status spread(hk_team *t, hk_count count, const double **vector, bool given,
                        hk_pool *pool)
{
  double *copy = (double *)*vector;
  if (!given) return HK_OK;
  if (hk_team_helps(t)) HK_PASS(hk_pool_get(pool, &copy, count));
  *vector = copy;
  return hk_ranks_broadcast(t->ranks, copy, count * (hk_count)sizeof *copy);
}

hk_status hk_team_set(hk_team *t, int what, int given, const hk_team_vectors *vectors)
{
  hk_status status = HK_OK;
  hk_team_vectors v = *vectors;
  hk_pool pool = {0};
  const int shots = what == HK_TEAM_CONTINUE && t->desc.shots ? t->desc.shots : 1;
  if (t->ranks) {
    const hk_count count =
        (hk_count)t->division->whole->padded * t->division->whole->components * shots;
    HK_TRY(hk_team_tell(t, &(hk_command){.what = what, .flag = given}));
    HK_TRY(spread(t, count, &v.a, given & 1, &pool));
    HK_TRY(spread(t, count, &v.b, given & 2, &pool));
  }
  HK_TRY(hk_team_each(t, what == HK_TEAM_START ? start_part : continue_part, &v));
cleanup:
  hk_pool_clear(&pool);
  return hk_team_agree(t, status);
}

hk_status hk_team_start(hk_team *t, const double *u0, const double *v0)
{
  return hk_team_set(t, HK_TEAM_START, (u0 ? 1 : 0) | (v0 ? 2 : 0), &(hk_team_vectors){u0, v0});
}

hk_status hk_team_continue(hk_team *t, const double *u, const double *increment)
{
  return hk_team_set(t, HK_TEAM_CONTINUE, 3, &(hk_team_vectors){u, increment});
}

static hk_status advance_part(hk_team *t, int k, void *user)
{
  HK_PASS(hk_explicit_advance(t->solver[k], *(const hk_count *)user));
  return HK_OK;
}

hk_status hk_team_advance(hk_team *t, hk_count to)
{
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_ADVANCE, .count = to}));
  return hk_team_stepped(t, hk_team_each(t, advance_part, &to));
}

static hk_status energy_part(hk_team *t, int k, void *user)
{
  (void)user;
  return hk_explicit_energy_begin(t->solver[k]);
}

hk_status hk_team_energy_begin(hk_team *t)
{
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_ENERGY_BEGIN}));
  return hk_team_stepped(t, hk_team_each(t, energy_part, NULL));
}

static hk_status finish_part(hk_team *t, int k, void *user)
{
  (void)user;
  return hk_explicit_finish(t->solver[k]);
}

hk_status hk_team_finish(hk_team *t)
{
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_FINISH}));
  return hk_team_stepped(t, hk_team_each(t, finish_part, NULL));
}

hk_count hk_team_step(const hk_team *t)
{
  return hk_explicit_step(t->solver[t->first]);
}

const hk_links *hk_team_links(const hk_team *t)
{
  return t->links;
}
