/* Field frames for ParaView: <name>.vtkhdf (VTKHDF 2.0, one UnstructuredGrid, mesh once, all Steps
 * allocated beforehand and filled with not-a-number) or <name>.pvd + one .vtu per frame. A .vtkhdf file has the numbers, the regions and the sets
 * of the mesh too (field_sides.h). */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_field_quantity {
  const char *name, *unit;
  int components; /* given to write(): 2 or 3 (vectors, padded to 3 in the file), 4 or 6 (stress in
                     hooke's order) */
} hk_field_quantity;

enum { HK_FIELD_MOST = 16 };

typedef struct hk_field_layout {
  const hk_mesh *mesh;
  hk_mesh_regions regions;
  hk_count frames;
  const double *time; /* time[frames] */
  int quantity_count;
  hk_field_quantity quantity[HK_FIELD_MOST];
  const char *name; /* of the files; NULL: "field" */
  bool beside;      /* .vtkhdf: filled by a thread of its own: where others do not compute */
} hk_field_layout;

typedef struct hk_field_file hk_field_file;

/* Whether fields of that format (hk_run_desc.field_format) are written as .vtu files; else as .vtkhdf. */
bool hk_field_format_vtu(const char *format);
/* `folder`: the result folder; vtu: .pvd and .vtu instead of .vtkhdf. `reopen`: write on in an
 * existing file of that layout. */
hk_status hk_field_file_open(const char *folder, bool vtu, bool reopen,
                             const hk_field_layout *layout, hk_field_file **out);
/* values[node][components] in mesh order. HK_BAD_INPUT: an infinity, from a value beyond single precision. */
hk_status hk_field_file_write(hk_field_file *file, hk_count frame, int quantity,
                              const float *values);
hk_status hk_field_file_flush(hk_field_file *file);
hk_status hk_field_file_close(hk_field_file **file);
/* Bytes of memory held while the file is opened (opening), or from then on. */
hk_count hk_field_file_room(const hk_field_layout *layout, bool vtu, bool opening);
/* Bytes that the files will take. */
hk_count hk_field_file_plan(const hk_field_layout *layout, bool vtu);
