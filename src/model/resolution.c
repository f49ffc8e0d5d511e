#include "model/resolution.h"
#include "element/element.h"
#include "model/problem.h"
#include <math.h>

enum { BINS = 512 };
/* Points per shortest wavelength by the order of the elements, of 4 and above alike: with those advised phases are off by half a per cent. */
enum { MOST_RULES = 4 };
static const double advised_points[MOST_RULES] = {10, 7, 6, 5},
                    least_points[MOST_RULES] = {8, 6, 5, 4.5};

static int order_of(const hk_mesh *mesh)
{
  return mesh->block_count ? hk_element_of(mesh->block[0].shape)->order : 1;
}

static double longest_edge(const hk_mesh *mesh, hk_count e)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = block->node + (e - block->first) * block->nodes;
  double longest = 0;
  for (int f = 0; f < element->faces; f++) {
    const hk_element_face *face = &element->face[f];
    const int corners = face->shape == HK_SHAPE_COUNT ? 2 : hk_element_of(face->shape)->vertices;
    for (int k = 0; k < corners; k++) {
      const double *a = mesh->x + (hk_count)node[face->node[k]] * mesh->dim;
      const double *b = mesh->x + (hk_count)node[face->node[(k + 1) % corners]] * mesh->dim;
      double sum = 0;
      for (int d = 0; d < mesh->dim; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
      if (sum > longest) longest = sum;
    }
  }
  return sqrt(longest);
}

/* 95th percentile by counting in bins of 2 % width. */
static int bin_of(double length)
{
  const int bin = (int)floor(log(length) / log(1.02)) % BINS;
  return bin < 0 ? bin + BINS : bin;
}

static void find_edges(const hk_model *model, hk_count (*bins)[BINS], double *longest,
                       hk_resolution *r)
{
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    const int region = model->element_region[e];
    if (region < 0) continue;
    const double edge = longest_edge(model->mesh, e);
    r[region].elements++;
    bins[region][bin_of(edge)]++;
    if (edge > longest[region]) longest[region] = edge;
  }
  for (int i = 0; i < model->region_count; i++) {
    hk_count above = 0;
    double edge = longest[i];
    for (; edge > 0 && above + bins[i][bin_of(edge)] <= r[i].elements / 20; edge /= 1.02)
      above += bins[i][bin_of(edge)];
    r[i].edge = edge;
  }
}

hk_status hk_resolution_measure(const hk_model *model, hk_messages *list, double *frequency,
                                hk_resolution *r)
{
  hk_status status = HK_OK;
  hk_count(*bins)[BINS] = NULL;
  double *longest = NULL;
  const int order = order_of(model->mesh), rule = (order < MOST_RULES ? order : MOST_RULES) - 1;
  HK_TRY(hk_get(&bins, model->region_count));
  HK_TRY(hk_get(&longest, model->region_count));
  HK_TRY(hk_model_highest_frequency(model, frequency));
  for (int i = 0; i < model->region_count; i++) r[i] = (hk_resolution){0};
  find_edges(model, bins, longest, r);
  for (int i = 0; i < model->region_count; i++) {
    const hk_region *region = &model->region[i];
    if (!r[i].elements || !hk_material_waves(&region->material)) continue;
    r[i].slowest = hk_region_slowest(region, model->mesh->dim);
    r[i].fastest = hk_region_fastest(region, model->mesh->dim);
    if (!(*frequency > 0)) continue;
    r[i].wavelength = r[i].slowest / *frequency;
    r[i].points = order * r[i].wavelength / r[i].edge;
    r[i].advised = order * r[i].wavelength / advised_points[rule];
    if (r[i].points < least_points[rule])
      hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                      "region %s: %.1f points per shortest wavelength (%.4g at frequency %.4g, "
                      "edges %.4g): mesh it at %.4g or "
                      "finer",
                      region->name ? region->name : "?", r[i].points, r[i].wavelength, *frequency,
                      r[i].edge, r[i].advised);
  }
cleanup:
  hk_free(&bins);
  hk_free(&longest);
  return status;
}
