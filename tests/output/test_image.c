/* Images of an array: the traces are those of a point scatterer, whose times of flight are exact. */
#include <hooke/result.h>
#include "result/image/hilbert.h"
#include "result/image/image.h"
#include "result/run_file.h"
#include "files.h"
#include "support/check.h"
#include <jansson.h>
#include <omp.h>

enum { ELEMENTS = 8, SAMPLES = 1201 };
static const double SPEED = 5.9, DELAY = .8, DT = .01, place[2] = {5.3, 9.1};

/* Its envelope is exp(-(t / .7)^2). */
static double burst(double t)
{
  return exp(-t * t / .49) * cos(4 * M_PI * t + .7);
}

static double element(int i)
{
  return 1.5 * i;
}

/* traces/array/velocity of elements on y = 20 [shot, receiver, x y, sample], of which y is the scatterer's times `height`. */
static void write_array(const char *folder, double height, double damage)
{
  int64_t node[ELEMENTS];
  double x[ELEMENTS][2];
  static double v[ELEMENTS][2][SAMPLES];
  for (int i = 0; i < ELEMENTS; i++) node[i] = -1, x[i][0] = element(i), x[i][1] = 20;
  const hk_trace_layout trace = {.name = "array",
                                 .receivers = ELEMENTS,
                                 .node = node,
                                 .coordinates = x[0],
                                 .dim = 2,
                                 .samples = SAMPLES,
                                 .dt = DT,
                                 .every = 1,
                                 .steps = SAMPLES - 1,
                                 .time_unit = "us",
                                 .quantity_count = 1,
                                 .quantity = {{"velocity", "mm/us", "x y", 2}}};
  const hk_run_layout layout = {.trace_count = 1, .trace = &trace, .shots = ELEMENTS};
  hk_run_file *file = NULL;
  ok(hk_run_file_create(in(folder, "run.h5"), &layout, &file));
  for (int s = 0; s < ELEMENTS; s++) {
    for (int r = 0; r < ELEMENTS; r++)
      for (int k = 0; k < SAMPLES; k++) {
        const double way = hypot(element(s) - place[0], 20 - place[1]) +
                           hypot(element(r) - place[0], 20 - place[1]);
        v[r][0][k] = 1e3, v[r][1][k] = height * burst(k * DT - DELAY - way / SPEED);
      }
    v[3][1][7] += damage;
    ok(hk_run_file_write_trace(file, s, 0, 0, 0, SAMPLES, v[0][0]));
  }
  ok(hk_run_file_close(&file));
}

/* H(cos) = sin, H(sin) = -cos of all frequencies within a period; H of the mean and of the highest frequency are 0; even and odd n */
static void hilbert_turns_by_a_quarter(void **state)
{
  (void)state;
  const hk_count length[] = {2, 3, 64, 63, 50, 1201};
  for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
    const hk_count n = length[i];
    hk_hilbert h;
    hk_complex *room = NULL;
    ok(hk_hilbert_create(n, &h));
    ok(hk_get(&room, h.fft.n));
    for (hk_count m = 0; 2 * m <= n; m += 1 + n / 10) {
      const double one = m > 0 && 2 * m < n;
      for (hk_count k = 0; k < n; k++) {
        const double angle = 2 * M_PI * (double)(m * k % n) / (double)n;
        room[k] = (hk_complex){cos(angle), sin(angle)};
      }
      hk_hilbert_run(&h, room);
      for (hk_count k = 0; k < n; k++) {
        const double angle = 2 * M_PI * (double)(m * k % n) / (double)n;
        near(room[k].re, one * sin(angle), 1e-12);
        near(room[k].im, -one * cos(angle), 1e-12);
      }
    }
    hk_free(&room);
    hk_hilbert_clear(&h);
  }
}

static hk_status capture(const char *folder, int part, hk_capture *c, hk_result **r)
{
  HK_PASS(hk_result_open(folder, r));
  return hk_capture_read(*r, 0, 1, part, NULL, c);
}

/* peak = place of the scatterer, to half a pixel; |image| there = height of its envelope, to the 2e-3 of linear interpolation */
static void focusing_finds_a_scatterer(void **state)
{
  (void)state;
  char folder[64];
  double at[2];
  hk_result *r = NULL;
  hk_capture c;
  hk_image i = {0}, one = {0};
  hk_image_how how = {.speed = SPEED,
                      .delay = DELAY,
                      .gate = {-1, 100},
                      .from = {2, 5},
                      .to = {9, 13},
                      .spacing = .1};
  new_folder(folder);
  write_array(folder, 3, 0);
  ok(capture(folder, HK_CAPTURE_ALL, &c, &r));
  ok(hk_image_focus(&c, &how, &i));
  assert_int_equal(i.axis[0].count, 71);
  assert_int_equal(i.axis[1].count, 81);
  near(hk_image_peak(&i, at), 3, 6e-3);
  near(at[0], place[0], .0501);
  near(at[1], place[1], .0501);
  how.gate[1] =
      DELAY + 2 * (20 - place[1]) / SPEED - 1.5; /* before its echo: exp(-(1.5 / .7)^2) = .01 */
  ok(hk_image_focus(&c, &how, &one));
  assert_true(hk_image_peak(&one, at) < .1);
  hk_image_clear(&i);
  hk_image_clear(&one);
  hk_capture_clear(&c);
  hk_result_close(&r);
  remove_folder(folder);
}

/* envelope of element e = height exp(-((t - delay - 2 way / speed) / .7)^2) */
static void bscan_is_the_envelope(void **state)
{
  (void)state;
  char folder[64];
  hk_result *r = NULL;
  hk_capture c;
  hk_image i = {0};
  const hk_image_how how = {.gate = {2.005, 9}};
  new_folder(folder);
  write_array(folder, 3, 0);
  ok(capture(folder, HK_CAPTURE_OWN, &c, &r));
  ok(hk_image_bscan(&c, &how, &i));
  assert_int_equal(i.axis[1].count, 900 - 200);
  for (int e = 0; e < ELEMENTS; e++) {
    near(i.axis[0].at[e], 1.5 * e, 1e-12);
    for (int k = 0; k < 700; k++) {
      const double t =
          i.axis[1].at[k] - DELAY - 2 * hypot(element(e) - place[0], 20 - place[1]) / SPEED;
      near(i.axis[1].at[k], (k + 201) * DT, 1e-12);
      near(i.value[k * ELEMENTS + e], 3 * exp(-t * t / .49), 1e-3);
    }
  }
  hk_image_clear(&i);
  hk_capture_clear(&c);
  hk_result_close(&r);
  remove_folder(folder);
}

/* Receivers of one shot at the points of a 4 x 3 grid, in any order; the envelope of receiver i at its peak = i + 1 */
static void cscan_is_the_largest_envelope(void **state)
{
  (void)state;
  enum { WIDE = 4, TALL = 3, COUNT = WIDE * TALL, N = 300 };
  hk_complex signal[COUNT][N];
  double receiver[COUNT][3], source[1][3] = {{0}};
  hk_image i = {0};
  hk_capture c = {.dim = 3, .shots = 1, .receivers = COUNT, .samples = N, .rows = COUNT};
  c.source = source, c.receiver = receiver, c.step = .1, c.signal = signal[0];
  c.unit = "", c.time_unit = "us", c.length_unit = "mm";
  for (int k = 0; k < COUNT; k++) {
    const int p = 5 * k % COUNT; /* the order */
    receiver[p][0] = 2 + .3 * (k % WIDE), receiver[p][1] = 7,
    receiver[p][2] = -1 + (double)(k - k % WIDE);
    for (int n = 0; n < N; n++) {
      const double size = (k + 1) * exp(-pow((.1 * n - 15) / 2, 2)) + (n < 20 ? 100 : 0);
      signal[p][n] = (hk_complex){size * cos(n), size * sin(n)};
    }
  }
  ok(hk_image_cscan(&c, &(hk_image_how){.gate = {5, 25}}, &i));
  assert_int_equal(i.axis[0].count, WIDE);
  assert_int_equal(i.axis[1].count, TALL);
  assert_string_equal(i.axis[1].name, "z");
  for (int k = 0; k < COUNT; k++) near(i.value[k], k + 1, 1e-12);
  hk_image_clear(&i);
  receiver[5][0] += .1;
  fails_with(hk_image_cscan(&c, &(hk_image_how){.gate = {5, 25}}, &i), HK_BAD_INPUT, "grid");
  hk_image_clear(&i);
}

static hk_status write_image(const char *folder, const char *method)
{
  const bool focus = !strcmp(method, "tfm");
  const double from[2] = {2, 5}, to[2] = {9, 13};
  char *json = NULL;
  const hk_image_desc desc = {.method = method,
                              .component = "y",
                              .speed = focus ? SPEED : 0,
                              .delay = focus ? DELAY : 0,
                              .dimension = 2,
                              .from = focus ? from : NULL,
                              .to = focus ? to : NULL};
  const hk_status status = hk_image_write(folder, &desc, NULL, &json);
  hk_free(&json);
  return status;
}

/* files of n threads = files of one, byte by byte */
static void threads_change_nothing(void **state)
{
  (void)state;
  static const char *const name[] = {"image_tfm.h5", "image_tfm.png", "image_bscan.h5",
                                     "image_bscan.png"};
  char folder[64], *first[4];
  long size[4] = {0}, now = 0;
  const int most = omp_get_max_threads(), threads[] = {1, 2, 5};
  new_folder(folder);
  write_array(folder, 3, 0);
  for (int i = 0; i < 3; i++) {
    omp_set_num_threads(threads[i]);
    ok(write_image(folder, "tfm"));
    ok(write_image(folder, "bscan"));
    for (int k = 0; k < 4; k++) {
      char *bytes = slurp(in(folder, name[k]), i ? &now : &size[k]);
      assert_non_null(bytes);
      if (i) assert_true(now == size[k] && !memcmp(bytes, first[k], (size_t)now));
      if (i)
        free(bytes);
      else
        first[k] = bytes;
    }
  }
  omp_set_num_threads(most);
  for (int k = 0; k < 4; k++) free(first[k]);
  remove_folder(folder);
}

/* values that are not numbers, silence, a user's file and a missing speed end in words */
static void what_cannot_be_is_told(void **state)
{
  (void)state;
  char folder[64], *json = NULL;
  new_folder(folder);
  write_array(folder, 3, NAN);
  fails_with(write_image(folder, "tfm"), HK_BAD_INPUT, "not numbers");
  write_array(folder, 0, 0);
  fails_with(write_image(folder, "bscan"), HK_BAD_INPUT, "no value above 0");
  fails_with(write_image(folder, "cscan"), HK_BAD_INPUT, "these 8 are all on one line");
  write_array(folder, 3, 0);
  fails_with(
      hk_image_write(folder, &(hk_image_desc){.method = "tfm", .component = "y"}, NULL, &json),
      HK_USAGE, "give the speed");
  fails_with(hk_image_write(folder, &(hk_image_desc){.method = "bscan"}, NULL, &json), HK_USAGE,
             "name one with --component: x y");
  FILE *own = fopen(in(folder, "image_tfm.png"), "w");
  fclose(own);
  fails_with(write_image(folder, "tfm"), HK_NOT_WRITABLE, "image_tfm.png");
  assert_true(access(in(folder, "image_tfm.h5"), F_OK) != 0);
  remove_folder(folder);
}

static void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

/* run.json with sources of shots at x = 1.5 i, in the order of the elements or against it, at this y; and with what is added */
static void write_json(const char *folder, bool reversed, double y, const char *more)
{
  FILE *file = fopen(in(folder, "run.json"), "w");
  fprintf(file, "{\"sources\": [");
  for (int s = 0; s < ELEMENTS; s++)
    fprintf(file, "%s[%.17g, %.17g]", s ? ", " : "", element(reversed ? ELEMENTS - 1 - s : s), y);
  fprintf(file, "]%s}", more);
  fclose(file);
}

/* sources against the order of the receivers: each receiver has its own source's shot, so the image of shots in order with the traces turned;
 * sources elsewhere: none */
static void bscan_takes_shots_at_the_receivers(void **state)
{
  (void)state;
  char folder[64];
  hk_result *r = NULL;
  hk_capture c;
  hk_complex own[ELEMENTS];
  enum { K = 700 };
  new_folder(folder);
  write_array(folder, 3, 0);
  ok(capture(folder, HK_CAPTURE_ALL, &c, &r));
  for (int e = 0; e < ELEMENTS; e++) /* of receiver e in the shot that is the last but e */
    own[e] = c.signal[((ELEMENTS - 1 - e) * ELEMENTS + e) * c.samples + K];
  hk_capture_clear(&c);
  hk_result_close(&r);
  write_json(folder, true, 20, "");
  ok(capture(folder, HK_CAPTURE_OWN, &c, &r));
  for (int e = 0; e < ELEMENTS; e++) {
    near(c.signal[e * c.samples + K].re, own[e].re, 1e-12);
    near(c.signal[e * c.samples + K].im, own[e].im, 1e-12);
  }
  hk_capture_clear(&c);
  hk_result_close(&r);
  write_json(folder, false, 0, "");
  fails_with(capture(folder, HK_CAPTURE_OWN, &c, &r), HK_BAD_INPUT, "receiver 1 at (0, 20): no");
  hk_capture_clear(&c);
  hk_result_close(&r);
  remove_folder(folder);
}

static hk_status write_to(const char *folder, const char *output)
{
  char *json = NULL;
  const hk_image_desc desc = {.method = "bscan", .component = "y", .output = output};
  const hk_status status = hk_image_write(folder, &desc, NULL, &json);
  hk_free(&json);
  return status;
}

/* a named output replaces images of hooke and their pictures, and nothing else; in a result folder it is put on the list */
static void named_output_replaces_images_alone(void **state)
{
  (void)state;
  char folder[64], *text;
  long size = 0, now = 0;
  new_folder(folder);
  write_array(folder, 3, 0);
  text = slurp(in(folder, "run.h5"), &size);
  fails_with(write_to(folder, in(folder, "run.h5")), HK_NOT_WRITABLE, "no image");
  assert_int_equal(link(in(folder, "run.h5"), in(folder, "other.h5")), 0);
  fails_with(write_to(folder, in(folder, "other.h5")), HK_NOT_WRITABLE, "no image");
  free(text);
  text = slurp(in(folder, "run.h5"), &now);
  assert_true(now == size && access(in(folder, "run.png"), F_OK) != 0);
  free(text);
  write_text(in(folder, "mesh.png"), "mine");
  fails_with(write_to(folder, in(folder, "mesh.h5")), HK_NOT_WRITABLE, "mesh.png: would be");
  assert_true(access(in(folder, "mesh.h5"), F_OK) != 0);
  ok(write_to(folder, in(folder, "own.h5")));
  ok(write_to(folder, in(folder, "own.h5")));
  assert_true(access(in(folder, "written.txt"), F_OK) != 0);
  write_text(in(folder, "written.txt"),
             "Files of this folder that hooke wrote, and may replace or delete:\nrun.h5\n");
  fails_with(write_to(folder, in(folder, "own.h5")), HK_NOT_WRITABLE, "not among the files");
  ok(write_to(folder, in(folder, "listed.h5")));
  ok(write_to(folder, in(folder, "listed.h5")));
  text = slurp(in(folder, "written.txt"), &size);
  says(text, "listed.h5\nlisted.png\n");
  free(text);
  remove_folder(folder);
}

/* no speed is guessed where there are several; a speed in another unit is warned of; no images of bodies of revolution */
static void facts_of_the_run_count(void **state)
{
  (void)state;
  static const char same[] =
      ", \"speeds\": [{\"p_speed\": 5.9, \"s_speed\": 3.2, \"uniform\": %s}]";
  char folder[64], text[128], *json = NULL;
  const double from[2] = {2, 5}, to[2] = {9, 13};
  hk_image_desc desc = {.method = "tfm", .component = "y", .dimension = 2, .from = from, .to = to};
  new_folder(folder);
  write_array(folder, 3, 0);
  snprintf(text, sizeof text, same, "false");
  write_json(folder, false, 20, text);
  fails_with(hk_image_write(folder, &desc, NULL, &json), HK_USAGE, "give the speed: --speed");
  snprintf(text, sizeof text, same, "true");
  write_json(folder, false, 20, text);
  for (int k = 0; k < 3; k++) { /* none, near, and m/s in place of mm/us at a longer gate */
    hk_messages *list = NULL;
    ok(hk_messages_create(&list));
    desc.speed = k == 0 ? 0 : k == 1 ? 3.2 / 19 : 3.2 / 21;
    if (k) desc.delay = -150;
    ok(hk_image_write(folder, &desc, list, &json));
    assert_int_equal(hk_messages_count(list), k == 2);
    if (k == 2) says(hk_messages_at(list, 0)->text, "in the run's units");
    hk_free(&json);
    hk_messages_destroy(&list);
  }
  write_json(folder, false, 20, ", \"axisymmetric\": true");
  fails_with(write_image(folder, "bscan"), HK_BAD_INPUT, "axisymmetric");
  remove_folder(folder);
}

/* memory that ends at the k-th allocation, of later ones at each eighth: an error, nothing held, no half file */
static void allocations_fail(void **state)
{
  (void)state;
  static const char *const method[] = {"bscan", "tfm"};
  char folder[64], command[128];
  new_folder(folder);
  write_array(folder, 3, 0);
  for (int i = 0; i < 2; i++)
    for (shortage memory = {0}; next_shortage(&memory);) {
      memory.status = write_image(folder, method[i]);
      memory.k += memory.status == HK_OK ? 0 : memory.k / 8;
    }
  snprintf(command, sizeof command, "ls %s | grep -q tmp$", folder);
  assert_int_not_equal(system(command), 0);
  remove_folder(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(hilbert_turns_by_a_quarter),
                                     cmocka_unit_test(focusing_finds_a_scatterer),
                                     cmocka_unit_test(bscan_is_the_envelope),
                                     cmocka_unit_test(cscan_is_the_largest_envelope),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(what_cannot_be_is_told),
                                     cmocka_unit_test(bscan_takes_shots_at_the_receivers),
                                     cmocka_unit_test(named_output_replaces_images_alone),
                                     cmocka_unit_test(facts_of_the_run_count),
                                     cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
