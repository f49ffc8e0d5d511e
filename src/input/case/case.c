/* A case file (YAML or JSON) becomes a model. The text becomes a tree, the tree is checked against the table of keys (keys/), and the parts of
 * the case fill the model. The model is tried on a draft of the mesh first, so that a large mesh is not made for a case that is wrong; a small
 * mesh is made even then, to tell the errors that need it too. All errors are gathered, those of the case file in the order of its lines, and
 * the first one becomes the error of the call. */
#include "input/case/case.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hk_case_error(hk_case *c, const hk_node *node, const char *format, ...)
{
  char words[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  hk_tree_error(&c->tree, c->list, node, false, "%s", words);
}

void hk_case_refuse(hk_case *c, const hk_node *map, const char *const *keys, const char *before,
                    const char *after)
{
  for (; *keys; keys++) {
    const hk_node *node = hk_node_find(map, *keys);
    if (node) hk_case_error(c, node, "%s%s%s", before, *keys, after);
  }
}

void hk_case_join(const char *const *words, int count, char *out, size_t size)
{
  size_t used = 0;
  *out = 0;
  for (int i = 0; i < count && used + 1 < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", words[i]);
}

void hk_case_hint(const char *what, const char *word, const char *const *words, int count,
                  const char *otherwise, char *out, size_t size)
{
  const int near = hk_nearest(word, words, count);
  if (near >= 0)
    snprintf(out, size, "%s \"%.60s\": did you mean \"%s\"?", what, word, words[near]);
  else
    snprintf(out, size, "%s \"%.60s\"%s", what, word, otherwise);
}

void hk_case_unknown(hk_case *c, const hk_node *word, const char *what, const char *const *words,
                     int count, const char *otherwise)
{
  char text[768];
  hk_case_hint(what, word->text, words, count, otherwise, text, sizeof text);
  hk_case_error(c, word, "%s", text);
}

int hk_case_keys(const hk_node *map, const char **words, int most)
{
  int count = 0;
  for (const hk_node *n = map && map->kind == HK_NODE_MAP ? map->child : NULL; n && count < most;
       n = n->next)
    words[count++] = n->key;
  return count;
}

bool hk_case_both(hk_case *c, const hk_node *map, const char *a, const char *b)
{
  if (!hk_node_find(map, a) || !hk_node_find(map, b)) return false;
  hk_case_error(c, hk_node_find(map, b), "%s and %s are both given: give one of them", a, b);
  return true;
}

bool hk_case_either(hk_case *c, const hk_node *map, const char *a, const char *b)
{
  const bool has = hk_node_find(map, a) != NULL;
  if (has != (hk_node_find(map, b) != NULL)) return true;
  hk_case_error(c, map, "give %s or %s%s", a, b, has ? ", not both" : "");
  return false;
}

hk_status hk_case_each(hk_case *c, const hk_node *node,
                       hk_status (*fill)(hk_case *c, const hk_node *map))
{
  hk_status status = HK_OK;
  const bool list = node && node->kind == HK_NODE_LIST;
  for (const hk_node *n = list ? node->child : node; n && status == HK_OK;
       n = list ? n->next : NULL)
    if (!n->refused && n->kind == HK_NODE_MAP) status = fill(c, n);
  return status;
}

hk_status hk_case_forgive(hk_case *c, const hk_node *node, hk_status status)
{
  if (status != HK_BAD_INPUT) return status;
  hk_case_error(c, node, "%s", hk_error());
  return HK_OK;
}

hk_place hk_case_place(const hk_case *c, const hk_node *node)
{
  return (hk_place){.file = c->model->file.at[0], .line = node && !node->origin ? node->line : 0};
}

const hk_node *hk_case_value(const hk_node *map, const char *key)
{
  const hk_node *node = hk_node_find(map, key);
  return node && !node->refused && node->kind != HK_NODE_NONE ? node : NULL;
}

double hk_case_number(const hk_node *map, const char *key, double otherwise)
{
  const hk_node *node = hk_case_value(map, key);
  return node && node->kind == HK_NODE_SCALAR ? node->number : otherwise;
}

const char *hk_case_text(const hk_node *map, const char *key, const char *otherwise)
{
  const hk_node *node = hk_case_value(map, key);
  return node && node->kind == HK_NODE_SCALAR ? node->text : otherwise;
}

void hk_case_take(const hk_key *keys, const hk_node *map, void *out)
{
  for (const hk_key *r = keys; r->key; r++) {
    const hk_node *value = r->size ? hk_case_value(map, r->key) : NULL;
    if (value && value->kind == HK_NODE_SCALAR) hk_key_put(r, value->text, value->number, out);
  }
}

double hk_case_thickness(const hk_case *c)
{
  return hk_case_number(c->tree.root, "thickness", 1 / c->model->units.si[HK_LENGTH]);
}

hk_status hk_case_beside(const hk_case *c, const char *name, char **path)
{
  const char *folder = c->desc->folder, *slash = strrchr(c->tree.path, '/');
  if (c->desc->text && folder && *folder && *name != '/')
    return hk_format(path, "%s/%s", folder, name);
  if (*name == '/' || !slash || c->desc->text) return hk_copy_text(path, name);
  return hk_format(path, "%.*s/%s", (int)(slash - c->tree.path), c->tree.path, name);
}

int hk_case_numbers(const hk_node *list, int most, double *to)
{
  int count = 0;
  for (const hk_node *n = list->child; n; n = n->next, count++) {
    if (n->refused) return -1;
    if (count < most) to[count] = n->number;
  }
  return count;
}

bool hk_case_vector(hk_case *c, const hk_node *list, double *vector)
{
  const int d = hk_case_numbers(list, 3, vector);
  if (d < 0) return false;
  if (d == c->model->mesh->dim || (c->any_dim && d >= 2 && d <= 3)) return true;
  hk_case_error(c, list, "%s has %d components: the mesh has %d dimensions",
                list->key ? list->key : "the point", d, c->model->mesh->dim);
  return false;
}

hk_status hk_case_locate(hk_case *c, hk_count count, const double *at, hk_index *element,
                         double *xi)
{
  if (!c->asked.locator) HK_PASS(hk_locator_create(c->model->mesh, &c->asked.locator));
  return hk_locator_find(c->asked.locator, count, at, element, xi);
}

const char *hk_case_place_text(const hk_case *c, const double *x, char *text)
{
  int at = snprintf(text, HK_CASE_PLACE_TEXT, "[%.6g, %.6g", x[0], x[1]);
  if (c->model->mesh->dim == 3)
    at += snprintf(text + at, (size_t)(HK_CASE_PLACE_TEXT - at), ", %.6g", x[2]);
  snprintf(text + at, (size_t)(HK_CASE_PLACE_TEXT - at), "]");
  return text;
}

hk_status hk_case_point(hk_case *c, const hk_node *list, double at[3], bool *found)
{
  double xi[3];
  char place[HK_CASE_PLACE_TEXT];
  hk_index element;
  *found = false;
  if (list->refused || !hk_case_vector(c, list, at)) return HK_OK;
  if (c->draft > HK_DRAFT_BOX) {
    *found = true;
    return HK_OK;
  }
  HK_PASS(hk_case_locate(c, 1, at, &element, xi));
  *found = element >= 0;
  if (!*found && !c->wrong_units)
    hk_case_error(c, list, "the point %s lies outside the mesh: check its units",
                  hk_case_place_text(c, at, place));
  return HK_OK;
}

static void fill_explicit(hk_case *c, const hk_node *explicit_map)
{
  hk_model *m = c->model;
  hk_step *step = c->step;
  step->kind = HK_STEP_EXPLICIT;
  hk_case_take(hk_explicit_rules, explicit_map, step);
  step->place = hk_case_place(c, explicit_map);
  snprintf(m->solve.method, sizeof m->solve.method, "%s",
           hk_case_text(explicit_map, "method", "auto"));
  const hk_node *dispersion = hk_case_value(explicit_map, "time_dispersion");
  if (dispersion) m->solve.time_dispersion = (hk_time_dispersion)dispersion->number;
  if (step->dt > step->duration && step->duration > 0)
    hk_case_error(c, hk_case_value(explicit_map, "dt"), "dt is longer than the simulated time");
}

static hk_status fill_step(hk_case *c)
{
  hk_model *m = c->model;
  const hk_node *solve = hk_case_value(c->tree.root, "solve");
  HK_PASS(hk_pool_get(&m->pool, &m->step, 1));
  m->step_count = 1;
  c->step = m->step;
  if (c->still)
    HK_PASS(hk_case_fill_static(c, hk_case_value(solve, hk_case_still_key(c))));
  else
    fill_explicit(c, hk_case_value(solve, "explicit"));
  HK_PASS(hk_case_judge_form(c, solve));
  HK_PASS(hk_case_fill_boundary(c));
  HK_PASS(hk_case_fill_sources(c));
  HK_PASS(hk_case_fill_shots(c));
  HK_PASS(hk_case_fill_outputs(c));
  return hk_case_fill_equations(c);
}

static const char reading[] = "the case was read";

/* All but the mesh, which is there, or a draft of it. */
static hk_status fill_on_mesh(hk_case *c)
{
  const hk_node *root = c->tree.root;
  const hk_stop stop = {c->desc->stop, c->desc->user};
  HK_PASS(hk_pool_text(&c->model->pool, hk_case_text(root, "title", ""), &c->model->title));
  c->model->media.mass_damping = hk_case_number(hk_case_value(root, "damping"), "mass", 0);
  HK_PASS(hk_stop_look(&stop, reading));
  hk_case_check_axes(c);
  HK_PASS(hk_case_fill_cracks(c));
  HK_PASS(hk_case_take_unknowns(c));
  HK_PASS(hk_case_fill_fields(c));
  HK_PASS(hk_case_fill_regions(c));
  HK_PASS(hk_case_fill_media(c));
  HK_PASS(hk_stop_look(&stop, reading));
  HK_PASS(fill_step(c));
  HK_PASS(hk_stop_look(&stop, reading));
  HK_PASS(hk_case_fill_initial(c));
  return hk_case_fill_absorb(c);
}

static void take_errors(hk_case *c, const hk_messages *told)
{
  const hk_count all = hk_messages_total(told, HK_ERROR);
  for (hk_count i = 0; i < hk_messages_count(told); i++) {
    const hk_message *m = hk_messages_at(told, i);
    if (m->severity != HK_ERROR) continue;
    const hk_count before = hk_messages_total(c->list, HK_ERROR);
    hk_messages_add(c->list, HK_ERROR, m->file, m->line, m->column, "%s", m->text);
    c->tree.repeated += hk_messages_total(c->list, HK_ERROR) == before;
  }
  c->tree.errors += all;
}

/* With a draft of the mesh first: a large mesh is not made for a case that is wrong. That of a small one tells its own errors too. */
static hk_status fill_model(hk_case *c)
{
  hk_status status = HK_OK;
  hk_messages *told = NULL;
  const hk_stop stop = {c->desc->stop, c->desc->user};
  HK_TRY(hk_stop_look(&stop, reading));
  HK_TRY(hk_messages_create(&told));
  HK_TRY(hk_case_try(c, fill_on_mesh, told));
  const bool wrong = c->tree.errors > 0 || hk_messages_total(told, HK_ERROR) > 0;
  if (c->sample) {
    if (!wrong && hk_case_samples(c)) HK_TRY(hk_case_fill_mesh(c));
    if (c->model->mesh) status = fill_on_mesh(c);
    goto cleanup;
  }
  if (!wrong) HK_TRY(hk_case_check_room(c));
  const bool goes = wrong ? hk_case_small(c) : !c->tree.errors;
  const int before = hk_clock_begin("mesh");
  if (goes) HK_TRY(hk_case_fill_mesh(c));
  hk_clock_end(before);
  if (c->model->mesh)
    HK_TRY(fill_on_mesh(c));
  else
    take_errors(c, told);
  assert(c->tree.errors || !wrong); /* a draft finds no fault with a case that has none */
cleanup:
  hk_messages_destroy(&told);
  return status;
}

static int by_line(const void *a, const void *b)
{
  const hk_message *x = *(const hk_message *const *)a, *y = *(const hk_message *const *)b;
  if (!x->line != !y->line) return !x->line ? 1 : -1;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return x < y ? -1 : x > y;
}

static bool of_case(const hk_case *c, const hk_message *m)
{
  return m->file && strcmp(m->file, c->tree.path) == 0;
}

/* Of several errors the first, with their number. */
static hk_status set_error(const hk_message *m, hk_count errors)
{
  char place[32] = "", more[48] = "";
  if (m->line > 0) snprintf(place, sizeof place, ":%lld", (long long)m->line);
  if (errors > 1) snprintf(more, sizeof more, " (%lld errors in all)", (long long)errors);
  return hk_error_set(HK_BAD_INPUT, "%s%s%s%s%s", m->file ? m->file : "", m->file ? place : "",
                      m->file ? ": " : "", m->text, more);
}

/* Those of the case file by line, then the others as they came. */
static hk_status pass_on(const hk_case *c, hk_messages *list)
{
  hk_status status = HK_OK;
  const hk_message **sorted = NULL;
  const hk_count count = hk_messages_count(c->list);
  const hk_count errors = c->tree.errors - c->tree.repeated;
  hk_count n = 0, kept = 0;
  HK_TRY(hk_get(&sorted, count));
  for (hk_count i = 0; i < count; i++)
    if (of_case(c, hk_messages_at(c->list, i))) sorted[n++] = hk_messages_at(c->list, i);
  qsort(sorted, (size_t)n, sizeof *sorted, by_line);
  for (hk_count i = 0; i < count; i++)
    if (!of_case(c, hk_messages_at(c->list, i))) sorted[n++] = hk_messages_at(c->list, i);
  for (hk_count i = 0; i < n; i++) {
    const hk_message *m = sorted[i];
    kept += m->severity == HK_ERROR;
    hk_messages_add(list, m->severity, m->file, m->line, m->column, "%s", m->text);
  }
  for (hk_count more = errors - kept; more > 0; more--) /* counted, not kept */
    hk_messages_add(list, HK_ERROR, c->tree.path, 0, 0, "more errors");
  for (hk_count i = 0; i < n && c->tree.errors; i++)
    if (sorted[i]->severity == HK_ERROR) {
      status = set_error(sorted[i], errors);
      goto cleanup;
    }
  if (c->tree.errors)
    status = hk_error_set(HK_BAD_INPUT, "%s: %lld errors", c->tree.path, (long long)errors);
cleanup:
  hk_free(&sorted);
  return status;
}

/* `mesh:` is either in the case or in the desc. */
static hk_status take_mesh(hk_case *c)
{
  const hk_node *mesh = hk_node_find(c->tree.root, "mesh");
  if (!c->desc->mesh || !c->tree.root || c->tree.root->kind != HK_NODE_MAP) return HK_OK;
  if (!mesh) return hk_tree_add(&c->tree, "mesh", "given");
  hk_tree_error(&c->tree, c->list, mesh, true,
                "mesh: the caller gives a mesh too: remove this key or that mesh");
  return HK_OK;
}

/* element: {error: ...}, if it is to be heeded. */
static const hk_node *find_error(hk_case *c)
{
  const hk_node *element = hk_case_value(c->tree.root, "element");
  const hk_node *error = hk_case_value(element, "error");
  if (!error || hk_case_both(c, element, "order", "error")) return NULL;
  if (c->still) hk_case_error(c, error, "error is of explicit steps: give order instead");
  return c->still ? NULL : error;
}

/* order: of the elements where their error is given; 0: it is to be found, with elements of order 1, and nothing else is told. */
static hk_status read_case(const hk_model_desc *desc, hk_messages *list, hk_case_sample *sample,
                           int *order, hk_model **out)
{
  hk_status status = HK_OK;
  const char *path = desc->path ? desc->path : desc->name && *desc->name ? desc->name : "case";
  hk_case c = {
      .desc = desc, .tree = {.path = path}, .sample = sample, .order = *order ? *order : 1};
  const hk_node *error = NULL;
  HK_TRY(hk_messages_create(&c.list));
  HK_TRY(hk_model_begin(path, &c.model));
  HK_TRY(hk_model_add_file(c.model, path));
  HK_TRY(desc->text ? hk_tree_read_text(&c.tree, desc->text, c.list)
                    : hk_tree_read(&c.tree, c.list));
  HK_TRY(hk_tree_override(&c.tree, desc->set, desc->set_count, c.list));
  HK_TRY(take_mesh(&c));
  if (c.tree.root) {
    HK_TRY(hk_case_check(&c));
    error = *order ? NULL : find_error(&c);
    if (error && sample) goto cleanup; /* no sample has the order of the whole */
    if (c.tree.root->kind == HK_NODE_MAP) HK_TRY(fill_model(&c));
    if (error && !c.tree.errors) HK_TRY(hk_case_choose_order(&c, error, list, order));
  }
  if (!*order || c.tree.errors || !error) HK_TRY(pass_on(&c, list));
  *out = c.model, c.model = NULL;
cleanup:
  hk_tree_clear(&c.tree);
  hk_case_forget_mesh(&c);
  hk_model_destroy(&c.model);
  hk_messages_destroy(&c.list);
  return status;
}

hk_status hk_case_read(const hk_model_desc *desc, hk_messages *list, hk_model **out)
{
  int order = 0;
  HK_PASS(read_case(desc, list, NULL, &order, out));
  if (!order) return HK_OK;
  hk_model_destroy(out);
  return read_case(desc, list, NULL, &order, out);
}

hk_status hk_case_read_sample(const hk_model_desc *desc, hk_messages *list, hk_case_sample *sample,
                              hk_model **out)
{
  int order = 0;
  const hk_status status = read_case(desc, list, sample, &order, out);
  if (status == HK_OK && *out && !(*out)->mesh) hk_model_destroy(out);
  return status == HK_BAD_INPUT ? HK_OK : status;
}
