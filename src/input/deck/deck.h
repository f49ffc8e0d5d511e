/* Abaqus and CalculiX decks (.inp, .inp.gz) as models. */
#pragma once
#include "model/model.h"

/* Reads the deck. All errors and warnings found go to `list` (may be NULL); HK_BAD_INPUT with the
 * words of the first when there is one. `stop` is asked at each keyword; NULL: never. */
hk_status hk_deck_read(const char *path, const hk_stop *stop, hk_messages *list, hk_model **out);
