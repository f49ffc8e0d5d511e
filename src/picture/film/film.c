/* Moving pictures: all frames of a quantity of a field in one file, whose ending names its format. Frames are drawn by all threads, a batch at a
 * time, and put into the file in their order; the last is shown for a second. What they show is what the user chose about pictures
 * (picture/choice.c). */
#include "picture/film/film.h"
#include <hooke/result.h>
#include "picture/picture.h"
#include "result/written.h"
#include <math.h>
#include <omp.h>
#include <string.h>

enum { WIDTH = 1000, PER_SECOND = 12, ROUNDS = 4 };
static const double slowest = .2; /* frames a second */

/* Colours are those of the pictures: one palette for all frames, without dithering; videos state their colours. */
#define COLOURS                                                                                    \
  "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"
static const char palette[] = "split[a][b];[a]palettegen=stats_mode=full:reserve_transparent=0[p];"
                              "[b][p]paletteuse=dither=none:diff_mode=rectangle";
static const char video[] = "tpad=stop_mode=clone:stop_duration=1,"    /* the last for a second */
                            "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0:white," /* even sizes */
                            "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
static const char *const gif[] = {
    "-filter_complex", palette, "-final_delay", "100", "-f", "gif", NULL};
static const char *const mp4[] = {"-vf",   video,       "-c:v",       "libx264", "-crf", "18",
                                  COLOURS, "-movflags", "+faststart", "-f",      "mp4",  NULL};
static const char *const webm[] = {"-vf", video,       "-c:v", "libvpx-vp9", "-crf", "24",   "-b:v",
                                   "0",   "-cpu-used", "4",    COLOURS,      "-f",   "webm", NULL};

static const hk_film_format formats[] = {{".apng", &hk_film_apng, 1000, NULL},
                                         {".png", &hk_film_apng, 1000, NULL},
                                         {".gif", &hk_film_program, 50, gif},
                                         {".mp4", &hk_film_program, 1000, mp4},
                                         {".webm", &hk_film_program, 1000, webm}};

static const hk_film_format *format_of(const char *path)
{
  const char *ending = strrchr(path, '.');
  for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
    if (hk_same_text(ending, formats[i].ending)) return &formats[i];
  return NULL;
}

/* Frames that are drawn beside each other, and kept until it is their turn. */
typedef struct batch {
  const hk_film *film;
  int quantity, first, count;
  int width, height; /* of the first picture, and so of all */
  struct {
    char *data;
    size_t size;
  } * frame;
} batch;

static hk_status draw_frame(const hk_gallery *g, hk_sketch *sketch, hk_count i, void *user)
{
  hk_status status = HK_OK;
  batch *b = user;
  hk_canvas *canvas = NULL;
  HK_TRY(hk_gallery_draw(g, sketch, b->quantity, b->first + (int)i, WIDTH, &canvas));
  HK_TRY(b->film->format->writer->pack(canvas, &b->frame[i].data, &b->frame[i].size));
  if (i == 0) b->width = canvas->width, b->height = canvas->height;
cleanup:
  hk_canvas_destroy(&canvas);
  return status;
}

static hk_status put_batch(hk_gallery *g, batch *b, hk_film *film)
{
  const hk_film_writer *writer = film->format->writer;
  HK_PASS(hk_gallery_each(g, b->count, draw_frame, b));
  if (film->done == 0) HK_PASS(writer->begin(film, b->width, b->height));
  for (int i = 0; i < b->count; i++, film->done++) {
    HK_PASS(writer->put(film, b->frame[i].data, b->frame[i].size));
    hk_free(&b->frame[i].data);
  }
  return HK_OK;
}

/* A quantity of the gallery; stream is open, and stays so. */
static hk_status put_frames(hk_gallery *g, int quantity, hk_film *film)
{
  hk_status status = HK_OK;
  const int most = ROUNDS * omp_get_max_threads();
  batch b = {.film = film, .quantity = quantity};
  HK_TRY(hk_get(&b.frame, most));
  for (; b.first < g->count; b.first += b.count) {
    b.count = g->count - b.first < most ? g->count - b.first : most;
    HK_TRY(put_batch(g, &b, film));
  }
cleanup:
  status = film->format->writer->end(film, status);
  for (int i = 0; b.frame && i < most; i++) hk_free(&b.frame[i].data);
  hk_free(&b.frame);
  return status;
}

/* own: a file of the run's export folder, on its list. */
static hk_status write_film(hk_gallery *g, int quantity, const char *path, bool own)
{
  hk_status status = HK_OK;
  const double rate = g->choice.frame_rate;
  hk_film film = {.path = path,
                  .format = format_of(path),
                  .frames = g->count,
                  .rate = rate > 0 ? rate : PER_SECOND};
  HK_TRY(own ? hk_written_stream(path, &film.stream) : hk_stream_begin(path, &film.stream));
  HK_TRY(put_frames(g, quantity, &film));
cleanup:
  return hk_stream_end(&film.stream, status);
}

/* What is chosen must suit moving pictures. */
static hk_status check_choice(const char *path, double fastest, const hk_picture_desc *p)
{
  if (!p) return HK_OK;
  HK_NEED(!p->at_time || p->until, HK_USAGE,
          "%s: a film has many frames: give a first and a last time, or leave time out", path);
  HK_NEED(p->frame_rate == 0 || (p->frame_rate >= slowest && p->frame_rate <= fastest), HK_USAGE,
          "%s: frame rate %g: must be from %g to %g frames a second", path, p->frame_rate, slowest,
          fastest);
  return HK_OK;
}

static hk_status no_frames(const char *run)
{
  return hk_error_set(HK_BAD_INPUT,
                      "%s: has no frames of fields: request them with outputs: {field: ...}", run);
}

hk_status hk_movies_write(const char *run, const char *folder, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  const hk_gallery_most all = {HK_GALLERY_ALL, HK_GALLERY_ALL};
  hk_gallery *g = NULL;
  char **field = NULL, *path = NULL;
  int fields = 0, written = 0;
  HK_TRY(check_choice(run, formats[0].fastest, choice));
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(hk_picture_check_fields(run, fields, field, choice));
  for (int i = 0; i < fields; i++) {
    HK_TRY(hk_gallery_create(run, field[i], NULL, all, choice, &g));
    for (int q = 0; g && q < g->shown; q++, written++) {
      const char *quantity = g->field->quantity[g->quantity[q]].name;
      hk_free(&path);
      HK_TRY(hk_format(&path, "%s/%s_%s%s", folder, field[i], quantity, formats[0].ending));
      HK_TRY(write_film(g, g->quantity[q], path, true));
    }
    hk_gallery_destroy(&g);
  }
  if (!written) status = no_frames(run);
cleanup:
  hk_gallery_destroy(&g);
  hk_names_free(fields, &field);
  hk_free(&path);
  return status;
}

/* The field of a shot, or of the only one: its number among them, whose peak maps are no frames of a film. */
static hk_status pick_field(const char *run, int fields, char *const *field, int shot, int *out)
{
  char name[32] = "";
  int found = 0;
  if (shot > 0) snprintf(name, sizeof name, "field_shot%04d", shot);
  for (int i = 0; i < fields; i++) {
    if (!strcmp(field[i], "field_peak") || (shot > 0 && strcmp(field[i], name) != 0)) continue;
    if (!found++) *out = i;
  }
  if (!found && shot <= 0) return no_frames(run);
  HK_NEED(found, HK_USAGE, "%s: has no frames of shot %d", run, shot);
  HK_NEED(found == 1, HK_USAGE, "%s: %d shots have frames, and a film shows one: name the shot",
          run, found);
  return HK_OK;
}

static hk_status one_quantity(const char *path, const hk_gallery *g)
{
  HK_NEED(g->shown == 1, HK_USAGE, "%s: the frames have %d quantities, %s and others: name one",
          path, g->shown, g->field->quantity[g->quantity[0]].name);
  return HK_OK;
}

hk_status hk_film_write(const char *run, const char *path, int shot, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  const hk_gallery_most all = {HK_GALLERY_ALL, HK_GALLERY_ALL};
  const hk_film_format *format = format_of(path);
  hk_result *r = NULL;
  hk_gallery *g = NULL;
  char **field = NULL;
  int fields = 0, chosen = 0;
  HK_CHECK(format, HK_USAGE, "%s: a film ends in .apng, .png, .gif, .mp4 or .webm", path);
  HK_CHECK(shot >= 0, HK_USAGE, "shot %d: must be above 0", shot);
  HK_CHECK(!choice || !(choice->section || choice->scale != 0), HK_USAGE,
           "%s: a film has no sections of traces: leave section and scale out", path);
  HK_TRY(check_choice(path, format->fastest, choice));
  HK_TRY(hk_result_open(run, &r));
  HK_CHECK(r->folder, HK_USAGE, "%s: is not a result folder", run);
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(pick_field(run, fields, field, shot, &chosen));
  HK_TRY(format->writer->check(path));
  HK_TRY(hk_picture_check_fields(run, 1, field + chosen, choice));
  HK_TRY(hk_gallery_create(run, field[chosen], NULL, all, choice, &g));
  if (!g) status = no_frames(run);
  if (g) HK_TRY(one_quantity(path, g));
  if (g) HK_TRY(write_film(g, g->quantity[0], path, false));
cleanup:
  hk_result_close(&r);
  hk_gallery_destroy(&g);
  hk_names_free(fields, &field);
  return status;
}
