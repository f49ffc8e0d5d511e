/* PNG files of a result: the frames of its fields, its traces, and the convergence of iterative solvers. All threads
 * draw, each a picture of its own. File names are made here alone, so that the check before a run and the writer after
 * it name the same files. Files that the run did not write are never replaced. */
#include <hooke/result.h>
#include "picture/picture.h"
#include "picture/pictures.h"
#include "picture/trace_plot.h"
#include "result/written.h"
#include <string.h>

enum { WIDTH = 1400, MOST_SHOTS = 4, MOST_QUANTITIES = 8 };

/* Names of requests come from the user: what a file name cannot hold becomes _. */
static void make_file_name(char *text)
{
  for (; *text; text++)
    if (strchr("/\\:*?\"<>| ", *text)) *text = '_';
}

static hk_status field_path(const char *folder, const char *field, const char *quantity,
                            hk_count frame, char **out)
{
  return hk_format(out, "%s/%s_%s_%04lld.png", folder, field, quantity, (long long)frame);
}

/* shots: how many the trace has; 0: none. */
static hk_status trace_path(const char *folder, const char *request, const char *quantity,
                            hk_count shots, hk_count shot, char **out)
{
  hk_status status = HK_OK;
  char *name = NULL;
  HK_TRY(
      shots ? hk_format(&name, "trace_%s_%s_shot%04lld.png", request, quantity, (long long)shot + 1)
            : hk_format(&name, "trace_%s_%s.png", request, quantity));
  make_file_name(name);
  HK_TRY(hk_format(out, "%s/%s", folder, name));
cleanup:
  hk_free(&name);
  return status;
}

hk_status hk_pictures_check_traces(const char *folder, const hk_run_layout *layout)
{
  hk_status status = HK_OK;
  char *path = NULL;
  for (int i = 0; i < layout->trace_count; i++)
    for (int q = 0; q < layout->trace[i].quantity_count; q++)
      for (hk_count k = 0; k == 0 || (k < layout->shots && k < MOST_SHOTS); k++) {
        hk_free(&path);
        HK_TRY(trace_path(folder, layout->trace[i].name, layout->trace[i].quantity[q].name,
                          layout->shots, k, &path));
        HK_TRY(hk_written_check(path));
      }
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_pictures_check_field(const char *folder, const hk_field_layout *layout, int field,
                                  int fields)
{
  hk_status status = HK_OK;
  const int count = layout->quantity_count;
  const char *name[MOST_QUANTITIES];
  char *path = NULL;
  for (int q = 0; q < count; q++) name[q] = layout->quantity[q].name;
  const hk_gallery_choice choice = hk_gallery_choose(hk_gallery_usual(fields, field), count, name);
  const hk_count frames = layout->frames < choice.frames ? layout->frames : choice.frames;
  for (int q = 0; q < count; q++)
    for (hk_count k = 0; k < frames && hk_gallery_draws(choice, count, name, q); k++) {
      hk_free(&path);
      HK_TRY(field_path(folder, layout->name ? layout->name : "field", name[q],
                        hk_gallery_pick(layout->frames, frames, k), &path));
      HK_TRY(hk_written_check(path));
    }
cleanup:
  hk_free(&path);
  return status;
}

/* Writes a picture of the run and lets go of it. */
static hk_status save(const char *path, hk_canvas **canvas)
{
  hk_status status;
#pragma omp critical(hk_pictures) /* one at a time begins the list of what was written */
  status = hk_written_claim(path);
  HK_PASS(status);
  HK_PASS(hk_canvas_write(*canvas, path));
  hk_canvas_destroy(canvas);
  return HK_OK;
}

typedef struct album { /* where the pictures of a field go */
  const char *field, *folder;
} album;

/* The i-th picture of a gallery: frame by frame of its first quantity, of the next, ... */
static hk_status write_field_picture(const hk_gallery *g, hk_sketch *sketch, hk_count i, void *user)
{
  hk_status status = HK_OK;
  const album *to = user;
  const int q = g->quantity[i / g->count], k = (int)(i % g->count);
  hk_canvas *canvas = NULL;
  char *path = NULL;
  HK_TRY(hk_gallery_draw(g, sketch, q, k, WIDTH, &canvas));
  HK_TRY(field_path(to->folder, to->field, g->field->quantity[q].name, g->frame[k], &path));
  HK_TRY(save(path, &canvas));
cleanup:
  hk_free(&path);
  hk_canvas_destroy(&canvas);
  return status;
}

static hk_status write_field_pictures(const char *run, const char *field, const hk_scene *scene,
                                      const char *folder, hk_gallery_most most,
                                      const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;
  album to = {field, folder};
  HK_TRY(hk_gallery_create(run, field, scene, most, choice, &g));
  if (g) HK_TRY(hk_gallery_each(g, (hk_count)g->shown * g->count, write_field_picture, &to));
cleanup:
  hk_gallery_destroy(&g);
  return status;
}

static hk_status write_trace_picture(hk_result *r, int trace, hk_count shot, const char *folder,
                                     const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  char *path = NULL;
  const hk_result_trace *t = &r->trace[trace];
  HK_TRY(hk_trace_plot(r, trace, shot, choice, WIDTH, &canvas));
  HK_TRY(trace_path(folder, t->request, t->quantity, t->shots, shot, &path));
  HK_TRY(save(path, &canvas));
cleanup:
  hk_free(&path);
  hk_canvas_destroy(&canvas);
  return status;
}

static hk_status write_convergence(const hk_result *r, const char *folder)
{
  hk_status status = HK_OK;
  hk_curves *curves = NULL;
  hk_canvas *canvas = NULL;
  char *path = NULL;
  HK_TRY(hk_convergence_read(r->run, &curves));
  if (!curves) goto cleanup;
  HK_TRY(hk_convergence_plot(curves, WIDTH, &canvas));
  HK_TRY(hk_format(&path, "%s/convergence.png", folder));
  HK_TRY(save(path, &canvas));
cleanup:
  hk_free(&path);
  hk_canvas_destroy(&canvas);
  hk_curves_destroy(&curves);
  return status;
}

/* Traces of the first shots, where there are any, and convergence. */
static hk_status write_plots(const char *run, const char *folder, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  hk_failure failure = {0};
  hk_result *r = NULL;
  HK_TRY(hk_result_open(run, &r));
  HK_TRY(hk_picture_check_sections(r, choice));
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < r->count; i++) {
    hk_status one = HK_OK;
    for (hk_count k = 0; one == HK_OK && (k == 0 || (k < r->trace[i].shots && k < MOST_SHOTS)); k++)
      one = write_trace_picture(r, i, k, folder, choice);
    hk_failure_keep(&failure, one);
  }
  HK_TRY(hk_failure_tell(&failure));
  HK_TRY(write_convergence(r, folder));
cleanup:
  hk_result_close(&r);
  return status;
}

hk_status hk_pictures_check(const char *run, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  char **field = NULL;
  int fields = 0;
  HK_TRY(hk_result_open(run, &r));
  HK_TRY(hk_picture_check_sections(r, choice));
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(hk_picture_check_fields(run, fields, field, choice));
  for (int i = 0; i < fields; i++) HK_TRY(hk_gallery_check(run, field[i], choice));
cleanup:
  hk_result_close(&r);
  hk_names_free(fields, &field);
  return status;
}

hk_status hk_pictures_draw(const char *run, const hk_scene *scene, const char *folder, int frames,
                           const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  char **field = NULL;
  int fields = 0;
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(hk_picture_check_fields(run, fields, field, choice));
  HK_TRY(write_plots(run, folder ? folder : run, choice));
  for (int i = 0; i < fields; i++) {
    const hk_gallery_most all = {frames > 0 ? frames : HK_GALLERY_ALL, HK_GALLERY_ALL};
    HK_TRY(write_field_pictures(run, field[i], scene, folder ? folder : run,
                                frames ? all : hk_gallery_usual(fields, i), choice));
  }
cleanup:
  hk_names_free(fields, &field);
  return status;
}

hk_status hk_pictures_write(const char *run, const char *folder, int frames,
                            const hk_picture_desc *choice)
{
  return hk_pictures_draw(run, NULL, folder, frames, choice);
}
