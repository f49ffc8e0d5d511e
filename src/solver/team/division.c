/* Granules are shared out (space/owner.h), and each thread numbers its own part and makes its K from the whole mesh and from the terms that act on
 * its nodes (terms.c). */
#include "solver/team/division.h"
#include "operator/list.h"

hk_status hk_division_check(const hk_operator_kind *kind, const hk_mesh *mesh,
                            const hk_device *device, const hk_operator_terms *terms, bool damped)
{
  HK_PASS(hk_division_check_terms(terms));
  HK_NEED(kind->parts && kind->parts(mesh, device), HK_BAD_INPUT,
          "several devices cannot step one model by method %s yet: give one device, or method "
          "congruent, edges, edges-packed, stored or spectral",
          kind->name);
  HK_NEED(!damped || !kind->undamped || !kind->undamped(mesh, device), HK_BAD_INPUT,
          "several devices cannot step a model with damping by method %s yet: give one device, or "
          "method congruent, edges, edges-packed or stored",
          kind->name);
  return HK_OK;
}

typedef struct making {
  hk_division *division;
  const hk_division_desc *desc;
} making;

static hk_status make_part(void *user, int own)
{
  const making *m = user;
  const int k = m->division->first + own;
  hk_division_part *p = &m->division->part[k];
  hk_operator_desc desc = *m->desc->whole;
  hk_granules granules = m->division->granules;
  granules.acted = m->desc->acted;
  HK_PASS(hk_part_create(m->division->whole, &granules, k, &p->part));
  HK_PASS(hk_space_create_part(m->division->whole, p->part, &p->space));
  HK_PASS(hk_division_take_terms(&desc.terms, p));
  desc.device = p->device, desc.space = p->space, desc.terms = p->terms;
  HK_PASS(hk_operator_create(m->desc->kind, &desc, &p->op));
  p->rows = p->part->rows, p->whole = p->part->whole;
  p->bytes = p->op->bytes, p->memory = p->op->memory;
  return HK_OK;
}

/* Rank 0 learns which rows the others have. */
static hk_status tell_rows(hk_division *d)
{
  hk_division_part *own = &d->part[d->first];
  int64_t head[3] = {own->rows, own->bytes, own->memory};
  if (d->first > 0) {
    HK_PASS(hk_ranks_send(d->ranks, 0, head, sizeof head));
    return hk_ranks_send(d->ranks, 0, own->whole,
                         (hk_count)own->rows * (hk_count)sizeof *own->whole);
  }
  for (int k = 1; k < d->parts; k++) {
    hk_division_part *p = &d->part[k];
    hk_index *whole;
    HK_PASS(hk_ranks_take(d->ranks, k, head, sizeof head));
    p->rows = (hk_index)head[0], p->bytes = head[1], p->memory = head[2];
    HK_PASS(hk_pool_get(&d->pool, &whole, p->rows));
    HK_PASS(hk_ranks_take(d->ranks, k, whole, (hk_count)p->rows * (hk_count)sizeof *whole));
    p->whole = whole;
  }
  return HK_OK;
}

/* The part of this rank; METIS of rank 0 shares the granules out, as that of another host may be another. */
static hk_status make_rank(making *m)
{
  hk_division *d = m->division;
  HK_PASS(hk_ranks_broadcast(d->ranks, (void *)d->granules.part,
                             d->granules.count * (hk_count)sizeof *d->granules.part));
  HK_PASS(hk_ranks_agree(make_part(m, 0)));
  return hk_ranks_tear(d->ranks, tell_rows(d));
}

/* The host's threads are shared out among the parts. */
static hk_status create_crew(hk_division *d)
{
  hk_status status = HK_OK;
  int *threads = NULL;
  HK_TRY(hk_get(&threads, d->parts));
  for (int k = 0; k < d->parts; k++) {
    const int all = hk_device_describe(d->part[k].device)->threads;
    const bool host = !hk_device_describe(d->part[k].device)->own_memory;
    threads[k] = host ? all : (all + d->parts - 1) / d->parts;
  }
  HK_TRY(hk_crew_create(d->parts, threads, &d->crew));
cleanup:
  hk_free(&threads);
  return status;
}

hk_status hk_division_create(const hk_division_desc *desc, hk_division **out)
{
  hk_status status = HK_OK;
  hk_division *d = NULL;
  HK_TRY(hk_division_check(desc->kind, desc->whole->space->mesh, desc->device[0],
                           &desc->whole->terms, false));
  HK_TRY(hk_new(&d));
  d->whole = desc->whole->space, d->link = desc->link, d->ranks = desc->ranks;
  d->terms = desc->whole->terms;
  d->parts = d->ranks ? d->ranks->place.ranks : desc->parts;
  d->first = d->ranks ? d->ranks->place.rank : 0, d->own = desc->parts;
  HK_TRY(hk_pool_get(&d->pool, &d->part, d->parts));
  for (int k = 0; k < d->own; k++) d->part[d->first + k].device = desc->device[k];
  HK_TRY(hk_granules_share(d->whole, d->parts, desc->pairs, desc->joined, &d->pool, &d->granules));
  HK_TRY(hk_division_list_pairs(&desc->whole->terms, &d->pool, &d->granules));
  if (d->ranks) {
    HK_TRY(make_rank(&(making){d, desc}));
  } else {
    HK_TRY(create_crew(d));
    HK_TRY(hk_crew_run(d->crew, make_part, NULL, &(making){d, desc}));
  }
  *out = d, d = NULL;
cleanup:
  hk_division_destroy(&d);
  return status;
}

void hk_division_destroy(hk_division **division)
{
  hk_division *d = *division;
  if (!d) return;
  hk_crew_destroy(&d->crew);
  for (int k = 0; d->part && k < d->parts; k++) {
    hk_division_part *p = &d->part[k];
    hk_operator_destroy(&p->op);
    hk_space_destroy(&p->space);
    hk_part_destroy(&p->part);
    hk_pool_clear(&p->pool);
  }
  hk_pool_clear(&d->pool);
  hk_free(division);
}
