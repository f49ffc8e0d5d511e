/* Fetches of a vector of the whole model: one for each part, joined by whoever waits for them, in another thread than that which steps. */
#include "solver/team/parts.h"
#include <string.h>

struct hk_team_fetch {
  const hk_division *division; /* NULL: one device */
  int parts, first, own;
  hk_fetch **fetch; /* fetch[parts]; NULL: of another rank, whose rows come when the fetch begins */
  char *whole;
  hk_count node; /* bytes of a node in all components; of the whole */
};

hk_status hk_team_fetch_create(hk_device *device, const hk_division *division, hk_count bytes,
                               hk_team_fetch **out)
{
  hk_status status = HK_OK;
  hk_team_fetch *f = NULL;
  HK_TRY(hk_new(&f));
  f->division = division, f->parts = division ? division->parts : 1;
  f->first = division ? division->first : 0, f->own = division ? division->own : 1;
  HK_TRY(hk_get(&f->fetch, f->parts));
  if (!division) HK_TRY(hk_fetch_create(device, bytes, &f->fetch[0]));
  if (division) {
    f->node = bytes / division->whole->padded;
    HK_TRY(hk_get(&f->whole, bytes));
    for (int k = f->first; k < f->first + f->own; k++)
      HK_TRY(hk_fetch_create(division->part[k].device, f->node * division->part[k].space->padded,
                             &f->fetch[k]));
  }
  *out = f, f = NULL;
cleanup:
  hk_team_fetch_destroy(&f);
  return status;
}

void hk_team_fetch_destroy(hk_team_fetch **fetch)
{
  hk_team_fetch *f = *fetch;
  if (!f) return;
  for (int k = 0; f->fetch && k < f->parts; k++) hk_fetch_destroy(&f->fetch[k]);
  hk_free(&f->fetch);
  hk_free(&f->whole);
  hk_free(fetch);
}

typedef struct fetching {
  int shot;
  hk_state_part part;
  hk_team_fetch *fetch;
} fetching;

static hk_status fetch_next(hk_team *t, int k, void *user)
{
  const fetching *f = user;
  return hk_explicit_fetch_next(t->solver[k], f->shot, f->part, f->fetch->fetch[k]);
}

static hk_status fetch_now(hk_team *t, const fetching *what)
{
  for (int k = t->first; k < t->first + t->own; k++)
    HK_PASS(hk_explicit_fetch(t->solver[k], what->shot, what->part, what->fetch->fetch[k]));
  return HK_OK;
}

static hk_status begin_own(hk_team *t, bool next, fetching *what)
{
  return hk_team_stepped(t, next ? hk_team_each(t, fetch_next, what) : fetch_now(t, what));
}

hk_status hk_team_fetch_begin(hk_team *t, int shot, hk_state_part part, bool next, hk_team_fetch *f)
{
  HK_PASS(hk_team_tell(
      t, &(hk_command){.what = HK_TEAM_FETCH, .shot = shot, .part = (int)part, .flag = next}));
  HK_PASS(begin_own(t, next, &(fetching){shot, part, f}));
  return t->ranks ? hk_team_tear(t, hk_team_take_rows(t, f->whole, f->node)) : HK_OK;
}

/* Sends rank 0 the rows of this part; what was fetched are all its numbers, ghosts among them. */
static hk_status send_fetched(hk_team *t, const hk_team_fetch *f)
{
  const void *own;
  HK_PASS(hk_fetch_wait(f->fetch[t->first], &own));
  return hk_team_send_rows(t, own, f->node);
}

hk_status hk_team_fetch_own(hk_team *t, int shot, hk_state_part part, bool next)
{
  const hk_operator_desc *of = &t->division->part[t->first].op->desc;
  const bool integral = part >= HK_STATE_INTEGRAL; /* a double for each node */
  const hk_count node =
      integral ? 8 : t->division->whole->components * (of->double_precision ? 8 : 4);
  hk_team_fetch **own = &t->fetch[integral];
  if (!*own)
    HK_PASS(hk_team_tear(
        t, hk_team_fetch_create(NULL, t->division, node * t->division->whole->padded, own)));
  HK_PASS(begin_own(t, next, &(fetching){shot, part, *own}));
  return hk_team_tear(t, send_fetched(t, *own));
}

hk_status hk_team_fetch_wait(hk_team_fetch *f, const void **data)
{
  if (!f->division) return hk_fetch_wait(f->fetch[0], data);
  for (int k = f->first; k < f->first + f->own; k++) {
    const hk_part *p = f->division->part[k].part;
    const void *own;
    HK_PASS(hk_fetch_wait(f->fetch[k], &own));
    for (hk_index i = 0; i < p->rows; i++)
      memcpy(f->whole + p->whole[i] * f->node, (const char *)own + i * f->node, (size_t)f->node);
  }
  *data = f->whole;
  return HK_OK;
}
