/* Words for people.
 *
 *   static const char *const words[] = {"density", "young", "poisson"};
 *   const int i = hk_nearest("poison", words, 3);
 *   if (i >= 0) printf("did you mean \"%s\"?\n", words[i]);
 */
#ifndef HOOKE_TEXT_H
#define HOOKE_TEXT_H
#include <hooke/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Index of the word nearest to `word` when it is near enough to be a typing error, else -1. */
HK_API int hk_nearest(const char *word, const char *const *words, int count);

/* Length of the longest beginning of `text` that a terminal shows and does not obey: UTF-8 without control characters and without
 * those that turn the direction of writing. 0: the first byte is none such, or the text is empty. */
HK_API size_t hk_text_plain(const char *text);

#ifdef __cplusplus
}
#endif
#endif
