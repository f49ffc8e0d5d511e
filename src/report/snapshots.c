/* The fields of a run as moving pictures within its report. Each quantity has its pictures in the page as base64, one
 * of them visible, which a slider chooses. Pictures become smaller, then fewer, until they fit into a budget of bytes;
 * the size of one, drawn first, tells which size of all is tried first. All threads draw. */
#include "picture/picture.h"
#include "report/report.h"
#include "base/file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 24, MOST_SNAPSHOTS = 4, PICTURE_BYTES = 2300000 };

/* the pictures of one quantity: every `stride`-th of the gallery's, the last among them */
typedef struct film {
  int quantity, width, stride;
  int count;
  struct {
    char *png;
    size_t size;
    int k; /* of the gallery */
  } picture[MOST_FRAMES];
} film;

static void snapshots_clear(film *f)
{
  for (int i = 0; i < f->count; i++) hk_free(&f->picture[i].png);
  f->count = 0;
}

static hk_status make_snapshot(const hk_gallery *g, hk_sketch *sketch, hk_count i, void *user)
{
  hk_status status = HK_OK;
  film *f = user;
  hk_canvas *canvas = NULL;
  HK_TRY(hk_gallery_draw(g, sketch, f->quantity, f->picture[i].k, f->width, &canvas));
  HK_TRY(hk_canvas_encode(canvas, &f->picture[i].png, &f->picture[i].size));
cleanup:
  hk_canvas_destroy(&canvas);
  return status;
}

/* *bytes: of all PNGs. */
static hk_status snapshots_make(hk_gallery *g, film *f, size_t *bytes)
{
  snapshots_clear(f);
  for (int k = (g->count - 1) % f->stride; k < g->count; k += f->stride)
    f->picture[f->count++].k = k;
  HK_PASS(hk_gallery_each(g, f->count, make_snapshot, f));
  *bytes = 0;
  for (int i = 0; i < f->count; i++) *bytes += f->picture[i].size;
  return HK_OK;
}

/* The bytes of the picture in the middle. */
static hk_status measure(hk_gallery *g, film *f, size_t *size)
{
  f->count = 1, f->picture[0].k = g->count / 2;
  HK_PASS(hk_gallery_each(g, 1, make_snapshot, f));
  *size = f->picture[0].size;
  return HK_OK;
}

/* The largest and most pictures that stay within `budget` bytes. Bytes grow about with width^(3/2); films are not wider than FILM_WIDTH. */
static hk_status snapshots_fit(hk_gallery *g, size_t budget, film *f)
{
  static const struct {
    int width, stride;
  } try[] = {{1100, 1}, {900, 1}, {700, 1}, {700, 2}, {550, 3}, {450, 6}, {400, MOST_FRAMES}};
  enum { TRIES = sizeof try / sizeof *try, SAMPLE = 550, FILM = 6, FILM_WIDTH = 700 };
  size_t size, bytes = SIZE_MAX;
  f->width = SAMPLE;
  HK_PASS(measure(g, f, &size));
  for (int i = 0; i < TRIES && bytes > budget; i++) {
    const int count = (g->count + try[i].stride - 1) / try[i].stride;
    const double expected = (double)size * count * pow((double)try[i].width / SAMPLE, 1.5);
    const bool large = count > FILM && try[i].width > FILM_WIDTH;
    if (i + 1 < TRIES && (large || expected > (double)budget)) continue;
    f->width = try[i].width, f->stride = try[i].stride;
    HK_PASS(snapshots_make(g, f, &bytes));
  }
  return HK_OK;
}

/* field: "field", "field_shot0003" or "field_peak" */
static void put_snapshots(FILE *to, const hk_gallery *g, const char *field, const film *f,
                          const char *time_unit)
{
  char number[32];
  const int shot = atoi(field + strcspn(field, "0123456789"));
  const bool peak = !strcmp(field, "field_peak");
  fprintf(to, "<section class=\"film\"><h2>%s", peak ? "Largest norm over time: " : "Field: ");
  hk_html_text(to, g->field->quantity[f->quantity].name);
  if (shot) fprintf(to, ", shot %d", shot);
  fputs("</h2><div class=\"frames\">\n", to);
  for (int i = 0; i < f->count; i++) {
    fprintf(to, "<img%s alt=\"%s%s ", i + 1 == f->count ? " class=\"on\"" : "",
            g->shots ? "shot " : "t = ",
            hk_number_text(number, 5, hk_gallery_time(g, f->picture[i].k)));
    if (!g->shots) hk_html_text(to, time_unit);
    fputs("\" src=\"data:image/png;base64,", to);
    hk_html_base64(to, f->picture[i].png, f->picture[i].size);
    fputs("\">\n", to);
  }
  fprintf(to,
          "</div><div class=\"play\"><button>Play</button><input type=\"range\" min=\"0\" "
          "max=\"%d\" value=\"%d\" aria-label=\"frame\"><output></output></div></section>\n",
          f->count - 1, f->count - 1);
}

/* The viewer, with the model that the run has or else the field's file tells of. */
static hk_status put_view(FILE *to, hk_gallery *g, const char *run, const char *name,
                          hk_report_beside beside, bool *written)
{
  hk_status status = HK_OK;
  hk_field *field = NULL; /* with its grid, which the gallery's lacks where there is a scene */
  hk_field_model *found = NULL;
  hk_view_model model;
  if (beside.model) return hk_view_write(to, g, run, beside.model, written);
  HK_TRY(hk_field_open(run, name, &field));
  if (field) HK_TRY(hk_field_model_read(field, &found));
  if (found) model = (hk_view_model){hk_field_model_mesh(found), hk_field_model_regions(found)};
  HK_TRY(hk_view_write(to, g, run, found ? &model : NULL, written));
cleanup:
  hk_field_model_destroy(&found);
  hk_field_close(&field);
  return status;
}

/* viewed: the viewer shows another field, or this one from now on. */
static hk_status put_field(FILE *to, const char *run, const char *field, hk_report_beside beside,
                           size_t budget, const char *time_unit, const hk_picture_desc *choice,
                           bool *viewed)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;
  film *f = NULL;
  HK_TRY(hk_gallery_create(run, field, beside.scene, (hk_gallery_most){MOST_FRAMES, HK_GALLERY_ALL},
                           choice, &g));
  HK_TRY(hk_new(&f));
  if (g && !*viewed) HK_TRY(put_view(to, g, run, field, beside, viewed));
  for (int i = 0; g && i < g->shown; i++) {
    f->quantity = g->quantity[i];
    HK_TRY(snapshots_fit(g, budget / (size_t)g->shown, f));
    put_snapshots(to, g, field, f, time_unit);
    snapshots_clear(f);
  }
cleanup:
  if (f) snapshots_clear(f);
  hk_free(&f);
  hk_gallery_destroy(&g);
  return status;
}

hk_status hk_report_snapshots(FILE *to, const char *run, hk_report_beside beside,
                              const char *time_unit, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  char **field = NULL;
  int fields = 0;
  bool viewed = false;
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(hk_picture_check_fields(run, fields, field, choice));
  const int shown = fields < MOST_SNAPSHOTS ? fields : MOST_SNAPSHOTS;
  for (int i = 0; i < shown; i++)
    HK_TRY(put_field(to, run, field[i], beside, PICTURE_BYTES / (size_t)shown, time_unit, choice,
                     &viewed));
cleanup:
  hk_names_free(fields, &field);
  return status;
}
