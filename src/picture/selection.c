/* Which quantities of a field have pictures, and which of its frames. */
#include "picture/picture.h"
#include <string.h>

enum { USUAL_PICTURES = 6 };

hk_gallery_most hk_gallery_usual(int fields, int field)
{
  return (hk_gallery_most){HK_GALLERY_ALL,
                           USUAL_PICTURES / fields + (field < USUAL_PICTURES % fields)};
}

/* Stress beside von Mises stress, which is its picture. */
static bool is_hidden(int count, const char *const *name, int quantity)
{
  return !strcmp(name[quantity], "stress") && hk_find_word("von_mises", name, count) >= 0;
}

hk_gallery_choice hk_gallery_choose(hk_gallery_most most, int count, const char *const *name)
{
  hk_gallery_choice c = {0};
  for (int q = 0; q < count; q++) c.quantities += !is_hidden(count, name, q);
  if (c.quantities > most.pictures) c.quantities = most.pictures;
  c.frames = c.quantities ? most.pictures / c.quantities : 0;
  if (c.frames > most.frames) c.frames = most.frames;
  return c;
}

bool hk_gallery_draws(hk_gallery_choice choice, int count, const char *const *name, int quantity)
{
  int before = 0;
  for (int q = 0; q < count; q++)
    before += !is_hidden(count, name, q) && strcmp(name[q], name[quantity]) < 0;
  return before < choice.quantities && !is_hidden(count, name, quantity);
}

hk_count hk_gallery_pick(hk_count frames, hk_count count, hk_count k)
{
  return frames > count ? (k + 1) * (frames - 1) / count : k;
}
