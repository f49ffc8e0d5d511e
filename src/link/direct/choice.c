/* The link between ranks: each that all ranks have is tried with the rows of the model. It must give the ghosts that the link `mpi` gives, which goes through the
 * memory of the hosts and is always there; then some exchanges are timed, and the fastest is taken. One whose start takes longer than
 * all exchanges of the run is not tried. All ranks learn the same of each, as the worst of them counts, and so take the same one. */
#include "link/direct/direct.h"
#include <stdio.h>
#include <string.h>

enum { WARM = 2, TIMES = 8, RUNS = 2 };

static const char unknown[] =
    "ranks of MPI exchange rows by mpi, mpi-device or nccl: give one of them";
static const hk_link_kind *const kinds[] = {&hk_link_mpi, &hk_link_mpi_device, &hk_link_nccl};
enum { KINDS = sizeof kinds / sizeof *kinds };
_Static_assert((int)KINDS <= (int)HK_LINK_TRIALS, "a place for each that is tried");

typedef struct trial {
  hk_ranks *ranks;
  int part;
  hk_buffer *vector;
  hk_count bytes;
  char *sent, *got, *expected; /* [bytes]; expected: of the link mpi */
  bool late; /* the start of the next one takes longer than all exchanges by the best so far */
} trial;

/* Whether it failed on some rank; words: why on this one. */
static hk_status any_failed(const trial *t, bool failed, const char *words, char *why, size_t size,
                            bool *any)
{
  int64_t value = failed;
  if (failed) snprintf(why, size, "%s", words);
  HK_PASS(hk_ranks_largest(t->ranks, &value, 1));
  *any = value != 0;
  if (value && !failed) snprintf(why, size, "another rank does not have it");
  return HK_OK;
}

/* Bits that differ from rank to rank and from place to place. */
static void fill(const trial *t)
{
  uint32_t state = 2654435761U * (uint32_t)(t->ranks->place.rank + 1);
  for (hk_count i = 0; i + 4 <= t->bytes; i += 4) {
    state = state * 1664525U + 1013904223U;
    const uint32_t one = 0x3f800000U | state >> 9; /* a number in [1, 2) in either precision */
    memcpy(t->sent + i, &one, sizeof one);
  }
}

static hk_status exchange(hk_links *l, const trial *t)
{
  HK_PASS(hk_ranks_tear(t->ranks, hk_links_begin(l, t->part, t->vector)));
  return hk_ranks_tear(t->ranks, hk_links_end(l, t->part, t->vector));
}

/* out[bytes]: the vector after an exchange */
static hk_status probe(hk_links *l, const trial *t, char *out)
{
  HK_PASS(hk_buffer_write(t->vector, 0, t->bytes, t->sent));
  HK_PASS(exchange(l, t));
  return hk_buffer_read(t->vector, 0, t->bytes, out);
}

/* *seconds: of an exchange, on the slowest rank. */
static hk_status time_exchanges(hk_links *l, const trial *t, double *seconds)
{
  int64_t best = INT64_MAX;
  for (int run = -1; run < RUNS; run++) {
    int64_t spent = 0;
    const int times = run < 0 ? WARM : TIMES;
    HK_PASS(hk_ranks_largest(t->ranks, &spent, 1)); /* all begin together */
    const double before = hk_seconds();
    for (int k = 0; k < times; k++) HK_PASS(exchange(l, t));
    HK_PASS(hk_device_finish(l->side[t->part].device));
    spent = (int64_t)(1e9 * (hk_seconds() - before) / times);
    HK_PASS(hk_ranks_largest(t->ranks, &spent, 1));
    if (run >= 0 && spent < best) best = spent;
  }
  *seconds = 1e-9 * (double)best;
  return HK_OK;
}

static void leave(hk_links *l)
{
  if (l->kind && l->data) l->kind->destroy(l);
  hk_memory_free(&l->data);
}

/* Makes l one of this kind, unless a rank cannot; *open: it is. */
static hk_status open_kind(hk_links *l, const hk_link_kind *kind, const trial *t,
                           hk_link_trial *out, bool *open)
{
  const char *why = "";
  bool failed = !kind->serves(l->parts, l->side, &why);
  out->name = kind->name, *open = false;
  if (!failed && t->late)
    failed = true, why = "its start takes longer than all exchanges of the run";
  HK_PASS(any_failed(t, failed, why, out->why, sizeof out->why, &failed));
  if (failed) return HK_OK;
  l->kind = kind;
  const hk_status status = kind->create(l);
  HK_PASS(any_failed(t, status != HK_OK, hk_error(), out->why, sizeof out->why, &failed));
  *open = !failed;
  if (failed) leave(l);
  return HK_OK;
}

/* The same ghosts as of the link mpi, and the time; *open becomes false where they differ. */
static hk_status try_kind(hk_links *l, const trial *t, hk_link_trial *out, bool *open)
{
  HK_PASS(probe(l, t, t->got));
  bool failed = memcmp(t->got, t->expected, (size_t)t->bytes) != 0;
  HK_PASS(any_failed(t, failed, "it does not give what the link mpi gives", out->why,
                     sizeof out->why, &failed));
  if (failed) {
    *open = false, leave(l);
    return HK_OK;
  }
  return time_exchanges(l, t, &out->seconds);
}

static hk_status create_trial(const hk_links *l, trial *t)
{
  const hk_link_side *s;
  t->ranks = hk_ranks_now(), t->part = hk_link_own(l), s = &l->side[t->part];
  t->bytes = (hk_count)s->shots * s->padded * s->components * (s->double_precision ? 8 : 4);
  HK_PASS(hk_get(&t->sent, t->bytes));
  HK_PASS(hk_get(&t->got, t->bytes));
  HK_PASS(hk_get(&t->expected, t->bytes));
  HK_PASS(hk_buffer_create(s->device, t->bytes, &t->vector));
  fill(t);
  return HK_OK;
}

/* What the link mpi makes of the vector. */
static hk_status expect(hk_links *l, const trial *t)
{
  bool open;
  hk_link_trial mpi = {0};
  HK_PASS(open_kind(l, &hk_link_mpi, t, &mpi, &open));
  HK_NEED(open, HK_NO_RESOURCES, "link mpi: %s", mpi.why);
  HK_PASS(probe(l, t, t->expected));
  leave(l);
  return HK_OK;
}

/* Keeps the faster of `best` and l, and closes the other. */
static void keep_faster(hk_links *l, const hk_link_trial *own, hk_links *best, double *least)
{
  if (!best->kind || own->seconds < *least) {
    if (best->kind) leave(best);
    best->kind = l->kind, best->data = l->data, *least = own->seconds;
    l->data = NULL;
  } else {
    leave(l);
  }
}

/* Whether all exchanges of the run by the best one so far take less than the start of this one. */
static bool starts_late(const hk_links *l, const hk_link_kind *kind, double least)
{
  const hk_count exchanges = l->side[hk_link_own(l)].exchanges;
  return exchanges && kind->start > 0 && (double)exchanges * least < kind->start;
}

static hk_status try_all(const char *name, trial *t, hk_links *l)
{
  hk_status status = HK_OK;
  hk_links best = {.parts = l->parts, .side = l->side};
  double least = 0;
  for (int k = 0; k < KINDS; k++) {
    bool open;
    hk_link_trial *own = &l->trial[l->trials];
    if (name && strcmp(name, kinds[k]->name) != 0) continue;
    l->trials++;
    t->late = !name && starts_late(l, kinds[k], least);
    HK_TRY(open_kind(l, kinds[k], t, own, &open));
    if (open) HK_TRY(try_kind(l, t, own, &open));
    if (open) keep_faster(l, own, &best, &least);
    HK_CHECK(!name || open, HK_USAGE, "link %s: %s", name, own->why);
  }
  HK_CHECK(best.kind, HK_USAGE, "link %s: %s", name ? name : "between ranks", unknown);
cleanup:
  if (status != HK_OK) leave(l), leave(&best);
  l->kind = best.kind, l->data = best.data;
  return status;
}

hk_status hk_links_try(hk_links *l, const char *name)
{
  hk_status status = HK_OK;
  trial t = {0};
  HK_TRY(hk_ranks_agree(create_trial(l, &t)));
  HK_TRY(expect(l, &t));
  HK_TRY(try_all(name, &t, l));
  l->begun = false; /* all that was tried has ended on all ranks */
cleanup:
  hk_buffer_destroy(&t.vector);
  hk_free(&t.sent);
  hk_free(&t.got);
  hk_free(&t.expected);
  return status;
}

hk_status hk_links_check_rank(const char *name, hk_device *device)
{
  const hk_link_side side = {.device = device};
  const char *why = unknown;
  for (int k = 0; k < KINDS; k++)
    if (!strcmp(name, kinds[k]->name) && kinds[k]->serves(1, &side, &why)) return HK_OK;
  return hk_error_set(HK_USAGE, "link %s: %s", name, why);
}

/* "nccl: 14.2 us an exchange (mpi 120 us; not mpi-device: MPI says ...)" */
void hk_links_tell(const hk_links *l, char *words, size_t size)
{
  size_t at = (size_t)snprintf(words, size, "link %s", l->kind->name);
  for (int own = 1; own >= 0; own--)
    for (int k = 0; k < l->trials && at < size; k++) {
      const hk_link_trial *t = &l->trial[k];
      if ((strcmp(t->name, l->kind->name) == 0) != (own == 1)) continue;
      if (own)
        at += (size_t)snprintf(words + at, size - at, ": %.3g us an exchange", 1e6 * t->seconds);
      else if (t->why[0])
        at += (size_t)snprintf(words + at, size - at, "; not %s: %s", t->name, t->why);
      else
        at += (size_t)snprintf(words + at, size - at, "; %s takes %.3g us", t->name,
                               1e6 * t->seconds);
    }
}
