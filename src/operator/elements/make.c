/* The form `elements`, made on its device. Elements of one shape are a batch, those whose matrices give no force for translations a batch of their
 * own, which stores less. Within a batch elements are sorted by their lowest node. The kernels of assembly integrate a part of a batch at a time
 * (E.3), (E.5), and packing.k.h writes the matrices in the order in which the product reads them. The lists of each node's corners, sliced by
 * WIDTH, say where the sums over elements take their numbers. */
#include "operator/assembly/parts.h"
#include "operator/element/element_of.h"
#include "operator/elements/parts.h"
#include "operator/staged.h"

enum { CHUNK = 128 };

typedef struct making {
  const hk_operator_desc *desc;
  hk_elements *s;
  hk_assembly *a;
  bool whole;            /* K is not symmetric */
  hk_buffer *batch_of;   /* of elements; NULL: there is one batch */
  hk_neighbours *sorted; /* around: the order of elements */
  hk_buffer *spot;       /* corner of the first node of each */
  hk_pool pool;          /* spot, lists on the way, and the kernels that ran */
} making;

/* A kernel of packing.k.h, or of sparse.k.h: an item for each of `count`. */
static hk_status make_kernel(making *m, const char *text, const char *function, bool real,
                             hk_kernel **out)
{
  hk_kernel_desc desc = {
      .text = text, .function = function, .double_precision = real, .define = {{"CHUNK", CHUNK}}};
  if (hk_same_text(text, "sparse")) hk_kernel_define(&desc, "ROWS", 1);
  return hk_kernel_get(&m->pool, m->desc->device, &desc, out);
}

static hk_count groups_of(hk_count count)
{
  return (count + CHUNK - 1) / CHUNK;
}

static int batch_for(hk_elements *s, const hk_element *element, bool differences, bool whole)
{
  int b = 0;
  while (b < s->batches &&
         (s->batch[b].element != element || s->batch[b].differences != differences))
    b++;
  if (b == s->batches)
    s->batch[s->batches++] = (hk_element_batch){
        .element = element, .differences = differences, .whole = whole && !differences};
  return b;
}

/* batch_of[e] of the elements of a block: first whether they have differences, then their batches. */
static void divide_block(making *m, const hk_block *block, int32_t *batch_of)
{
  hk_elements *s = m->s;
  const hk_element *element = hk_element_of(block->shape);
  hk_count even = 0;
#pragma omp parallel for schedule(static) reduction(+ : even)
  for (hk_count e = block->first; e < block->first + block->count; e++) {
    batch_of[e] = hk_operator_translates(m->desc, e);
    even += batch_of[e];
  }
  const int of[2] = {even < block->count ? batch_for(s, element, false, m->whole) : 0,
                     even ? batch_for(s, element, true, m->whole) : 0};
  if (even) s->batch[of[1]].count += (hk_index)even;
  if (even < block->count) s->batch[of[0]].count += (hk_index)(block->count - even);
#pragma omp parallel for schedule(static)
  for (hk_count e = block->first; e < block->first + block->count; e++)
    batch_of[e] = of[batch_of[e]];
}

/* Places of the batches: in the order of elements, and of their corners. */
static hk_status place_batches(making *m)
{
  hk_elements *s = m->s;
  const int components = m->desc->space->components,
            width = hk_device_describe(m->desc->device)->width;
  hk_index from = 0, end;
  for (int b = 0; b < s->batches; b++) {
    hk_element_batch *own = &s->batch[b];
    own->from = from, from += own->count;
    own->padded = (own->count + width - 1) / width * width;
    own->first = (hk_index)s->corners;
    s->corners += (hk_count)own->padded * own->element->nodes * components;
    HK_PASS(hk_narrow(s->corners, "values at the corners of elements", &end));
  }
  s->corners += (hk_count)components * width; /* of padding: 0 */
  return hk_narrow(s->corners, "values at the corners of elements", &end);
}

static hk_status divide(making *m)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = m->desc->space->mesh;
  hk_staged batch_of = {0};
  HK_TRY(hk_staged_open(m->desc->device, mesh->element_count * 4, &m->batch_of, &batch_of));
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].count) divide_block(m, &mesh->block[b], batch_of.place);
  if (m->s->batches > 1)
    HK_TRY(hk_staged_send(&batch_of));
  else
    hk_buffer_destroy(&m->batch_of);
  HK_TRY(place_batches(m));
cleanup:
  hk_staged_close(&batch_of);
  return status;
}

/* m->sorted->around: batch by batch, in each by the lowest of their nodes, so that elements lie as nodes do. */
static hk_status sort(making *m)
{
  hk_status status = HK_OK;
  const hk_neighbours *n = m->a->neighbours;
  hk_buffer *key = NULL;
  hk_kernel *kernel;
  hk_index keys;
  HK_TRY(hk_narrow((hk_count)m->s->batches * n->nodes, "nodes of batches of elements", &keys));
  HK_TRY(hk_buffer_create(m->desc->device, n->elements * 4LL, &key));
  HK_TRY(make_kernel(m, "packing", "packing_key", false, &kernel));
  HK_TRY(
      hk_kernel_launch(kernel, 0, groups_of(n->elements),
                       HK_ARGUMENTS(n->node, m->batch_of, key, n->elements, n->stride, n->nodes)));
  HK_TRY(hk_neighbours_create(&(hk_neighbours_desc){.device = m->desc->device,
                                                    .nodes = keys,
                                                    .elements = n->elements,
                                                    .stride = 1,
                                                    .taken = &key,
                                                    .elements_only = true},
                              &m->sorted));
cleanup:
  hk_buffer_destroy(&key);
  return status;
}

static hk_status pack_nodes(making *m, hk_element_batch *b)
{
  const hk_neighbours *n = m->a->neighbours;
  const int nodes = b->element->nodes;
  hk_kernel *kernel;
  HK_PASS(hk_buffer_get(&m->s->pool, m->desc->device, (hk_count)b->padded * nodes * 4, &b->node));
  HK_PASS(make_kernel(m, "packing", "packing_nodes", false, &kernel));
  return hk_kernel_launch(kernel, 0, groups_of(b->padded),
                          HK_ARGUMENTS(n->node, m->sorted->around, b->node, m->spot, b->first,
                                       b->from, b->count, b->padded, nodes, n->stride,
                                       m->desc->space->components));
}

/* A part at a time, as many as the scratch of assembly holds. */
static hk_status pack_matrices(making *m, hk_element_batch *b)
{
  const hk_assembly *a = m->a;
  const bool real = m->desc->double_precision;
  const int components = m->desc->space->components, nodes = b->element->nodes,
            packed = hk_elements_packed(nodes, components, b->differences, b->whole);
  hk_kernel *kernel;
  HK_PASS(hk_buffer_get(&m->s->pool, m->desc->device, (hk_count)b->padded * packed * (real ? 8 : 4),
                        &b->matrix));
  HK_PASS(make_kernel(m, "packing", "packing_matrices", real, &kernel));
  for (hk_index begin = 0, end; begin < b->count; begin = end) {
    end = b->count - begin < a->listed ? b->count : begin + a->listed;
    HK_PASS(hk_assembly_integrate(m->a, m->sorted->around, b->from + begin, end - begin));
    HK_PASS(
        hk_kernel_launch(kernel, 0, groups_of(end - begin),
                         HK_ARGUMENTS(m->sorted->around, a->sent.given_of, a->matrix, a->sent.given,
                                      b->matrix, b->from, begin, end, a->size, nodes * components,
                                      b->differences ? components : 0, b->whole)));
  }
  return HK_OK;
}

static hk_status list_corners(making *m)
{
  hk_elements *s = m->s;
  hk_device *device = m->desc->device;
  const hk_neighbours *n = m->a->neighbours;
  const int width = hk_device_describe(device)->width, components = m->desc->space->components;
  const hk_index slices = n->nodes / width;
  hk_buffer *count, *sum;
  hk_kernel *kernel;
  hk_count entries;
  hk_index last;
  HK_PASS(hk_buffer_get(&m->pool, device, slices * 4LL, &count));
  HK_PASS(hk_buffer_get(&m->pool, device, (slices + 1) * 8LL, &sum));
  HK_PASS(hk_buffer_get(&s->pool, device, (slices + 1) * 4LL, &s->slice));
  HK_PASS(make_kernel(m, "sparse", "sparse_slices", false, &kernel));
  HK_PASS(hk_kernel_launch(kernel, 0, groups_of(slices),
                           HK_ARGUMENTS(n->around_begin, count, n->nodes, slices)));
  HK_PASS(hk_scan_run(n->scan, count, sum, slices, &entries, NULL));
  HK_PASS(hk_narrow(entries, "list entries per lane", &last));
  HK_PASS(make_kernel(m, "sparse", "sparse_narrow", false, &kernel));
  HK_PASS(
      hk_kernel_launch(kernel, 0, groups_of(slices + 1), HK_ARGUMENTS(sum, s->slice, slices + 1)));
  HK_PASS(hk_buffer_get(&s->pool, device, entries * width * 4, &s->list));
  HK_PASS(make_kernel(m, "packing", "packing_corners", false, &kernel));
  HK_PASS(hk_kernel_launch(kernel, 0, groups_of(n->nodes),
                           HK_ARGUMENTS(n->around_begin, n->around, n->place, m->spot, s->slice,
                                        s->list, n->nodes, components,
                                        (int32_t)(s->corners - (hk_count)components * width))));
  HK_PASS(hk_device_finish(device)); /* before the kernels go */
  return HK_OK;
}

hk_status hk_elements_make(const hk_operator *op, hk_elements *elements)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &op->desc;
  making m = {.desc = desc, .s = elements, .whole = op->unsymmetric};
  hk_assembly_desc assembly = {.on = *desc, .format = HK_FORMAT_ELEMENTS};
  assembly.on.terms = hk_terms_of_elements(&desc->terms);
  HK_TRY(hk_assembly_create(&assembly, &m.a));
  HK_TRY(divide(&m));
  HK_TRY(sort(&m));
  HK_TRY(hk_buffer_get(&m.pool, desc->device, m.a->neighbours->elements * 4LL, &m.spot));
  for (int b = 0; b < elements->batches; b++) {
    HK_TRY(pack_nodes(&m, &elements->batch[b]));
    HK_TRY(pack_matrices(&m, &elements->batch[b]));
  }
  HK_TRY(list_corners(&m));
  HK_TRY(hk_assembly_check(m.a));
cleanup:
  hk_neighbours_destroy(&m.sorted);
  hk_assembly_destroy(&m.a);
  hk_buffer_destroy(&m.batch_of);
  hk_pool_clear(&m.pool);
  return status;
}
