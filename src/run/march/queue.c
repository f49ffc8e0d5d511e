/* The queue of batches. In a checkpoint the state of the first batch that has not ended comes first, as in runs of one device. Behind it stand the other
 * batches that have begun, each with four numbers: batch, whether it has ended, step, bytes. Then follows its state, or the balances of its shots. */
#include "run/march/march.h"
#include <math.h>
#include <string.h>

enum { BATCH, ENDED, STEP, BYTES, WORDS };

static int shots_of(const hk_march *s, hk_count batch)
{
  const hk_count left = s->shots.all - batch * s->shots.at_once;
  return left < s->shots.at_once ? (int)left : s->shots.at_once;
}

static hk_balance *balances_of(const hk_march *s, hk_count batch)
{
  return s->energy.all + batch * s->shots.at_once;
}

/* Balances of shots that ended, from a checkpoint; what was off at an end is kept in session->off. */
static hk_status take_balances(hk_march *s, hk_count batch, const char *from, hk_count bytes)
{
  hk_balance *to = balances_of(s, batch);
  double worst = 0, number;
  HK_NEED(bytes == shots_of(s, batch) * (hk_count)sizeof *to, HK_BAD_INPUT,
          "the checkpoint does not fit this model: energies of %lld bytes", (long long)bytes);
  for (hk_count i = 0; i < bytes; i += (hk_count)sizeof number) {
    memcpy(&number, from + i, sizeof number);
    HK_NEED(isfinite(number), HK_BAD_INPUT, "the energies of the checkpoint are not numbers");
  }
  memcpy(to, from, (size_t)bytes);
  for (int k = 0; k < shots_of(s, batch); k++)
    if (to[k].largest > 0) worst = fmax(worst, fabs(to[k].balance) / to[k].largest);
  hk_march_judge_ended(s, worst);
  return HK_OK;
}

/* A batch that has gone to the former end, or beyond the new one, cannot be gone on with to another. */
static hk_status check_end(const hk_march *s, const hk_march_batch *b)
{
  const hk_checkpoint *head = &s->checkpoint.head;
  const bool same = s->checkpoint.key[HK_KEY_END] == head->part[HK_KEY_END],
             before = b->step <= s->stage[0].steps && (double)b->step <= head->steps;
  HK_NEED(
      same || (!b->ended && before), HK_BAD_INPUT,
      "the checkpoint has shots that are complete up to the former end time: give that end time "
      "again");
  return HK_OK;
}

/* One of the other batches, which begins at byte *at. */
static hk_status restore_other(hk_march *s, const char *all, hk_count *before, hk_count *at)
{
  const hk_count end = s->checkpoint.head.bytes;
  int64_t word[WORDS] = {0};
  const bool whole = end - *at >= (hk_count)sizeof word;
  if (whole) memcpy(word, all + *at, sizeof word);
  HK_NEED(whole && word[BATCH] > *before && word[BATCH] < s->queue->count &&
              (word[ENDED] == 0 || word[ENDED] == 1) && word[STEP] >= 0 &&
              word[STEP] <= s->stage[0].all_steps && word[BYTES] > 0 &&
              word[BYTES] <= end - *at - (hk_count)sizeof word,
          HK_BAD_INPUT, "the checkpoint does not fit this model: its batches of shots");
  *before = word[BATCH], *at += (hk_count)sizeof word;
  hk_march_batch *b = &s->queue->batch[word[BATCH]];
  b->ended = b->taken = word[ENDED], b->step = word[STEP];
  HK_PASS(check_end(s, b));
  if (b->ended) {
    HK_PASS(take_balances(s, word[BATCH], all + *at, word[BYTES]));
  } else {
    HK_PASS(hk_get(&b->state, word[BYTES]));
    memcpy(b->state, all + *at, (size_t)word[BYTES]);
    b->bytes = word[BYTES];
  }
  *at += word[BYTES];
  return HK_OK;
}

static hk_status restore(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_checkpoint *head = &s->checkpoint.head;
  hk_count first = head->first_shot / head->shots, own = head->bytes - head->others;
  char *all = s->checkpoint.state;
  s->checkpoint.state = NULL;
  for (hk_count k = 0; k < first; k++) s->queue->batch[k].taken = s->queue->batch[k].ended = true;
  HK_CHECK(own >= 0 && head->others >= 0 && (own > 0 || head->step == 0), HK_BAD_INPUT,
           "the checkpoint does not fit this model: its sizes");
  for (hk_count at = own; at < head->bytes;) HK_TRY(restore_other(s, all, &first, &at));
  hk_march_batch *b = &s->queue->batch[head->first_shot / head->shots];
  b->step = head->step, b->bytes = own;
  if (own) b->state = all, all = NULL;
cleanup:
  hk_free(&all);
  return status;
}

hk_status hk_queue_create(hk_march *s)
{
  HK_PASS(hk_pool_get(&s->pool, &s->queue, 1));
  pthread_mutex_init(&s->queue->lock, NULL);
  return HK_OK;
}

hk_status hk_queue_fill(hk_march *s)
{
  const hk_count count = (s->shots.all + s->shots.at_once - 1) / s->shots.at_once;
  HK_PASS(hk_pool_get(&s->pool, &s->queue->batch, count));
  s->queue->count = count;
  HK_PASS(hk_pool_get(&s->pool, &s->energy.all, s->shots.all));
  s->energy.balance = s->energy.all;
  return s->checkpoint.resumes ? restore(s) : HK_OK;
}

void hk_queue_destroy(hk_march *s)
{
  if (!s->queue) return;
  for (hk_count k = 0; k < s->queue->count; k++) hk_free(&s->queue->batch[k].state);
  pthread_mutex_destroy(&s->queue->lock);
}

hk_march_batch *hk_queue_batch(const hk_march *s)
{
  return &s->queue->batch[s->shots.first / s->shots.at_once];
}

bool hk_queue_take(hk_march *s)
{
  hk_march_queue *q = s->queue;
  hk_count k = 0;
  pthread_mutex_lock(&q->lock);
  while (k < q->count && q->batch[k].taken) k++;
  const bool any = k < q->count;
  if (any) {
    q->batch[k].taken = true;
    s->shots.first = k * s->shots.at_once, s->shots.batch = shots_of(s, k);
    s->energy.balance = balances_of(s, k);
  }
  pthread_mutex_unlock(&q->lock);
  return any;
}

/* The state at the end is kept where a later end may follow. */
void hk_queue_end(hk_march *s)
{
  pthread_mutex_lock(&s->queue->lock);
  hk_march_batch *b = hk_queue_batch(s);
  b->ended = true;
  if (!s->session->desc->keep_checkpoint) hk_free(&b->state);
  pthread_mutex_unlock(&s->queue->lock);
}

hk_count hk_queue_steps(const hk_march *s)
{
  hk_count steps = 0;
  for (hk_count k = 0; k < s->queue->count; k++)
    steps += s->queue->batch[k].ended ? s->stage[0].all_steps : s->queue->batch[k].step;
  return steps;
}

/* Nothing of it is to be gone on with. */
static bool is_done(const hk_march_batch *b)
{
  return b->ended && !b->state;
}

static bool is_other(const hk_march_queue *q, hk_count k, hk_count first)
{
  return k > first && (q->batch[k].ended || q->batch[k].state);
}

static void pack_other(const hk_march *s, hk_count k, char **to)
{
  const hk_march_batch *b = &s->queue->batch[k];
  const bool done = is_done(b);
  const hk_count bytes = done ? shots_of(s, k) * (hk_count)sizeof *s->energy.all : b->bytes;
  const int64_t word[WORDS] = {[BATCH] = k, [ENDED] = done, [STEP] = b->step, [BYTES] = bytes};
  memcpy(*to, word, sizeof word);
  memcpy(*to + sizeof word, done ? (const char *)balances_of(s, k) : b->state, (size_t)bytes);
  *to += (hk_count)sizeof word + bytes;
}

hk_status hk_queue_pack(const hk_march *s, hk_checkpoint *head, const char **state, char **owned)
{
  const hk_march_queue *q = s->queue;
  hk_count first = 0;
  while (first < q->count && is_done(&q->batch[first])) first++;
  if (first == q->count) first--; /* its shots are stepped anew, and what follows them is done */
  const hk_march_batch *b = &q->batch[first];
  const hk_balance sum = hk_march_balance(s, first * s->shots.at_once);
  const hk_energy *e = &sum.energy;
  const double energy[] = {e->kinetic, e->strain, e->work, e->damping, sum.balance};
  memcpy(head->energy, energy, sizeof energy);
  head->first_shot = first * s->shots.at_once, head->shots = s->shots.at_once;
  head->step = b->state ? b->step : 0, head->others = 0;
  const hk_count own = b->state ? b->bytes : 0;
  for (hk_count k = first + 1; k < q->count; k++)
    if (is_other(q, k, first))
      head->others +=
          WORDS * 8 + (is_done(&q->batch[k]) ? shots_of(s, k) * (hk_count)sizeof *s->energy.all
                                             : q->batch[k].bytes);
  head->bytes = own + head->others;
  *state = b->state;
  if (own && !head->others) return HK_OK;
  HK_PASS(hk_get(owned, head->bytes + 8));
  char *to = *owned + own;
  if (own) memcpy(*owned, b->state, (size_t)own);
  for (hk_count k = first + 1; k < q->count; k++)
    if (is_other(q, k, first)) pack_other(s, k, &to);
  *state = *owned;
  return HK_OK;
}
