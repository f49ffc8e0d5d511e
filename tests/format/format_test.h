/* What the tests of mesh files share: fixtures, a scratch file, comparisons of meshes. */
#pragma once
#include <unistd.h>
#include "element/element.h"
#include "mesh/mesh.h"
#include "support/check.h"

#define DATA(name) TEST_DATA "/mesh/" name

/* Name of a scratch file with that ending; unlink it after use. */
static inline const char *scratch(const char *ending)
{
  static char path[64];
  snprintf(path, sizeof path, "/tmp/format_%d%s", (int)getpid(), ending);
  return path;
}

static inline const char *write_file(const char *ending, const void *data, size_t size)
{
  const char *path = scratch(ending);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
  return path;
}

static inline char *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  *size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

static inline hk_mesh *read_good(const char *path)
{
  hk_mesh *mesh = NULL;
  const hk_status status = hk_mesh_read(path, NULL, &mesh);
  ok(status);
  return mesh;
}

static inline const hk_set *set_of(const hk_mesh *mesh, const char *name, hk_set_kind kind,
                                   hk_count count)
{
  const hk_set *set = hk_mesh_find_set(mesh, name, kind);
  if (!set) fail_msg("no set %s", name);
  assert_int_equal(set->count, count);
  return set;
}

/* Largest distance of an element's nodes from where the straight element on its corners has them:
 * |x_n - sum_v N_v(xi_n) x_v|. */
static inline double distance_from_straight(const hk_mesh *mesh, hk_count e)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_element *corners = hk_element_of(hk_shape_linear(element->shape));
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double worst = 0;
  for (int n = 0; n < element->nodes; n++) {
    double shape[27], square = 0;
    hk_element_functions(corners, element->reference[n], shape, NULL);
    for (int d = 0; d < mesh->dim; d++) {
      double x = 0;
      for (int v = 0; v < corners->nodes; v++) x += shape[v] * mesh->x[node[v] * mesh->dim + d];
      square += pow(x - mesh->x[node[n] * mesh->dim + d], 2);
    }
    if (!(square <= worst)) worst = square;
  }
  return sqrt(worst);
}

static inline void assert_same_mesh(const hk_mesh *a, const hk_mesh *b)
{
  assert_int_equal(a->dim, b->dim);
  assert_int_equal(a->node_count, b->node_count);
  assert_int_equal(a->element_count, b->element_count);
  assert_memory_equal(a->x, b->x, (size_t)(a->node_count * a->dim) * sizeof *a->x);
  for (hk_count n = 0; n < a->node_count; n++)
    assert_int_equal(hk_mesh_node_label(a, n), hk_mesh_node_label(b, n));
  for (hk_count e = 0; e < a->element_count; e++) {
    const hk_index other = hk_mesh_find_element(b, hk_mesh_element_label(a, e));
    assert_true(other >= 0);
    assert_int_equal(hk_mesh_block_of(a, e)->shape, hk_mesh_block_of(b, other)->shape);
    assert_memory_equal(hk_mesh_nodes_of(a, e), hk_mesh_nodes_of(b, other),
                        (size_t)hk_mesh_block_of(a, e)->nodes * sizeof(hk_index));
  }
  assert_int_equal(a->set_count, b->set_count);
  for (int s = 0; s < a->set_count; s++) {
    const hk_set *mine = &a->set[s];
    const hk_set *other = set_of(b, mine->name, mine->kind, mine->count);
    int64_t sum[2] = {0};
    for (hk_count i = 0; i < mine->count; i++)
      for (int side = 0; side < 2; side++) {
        const hk_set *set = side ? other : mine;
        const int64_t label = mine->kind == HK_NODE_SET
                                  ? set->item[i]
                                  : hk_mesh_element_label(side ? b : a, set->item[i]);
        sum[side] += (7 * label + 13) * (label + 1) + (set->face ? label * set->face[i] : 0);
      }
    assert_int_equal(sum[0], sum[1]);
  }
}
