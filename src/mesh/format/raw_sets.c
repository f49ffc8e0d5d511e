/* Groups of cells of a raw mesh become sets of the mesh. A group of the mesh's dimension gives a set of elements; one of a dimension less
 * gives a set of nodes and one of faces, which are found by their corners (face_match.c); lower ones give nodes. Of a face between two
 * elements the side is taken whose outward normal is that of the group's cell. Groups are found by runs of cells of one entity, as a file
 * lists them. */
#include "mesh/format/face_match.h"
#include "mesh/format/raw_mesh.h"

/* The faces of all cells of a dimension less than the mesh's that are in groups. */
static hk_status match_faces(const hk_raw_mesh *raw, hk_face_match *m)
{
  hk_count faces = 0;
  for (hk_count r = 0; r < raw->run.count; r++)
    if (hk_cell_type_of(raw->run.at[r].kind)->dim == m->mesh->dim - 1)
      faces += raw->run.at[r].count;
  if (!faces) return HK_OK;
  HK_PASS(hk_face_match_begin(m, m->mesh, faces));
  for (hk_count r = 0; r < raw->run.count; r++) {
    const hk_raw_run *run = &raw->run.at[r];
    const hk_cell_type *type = hk_cell_type_of(run->kind);
    if (type->dim != m->mesh->dim - 1 || run->entity < 0 || !raw->entity.at[run->entity].groups)
      continue;
    for (hk_count c = run->first; c < run->first + run->count; c++)
      HK_PASS(hk_face_match_add(m, raw->pile[run->kind].node + c * type->nodes, type->corners));
  }
  hk_face_match_elements(m);
  return HK_OK;
}

typedef struct group_runs { /* runs of group g: run[begin[g]..begin[g + 1]) */
  hk_count *begin;
  hk_index *run;
} group_runs;

static hk_status list_runs(const hk_raw_mesh *raw, hk_pool *pool, group_runs *of)
{
  HK_PASS(hk_pool_get(pool, &of->begin, raw->group.count + 2));
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      for (hk_count g = 0; g < raw->group.count; g++) of->begin[g + 2] += of->begin[g + 1];
      HK_PASS(hk_pool_get(pool, &of->run, of->begin[raw->group.count + 1]));
    }
    for (hk_count r = 0; r < raw->run.count; r++) {
      if (raw->run.at[r].entity < 0) continue;
      const hk_raw_entity *entity = &raw->entity.at[raw->run.at[r].entity];
      for (hk_index i = 0; i < entity->groups; i++) {
        if (pass)
          of->run[of->begin[entity->group[i] + 1]++] = (hk_index)r;
        else
          of->begin[entity->group[i] + 2]++;
      }
    }
  }
  return HK_OK;
}

typedef struct set_maker {
  hk_raw_mesh *raw;
  hk_mesh *mesh;
  hk_pool pool; /* holds runs and stamp */
  const hk_count *first;
  hk_index *const *number;
  hk_face_match match;
  group_runs runs;
  hk_index *stamp; /* stamp[node] = last group + 1 that took it */
} set_maker;

static hk_status add_element_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  hk_count count = 0;
  HK_TRY(hk_get(&item, s->raw->group.at[g].cells));
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run.at[s->runs.run[i]];
    const hk_index *number = s->number[run->kind];
    for (hk_count c = run->first; c < run->first + run->count; c++)
      item[count++] = (hk_index)(s->first[run->kind] + (number ? number[c] : c));
  }
  HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group.at[g].name, HK_ELEMENT_SET, count, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

static hk_status add_node_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  hk_count count = 0, room = 0;
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run.at[s->runs.run[i]];
    const int nodes = hk_cell_type_of(run->kind)->nodes;
    const hk_index *node = s->raw->pile[run->kind].node + run->first * nodes;
    for (hk_count k = 0; k < run->count * nodes; k++) {
      if (s->stamp[node[k]] == g + 1) continue;
      s->stamp[node[k]] = (hk_index)g + 1;
      HK_TRY(hk_reserve(&item, count + 1, &room));
      item[count++] = node[k];
    }
  }
  HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group.at[g].name, HK_NODE_SET, count, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

static void report_faces(const set_maker *s, hk_count g, hk_count lost, hk_count inside)
{
  const hk_raw_group *group = &s->raw->group.at[g];
  const char *what = s->mesh->dim == 3 ? "faces" : "edges";
  if (lost)
    hk_messages_add(
        s->raw->list, HK_WARNING, s->raw->path, 0, 0,
        "group \"%s\": %lld of its %lld %s belong to no element: the face set leaves them out%s",
        group->name, (long long)lost, (long long)group->cells, what,
        lost == group->cells ? ", and is empty; the node set is read" : "");
  if (inside)
    hk_messages_add(
        s->raw->list, HK_NOTE, s->raw->path, 0, 0,
        "group \"%s\": %lld of its %s lie between two elements: the set takes the side %s",
        group->name, (long long)inside, what,
        s->mesh->dim == 3 ? "whose outward normal is that of the group's face"
                          : "to the left of the group's edge");
}

static hk_status add_face_set(set_maker *s, hk_count g)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count count = 0, lost = 0, inside = 0;
  HK_TRY(hk_get(&item, s->raw->group.at[g].cells));
  HK_TRY(hk_get(&face, s->raw->group.at[g].cells));
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++) {
    const hk_raw_run *run = &s->raw->run.at[s->runs.run[i]];
    const hk_cell_type *type = hk_cell_type_of(run->kind);
    for (hk_count c = run->first; c < run->first + run->count; c++) {
      hk_matched_face of;
      hk_face_match_find(&s->match, s->raw->pile[run->kind].node + c * type->nodes, type->corners,
                         &of);
      inside += of.inside;
      lost += of.element < 0;
      if (of.element < 0) continue;
      item[count] = of.element, face[count++] = of.face;
    }
  }
  report_faces(s, g, lost, inside);
  if (count)
    HK_TRY(hk_mesh_add_set(s->mesh, s->raw->group.at[g].name, HK_FACE_SET, count, &item, &face));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

static hk_status add_group(set_maker *s, hk_count g)
{
  hk_raw_group *group = &s->raw->group.at[g];
  for (hk_count i = s->runs.begin[g]; i < s->runs.begin[g + 1]; i++)
    group->cells += s->raw->run.at[s->runs.run[i]].count;
  if (!group->cells) {
    if (group->named)
      hk_messages_add(s->raw->list, HK_WARNING, s->raw->path, 0, 0,
                      "group \"%s\" of dimension %d has no elements: it becomes no set",
                      group->name, group->dim);
    return HK_OK;
  }
  if (group->dim == s->mesh->dim) {
    HK_PASS(add_element_set(s, g));
  } else {
    HK_PASS(add_node_set(s, g));
    if (group->dim == s->mesh->dim - 1) HK_PASS(add_face_set(s, g));
  }
  return HK_OK;
}

hk_status hk_raw_mesh_add_sets(hk_raw_mesh *raw, hk_mesh *mesh, const hk_count *first,
                               hk_index *const *number)
{
  hk_status status = HK_OK;
  set_maker s = {
      .raw = raw, .mesh = mesh, .first = first, .number = number, .match = {.mesh = mesh}};
  if (!raw->group.count) return HK_OK;
  HK_TRY(list_runs(raw, &s.pool, &s.runs));
  HK_TRY(match_faces(raw, &s.match));
  HK_TRY(hk_pool_get(&s.pool, &s.stamp, mesh->node_count));
  for (hk_count g = 0; g < raw->group.count; g++) HK_TRY(add_group(&s, g));
cleanup:
  hk_face_match_free(&s.match);
  hk_pool_clear(&s.pool);
  return status;
}
