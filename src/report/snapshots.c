/* The fields of a run as moving pictures within its report. Each quantity has its pictures in the page as base64, one
 * of them visible, which a slider chooses. Pictures become smaller, then fewer, until they fit into a budget of bytes;
 * one picture, drawn first, tells whether a size can fit at all. */
#include "picture/picture.h"
#include "report/report.h"
#include "base/file.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 24, MOST_SNAPSHOTS = 4, PICTURE_BYTES = 2900000 };

typedef struct film { /* the pictures of one quantity */
  int count;
  struct {
    char *png;
    size_t size;
    int k;
  } picture[MOST_FRAMES];
} film;

static void snapshots_clear(film *f)
{
  for (int i = 0; i < f->count; i++) hk_free(&f->picture[i].png);
  f->count = 0;
}

/* Every `stride`-th picture, the last among them. *bytes: of all PNGs. */
static hk_status snapshots_make(hk_gallery *g, int quantity, int stride, int width, film *f,
                                size_t *bytes)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  *bytes = 0;
  for (int k = (g->count - 1) % stride; k < g->count; k += stride) {
    HK_TRY(hk_gallery_draw(g, quantity, k, width, &canvas));
    f->picture[f->count].k = k;
    HK_TRY(hk_canvas_encode(canvas, &f->picture[f->count].png, &f->picture[f->count].size));
    *bytes += f->picture[f->count++].size;
    hk_canvas_destroy(&canvas);
  }
cleanup:
  hk_canvas_destroy(&canvas);
  return status;
}

/* Whether the pictures will be far beyond the budget, judged by the one in the middle. */
static hk_status far_too_large(hk_gallery *g, int quantity, int stride, int width, size_t budget,
                               bool *yes)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  char *png = NULL;
  size_t size;
  const size_t count = (size_t)((g->count + stride - 1) / stride);
  HK_TRY(hk_gallery_draw(g, quantity, g->count / 2, width, &canvas));
  HK_TRY(hk_canvas_encode(canvas, &png, &size));
  *yes = size * count > budget + budget / 3;
cleanup:
  hk_free(&png);
  hk_canvas_destroy(&canvas);
  return status;
}

/* The largest and most pictures that stay within `budget` bytes. */
static hk_status snapshots_fit(hk_gallery *g, int quantity, size_t budget, film *f)
{
  static const struct {
    int width, stride;
  } try[] = {{1100, 1}, {900, 1}, {700, 1}, {700, 2}, {550, 3}, {450, 6}, {400, MOST_FRAMES}};
  enum { TRIES = sizeof try / sizeof *try };
  for (int i = 0; i < TRIES; i++) {
    size_t bytes;
    bool skip = false;
    if (i + 1 < TRIES)
      HK_PASS(far_too_large(g, quantity, try[i].stride, try[i].width, budget, &skip));
    if (skip) continue;
    snapshots_clear(f);
    HK_PASS(snapshots_make(g, quantity, try[i].stride, try[i].width, f, &bytes));
    if (bytes <= budget) break;
  }
  return HK_OK;
}

static void put_base64(FILE *to, const char *data, size_t size)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    unsigned bits = 0;
    for (size_t k = 0; k < 3; k++)
      bits = bits << 8 | (i + k < size ? (unsigned char)data[i + k] : 0);
    for (size_t k = 0; k < 4; k++)
      fputc(i + k <= size ? digit[bits >> (18 - 6 * k) & 63] : '=', to);
  }
}

/* field: "field" or "field_shot0003" */
static void put_snapshots(FILE *to, hk_gallery *g, const char *field, int quantity, const film *f,
                          const char *time_unit)
{
  char number[32];
  const int shot = atoi(field + strcspn(field, "0123456789"));
  fputs("<section class=\"film\"><h2>Field: ", to);
  hk_html_text(to, g->field->quantity[quantity].name);
  if (shot) fprintf(to, ", shot %d", shot);
  fputs("</h2><div class=\"frames\">\n", to);
  for (int i = 0; i < f->count; i++) {
    fprintf(to, "<img%s alt=\"t = %s ", i + 1 == f->count ? " class=\"on\"" : "",
            hk_number_text(number, 5, hk_gallery_time(g, f->picture[i].k)));
    hk_html_text(to, time_unit);
    fputs("\" src=\"data:image/png;base64,", to);
    put_base64(to, f->picture[i].png, f->picture[i].size);
    fputs("\">\n", to);
  }
  fprintf(to,
          "</div><div class=\"play\"><button>Play</button><input type=\"range\" min=\"0\" "
          "max=\"%d\" value=\"%d\" aria-label=\"frame\"><output></output></div></section>\n",
          f->count - 1, f->count - 1);
}

static hk_status put_field(FILE *to, const char *run, const char *field, size_t budget,
                           const char *time_unit)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;
  film *f = NULL;
  HK_TRY(hk_gallery_create(run, field, MOST_FRAMES, &g));
  HK_TRY(hk_new(&f));
  for (int q = 0; g && q < g->field->count; q++) {
    if (!hk_gallery_shows(g, q)) continue;
    HK_TRY(snapshots_fit(g, q, budget / (size_t)g->field->count, f));
    put_snapshots(to, g, field, q, f, time_unit);
    snapshots_clear(f);
  }
cleanup:
  if (f) snapshots_clear(f);
  hk_free(&f);
  hk_gallery_destroy(&g);
  return status;
}

hk_status hk_report_snapshots(FILE *to, const char *run, const char *time_unit)
{
  hk_status status = HK_OK;
  char **field = NULL;
  int fields = 0;
  HK_TRY(hk_field_list(run, &fields, &field));
  const int shown = fields < MOST_SNAPSHOTS ? fields : MOST_SNAPSHOTS;
  for (int i = 0; i < shown; i++)
    HK_TRY(put_field(to, run, field[i], PICTURE_BYTES / (size_t)shown, time_unit));
cleanup:
  hk_names_free(fields, &field);
  return status;
}
