/* Models: a case file (.yaml, .json) or an Abaqus / CalculiX deck (.inp, .inp.gz), read and checked
 * as a whole; or a case given as text, on a mesh of its own or one in memory.
 *
 *   hk_messages *list = NULL;
 *   hk_model *model = NULL;
 *   hk_messages_create(&list);
 *   if (hk_model_read("weld.inp", NULL, 0, list, &model) == HK_OK) { }
 *   hk_model_destroy(&model);
 *   hk_model_desc desc = {NULL};
 *   desc.text = "mesh: {rectangle: {size: [2, 1], cells: 4}}\n"
 *               "materials: {steel: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
 *               "boundary: [{set: left, fix: [x, y]}, {set: right, traction: [1 kPa, 0]}]\n"
 *               "solve: {static: {}}\n";
 *   if (hk_model_create(&desc, list, &model) != HK_OK) fprintf(stderr, "%s\n", hk_error());
 *   hk_model_destroy(&model);
 *   hk_messages_destroy(&list);
 */
#ifndef HOOKE_MODEL_H
#define HOOKE_MODEL_H
#include <hooke/mesh.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_model hk_model;

/* Reads the model. `set[set_count]`: "key=value" overrides of case keys ("solve.explicit.end=20
 * us"). All errors found go to `list`; HK_BAD_INPUT when there is one. */
HK_API hk_status hk_model_read(const char *path, const char *const *set, int set_count,
                               hk_messages *list, hk_model **out);
HK_API void hk_model_destroy(hk_model **model);

typedef struct hk_model_desc { /* everything is borrowed for the call */
  const char *path;            /* case file or deck; or NULL, and: */
  const char *text;            /* the contents of a case file, YAML or JSON */
  const char *name;            /* of the text, in messages and results; NULL: "case" */
  const char *folder;          /* of relative paths in the text; NULL: the working directory */
  const hk_mesh *
      mesh; /* instead of the case's `mesh:`, which is then left out; coordinates in the case's unit of
                                  length. Copied: orders and cracks change the copy. NULL: as the case says */
  const char *const *set; /* set[set_count]: overrides, as in hk_model_read */
  int set_count;
  bool (*stop)(
      void *
          user); /* may be NULL; true: HK_STOPPED. Asked between the parts of a case, at each keyword of a deck */
  void *user;
  bool run_gmsh; /* a case's .geo file, which is a program, is given to gmsh; false: an error */
} hk_model_desc;

/* hk_model_read of what the desc says. HK_USAGE: neither or both of path and text; a mesh beside a deck. */
HK_API hk_status hk_model_create(const hk_model_desc *desc, hk_messages *list, hk_model **out);

/* The model's mesh: of the order that the case asks for, cut along its cracks. */
HK_API const hk_mesh *hk_model_mesh(const hk_model *model);

/* JSON Schema of the case file, made from the table that validates it. *text is owned by the caller
 * (hk_text_free). */
HK_API hk_status hk_case_schema(char **text);
/* Keywords of decks, as a JSON list of {keyword, level, where, parameters, words}. level: "obeyed", "listed" (changes nothing, told
 * once), "refused" (an error); where: of "mesh" (obeyed in a deck read as a mesh too), "model", "step"; parameters: those that are
 * known, "NAME=" with a value, "NAME=?" with or without; "*": any; words: what is obeyed, or why not and what to do; may be "". */
HK_API hk_status hk_deck_keywords(char **json);
HK_API void hk_text_free(char **text);

#ifdef __cplusplus
}
#endif
#endif
