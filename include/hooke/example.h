/* Commented, runnable examples.
 *
 *   char *written = NULL;
 *   if (hk_example_write("plate", ".", &written) == HK_OK) puts(written);
 *   hk_text_free(&written);
 */
#ifndef HOOKE_EXAMPLE_H
#define HOOKE_EXAMPLE_H
#include <hooke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_example {
  const char *name;
  const char *about; /* one line */
} hk_example;

/* All examples; *count = their number. Static. */
HK_API const hk_example *hk_example_list(int *count);

/* Writes NAME.yaml, and its mesh if it has one, to `folder` (NULL: the working directory),
 * which is created if missing. *written (if not NULL) = path of the case file, hk_text_free.
 * HK_USAGE for an unknown name; HK_NOT_WRITABLE if a file exists already or cannot be written.
 */
HK_API hk_status hk_example_write(const char *name, const char *folder, char **written);

#ifdef __cplusplus
}
#endif
#endif
