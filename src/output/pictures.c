/* PNG files of a result: fields frame by frame, traces. */
#include <hooke/result.h>
#include "output/picture.h"
#include "output/trace_plot.h"
#include <stdio.h>
#include <string.h>

enum { USUAL_FRAMES = 12, WIDTH = 1400 };

/* Names of requests come from the user: what a file name cannot hold becomes _. */
static void make_file_name(char *text)
{
  for (; *text; text++)
    if (strchr("/\\:*?\"<>| ", *text)) *text = '_';
}

static hk_status write_field_pictures(const char *run, const char *folder, int frames)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;
  hk_canvas *canvas = NULL;
  char *path = NULL;
  HK_TRY(hk_gallery_create(run, frames, &g));
  for (int q = 0; g && q < hk_gallery_quantities(g); q++)
    for (int k = 0; k < hk_gallery_count(g); k++) {
      HK_TRY(hk_gallery_draw(g, q, k, WIDTH, &canvas));
      HK_TRY(hk_format(&path, "%s/field_%s_%04lld.png", folder, hk_gallery_name(g, q),
                       (long long)hk_gallery_frame(g, k)));
      HK_TRY(hk_canvas_write(canvas, path));
      hk_canvas_destroy(&canvas);
      hk_free(&path);
    }
cleanup:
  hk_free(&path);
  hk_canvas_destroy(&canvas);
  hk_gallery_destroy(&g);
  return status;
}

static hk_status write_trace_pictures(const char *run, const char *folder)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  hk_canvas *canvas = NULL;
  char *path = NULL, *name = NULL;
  HK_TRY(hk_result_open(run, &r));
  for (int i = 0; i < r->count; i++) {
    HK_TRY(hk_trace_plot(r, i, WIDTH, &canvas));
    HK_TRY(hk_format(&name, "trace_%s_%s.png", r->trace[i].request, r->trace[i].quantity));
    make_file_name(name);
    HK_TRY(hk_format(&path, "%s/%s", folder, name));
    HK_TRY(hk_canvas_write(canvas, path));
    hk_canvas_destroy(&canvas);
    hk_free(&path);
    hk_free(&name);
  }
cleanup:
  hk_free(&path);
  hk_free(&name);
  hk_canvas_destroy(&canvas);
  hk_result_close(&r);
  return status;
}

hk_status hk_pictures_write(const char *run, const char *folder, int frames)
{
  hk_status status = HK_OK;
  HK_TRY(write_trace_pictures(run, folder ? folder : run));
  HK_TRY(write_field_pictures(run, folder ? folder : run, frames > 0 ? frames : USUAL_FRAMES));
cleanup:
  return status;
}
