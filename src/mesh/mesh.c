/* Begins and destroys meshes, and finds nodes and elements by number and by label.
 * Labels are looked up in O(1) if they are consecutive, else by bisection in an index sorted by
 * label. Labels that are given twice are refused. */
#include "element/element.h"
#include "element/wide.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <math.h>

/* How a label is found: order[count] are the numbers in ascending order of the labels, NULL when
 * they ascend already; dense when they are first, first + 1, ... */
typedef struct label_index {
  hk_count count;
  bool dense;
  int64_t first;
  hk_index *order;
} label_index;

struct hk_mesh_labels {
  hk_pool pool; /* holds the orders */
  label_index node, element;
};

hk_status hk_mesh_begin(int dim, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *m = NULL;

  HK_CHECK(dim == 2 || dim == 3, HK_USAGE, "a mesh of %d dimensions: must be 2 or 3", dim);
  HK_TRY(hk_new(&m));
  m->dim = dim;
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  return status;
}

static void drop_labels(struct hk_mesh_labels **labels)
{
  if (*labels) hk_pool_clear(&(*labels)->pool);
  hk_free(labels);
}

void hk_mesh_destroy(hk_mesh **mesh)
{
  hk_mesh *m = *mesh;
  if (!m) return;
  for (int b = 0; b < m->block_count; b++) hk_free(&m->block[b].node);
  for (int s = 0; s < m->set_count; s++) {
    hk_free(&m->set[s].name);
    hk_free(&m->set[s].item);
    hk_free(&m->set[s].face);
  }
  drop_labels(&m->labels);
  hk_free(&m->x);
  hk_free(&m->node_label);
  hk_free(&m->element_label);
  hk_free(&m->block);
  hk_free(&m->set);
  hk_free(mesh);
}

bool hk_mesh_quad_families(const hk_mesh *mesh)
{
  bool all = mesh->block_count > 0;
  for (int b = 0; b < mesh->block_count; b++)
    all = all && hk_shape_quad_family(mesh->block[b].shape) &&
          hk_element_of(mesh->block[b].shape)->order == hk_element_of(mesh->block->shape)->order;
  return all;
}

double hk_mesh_axis_tolerance(const hk_mesh *mesh)
{
  double far = 0;
  for (hk_count n = 0; n < mesh->node_count; n++) far = fmax(far, fabs(mesh->x[2 * n]));
  return 1e-9 * far;
}

void hk_mesh_snap_axis(hk_mesh *mesh)
{
  const double none = hk_mesh_axis_tolerance(mesh);
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (fabs(mesh->x[2 * n]) <= none) mesh->x[2 * n] = 0;
}

const hk_block *hk_mesh_block_of(const hk_mesh *mesh, hk_count e)
{
  int low = 0, high = mesh->block_count - 1;
  while (low < high) { /* the last block with first <= e */
    const int middle = (low + high + 1) / 2;
    if (mesh->block[middle].first <= e)
      low = middle;
    else
      high = middle - 1;
  }
  return &mesh->block[low];
}

const hk_index *hk_mesh_nodes_of(const hk_mesh *mesh, hk_count e)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  return block->node + (e - block->first) * block->nodes;
}

void hk_mesh_middle(const hk_mesh *mesh, hk_count e, double x[3])
{
  const int nodes = hk_mesh_block_of(mesh, e)->nodes;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  for (int d = 0; d < 3; d++) x[d] = 0;
  for (int n = 0; n < nodes; n++)
    for (int d = 0; d < mesh->dim; d++) x[d] += mesh->x[(hk_count)node[n] * mesh->dim + d] / nodes;
}

/* The highest bit of the place of a number below `low` is set, and that of the distance from the last place of one above. */
HK_WIDE bool hk_numbers_within(const hk_index *number, hk_count count, hk_index low, hk_index span)
{
  const uint32_t last = (uint32_t)span - 1;
  uint32_t bits = 0;
  for (hk_count i = 0; i < count; i++) {
    const uint32_t place = (uint32_t)number[i] - (uint32_t)low;
    bits |= place | (last - place);
  }
  return !(bits >> 31);
}

int64_t hk_mesh_node_label(const hk_mesh *mesh, hk_count node)
{
  return mesh->node_label ? mesh->node_label[node] : node + 1;
}

int64_t hk_mesh_element_label(const hk_mesh *mesh, hk_count element)
{
  return mesh->element_label ? mesh->element_label[element] : element + 1;
}

static hk_status index_labels(hk_pool *pool, const char *what, hk_count count, const int64_t *label,
                              label_index *out)
{
  hk_status status = HK_OK;
  uint64_t *key = NULL;
  hk_index *order;
  bool dense = true, ascending = true;

  *out = (label_index){.count = count, .first = count ? label[0] : 0};
#pragma omp parallel for schedule(static) reduction(&& : dense)
  for (hk_count i = 1; i < count; i++) dense = dense && label[i] - 1 == label[i - 1];
  for (hk_count i = 1; i < count && ascending && !dense; i++) ascending = label[i] > label[i - 1];
  out->dense = dense;
  if (ascending) return HK_OK;

  HK_TRY(hk_get(&key, count));
  HK_TRY(hk_pool_get(pool, &order, count));
  for (hk_count i = 0; i < count; i++) {
    key[i] = (uint64_t)label[i] ^ (uint64_t)1 << 63; /* negative labels first */
    order[i] = (hk_index)i;
  }
  HK_TRY(hk_mesh_sort(count, key, order));
  for (hk_count i = 1; i < count; i++)
    HK_CHECK(key[i] != key[i - 1], HK_BAD_INPUT, "%s %lld is given twice: remove or renumber one",
             what, (long long)label[order[i]]);
  out->order = order;
cleanup:
  hk_free(&key);
  return status;
}

hk_status hk_mesh_index_labels(hk_mesh *mesh)
{
  hk_status status = HK_OK;
  struct hk_mesh_labels *labels = NULL;

  drop_labels(&mesh->labels);
  if (!mesh->node_label && !mesh->element_label) return HK_OK;
  HK_TRY(hk_new(&labels));
  if (mesh->node_label)
    HK_TRY(index_labels(&labels->pool, "node", mesh->node_count, mesh->node_label, &labels->node));
  if (mesh->element_label)
    HK_TRY(index_labels(&labels->pool, "element", mesh->element_count, mesh->element_label,
                        &labels->element));
  if (labels->node.dense && labels->node.first == 1) hk_free(&mesh->node_label);
  if (labels->element.dense && labels->element.first == 1) hk_free(&mesh->element_label);
  mesh->labels = labels, labels = NULL;
cleanup:
  drop_labels(&labels);
  return status;
}

/* Number of the label in label[count] (NULL: i + 1); a mesh without an index is searched through.
 */
static hk_index find_label(hk_count count, const int64_t *label, const label_index *index,
                           int64_t wanted)
{
  if (!label) return wanted >= 1 && wanted <= count ? (hk_index)(wanted - 1) : -1;
  if (!index || index->count != count) {
    for (hk_count i = 0; i < count; i++)
      if (label[i] == wanted) return (hk_index)i;
    return -1;
  }
  if (index->dense)
    return wanted >= index->first && wanted - index->first < count
               ? (hk_index)(wanted - index->first)
               : -1;
  hk_count low = 0, high = count; /* the first that is not below */
  while (low < high) {
    const hk_count middle = (low + high) / 2;
    if (label[index->order ? index->order[middle] : middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count) return -1;
  const hk_index at = index->order ? index->order[low] : (hk_index)low;
  return label[at] == wanted ? at : -1;
}

hk_index hk_mesh_find_node(const hk_mesh *mesh, int64_t label)
{
  return find_label(mesh->node_count, mesh->node_label, mesh->labels ? &mesh->labels->node : NULL,
                    label);
}

hk_index hk_mesh_find_element(const hk_mesh *mesh, int64_t label)
{
  return find_label(mesh->element_count, mesh->element_label,
                    mesh->labels ? &mesh->labels->element : NULL, label);
}
