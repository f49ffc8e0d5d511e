/* Elements of second order, and what stands beside them, in the form `matrix-free`: batches of one shape, law and rule, each with its nodes and the
 * table of its rule. A product is two launches: the forces of elements, left at corners (gauss.k.h), and the nodes' sums over their corners, in the
 * order of the batches (operator/patches/scatter.k.h). Where groups of elements are of one shape nothing is compiled for any other. */
#include "operator/gauss/gauss.h"
#include "base/reals.h"
#include "base/sort.h"
#include "element/element.h"
#include "graph/sliced.h"
#include "operator/element/lumped.h"
#include "operator/staged.h"
#include "physics/law.h"

enum { HOST_GROUP = 64, LAWS = 2, WAYS = 2 }; /* WAYS: full, reduced */
#define UNEVEN 1.4 /* lists of corners, which are as long as the longest of a slice */

typedef struct batch {
  const hk_block *block;
  hk_integration integration;
  int law;                         /* number among those of solids */
  hk_index count, padded, *member; /* member[count]: elements of the block, by their lowest node */
  hk_index first;                  /* place of its corners */
  hk_buffer *node, *table;
  hk_kernel *forces;
} batch;

struct hk_gauss {
  batch *batch;
  int batches;
  hk_buffer *place, *law[LAWS], *slice, *list, *corner;
  hk_count corners; /* reals of a shot's; zeros for padding at the end */
  int shots, group;
  hk_kernel *step[HK_FORM_COUNT][HK_DAMPINGS];
  hk_pool pool;   /* buffers, kernels and arrays, but for `corner` */
  hk_pool making; /* members of batches, until all is made */
};

hk_count hk_gauss_plan(const hk_mesh *mesh, bool double_precision)
{
  const int real = double_precision ? 8 : 4;
  double bytes = (double)mesh->node_count * mesh->dim * real;
  for (int b = 0; b < mesh->block_count; b++) {
    const int nodes = mesh->block[b].nodes;
    bytes += (double)mesh->block[b].count *
             ((nodes + 1) * 4.0 + nodes * (mesh->dim * real + 4 * UNEVEN));
  }
  return (hk_count)bytes;
}

static int law_of(const hk_operator_desc *desc, const hk_region *region)
{
  int law = 0;
  while (law < LAWS && !hk_law_serves(hk_law_at(false, law), region, desc->space->dim)) law++;
  return law;
}

static const hk_region *region_of(const hk_operator_desc *desc, hk_count e)
{
  return desc->region + desc->element_region[e];
}

/* Elements of a block with that law and rule; the batch takes its place among all where there are any. */
static hk_status add_batch(const hk_operator_desc *desc, hk_gauss *s, const hk_block *block,
                           int law, hk_integration integration)
{
  hk_status status = HK_OK;
  const bool both = hk_element_of(block->shape)->order > 1;
  batch *b = &s->batch[s->batches];
  uint64_t *key = NULL;
  *b = (batch){.block = block, .law = law, .integration = integration};
  HK_TRY(hk_pool_get(&s->making, &b->member, block->count));
  HK_TRY(hk_get(&key, block->count));
  for (hk_index i = 0; i < block->count; i++) {
    const hk_region *region = region_of(desc, block->first + i);
    const bool reduced = both && region->integration == HK_INTEGRATION_REDUCED;
    const hk_index *node = block->node + (hk_count)i * block->nodes;
    if (law_of(desc, region) != law || reduced != (integration == HK_INTEGRATION_REDUCED)) continue;
    hk_index lowest = desc->space->node[node[0]];
    for (int n = 1; n < block->nodes; n++)
      if (desc->space->node[node[n]] < lowest) lowest = desc->space->node[node[n]];
    key[b->count] = (uint64_t)lowest, b->member[b->count++] = i;
  }
  HK_TRY(hk_mesh_sort(b->count, key, b->member));
  s->batches += b->count > 0;
cleanup:
  hk_free(&key);
  return status;
}

/* Batches, and where the corners of each begin. */
static hk_status divide(const hk_operator *op, hk_gauss *s)
{
  const hk_mesh *mesh = op->desc.space->mesh;
  const int width = hk_device_describe(op->desc.device)->width, dim = mesh->dim;
  hk_count members = 0;
  hk_index end;
  HK_PASS(hk_pool_get(&s->pool, &s->batch, (hk_count)mesh->block_count * LAWS * WAYS + 1));
  for (int b = 0; b < mesh->block_count; b++)
    for (int k = 0; k < LAWS * WAYS; k++)
      HK_PASS(add_batch(&op->desc, s, mesh->block + b, k % LAWS,
                        k < LAWS ? HK_INTEGRATION_FULL : HK_INTEGRATION_REDUCED));
  for (int b = 0; b < s->batches; b++) {
    batch *own = &s->batch[b];
    own->padded = (own->count + width - 1) / width * width;
    own->first = (hk_index)s->corners;
    members += own->count;
    s->corners += (hk_count)own->padded * own->block->nodes * dim;
    HK_PASS(hk_narrow(s->corners, "values at the corners of elements", &end));
  }
  HK_NEED(members == mesh->element_count, HK_BAD_INPUT,
          "method matrix-free supports only Hooke's law: give edges or stored");
  s->corners += (hk_count)dim * width;
  return hk_narrow(s->corners, "values at the corners of elements", &end);
}

/* The derivatives at the points of the rule, each with its weight. */
static hk_status send_table(const hk_operator *op, hk_gauss *s, batch *b)
{
  hk_status status = HK_OK;
  const hk_element *element = hk_element_of(b->block->shape);
  const hk_rule *rule = hk_element_rule(element, b->integration);
  const bool real = op->desc.double_precision;
  const int size = element->nodes * element->dim;
  double dn[3 * HK_LISTED_NODES];
  hk_staged table = {0};
  HK_TRY(hk_staged_keep(&s->pool, op->desc.device,
                        (hk_count)rule->points * (size + 1) * (real ? 8 : 4), &b->table, &table));
  for (int q = 0; q < rule->points; q++) {
    hk_element_functions(element, rule->point[q], NULL, dn);
    for (int m = 0; m < size; m++) hk_put_real(table.place, real, q * (size + 1) + m, dn[m]);
    hk_put_real(table.place, real, q * (size + 1) + size, rule->weight[q]);
  }
  HK_TRY(hk_staged_send(&table));
cleanup:
  hk_staged_close(&table);
  return status;
}

/* Nodes, then the place of the region's parameters; padding repeats the last element. */
static hk_status send_nodes(const hk_operator *op, hk_gauss *s, batch *b)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &op->desc;
  const int width = hk_device_describe(desc->device)->width, nodes = b->block->nodes;
  const int parameters = hk_law_parameters(hk_law_at(false, b->law), desc->space->dim);
  hk_staged node = {0};
  HK_TRY(hk_staged_keep(&s->pool, desc->device, (hk_count)b->padded * (nodes + 1) * 4, &b->node,
                        &node));
  for (hk_index i = 0; i < b->padded; i++) {
    const hk_index e = b->member[i < b->count ? i : b->count - 1];
    hk_index *to = (hk_index *)node.place + (hk_count)(i / width) * (nodes + 1) * width + i % width;
    for (int n = 0; n < nodes; n++)
      to[n * width] = desc->space->node[b->block->node[(hk_count)e * nodes + n]];
    to[nodes * width] = desc->element_region[b->block->first + e] * parameters;
  }
  HK_TRY(hk_staged_send(&node));
cleanup:
  hk_staged_close(&node);
  return status;
}

static hk_status send_places(const hk_operator *op, hk_gauss *s)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  const bool real = op->desc.double_precision;
  const int dim = space->dim;
  hk_staged place = {0};
  HK_TRY(hk_staged_keep(&s->pool, op->desc.device, (hk_count)space->padded * dim * (real ? 8 : 4),
                        &s->place, &place));
  for (hk_index i = 0; i < space->padded; i++)
    for (int c = 0; c < dim && space->mesh_node[i] >= 0; c++)
      hk_put_real(place.place, real, (hk_count)i * dim + c,
                  space->mesh->x[(hk_count)space->mesh_node[i] * dim + c]);
  HK_TRY(hk_staged_send(&place));
cleanup:
  hk_staged_close(&place);
  return status;
}

/* Parameters of the regions that a law serves, up to the last region of the mesh. */
static hk_status send_law(const hk_operator *op, hk_gauss *s, int number)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &op->desc;
  const int dim = desc->space->dim;
  const hk_law *law = hk_law_at(false, number);
  const int size = hk_law_parameters(law, dim);
  double value[HK_MOST_PARAMETERS];
  hk_staged staged = {0};
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  HK_TRY(hk_staged_keep(&s->pool, desc->device,
                        (hk_count)regions * size * (desc->double_precision ? 8 : 4),
                        &s->law[number], &staged));
  for (int r = 0; r < regions; r++) {
    if (!hk_law_serves(law, desc->region + r, dim)) continue;
    law->pack(desc->region + r, dim, 0, value);
    for (int m = 0; m < size; m++)
      hk_put_real(staged.place, desc->double_precision, r * size + m, value[m]);
  }
  HK_TRY(hk_staged_send(&staged));
cleanup:
  hk_staged_close(&staged);
  return status;
}

/* Corners of the nodes: first how many each has, then (list) where they lie. */
static void walk_corners(const hk_operator *op, const hk_gauss *s, hk_index *count,
                         const hk_index *slice, hk_index *list)
{
  const hk_space *space = op->desc.space;
  const int width = hk_device_describe(op->desc.device)->width, dim = space->dim;
  for (int k = 0; k < s->batches; k++) {
    const batch *b = &s->batch[k];
    const int nodes = b->block->nodes;
    for (hk_index i = 0; i < b->count; i++)
      for (int n = 0; n < nodes; n++) {
        const hk_index node = space->node[b->block->node[(hk_count)b->member[i] * nodes + n]];
        const hk_index entry = count[node]++;
        if (list)
          list[((hk_count)slice[node / width] + entry) * width + node % width] =
              b->first + (i / width * nodes + n) * dim * width + i % width;
      }
  }
}

static hk_status send_corners(const hk_operator *op, hk_gauss *s)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  const int width = hk_device_describe(op->desc.device)->width;
  const hk_index slices = space->padded / width;
  const hk_index zero = (hk_index)(s->corners - (hk_count)space->dim * width);
  hk_index *count = NULL;
  hk_staged slice = {0}, list = {0};
  HK_TRY(hk_get(&count, space->padded));
  walk_corners(op, s, count, NULL, NULL);
  HK_TRY(hk_staged_keep(&s->pool, op->desc.device, (slices + 1) * 4LL, &s->slice, &slice));
  HK_TRY(hk_sliced_offsets(count, space->padded, width, slice.place));
  const hk_count entries = (hk_count)((hk_index *)slice.place)[slices] * width;
  HK_TRY(hk_staged_keep(&s->pool, op->desc.device, entries * 4, &s->list, &list));
  for (hk_count k = 0; k < entries; k++) ((hk_index *)list.place)[k] = zero;
  for (hk_index i = 0; i < space->padded; i++) count[i] = 0;
  walk_corners(op, s, count, slice.place, list.place);
  HK_TRY(hk_staged_send(&slice));
  HK_TRY(hk_staged_send(&list));
cleanup:
  hk_free(&count);
  hk_staged_close(&slice);
  hk_staged_close(&list);
  return status;
}

static hk_status check_folded(const hk_mesh *mesh, const batch *b)
{
  const hk_element *element = hk_element_of(b->block->shape);
  const hk_rule *rule = hk_element_rule(element, b->integration);
  hk_index folded = b->count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_index i = 0; i < b->count; i++) {
    double x[3 * HK_LISTED_NODES], g[3 * HK_LISTED_NODES];
    hk_element_gather(mesh, b->block, b->member[i], x);
    for (int q = 0; q < rule->points; q++)
      if (!(hk_element_physical(element, rule->point[q], x, g) > 0) && i < folded) folded = i;
  }
  return folded < b->count ? hk_element_folded(mesh, b->block->first + b->member[folded]) : HK_OK;
}

/* Corners of so many states at once. */
static hk_status make_room(hk_operator *op, hk_gauss *s, int shots)
{
  if (shots <= s->shots) return HK_OK;
  s->shots = 0;
  hk_buffer_destroy(&s->corner);
  HK_PASS(hk_buffer_create(op->desc.device,
                           shots * s->corners * (op->desc.double_precision ? 8 : 4), &s->corner));
  s->shots = shots;
  const hk_count lists =
      hk_buffer_bytes(s->slice) + hk_buffer_bytes(s->list) + hk_buffer_bytes(s->place);
  op->memory = lists + hk_buffer_bytes(s->corner);
  op->bytes = lists + 2 * s->corners * (op->desc.double_precision ? 8 : 4);
  for (int l = 0; l < LAWS; l++) op->memory += hk_buffer_bytes(s->law[l]);
  for (int b = 0; b < s->batches; b++) {
    op->memory += hk_buffer_bytes(s->batch[b].node) + hk_buffer_bytes(s->batch[b].table);
    op->bytes += hk_buffer_bytes(s->batch[b].node);
  }
  return HK_OK;
}

static hk_status make_batch(hk_operator *op, hk_gauss *s, batch *b)
{
  HK_PASS(check_folded(op->desc.space->mesh, b));
  HK_PASS(send_table(op, s, b));
  HK_PASS(send_nodes(op, s, b));
  return hk_kernel_get(&s->pool, op->desc.device,
                       &(hk_kernel_desc){.text = "gauss",
                                         .function = "gauss_forces",
                                         .double_precision = op->desc.double_precision,
                                         .define = {{"DIM", op->desc.space->dim},
                                                    {"ELEMENTS", s->group},
                                                    {"LAW", b->law},
                                                    {"NODES", b->block->nodes}}},
                       &b->forces);
}

hk_status hk_gauss_create(hk_operator *op, hk_gauss **out)
{
  hk_status status = HK_OK;
  hk_gauss *s = NULL;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  HK_TRY(hk_new(&s));
  s->group = hk_kernel_size(info, info->group_threads * info->lanes, HOST_GROUP);
  HK_TRY(divide(op, s));
  for (int b = 0; b < s->batches; b++) HK_TRY(make_batch(op, s, &s->batch[b]));
  for (int l = 0; l < LAWS; l++) HK_TRY(send_law(op, s, l));
  HK_TRY(send_places(op, s));
  HK_TRY(send_corners(op, s));
  HK_TRY(make_room(op, s, 1));
  hk_pool_clear(&s->making);
  op->groups = (op->desc.space->padded + s->group - 1) / s->group;
  *out = s, s = NULL;
cleanup:
  hk_gauss_destroy(&s);
  return status;
}

void hk_gauss_destroy(hk_gauss **gauss)
{
  if (!*gauss) return;
  hk_buffer_destroy(&(*gauss)->corner);
  hk_pool_clear(&(*gauss)->making);
  hk_pool_clear(&(*gauss)->pool);
  hk_free(gauss);
}

hk_status hk_gauss_bind(hk_operator *op, hk_gauss *s, hk_form form, int damped, int shots)
{
  HK_PASS(make_room(op, s, shots));
  if (s->step[form][damped]) return HK_OK;
  return hk_kernel_get(&s->pool, op->desc.device,
                       &(hk_kernel_desc){.text = "scatter",
                                         .function = "scatter_step",
                                         .double_precision = op->desc.double_precision,
                                         .define = {{"DAMPED", damped},
                                                    {"DIM", op->desc.space->dim},
                                                    {"FORM", (int)form},
                                                    {"NODES", s->group}}},
                       &s->step[form][damped]);
}

hk_status hk_gauss_apply(const hk_operator *op, const hk_gauss *s, const hk_epilogue *epilogue)
{
  const hk_space *space = op->desc.space;
  const int shots = epilogue->shots ? epilogue->shots : 1;
  for (int k = 0; k < s->batches; k++) {
    const batch *b = &s->batch[k];
    const int points = hk_element_rule(hk_element_of(b->block->shape), b->integration)->points;
    const hk_argument forces[] = {hk_arg_buffer(b->node),
                                  hk_arg_buffer(s->place),
                                  hk_arg_buffer(b->table),
                                  hk_arg_buffer(s->law[b->law]),
                                  hk_arg_buffer(epilogue->u),
                                  hk_arg_buffer(s->corner),
                                  hk_arg_int(b->first),
                                  hk_arg_int(b->padded),
                                  hk_arg_int(points),
                                  hk_arg_int(shots),
                                  hk_arg_int(space->padded * space->components),
                                  hk_arg_int((int32_t)s->corners)};
    HK_PASS(hk_epilogue_launch(epilogue, b->forces,
                               (hk_groups){0, (b->padded + s->group - 1) / s->group}, forces, 12));
  }
  return hk_epilogue_run(
      op, epilogue, s->step[epilogue->form][epilogue->damped], (hk_groups){0, op->groups},
      HK_ARGUMENTS(s->slice, s->list, s->corner, space->padded, (int32_t)s->corners));
}
