/* Models: a case file (.yaml, .json) or an Abaqus / CalculiX deck (.inp, .inp.gz), read and checked
 * as a whole.
 *
 *   hk_messages *list = NULL;
 *   hk_model *model = NULL;
 *   hk_messages_create(&list);
 *   if (hk_model_read("weld.inp", NULL, 0, list, &model) == HK_OK) { }
 *   hk_model_destroy(&model);
 *   hk_messages_destroy(&list);
 */
#ifndef HOOKE_MODEL_H
#define HOOKE_MODEL_H
#include <hooke/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_model hk_model;

/* Reads the model. `set[set_count]`: "key=value" overrides of case keys ("solve.explicit.end=20
 * us"). All errors found go to `list`; HK_BAD_INPUT when there is one. */
HK_API hk_status hk_model_read(const char *path, const char *const *set, int set_count,
                               hk_messages *list, hk_model **out);
HK_API void hk_model_destroy(hk_model **model);

HK_API const hk_mesh *hk_model_mesh(const hk_model *model);

/* JSON Schema of the case file, made from the table that validates it. Static text; *text is owned
 * by the caller (hk_text_free). */
HK_API hk_status hk_case_schema(char **text);
HK_API void hk_text_free(char **text);

#ifdef __cplusplus
}
#endif
#endif
