/* Lists of a perfectly matched layer for solver/explicit/matched/pml.k.h: the elements that have a node with stretch d > 0, solids and fluids apart, in
 * batches of LANES; their geometry and laws; their nodes with a and c of x' + g x = y (S.12) for each direction and t_0 .. t_3 of (S.11);
 * the slots that each node sums. hk_pml_plan gives the bytes beforehand. */
#include "operator/spectral/pml/pml_pack.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include "operator/spectral/pml/pml_fsi.h"
#include "operator/spectral/pml/pml_ring.h"
#include "operator/spectral/map.h"
#include "physics/law.h"
#include "physics/viscoelastic/fit.h"
#include <math.h>
#include <string.h>

enum { FACES = 4 }; /* of quadrilaterals, which may lie on the axis */

void hk_pml_clear(hk_pml *pml)
{
  hk_free(&pml->stretch);
  hk_free(&pml->around);
  hk_free(&pml->held);
  *pml = (hk_pml){0};
}

void hk_pml_lists_clear(hk_pml_lists *l)
{
  for (int k = 0; k < HK_PML_BUFFERS; k++) hk_buffer_destroy(&l->buffer[k]);
  hk_buffer_destroy(&l->list);
  hk_free(&l->integer);
  hk_free(&l->node);
  hk_free(&l->element);
  hk_free(&l->held);
  *l = (hk_pml_lists){0};
}

/* Of the depth of the layer at a side, from its inner end on; 1: the outer face, below 0: inside the body, or no layer. */
static double depth_at(const hk_pml *pml, int side, int c, double x)
{
  const double from = pml->inner[side][c], depth = pml->outer[side][c] - from;
  return depth == 0 ? -1 : (x - from) / depth;
}

bool hk_pml_covers(const hk_pml *pml, int dim, const double *x)
{
  for (int k = 0; k < 2 * dim; k++)
    if (depth_at(pml, k % 2, k / 2, x[k / 2]) > 1e-9) return true;
  return false;
}

bool hk_pml_holds(const hk_pml *pml, int dim, const double *x)
{
  for (int k = 0; k < 2 * dim; k++)
    if (depth_at(pml, k % 2, k / 2, x[k / 2]) >= 1 - 1e-9) return true;
  return false;
}

void hk_pml_stretch_at(const hk_pml *pml, int dim, hk_count node, double d[3])
{
  for (int c = 0; c < 3; c++) d[c] = c < dim ? pml->stretch[node * dim + c] : 0;
  if (pml->around) d[2] = pml->around[node];
}

bool hk_pml_has(const hk_mesh *mesh, const hk_pml *pml, hk_count element)
{
  const hk_index *node = hk_mesh_nodes_of(mesh, element);
  const int nodes = hk_mesh_block_of(mesh, element)->nodes;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < mesh->dim; c++)
      if (pml->stretch[(hk_count)node[n] * mesh->dim + c] > 0) return true;
  return false;
}

hk_count hk_pml_plan(const hk_mesh *mesh, const hk_pml *pml, int components, bool double_precision,
                     bool relaxed, int shots)
{
  const hk_count real = double_precision ? 8 : 4, dim = mesh->dim, ring = pml->around != NULL;
  const hk_count lists = 8 + (dim * dim + 1 + ring + 3 * (dim + ring) + 4) * real,
                 memory = 2 * (dim + ring) *
                          (relaxed ? 1 + HK_MECHANISMS : 1), /* twice, with its copy */
      state = 4 + (1 + dim + ring + memory) * components * real + (components + 1) * 16 +
              4LL * components;
  hk_count points = 0;
  for (hk_count e = 0; pml->stretch && e < mesh->element_count; e++)
    if (hk_pml_has(mesh, pml, e)) points += hk_mesh_block_of(mesh, e)->nodes;
  return points * (lists + shots * state);
}

typedef struct packing {
  const hk_operator_desc *desc;
  const hk_pml *pml;
  const hk_mesh *mesh;
  const hk_element *shape;
  int dim, components, lanes;
  int ways; /* directions that are stretched: dim, and around the axis */
  bool ring;
  hk_count elements;
  hk_index *element; /* element[elements] of the lists */
  hk_index *place;   /* place[padded]: of an internal node, -1: not in the layer */
  hk_pml_lists *out;
} packing;

static hk_index internal_of(const packing *p, hk_count e, int q)
{
  return p->desc->space->node[hk_mesh_nodes_of(p->mesh, e)[p->shape->lattice[q]]];
}

static bool is_fluid(const packing *p, hk_count element)
{
  return hk_region_is_scalar(&p->desc->region[p->desc->element_region[element]]);
}

/* Of a part: whether the element has an own node; its other nodes are then ghosts. */
static bool is_near(const packing *p, hk_count element)
{
  const hk_space *space = p->desc->space;
  const hk_index *node = hk_mesh_nodes_of(p->mesh, element);
  bool near = !space->whole;
  for (int n = 0; n < p->out->points && !near; n++)
    near = space->node[node[n]] >= 0 && space->node[node[n]] < hk_space_rows(space);
  return near;
}

static const hk_element *shape_of(const packing *p, hk_count element)
{
  return hk_element_of(hk_mesh_block_of(p->mesh, element)->shape);
}

/* Elements of solids or of fluids with that face on the axis (-1: none) that have a node with d > 0, to whole batches, and their nodes. */
static void find_part(packing *p, bool fluid, int face)
{
  for (hk_count e = 0; e < p->mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(p->mesh, e);
    if (is_fluid(p, e) != fluid || !hk_pml_has(p->mesh, p->pml, e) || !is_near(p, e)) continue;
    if (hk_shape_axis(shape_of(p, e)->shape) != face) continue;
    p->element[p->elements++] = (hk_index)e;
    for (int n = 0; n < p->out->points; n++) p->place[p->desc->space->node[node[n]]] = 0;
  }
  while (p->elements % p->lanes) p->element[p->elements++] = -1;
}

/* Batches have one kind of nodes across the axis. */
static void find_parts(packing *p, bool fluid)
{
  for (int face = -1; face < (p->ring ? FACES : 0); face++) find_part(p, fluid, face);
}

static bool any_relaxes(const packing *p)
{
  bool any = false;
  for (hk_count i = 0; i < p->elements && !any; i++)
    any = p->element[i] >= 0 &&
          hk_law_relaxes(&p->desc->region[p->desc->element_region[p->element[i]]]);
  return any;
}

static hk_status find_elements(packing *p)
{
  hk_pml_lists *l = p->out;
  const hk_space *space = p->desc->space;
  HK_PASS(hk_get(&l->element, p->mesh->element_count + 2LL * (1 + FACES) * p->lanes));
  p->element = l->element;
  HK_PASS(hk_get(&p->place, space->padded));
  for (hk_index i = 0; i < space->padded; i++) p->place[i] = -1;
  find_parts(p, false);
  l->solids = (hk_index)(p->elements / p->lanes);
  find_parts(p, true);
  HK_PASS(hk_narrow(p->elements / p->lanes, "elements of the layer", &l->batches));
  l->head.at[HK_PML_RELAXED] = any_relaxes(p);
  hk_pml_fsi_mark(p->desc, p->place, l);
  for (hk_index i = 0; i < space->padded; i++) l->nodes += p->place[i] == 0;
  HK_PASS(hk_get(&l->node, l->nodes));
  HK_PASS(hk_get(&l->held, l->nodes));
  for (hk_index i = 0, n = 0; i < space->padded; i++) {
    if (p->place[i] < 0) continue;
    l->held[n] = p->pml->held[space->mesh_node[i]];
    l->node[n] = i, p->place[i] = n++;
  }
  const hk_count fsi = (l->fsi_fluids + l->fsi_entries + p->lanes - 1) / p->lanes,
                 run = (hk_count)p->components * p->lanes, first = l->batches * l->points * run;
  HK_PASS(hk_narrow(first + fsi * run, "forces of the layer", &l->slots));
  l->first_fsi = (hk_index)first;
  return HK_OK;
}

hk_status hk_pml_put(hk_pml_lists *l, hk_pml_place place, hk_count count, const hk_index *value)
{
  hk_index at;
  HK_PASS(hk_narrow(l->integers + count, "lists of the layer", &at));
  HK_PASS(hk_reserve(&l->integer, l->integers + count, &l->room));
  l->head.at[place] = (hk_index)l->integers;
  if (count) memcpy(l->integer + l->integers, value, (size_t)count * sizeof *value);
  l->integers += count;
  return HK_OK;
}

static hk_status send_list(const packing *p)
{
  hk_pml_lists *l = p->out;
  const hk_count bytes = l->integers * (hk_count)sizeof *l->integer;
  l->head.at[HK_PML_SIDE] = l->side, l->head.at[HK_PML_POINTS] = l->points;
  l->head.at[HK_PML_NODES] = l->nodes, l->head.at[HK_PML_BATCHES] = l->batches;
  l->head.at[HK_PML_SLOTS] = l->slots, l->head.at[HK_PML_FIRST_FSI] = l->first_fsi;
  l->head.at[HK_PML_FSI_FLUIDS] = l->fsi_fluids;
  HK_PASS(hk_buffer_create(p->desc->device, bytes, &l->list));
  HK_PASS(hk_buffer_write(l->list, 0, bytes, l->integer));
  hk_free(&l->integer);
  return HK_OK;
}

static hk_status send_reals(const packing *p, int which, hk_count count, const double *value)
{
  hk_buffer **to = &p->out->buffer[which];
  const bool real = p->desc->double_precision;
  HK_PASS(hk_buffer_create(p->desc->device, count * (real ? 8 : 4), to));
  if (count) HK_PASS(hk_buffer_write_reals(*to, real, 0, count, value));
  return HK_OK;
}

/* place [batches][points][lanes]; elements behind the last: place 0 */
static hk_status send_places(const packing *p)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = p->out;
  const hk_count count = (hk_count)l->batches * l->points * p->lanes;
  hk_index *place = NULL;
  HK_TRY(hk_get(&place, count));
  for (hk_count i = 0; i < p->elements; i++)
    for (int q = 0; q < l->points && p->element[i] >= 0; q++)
      place[(i / p->lanes * l->points + q) * p->lanes + i % p->lanes] =
          p->place[internal_of(p, p->element[i], q)];
  HK_TRY(hk_pml_put(p->out, HK_PML_PLACE, count, place));
  HK_TRY(hk_pml_put(p->out, HK_PML_NODE, l->nodes, l->node));
cleanup:
  hk_free(&place);
  return status;
}

/* Number k of a run of slots, those of an element's point or of interface nodes. */
static hk_index slot_of(const packing *p, hk_count first, hk_count k)
{
  return (hk_index)(first + k / p->lanes * p->components * p->lanes + k % p->lanes);
}

/* Of each node the places of its forces in the slots: element by element, then those of interface nodes. */
static hk_status send_slots(const packing *p)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = p->out;
  const hk_count run = (hk_count)p->components * p->lanes, fsi = l->fsi_fluids + l->fsi_entries;
  hk_index *begin = NULL, *from = NULL, *fsi_place = NULL;
  HK_TRY(hk_get(&begin, l->nodes + 2));
  HK_TRY(hk_get(&from, p->elements * l->points + fsi));
  HK_TRY(hk_pml_fsi_places(p->desc, p->place, l, &fsi_place));
  for (hk_count k = 0; k < p->elements * l->points; k++)
    if (p->element[k / l->points] >= 0)
      begin[p->place[internal_of(p, p->element[k / l->points], (int)(k % l->points))] + 2]++;
  for (hk_count k = 0; k < fsi; k++) begin[fsi_place[k] + 2]++;
  for (hk_index n = 0; n < l->nodes; n++) begin[n + 2] += begin[n + 1];
  for (hk_count i = 0; i < p->elements; i++)
    for (int q = 0; q < l->points && p->element[i] >= 0; q++)
      from[begin[p->place[internal_of(p, p->element[i], q)] + 1]++] =
          slot_of(p, q * run, i / p->lanes * l->points * p->lanes + i % p->lanes);
  for (hk_count k = 0; k < fsi; k++) from[begin[fsi_place[k] + 1]++] = slot_of(p, l->first_fsi, k);
  HK_TRY(hk_pml_put(p->out, HK_PML_BEGIN, l->nodes + 1, begin));
  HK_TRY(hk_pml_put(p->out, HK_PML_FROM, begin[l->nodes], from));
cleanup:
  hk_free(&begin);
  hk_free(&from);
  hk_free(&fsi_place);
  return status;
}

/* The layer computes solids by the law of all, with attenuation where some have it. */
static const hk_law *law_of(const packing *p, bool fluid)
{
  const bool relaxed = p->out->head.at[HK_PML_RELAXED];
  if (p->components > p->dim) return &hk_law_spatial;
  return fluid ? &hk_law_fluid : relaxed ? &hk_law_viscoelastic_anisotropic : &hk_law_anisotropic;
}

/* Numbers of the law of an element, of fluids or solids. */
static int laws_of(const packing *p, bool fluid)
{
  return p->ring && !fluid ? HK_PML_RING_LAW : hk_law_parameters(law_of(p, fluid), p->dim);
}

/* law[laws][lanes] of one element */
static void write_law(const packing *p, hk_index element, double dt, double *law)
{
  const hk_region *region = &p->desc->region[p->desc->element_region[element]];
  const bool fluid = hk_region_is_scalar(region);
  double parameter[HK_MOST_PARAMETERS];
  if (p->ring && !fluid)
    hk_pml_ring_law(region, parameter);
  else
    law_of(p, fluid)->pack(region, p->dim, dt, parameter);
  for (int k = 0; k < laws_of(p, fluid); k++) law[(hk_count)k * p->lanes] = parameter[k];
}

/* shape[points][shapes][lanes] of one element; the operator has told of folded ones. */
static void write_shape(const packing *p, hk_index element, hk_spectral_map *map, double *shape)
{
  const int square = p->dim * p->dim, shapes = square + 1 + p->ring;
  double own[6];
  if (p->ring)
    hk_element_gather(p->mesh, hk_mesh_block_of(p->mesh, element),
                      element - hk_mesh_block_of(p->mesh, element)->first, map->x);
  else
    hk_spectral_map_find(p->mesh, element, map);
  for (int q = 0; q < p->out->points; q++) {
    double *to = shape + (hk_count)q * shapes * p->lanes;
    if (p->ring) hk_pml_ring_shape(shape_of(p, element), map->x, q, own);
    for (int k = 0; k < shapes; k++)
      to[(hk_count)k * p->lanes] = p->ring      ? own[k]
                                   : k < square ? map->inverse[q * square + k]
                                                : map->volume[q];
  }
}

/* Geometry and law of each element; those behind the last have none. */
static hk_status send_elements(const packing *p, double dt)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = p->out;
  const int lanes = p->lanes, size = p->dim * p->dim + 1 + p->ring,
            laws = laws_of(p, p->components == 1);
  double *shape = NULL, *law = NULL;
  hk_spectral_map *map = NULL;
  const hk_count shapes = (hk_count)l->batches * l->points * size * lanes,
                 all_laws = (hk_count)l->batches * laws * lanes;
  HK_TRY(hk_get(&shape, shapes));
  HK_TRY(hk_get(&law, all_laws));
  HK_TRY(hk_new(&map));
  for (hk_count i = 0; i < p->elements; i++) {
    if (p->element[i] < 0) continue;
    const hk_count batch = i / lanes, lane = i % lanes;
    write_shape(p, p->element[i], map, shape + batch * l->points * size * lanes + lane);
    write_law(p, p->element[i], dt, law + batch * laws * lanes + lane);
  }
  HK_TRY(send_reals(p, HK_PML_SHAPE, shapes, shape));
  HK_TRY(send_reals(p, HK_PML_LAW, all_laws, law));
cleanup:
  hk_free(&shape);
  hk_free(&law);
  hk_free(&map);
  return status;
}

/* a and c of x' + g x = y */
static double fade_of(double g, double dt)
{
  return exp(-g * dt);
}

static double gain_of(double g, double dt)
{
  return g * dt > 1e-8 ? -expm1(-g * dt) / (2 * g) : dt / 2;
}

/* d, a and c of each direction; t_0 .. t_3 times the mass. */
static hk_status send_nodes(const packing *p, const double *mass, double dt)
{
  hk_status status = HK_OK;
  const hk_pml_lists *l = p->out;
  const double alpha = p->pml->alpha;
  double *stretch = NULL, *term = NULL;
  HK_TRY(hk_get(&stretch, (hk_count)l->nodes * p->ways * 3));
  HK_TRY(hk_get(&term, (hk_count)l->nodes * 4));
  for (hk_index n = 0; n < l->nodes; n++) {
    double d[3];
    hk_pml_stretch_at(p->pml, p->dim, p->desc->space->mesh_node[l->node[n]], d);
    const double one = d[0] + d[1] + d[2], two = d[0] * d[1] + d[1] * d[2] + d[2] * d[0],
                 three = d[0] * d[1] * d[2], m = mass[l->node[n]];
    double *to = stretch + (hk_count)n * p->ways * 3, *t = term + (hk_count)n * 4;
    for (int c = 0; c < p->ways; c++) {
      to[3 * c] = d[c];
      to[3 * c + 1] = fade_of(alpha + d[c], dt), to[3 * c + 2] = gain_of(alpha + d[c], dt);
    }
    t[0] = m * (two - alpha * one);
    t[1] = m * (alpha * alpha * one - 2 * alpha * two + three);
    t[2] = m * (alpha * alpha * two - 2 * alpha * three);
    t[3] = m * alpha * alpha * three;
  }
  HK_TRY(send_reals(p, HK_PML_STRETCH, (hk_count)l->nodes * p->ways * 3, stretch));
  HK_TRY(send_reals(p, HK_PML_TERM, (hk_count)l->nodes * 4, term));
cleanup:
  hk_free(&stretch);
  hk_free(&term);
  return status;
}

/* Derivatives along the lines of elements; of axisymmetric models where each batch has those of its directions. */
static hk_status send_lines(const packing *p)
{
  hk_status status = HK_OK;
  hk_pml_lists *l = p->out;
  double line[HK_PML_RING_LINES];
  hk_index *lines = NULL;
  if (!p->ring)
    return send_reals(p, HK_PML_LINE, (hk_count)l->side * l->side, hk_gll_of(l->side - 1)->d);
  HK_TRY(hk_get(&lines, (hk_count)l->batches * p->dim));
  for (hk_index k = 0; k < l->batches * p->dim; k++)
    lines[k] = hk_pml_ring_line(shape_of(p, p->element[k / p->dim * p->lanes]), (int)(k % p->dim));
  HK_TRY(hk_pml_put(l, HK_PML_LINES, (hk_count)l->batches * p->dim, lines));
  HK_TRY(send_reals(p, HK_PML_LINE, hk_pml_ring_lines(l->side - 1, line), line));
cleanup:
  hk_free(&lines);
  return status;
}

static hk_status begin(const hk_operator_desc *desc, const hk_pml *pml, hk_pml_lists *out,
                       packing *p)
{
  const hk_mesh *mesh = desc->space->mesh;
  *p = (packing){.desc = desc,
                 .pml = pml,
                 .mesh = mesh,
                 .shape = hk_element_of(mesh->block[0].shape),
                 .dim = mesh->dim,
                 .ways = mesh->dim + (pml->around != NULL),
                 .ring = pml->around != NULL,
                 .components = desc->space->components,
                 .lanes = hk_device_describe(desc->device)->lanes,
                 .out = out};
  *out = (hk_pml_lists){0};
  HK_NEED(p->ring ? hk_mesh_quad_families(mesh) : hk_spectral_order(mesh) > 0, HK_INTERNAL,
          "a perfectly matched layer needs spectral elements");
  out->side = p->shape->order + 1, out->points = p->shape->nodes;
  return find_elements(p);
}

hk_status hk_pml_find(const hk_operator_desc *desc, const hk_pml *pml, hk_pml_lists *out)
{
  packing p;
  const hk_status status = begin(desc, pml, out, &p);
  hk_free(&p.place);
  return status;
}

hk_status hk_pml_pack(const hk_operator_desc *desc, const hk_pml *pml, const double *mass,
                      double dt, hk_pml_lists *out)
{
  hk_status status = HK_OK;
  packing p;
  HK_TRY(begin(desc, pml, out, &p));
  out->fade = fade_of(pml->alpha, dt), out->gain = gain_of(pml->alpha, dt);
  HK_TRY(send_places(&p));
  HK_TRY(send_slots(&p));
  HK_TRY(send_elements(&p, dt));
  HK_TRY(send_nodes(&p, mass, dt));
  HK_TRY(hk_pml_fsi_send(desc, pml, p.place, out));
  HK_TRY(send_lines(&p));
  HK_TRY(send_list(&p));
cleanup:
  hk_free(&p.place);
  return status;
}
