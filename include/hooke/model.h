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
 * us"). All errors go to `list`; HK_BAD_INPUT if there is one. */
HK_API hk_status hk_model_read(const char *path, const char *const *set, int set_count,
                               hk_messages *list, hk_model **out);
HK_API void hk_model_destroy(hk_model **model);

typedef struct hk_model_desc { /* everything is borrowed for the call */
  const char *path;            /* case file or deck; or NULL, and: */
  const char *text;            /* the contents of a case file, YAML or JSON */
  const char *name;            /* of the text, for messages and results; NULL: "case" */
  const char *folder;          /* base of relative paths in the text; NULL: the working directory */
  /* replaces the case's `mesh:`, which must then be absent; coordinates in the case's unit of length. Copied: orders and cracks change
   * the copy. NULL: the case's mesh */
  const hk_mesh *mesh;
  const char *const *set; /* set[set_count]: overrides, as in hk_model_read */
  int set_count;
  bool (*stop)(
      void *
          user); /* may be NULL; true: return HK_STOPPED. Called between the parts of a case and at each keyword of a deck */
  void *user;
  /* let gmsh run a case's .geo file, which is a program; false: such a file is an error */
  bool run_gmsh;
  /* the files of injections are not read, and need not be there; such a model cannot be run: hk_injection_points */
  bool without_injections;
} hk_model_desc;

/* Reads the model that desc describes. HK_USAGE: neither or both of path and text; a mesh together with a deck. */
HK_API hk_status hk_model_create(const hk_model_desc *desc, hk_messages *list, hk_model **out);

/* The model's mesh, with the order of the case and cut along its cracks. */
HK_API const hk_mesh *hk_model_mesh(const hk_model *model);

/* JSON Schema of case files, from the table that validates them. *text is owned by the caller
 * (hk_text_free). */
HK_API hk_status hk_case_schema(char **text);
/* Keywords of decks, as a JSON list of {keyword, level, where, parameters, words}.
 * level: "obeyed", "listed" (no effect, reported once), "refused" (an error).
 * where: "mesh" (also obeyed in a deck that is read as a mesh), "model" or "step".
 * parameters: the known ones; "NAME=" takes a value, "NAME=?" may take one, "*" means any.
 * words: what is obeyed, or why not and what to do; may be "". */
HK_API hk_status hk_deck_keywords(char **json);
HK_API void hk_text_free(char **text);

#ifdef __cplusplus
}
#endif
#endif
