/* A mesh as an Abaqus deck, which CalculiX reads too: *NODE, *ELEMENT by type, *NSET, *ELSET, and *SURFACE, TYPE=ELEMENT with faces S1 to S6.
 * Labels are the mesh's own. A line holds at most 16 numbers. A number has at most 20 characters, as both programs drop the rest. Names with
 * blanks or commas stand in quotation marks. What a deck cannot hold is refused before the file is begun. */
#include <string.h>
#include "mesh/format/cell_type.h"
#include "mesh/format/format.h"

static hk_status check_names(const hk_mesh *mesh, const char *path)
{
  for (int s = 0; s < mesh->set_count; s++)
    if (strpbrk(mesh->set[s].name, "\"\r\n"))
      return hk_error_set(HK_USAGE,
                          "%s: the set name '%s' has a quotation mark or a line end in it, which "
                          ".inp cannot hold: rename the set",
                          path, mesh->set[s].name);
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_cell_type_of((int)mesh->block[b].shape)->abaqus)
      return hk_error_set(HK_USAGE,
                          "%s: %s elements have no type in .inp: write .msh, .vtu or .vtkhdf", path,
                          hk_shape_name(mesh->block[b].shape));
  return HK_OK;
}

enum { MOST_NUMBER = 2147483646 }; /* of a node or element that a deck can hold */

static hk_status check_numbers(const hk_mesh *mesh, const char *path)
{
  int64_t most = 0;
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (hk_mesh_node_label(mesh, n) > most) most = hk_mesh_node_label(mesh, n);
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (hk_mesh_element_label(mesh, e) > most) most = hk_mesh_element_label(mesh, e);
  if (most <= MOST_NUMBER) return HK_OK;
  return hk_error_set(HK_USAGE,
                      "%s: number %lld of a node or element is above %d, the most that .inp holds: "
                      "write .msh, .vtu or .vtkhdf",
                      path, (long long)most, MOST_NUMBER);
}

/* Abaqus and CalculiX read 20 characters of a number and drop the rest, the end of its exponent too. */
enum { MOST_CHARACTERS = 20 };

static void write_nodes(const hk_mesh *mesh, hk_out *out)
{
  hk_out_text(out, "*NODE\n");
  for (hk_count n = 0; n < mesh->node_count; n++) {
    hk_out_integer(out, hk_mesh_node_label(mesh, n));
    for (int d = 0; d < mesh->dim; d++) {
      hk_out_text(out, ", ");
      hk_out_number_within(out, MOST_CHARACTERS, mesh->x[n * mesh->dim + d]);
    }
    hk_out_text(out, "\n");
  }
}

/* At most 16 numbers stand on a line; a comma at the end continues it. */
static void write_block(const hk_mesh *mesh, const hk_block *block, hk_out *out)
{
  hk_out_text(out, "*ELEMENT, TYPE=%s\n", hk_cell_type_of((int)block->shape)->abaqus);
  for (hk_count i = 0; i < block->count; i++) {
    hk_out_integer(out, hk_mesh_element_label(mesh, block->first + i));
    for (int n = 0; n < block->nodes; n++) {
      hk_out_text(out, n == 15 ? ",\n" : ", ");
      hk_out_integer(out, hk_mesh_node_label(mesh, block->node[i * block->nodes + n]));
    }
    hk_out_text(out, "\n");
  }
}

/* Names with blanks or commas stand between quotation marks. */
static void write_name(const char *name, hk_out *out)
{
  const bool plain = !strpbrk(name, " ,=*\t");
  hk_out_text(out, plain ? "%s" : "\"%s\"", name);
}

static void write_set(const hk_mesh *mesh, const hk_set *set, hk_out *out)
{
  static const char *const head[] = {
      [HK_NODE_SET] = "*NSET, NSET=",
      [HK_ELEMENT_SET] = "*ELSET, ELSET=",
      [HK_FACE_SET] = "*SURFACE, TYPE=ELEMENT, NAME=",
  };
  hk_out_text(out, "%s", head[set->kind]);
  write_name(set->name, out);
  hk_out_text(out, "\n");
  for (hk_count i = 0; i < set->count; i++) {
    const bool last = i % 10 == 9 || i + 1 == set->count;
    hk_out_integer(out, set->kind == HK_NODE_SET ? hk_mesh_node_label(mesh, set->item[i])
                                                 : hk_mesh_element_label(mesh, set->item[i]));
    if (set->kind == HK_FACE_SET)
      hk_out_text(out, ", S%d\n", set->face[i] + 1);
    else
      hk_out_text(out, last ? "\n" : ", ");
  }
}

hk_status hk_mesh_write_inp(const hk_mesh *mesh, const char *path)
{
  hk_status status = HK_OK;
  hk_out *out = NULL;
  HK_TRY(check_names(mesh, path));
  HK_TRY(check_numbers(mesh, path));
  HK_TRY(hk_out_open(path, &out));
  hk_out_text(out, "*HEADING\nmesh written by hooke %s\n", HK_VERSION);
  write_nodes(mesh, out);
  for (int b = 0; b < mesh->block_count; b++) write_block(mesh, &mesh->block[b], out);
  for (int s = 0; s < mesh->set_count; s++)
    if (mesh->set[s].count) write_set(mesh, &mesh->set[s], out);
  HK_TRY(hk_out_finish(out));
cleanup:
  hk_out_close(&out);
  return status;
}
