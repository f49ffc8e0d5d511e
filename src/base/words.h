/* Words by which users choose. */
#ifndef HK_BASE_WORDS_H
#define HK_BASE_WORDS_H
#include "base/base.h"

/* The word, as also no word, for: hooke chooses. */
#define HK_AUTO "auto"

static inline bool hk_is_auto(const char *word)
{
  return !word || !word[0] || hk_same_text(word, HK_AUTO);
}

/* Place of a word among word[count], without case; -1: it is none of them. */
static inline int hk_find_word(const char *word, const char *const *words, int count)
{
  for (int k = 0; word && k < count; k++)
    if (hk_same_text(word, words[k])) return k;
  return -1;
}
#endif
