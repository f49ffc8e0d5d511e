/* What reads a result folder: comparison, exports, pictures, report. */
#include <hooke/result.h>
#include "picture/figure.h"
#include "picture/picture.h"
#include "picture/pictures.h"
#include "report/report.h"
#include "result/field_file.h"
#include "result/result.h"
#include "result/run_file.h"
#include "files.h"
#include "support/mesh.h"
#include <hdf5.h>
#include <jansson.h>
#include <omp.h>

enum { SAMPLES = 40, N = 4, NODES = (N + 1) * (N + 1), FRAMES = 3 };

/* A result folder; what of it is changed for the comparison: */
typedef struct change {
  double value;  /* added to one sample, and to one node of the field */
  double time;   /* added to the times of the traces */
  bool no_probe; /* second request left out */
  bool no_field;
  bool vtu;
  int frames; /* 0: FRAMES; frames beyond are not written */
} change;

static void write_traces(const char *folder, const change *how)
{
  double time[SAMPLES], energy[4 * SAMPLES] = {0}, v[4 * SAMPLES];
  const int64_t node[2] = {17, -1};
  const double x[4] = {0, 1, 0.5, 0.25};
  for (int i = 0; i < SAMPLES; i++) time[i] = .5 * i, energy[i] = i;
  for (int k = 0; k < 4 * SAMPLES; k++)
    v[k] = k % SAMPLES == 0 ? 0 : sin(.3 * k) * (1 + k / SAMPLES);
  v[SAMPLES + 3] += how->value;
  hk_trace_layout trace[2] = {{.name = "rx",
                               .receivers = 2,
                               .node = node,
                               .coordinates = x,
                               .dim = 2,
                               .samples = SAMPLES,
                               .start = how->time,
                               .dt = .5,
                               .every = 1,
                               .steps = SAMPLES - 1,
                               .time_unit = "us",
                               .quantity_count = 1,
                               .quantity = {{"displacement", "mm", "x y", 2}}}};
  trace[1] = trace[0];
  trace[1].name = "zz";
  const hk_run_layout layout = {
      how->no_probe ? 1 : 2, trace, SAMPLES, time, "mJ", "us", 0, 0, false};
  hk_run_file *file = NULL;
  ok(hk_run_file_create(in(folder, "run.h5"), &layout, &file));
  for (int i = 0; i < layout.trace_count; i++)
    ok(hk_run_file_write_trace(file, 0, i, 0, 0, SAMPLES, v));
  ok(hk_run_file_write_energy(file, 0, 0, SAMPLES, energy));
  ok(hk_run_file_close(&file));
}

static void write_field(const char *folder, const change *how)
{
  const double time[FRAMES] = {1, 2, 3};
  hk_mesh *mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {N, N}, .shape = HK_QUAD4});
  float v[NODES * 2];
  hk_field_file *file = NULL;
  const hk_field_layout layout = {.mesh = mesh,
                                  .frames = FRAMES,
                                  .time = time,
                                  .quantity_count = 1,
                                  .quantity = {{"displacement", "mm", 2}}};
  ok(hk_field_file_open(folder, how->vtu, false, &layout, &file));
  for (int k = 0; k < (how->frames ? how->frames : FRAMES); k++) {
    for (int n = 0; n < 2 * NODES; n++) v[n] = (float)(n + k);
    v[9] += (float)how->value;
    ok(hk_field_file_write(file, k, 0, v));
  }
  ok(hk_field_file_close(&file));
  hk_mesh_destroy(&mesh);
}

static void make_run(char *folder, change how)
{
  new_folder(folder);
  write_traces(folder, &how);
  if (!how.no_field) write_field(folder, &how);
  FILE *json = fopen(in(folder, "run.json"), "w");
  fputs("{\"title\": \"<b>weld</b> & co\", \"status\": \"ok\", \"counts\": {\"nodes\": 25}, "
        "\"dt\": 0.5, \"resolution\": {\"highest_frequency\": 0.8, \"points_per_wavelength\": 4, "
        "\"least_points_per_wavelength\": 8}, \"units\": {\"length\": \"mm\"}, \"seconds\": "
        "{\"solve\": 1, \"total\": 2}, "
        "\"warnings\": [\"a < b\"], \"notes\": [\"c > d\"]}",
        json);
  fclose(json);
}

/* hk_compare of an unchanged run and a changed one; *json for the caller to look into */
static hk_status compare(change how, double tolerance, json_t **json)
{
  char a[64], b[64], *text = NULL;
  make_run(a, (change){0});
  make_run(b, how);
  const hk_status status = hk_compare(a, b, tolerance, &text);
  assert_non_null(text);
  *json = json_loads(text, 0, NULL);
  assert_non_null(*json);
  hk_free(&text);
  remove_folder(a);
  remove_folder(b);
  return status;
}

static bool passed(const json_t *json)
{
  return json_is_true(json_object_get(json, "passed"));
}

static json_t *entry(json_t *json, const char *list, size_t i)
{
  return json_array_get(json_object_get(json, list), i);
}

static void same_runs_pass(void **state)
{
  (void)state;
  json_t *json;
  ok(compare((change){0}, 1e-12, &json));
  assert_true(passed(json));
  assert_int_equal(json_array_size(json_object_get(json, "traces")), 2);
  assert_int_equal(json_array_size(json_object_get(json, "fields")), 1);
  json_decref(json);
  ok(compare((change){.vtu = true}, 1e-12, &json)); /* .vtkhdf = .vtu */
  assert_true(passed(json));
  json_decref(json);
}

/* max |a - b| = 0.01, sqrt(sum (a - b)^2) = 0.01; relative to the largest value and the norm of a */
static void difference_is_measured(void **state)
{
  (void)state;
  json_t *json;
  double most = 0, norm = 0;
  for (int k = 0; k < 4 * SAMPLES; k++) {
    const double v = k % SAMPLES == 0 ? 0 : sin(.3 * k) * (1 + k / SAMPLES);
    most = fmax(most, fabs(v)), norm += v * v;
  }
  assert_int_equal(compare((change){.value = .01}, 1e-6, &json), HK_CHECK_FAILED);
  assert_false(passed(json));
  json_t *trace = entry(json, "traces", 0);
  assert_string_equal(json_string_value(json_object_get(trace, "name")), "rx");
  const char *key[] = {"max_difference", "max_relative", "l2_difference", "l2_relative"};
  const double expected[] = {.01, .01 / most, .01, .01 / sqrt(norm)};
  for (int k = 0; k < 4; k++)
    assert_true(fabs(json_real_value(json_object_get(trace, key[k])) - expected[k]) <= 1e-12);
  json_decref(json);
  ok(compare((change){.value = .01}, .1, &json));
  assert_true(passed(json));
  json_decref(json);
}

/* without a tolerance nothing passes or fails */
static void only_a_tolerance_passes(void **state)
{
  (void)state;
  json_t *json;
  ok(compare((change){.value = .01}, 0, &json));
  assert_null(json_object_get(json, "passed"));
  assert_int_equal(json_array_size(json_object_get(json, "traces")), 2);
  json_decref(json);
}

static void not_a_number_fails(void **state)
{
  (void)state;
  json_t *json;
  assert_int_equal(compare((change){.value = NAN}, 1e30, &json), HK_CHECK_FAILED);
  assert_false(passed(json));
  assert_true(json_is_null(json_object_get(entry(json, "traces", 0), "max_relative")));
  assert_true(json_is_null(json_object_get(entry(json, "fields", 0), "max_relative")));
  json_decref(json);
  char a[64], *text = NULL; /* nor when both have it, at the same place */
  make_run(a, (change){.value = NAN});
  assert_int_equal(hk_compare(a, a, 1e30, &text), HK_CHECK_FAILED);
  hk_free(&text);
  remove_folder(a);
}

static void what_is_missing_fails(void **state)
{
  (void)state;
  json_t *json;
  assert_int_equal(compare((change){.no_probe = true}, 1e30, &json), HK_CHECK_FAILED);
  assert_non_null(json_object_get(entry(json, "traces", 1), "missing"));
  json_decref(json);
  assert_int_equal(compare((change){.time = .1}, 1e30, &json), HK_CHECK_FAILED);
  assert_non_null(json_object_get(entry(json, "traces", 0), "missing"));
  json_decref(json);
  assert_int_equal(compare((change){.no_field = true}, 1e30, &json), HK_CHECK_FAILED);
  assert_non_null(json_object_get(entry(json, "fields", 0), "missing"));
  json_decref(json);
  assert_int_equal(compare((change){.frames = 2}, 1e30, &json), HK_CHECK_FAILED);
  json_decref(json);
}

/* two .h5 files are compared by their traces; a file that is not there is bad input */
static void files_alone(void **state)
{
  (void)state;
  char a[64], *text = NULL;
  make_run(a, (change){0});
  ok(hk_compare(in(a, "run.h5"), in(a, "run.h5"), 1e-12, &text));
  hk_free(&text);
  assert_int_equal(hk_compare(a, in(a, "none.h5"), 1e-12, &text), HK_BAD_INPUT);
  assert_int_equal(hk_compare(a, in(a, "run.json"), 1e-12, &text), HK_BAD_INPUT);
  assert_null(text);
  remove_folder(a);
}

/* a dataset of another program whose rows are longer than they should be is refused, not read */
static void odd_shapes_are_refused(void **state)
{
  (void)state;
  char a[64];
  const hsize_t size[2] = {SAMPLES, 7};
  const double value[SAMPLES * 7] = {0};
  make_run(a, (change){0});
  const hid_t file = H5Fopen(in(a, "run.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "/energy/strain", H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t set = H5Dcreate2(file, "/energy/strain", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  assert_int_equal(hk_report_write(a, NULL, NULL), HK_BAD_INPUT);
  error_says("rows of 7");
  remove_folder(a);
}

static void csv_holds_the_traces(void **state)
{
  (void)state;
  char a[64], line[128];
  long size = 0;
  make_run(a, (change){0});
  ok(hk_export(a, &(hk_export_desc){.csv = true}));
  char *text = slurp(in(a, "export/rx.csv"), &size);
  assert_non_null(text);
  const char *head = "time (us),\"displacement x node 17 (mm)\",\"displacement y node 17 (mm)\","
                     "\"displacement x point (0.5 0.25) (mm)\","
                     "\"displacement y point (0.5 0.25) (mm)\"\n0,0,0,0,0\n";
  assert_memory_equal(text, head, strlen(head));
  snprintf(line, sizeof line, "\n0.5,%.12g,%.12g,%.12g,%.12g\n", sin(.3), 2 * sin(.3 * 41),
           3 * sin(.3 * 81), 4 * sin(.3 * 121));
  assert_non_null(strstr(text, line));
  free(text);
  assert_int_equal(access(in(a, "export/field.pvd"), F_OK), -1);
  remove_folder(a);
}

/* exported .vtu files, read back, are the frames of field.vtkhdf */
static void vtu_holds_the_field(void **state)
{
  (void)state;
  char a[64];
  hk_field *f = NULL, *g = NULL;
  double x[3 * NODES], y[3 * NODES];
  make_run(a, (change){0});
  ok(hk_export(a, &(hk_export_desc){.vtu = true}));
  ok(hk_field_open(a, "field", &f));
  ok(hk_field_open(in(a, "export"), "field", &g));
  assert_int_equal(g->frames, FRAMES);
  assert_string_equal(g->quantity[0].unit, "mm");
  assert_string_equal(g->quantity[0].components, "x y");
  assert_memory_equal(f->time, g->time, FRAMES * sizeof(double));
  assert_memory_equal(f->grid->link, g->grid->link, (size_t)f->grid->links * sizeof(int64_t));
  assert_memory_equal(f->grid->point, g->grid->point, 3 * NODES * sizeof(double));
  for (int k = 0; k < FRAMES; k++) {
    ok(hk_field_read(f, k, 0, x));
    ok(hk_field_read(g, k, 0, y));
    assert_memory_equal(x, y, sizeof x);
    assert_true(x[3] == 2 + k && x[5] == 0);
  }
  hk_field_close(&f);
  hk_field_close(&g);
  remove_folder(a);
}

/* a frame that was not written has no picture */
static void pictures_are_made(void **state)
{
  (void)state;
  char a[64];
  make_run(a, (change){.frames = 2});
  ok(hk_pictures_write(a, NULL, 0, NULL));
  assert_int_equal(access(in(a, "field_displacement_0000.png"), R_OK), 0);
  assert_int_equal(access(in(a, "field_displacement_0001.png"), R_OK), 0);
  assert_int_equal(access(in(a, "field_displacement_0002.png"), R_OK), -1);
  assert_int_equal(access(in(a, "trace_rx_displacement.png"), R_OK), 0);
  remove_folder(a);
}

/* Pictures and report of three threads have the bytes of those of one; below 0, every frame has a picture. */
static void threads_draw_the_same(void **state)
{
  (void)state;
  static const char *const name[] = {"field_displacement_0000.png", "field_displacement_0001.png",
                                     "field_displacement_0002.png", "trace_rx_displacement.png",
                                     "trace_zz_displacement.png",   "report.html"};
  enum { FILES = sizeof name / sizeof *name };
  const int before = omp_get_max_threads();
  char run[64], *text[2][FILES];
  long size[2][FILES];
  make_run(run, (change){0});
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(k ? 3 : 1);
    ok(hk_pictures_write(run, NULL, -1, NULL));
    ok(hk_report_write(run, NULL, NULL));
    for (int i = 0; i < FILES; i++) text[k][i] = slurp(in(run, name[i]), &size[k][i]);
  }
  for (int i = 0; i < FILES; i++) {
    assert_non_null(text[0][i]);
    assert_int_equal(size[0][i], size[1][i]);
    assert_memory_equal(text[0][i], text[1][i], (size_t)size[0][i]);
    free(text[0][i]), free(text[1][i]);
  }
  omp_set_num_threads(before);
  remove_folder(run);
}

static hk_mesh *grid_of(int cells, double size)
{
  return make_grid((hk_mesh_grid){.to = {size, size}, .cells = {cells, cells}, .shape = HK_QUAD4});
}

/* Pictures and report are those of the files, whether a thread makes the scene of the run's mesh beside it or the caller does afterwards.
 * The scene is what is drawn, if it has the sizes of the field; else the file's mesh is. */
static void scenes_of_meshes_serve(void **state)
{
  (void)state;
  const struct {
    int cells, threads;
    double size;
    bool same;
  } scene[] = {{N, 0, 1, true}, {N, 2, 1, true}, {N + 1, 0, 1, true}, {N, 1, 7, false}};
  enum { NAMES = 2, SCENES = sizeof scene / sizeof *scene };
  static const char *const name[NAMES] = {"field_displacement_0001.png", "report.html"};
  for (int vtu = 0; vtu < 2; vtu++) {
    char run[64], *expected[NAMES];
    long size[NAMES], found = 0;
    make_run(run, (change){.vtu = vtu});
    ok(hk_pictures_write(run, NULL, 0, NULL));
    ok(hk_report_write(run, NULL, NULL));
    for (int i = 0; i < NAMES; i++) expected[i] = slurp(in(run, name[i]), &size[i]);
    for (int k = 0; k < (vtu ? 1 : SCENES); k++) {
      hk_mesh *mesh = grid_of(scene[k].cells, scene[k].size);
      hk_scene *s = NULL;
      ok(hk_scene_begin(mesh, scene[k].threads, &s));
      ok(hk_scene_end(s));
      ok(hk_pictures_draw(run, s, NULL, 0, NULL));
      ok(hk_report_make(run, (hk_report_beside){.scene = s}, NULL, NULL));
      for (int i = 0; i < NAMES; i++) {
        char *text = slurp(in(run, name[i]), &found);
        assert_int_equal(found == size[i] && !memcmp(text, expected[i], (size_t)found),
                         scene[k].same);
        free(text);
      }
      hk_scene_destroy(&s);
      hk_mesh_destroy(&mesh);
    }
    for (int i = 0; i < NAMES; i++) free(expected[i]);
    remove_folder(run);
  }
}

/* What the thread of a scene cannot do for want of memory is done afterwards; a scene that is not wanted leaves nothing. */
static void scenes_fail_cleanly(void **state)
{
  (void)state;
  hk_mesh *mesh = grid_of(N, 1);
  const hk_count held = hk_memory_held();
  for (int threads = 0; threads < 2; threads++) {
    hk_status status = HK_NO_RESOURCES;
    int k = 0;
    while (status != HK_OK && k++ < 100) {
      hk_scene *s = NULL;
      hk_memory_fail_at(k);
      status = hk_scene_begin(mesh, threads, &s);
      if (status == HK_OK) status = hk_scene_end(s);
      hk_memory_fail_at(0);
      assert_true(status == HK_OK || status == HK_NO_RESOURCES);
      hk_scene_destroy(&s);
      assert_int_equal(hk_memory_held(), held);
    }
    assert_true(threads ? k == 2 : k > 5 && k < 100);
  }
  hk_scene *s = NULL;
  ok(hk_scene_begin(mesh, 1, &s));
  hk_scene_destroy(&s);
  assert_int_equal(hk_memory_held(), held);
  hk_mesh_destroy(&mesh);
}

/* the report holds the pictures and plots, is small, asks no network, and shows < & > as such */
static void report_is_whole(void **state)
{
  (void)state;
  char a[64];
  long size = 0;
  make_run(a, (change){0});
  ok(hk_report_write(a, NULL, NULL));
  char *text = slurp(in(a, "report.html"), &size);
  assert_non_null(text);
  assert_true(size < 5000000);
  assert_non_null(strstr(text, "<h1>&lt;b&gt;weld&lt;/b&gt; &amp; co</h1>"));
  assert_non_null(strstr(text, "<li>a &lt; b</li>"));
  assert_non_null(strstr(text, "<li>c &gt; d</li>"));
  assert_non_null(strstr(text, "src=\"data:image/png;base64,iVBORw0KGgo"));
  assert_non_null(strstr(text, "displacement (mm)"));
  assert_non_null(strstr(text, "energy (mJ)"));
  assert_non_null(strstr(text, "ends at 0.8 MHz"));
  assert_non_null(strstr(text, "Up to 0.4 MHz (dashed) the mesh has at least 8 points"));
  assert_non_null(strstr(text, "frequency (MHz)"));
  assert_non_null(
      strstr(text, "stroke-dasharray=\"6 4\" d=\"M480 12V254\"")); /* 0.4 of 0 .. 0.80078 */
  assert_null(strstr(text, "://"));                                /* base64 has no colon */
  assert_null(strstr(text, "nan,"));
  assert_null(strstr(text, "nan<"));
  assert_non_null(strstr(text, "</html>"));
  free(text);
  assert_int_equal(unlink(in(a, "run.json")), 0); /* and is made without run.json and field */
  assert_int_equal(unlink(in(a, "field.vtkhdf")), 0);
  ok(hk_report_write(a, in(a, "other.html"), NULL));
  assert_int_equal(access(in(a, "other.html"), R_OK), 0);
  remove_folder(a);
}

static hk_status call(int what, const char *run)
{
  char *json = NULL;
  hk_status status = HK_OK;
  if (what == 0) status = hk_compare(run, run, 1, &json);
  if (what == 1) status = hk_export(run, &(hk_export_desc){.csv = true, .vtu = true});
  if (what == 6) status = hk_export(run, &(hk_export_desc){.spectra = true});
  if (what == 4) status = hk_export(run, &(hk_export_desc){.su = true, .segy = true, .sac = true});
  if (what == 5) status = hk_arrays(in(run, "run.h5"), &json);
  if (what == 2) status = hk_pictures_write(run, NULL, 1, NULL);
  if (what == 3) status = hk_report_write(run, NULL, NULL);
  hk_free(&json);
  return status;
}

/* A quantity, a component, a time, fixed ends and decibels are what a gallery has; nodes have the values (2 n + k, 2 n + 1 + k) at times 1 + k */
static void choices_are_kept(void **state)
{
  (void)state;
  char a[64];
  hk_gallery *g = NULL;
  const hk_gallery_most all = {HK_GALLERY_ALL, HK_GALLERY_ALL};
  make_run(a, (change){0});
  const hk_picture_desc fixed = {
      .component = "y", .low = -5, .high = 49.5, .at_time = true, .time = 2.2};
  ok(hk_gallery_create(a, "field", NULL, all, &fixed, &g));
  assert_int_equal(g->count, 1);
  assert_int_equal(g->frame[0], 1);
  assert_true(g->range[0].low == -5 && g->range[0].high == 49.5);
  assert_true(g->range[0].map == HK_MAP_DIVERGING && g->range[0].beyond_high); /* 50 */
  assert_false(g->range[0].beyond_low);
  hk_gallery_destroy(&g);
  ok(hk_gallery_create(a, "field", NULL, all, &(hk_picture_desc){.decibels = 30}, &g));
  assert_int_equal(g->count, FRAMES);
  near(g->range[0].reference, hypot(50, 51), 1e-12); /* node 24 of the last frame */
  assert_true(g->range[0].low == -30 && g->range[0].high == 0);
  hk_gallery_destroy(&g);
  const hk_picture_desc other = {.quantity = "velocity"}; /* of another field, or of none */
  char field_name[] = "field", *field = field_name;
  ok(hk_gallery_create(a, "field", NULL, all, &other, &g));
  assert_null(g);
  assert_int_equal(hk_picture_check_fields(a, 1, &field, &other), HK_USAGE);
  ok(hk_picture_check_fields(a, 1, &field, &fixed));
  assert_int_equal(hk_picture_check_fields(a, 0, NULL, &fixed), HK_USAGE);
  const hk_picture_desc wrong[] = {
      {.component = "z2"}, {.low = 2, .high = 1},          {.low = NAN, .high = 1},
      {.decibels = -1},    {.at_time = true, .time = 3.1}, {.section = "wiggles"},
      {.scale = -1},       {.high = 1, .decibels = 3}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(hk_gallery_create(a, "field", NULL, all, &wrong[i], &g), HK_USAGE);
    assert_null(g);
  }
  remove_folder(a);
}

/* A component is its value with its sign, decibels are 20 log10(|v| / reference) down to two spans, not-a-number stays */
static void scalars_are_what_they_say(void **state)
{
  (void)state;
  char velocity[] = "velocity", unit[] = "", components[] = "x y";
  const hk_field_info q = {velocity, unit, components, 3};
  const double v[2][3] = {{3, -4, 0}, {0, -.5, 0}};
  double of[3], level[4] = {-10, 1, 0, NAN};
  char name[64];
  assert_int_equal(hk_scalar_component(&q, "y"), 1);
  assert_int_equal(hk_scalar_component(&q, "z"), -1);
  hk_scalars(&q, 1, 2, v[0], of);
  assert_true(of[0] == -4 && of[1] == -.5);
  hk_scalars(&q, -1, 2, v[0], of);
  assert_true(of[0] == 5 && of[1] == .5);
  hk_scalar_name(&q, 1, name, sizeof name);
  assert_string_equal(name, "velocity y");
  hk_scalars_decibels(4, 10, 30, level);
  near(level[0], 0, 1e-12);
  near(level[1], -20, 1e-12);
  assert_true(level[2] == -60 && isnan(level[3]));
}

/* every allocation fails once (of the pictures and the report, which take long, some): an error,
 * nothing held, no half file */
static void allocations_fail(void **state)
{
  (void)state;
  char a[64];
  make_run(a, (change){.frames = 1});
  write_field(a, &(change){0});
  for (int what = 0; what < 7; what++) {
    hk_status status = HK_NO_RESOURCES;
    const hk_count held = hk_memory_held();
    int k = 1;
    for (; status != HK_OK && k < 5000; k += what < 2 || what > 3 || k < 30 ? 1 : 1 + k / 3) {
      hk_memory_fail_at(k);
      status = call(what, a);
      hk_memory_fail_at(0);
      if (status != HK_OK && status != HK_NO_RESOURCES) fail_msg("%d: %s", k, hk_error());
      assert_int_equal(hk_memory_held(), held);
    }
    assert_true(k > 10 && k < 5000);
  }
  char command[128];
  snprintf(command, sizeof command, "ls -R %s | grep -q tmp$", a);
  assert_int_not_equal(system(command), 0);
  remove_folder(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_runs_pass),          cmocka_unit_test(difference_is_measured),
      cmocka_unit_test(only_a_tolerance_passes), cmocka_unit_test(not_a_number_fails),
      cmocka_unit_test(what_is_missing_fails),   cmocka_unit_test(files_alone),
      cmocka_unit_test(csv_holds_the_traces),    cmocka_unit_test(odd_shapes_are_refused),
      cmocka_unit_test(vtu_holds_the_field),     cmocka_unit_test(pictures_are_made),
      cmocka_unit_test(threads_draw_the_same),   cmocka_unit_test(report_is_whole),
      cmocka_unit_test(scenes_of_meshes_serve),  cmocka_unit_test(scenes_fail_cleanly),
      cmocka_unit_test(choices_are_kept),        cmocka_unit_test(scalars_are_what_they_say),
      cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
