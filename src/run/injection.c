/* hk_injection_points: where the injections of a case need their waves (run/acts/inject.c), as a CSV file: "x [m], y [m], z [m]", then a line for
 * each point. About an axis (load/wave/recorded.h) many nodes have the same radius and height, and share a point. */
#include "run/acts/acts.h"
#include <hooke/run.h>
#include "base/file.h"
#include "base/json.h"
#include <math.h>
#include <stdlib.h>

typedef struct places {
  HK_LIST(double) x; /* [count][dim] */
  int dim;
} places;

/* Largest first cell of a comparison: radii that differ by rounding are the same. */
typedef struct ring_point {
  int64_t key[2];
  double x[2];
} ring_point;

static int by_key(const void *a, const void *b)
{
  const ring_point *p = a, *q = b;
  for (int d = 0; d < 2; d++)
    if (p->key[d] != q->key[d]) return p->key[d] < q->key[d] ? -1 : 1;
  return 0;
}

static hk_status add_nodes(const hk_model *model, const bool *wanted, places *p)
{
  p->dim = model->mesh->dim;
  for (hk_count n = 0; n < model->mesh->node_count; n++)
    for (int d = 0; wanted[n] && d < p->dim; d++) {
      HK_PASS(hk_list_more(&p->x));
      p->x.at[p->x.count++] = model->mesh->x[n * p->dim + d];
    }
  return HK_OK;
}

static hk_status add_rings(const hk_model *model, const hk_recorded *w, const bool *wanted,
                           places *p)
{
  hk_status status = HK_OK;
  ring_point *ring = NULL;
  hk_count count = 0;
  double size = 0, x[3];
  p->dim = 2;
  HK_TRY(hk_get(&ring, model->mesh->node_count));
  for (hk_count n = 0; n < model->mesh->node_count; n++) {
    if (!wanted[n]) continue;
    hk_model_node_x(model, n, x);
    ring[count].x[0] = hypot(x[0] - w->axis[0], x[1] - w->axis[1]), ring[count].x[1] = x[2];
    size = fmax(size, fmax(ring[count].x[0], fabs(x[2]))), count++;
  }
  for (hk_count i = 0; i < count; i++)
    for (int d = 0; d < 2; d++) ring[i].key[d] = (int64_t)llround(ring[i].x[d] / (1e-10 * size));
  qsort(ring, (size_t)count, sizeof *ring, by_key);
  for (hk_count i = 0; i < count; i++)
    for (int d = 0; (!i || by_key(&ring[i - 1], &ring[i])) && d < 2; d++) {
      HK_TRY(hk_list_more(&p->x));
      p->x.at[p->x.count++] = ring[i].x[d];
    }
cleanup:
  hk_free(&ring);
  return status;
}

/* Of one list of loads; `first` is the first injection so far. */
static hk_status mark(const hk_model *model, hk_messages *list, int count, const hk_load *load,
                      bool *wanted, const hk_load **first)
{
  for (const hk_load *l = load; l < load + count; l++) {
    if (!l->wave || !l->wave->recorded) continue;
    const hk_recorded *own = l->wave->recorded, *other = *first ? (*first)->wave->recorded : own;
    if (own->ring != other->ring || own->axis[0] != other->axis[0] ||
        own->axis[1] != other->axis[1])
      return hk_model_error(
          model, list, l->place, HK_BAD_INPUT,
          "injection: others of the case have another axis, or none: their points "
          "do not go into one file");
    if (!*first) *first = l;
    HK_PASS(hk_inject_wanted(model, list, l, wanted));
  }
  return HK_OK;
}

static hk_status find(const hk_model *model, hk_messages *list, places *out)
{
  hk_status status = HK_OK;
  const hk_load *first = NULL;
  bool *wanted = NULL;
  HK_TRY(hk_get(&wanted, model->mesh->node_count));
  for (int s = 0; s < model->step_count; s++) {
    const hk_step *step = &model->step[s];
    HK_TRY(mark(model, list, step->load_count, step->load, wanted, &first));
    for (int k = 0; k < step->shot_count; k++)
      HK_TRY(mark(model, list, step->shot[k].load_count, step->shot[k].load, wanted, &first));
  }
  HK_CHECK(first, HK_BAD_INPUT, "%s: the case has no source with `injection`", model->path);
  HK_TRY(first->wave->recorded->ring ? add_rings(model, first->wave->recorded, wanted, out)
                                     : add_nodes(model, wanted, out));
cleanup:
  hk_free(&wanted);
  return status;
}

static hk_status write(const hk_model *model, const places *p, const char *file)
{
  hk_status status = HK_OK;
  hk_stream out = {0};
  char text[32];
  const char *unit = model->units.length;
  HK_PASS(hk_stream_begin(file, &out));
  for (int d = 0; d < p->dim; d++)
    fprintf(out.file, "%s%c%s%s%s", d ? ", " : "", 'x' + d, *unit ? " [" : "", unit,
            *unit ? "]" : "");
  for (hk_count i = 0; i < p->x.count; i++)
    fprintf(out.file, "%s%s", i % p->dim ? ", " : "\n", hk_number_text(text, 17, p->x.at[i]));
  fputc('\n', out.file);
  status = hk_stream_end(&out, HK_OK);
  return status;
}

hk_status hk_injection_points(const hk_model_desc *how, const char *file, hk_messages *list,
                              char **json)
{
  hk_status status = HK_OK;
  hk_model_desc desc = *how;
  hk_model *model = NULL;
  json_t *root = NULL;
  places p = {.dim = 1};
  desc.without_injections = true;
  HK_TRY(hk_model_create(&desc, list, &model));
  HK_TRY(find(model, list, &p));
  HK_TRY(write(model, &p, file));
  root = json_pack("{s:s, s:I, s:s}", "path", model->path, "points",
                   (json_int_t)(p.x.count / p.dim), "file", file);
  HK_TRY(hk_json_dump(root, 6, json));
cleanup:
  json_decref(root);
  hk_free(&p.x.at);
  hk_model_destroy(&model);
  return status;
}
