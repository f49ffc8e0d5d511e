/* The table of keywords (mesh/keywords.h) as JSON: of each keyword its name, whether it is obeyed,
 * listed or refused, where it may stand, its parameters and the words for users.
 * docs/reference/deck.md is made from this. */
#include <hooke/model.h>
#include "input/deck/mesh/reader.h"
#include "base/json.h"

/* "NSET=,GENERATE" as a list. */
static json_t *split(const char *parameters)
{
  json_t *list = json_array();
  while (*parameters) {
    const char *end = parameters;
    while (*end && *end != ',') end++;
    json_array_append_new(list, json_stringn(parameters, (size_t)(end - parameters)));
    parameters = *end ? end + 1 : end;
  }
  return list;
}

static json_t *places(unsigned where)
{
  static const struct {
    unsigned bit;
    const char *word;
  } place[] = {{HK_INP_IN_MESH, "mesh"}, {HK_INP_IN_MODEL, "model"}, {HK_INP_IN_STEP, "step"}};
  json_t *list = json_array();
  for (int i = 0; i < 3; i++)
    if (where & place[i].bit) json_array_append_new(list, json_string(place[i].word));
  return list;
}

hk_status hk_deck_keywords(char **json)
{
  static const char *const level[] = {[HK_INP_LEVEL_OBEY] = "obeyed",
                                      [HK_INP_LEVEL_COSMETIC] = "listed",
                                      [HK_INP_LEVEL_STOP] = "refused"};
  json_t *list = json_array();
  for (int id = 0; id < HK_INP_ID_COUNT; id++) {
    const hk_inp_keyword *k = hk_inp_keyword_of((hk_inp_id)id);
    json_t *entry = json_pack("{s:s, s:s, s:o, s:o, s:s}", "keyword", k->name, "level",
                              level[k->level], "where", places(k->where), "parameters",
                              split(k->parameters), "words", k->advice ? k->advice : "");
    json_array_append_new(list, entry);
  }
  const hk_status status = hk_json_dump(list, 12, json);
  json_decref(list);
  return status;
}
