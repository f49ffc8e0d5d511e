/* How finely a mesh resolves waves: points per shortest wavelength, order * c / (f h), for each
 * region, with the slowest wave speed c, the highest frequency f of the signals, and the edge
 * length h that 95 % of the elements do not exceed. It warns about meshes that are too coarse,
 * about wave speeds outside 10 to 20 000 m/s, and about models whose size in wavelengths suggests
 * wrong units. */
#include "run/estimate/estimate.h"
#include "element/element.h"
#include "mesh/topology.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BINS = 1024 };
static const double BIN = 1.005;
/* Points per shortest wavelength by the order of the elements, of 4 and above alike: with those advised phases are off by half a per cent. */
enum { MOST_RULES = 4 };
static const double advised_points[MOST_RULES] = {10, 7, 6, 5},
                    least_points[MOST_RULES] = {8, 6, 5, 4.5};

/* Of second order with lumped masses (W.4): S waves, and P waves of twice the length, are then as slow as S waves on quad4 with the points above
 * (bench/lumped.py), before the time step makes up for a part of it. */
static const double lumped_points[HK_SHAPE_COUNT][2] = {[HK_TRI6] = {7, 6},
                                                        [HK_QUAD8] = {9, 7},
                                                        [HK_TET10] = {10, 8},
                                                        [HK_WEDGE15] = {17, 13},
                                                        [HK_HEX20] = {19, 15}};

/* points[2]: advised, least; the most of the mesh's shapes. */
static void points_of(const hk_mesh *mesh, int order, double *points)
{
  const int rule = (order < MOST_RULES ? order : MOST_RULES) - 1;
  points[0] = advised_points[rule], points[1] = least_points[rule];
  for (int b = 0; b < mesh->block_count; b++)
    for (int k = 0; k < 2 && hk_shape_listed(mesh->block[b].shape); k++)
      points[k] = fmax(points[k], lumped_points[mesh->block[b].shape][k]);
}

static int order_of(const hk_mesh *mesh)
{
  return mesh->block_count ? hk_element_of(mesh->block[0].shape)->order : 1;
}

/* 95th percentile by counting in bins of 0.5 % width below the longest edge, so that units change nothing. */
static int bin_of(double length, double longest)
{
  const double bin = floor(log(longest / length) / log(BIN));
  return bin < BINS ? (int)bin : BINS - 1;
}

typedef struct bin { /* of edges between two lengths */
  hk_count count;
  double longest;
} bin;

/* edge[element]: the longest one; longest[regions + 1], as no part of an array may be empty. */
static void measure_edges(const hk_model *model, int regions, double *edge, double *longest)
{
  const hk_index *region = model->element_region;
  const hk_count elements = model->mesh->element_count;
  hk_mesh_longest_edges(model->mesh, edge);
#pragma omp parallel for schedule(static) reduction(max : longest[:regions + 1])
  for (hk_count e = 0; e < elements; e++) {
    if (region[e] < 0) continue;
    const int r = hk_model_named(model, region[e]);
    longest[r] = fmax(longest[r], edge[e]);
  }
}

/* Each thread counts in bins of its own, that are added. */
static hk_status fill_bins(const hk_model *model, int regions, const double *edge,
                           const double *longest, bin (*bins)[BINS])
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    bin(*own)[BINS] = NULL;
    const hk_status status = hk_get(&own, regions);
#pragma omp for schedule(static)
    for (hk_count e = 0; e < model->mesh->element_count; e++) {
      if (status != HK_OK || model->element_region[e] < 0) continue;
      const int region = hk_model_named(model, model->element_region[e]);
      bin *b = &own[region][bin_of(edge[e], longest[region])];
      b->count++, b->longest = fmax(b->longest, edge[e]);
    }
#pragma omp critical(hk_resolution_bins)
    for (int k = 0; status == HK_OK && k < regions * BINS; k++) {
      bin *to = &bins[k / BINS][k % BINS];
      const bin *from = &own[k / BINS][k % BINS];
      to->count += from->count, to->longest = fmax(to->longest, from->longest);
    }
    hk_failure_keep(&failure, status);
    hk_free(&own);
  }
  return hk_failure_tell(&failure);
}

static hk_status find_edges(const hk_model *model, int regions, hk_resolution *r)
{
  hk_status status = HK_OK;
  bin(*bins)[BINS] = NULL;
  double *longest = NULL, *edge = NULL;
  HK_TRY(hk_get(&bins, regions));
  HK_TRY(hk_get(&longest, regions + 1));
  HK_TRY(hk_get(&edge, model->mesh->element_count));
  measure_edges(model, regions, edge, longest);
  HK_TRY(fill_bins(model, regions, edge, longest, bins));
  for (int i = 0; i < regions; i++) {
    hk_count above = 0;
    int k = 0;
    for (int j = 0; j < BINS; j++) r[i].elements += bins[i][j].count;
    while (k < BINS - 1 && above + bins[i][k].count <= r[i].elements / 20)
      above += bins[i][k++].count;
    r[i].edge = bins[i][k].longest;
  }
cleanup:
  hk_free(&bins);
  hk_free(&longest);
  hk_free(&edge);
  return status;
}

/* The question that most such models answer with yes. */
static const char *question(const hk_model *model)
{
  return strcmp(model->units.length, "m") == 0
             ? "is `units: {length: mm}` missing? (`units: none` is for numbers without dimensions)"
             : "are the mesh and all plain numbers in the units that `units:` names?";
}

static double diagonal_of(const hk_mesh *mesh, double size[3])
{
  double low[3], high[3], square = 0;
  for (int d = 0; d < 3; d++) low[d] = high[d] = d < mesh->dim ? mesh->x[d] : 0;
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (hk_count i = 0; i < mesh->node_count; i++)
    for (int d = 0; d < mesh->dim; d++) {
      const double x = mesh->x[i * mesh->dim + d];
      low[d] = fmin(low[d], x), high[d] = fmax(high[d], x);
    }
  for (int d = 0; d < 3; d++) size[d] = high[d] - low[d], square += size[d] * size[d];
  return sqrt(square);
}

static void check_speed(const hk_model *model, const hk_resolution *r, const hk_region *region,
                        hk_messages *list)
{
  static const double least = 10, most = 20000; /* m/s */
  const double *si = model->units.si, speed = si[HK_LENGTH] / si[HK_TIME];
  const bool slow = r->slowest * speed<least, fast = r->fastest * speed> most;
  if (!*model->units.length || (!slow && !fast)) return;
  hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                  "region %s: the wave speed is %.4g m/s; usual are %g to %g: check density and "
                  "stiffness (plain numbers are in the file's units); %s",
                  region->name ? region->name : "?", (fast ? r->fastest : r->slowest) * speed,
                  least, most, question(model));
}

/* Thousands of wavelengths across the model, or none. */
static void check_size(const hk_model *model, const hk_mesh *body, const hk_resolution *r,
                       double frequency, hk_messages *list)
{
  enum { MOST_WAVES = 2000 };
  static const double least_waves = 0.02;
  double size[3], wavelength = INFINITY, points = INFINITY;
  const double across = diagonal_of(body, size);
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++) {
    if (!(r[i].wavelength > 0)) continue;
    wavelength = fmin(wavelength, r[i].wavelength), points = fmin(points, r[i].points);
  }
  const double waves = across / wavelength;
  if (!*model->units.length || wavelength == INFINITY) return;
  if (points >= 1 && waves <= MOST_WAVES && waves >= least_waves) return;
  const hk_unit_words unit = hk_unit_words_of(&model->units);
  hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                  "the model is %.4g%s across, %.3g times the shortest wavelength, %.4g%s at "
                  "frequency %.4g%s: %s",
                  across, unit.length, waves, wavelength, unit.length, frequency, unit.frequency,
                  question(model));
}

/* The element of a region with constants of a field that has the fewest points per wavelength: the least speed over its longest edge. */
static hk_status find_worst(const hk_model *model, int named, double frequency, hk_resolution *r)
{
  hk_status status = HK_OK;
  double *slowest = NULL, least = INFINITY;
  HK_TRY(hk_get(&slowest, model->region_count));
#pragma omp parallel for schedule(static)
  for (int k = 0; k < model->region_count; k++)
    if (hk_model_named(model, k) == named)
      slowest[k] = hk_region_slowest(&model->region[k], model->mesh->dim);
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    const int k = model->element_region[e];
    if (k < 0 || hk_model_named(model, k) != named) continue;
    const double edge = hk_mesh_longest_edge(model->mesh, e);
    if (!(slowest[k] / edge < least)) continue;
    least = slowest[k] / edge;
    r->worst = (hk_index)e, r->edge = edge, r->wavelength = slowest[k] / frequency;
  }
cleanup:
  hk_free(&slowest);
  return status;
}

static void check_points(const hk_model *model, const hk_resolution *r, const hk_region *region,
                         double frequency, hk_messages *list)
{
  const hk_unit_words unit = hk_unit_words_of(&model->units);
  char where[64] = "";
  if (r->worst >= 0)
    snprintf(where, sizeof where, ", element %lld",
             (long long)hk_mesh_element_label(model->mesh, r->worst));
  if (r->points < r->least)
    hk_messages_add(
        list, HK_WARNING, model->path, 0, 0,
        "region %s%s: %s%.*g points per shortest wavelength (%.4g%s at frequency %.4g%s, "
        "edges %.4g%s): mesh it at %.4g%s or finer",
        region->name ? region->name : "?", where, r->points < 1 ? "no wave is resolved: " : "",
        r->points < 1 ? 1 : 2, r->points, r->wavelength, unit.length, frequency, unit.frequency,
        r->edge, unit.length, r->advised, unit.length);
}

void hk_resolution_advise(const hk_model *model, hk_messages *list)
{
  const hk_mesh *mesh = model->mesh;
  int b = 0;
  while (b < mesh->block_count &&
         (!hk_shape_listed(mesh->block[b].shape) || !(lumped_points[mesh->block[b].shape][0] > 0)))
    b++;
  if (b == mesh->block_count) return;
  const hk_shape shape = mesh->block[b].shape;
  const bool worse = shape == HK_HEX20 || shape == HK_WEDGE15;
  hk_messages_add(list, HK_NOTE, model->path, 0, 0,
                  "%s elements have lumped masses, which slow waves down: quadrilaterals or "
                  "hexahedra with element: {order: 4} need far fewer nodes%s (docs/elements.md)",
                  hk_shape_name(shape), worse ? ", and hex8 elements need fewer too" : "");
}

void hk_resolution_check_speeds(const hk_model *model, hk_messages *list)
{
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++) {
    const hk_region *region = &model->region[i];
    if (!hk_material_waves(&region->material)) continue;
    hk_resolution r = {0};
    hk_model_speeds(model, i, &r.slowest, &r.fastest);
    check_speed(model, &r, region, list);
  }
}

hk_status hk_resolution_measure(const hk_model *model, hk_messages *list, double *frequency,
                                hk_resolution *r)
{
  return hk_resolution_measure_part(model, model->mesh, list, frequency, r);
}

hk_status hk_resolution_measure_part(const hk_model *model, const hk_mesh *body, hk_messages *list,
                                     double *frequency, hk_resolution *r)
{
  const int order = order_of(model->mesh);
  double points[2];
  points_of(model->mesh, order, points);
  HK_PASS(hk_model_highest_frequency(model, frequency));
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++) r[i] = (hk_resolution){.worst = -1};
  HK_PASS(find_edges(model, regions, r));
  for (int i = 0; i < regions; i++) {
    const hk_region *region = &model->region[i];
    if (!r[i].elements || !hk_material_waves(&region->material)) continue;
    hk_model_speeds(model, i, &r[i].slowest, &r[i].fastest);
    check_speed(model, &r[i], region, list);
    if (!(*frequency > 0)) continue;
    r[i].wavelength = r[i].slowest / *frequency;
    if (region->spread) HK_PASS(find_worst(model, i, *frequency, &r[i]));
    r[i].points = order * r[i].wavelength / r[i].edge;
    r[i].advised = order * r[i].wavelength / points[0], r[i].least = points[1];
    check_points(model, &r[i], region, *frequency, list);
  }
  check_size(model, body, r, *frequency, list);
  return hk_rest_judge(model, list);
}
