/* Drawing: what is thinned, coloured and laid out is what was given. */
#include "picture/picture.h"
#include "mesh/format/cell_type.h"
#include "element/element.h"
#include "base/file.h"
#include "picture/trace_plot.h"
#include "files.h"
#include "support/mesh.h"
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* a thinned curve keeps the smallest and the largest value, times ascend, gaps are left out */
static void envelope_keeps_extremes(void **state)
{
  (void)state;
  enum { COUNT = 100000, MOST = 2000 };
  static double time[COUNT], value[COUNT], point[MOST][2];
  for (int i = 0; i < COUNT; i++) time[i] = i, value[i] = sin(.01 * i);
  value[31234] = 7, value[77777] = -9, value[5] = NAN;
  const hk_count count = hk_envelope(COUNT, time, value, MOST, point);
  double low = 0, high = 0;
  assert_true(count > MOST / 2 && count <= MOST);
  for (hk_count i = 0; i < count; i++) {
    assert_true(i == 0 || point[i][0] > point[i - 1][0]);
    assert_true(point[i][1] == value[(int)point[i][0]]);
    low = fmin(low, point[i][1]), high = fmax(high, point[i][1]);
  }
  assert_true(low == -9 && high == 7);
  assert_int_equal(hk_envelope(3, time, value, MOST, point), 3);
}

static void ticks_are_round(void **state)
{
  (void)state;
  char text[96];
  hk_axis a = hk_axis_make(0, 40, 5, false);
  assert_int_equal(a.count, 5);
  assert_string_equal(hk_axis_label(&a, 4, text), "40");
  a = hk_axis_make(-3.3e-7, 8.1e-7, 6, true);
  assert_true(a.low <= -3.3e-7 && a.high >= 8.1e-7);
  assert_string_equal(hk_axis_label(&a, 0, text), "-0.4");
  assert_string_equal(hk_axis_title(&a, "u", "mm", text), "u (10^-6 mm)");
  const double odd[][2] = {{0, 0}, {5, 5}, {NAN, 1}, {INFINITY, -INFINITY}, {1, 1 + 1e-16}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    a = hk_axis_make(odd[i][0], odd[i][1], 5, true);
    assert_true(a.count >= 2 && a.count < 50 && a.high > a.low);
  }
}

/* value at the middle of the map -> its colour; not-a-number -> grey; none -> white */
static void triangles_are_coloured(void **state)
{
  (void)state;
  hk_raster *raster = NULL;
  hk_canvas *canvas = NULL;
  const double corner[3][3] = {{0, 0, 0}, {20, 0, 0}, {0, 20, 0}};
  const double middle[3] = {5, 5, 5}, none[3] = {NAN, NAN, NAN};
  for (int k = 0; k < 2; k++) {
    ok(hk_raster_create(20, 20, &raster));
    ok(hk_canvas_create(20, 20, &canvas));
    hk_raster_triangle(raster, hk_raster_band(raster, 0, 1), corner, k ? none : middle, 1);
    ok(hk_raster_paint(raster, canvas, 0, 0, HK_MAP_SEQUENTIAL, 0, 10));
    const hk_colour inside = hk_canvas_pixel(canvas, 5, 5),
                    outside = hk_canvas_pixel(canvas, 18, 18);
    const uint8_t viridis[3] = {33, 145, 140}, grey[3] = {190, 190, 190},
                  white[3] = {255, 255, 255};
    assert_memory_equal(&inside, k ? grey : viridis, 3);
    assert_memory_equal(&outside, white, 3);
    hk_canvas_destroy(&canvas);
    hk_raster_destroy(&raster);
  }
}

/* a pixel within a triangle has the colour of the value at its centre, one outside is white: 0.3 x + 0.2 y + 1 */
static void values_are_linear(void **state)
{
  (void)state;
  enum { SIZE = 40 };
  static const double shape[][3][2] = {{{3.3, 2.1}, {36.2, 9.7}, {12.4, 38.5}},
                                       {{5, 30}, {38, 30}, {20, -7}},
                                       {{2, 2}, {2, 37}, {37, 2}}};
  for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
    hk_raster *raster = NULL;
    hk_canvas *canvas = NULL;
    double corner[3][3] = {{0}}, value[3];
    int inside = 0;
    const double(*p)[2] = shape[k];
    for (int i = 0; i < 3; i++) {
      corner[i][0] = p[i][0], corner[i][1] = p[i][1];
      value[i] = .3 * p[i][0] + .2 * p[i][1] + 1;
    }
    ok(hk_raster_create(SIZE, SIZE, &raster));
    ok(hk_canvas_create(SIZE, SIZE, &canvas));
    hk_raster_triangle(raster, hk_raster_band(raster, 0, 1), corner, value, 1);
    ok(hk_raster_paint(raster, canvas, 0, 0, HK_MAP_SEQUENTIAL, 0, 20));
    for (int y = 0; y < SIZE; y++)
      for (int x = 0; x < SIZE; x++) {
        double nearest = INFINITY, area = 0;
        for (int i = 0; i < 3; i++) {
          const double *a = p[i], *b = p[(i + 1) % 3], *c = p[(i + 2) % 3];
          const double dx = b[0] - a[0], dy = b[1] - a[1];
          area = dx * (c[1] - a[1]) - dy * (c[0] - a[0]);
          const double side = (dx * (y + .5 - a[1]) - dy * (x + .5 - a[0])) / hypot(dx, dy);
          nearest = fmin(nearest, area > 0 ? side : -side);
        }
        const hk_colour rgb = hk_canvas_pixel(canvas, x, y);
        const hk_colour c =
            nearest > 1 ? hk_map_colour(HK_MAP_SEQUENTIAL, (.3 * (x + .5) + .2 * (y + .5) + 1) / 20)
                        : (hk_colour){255, 255, 255};
        if (fabs(nearest) <= 1) continue; /* the border is smoothed */
        inside += nearest > 1;
        assert_true(abs(rgb.r - c.r) <= 1 && abs(rgb.g - c.g) <= 1 && abs(rgb.b - c.b) <= 1);
      }
    assert_true(inside > 200);
    hk_canvas_destroy(&canvas);
    hk_raster_destroy(&raster);
  }
}

/* the nearer of two triangles is seen, whatever the order of drawing */
static void nearer_is_seen(void **state)
{
  (void)state;
  for (int order = 0; order < 2; order++) {
    hk_raster *raster = NULL;
    hk_canvas *canvas = NULL;
    ok(hk_raster_create(10, 10, &raster));
    ok(hk_canvas_create(10, 10, &canvas));
    for (int k = 0; k < 2; k++) {
      const double z = k == order ? 1 : 0, v[3] = {10 * z, 10 * z, 10 * z};
      const double corner[3][3] = {{0, 0, z}, {10, 0, z}, {0, 10, z}};
      hk_raster_triangle(raster, hk_raster_band(raster, 0, 1), corner, v, 1);
    }
    ok(hk_raster_paint(raster, canvas, 0, 0, HK_MAP_SEQUENTIAL, 0, 10));
    assert_int_equal(hk_canvas_pixel(canvas, 3, 3).r, 253);
    hk_canvas_destroy(&canvas);
    hk_raster_destroy(&raster);
  }
}

/* n x n quads: 4 n outline edges; n^3 hexes: 6 n^2 faces of 4 triangles, 12 n sharp edges */
static void surface_is_the_boundary(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    enum { CELLS = 3 };
    hk_mesh *mesh = make_grid((hk_mesh_grid){
        .to = {1, 1, 1}, .cells = {CELLS, CELLS, CELLS}, .shape = dim == 2 ? HK_QUAD4 : HK_HEX8});
    hk_field_grid *grid = NULL;
    hk_surface *s = NULL;
    ok(hk_field_grid_create(mesh, &grid));
    ok(hk_surface_create(grid, &s));
    assert_int_equal(s->triangles, 4 * (dim == 2 ? 1 : 6) * CELLS * CELLS);
    assert_int_equal(s->edges, (dim == 2 ? 4 : 12) * CELLS);
    double outward = 0; /* integral of x . n over the boundary = dim * volume */
    double *corner = calloc((size_t)s->corners * 3, sizeof *corner);
    hk_surface_spread(s, 3, grid->point, corner);
    for (hk_count i = 0; i < s->triangles; i++) {
      const double *a = corner + 3 * s->triangle[i][0], *b = corner + 3 * s->triangle[i][1],
                   *c = corner + 3 * s->triangle[i][2];
      outward += dim == 2
                     ? ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2
                     : (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                        a[2] * (b[0] * c[1] - b[1] * c[0])) /
                           6;
    }
    assert_true(fabs(outward - 1) <= 1e-12);
    free(corner);
    hk_surface_destroy(&s);
    hk_field_grid_destroy(&grid);
    hk_mesh_destroy(&mesh);
  }
}

/* three threads find the triangles, centres and edges of one, in the same order */
static void threads_find_the_same_surface(void **state)
{
  (void)state;
  const hk_shape shape[] = {HK_HEX8, HK_TET4};
  const int before = omp_get_max_threads();
  for (int k = 0; k < 2; k++) {
    hk_mesh *mesh =
        make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {7, 9, 8}, .shape = shape[k]});
    hk_field_grid *grid = NULL;
    hk_surface *s[2] = {NULL, NULL};
    ok(hk_field_grid_create(mesh, &grid));
    for (int i = 0; i < 2; i++) {
      omp_set_num_threads(i ? 3 : 1);
      ok(hk_surface_create(grid, &s[i]));
    }
    assert_true(s[0]->triangles > 700 && s[0]->edges > 90);
    assert_true(s[0]->triangles == s[1]->triangles && s[0]->edges == s[1]->edges);
    assert_true(s[0]->centres == s[1]->centres && s[0]->corners == s[1]->corners);
    assert_memory_equal(s[0]->triangle, s[1]->triangle,
                        (size_t)s[0]->triangles * sizeof *s[0]->triangle);
    assert_memory_equal(s[0]->rule, s[1]->rule, (size_t)s[0]->centres);
    assert_memory_equal(s[0]->around, s[1]->around, /* at least one node each */
                        (size_t)s[0]->centres * sizeof *s[0]->around);
    assert_memory_equal(s[0]->edge, s[1]->edge, (size_t)s[0]->edges * sizeof *s[0]->edge);
    for (int i = 0; i < 2; i++) hk_surface_destroy(&s[i]);
    hk_field_grid_destroy(&grid);
    hk_mesh_destroy(&mesh);
  }
  omp_set_num_threads(before);
}

/* A solid of second order is closed by 6 triangles a triangle and 8 a quadrilateral, with the middles of its edges among them: the
 * integral of x . n / 3 is its volume */
static void curved_solids_are_closed(void **state)
{
  (void)state;
  const hk_shape shape[] = {HK_TET10, HK_HEX20, HK_HEX27, HK_WEDGE15, HK_WEDGE18};
  for (int k = 0; k < 5; k++) {
    const hk_element *element = hk_element_of(shape[k]);
    hk_index node[HK_LISTED_NODES];
    double x[3 * HK_LISTED_NODES], corner[3 * (HK_LISTED_NODES + 6)], volume = 0;
    for (int i = 0; i < 3 * element->nodes; i++) x[i] = element->reference[i / 3][i % 3];
    for (int n = 0; n < element->nodes; n++) node[n] = n;
    hk_block block = {shape[k], element->nodes, 0, 1, node};
    hk_mesh mesh = {.dim = 3,
                    .node_count = element->nodes,
                    .element_count = 1,
                    .x = x,
                    .block = &block,
                    .block_count = 1};
    hk_field_grid *grid = NULL;
    hk_surface *s = NULL;
    ok(hk_field_grid_create(&mesh, &grid));
    ok(hk_surface_create(grid, &s));
    const int triangular = shape[k] == HK_TET10 ? 4 : element->vertices == 6 ? 2 : 0;
    assert_int_equal(s->triangles, 6 * triangular + 8 * (element->faces - triangular));
    hk_surface_spread(s, 3, grid->point, corner);
    for (hk_count i = 0; i < s->triangles; i++) {
      const double *a = corner + 3 * s->triangle[i][0], *b = corner + 3 * s->triangle[i][1],
                   *c = corner + 3 * s->triangle[i][2];
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
      assert_true(hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]) <= 1.01);
    }
    assert_true(fabs(volume / element->volume - 1) <= 1e-12);
    hk_surface_destroy(&s);
    hk_field_grid_destroy(&grid);
  }
}

/* quadratic fields are met in the centre of curved shapes: f = 1 + x^2 + x y */
static void centres_of_quadratic_shapes(void **state)
{
  (void)state;
  static const double place[2][8][2] = {
      {{0, 0}, {1, 0}, {0, 1}, {.5, 0}, {.5, .5}, {0, .5}},
      {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {.5, 0}, {1, .5}, {.5, 1}, {0, .5}}};
  const hk_shape shape[] = {HK_TRI6, HK_QUAD8};
  for (int k = 0; k < 2; k++) {
    const int n = hk_cell_type_of((int)shape[k])->nodes;
    hk_index node[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    hk_block block = {shape[k], n, 0, 1, node};
    double x[16], f[9], to[9], middle = k ? .5 : 1.0 / 3;
    for (int i = 0; i < n; i++) {
      x[2 * i] = place[k][i][0], x[2 * i + 1] = place[k][i][1];
      f[i] = 1 + x[2 * i] * x[2 * i] + x[2 * i] * x[2 * i + 1];
    }
    hk_mesh mesh = {
        .dim = 2, .node_count = n, .element_count = 1, .x = x, .block = &block, .block_count = 1};
    hk_field_grid *grid = NULL;
    hk_surface *s = NULL;
    ok(hk_field_grid_create(&mesh, &grid));
    ok(hk_surface_create(grid, &s));
    hk_surface_spread(s, 1, f, to);
    assert_true(fabs(to[n] - (1 + 2 * middle * middle)) <= 1e-14);
    hk_surface_destroy(&s);
    hk_field_grid_destroy(&grid);
  }
}

/* letters of UTF-8 text: ASCII itself, others without their accents, ? where nothing is like them;
 * a cut character ends at the end of the text */
static void letters_of_text(void **state)
{
  (void)state;
  static const struct {
    const char *text, *letters;
  } row[] = {{"Az~", "Az~"},
             {"\303\234ber Pr\303\274fst\303\274ck", "Uber Prufstuck"},
             {"5 \302\265s \342\200\223 \316\274", "5 us - u"},
             {"\346\263\242\360\237\230\200", "??"},
             {"a\303", "a?"},
             {"\200\377", "??"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char got[32];
    int n = 0;
    for (const char *at = row[i].text; *at;) got[n++] = hk_letter(&at);
    got[n] = 0;
    assert_string_equal(got, row[i].letters);
  }
}

/* Text needs no font of the system: it leaves ink within its width, right of where it begins, on the base line and above. Its width is the
 * sum of its parts, and ^ makes digits smaller. */
static void text_needs_no_font(void **state)
{
  (void)state;
  hk_canvas *canvas = NULL;
  int ink = 0, outside = 0;
  assert_int_equal(setenv("FONTCONFIG_FILE", "/nonexistent", 1), 0);
  ok(hk_canvas_create(200, 60, &canvas));
  const double width = hk_canvas_text_width(canvas, 14, "Hooke 12");
  hk_canvas_text(canvas, 20, 40, 14, 0, false, "Hooke 12", (hk_colour){0});
  for (int y = 0; y < 60; y++)
    for (int x = 0; x < 200; x++) {
      if (hk_canvas_pixel(canvas, x, y).r > 128) continue;
      ink++, outside += x < 20 || x > 20 + width || y < 40 - 16 || y > 41;
    }
  assert_true(width > 60 && width < 150);
  assert_true(ink > 100);
  assert_int_equal(outside, 0);
  assert_true(fabs(hk_canvas_text_width(canvas, 14, "Hooke") +
                   hk_canvas_text_width(canvas, 14, " 12") - width) <= 1e-9);
  assert_true(hk_canvas_text_width(canvas, 14, "10^-6") < hk_canvas_text_width(canvas, 14, "10-6"));
  hk_canvas_destroy(&canvas);
}

/* a text file on a full disk: the old one stays, the system's words, nothing left beside it */
static void text_file_is_old_or_new(void **state)
{
  (void)state;
  char folder[64];
  long size = 0;
  new_folder(folder);
  const char *path = in(folder, "run.json");
  ok(hk_write_text_file(path, "{\"old\": 1}"));
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    char *large = calloc(1, 1 << 20);
    memset(large, 'x', (1 << 20) - 1);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    _exit(hk_write_text_file(path, large) == HK_NOT_WRITABLE && strstr(hk_error(), "too large")
              ? 0
              : 1);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(how, 0);
  char *text = slurp(path, &size);
  assert_string_equal(text, "{\"old\": 1}");
  free(text);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(hk_write_text_file(path, "x"), HK_NOT_WRITABLE);
  assert_null(strstr(hk_error(), ".tmp")); /* the file beside it */
}

/* The centre of each of many quadrilaterals, whose triangles are four in a row, lies in the middle of its corners. */
static void assert_centres(const hk_surface *s, const double *corner)
{
  assert_true(s->centres > 2 * HK_SURFACE_RUN && s->triangles == 4 * s->centres);
  for (hk_count i = 0; i < s->triangles; i += 4)
    for (int d = 0; d < 3; d++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += corner[3 * s->triangle[i + k][0] + d];
      assert_true(fabs(corner[3 * s->triangle[i][2] + d] - sum / 4) < 1e-14);
    }
}

/* Pictures that one raster draws after each other by several threads, of a body that stays, moves and comes back, are those that one thread
 * draws on rasters of their own. */
static void rasters_are_used_again(void **state)
{
  (void)state;
  const hk_shape shape[] = {HK_QUAD4, HK_TET4};
  const int threads = omp_get_max_threads();
  for (int m = 0; m < 2; m++) {
    hk_mesh *mesh = make_grid(
        (hk_mesh_grid){.to = {1, 1, 1}, .cells = {90, 40, 3}, .shape = shape[m], .jitter = .2});
    hk_field_grid *grid = NULL;
    hk_surface *s = NULL;
    hk_raster *kept = NULL;
    ok(hk_field_grid_create(mesh, &grid));
    ok(hk_surface_create(grid, &s));
    double *corner = calloc((size_t)s->corners * 3, sizeof *corner);
    double *moved = calloc((size_t)s->corners * 3, sizeof *moved);
    double *value = calloc((size_t)s->corners, sizeof *value);
    hk_surface_spread(s, 3, grid->point, corner);
    if (m == 0) assert_centres(s, corner);
    static const struct {
      bool outline, displaced;
    } how[] = {{0, 0}, {0, 0}, {1, 1}, {1, 0}, {1, 0}, {1, 1}, {0, 0}};
    for (int k = 0; k < 7; k++) {
      hk_canvas *canvas[2] = {NULL, NULL};
      hk_raster *fresh = NULL;
      char *data[2];
      size_t size[2];
      for (hk_count i = 0; i < s->corners; i++)
        value[i] = sin(.05 * (double)((i * (k + 1)) % 127)), moved[3 * i] = .02 * k * value[i];
      const hk_figure figure = {.surface = s,
                                .corner = corner,
                                .value = value,
                                .title = "",
                                .time = "",
                                .name = "",
                                .unit = "",
                                .length_unit = "",
                                .low = -1,
                                .high = 1,
                                .displacement = how[k].outline ? moved : NULL,
                                .displacement_scale = 1,
                                .displaced = how[k].displaced};
      omp_set_num_threads(2 + k);
      ok(hk_figure_draw(&figure, 100, &kept, &canvas[0]));
      omp_set_num_threads(1);
      ok(hk_figure_draw(&figure, 100, &fresh, &canvas[1]));
      for (int c = 0; c < 2; c++) ok(hk_canvas_encode(canvas[c], &data[c], &size[c]));
      assert_int_equal(size[0], size[1]);
      assert_memory_equal(data[0], data[1], size[0]);
      for (int c = 0; c < 2; c++) hk_free(&data[c]), hk_canvas_destroy(&canvas[c]);
      hk_raster_destroy(&fresh);
    }
    free(corner), free(moved), free(value);
    hk_raster_destroy(&kept);
    hk_surface_destroy(&s);
    hk_field_grid_destroy(&grid);
    hk_mesh_destroy(&mesh);
  }
  omp_set_num_threads(threads);
}

/* A body that is displaced by 3.5 % of its size has as many coloured pixels as where it was, to 1.5 %: the old outline lies on it. */
static void displaced_bodies_are_whole(void **state)
{
  (void)state;
  hk_mesh *mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {3, 3}, .shape = HK_QUAD4});
  hk_field_grid *grid = NULL;
  hk_raster *raster = NULL; /* used again by every picture */
  hk_surface *s = NULL;
  int coloured[5] = {0};
  ok(hk_field_grid_create(mesh, &grid));
  ok(hk_surface_create(grid, &s));
  double *corner = calloc((size_t)s->corners * 3, sizeof *corner);
  double *moved = calloc((size_t)s->corners * 3, sizeof *moved);
  double *value = calloc((size_t)s->corners, sizeof *value);
  hk_surface_spread(s, 3, grid->point, corner);
  for (hk_count i = 0; i < s->corners; i++) value[i] = .5;
  static const double to[][2] = {{0, 0}, {.035, 0}, {-.035, 0}, {0, .035}, {0, -.035}};
  for (int k = 0; k < 5; k++) {
    hk_canvas *canvas = NULL;
    for (hk_count i = 0; i < s->corners; i++) moved[3 * i] = to[k][0], moved[3 * i + 1] = to[k][1];
    const hk_figure figure = {.surface = s,
                              .corner = corner,
                              .value = value,
                              .title = "",
                              .time = "",
                              .name = "",
                              .unit = "",
                              .length_unit = "",
                              .high = 1,
                              .displacement = moved,
                              .displacement_scale = 1,
                              .displaced = true};
    ok(hk_figure_draw(&figure, 500, &raster, &canvas));
    for (int i = 0; i < canvas->width * canvas->height; i++) {
      const hk_colour pixel = hk_canvas_pixel(canvas, i % canvas->width, i / canvas->width);
      coloured[k] += !memcmp(&pixel, (uint8_t[]){33, 145, 140}, 3);
    }
    hk_canvas_destroy(&canvas);
  }
  assert_true(coloured[0] > 50000);
  for (int k = 1; k < 5; k++) assert_true(abs(coloured[k] - coloured[0]) <= .015 * coloured[0]);
  free(corner), free(moved), free(value);
  hk_raster_destroy(&raster);
  hk_surface_destroy(&s);
  hk_field_grid_destroy(&grid);
  hk_mesh_destroy(&mesh);
}

/* Of a run of any number of fields and quantities at most six pictures are drawn, as many as divide evenly among the quantities of a field; the
 * first six fields have one. The frames ascend to the last, and leave out the first where they leave out any. */
static void pictures_are_few(void **state)
{
  (void)state;
  const char *name[] = {"velocity", "displacement", "strain",
                        "stress",   "von_mises",    "acceleration"};
  for (int fields = 1; fields < 10; fields++)
    for (int count = 1; count <= 6; count++) {
      int all = 0;
      for (int i = 0; i < fields; i++) {
        const hk_gallery_choice c = hk_gallery_choose(hk_gallery_usual(fields, i), count, name);
        int drawn = 0;
        for (int q = 0; q < count; q++) drawn += hk_gallery_draws(c, count, name, q);
        assert_int_equal(drawn, c.quantities);
        assert_true(c.quantities * c.frames >= (i < 6));
        all += c.quantities * c.frames;
      }
      assert_true(all <= 6 && all >= (fields >= 3 ? 6 - fields : 4));
    }
  const hk_gallery_choice some = hk_gallery_choose((hk_gallery_most){2, 3}, 6, name);
  assert_true(some.quantities == 3 && some.frames == 1);
  const bool expected[] = {false, true, true, false, false, true}; /* the first by name */
  for (int q = 0; q < 6; q++) assert_int_equal(hk_gallery_draws(some, 6, name, q), expected[q]);
  for (int frames = 1; frames < 40; frames++)
    for (int most = 1; most < 9; most++) {
      const int count = frames < most ? frames : most;
      hk_count last = frames > count ? 0 : -1;
      for (int k = 0; k < count; k++) {
        const hk_count frame = hk_gallery_pick(frames, count, k);
        assert_true(frame > last);
        last = frame;
      }
      assert_int_equal(last, frames - 1);
    }
}

/* what a picture takes of a block of pixels is what lies within it */
static void blocks_of_pixels_are_cut(void **state)
{
  (void)state;
  enum { SIZE = 4 };
  hk_colour block[SIZE * SIZE];
  for (int i = 0; i < SIZE * SIZE; i++) block[i] = (hk_colour){(uint8_t)i, (uint8_t)(i + 1), 7};
  for (int x0 = -5; x0 <= 5; x0++)
    for (int y0 = -5; y0 <= 5; y0++) {
      hk_canvas *canvas = NULL;
      ok(hk_canvas_create(3, 5, &canvas));
      hk_canvas_put(canvas, x0, y0, SIZE, SIZE, block);
      for (int y = 0; y < 5; y++)
        for (int x = 0; x < 3; x++) {
          const bool inside = x >= x0 && x < x0 + SIZE && y >= y0 && y < y0 + SIZE;
          const int i = inside ? (y - y0) * SIZE + x - x0 : 0;
          const hk_colour got = hk_canvas_pixel(canvas, x, y),
                          wanted = inside ? block[i] : (hk_colour){255, 255, 255};
          assert_memory_equal(&got, &wanted, 3);
        }
      hk_canvas_destroy(&canvas);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(envelope_keeps_extremes),
                                     cmocka_unit_test(ticks_are_round),
                                     cmocka_unit_test(triangles_are_coloured),
                                     cmocka_unit_test(values_are_linear),
                                     cmocka_unit_test(nearer_is_seen),
                                     cmocka_unit_test(surface_is_the_boundary),
                                     cmocka_unit_test(curved_solids_are_closed),
                                     cmocka_unit_test(centres_of_quadratic_shapes),
                                     cmocka_unit_test(letters_of_text),
                                     cmocka_unit_test(text_needs_no_font),
                                     cmocka_unit_test(text_file_is_old_or_new),
                                     cmocka_unit_test(rasters_are_used_again),
                                     cmocka_unit_test(displaced_bodies_are_whole),
                                     cmocka_unit_test(threads_find_the_same_surface),
                                     cmocka_unit_test(pictures_are_few),
                                     cmocka_unit_test(blocks_of_pixels_are_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
