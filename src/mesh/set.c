/* Sets of a mesh: adds members, sorts them and removes repetitions, and finds a set by name.
 * A member has the key item * 8 + face, so face sets sort by element and then by face. A name
 * matches exactly, or else without regard to case. */
#include "mesh/mesh.h"
#include "base/sort.h"
#include <string.h>

enum { FACES = 8 }; /* keys of faces: element * FACES + face */

static uint64_t key_of(const hk_set *set, hk_count i)
{
  return (uint64_t)set->item[i] * FACES + (set->face ? set->face[i] : 0);
}

/* Whether members [from, to) follow the one before them. */
static bool ascends(const hk_set *set, hk_count from, hk_count to)
{
  for (hk_count i = from; i < to; i++)
    if (key_of(set, i - 1) >= key_of(set, i)) return false;
  return true;
}

static bool strictly_ascending(const hk_set *set)
{
  enum { RUN = 1 << 14 };
  const hk_count runs = set->count / RUN;
  bool all = ascends(set, 1, set->count < RUN ? set->count : RUN); /* seen at once in most */
#pragma omp parallel for schedule(static) reduction(&& : all) if (all)
  for (hk_count r = 1; r <= runs; r++)
    all = all && ascends(set, r * RUN, r < runs ? (r + 1) * RUN : set->count);
  return all;
}

/* Ascending and unique; in place. */
static hk_status order_members(hk_set *set)
{
  hk_status status = HK_OK;
  uint64_t *key = NULL;
  hk_count kept = 0;

  if (strictly_ascending(set)) return HK_OK;
  HK_TRY(hk_get(&key, set->count));
  for (hk_count i = 0; i < set->count; i++) key[i] = key_of(set, i);
  HK_TRY(hk_mesh_sort(set->count, key, NULL));
  for (hk_count i = 0; i < set->count; i++) {
    if (i && key[i] == key[i - 1]) continue;
    set->item[kept] = (hk_index)(key[i] / FACES);
    if (set->face) set->face[kept] = (uint8_t)(key[i] % FACES);
    kept++;
  }
  set->count = kept;
cleanup:
  hk_free(&key);
  return status;
}

hk_status hk_mesh_order_sets(hk_mesh *mesh)
{
  for (int s = 0; s < mesh->set_count; s++) HK_PASS(order_members(&mesh->set[s]));
  return HK_OK;
}

/* `set` becomes the union of itself and `more`, both ordered. */
static hk_status join(hk_set *set, const hk_set *more)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count i = 0, k = 0, count = 0;

  HK_TRY(hk_get(&item, set->count + more->count));
  if (set->face) HK_TRY(hk_get(&face, set->count + more->count));
  while (i < set->count || k < more->count) {
    const uint64_t a = i < set->count ? key_of(set, i) : UINT64_MAX;
    const uint64_t b = k < more->count ? key_of(more, k) : UINT64_MAX;
    const uint64_t least = a < b ? a : b;
    item[count] = (hk_index)(least / FACES);
    if (face) face[count] = (uint8_t)(least % FACES);
    count++;
    i += a == least;
    k += b == least;
  }
  hk_free(&set->item);
  hk_free(&set->face);
  set->item = item, item = NULL;
  set->face = face, face = NULL;
  set->count = count;
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

static hk_set *exact_set(const hk_mesh *mesh, const char *name, hk_set_kind kind)
{
  for (int s = 0; s < mesh->set_count; s++)
    if (mesh->set[s].kind == kind && strcmp(mesh->set[s].name, name) == 0) return &mesh->set[s];
  return NULL;
}

/* Adds the set at the end; room grows to the next power of two. */
static hk_status append(hk_mesh *mesh, const char *name, hk_set set)
{
  const int count = mesh->set_count;
  if ((count & (count - 1)) == 0) HK_PASS(hk_resize(&mesh->set, count ? 2 * count : 1));
  HK_PASS(hk_copy_text(&set.name, name));
  mesh->set[mesh->set_count++] = set;
  return HK_OK;
}

hk_status hk_mesh_add_set(hk_mesh *mesh, const char *name, hk_set_kind kind, hk_count count,
                          hk_index **item, uint8_t **face)
{
  hk_set set = {.kind = kind, .count = count, .item = *item, .face = face ? *face : NULL};
  hk_set *old = exact_set(mesh, name, kind);

  HK_NEED((kind == HK_FACE_SET) == (set.face != NULL), HK_INTERNAL,
          "set %s: face sets, and only they, contain faces", name);
  HK_PASS(order_members(&set));
  HK_PASS(old ? join(old, &set) : append(mesh, name, set));
  if (old) hk_free(item);
  if (old && face) hk_free(face);
  *item = NULL;
  if (face) *face = NULL;
  return HK_OK;
}

hk_status hk_mesh_add_range(hk_mesh *mesh, const char *name, hk_count first, hk_count count)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  HK_TRY(hk_get(&item, count));
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k < count; k++) item[k] = (hk_index)(first + k);
  HK_TRY(hk_mesh_add_set(mesh, name, HK_ELEMENT_SET, count, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

const hk_set *hk_mesh_find_set(const hk_mesh *mesh, const char *name, hk_set_kind kind)
{
  const hk_set *set = exact_set(mesh, name, kind);
  for (int s = 0; !set && s < mesh->set_count; s++)
    if (mesh->set[s].kind == kind && hk_same_text(mesh->set[s].name, name)) set = &mesh->set[s];
  return set;
}
