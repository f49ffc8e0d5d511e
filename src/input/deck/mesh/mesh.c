/* From the parts and pieces of a deck to the mesh. Numbers of nodes and elements must differ within a part; node numbers of elements become
 * places in arrays. Pieces follow one another, and the labels of later ones get the greatest labels of those before added. A single piece that
 * is not moved lends its arrays to the mesh, so that a large deck is not held twice. Elements of the dimension of the model are its elements;
 * lower ones are only sets (sides.c). */
#include "element/element.h"
#include "input/deck/mesh/parts.h"
#include <string.h>

static hk_place end_place(const hk_inp *inp)
{
  return (hk_place){inp->path, 0};
}

/* *unique = false, with an error, where a number is given twice. */
static hk_status index_part(hk_inp *inp, hk_inp_part *part, bool *unique)
{
  hk_count repeated = -1;
  HK_PASS(hk_label_map_build(&part->node_of, part->label, part->node_count, &repeated));
  *unique = *unique && repeated < 0;
  if (repeated >= 0)
    hk_inp_error(inp->reader, part->nodes, "node %lld is given twice: remove or renumber one",
                 (long long)part->label[repeated]);
  return hk_inp_index_cells(inp, part, &part->element, unique);
}

/* False if an element has a node that is not defined. */
static bool number_nodes(hk_inp *inp, hk_inp_part *part)
{
  hk_count reported = 0;
  hk_inp_number_nodes(inp, part, &part->element, &reported);
  if (reported > HK_INP_MOST_REPORTED)
    hk_inp_error(inp->reader, end_place(inp),
                 "%lld elements name nodes that are not defined; the first %d are listed",
                 (long long)reported, HK_INP_MOST_REPORTED);
  return !reported;
}

/* The dimension of plane and solid elements: the larger. False, with an error, where those of other
 * kinds are not sides of them. */
static bool find_dimension(hk_inp *inp, int *dim)
{
  const hk_inp_run *wrong = NULL;
  *dim = 0;
  for (hk_count p = 0; p < inp->part.count; p++)
    for (hk_count i = 0; i < inp->part.at[p].run.count; i++) {
      const hk_inp_run *run = &inp->part.at[p].run.at[i];
      const int own = hk_inp_kind_dim((int)run->type->shape);
      if (run->count && run->type->use != HK_INP_SIDE && own > *dim) *dim = own;
    }
  for (hk_count p = 0; p < inp->part.count; p++)
    for (hk_count i = 0; i < inp->part.at[p].run.count && !wrong; i++) {
      const hk_inp_run *run = &inp->part.at[p].run.at[i];
      if (run->count && run->type->use == HK_INP_SIDE &&
          hk_inp_kind_dim((int)run->type->shape) >= *dim)
        wrong = run;
    }
  if (wrong)
    hk_inp_error(inp->reader, wrong->place,
                 "*ELEMENT, TYPE=%s: hooke does not compute trusses, beams, shells and membranes; "
                 "it reads them only on the boundary of plane (T3D2) or solid elements, as sets",
                 wrong->type->name);
  if (!*dim) *dim = 3;
  return !wrong;
}

static int64_t greatest(const int64_t *label, hk_count count)
{
  int64_t most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (hk_count i = 0; i < count; i++) most = label[i] > most ? label[i] : most;
  return most;
}

/* Numbers of the pieces' first nodes and elements, and what is added to their labels: nothing to
 * the first one's, the greatest label so far to the next ones'. */
static hk_status place_pieces(hk_inp *inp, hk_mesh *mesh, hk_count count[HK_SHAPE_COUNT])
{
  int64_t node_top = 0, element_top = 0;
  for (hk_count p = 0; p < inp->piece.count; p++) {
    hk_inp_piece *piece = &inp->piece.at[p];
    const hk_inp_part *part = &inp->part.at[piece->part];
    piece->node_first = mesh->node_count;
    mesh->node_count += part->node_count;
    mesh->element_count += part->element.first[HK_SHAPE_COUNT];
    for (int s = 0; s < HK_SHAPE_COUNT; s++) {
      piece->element_first[s] = count[s]; /* within the shape as yet */
      count[s] += part->element.pile[s].count;
    }
    piece->node_add = node_top, piece->element_add = element_top;
    node_top += greatest(part->label, part->node_count);
    element_top += greatest(part->element.label, part->element.first[HK_SHAPE_COUNT]);
    HK_NEED(mesh->node_count <= INT32_MAX / 4 && mesh->element_count <= INT32_MAX / 4, HK_BAD_INPUT,
            "%s:%lld: the instances have too many nodes or elements", piece->place.file,
            (long long)piece->place.line);
    if (piece->node_add || piece->element_add)
      hk_inp_say(inp->reader, HK_NOTE, piece->place,
                 "*INSTANCE, NAME=%s: %lld is added to its node numbers and %lld to its element "
                 "numbers in results",
                 piece->name, (long long)piece->node_add, (long long)piece->element_add);
  }
  return HK_OK;
}

static hk_status make_blocks(hk_mesh *mesh, const hk_count count[HK_SHAPE_COUNT],
                             hk_count first[HK_SHAPE_COUNT])
{
  hk_count next = 0;
  HK_PASS(hk_get(&mesh->block, HK_SHAPE_COUNT));
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    first[s] = next;
    next += count[s];
    if (count[s])
      mesh->block[mesh->block_count++] = (hk_block){.shape = (hk_shape)s,
                                                    .nodes = hk_element_of((hk_shape)s)->nodes,
                                                    .first = first[s],
                                                    .count = count[s]};
  }
  return HK_OK;
}

void hk_inp_place_point(const hk_inp_piece *piece, const double x[3], double to[3])
{
  double arm[3];
  for (int d = 0; d < 3; d++) arm[d] = x[d] + piece->shift[d] - piece->about[d];
  for (int d = 0; d < 3; d++) {
    to[d] = piece->about[d];
    for (int i = 0; i < 3; i++) to[d] += piece->axes[i][d] * arm[i];
  }
}

/* The only piece that has nodes, not moved: its arrays become the mesh's. -1: there is none. */
static int only_piece(const hk_inp *inp)
{
  int only = -1;
  for (int p = 0; p < (int)inp->piece.count; p++) {
    if (!hk_inp_part_of(inp, p)->node_count) continue;
    if (only >= 0) return -1;
    only = p;
  }
  for (int d = 0; only >= 0 && d < 3; d++)
    if (inp->piece.at[only].shift[d] != 0 || inp->piece.at[only].axes[d][d] != 1) return -1;
  return only;
}

/* Leaves the part without coordinates and nodes of elements. Its labels are needed for sets: the
 * mesh borrows them until those are made. */
static hk_status move_piece(hk_inp_part *part, hk_mesh *mesh)
{
  for (hk_count i = 0; mesh->dim == 2 && i < part->node_count; i++)
    part->x[2 * i] = part->x[3 * i], part->x[2 * i + 1] = part->x[3 * i + 1];
  if (part->x_room > mesh->dim * part->node_count)
    HK_PASS(hk_resize(&part->x, mesh->dim * part->node_count));
  mesh->x = part->x, part->x = NULL;
  for (int b = 0; b < mesh->block_count; b++) {
    hk_inp_pile *pile = &part->element.pile[mesh->block[b].shape];
    if (pile->node_room > mesh->block[b].nodes * pile->count)
      HK_PASS(hk_resize(&pile->node, mesh->block[b].nodes * pile->count));
    mesh->block[b].node = pile->node, pile->node = NULL;
  }
  if (part->label_room > part->node_count) HK_PASS(hk_resize(&part->label, part->node_count));
  HK_PASS(hk_resize(&part->element.label, mesh->element_count));
  mesh->node_label = part->label, mesh->element_label = part->element.label;
  return HK_OK;
}

static hk_status copy_pieces(hk_inp *inp, hk_mesh *mesh)
{
  HK_PASS(hk_get(&mesh->x, mesh->node_count * mesh->dim));
  for (int b = 0; b < mesh->block_count; b++)
    HK_PASS(hk_get(&mesh->block[b].node, mesh->block[b].count * mesh->block[b].nodes));
  for (hk_count p = 0; p < inp->piece.count; p++) {
    const hk_inp_piece *piece = &inp->piece.at[p];
    const hk_inp_part *part = &inp->part.at[piece->part];
    for (hk_count i = 0; i < part->node_count; i++) {
      double x[3];
      hk_inp_place_point(piece, part->x + 3 * i, x);
      memcpy(mesh->x + (piece->node_first + i) * mesh->dim, x, (size_t)mesh->dim * sizeof *x);
    }
    for (int b = 0; b < mesh->block_count; b++) {
      const hk_block *block = &mesh->block[b];
      const hk_inp_pile *pile = &part->element.pile[block->shape];
      hk_index *to =
          block->node + (piece->element_first[block->shape] - block->first) * block->nodes;
      for (hk_count i = 0; i < pile->count * block->nodes; i++)
        to[i] = pile->node[i] + (hk_index)piece->node_first;
    }
  }
  return HK_OK;
}

static hk_status copy_labels(const hk_inp *inp, hk_mesh *mesh)
{
  HK_PASS(hk_get(&mesh->node_label, mesh->node_count));
  HK_PASS(hk_get(&mesh->element_label, mesh->element_count));
  for (hk_count p = 0; p < inp->piece.count; p++) {
    const hk_inp_piece *piece = &inp->piece.at[p];
    const hk_inp_part *part = &inp->part.at[piece->part];
    for (hk_count i = 0; i < part->node_count; i++)
      mesh->node_label[piece->node_first + i] = part->label[i] + piece->node_add;
    for (int s = 0; s < HK_SHAPE_COUNT; s++)
      for (hk_count e = 0; e < part->element.first[s + 1] - part->element.first[s]; e++)
        mesh->element_label[piece->element_first[s] + e] =
            part->element.label[part->element.first[s] + e] + piece->element_add;
  }
  return HK_OK;
}

static hk_status list_groups(hk_inp *inp)
{
  hk_count count = 0;
  for (hk_count p = 0; p < inp->piece.count; p++) count += hk_inp_part_of(inp, p)->run.count;
  HK_PASS(hk_pool_get(&inp->pool, &inp->group.at, count));
  for (hk_count p = 0; p < inp->piece.count; p++) {
    const hk_inp_part *part = hk_inp_part_of(inp, p);
    for (hk_count i = 0; i < part->run.count; i++) {
      const hk_inp_run *run = &part->run.at[i];
      if (inp->sides.is[run->type->shape]) continue;
      inp->group.at[inp->group.count++] =
          (hk_inp_group){run->type, run->place,
                         inp->piece.at[p].element_first[run->type->shape] + run->first, run->count};
    }
  }
  return HK_OK;
}

static void warn_of_depth(hk_inp *inp)
{
  for (hk_count p = 0; p < inp->part.count; p++) {
    const hk_inp_part *part = &inp->part.at[p];
    for (hk_count i = 0; i < part->node_count; i++)
      if (part->x[3 * i + 2] != 0) {
        hk_inp_say(inp->reader, HK_WARNING, part->nodes,
                   "node %lld has z = %g: plane elements lie in the plane of x and y, and z is not "
                   "used",
                   (long long)part->label[i], part->x[3 * i + 2]);
        return;
      }
  }
}

/* What is told apart after hk_mesh_finish: elements of plane meshes that it turned. */
static hk_status keep_second_nodes(hk_inp *inp, const hk_mesh *mesh)
{
  if (mesh->dim != 2) return HK_OK;
  HK_PASS(hk_pool_get(&inp->pool, &inp->second, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) inp->second[e] = hk_mesh_nodes_of(mesh, e)[1];
  return HK_OK;
}

static hk_status build(hk_inp *inp, int dim, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_count count[HK_SHAPE_COUNT] = {0}, first[HK_SHAPE_COUNT];
  const int only = only_piece(inp);
  hk_inp_part *lender = only >= 0 ? hk_inp_part_of(inp, only) : NULL;
  HK_TRY(hk_mesh_begin(dim, &mesh));
  HK_TRY(place_pieces(inp, mesh, count));
  HK_TRY(make_blocks(mesh, count, first));
  for (hk_count p = 0; p < inp->piece.count; p++)
    for (int s = 0; s < HK_SHAPE_COUNT; s++) inp->piece.at[p].element_first[s] += first[s];
  if (dim == 2) warn_of_depth(inp);
  HK_TRY(lender ? move_piece(lender, mesh) : copy_pieces(inp, mesh));
  if (!lender) HK_TRY(copy_labels(inp, mesh));
  HK_TRY(list_groups(inp));
  HK_TRY(hk_inp_make_side_sets(inp, mesh));
  HK_TRY(hk_inp_make_sets(inp, mesh));
  HK_TRY(keep_second_nodes(inp, mesh));
  if (lender) lender->label = NULL, lender->element.label = NULL;
  *out = mesh, mesh = NULL;
cleanup:
  if (mesh && lender) mesh->node_label = NULL, mesh->element_label = NULL;
  hk_mesh_destroy(&mesh);
  return status;
}

static void check_blocks_ended(hk_inp *inp)
{
  if (inp->inside != HK_INP_HEADING)
    hk_inp_error(inp->reader, inp->inside_place, "this is not ended: *END %s is missing",
                 inp->inside == HK_INP_PART       ? "PART"
                 : inp->inside == HK_INP_ASSEMBLY ? "ASSEMBLY"
                                                  : "INSTANCE");
}

/* False where there is nothing to make a mesh of. */
static bool check_counts(hk_inp *inp)
{
  hk_count nodes = 0, elements = 0;
  for (hk_count p = 0; p < inp->piece.count; p++) {
    nodes += hk_inp_part_of(inp, p)->node_count;
    elements += hk_inp_part_of(inp, p)->element.first[HK_SHAPE_COUNT];
  }
  if (!nodes || (!elements && !hk_inp_errors(inp->reader)))
    hk_inp_error(inp->reader, end_place(inp), "there are no %s%s", nodes ? "elements" : "nodes",
                 inp->part.count > 1 && inp->piece.count == 1 ? ": no *INSTANCE uses a *PART" : "");
  return nodes && elements;
}

hk_status hk_inp_finish(hk_inp *inp, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  bool whole = true, unique = true;
  int dim;
  *out = NULL;
  check_blocks_ended(inp);
  const bool right = find_dimension(inp, &dim);
  hk_inp_set_sides_apart(inp, dim);
  for (hk_count p = 0; p < inp->part.count; p++) HK_TRY(index_part(inp, &inp->part.at[p], &unique));
  for (hk_count p = 0; p < inp->part.count; p++) whole &= number_nodes(inp, &inp->part.at[p]);
  HK_TRY(hk_inp_number_sides(inp, &whole));
  whole &= !right || check_counts(inp);
  if (!right || !whole) goto cleanup; /* no mesh can be made */
  HK_TRY(build(inp, dim, &mesh));
  const hk_status finished = hk_mesh_finish(mesh, inp->path, unique ? inp->list : NULL);
  if (finished == HK_BAD_INPUT && unique)
    hk_inp_count_error(inp->reader);
  else if (finished != HK_BAD_INPUT)
    HK_TRY(finished);
  inp->mesh = mesh;
  *out = mesh, mesh = NULL;
cleanup:
  hk_mesh_destroy(&mesh);
  return status;
}
