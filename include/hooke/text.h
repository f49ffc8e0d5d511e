/* Text for users.
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

/* Index of the word that `word` probably misspells, or -1. */
HK_API int hk_nearest(const char *word, const char *const *words, int count);

/* Length of the longest prefix of `text` that is safe to print on a terminal: UTF-8 without control characters and without characters that
 * change the direction of writing. 0: not even the first byte is safe, or the text is empty. */
HK_API size_t hk_text_plain(const char *text);

#ifdef __cplusplus
}
#endif
#endif
