/* How many shapes the elements of a mesh have (graph/shapes.h): where they are few the form `congruent` keeps few rows of K. It takes one element
 * of each shape for all: what that changes in K, at most, is found on the element that differs most from its shape. */
#include "base/json.h"
#include "element/element.h"
#include "graph/shapes.h"
#include "operator/element/element_matrix.h"
#include "run/estimate/estimate.h"
#include <math.h>
#include <string.h>

enum { MOST_SHAPES = 1 << 16, MOST_SIZE = 24 };

static bool find_matrix(const hk_model *model, hk_index e, const hk_region *region, double *k)
{
  const hk_mesh *mesh = model->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[MOST_SIZE];
  for (int n = 0; n < block->nodes; n++)
    memcpy(x + n * mesh->dim, mesh->x + (hk_count)node[n] * mesh->dim,
           (size_t)mesh->dim * sizeof *x);
  return hk_element_integrate(region, hk_element_of(block->shape), x, k) > 0;
}

/* |K_e - K_e of its shape| over the largest number of K_e; 0: all are the same. */
static double change_of(const hk_model *model, const hk_shapes *shapes)
{
  double own[MOST_SIZE * MOST_SIZE], of[MOST_SIZE * MOST_SIZE], change = 0, largest = 0;
  const hk_index e = shapes->worst;
  if (e < 0 || model->element_region[e] < 0) return 0;
  const hk_region *region = &model->region[model->element_region[e]];
  const int size = hk_mesh_block_of(model->mesh, e)->nodes * model->mesh->dim;
  if (!find_matrix(model, e, region, own) ||
      !find_matrix(model, shapes->first[shapes->of[e]], region, of))
    return NAN;
  for (int m = 0; m < size * size; m++)
    change = fmax(change, fabs(own[m] - of[m])), largest = fmax(largest, fabs(own[m]));
  return change / largest;
}

/* Whether K_e follows from the shape: that of a ring depends on its radius too. */
static bool is_plain(const hk_model *model)
{
  const hk_mesh *mesh = model->mesh;
  if (hk_model_is_axisymmetric(model)) return false;
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_shape_listed(mesh->block[b].shape) || hk_element_of(mesh->block[b].shape)->order > 1)
      return false;
  for (int r = 0; r < model->region_count; r++)
    if (hk_region_is_scalar(&model->region[r])) return false;
  return mesh->block_count > 0;
}

void hk_check_add_shapes(const hk_discretisation *on, json_t *root)
{
  hk_shapes shapes = {0};
  const bool found = is_plain(on->model) &&
                     hk_shapes_find(on->model->mesh, MOST_SHAPES, &shapes) == HK_OK &&
                     shapes.count <= MOST_SHAPES;
  json_object_set_new(root, "shapes", found ? json_integer(shapes.count) : json_null());
  json_object_set_new(root, "shapes_change",
                      found ? hk_json_real(change_of(on->model, &shapes)) : json_null());
  hk_shapes_clear(&shapes);
}
