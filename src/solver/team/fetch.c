/* Fetches of a vector of the whole model: one for each part, joined by whoever waits for them, in another thread than that which steps. */
#include "solver/team/parts.h"
#include <string.h>

struct hk_team_fetch {
  const hk_division *division; /* NULL: one device */
  int parts;
  hk_fetch **fetch; /* fetch[parts] */
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
  HK_TRY(hk_get(&f->fetch, f->parts));
  if (!division) HK_TRY(hk_fetch_create(device, bytes, &f->fetch[0]));
  if (division) {
    f->node = bytes / division->whole->padded;
    HK_TRY(hk_get(&f->whole, bytes));
    for (int k = 0; k < f->parts; k++)
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

hk_status hk_team_fetch_begin(hk_team *t, int shot, hk_state_part part, bool next, hk_team_fetch *f)
{
  if (next) return hk_team_each(t, fetch_next, &(fetching){shot, part, f});
  for (int k = 0; k < t->parts; k++)
    HK_PASS(hk_explicit_fetch(t->solver[k], shot, part, f->fetch[k]));
  return HK_OK;
}

hk_status hk_team_fetch_wait(hk_team_fetch *f, const void **data)
{
  if (!f->division) return hk_fetch_wait(f->fetch[0], data);
  for (int k = 0; k < f->parts; k++) {
    const hk_part *p = f->division->part[k].part;
    const void *own;
    HK_PASS(hk_fetch_wait(f->fetch[k], &own));
    for (hk_index i = 0; i < p->rows; i++)
      memcpy(f->whole + p->whole[i] * f->node, (const char *)own + i * f->node, (size_t)f->node);
  }
  *data = f->whole;
  return HK_OK;
}
