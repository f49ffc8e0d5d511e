/* Faces given by their corners, and the elements that have them: a hash table of the faces, keyed by
 * their corners in a common order, in which the elements' faces are looked up one after the other.
 *
 *   hk_face_match_begin(&m, mesh, faces);        room for that many
 *   hk_face_match_add(&m, node, corners);        each face
 *   hk_face_match_elements(&m);
 *   hk_face_match_find(&m, node, corners, &of);  of.element, of.face
 *   hk_face_match_free(&m);
 */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_face_match {
  const hk_mesh *mesh;
  hk_pool pool; /* holds the arrays */
  struct hk_face_key *key;
  hk_count keys, key_room, slots;
  hk_index *slot; /* slot[slots] = key + 1 */
  uint8_t *used;  /* used[node]: is a corner of some key */
} hk_face_match;

typedef struct hk_matched_face {
  /* whose outward normal is that of the corners' order where two have the face; -1: none has */
  hk_index element;
  uint8_t face;
  bool inside; /* it lies between two elements */
} hk_matched_face;

/* A zeroed match, for at most `faces` faces; none may be added to one of 0. */
hk_status hk_face_match_begin(hk_face_match *m, const hk_mesh *mesh, hk_count faces);
/* node[corners]: 2 for edges of plane meshes, 3 or 4. */
hk_status hk_face_match_add(hk_face_match *m, const hk_index *node, int corners);
void hk_face_match_elements(hk_face_match *m);
/* Of a face that was added. */
void hk_face_match_find(const hk_face_match *m, const hk_index *node, int corners,
                        hk_matched_face *out);
void hk_face_match_free(hk_face_match *m);
