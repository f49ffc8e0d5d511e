/* Opens the plug-in of an implementation of MPI and sends messages by it. All waiting is one loop: it tests, then yields the processor, then sleeps for a
 * moment, as several ranks may share a processor and a rank may wait long for one that writes files. */
#include "link/ranks.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TAG = 1 };

static hk_ranks world; /* MPI_COMM_WORLD is one of the process, and so is this */

hk_status hk_ranks_open(const hk_mpi *mpi, double patience)
{
  world = (hk_ranks){.mpi = mpi, .patience = patience > 0 ? patience : 60};
  const int code = mpi->begin(&world.place);
  if (code) world.mpi = NULL;
  HK_NEED(!code, HK_NO_RESOURCES, "MPI cannot be begun: code %d", code);
  return world.place.ranks > 1 ? hk_ranks_share_threads(&world, &world.threads) : HK_OK;
}

hk_ranks *hk_ranks_now(void)
{
  return world.mpi && world.place.ranks > 1 ? &world : NULL;
}

int hk_ranks_rank(void)
{
  return world.mpi ? world.place.rank : 0;
}

int hk_ranks_count(void)
{
  return world.mpi ? world.place.ranks : 1;
}

int hk_ranks_threads(void)
{
  return world.threads;
}

bool hk_ranks_torn(void)
{
  return world.torn;
}

void hk_ranks_renew(hk_ranks *r)
{
  r->failure = (hk_failure){0};
  r->stop_asked = r->stop_here = false;
}

hk_status hk_ranks_tear(hk_ranks *r, hk_status status)
{
  r->torn = r->torn || status != HK_OK;
  return status;
}

hk_status hk_ranks_check(const hk_ranks *r, int code, const char *doing)
{
  char words[512];
  if (!code) return HK_OK;
  r->mpi->explain(code, words, sizeof words);
  return hk_error_set(HK_NO_RESOURCES, "rank %d of MPI: %s failed: %s", r->place.rank, doing,
                      words);
}

/* The longer it has waited, the less often it looks. */
static void rest(hk_count tries)
{
  enum { AT_ONCE = 100, SOON = 4000 };
  const struct timespec moment = {.tv_nsec = tries < 4 * SOON ? 50000 : 500000};
  if (tries < AT_ONCE) return;
  if (tries < SOON)
    sched_yield();
  else
    nanosleep(&moment, NULL);
}

/* from: below 0: some other rank */
static hk_status hangs(const hk_ranks *r, const char *whose, int from)
{
  char other[32] = "another rank";
  if (from >= 0) snprintf(other, sizeof other, "rank %d", from);
  return hk_error_set(HK_NO_RESOURCES,
                      "rank %d has waited %.3g s for %s of %s, which does not come: that rank "
                      "hangs, or its host or the network does",
                      r->place.rank, r->patience, whose, other);
}

static hk_status wait_for(hk_ranks *r, hk_mpi_request *request, const char *whose, int from,
                          void (*idle)(void *user), void *user)
{
  enum { OFTEN = 64 };
  double since = 0;
  int done = 0;
  for (hk_count tries = 0;; tries++) {
    HK_PASS(hk_ranks_check(r, r->mpi->test(request, &done), "waiting"));
    if (done) return HK_OK;
    rest(tries);
    if (tries % OFTEN) continue;
    if (idle) idle(user);
    if (!since) since = hk_seconds();
    if (whose && hk_seconds() - since > r->patience) return hangs(r, whose, from);
  }
}

hk_status hk_ranks_wait(hk_ranks *r, hk_mpi_request *request, const char *whose, int from)
{
  return wait_for(r, request, whose, from, NULL, NULL);
}

static int piece_of(hk_count bytes)
{
  return (int)(bytes < HK_MPI_MOST ? bytes : HK_MPI_MOST);
}

hk_status hk_ranks_send(hk_ranks *r, int to, const void *data, hk_count bytes)
{
  const char *from = data;
  for (hk_count at = 0; at < bytes; at += HK_MPI_MOST) {
    hk_mpi_request request;
    HK_PASS(hk_ranks_check(
        r, r->mpi->send(from + at, 1, piece_of(bytes - at), 0, to, TAG, &request), "sending"));
    HK_PASS(hk_ranks_wait(r, &request, NULL, to));
  }
  return HK_OK;
}

hk_status hk_ranks_take(hk_ranks *r, int from, void *data, hk_count bytes)
{
  char *to = data;
  for (hk_count at = 0; at < bytes; at += HK_MPI_MOST) {
    hk_mpi_request request;
    HK_PASS(hk_ranks_check(r, r->mpi->take(to + at, piece_of(bytes - at), from, TAG, &request),
                           "receiving"));
    HK_PASS(hk_ranks_wait(r, &request, "an answer", from));
  }
  return HK_OK;
}

static hk_status largest(hk_ranks *r, const int64_t *own, int64_t *most, int count)
{
  hk_mpi_request request;
  HK_PASS(hk_ranks_check(r, r->mpi->largest(own, most, count, &request), "comparing"));
  return hk_ranks_wait(r, &request, r->soon ? "the end of a step" : NULL, -1);
}

static hk_status collect(hk_ranks *r, const void *own, int bytes, void *all)
{
  hk_mpi_request request;
  HK_PASS(hk_ranks_check(r, r->mpi->collect(own, bytes, all, &request), "gathering"));
  return hk_ranks_wait(r, &request, r->soon ? "words" : NULL, -1);
}

/* Some rank has failed: all learn how the first of them did. */
static hk_status spread(hk_ranks *r, hk_status own, int first)
{
  hk_status status = HK_OK;
  hk_failure failure = {.status = own}, *all = NULL;
  if (own != HK_OK) snprintf(failure.words, sizeof failure.words, "%s", hk_error());
  HK_TRY(hk_ranks_tear(r, hk_get(&all, r->place.ranks)));
  HK_TRY(hk_ranks_tear(r, collect(r, &failure, sizeof failure, all)));
  r->failure.status = all[first].status;
  if (first == 0 || all[first].status == HK_STOPPED)
    memcpy(r->failure.words, all[first].words, sizeof r->failure.words);
  else
    snprintf(r->failure.words, sizeof r->failure.words, "rank %d: %.900s", first, all[first].words);
  status = hk_failure_tell(&r->failure);
cleanup:
  hk_free(&all);
  return status;
}

/* What a rank that has failed says where the others do not come to hear of it. */
static hk_status fail_alone(const hk_ranks *r, const hk_failure *own)
{
  return hk_error_set(own->status,
                      "%.700s (the other ranks do not come to hear of this within %.3g s: one of "
                      "them hangs, and the run ends here)",
                      own->words, r->patience);
}

hk_status hk_ranks_agree(hk_status status)
{
  hk_ranks *r = hk_ranks_now();
  if (!r || r->torn) return status;
  if (r->failure.status != HK_OK) return hk_failure_tell(&r->failure);
  const int64_t own[2] = {status == HK_OK ? 0 : r->place.ranks - r->place.rank, r->stop_here};
  int64_t most[2] = {0};
  hk_failure failure = {0};
  const bool soon = r->soon;
  hk_failure_keep(&failure, status);
  r->soon = soon || status != HK_OK;
  const hk_status heard = hk_ranks_tear(r, largest(r, own, most, 2));
  r->soon = soon;
  if (heard != HK_OK) return status == HK_OK ? heard : fail_alone(r, &failure);
  r->stop_asked = r->stop_asked || most[1];
  if (status != HK_OK) hk_failure_tell(&failure);
  return most[0] ? spread(r, status, r->place.ranks - (int)most[0]) : HK_OK;
}

hk_status hk_ranks_agree_soon(hk_ranks *r, hk_status status)
{
  r->soon = true;
  const hk_status agreed = hk_ranks_agree(status);
  r->soon = false;
  return agreed;
}

hk_status hk_ranks_broadcast(hk_ranks *r, void *data, hk_count bytes)
{
  char *to = data;
  HK_PASS(hk_ranks_agree(HK_OK));
  for (hk_count at = 0; at < bytes; at += HK_MPI_MOST) {
    hk_mpi_request request;
    HK_PASS(hk_ranks_check(r, r->mpi->broadcast(to + at, piece_of(bytes - at), &request),
                           "broadcasting"));
    HK_PASS(hk_ranks_wait(r, &request, NULL, 0));
  }
  return HK_OK;
}

hk_status hk_ranks_largest(hk_ranks *r, int64_t *value, int count)
{
  enum { MOST = 16 };
  int64_t own[MOST];
  HK_NEED(count <= MOST, HK_INTERNAL, "too many values of ranks");
  HK_PASS(hk_ranks_agree(HK_OK));
  memcpy(own, value, (size_t)count * sizeof *own);
  return largest(r, own, value, count);
}

hk_status hk_ranks_collect(hk_ranks *r, const void *own, int bytes, void *all)
{
  HK_PASS(hk_ranks_agree(HK_OK));
  return collect(r, own, bytes, all);
}

hk_status hk_ranks_join(hk_ranks *r, const void *own, int bytes, void *all)
{
  hk_mpi_request request;
  if (r->torn || r->failure.status != HK_OK) return hk_ranks_agree(HK_STOPPED);
  HK_PASS(
      hk_ranks_tear(r, hk_ranks_check(r, r->mpi->collect(own, bytes, all, &request), "adding")));
  return hk_ranks_tear(r, hk_ranks_wait(r, &request, "the sums", -1));
}

hk_status hk_ranks_command(hk_ranks *r, const hk_command *command)
{
  hk_command copy = *command;
  hk_mpi_request request;
  if (r->torn || r->failure.status != HK_OK) return hk_ranks_agree(HK_OK);
  HK_PASS(hk_ranks_check(r, r->mpi->broadcast(&copy, sizeof copy, &request), "commanding"));
  return hk_ranks_wait(r, &request, NULL, 0);
}

hk_status hk_ranks_await(hk_ranks *r, hk_command *command, void (*idle)(void *user), void *user)
{
  hk_mpi_request request;
  HK_PASS(hk_ranks_check(r, r->mpi->broadcast(command, sizeof *command, &request), "waiting"));
  return wait_for(r, &request, NULL, 0, idle, user);
}

/* All ranks leave with the code of rank 0; a rank that has failed waits for none that hangs. Rank 0 closes the files before it comes here. */
static hk_status part_company(hk_ranks *r, int64_t *code)
{
  enum { CLOSING = 10 };
  const char *whose = *code ? "the end" : NULL;
  int64_t own = 0, most = 0;
  hk_mpi_request request;
  HK_PASS(hk_ranks_check(r, r->mpi->broadcast(code, sizeof *code, &request), "ending"));
  r->patience *= CLOSING;
  HK_PASS(hk_ranks_wait(r, &request, whose, 0));
  r->patience /= CLOSING;
  HK_PASS(hk_ranks_check(r, r->mpi->largest(&own, &most, 1, &request), "ending"));
  return hk_ranks_wait(r, &request, whose, -1);
}

int hk_ranks_end(int code)
{
  hk_ranks *r = hk_ranks_now();
  const hk_mpi *mpi = world.mpi;
  int64_t of_first = code;
  if (!mpi) return code;
  if (r && !r->torn) hk_ranks_tear(r, part_company(r, &of_first));
  if (world.torn) { /* a launcher that kills may lose what was said just before */
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    mpi->kill(code ? code : HK_INTERNAL);
  }
  if (world.closing) world.closing();
  mpi->end();
  world = (hk_ranks){0};
  return (int)of_first;
}
