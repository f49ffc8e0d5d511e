/* What a mesh file says of itself before it is read: names of its sets, how many nodes and elements it announces. */
#pragma once
#include "base/base.h"
#include <stdbool.h>

typedef struct hk_mesh_look {
  /* the file lists the names of its groups; groups without one are called by their number */
  bool named;
  int names;
  char **name; /* name[names], of groups of dimension dim[names]; owned */
  int *dim;
  double nodes, elements; /* announced, elements of boundaries too; 0: not told */
} hk_mesh_look;

/* A few kilobytes of .msh (2.2 and 4.1) and .vtu files are read, and of .msh what lies between $Nodes and $Elements is searched. What is not
 * told, is not there or is of another format is left at 0: the reader says what is wrong. HK_NO_RESOURCES alone is an error. */
hk_status hk_mesh_look_at(const char *path, hk_mesh_look *out);
void hk_mesh_look_clear(hk_mesh_look *look);
