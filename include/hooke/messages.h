/* A list of all errors, warnings and notes about an input.
 *
 *   hk_messages *list = NULL;
 *   hk_model *model = NULL;
 *   hk_messages_create(&list);
 *   hk_model_read("weld.yaml", NULL, 0, list, &model);
 *   for (hk_count i = 0; i < hk_messages_count(list); i++) {
 *     const hk_message *m = hk_messages_at(list, i);
 *     fprintf(stderr, "%s:%lld: %s\n", m->file, (long long)m->line, m->text);
 *   }
 *   hk_model_destroy(&model);
 *   hk_messages_destroy(&list);
 */
#ifndef HOOKE_MESSAGES_H
#define HOOKE_MESSAGES_H
#include <hooke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hk_severity { HK_NOTE, HK_WARNING, HK_ERROR } hk_severity;

typedef struct hk_message {
  hk_severity severity;
  char *file;    /* owned; NULL: no file */
  hk_count line; /* 1-based; 0: no line */
  int column;    /* 1-based; 0: no column */
  char *text;    /* owned: what is wrong, why, what to do */
} hk_message;

typedef struct hk_messages hk_messages;

HK_API hk_status hk_messages_create(hk_messages **out);
HK_API void hk_messages_destroy(hk_messages **list);

/* Adds one message; does nothing if list is NULL. A message that the same call of the library has added already, with the same text and
 * place, is not added again. The first 1000 messages are kept; further ones are only counted. */
HK_API void hk_messages_add(hk_messages *list, hk_severity severity, const char *file,
                            hk_count line, int column, const char *format, ...) HK_PRINTF(6, 7);

HK_API hk_count hk_messages_count(const hk_messages *list);                       /* kept */
HK_API hk_count hk_messages_total(const hk_messages *list, hk_severity severity); /* added */
HK_API const hk_message *hk_messages_at(const hk_messages *list, hk_count i);

#ifdef __cplusplus
}
#endif
#endif
