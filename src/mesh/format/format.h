/* The writers of mesh files; one file per format, and a line in write.c. */
#pragma once
#include "base/base.h"
#include "mesh/mesh.h"

/* Each writes the whole file; HK_NOT_WRITABLE, HK_USAGE for what the format cannot hold. */
hk_status hk_mesh_write_msh(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_inp(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtu(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtkhdf(const hk_mesh *mesh, const char *path);

/* A file that appears under its name only when it is whole. */

typedef struct hk_out hk_out;

/* HK_NOT_WRITABLE when no file can be made beside `path`. */
hk_status hk_out_open(const char *path, hk_out **out);
/* Writing never fails by itself: hk_out_finish tells. */
void hk_out_text(hk_out *out, const char *format, ...) HK_PRINTF(2, 3);
void hk_out_bytes(hk_out *out, const void *data, size_t size);
void hk_out_integer(hk_out *out, int64_t value);
void hk_out_number(hk_out *out, double value); /* the digits that give the same number back */
/* The same, or as many of them as `most` characters (8 and more) hold. */
void hk_out_number_within(hk_out *out, int most, double value);
/* Gives the file its name; HK_NOT_WRITABLE when anything was not written. */
hk_status hk_out_finish(hk_out *out);
/* Closes; what is not finished is removed. */
void hk_out_close(hk_out **out);
