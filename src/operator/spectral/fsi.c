/* Pairs of nodes where fluid and solid elements meet, and the normal times area of each: faces of a fluid element and a solid one at the
 * same places are matched node by node (partner_of), weights are those of the face's Gauss-Lobatto points, and pairs that several faces give are
 * merged. Pairs ascend by fluid node, then by solid node. */
#include "operator/spectral/fsi.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include "operator/element/ring.h"
#include "operator/spectral/map.h"
#include <math.h>
#include <stdlib.h>

/* *axis = the direction of reference across the face; true where it is the end of that direction, false where it is the begin. */
static bool across(const hk_element *shape, const hk_element_face *face, const int *place,
                   int *axis)
{
  const int side = shape->order + 1;
  for (int a = 0, step = 1; a < shape->dim; a++, step *= side) {
    const int first = place[face->node[0]] / step % side;
    bool same = first == 0 || first == shape->order;
    for (int n = 1; n < face->nodes; n++)
      same = same && place[face->node[n]] / step % side == first;
    *axis = a;
    if (same) return first != 0;
  }
  return false;
}

/* The node of the other face in the place of node n. */
static hk_index partner_of(const hk_mesh *mesh, hk_index n, const hk_element_face *face,
                           const hk_index *node)
{
  const int dim = mesh->dim;
  double least = INFINITY;
  hk_index found = -1;
  for (int k = 0; k < face->nodes; k++) {
    double square = 0;
    for (int d = 0; d < dim; d++) {
      const double off =
          mesh->x[(hk_count)n * dim + d] - mesh->x[(hk_count)node[face->node[k]] * dim + d];
      square += off * off;
    }
    if (square < least) least = square, found = node[face->node[k]];
  }
  return found;
}

/* Normal to the plane of a 2D mesh at node n of the element: the thickness, axisymmetric the circumference (S.17). */
static double depth_of(const hk_mesh *mesh, const hk_region *region, hk_index e, int n)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *shape = hk_element_of(block->shape);
  double x[3 * HK_MOST_NODES], dn[3 * HK_MOST_NODES];
  if (mesh->dim == 3) return 1;
  if (region->plane != HK_AXISYMMETRIC) return region->thickness;
  hk_element_gather(mesh, block, e - block->first, x);
  hk_element_functions(shape, shape->reference[n], NULL, dn);
  return hk_ring_depth(shape, x, hk_ring_radius(shape, x, x[2 * n]), dn);
}

/* The pairs of one face, pair[nodes of the face]; side: which of its elements is of the fluid. */
static hk_status face_pairs(const hk_mesh *mesh, const hk_region *region, const hk_crack_face *f,
                            int side, hk_spectral_map *map, hk_fsi *pair)
{
  const hk_index e = f->element[side], other = f->element[1 - side];
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_element_face *own = &shape->face[f->face[side]],
                        *theirs = &shape->face[f->face[1 - side]];
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  int place[HK_MOST_NODES], axis = 0;
  if (!hk_spectral_map_find(mesh, e, map)) return hk_element_folded(mesh, e);
  for (int q = 0; q < shape->nodes; q++) place[shape->lattice[q]] = q;
  const bool end = across(shape, own, place, &axis);
  const double weight =
      hk_line_weight(shape->line[axis], hk_line_axis_of(shape->line[axis]), end ? shape->order : 0);
  for (int n = 0; n < own->nodes; n++) {
    const int q = place[own->node[n]], dim = mesh->dim;
    const double area =
        map->volume[q] / weight * (end ? 1 : -1) * depth_of(mesh, region, e, own->node[n]);
    pair[n] = (hk_fsi){.fluid = node[own->node[n]]};
    pair[n].solid = partner_of(mesh, pair[n].fluid, theirs, hk_mesh_nodes_of(mesh, other));
    for (int c = 0; c < dim; c++)
      pair[n].normal[c] = area * map->inverse[(q * dim + axis) * dim + c];
  }
  return HK_OK;
}

static int compare_pairs(const void *p, const void *q)
{
  const hk_fsi *a = p, *b = q;
  if (a->fluid != b->fluid) return a->fluid < b->fluid ? -1 : 1;
  return (a->solid > b->solid) - (a->solid < b->solid);
}

/* Equal pairs become one. */
static hk_count merge(hk_fsi *pair, hk_count count)
{
  hk_count kept = 0;
  for (hk_count k = 0; k < count; k++)
    if (kept && !compare_pairs(&pair[kept - 1], &pair[k]))
      for (int c = 0; c < 3; c++) pair[kept - 1].normal[c] += pair[k].normal[c];
    else
      pair[kept++] = pair[k];
  return kept;
}

hk_status hk_fsi_find(const hk_mesh *mesh, const hk_region *region, const hk_index *element_region,
                      hk_count faces, const hk_crack_face *face, hk_count *count, hk_fsi **pair)
{
  hk_status status = HK_OK;
  hk_spectral_map *map = NULL;
  hk_fsi *all = NULL;
  hk_count found = 0;
  HK_TRY(hk_new(&map));
  for (hk_count k = 0; k < faces; k++) {
    const int side = region[element_region[face[k].element[0]]].material.fluid ? 0 : 1;
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, face[k].element[0])->shape);
    const int nodes = shape->face[face[k].face[side]].nodes;
    if (!all) HK_TRY(hk_get(&all, faces * nodes));
    HK_TRY(face_pairs(mesh, &region[element_region[face[k].element[side]]], &face[k], side, map,
                      all + found));
    found += nodes;
  }
  if (found) qsort(all, (size_t)found, sizeof *all, compare_pairs);
  *count = merge(all, found);
  *pair = all, all = NULL;
cleanup:
  hk_free(&map);
  hk_free(&all);
  return status;
}
