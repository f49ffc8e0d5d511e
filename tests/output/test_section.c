/* Sections, which draw the traces of many receivers side by side. */
#include <hooke/result.h>
#include "picture/picture.h"
#include "picture/trace_plot.h"
#include "result/result.h"
#include "result/run_file.h"
#include "files.h"
#include "support/check.h"

/* A section of `receivers` at x = 0, 1, ..., the last one moved by `gap`; value[receivers][41] over times 0 to 20. */
static hk_canvas *section_of(int receivers, double gap, const double *value)
{
  char run[64];
  double *x = calloc((size_t)receivers * 2, sizeof *x), time[41];
  int64_t *node = calloc((size_t)receivers, sizeof *node);
  for (int i = 0; i < 41; i++) time[i] = .5 * i;
  for (int i = 0; i < receivers; i++) x[2 * i] = i + (i + 1 == receivers ? gap : 0), node[i] = -1;
  hk_trace_layout trace = {.name = "rx",
                           .receivers = receivers,
                           .node = node,
                           .coordinates = x,
                           .dim = 2,
                           .samples = 41,
                           .dt = .5,
                           .every = 1,
                           .steps = 40,
                           .time_unit = "us",
                           .quantity_count = 1,
                           .quantity = {{"pressure", "Pa", "p", 1}}};
  const hk_run_layout layout = {1, &trace, 41, time, "mJ", "us", 0, 0, false};
  hk_run_file *file = NULL;
  hk_result *r = NULL;
  hk_canvas *canvas = NULL;
  new_folder(run);
  ok(hk_run_file_create(in(run, "run.h5"), &layout, &file));
  ok(hk_run_file_write_trace(file, 0, 0, 0, 0, 41, value));
  ok(hk_run_file_close(&file));
  ok(hk_result_open(run, &r));
  assert_true(hk_section_fits(&r->trace[0]) == (receivers > 8));
  ok(hk_trace_plot(r, 0, 0, NULL, 1000, &canvas));
  hk_result_close(&r);
  remove_folder(run);
  free(x), free(node);
  return canvas;
}

/* a pulse of receiver i at time 5 + i: a lobe to the right of the receiver's place, filled where it is positive; the same by number where
 * the receivers form no line */
static void sections_show_traces(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    static double value[12][41];
    const double sign = k == 1 ? -1 : 1;
    memset(value, 0, sizeof value);
    for (int i = 0; i < 12; i++) value[i][10 + 2 * i] = sign * 3;
    hk_canvas *c = section_of(12, k == 2 ? 50 : 0, value[0]);
    for (int i = 0; i < 12; i++) {
      const int x = (int)(84 + (i + 1.5) / 14 * 890), y = (int)(74 + (5 + i) / 20. * 480);
      for (int side = -1; side <= 1; side += 2) {
        const hk_colour got = hk_canvas_pixel(c, x + side * 20, y);
        assert_true((got.b - got.r > 100) == (sign > 0 && side > 0));
      }
    }
    hk_canvas_destroy(&c);
  }
}

/* of many receivers positive values are red and negative ones blue, each at its time; not-a-number is grey */
static void sections_show_colours(void **state)
{
  (void)state;
  static double value[1000][41];
  for (int i = 0; i < 1000; i++) value[i][20] = i < 500 ? 2 : -2;
  for (int i = 0; i < 1000; i++) value[i][30] = NAN;
  hk_canvas *c = section_of(1000, 0, value[0]);
  const hk_colour left = hk_canvas_pixel(c, 200, 313), right = hk_canvas_pixel(c, 900, 313);
  const hk_colour before = hk_canvas_pixel(c, 200, 200), lost = hk_canvas_pixel(c, 200, 433);
  const hk_colour most = hk_map_colour(HK_MAP_DIVERGING, 1),
                  none = hk_map_colour(HK_MAP_DIVERGING, .5),
                  least = hk_map_colour(HK_MAP_DIVERGING, 0),
                  gap = hk_map_colour(HK_MAP_DIVERGING, NAN);
  assert_true(most.r > most.b && least.b > least.r);
  assert_memory_equal(&left, &most, 3);
  assert_memory_equal(&right, &least, 3);
  assert_memory_equal(&before, &none, 3);
  assert_memory_equal(&lost, &gap, 3);
  hk_canvas_destroy(&c);
  for (int i = 0; i < 1000; i++) value[i][20] = 0;
  c = section_of(1000, 0, value[0]);
  const hk_colour zero = hk_canvas_pixel(c, 200, 200), unknown = hk_canvas_pixel(c, 200, 433);
  assert_memory_equal(&zero, &none, 3);
  assert_memory_equal(&unknown, &gap, 3);
  hk_canvas_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sections_show_traces),
                                     cmocka_unit_test(sections_show_colours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
