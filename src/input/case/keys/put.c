/* The end of the table of keys that writes: finds the rule of a key, and puts a value into the member of a structure that
 * the rule names with INTO (keys/words.h): a double, an int or an enumeration, a 64-bit integer or a text. What a key means is thus told
 * once, in the table. */
#include "input/case/keys/rules.h"
#include <stdio.h>
#include <string.h>

const hk_key *hk_key_find(const hk_key *keys, const char *key, size_t length)
{
  for (const hk_key *r = keys; r->key; r++)
    if (strlen(r->key) == length && strncmp(r->key, key, length) == 0) return r;
  return NULL;
}

void hk_key_put(const hk_key *rule, const char *text, double number, void *out)
{
  char *to = (char *)out + rule->at;
  if (rule->form == HK_FORM_NUMBER)
    *(double *)(void *)to = number;
  else if (rule->form != HK_FORM_TEXT && rule->size == sizeof(int))
    *(int *)(void *)to = (int)number;
  else if (rule->form == HK_FORM_INTEGER)
    memcpy(to, &(int64_t){(int64_t)number}, sizeof(int64_t));
  else
    snprintf(to, rule->size, "%s", text);
}
