/* Words for people.
 *
 *   static const char *const words[] = {"density", "young", "poisson"};
 *   const int i = hk_nearest("poison", words, 3);
 *   if (i >= 0) printf("did you mean \"%s\"?\n", words[i]);
 */
#ifndef HOOKE_TEXT_H
#define HOOKE_TEXT_H
#include <hooke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Index of the word nearest to `word` when it is near enough to be a typing error, else -1. */
HK_API int hk_nearest(const char *word, const char *const *words, int count);

#ifdef __cplusplus
}
#endif
#endif
