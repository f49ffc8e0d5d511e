/* hk_image_write: checks what is asked for, reads the traces, makes the image and writes it as HDF5 and PNG. Whatever the run's files tell is checked before
 * the traces are read. */
#include <hooke/result.h>
#include "base/file.h"
#include "base/json.h"
#include "picture/image/image_picture.h"
#include "result/written.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 1400, POINTS = 200, SPAN = 40, FAR = 20 };

typedef struct method {
  const char *name, *about;
  hk_status (*make)(const hk_capture *capture, const hk_image_how *how, hk_image *out);
  bool speed, region, shot; /* that it takes */
} method;
static const method methods[] = {{"bscan", "B-scan", hk_image_bscan, false, false, false},
                                 {"cscan", "C-scan", hk_image_cscan, false, false, true},
                                 {"tfm", "total focusing", hk_image_focus, true, true, false}};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct work {
  const char *run;
  const hk_image_desc *desc;
  const method *method;
  hk_result *result;
  int trace, component;
  hk_image_how how;
  hk_capture capture;
  hk_image image;
  char component_name[16];
  char *trace_name, *file, *picture; /* written */
  bool listed;                       /* they are put on the list of their folder (written.h) */
} work;

static hk_status find_method(work *w)
{
  const hk_image_desc *d = w->desc;
  for (int k = 0; k < METHODS; k++)
    if (d->method && hk_same_text(d->method, methods[k].name)) w->method = &methods[k];
  HK_NEED(w->method, HK_USAGE, "method \"%s\": must be one of bscan, cscan, tfm",
          d->method ? d->method : "");
  HK_NEED(w->method->speed || (d->speed == 0 && d->delay == 0), HK_USAGE,
          "speed and delay go with the method tfm: a %s shows times as they are", w->method->about);
  HK_NEED(w->method->region || !(d->from || d->to || d->spacing != 0), HK_USAGE,
          "a region and its spacing go with the method tfm");
  HK_NEED(w->method->shot || d->shot == 0, HK_USAGE, "a shot goes with the method cscan");
  HK_NEED(d->shot >= 0, HK_USAGE, "shot %d: must be 1 or more", d->shot);
  HK_NEED(d->span == 0 || (d->span > 0 && isfinite(d->span)), HK_USAGE,
          "span %g dB: must be above 0", d->span);
  HK_NEED(!d->from == !d->to, HK_USAGE, "a region has two corners: give both");
  HK_NEED(isfinite(d->delay), HK_USAGE, "delay %g: must be a number", d->delay);
  return HK_OK;
}

static hk_status check_run(const work *w)
{
  HK_NEED(!json_is_true(json_object_get(w->result->run, "axisymmetric")), HK_BAD_INPUT,
          "%s: is a run of an axisymmetric model, whose elements are rings: there is no image of "
          "such runs; model the array in 3D, or in 2D with plane: strain",
          w->run);
  return HK_OK;
}

/* Whether a trace is the one that was named "request/quantity" or "request"; any one without a name. */
static bool is_named(const hk_result_trace *t, const char *name)
{
  const size_t length = strlen(t->request);
  if (!name) return true;
  if (strncmp(name, t->request, length)) return false;
  return !name[length] || (name[length] == '/' && !strcmp(name + length + 1, t->quantity));
}

/* "a/u, a/v": owned by the caller */
static hk_status list_traces(const hk_result *r, char **out)
{
  hk_status status = hk_copy_text(out, "");
  for (int i = 0; i < r->count && status == HK_OK; i++) {
    char *longer = NULL;
    status = hk_format(&longer, "%s%s%s/%s", *out, i ? ", " : "", r->trace[i].request,
                       r->trace[i].quantity);
    hk_free(out);
    *out = longer;
  }
  return status;
}

static hk_status find_trace(work *w)
{
  hk_status status = HK_OK;
  const hk_result *r = w->result;
  char *all = NULL;
  int found = 0;
  for (int i = 0; i < r->count; i++)
    if (is_named(&r->trace[i], w->desc->trace)) w->trace = i, found++;
  HK_TRY(list_traces(r, &all));
  HK_CHECK(r->count, HK_BAD_INPUT,
           "%s: has no traces: request them at the array's elements with outputs: {traces: ...}",
           w->run);
  HK_CHECK(found == 1 || w->desc->trace, HK_USAGE,
           "%s: has several traces: name one with --trace: %s", w->run, all);
  HK_CHECK(found == 1, HK_USAGE, "trace \"%s\": must be one of %s", w->desc->trace, all);
  HK_TRY(
      hk_format(&w->trace_name, "%s/%s", r->trace[w->trace].request, r->trace[w->trace].quantity));
cleanup:
  hk_free(&all);
  return status;
}

static hk_status find_component(work *w)
{
  const hk_result_trace *t = &w->result->trace[w->trace];
  const char *wanted = w->desc->component;
  int found = t->count == 1 && !wanted ? 0 : -1;
  for (int c = 0; c < t->count && wanted; c++) {
    hk_component_name(t->components, c, w->component_name);
    if (!strcmp(wanted, w->component_name)) found = c;
  }
  HK_NEED(found >= 0 || wanted, HK_USAGE,
          "%s: has several components: name one with --component: %s", w->trace_name,
          t->components);
  HK_NEED(found >= 0, HK_USAGE, "component \"%s\": %s has %s", wanted, w->trace_name,
          *t->components ? t->components : "one, without a name");
  w->component = found;
  hk_component_name(t->components, found, w->component_name);
  return HK_OK;
}

/* Warns of a given speed that is far from all of the run's: one in another unit. */
static void check_speed(const work *w, const json_t *speeds, hk_messages *list)
{
  static const char *const wave[] = {"p_speed", "s_speed"};
  double low = INFINITY, high = 0;
  for (size_t k = 0; k < 2 * json_array_size(speeds); k++) {
    const json_t *region = json_array_get(speeds, k / 2);
    const double speed = json_number_value(json_object_get(region, wave[k % 2]));
    if (speed > 0) low = fmin(low, speed), high = fmax(high, speed);
  }
  if (high > 0 && !(w->how.speed >= low / FAR && w->how.speed <= high * FAR))
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "speed %g: the waves of this run have speeds from %g to %g; is it in the run's "
                    "units?",
                    w->how.speed, low, high);
}

/* As given, or the one speed of the model's materials, by run.json. */
static hk_status find_speed(work *w, hk_messages *messages)
{
  const json_t *list = json_object_get(w->result->run, "speeds");
  w->how.speed = w->desc->speed;
  if (!w->method->speed) return HK_OK;
  if (w->how.speed != 0) {
    check_speed(w, list, messages);
    return HK_OK;
  }
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *region = json_array_get(list, k);
    const double speed = json_number_value(json_object_get(region, "p_speed"));
    HK_NEED(!json_is_false(json_object_get(region, "uniform")), HK_USAGE,
            "%s: P waves of its materials go faster in some directions or places than in others: "
            "give the speed: --speed",
            w->run);
    HK_NEED(speed > 0 && (k == 0 || fabs(speed - w->how.speed) <= 1e-9 * speed), HK_USAGE,
            "%s: its materials have several speeds, or one without waves: give the speed: --speed",
            w->run);
    w->how.speed = speed;
  }
  HK_NEED(w->how.speed > 0, HK_USAGE,
          "%s: run.json has no speeds of waves: give the speed: --speed", w->run);
  return HK_OK;
}

/* Numbers of a list of run.json. */
static hk_status read_corner(const json_t *box, size_t which, double *x)
{
  const json_t *corner = json_array_get(box, which);
  HK_NEED(json_array_size(corner) == 2, HK_USAGE,
          "a region is needed: two corners with the coordinates of a point each");
  for (size_t d = 0; d < 2; d++) x[d] = json_number_value(json_array_get(corner, d));
  return HK_OK;
}

/* Of the receivers' coordinates. */
static hk_status find_dimension(work *w, int *dim)
{
  hk_status status = HK_OK;
  hk_hdf_array array;
  char *path = NULL;
  HK_TRY(hk_format(&path, "/traces/%s/coordinates", w->result->trace[w->trace].request));
  HK_TRY(hk_hdf_array_find(w->result->file, path, &array));
  *dim = array.rank == 2 ? (int)array.size[1] : 0;
cleanup:
  hk_free(&path);
  return status;
}

static hk_status find_region(work *w)
{
  int dim = 0;
  const json_t *box = json_object_get(w->result->run, "box");
  const hk_image_desc *d = w->desc;
  double side = 0;
  if (!w->method->region) return HK_OK;
  HK_PASS(find_dimension(w, &dim));
  HK_NEED(!d->from || d->dimension == dim, HK_USAGE,
          "region: its corners have %d numbers each, and the run has %d dimensions", d->dimension,
          dim);
  for (int k = 0; d->from && k < dim; k++) w->how.from[k] = d->from[k], w->how.to[k] = d->to[k];
  if (!d->from) HK_PASS(read_corner(box, 0, w->how.from));
  if (!d->from) HK_PASS(read_corner(box, 1, w->how.to));
  for (int k = 0; k < dim; k++) side = fmax(side, w->how.to[k] - w->how.from[k]);
  w->how.spacing = d->spacing != 0 ? d->spacing : side / POINTS;
  return HK_OK;
}

static int part_of(const work *w)
{
  if (w->method->region) return HK_CAPTURE_ALL;
  return w->desc->shot ? HK_CAPTURE_FIRST + w->desc->shot - 1 : HK_CAPTURE_OWN;
}

static bool is_image(const char *path)
{
  hk_hdf *file = NULL;
  char *kind = NULL;
  const bool is = hk_hdf_open(path, false, &file) == HK_OK &&
                  hk_hdf_text_read(file, "/", "kind", &kind) == HK_OK && !strcmp(kind, "image");
  hk_free(&kind);
  hk_hdf_close(&file);
  return is;
}

/* A named file is replaced only where it is an image that hooke wrote, and with it the picture, which nobody named. */
static hk_status check_named(const work *w)
{
  struct stat info;
  if (is_image(w->file)) return HK_OK;
  HK_NEED(lstat(w->file, &info) != 0, HK_NOT_WRITABLE,
          "%s: is no image that hooke wrote, and would be overwritten: name another --output",
          w->file);
  HK_NEED(lstat(w->picture, &info) != 0, HK_NOT_WRITABLE,
          "%s: would be overwritten by the picture of %s: move it, or name another --output",
          w->picture, w->file);
  return HK_OK;
}

static hk_status name_files(work *w)
{
  const char *file = w->desc->output;
  HK_NEED(!file || hk_ends_with(file, ".h5"), HK_USAGE, "output \"%s\": must end in .h5", file);
  HK_NEED(file || w->result->folder, HK_USAGE, "%s: is a file, not a folder: name the output",
          w->run);
  HK_PASS(file ? hk_copy_text(&w->file, file)
               : hk_format(&w->file, "%s/image_%s.h5", w->run, w->method->name));
  HK_PASS(hk_format(&w->picture, "%.*s.png", (int)strlen(w->file) - 3, w->file));
  if (file) HK_PASS(check_named(w));
  w->listed = !file || hk_written_has_list(w->file);
  if (!w->listed) return HK_OK;
  HK_PASS(hk_written_check(w->file));
  return hk_written_check(w->picture);
}

static hk_status make(work *w, hk_messages *list)
{
  double place[2];
  HK_PASS(hk_capture_read(w->result, w->trace, w->component, part_of(w), list, &w->capture));
  w->how.delay = w->desc->delay;
  w->how.gate[0] = w->desc->gate ? w->desc->gate[0] : w->capture.start;
  w->how.gate[1] = w->desc->gate ? w->desc->gate[1] : hk_capture_end(&w->capture);
  HK_NEED(w->how.gate[1] > w->how.gate[0], HK_USAGE, "gate from %g to %g: must go forwards",
          w->how.gate[0], w->how.gate[1]);
  HK_PASS(w->method->make(&w->capture, &w->how, &w->image));
  HK_NEED(hk_image_peak(&w->image, place) > 0, HK_BAD_INPUT,
          "the image has no value above 0: no wave is back from the region within the record");
  return HK_OK;
}

static hk_status draw(const work *w)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  char *note = NULL, speed[32], *more = NULL;
  const json_t *unit = json_object_get(w->result->run, "units");
  const char *title = json_string_value(json_object_get(w->result->run, "title"));
  const char *length = json_string_value(json_object_get(unit, "length"));
  HK_TRY(w->method->speed
             ? hk_format(&more, ", speed %s%s%s%s%s", hk_number_text(speed, 5, w->how.speed),
                         length ? " " : "", length ? length : "", length ? "/" : "",
                         length ? w->capture.time_unit : "")
             : hk_copy_text(&more, ""));
  HK_TRY(hk_format(&note, "%s of %s%s%s%s", w->method->about, w->trace_name,
                   *w->component_name ? " " : "", w->component_name, more));
  const hk_image_picture picture = {&w->image, title ? title : "", note,
                                    w->desc->span > 0 ? w->desc->span : SPAN};
  HK_TRY(hk_image_draw(&picture, WIDTH, &canvas));
  HK_TRY(hk_canvas_write(canvas, w->picture));
cleanup:
  hk_canvas_destroy(&canvas);
  hk_free(&note);
  hk_free(&more);
  return status;
}

static hk_status write_files(const work *w)
{
  const hk_image_words words = {w->method->name, w->trace_name, w->component_name,
                                w->method->speed ? w->how.speed : NAN,
                                w->method->speed ? w->how.delay : NAN};
  if (w->listed) HK_PASS(hk_written_claim(w->file));
  if (w->listed) HK_PASS(hk_written_claim(w->picture));
  HK_PASS(hk_image_write_h5(w->file, &w->image, &words));
  return draw(w);
}

static hk_status tell(const work *w, char **json)
{
  hk_status status;
  double at[2];
  const hk_image *i = &w->image;
  const double largest = hk_image_peak(i, at);
  json_t *root = json_pack("{s:s, s:s, s:s}", "method", w->method->name, "trace", w->trace_name,
                           "component", w->component_name);
  if (w->method->speed) {
    json_object_set_new(root, "speed", hk_json_real(w->how.speed));
    json_object_set_new(root, "delay", hk_json_real(w->how.delay));
    json_object_set_new(root, "spacing", hk_json_real(w->how.spacing));
  }
  json_object_set_new(
      root, "points",
      json_pack("[I, I]", (json_int_t)i->axis[0].count, (json_int_t)i->axis[1].count));
  json_object_set_new(root, "axes", json_pack("[s, s]", i->axis[0].name, i->axis[1].name));
  json_object_set_new(root, "largest", hk_json_real(largest));
  json_object_set_new(root, "at", hk_json_reals(2, at));
  json_object_set_new(root, "unit", json_pack("{s:s}", "largest", i->unit));
  json_object_set_new(root, "image", json_string(w->file));
  json_object_set_new(root, "picture", json_string(w->picture));
  status = hk_json_dump(root, 10, json);
  json_decref(root);
  return status;
}

static hk_status work_on(work *w, hk_messages *list, char **json)
{
  HK_PASS(find_method(w));
  HK_PASS(hk_result_open(w->run, &w->result));
  HK_PASS(check_run(w));
  HK_PASS(find_trace(w));
  HK_PASS(find_component(w));
  HK_PASS(find_speed(w, list));
  HK_PASS(find_region(w));
  HK_PASS(name_files(w));
  HK_PASS(make(w, list));
  HK_PASS(write_files(w));
  return tell(w, json);
}

hk_status hk_image_write(const char *run, const hk_image_desc *desc, hk_messages *list, char **json)
{
  work w = {.run = run, .desc = desc};
  const hk_status status = work_on(&w, list, json);
  hk_image_clear(&w.image);
  hk_capture_clear(&w.capture);
  hk_result_close(&w.result);
  hk_free(&w.trace_name);
  hk_free(&w.file);
  hk_free(&w.picture);
  return status;
}
