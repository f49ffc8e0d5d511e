/* The arrays of a state (state.h): a list of named device buffers that terms and sources add to at create.
 * Trial steps copy those marked HK_ARRAY_TRIAL to a shadow and back; checkpoints save all in a fixed order, those of receivers last,
 * so that a restart with other receivers can leave them out. */
#include <string.h>
#include "solver/explicit/state.h"

hk_status hk_state_add(hk_state *state, hk_device *device, const char *name, unsigned use,
                       hk_count bytes, hk_buffer **out)
{
  HK_NEED(state->arrays < HK_MOST_ARRAYS, HK_INTERNAL,
          "too many arrays of state: \"%s\" is one more than fits", name);
  hk_state_array *a = &state->array[state->arrays++];
  *a = (hk_state_array){.name = name, .use = use};
  HK_PASS(hk_buffer_create(device, bytes, &a->buffer));
  if (use & HK_ARRAY_TRIAL) HK_PASS(hk_buffer_create(device, bytes, &a->shadow));
  *out = a->buffer;
  return HK_OK;
}

hk_buffer *hk_state_find(const hk_state *state, const char *name)
{
  for (int k = 0; k < state->arrays; k++)
    if (!strcmp(state->array[k].name, name)) return state->array[k].buffer;
  return NULL;
}

hk_status hk_state_keep(hk_state *state)
{
  for (int k = 0; k < state->arrays; k++)
    if (state->array[k].shadow)
      HK_PASS(hk_buffer_copy(state->array[k].shadow, state->array[k].buffer));
  return HK_OK;
}

hk_status hk_state_put_back(hk_state *state)
{
  for (int k = 0; k < state->arrays; k++)
    if (state->array[k].shadow)
      HK_PASS(hk_buffer_copy(state->array[k].buffer, state->array[k].shadow));
  return HK_OK;
}

/* The k-th array in the order of saving; NULL: there is none. */
static hk_buffer *ordered(const hk_state *state, bool receivers, int k)
{
  for (int pass = 0; pass < (receivers ? 2 : 1); pass++)
    for (int i = 0; i < state->arrays; i++) {
      const bool of_receivers = state->array[i].use & HK_ARRAY_RECEIVER;
      if (of_receivers == (pass == 1) && k-- == 0) return state->array[i].buffer;
    }
  return NULL;
}

hk_count hk_state_bytes(const hk_state *state, bool receivers)
{
  hk_count sum = 0;
  for (int k = 0; ordered(state, receivers, k); k++)
    sum += hk_buffer_bytes(ordered(state, receivers, k));
  return sum;
}

hk_status hk_state_save(const hk_state *state, void *to)
{
  char *place = to;
  for (int k = 0; ordered(state, true, k); k++) {
    const hk_buffer *buffer = ordered(state, true, k);
    HK_PASS(hk_buffer_read(buffer, 0, hk_buffer_bytes(buffer), place));
    place += hk_buffer_bytes(buffer);
  }
  return HK_OK;
}

hk_status hk_state_restore(hk_state *state, bool receivers, const void *from)
{
  const char *place = from;
  for (int k = 0; ordered(state, receivers, k); k++) {
    hk_buffer *buffer = ordered(state, receivers, k);
    HK_PASS(hk_buffer_write(buffer, 0, hk_buffer_bytes(buffer), place));
    place += hk_buffer_bytes(buffer);
  }
  return HK_OK;
}

void hk_state_destroy(hk_state *state)
{
  for (int k = 0; k < state->arrays; k++) {
    hk_buffer_destroy(&state->array[k].buffer);
    hk_buffer_destroy(&state->array[k].shadow);
  }
  state->arrays = 0;
}
