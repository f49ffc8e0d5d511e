/* Stretch d of a perfectly matched layer at nodes (S.13): the mesh's sides must be whole sides of its box; each named side gives
 * d_c = d_max ((L - distance) / L)^3 across itself, L chosen from the wavelength where not given. Predicts the reflection, refuses layers one
 * element thick, warns of thin ones. */
#include "load/absorb/pml.h"
#include "element/element.h"
#include <math.h>

static const double attenuation = 5.991464547107982; /* ln(1 / R_0), R_0 = 1/400 */
static const double steepest = 4;                    /* c / L over the frequency at most */
static const double most_even = 7;                   /* c over that of the slowest wave at most */
static const double thin = 0.5; /* wavelengths, below which a layer is warned of */

double hk_pml_most(const hk_absorb_wave *wave, double depth)
{
  const double ratio = fmax(1, wave->ratio / most_even), rate = wave->speed / (depth * ratio);
  return 2 * attenuation * (wave->frequency > 0 ? fmin(rate, steepest * wave->frequency) : rate);
}

double hk_pml_reflection(double waves)
{
  static const double measured[][2] = {
      {0.25, 0.059}, {0.5, 0.0107}, {0.75, 0.0056}, {1, 0.0022}, {1.5, 0.0008}};
  enum { COUNT = sizeof measured / sizeof *measured };
  int k = 0;
  while (k < COUNT - 2 && waves > measured[k + 1][0]) k++;
  const double part = (waves - measured[k][0]) / (measured[k + 1][0] - measured[k][0]);
  const double value = measured[k][1] * pow(measured[k + 1][1] / measured[k][1], fmin(part, 1));
  return fmin(1, value);
}

/* P */
static double across_of(const hk_absorb_wave *wave)
{
  const double least = 0.02, margin = 1.2;
  return fmin(1, least + margin * wave->backward / (1 + wave->backward));
}

/* The side of the box on which the face lies, 2 c + (0 low, 1 high); -1: none. */
static int side_of(const hk_mesh *mesh, const hk_absorb_box *b, hk_index element, int number)
{
  const hk_element_face *face =
      &hk_element_of(hk_mesh_block_of(mesh, element)->shape)->face[number];
  const hk_index *node = hk_mesh_nodes_of(mesh, element);
  for (int side = 0; side < 2 * mesh->dim; side++) {
    const int c = side / 2;
    bool on = true;
    for (int k = 0; k < face->nodes; k++) {
      const double x = mesh->x[(hk_count)node[face->node[k]] * mesh->dim + c];
      on = on && fabs(x - b->end[side % 2][c]) <= 1e-9 * b->least;
    }
    if (on) return side;
  }
  return -1;
}

static hk_status find_sides(const hk_mesh *mesh, const hk_absorb_box *b, hk_absorb_layer *layer,
                            bool *held)
{
  for (int s = 0; s < 6; s++) layer->side[s] = false;
  for (hk_count i = 0; i < layer->count; i++) {
    const hk_index e = layer->item[i];
    const hk_element_face *face =
        &hk_element_of(hk_mesh_block_of(mesh, e)->shape)->face[layer->face[i]];
    const int side = side_of(mesh, b, e, layer->face[i]);
    HK_NEED(side >= 0, HK_BAD_INPUT,
            "face %d of element %lld is not on a side of the box around the mesh: a perfectly "
            "matched layer needs plane sides across an axis; use kind stacey or layer there",
            layer->face[i] + 1, (long long)hk_mesh_element_label(mesh, e));
    layer->side[side] = true;
    for (int k = 0; k < face->nodes; k++) held[hk_mesh_nodes_of(mesh, e)[face->node[k]]] = true;
  }
  return HK_OK;
}

/* A layer has all of its side: the other boundary faces there would be free, and waves in it grow. */
static hk_status check_whole(const hk_mesh *mesh, const hk_absorb_box *b, const bool layered[6],
                             const bool *held)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *number = NULL;
  hk_count count;
  HK_TRY(hk_mesh_boundary(mesh, &count, &item, &number));
  for (hk_count i = 0; i < count; i++) {
    const int side = side_of(mesh, b, item[i], number[i]);
    if (side < 0 || !layered[side]) continue;
    const hk_element_face *face =
        &hk_element_of(hk_mesh_block_of(mesh, item[i])->shape)->face[number[i]];
    const hk_index *node = hk_mesh_nodes_of(mesh, item[i]);
    for (int k = 0; k < face->nodes; k++)
      HK_CHECK(held[node[face->node[k]]], HK_BAD_INPUT,
               "face %d of element %lld lies on a side of the mesh that has a perfectly matched "
               "layer, and is not in its sets: name all faces of that side",
               number[i] + 1, (long long)hk_mesh_element_label(mesh, item[i]));
  }
cleanup:
  hk_free(&item);
  hk_free(&number);
  return status;
}

/* Whether a vertex of an element lies inside the layer: else it is one element thick. */
static bool has_vertex(const hk_mesh *mesh, int c, double end, double least, double depth)
{
  bool any = false;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int vertices = hk_element_of(block->shape)->vertices;
    for (hk_count k = 0; k < block->count * vertices && !any; k++) {
      const hk_index node = block->node[k / vertices * block->nodes + k % vertices];
      const double away = fabs(mesh->x[(hk_count)node * mesh->dim + c] - end);
      any = away > 1e-9 * least && away < depth * (1 - 1e-6);
    }
  }
  return any;
}

static int order_of(const hk_mesh *mesh)
{
  int order = 1;
  for (int b = 0; b < mesh->block_count; b++) {
    const int own = hk_element_of(mesh->block[b].shape)->order;
    order = own > order ? own : order;
  }
  return order;
}

/* d_c of the layer inside one side, at nodes beyond those of the side itself or nowhere. */
static hk_status add_side(const hk_mesh *mesh, const hk_absorb_box *b, int side, double depth,
                          const hk_absorb_wave *wave, double *stretch)
{
  const int dim = mesh->dim, c = side / 2;
  const double most = hk_pml_most(wave, depth);
  const char *unit = wave->unit ? wave->unit : "";
  bool within = false;
  HK_NEED(depth < b->end[1][c] - b->end[0][c], HK_BAD_INPUT,
          "the perfectly matched layer, %g%s thick, fills the mesh: make it thinner", depth, unit);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const double away = fabs(mesh->x[n * dim + c] - b->end[side % 2][c]);
    within = within || (away > 1e-9 * b->least && away < depth * (1 - 1e-9));
  }
  HK_NEED(within, HK_BAD_INPUT,
          "the perfectly matched layer, %g%s thick, contains only the nodes of its faces: make it "
          "at least one element thick",
          depth, unit);
  HK_NEED(
      wave->ratio < HK_PML_SINGLE_RATIO || order_of(mesh) < HK_PML_SINGLE_ORDER ||
          has_vertex(mesh, c, b->end[side % 2][c], b->least, depth),
      HK_BAD_INPUT,
      "the perfectly matched layer, %g%s thick, is one element of order %d thick: waves would grow "
      "in it, as P waves are %.3g times as fast as S waves: make it two elements thick",
      depth, unit, order_of(mesh), wave->ratio);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const double x = 1 - fabs(mesh->x[n * dim + c] - b->end[side % 2][c]) / depth;
    if (x > 1e-9) stretch[n * dim + c] = fmax(stretch[n * dim + c], most * x * x * x);
  }
  return HK_OK;
}

static void choose(const hk_absorb_wave *wave, const hk_absorb_box *b, hk_absorb_layer *layer,
                   hk_messages *list)
{
  const double wavelength = wave->frequency > 0 ? wave->speed / wave->frequency : b->least;
  const char *unit = wave->unit ? wave->unit : "";
  if (!(layer->thickness > 0)) layer->thickness = fmin(wavelength, b->least / 4);
  if (wave->frequency > 0 && layer->thickness < thin * wavelength)
    hk_messages_add(
        list, HK_WARNING, layer->file, layer->line, 0,
        "the perfectly matched layer is thin: %g%s, %.2g wavelengths of the fastest wave: "
        "make it %g%s thick",
        layer->thickness, unit, layer->thickness / wavelength, wavelength, unit);
}

void hk_pml_ends(const hk_mesh *mesh, int layer_count, const hk_absorb_layer *layer,
                 double outer[2][3], double inner[2][3])
{
  const hk_absorb_box b = hk_absorb_box_of(mesh);
  for (int k = 0; k < 2 * mesh->dim; k++) {
    const int c = k / 2, high = k % 2;
    double depth = 0;
    for (int i = 0; i < layer_count; i++)
      if (layer[i].side[k]) depth = fmax(depth, layer[i].thickness);
    outer[high][c] = b.end[high][c];
    inner[high][c] = b.end[high][c] + (high ? -depth : depth);
  }
}

hk_status hk_pml_profile(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                         hk_absorb_layer *layer, hk_messages *list, double *stretch, bool *held)
{
  const int dim = mesh->dim;
  const double across = across_of(wave);
  const hk_absorb_box b = hk_absorb_box_of(mesh);
  bool layered[6] = {false};
  for (int i = 0; i < layer_count; i++) {
    const bool *sides = layer[i].side;
    HK_PASS(find_sides(mesh, &b, &layer[i], held));
    choose(wave, &b, &layer[i], list);
    for (int side = 0; side < 2 * dim; side++) {
      if (!sides[side]) continue;
      layered[side] = true;
      HK_PASS(add_side(mesh, &b, side, layer[i].thickness, wave, stretch));
    }
  }
  HK_PASS(check_whole(mesh, &b, layered, held));
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double sum = 0;
    for (int c = 0; c < dim; c++) sum += stretch[n * dim + c];
    for (int c = 0; c < dim; c++) stretch[n * dim + c] += across * (sum - stretch[n * dim + c]);
  }
  return HK_OK;
}

/* 1/r integral of d_max ((r - inner) / L)^3 dr from the inner end on, 0 before it. */
static double mean_stretch(double most, double depth, double inner, double r)
{
  const double x = (r - inner) / depth;
  return x > 0 ? most * depth * x * x * x * x / (4 * r) : 0;
}

void hk_pml_around(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                   const hk_absorb_layer *layer, const double *stretch, double *around)
{
  const int outside = 1; /* side_of: r at the high end */
  const double across = across_of(wave), outer = hk_absorb_box_of(mesh).end[1][0];
  for (hk_count n = 0; n < mesh->node_count; n++) {
    /* without the parts across the sum is 1 + P times smaller */
    around[n] = across * (stretch[2 * n] + stretch[2 * n + 1]) / (1 + across);
    for (int i = 0; i < layer_count; i++) {
      const double depth = layer[i].thickness, most = hk_pml_most(wave, depth);
      if (layer[i].side[outside])
        around[n] += mean_stretch(most, depth, outer - depth, mesh->x[2 * n]);
    }
  }
}
