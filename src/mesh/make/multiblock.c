/* Meshes of deformed blocks (multiblock.h, docs/cracks.md): curves are prepared, each block gets a lattice of nodes, nodes that coincide are
 * joined (multiblock_join.c), elements are numbered block by block, the Jacobian is looked at in all vertices, and sides and sets follow
 * (multiblock_check.c, multiblock_sets.c). A block of order 2 has a lattice twice as fine, and quad9 or hex27 elements. */
#include "mesh/make/multiblock.h"
#include "mesh/jacobian.h"
#include "mesh/make/multiblock_parts.h"
#include <math.h>
#include <stdio.h>

static hk_count lattice_place(const hk_lattice *l, const hk_count at[3])
{
  return at[0] + l->line[0] * (at[1] + l->line[1] * at[2]);
}

/* Lattice coordinates of element e of block b, its lowest corner. */
static void place_element(const hk_multiblock_maker *m, int b, hk_count e, hk_count at[3])
{
  const hk_part *part = &m->desc->part[b];
  at[0] = e % part->cells[0] * m->desc->order;
  at[1] = e / part->cells[0] % part->cells[1] * m->desc->order;
  at[2] = m->desc->dim == 3 ? e / (part->cells[0] * part->cells[1]) * m->desc->order : 0;
}

static hk_count cells_of(const hk_multiblock_maker *m, int b)
{
  const hk_part *part = &m->desc->part[b];
  return part->cells[0] * part->cells[1] * (m->desc->dim == 3 ? part->cells[2] : 1);
}

static void fill_elements(hk_multiblock_maker *m, int b, hk_index *node)
{
  const hk_lattice *l = &m->lattice[b];
  const int order = m->desc->order;
  for (hk_count e = 0; e < cells_of(m, b); e++, node += m->element->nodes) {
    hk_count at[3];
    place_element(m, b, e, at);
    for (int n = 0; n < m->element->nodes; n++) {
      hk_count own[3] = {at[0], at[1], at[2]};
      for (int d = 0; d < m->desc->dim; d++)
        own[d] += (hk_count)lround((1 + m->element->reference[n][d]) / 2 * order);
      node[n] = l->node[lattice_place(l, own)];
    }
  }
}

static hk_status check_part(const hk_multiblock *desc, int b)
{
  const hk_part *p = &desc->part[b];
  const int corners = desc->dim == 2 ? 4 : 8;
  for (int i = 0; i < corners; i++)
    for (int k = 0; k < i; k++)
      HK_NEED(p->corner[i] != p->corner[k], HK_BAD_INPUT, "block %s: has the corner %s twice",
              p->name, desc->point_name[p->corner[i]]);
  for (int d = 0; d < desc->dim; d++) {
    HK_NEED(p->cells[d] >= 1, HK_BAD_INPUT,
            "block %s: %lld cells in direction %d: must be at least 1", p->name,
            (long long)p->cells[d], d + 1);
    HK_NEED(p->grading[d] > 0 && isfinite(p->grading[d]), HK_BAD_INPUT,
            "block %s: grading %g: must be above 0", p->name, p->grading[d]);
  }
  return HK_OK;
}

/* Whether the points are neighbouring corners of some block. */
static bool is_edge(const hk_multiblock_maker *m, const int end[2])
{
  for (int b = 0; b < m->desc->parts; b++)
    for (int f = 0; f < m->linear->faces; f++)
      for (int v = 0, n = m->desc->dim == 2 ? 2 : 4; v < n; v++) {
        const int *corner = m->desc->part[b].corner, *node = m->linear->face[f].node,
                  p = corner[node[v]], q = corner[node[(v + 1) % n]];
        if ((p == end[0] && q == end[1]) || (p == end[1] && q == end[0])) return true;
      }
  return false;
}

static hk_status check_curve(const hk_multiblock_maker *m, int k)
{
  const int *end = m->desc->curve[k].end;
  HK_NEED(is_edge(m, end), HK_BAD_INPUT, "it does not join neighbouring corners of a block");
  for (int i = 0; i < k; i++) {
    const int *other = m->desc->curve[i].end;
    HK_NEED((end[0] != other[0] || end[1] != other[1]) &&
                (end[0] != other[1] || end[1] != other[0]),
            HK_BAD_INPUT, "it is given twice");
  }
  return HK_OK;
}

static hk_status prepare_curves(hk_multiblock_maker *m)
{
  hk_status status = HK_OK;
  HK_TRY(hk_pool_get(&m->pool, &m->knots, m->desc->curves));
  for (int k = 0; k < m->desc->curves; k++) {
    const hk_curve *c = &m->desc->curve[k];
    status = check_curve(m, k);
    if (status == HK_OK)
      status = hk_curve_prepare(&m->pool, c, m->desc->dim, m->desc->point[c->end[0]],
                                m->desc->point[c->end[1]], &m->knots[k]);
    if (status == HK_BAD_INPUT) {
      char words[512];
      snprintf(words, sizeof words, "%s", hk_error());
      status = hk_error_set(HK_BAD_INPUT, "edge %s %s: %s", m->desc->point_name[c->end[0]],
                            m->desc->point_name[c->end[1]], words);
    }
    if (status != HK_OK) goto cleanup;
  }
cleanup:
  return status;
}

static hk_status lay_out(hk_multiblock_maker *m)
{
  double points = 0, cells = 0;
  HK_PASS(hk_pool_get(&m->pool, &m->lattice, m->desc->parts));
  for (int b = 0; b < m->desc->parts; b++) {
    hk_lattice *l = &m->lattice[b];
    double own = 1, elements = 1;
    HK_PASS(check_part(m->desc, b));
    for (int d = 0; d < 3; d++) {
      l->line[d] = d < m->desc->dim ? m->desc->order * m->desc->part[b].cells[d] + 1 : 1;
      own *= (double)l->line[d],
          elements *= d < m->desc->dim ? (double)m->desc->part[b].cells[d] : 1;
    }
    points += own, cells += elements;
    HK_NEED(points < 2147483647.0 && cells < 2147483647.0, HK_BAD_INPUT,
            "blocks: more than 2147483647 nodes or elements");
    l->points = l->line[0] * l->line[1] * l->line[2];
    l->first = m->mesh->element_count;
    m->mesh->element_count += cells_of(m, b);
    HK_PASS(hk_pool_get(&m->pool, &l->node, l->points));
  }
  return HK_OK;
}

/* No element of any block is folded or turned inside out. */
static hk_status check_tangled(const hk_multiblock_maker *m)
{
  const hk_block *block = &m->mesh->block[0];
  hk_jacobian vertices;
  double x[HK_MOST_NODES][3] = {{0}}, least, most;
  hk_jacobian_at_vertices(m->element, &vertices);
  for (int b = 0; b < m->desc->parts; b++)
    for (hk_count e = 0; e < cells_of(m, b); e++) {
      hk_count at[3];
      hk_jacobian_gather(m->mesh, block->nodes,
                         block->node + (m->lattice[b].first + e) * block->nodes, x);
      if (hk_jacobian_judge(&vertices, x, &least, &most) == HK_GOOD) continue;
      char layer[32] = "";
      place_element(m, b, e, at);
      if (m->desc->dim == 3)
        snprintf(layer, sizeof layer, ", %lld", (long long)(at[2] / m->desc->order + 1));
      return hk_error_set(
          HK_BAD_INPUT,
          "block %s is tangled: its cell (%lld, %lld%s) has the Jacobian %.3g: give the corners "
          "%s, and edges that do not cross",
          m->desc->part[b].name, (long long)(at[0] / m->desc->order + 1),
          (long long)(at[1] / m->desc->order + 1), layer, least,
          m->desc->dim == 2 ? "counterclockwise"
                            : "of one side counterclockwise as seen from the opposite side, then "
                              "those of the opposite side");
    }
  return HK_OK;
}

static hk_status make_elements(hk_multiblock_maker *m)
{
  hk_mesh *mesh = m->mesh;
  HK_PASS(hk_new(&mesh->block));
  mesh->block_count = 1;
  mesh->block[0] = (hk_block){m->element->shape, m->element->nodes, 0, mesh->element_count, NULL};
  HK_PASS(hk_get(&mesh->block[0].node, mesh->element_count * m->element->nodes));
  for (int b = 0; b < m->desc->parts; b++)
    fill_elements(m, b, mesh->block[0].node + m->lattice[b].first * m->element->nodes);
  return HK_OK;
}

hk_status hk_mesh_create_multiblock(const hk_multiblock *desc, hk_mesh **out)
{
  hk_status status = HK_OK;
  const bool flat = desc->dim == 2, first = desc->order == 1;
  hk_multiblock_maker m = {.desc = desc,
                           .element = hk_element_of(flat    ? (first ? HK_QUAD4 : HK_QUAD9)
                                                    : first ? HK_HEX8
                                                            : HK_HEX27),
                           .linear = hk_element_of(flat ? HK_QUAD4 : HK_HEX8)};
  HK_CHECK(desc->parts >= 1, HK_BAD_INPUT, "blocks: the list is empty");
  HK_TRY(hk_mesh_begin(desc->dim, &m.mesh));
  HK_TRY(prepare_curves(&m));
  HK_TRY(lay_out(&m));
  HK_TRY(hk_multiblock_join(&m));
  HK_TRY(make_elements(&m));
  HK_TRY(check_tangled(&m));
  HK_TRY(hk_multiblock_check(&m));
  HK_TRY(hk_multiblock_sets(&m));
  HK_TRY(hk_mesh_finish(m.mesh, "blocks", NULL));
  *out = m.mesh, m.mesh = NULL;
cleanup:
  hk_pool_clear(&m.pool);
  hk_mesh_destroy(&m.mesh);
  return status;
}
