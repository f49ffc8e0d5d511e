/* The section of the report with the model in 3D: the surface of the body, at most MOST_CORNERS corners of it, and the frames that the report shows, as
 * bytes of colour. Frames are left out, every second, then more, until the data stay below DATA_BYTES. */
#include "report/view/view.h"
#include "base/json.h"
#include "result/result.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

enum {
  MOST_CORNERS = 24000,
  DATA_BYTES = 650000,
  MOST_SETS = 16,
  MOST_PLACES = 300, /* of sources, and of the receivers of a trace */
  COLOURS = 256
};

typedef struct view {
  hk_pool pool;
  hk_gallery *gallery;
  const hk_view_model *model; /* NULL: not known */
  hk_view_body body;
  int sets;
  hk_view_set *set;
  double size; /* of the longest side of the box */
  int stride;  /* every so many of the gallery's frames, the last among them */
} view;

static int frames_of(const view *v)
{
  return (v->gallery->count + v->stride - 1) / v->stride;
}

/* The gallery's number of a frame. */
static int frame_of(const view *v, int k)
{
  return v->gallery->count - 1 - (frames_of(v) - 1 - k) * v->stride;
}

static hk_status make_body(view *v)
{
  hk_status status = HK_OK;
  const hk_surface *s = v->gallery->surface;
  uint8_t *part = NULL;
  if (v->model) HK_TRY(hk_view_parts(s, v->model, &part));
  HK_TRY(hk_view_body_make(s, v->gallery->corner, part, v->model ? v->model->regions.count + 1 : 1,
                           MOST_CORNERS, &v->body));
  if (v->model)
    HK_TRY(hk_view_sets(s, v->model->mesh, &v->body, MOST_SETS, &v->pool, &v->sets, &v->set));
  for (int d = 0; d < 3; d++) v->size = fmax(v->size, s->high[d] - s->low[d]);
cleanup:
  hk_free(&part);
  return status;
}

/* An object in the list. A name that is not UTF-8 is left out, as in run.json. */
static json_t *add_named(json_t *list, const char *name)
{
  json_t *one = json_object();
  json_object_set_new(one, "name", json_string(name));
  json_array_append_new(list, one);
  return one;
}

static json_t *whole_numbers(hk_count count, const hk_count *number)
{
  json_t *list = json_array();
  for (hk_count i = 0; i < count; i++) json_array_append_new(list, json_integer(number[i]));
  return list;
}

static json_t *name_regions(const view *v)
{
  json_t *list = json_array();
  for (int i = 0; v->model && i < v->model->regions.count; i++) {
    const hk_colour c = hk_map_colour(HK_MAP_CLASSES, (i % HK_CLASSES + .5) / HK_CLASSES);
    const hk_mesh_regions *regions = &v->model->regions;
    json_object_set_new(add_named(list, regions->name(regions->of, i)), "colour",
                        whole_numbers(3, (hk_count[]){c.r, c.g, c.b}));
  }
  return list;
}

static json_t *name_sets(const view *v)
{
  json_t *list = json_array();
  for (int i = 0; i < v->sets; i++)
    json_object_set_new(add_named(list, v->set[i].name), "count",
                        whole_numbers(3, v->set[i].count));
  return list;
}

static json_t *name_frames(const view *v, int quantity)
{
  json_t *list = json_array();
  for (int k = 0; k < frames_of(v); k++) {
    char text[80];
    hk_gallery_when(v->gallery, quantity, frame_of(v, k), text, sizeof text);
    json_array_append_new(list, json_string(text));
  }
  return list;
}

static json_t *name_quantities(const view *v)
{
  const hk_gallery *g = v->gallery;
  json_t *list = json_array();
  for (int i = 0; i < g->shown; i++) {
    char name[80];
    const int q = g->quantity[i];
    const hk_gallery_range *r = &g->range[q];
    hk_gallery_name(g, q, name, sizeof name);
    json_t *one = add_named(list, name);
    json_object_set_new(one, "unit", json_string(hk_gallery_unit(g, q)));
    json_object_set_new(one, "low", hk_json_real(r->low));
    json_object_set_new(one, "high", hk_json_real(r->high));
    json_object_set_new(one, "below", json_boolean(r->beyond_low));
    json_object_set_new(one, "above", json_boolean(r->beyond_high));
    json_object_set_new(one, "frames", name_frames(v, q));
  }
  return list;
}

/* Of all shots, each place once after another. */
static json_t *place_sources(const hk_result *r)
{
  json_t *list = json_array();
  const hk_count shots = r->shots ? r->shots : 1;
  for (hk_count k = 0; k < shots && k < MOST_PLACES; k++) {
    double x[3];
    if (hk_result_source(r, k, x)) json_array_append_new(list, hk_json_reals(3, x));
  }
  return list;
}

static hk_status place_receivers(hk_result *r, int trace, json_t *list)
{
  hk_status status = HK_OK;
  double(*at)[3] = NULL;
  int dim;
  HK_TRY(hk_get(&at, r->trace[trace].receivers));
  HK_TRY(hk_result_places(r, trace, &dim, at));
  for (hk_count i = 0; i < r->trace[trace].receivers && i < MOST_PLACES; i++)
    json_array_append_new(list, hk_json_reals(3, at[i]));
cleanup:
  hk_free(&at);
  return status;
}

/* [{name, source, at}]: sources, and the receivers of each request of traces. */
static hk_status place_points(const char *run, json_t *list)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  HK_TRY(hk_result_open(run, &r));
  json_t *one = add_named(list, "sources");
  json_object_set_new(one, "source", json_true());
  json_object_set_new(one, "at", place_sources(r));
  for (int i = 0; i < r->count; i++) {
    if (i && !strcmp(r->trace[i].request, r->trace[i - 1].request)) continue;
    json_t *at = json_array();
    one = add_named(list, r->trace[i].request);
    json_object_set_new(one, "at", at);
    HK_TRY(place_receivers(r, i, at));
  }
cleanup:
  hk_result_close(&r);
  return status;
}

static json_t *describe(const view *v)
{
  const hk_view_body *b = &v->body;
  const hk_surface *s = v->gallery->surface;
  json_t *text = json_object();
  json_object_set_new(text, "flat", json_boolean(s->flat));
  json_object_set_new(text, "unit", json_string(hk_gallery_length_unit(v->gallery)));
  json_object_set_new(text, "low", hk_json_reals(3, s->low));
  json_object_set_new(text, "high", hk_json_reals(3, s->high));
  json_object_set_new(text, "size", hk_json_real(v->size));
  json_object_set_new(text, "vertices", json_integer(b->vertices));
  json_object_set_new(text, "triangles", json_integer(b->triangles));
  json_object_set_new(text, "edges", json_integer(b->edges));
  json_object_set_new(text, "regions", name_regions(v));
  json_object_set_new(text, "sets", name_sets(v));
  json_object_set_new(text, "quantities", name_quantities(v));
  return text;
}

static hk_status put_text(const view *v, const char *run, hk_view_bytes *to)
{
  hk_status status = HK_OK;
  json_t *text = describe(v), *points = json_array();
  char *dumped = NULL;
  json_object_set_new(text, "points", points);
  HK_TRY(place_points(run, points));
  HK_TRY(hk_json_dump(text, 9, &dumped));
  const hk_count length = (hk_count)strlen(dumped);
  const uint8_t size[4] = {(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                           (uint8_t)(length >> 24)};
  HK_TRY(hk_view_put(to, 4, size));
  HK_TRY(hk_view_put(to, length, dumped));
cleanup:
  hk_free(&dumped);
  json_decref(text);
  return status;
}

static hk_status put_body(const view *v, hk_view_bytes *to)
{
  hk_status status = HK_OK;
  const hk_view_body *b = &v->body;
  uint16_t *place = NULL;
  HK_TRY(hk_get(&place, b->vertices));
  for (int d = 0; d < 3; d++) {
    for (hk_count i = 0; i < b->vertices; i++) {
      const double x = v->gallery->corner[3 * (hk_count)b->corner[i] + d];
      place[i] =
          (uint16_t)lround(65535 * (x - v->gallery->surface->low[d]) / fmax(v->size, 1e-300));
    }
    HK_TRY(hk_view_put_short(to, b->vertices, place));
  }
  HK_TRY(hk_view_put_list(to, 3 * b->triangles, *b->triangle));
  HK_TRY(hk_view_put_list(to, 2 * b->edges, b->edges ? *b->edge : NULL));
  HK_TRY(hk_view_put(to, b->vertices, b->region));
  for (int i = 0; i < v->sets; i++)
    for (int k = 0; k < 3; k++) HK_TRY(hk_view_put_list(to, v->set[i].count[k], v->set[i].item[k]));
cleanup:
  hk_free(&place);
  return status;
}

typedef struct reading { /* frames of a quantity */
  const view *v;
  int quantity;
  uint8_t *code; /* code[frames][vertices] */
} reading;

static hk_status read_frame(const hk_gallery *g, hk_sketch *sketch, hk_count k, void *user)
{
  const reading *r = user;
  const hk_view_body *b = &r->v->body;
  const hk_gallery_range *range = &g->range[r->quantity];
  uint8_t *code = r->code + k * b->vertices;
  HK_PASS(hk_gallery_load(g, sketch, r->quantity, frame_of(r->v, (int)k)));
  for (hk_count i = 0; i < b->vertices; i++) {
    const double x = (sketch->value[b->corner[i]] - range->low) / (range->high - range->low);
    code[i] = isnan(x) ? 0 : (uint8_t)(1 + lround(254 * fmin(fmax(x, 0), 1)));
  }
  return HK_OK;
}

static hk_status put_quantity(const view *v, int quantity, hk_view_bytes *to)
{
  hk_status status = HK_OK;
  const hk_count frames = frames_of(v), vertices = v->body.vertices;
  reading r = {v, quantity, NULL};
  HK_TRY(hk_get(&r.code, frames * vertices));
  HK_TRY(hk_gallery_each(v->gallery, frames, read_frame, &r));
  for (hk_count i = frames * vertices - 1; i >= vertices; i--)
    r.code[i] = (uint8_t)(r.code[i] - r.code[i - vertices]);
  HK_TRY(hk_view_put(to, frames * vertices, r.code));
cleanup:
  hk_free(&r.code);
  return status;
}

static hk_status put_values(const view *v, hk_view_bytes *to)
{
  const hk_gallery *g = v->gallery;
  for (int i = 0; i < g->shown; i++)
    for (int k = 0; k < COLOURS; k++) { /* the first is that of no number */
      const double t = k ? (k - 1) / 254.0 : (double)NAN;
      const hk_colour c = hk_map_colour(g->range[g->quantity[i]].map, t);
      HK_PASS(hk_view_put(to, 3, (uint8_t[]){c.r, c.g, c.b}));
    }
  for (int i = 0; i < g->shown; i++) HK_PASS(put_quantity(v, g->quantity[i], to));
  return HK_OK;
}

static hk_status deflate_bytes(const hk_view_bytes *from, hk_view_bytes *to)
{
  uLongf size = compressBound((uLong)from->count);
  HK_PASS(hk_reserve(&to->at, (hk_count)size, &to->room));
  HK_NEED(compress2(to->at, &size, from->at, (uLong)from->count, 9) == Z_OK, HK_NO_RESOURCES,
          "the data of the model in 3D could not be compressed");
  to->count = (hk_count)size;
  return HK_OK;
}

static hk_status pack(view *v, const char *run, hk_view_bytes *packed)
{
  hk_status status = HK_OK;
  hk_view_bytes bytes = {0};
  v->stride = 1;
  for (bool fits = false; !fits; v->stride *= fits ? 1 : 2) {
    bytes.count = 0;
    HK_TRY(put_text(v, run, &bytes));
    HK_TRY(put_body(v, &bytes));
    HK_TRY(put_values(v, &bytes));
    HK_TRY(deflate_bytes(&bytes, packed));
    fits = packed->count <= DATA_BYTES || v->stride >= v->gallery->count;
  }
cleanup:
  hk_free(&bytes.at);
  return status;
}

static void put_section(FILE *to, const view *v, const hk_view_bytes *packed)
{
  fputs("<section class=\"model\"><h2>The model</h2>\n<p class=\"without\">This browser does not "
        "draw in 3D (WebGL 2): the pictures below show the frames.</p>\n<div class=\"stage\" "
        "hidden>"
        "<canvas tabindex=\"0\" aria-label=\"the model in 3D\"></canvas></div>\n",
        to);
  if (v->body.triangles < v->gallery->surface->triangles)
    fprintf(to,
            "<p class=\"sub\">Simplified: %lld of %lld triangles of the surface are drawn.</p>\n",
            (long long)v->body.triangles, (long long)v->gallery->surface->triangles);
  if (!v->model)
    fputs("<p class=\"sub\">This field has no regions and sets: .vtkhdf files of a run have them, "
          ".vtu files do not.</p>\n",
          to);
  fputs("<script type=\"text/plain\" class=\"data\">", to);
  hk_html_base64(to, (const char *)packed->at, (size_t)packed->count);
  fputs("</script></section>\n", to);
}

hk_status hk_view_write(FILE *to, hk_gallery *gallery, const char *run, const hk_view_model *model,
                        bool *written)
{
  hk_status status = HK_OK;
  view v = {.gallery = gallery, .model = model};
  hk_view_bytes packed = {0};
  *written = false;
  HK_TRY(make_body(&v));
  if (!v.body.triangles) goto cleanup;
  HK_TRY(pack(&v, run, &packed));
  put_section(to, &v, &packed);
  *written = true;
cleanup:
  hk_free(&packed.at);
  hk_view_body_clear(&v.body);
  hk_pool_clear(&v.pool);
  return status;
}
