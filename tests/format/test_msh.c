/* Gmsh's files: what the program writes is read with all its groups, and what is wrong is refused
 * with the place. */
#include "format_test.h"
#include "support/mesh.h"
#include <omp.h>

/* Reads text as a file; the words of the refusal. */
static const char *refusal(const char *text)
{
  hk_mesh *mesh = NULL;
  const char *path = write_file(".msh", text, strlen(text));
  const hk_status status = hk_mesh_read(path, NULL, &mesh);
  unlink(path);
  assert_int_equal(status, HK_BAD_INPUT);
  assert_null(mesh);
  return hk_error();
}

/* The file of that shape, which Gmsh wrote. */
static hk_mesh *read_shape(int shape)
{
  char path[256];
  snprintf(path, sizeof path, DATA("%s.msh"), hk_shape_name((hk_shape)shape));
  return read_good(path);
}

/* |x_n - sum_v N_v(xi_n) x_v| = 0 for the nodes of straight elements: Gmsh's numbering is ours */
static void nodes_of_every_shape(void **state)
{
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    hk_mesh *mesh = read_shape(shape);
    assert_int_equal(mesh->block_count, 1);
    assert_int_equal(mesh->block[0].shape, shape);
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const double error = distance_from_straight(mesh, e);
      if (!(error <= 1e-9)) fail_msg("%s: %g", hk_shape_name((hk_shape)shape), error);
    }
    hk_mesh_destroy(&mesh);
  }
}

/* every group "base" is the face set of one face (of one edge) whose nodes have the least z (y) */
static void face_of_every_shape(void **state)
{
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    hk_mesh *mesh = read_shape(shape);
    const hk_set *base = set_of(mesh, "base", HK_FACE_SET, 1);
    const hk_element_face *face = &hk_element_of((hk_shape)shape)->face[base->face[0]];
    set_of(mesh, "base", HK_NODE_SET, face->nodes);
    for (int n = 0; n < face->nodes; n++) {
      const hk_index node = hk_mesh_nodes_of(mesh, base->item[0])[face->node[n]];
      assert_true(fabs(mesh->x[node * mesh->dim + mesh->dim - 1]) <= 1e-9);
    }
    hk_mesh_destroy(&mesh);
  }
}

static void check_boxes(const char *path)
{
  hk_mesh *mesh = read_good(path);
  hk_mesh_quality quality;
  assert_int_equal(mesh->dim, 3);
  assert_int_equal(mesh->node_count, 23);
  assert_int_equal(mesh->element_count, 48);
  set_of(mesh, "corner", HK_NODE_SET, 1);
  set_of(mesh, "edge", HK_NODE_SET, 2);
  set_of(mesh, "base", HK_NODE_SET, 5);
  set_of(mesh, "base", HK_FACE_SET, 4);
  set_of(mesh, "77", HK_FACE_SET, 4);
  set_of(mesh, "left", HK_ELEMENT_SET, 24);
  set_of(mesh, "right", HK_ELEMENT_SET, 24);
  set_of(mesh, "both sides", HK_ELEMENT_SET, 48);
  assert_int_equal(hk_mesh_measure(mesh, &quality), HK_OK);
  assert_true(fabs(quality.volume - 2) <= 1e-12);
  hk_mesh_destroy(&mesh);
}

/* the four files of one model give the same mesh and sets; so does one cut into two parts */
static void all_versions(void **state)
{
  (void)state;
  check_boxes(DATA("boxes_41.msh"));
  check_boxes(DATA("boxes_41_binary.msh"));
  check_boxes(DATA("boxes_22.msh"));
  check_boxes(DATA("boxes_22_binary.msh"));
  check_boxes(DATA("boxes_save_all.msh"));
  check_boxes(DATA("boxes_parts.msh"));
}

/* an inner face set takes one side only: all its faces belong to elements of one box */
static void inner_faces_have_one_side(void **state)
{
  (void)state;
  hk_mesh *mesh = read_good(DATA("boxes_41.msh"));
  const hk_set *inner = set_of(mesh, "77", HK_FACE_SET, 4);
  const hk_set *left = set_of(mesh, "left", HK_ELEMENT_SET, 24);
  int in_left = 0;
  for (hk_count i = 0; i < inner->count; i++)
    for (hk_count k = 0; k < left->count; k++) in_left += left->item[k] == inner->item[i];
  assert_true(in_left == 0 || in_left == 4);
  hk_mesh_destroy(&mesh);
}

static void no_groups(void **state)
{
  (void)state;
  hk_mesh *mesh = read_good(DATA("boxes_no_groups.msh"));
  assert_int_equal(mesh->element_count, 48);
  assert_int_equal(mesh->set_count, 0);
  hk_mesh_destroy(&mesh);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define SQUARE "$Nodes\n4\n10 0 0 5\n20 1 0 5\n35 1 1 5\n47 0 1 5\n$EndNodes\n"
#define CELLS "$Elements\n3\n1 3 2 7 1 10 20 35 47\n2 1 2 -7 1 20 10\n3 15 2 0 1 10\n$EndElements\n"

/* gaps in numbers, a group without name, a negative tag, an element in no group; z = 5 throughout */
static void plain_square(void **state)
{
  (void)state;
  const char *path = write_file(".msh", HEAD SQUARE CELLS, strlen(HEAD SQUARE CELLS));
  hk_mesh *mesh = read_good(path);
  unlink(path);
  assert_int_equal(mesh->dim, 2);
  assert_int_equal(hk_mesh_find_node(mesh, 35), 2);
  assert_int_equal(hk_mesh_find_node(mesh, 36), -1);
  set_of(mesh, "7", HK_ELEMENT_SET, 1);
  assert_int_equal(set_of(mesh, "7", HK_FACE_SET, 1)->face[0], 0);
  set_of(mesh, "7", HK_NODE_SET, 2);
  hk_mesh_destroy(&mesh);
}

/* byte-order mark, CRLF and tabs change nothing */
static void line_ends_and_tabs(void **state)
{
  (void)state;
  char text[1024] = "\xef\xbb\xbf", *to = text + 3;
  for (const char *p = HEAD SQUARE CELLS; *p; p++) {
    if (*p == '\n') *to++ = '\r';
    *to++ = (char)(*p == ' ' ? '\t' : *p);
  }
  const char *path = write_file(".msh", text, (size_t)(to - text));
  hk_mesh *mesh = read_good(path);
  unlink(path);
  assert_int_equal(mesh->element_count, 1);
  hk_mesh_destroy(&mesh);
}

/* an element that version 2 writes once for each of its two groups is one element in both sets */
static void copies_are_one_element(void **state)
{
  (void)state;
  static const char text[] = HEAD SQUARE
      "$Elements\n3\n1 2 2 1 1 10 20 35\n2 2 2 1 1 10 35 47\n3 2 2 2 1 10 20 35\n$EndElements\n";
  const char *path = write_file(".msh", text, strlen(text));
  hk_mesh *mesh = read_good(path);
  unlink(path);
  assert_int_equal(mesh->element_count, 2);
  set_of(mesh, "1", HK_ELEMENT_SET, 2);
  assert_int_equal(set_of(mesh, "2", HK_ELEMENT_SET, 1)->item[0], 0);
  hk_mesh_destroy(&mesh);
}

/* numbers begin at 1, as in decks: an element numbered 0 or less makes all of them numbered anew */
static void element_numbered_0(void **state)
{
  (void)state;
  static const char text[] =
      HEAD SQUARE "$Elements\n2\n0 2 2 1 1 10 20 35\n7 2 2 1 1 10 35 47\n$EndElements\n";
  const char *path = write_file(".msh", text, strlen(text));
  hk_mesh *mesh = read_good(path);
  unlink(path);
  assert_int_equal(hk_mesh_element_label(mesh, 0), 1);
  assert_int_equal(hk_mesh_element_label(mesh, 1), 2);
  hk_mesh_destroy(&mesh);
}

/* 2147483646 is the largest number that a deck holds: a mesh with a larger one is no deck */
static void number_beyond_decks(void **state)
{
  (void)state;
  static const char *const number[] = {"2147483646", "2147483647"};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s$Elements\n1\n%s 2 2 1 1 10 20 35\n$EndElements\n", HEAD SQUARE,
             number[i]);
    const char *path = write_file(".msh", text, strlen(text));
    hk_mesh *mesh = read_good(path);
    unlink(path);
    assert_int_equal(hk_mesh_write(mesh, "numbers.inp"), i ? HK_USAGE : HK_OK);
    hk_mesh_destroy(&mesh);
  }
  assert_non_null(strstr(hk_error(), "2147483647"));
  unlink("numbers.inp");
}

static void assert_words(const char *words, const char *text)
{
  const char *got = refusal(text);
  if (!strstr(got, words)) fail_msg("got: %s\nexpected: %s", got, words);
}

/* each refusal names the line and what was wrong there */
static void refusals(void **state)
{
  (void)state;
  assert_words(":2: version 4 ", "$MeshFormat\n4 0 8\n$EndMeshFormat\n");
  assert_words(":2: data size 4", "$MeshFormat\n4.1 0 4\n$EndMeshFormat\n");
  assert_words("has no $Nodes", HEAD);
  assert_words(":5: $Nodes: 999999999 nodes are announced", HEAD "$Nodes\n999999999\n1 0 0 0\n");
  assert_words(":6: $Nodes: \"x\" is not a coordinate", HEAD "$Nodes\n1\n1 0 x 0\n$EndNodes\n");
  assert_words("cut short", HEAD "$Nodes\n2\n1 0 0 0\n");
  assert_words("a count is wrong", HEAD "$Nodes\n1\n1 0 0 0\n2 1 1 0\n$EndNodes\n");
  assert_words("node 10 is given twice", HEAD "$Nodes\n2\n10 0 0 0\n10 1 0 0\n$EndNodes\n");
  assert_words("numbers begin at 1", HEAD "$Nodes\n1\n0 0 0 0\n$EndNodes\n");
  assert_words("there is no node 11",
               HEAD SQUARE "$Elements\n1\n1 3 2 7 1 11 20 35 47\n$EndElements\n");
  assert_words(":13: element type 7 (5-node pyramid) is not supported",
               HEAD SQUARE "$Elements\n1\n1 7 2 7 1 10 20 35 47 10\n$EndElements\n");
  assert_words("stands before $Nodes", HEAD CELLS);
  assert_words("has no two- or three-dimensional elements",
               HEAD SQUARE "$Elements\n1\n1 1 2 7 1 10 20\n$EndElements\n");
  assert_words("z runs from", HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 1\n$EndNodes\n"
                                   "$Elements\n1\n1 2 2 7 1 1 2 3\n$EndElements\n");
  assert_words("is not a known mesh file", "hello");
}

/* a binary file of the other byte order is refused by these words */
static void other_byte_order(void **state)
{
  (void)state;
  static const char text[] = "$MeshFormat\n4.1 1 8\n\0\0\0\1\n$EndMeshFormat\n";
  hk_mesh *mesh = NULL;
  const char *path = write_file(".msh", text, sizeof text - 1);
  assert_int_equal(hk_mesh_read(path, NULL, &mesh), HK_BAD_INPUT);
  unlink(path);
  assert_non_null(strstr(hk_error(), "the other byte order"));
}

/* a file cut at any byte is read or refused, never a crash and never more memory than it needs */
static void cut_anywhere(void **state)
{
  (void)state;
  static const char *const name[] = {DATA("boxes_41.msh"), DATA("boxes_41_binary.msh"),
                                     DATA("boxes_22.msh"), DATA("boxes_22_binary.msh")};
  for (int i = 0; i < 4; i++) {
    size_t size;
    char *text = read_file(name[i], &size);
    for (size_t cut = 1; cut + 20 < size; cut += 37) {
      hk_mesh *mesh = NULL;
      const char *path = write_file(".msh", text, cut);
      assert_int_equal(hk_mesh_read(path, NULL, &mesh), HK_BAD_INPUT);
      unlink(path);
    }
    free(text);
  }
}

/* with the k-th allocation failing, k = 1, 2, ..., the reader ends in words and keeps nothing */
static void failing_allocations(void **state)
{
  (void)state;
  const hk_count before = hk_memory_held();
  for (hk_count k = 1;; k++) {
    hk_mesh *mesh = NULL;
    hk_memory_fail_at(k);
    const hk_status status = hk_mesh_read(DATA("boxes_41.msh"), NULL, &mesh);
    hk_memory_fail_at(0);
    hk_mesh_destroy(&mesh);
    assert_int_equal(hk_memory_held(), before);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
  }
}

/* an error goes to the list with its line */
static void errors_are_listed(void **state)
{
  (void)state;
  static const char text[] = HEAD "$Nodes\n1\n1 0 x 0\n$EndNodes\n";
  hk_messages *list = NULL;
  hk_mesh *mesh = NULL;
  assert_int_equal(hk_messages_create(&list), HK_OK);
  const char *path = write_file(".msh", text, strlen(text));
  assert_int_equal(hk_mesh_read(path, list, &mesh), HK_BAD_INPUT);
  unlink(path);
  assert_int_equal(hk_messages_count(list), 1);
  assert_int_equal(hk_messages_at(list, 0)->line, 6);
  hk_messages_destroy(&list);
}

/* A mesh in one of Gmsh's four ways of writing, from a grid of tetrahedra: nodes 10, 13, 16, ..., elements 1, 2, ... in two groups of volumes, and one
 * node number that may be wrong. */
typedef struct large_file {
  const hk_mesh *mesh;
  FILE *file;
  int version;
  bool binary;
  hk_count half;  /* elements of the first group */
  hk_count wrong; /* element whose last node is none; < 0: all are right */
  int64_t step;   /* between the numbers of nodes, from 10 on */
  int64_t none;   /* a number that no node has */
} large_file;

enum { FIRST_GROUP = 7, SECOND_GROUP = 9 };

static void write_integer(const large_file *f, int bytes, int64_t value, const char *end)
{
  const int32_t narrow = (int32_t)value;
  if (!f->binary)
    fprintf(f->file, "%lld%s", (long long)value, end);
  else
    fwrite(bytes == 4 ? (const void *)&narrow : (const void *)&value, (size_t)bytes, 1, f->file);
}

static void write_integers(const large_file *f, int bytes, int count, const int64_t *value)
{
  for (int i = 0; i < count; i++) write_integer(f, bytes, value[i], i + 1 < count ? " " : "\n");
}

static void write_coordinates(const large_file *f, hk_count node)
{
  const double *x = f->mesh->x + 3 * node;
  if (f->binary)
    fwrite(x, 8, 3, f->file);
  else
    fprintf(f->file, "%.17g %.17g %.17g\n", x[0], x[1], x[2]);
}

static void write_nodes(const large_file *f)
{
  const hk_count count = f->mesh->node_count;
  fprintf(f->file, "$Nodes\n");
  if (f->version == 2) {
    fprintf(f->file, "%lld\n", (long long)count);
    for (hk_count n = 0; n < count; n++)
      write_integer(f, 4, 10 + f->step * n, " "), write_coordinates(f, n);
  } else {
    write_integers(f, 8, 4, (const int64_t[]){1, count, 10, 10 + f->step * (count - 1)});
    write_integers(f, 4, 3, (const int64_t[]){3, FIRST_GROUP, 0});
    write_integer(f, 8, count, "\n");
    for (hk_count n = 0; n < count; n++) write_integer(f, 8, 10 + f->step * n, "\n");
    for (hk_count n = 0; n < count; n++) write_coordinates(f, n);
  }
  fprintf(f->file, "%s$EndNodes\n", f->binary ? "\n" : "");
}

static void write_element(const large_file *f, hk_count e)
{
  const hk_index *node = hk_mesh_nodes_of(f->mesh, e);
  const int64_t group = e < f->half ? FIRST_GROUP : SECOND_GROUP;
  const int bytes = f->version == 2 ? 4 : 8;
  write_integer(f, bytes, e + 1, " ");
  if (f->version == 2 && !f->binary) fprintf(f->file, "4 2 ");
  if (f->version == 2) write_integer(f, 4, group, " "), write_integer(f, 4, 1, " ");
  for (int n = 0; n < 4; n++)
    write_integer(f, bytes, n == 3 && e == f->wrong ? f->none : 10 + f->step * (int64_t)node[n],
                  n == 3 ? "\n" : " ");
}

static void write_elements(const large_file *f)
{
  const hk_count count = f->mesh->element_count;
  fprintf(f->file, "$Elements\n");
  if (f->version == 2) fprintf(f->file, "%lld\n", (long long)count);
  if (f->version == 2 && f->binary) write_integers(f, 4, 3, (const int64_t[]){4, count, 2});
  if (f->version == 4) write_integers(f, 8, 4, (const int64_t[]){2, count, 1, count});
  for (hk_count e = 0; e < count; e++) {
    if (f->version == 4 && (e == 0 || e == f->half)) {
      write_integers(f, 4, 3, (const int64_t[]){3, e ? SECOND_GROUP : FIRST_GROUP, 4});
      write_integer(f, 8, e ? count - f->half : f->half, "\n");
    }
    write_element(f, e);
  }
  fprintf(f->file, "%s$EndElements\n", f->binary ? "\n" : "");
}

static const char *write_large(large_file *f)
{
  const char *path = scratch(".msh");
  f->file = fopen(path, "wb");
  assert_non_null(f->file);
  fprintf(f->file, "$MeshFormat\n%s %d 8\n", f->version == 2 ? "2.2" : "4.1", f->binary);
  if (f->binary) write_integer(f, 4, 1, ""), fprintf(f->file, "\n");
  fprintf(f->file, "$EndMeshFormat\n");
  if (f->version == 4) {
    fprintf(f->file, "$Entities\n");
    write_integers(f, 8, 4, (const int64_t[]){0, 0, 0, 2});
    for (int g = FIRST_GROUP; g <= SECOND_GROUP; g += SECOND_GROUP - FIRST_GROUP) {
      const double box[6] = {0};
      write_integer(f, 4, g, " 0 0 0 0 0 0 ");
      if (f->binary) fwrite(box, 8, 6, f->file);
      write_integer(f, 8, 1, " "), write_integer(f, 4, g, " "), write_integer(f, 8, 0, "\n");
    }
    fprintf(f->file, "%s$EndEntities\n", f->binary ? "\n" : "");
  }
  write_nodes(f);
  write_elements(f);
  assert_int_equal(fclose(f->file), 0);
  return path;
}

static void check_large(const large_file *f, const hk_mesh *got)
{
  assert_int_equal(got->node_count, f->mesh->node_count);
  assert_int_equal(got->element_count, f->mesh->element_count);
  assert_int_equal(got->block_count, 1);
  assert_memory_equal(got->x, f->mesh->x, (size_t)got->node_count * 3 * sizeof *got->x);
  assert_memory_equal(got->block[0].node, f->mesh->block[0].node,
                      (size_t)got->element_count * 4 * sizeof(hk_index));
  for (hk_count n = 0; n < got->node_count; n++)
    if (got->node_label[n] != 10 + f->step * n)
      fail_msg("label %lld", (long long)got->node_label[n]);
  const hk_set *first = set_of(got, "7", HK_ELEMENT_SET, f->half);
  for (hk_count i = 0; i < f->half; i++) assert_int_equal(first->item[i], i);
  set_of(got, "9", HK_ELEMENT_SET, got->element_count - f->half);
}

/* Line of element e; the byte of the section behind its last node. */
static void place_of(const large_file *f, hk_count e, char *words, size_t size)
{
  const hk_count nodes = f->mesh->node_count, blocks = e < f->half ? 1 : 2;
  const hk_count line = f->version == 2
                            ? 3 + 3 + nodes + 2 + e + 1
                            : 3 + 5 + 5 + 2 * nodes + 1 + blocks * 1 + 1 + e + 1 + blocks;
  const hk_count byte = f->version == 2 ? 12 + (e + 1) * 28 : 32 + blocks * 20 + (e + 1) * 40;
  if (f->binary)
    snprintf(words, size, "element %lld: there is no node %lld (byte %lld of the binary section",
             (long long)e + 1, (long long)f->none, (long long)byte);
  else
    snprintf(words, size, ".msh:%lld: element %lld: there is no node %lld", (long long)line,
             (long long)e + 1, (long long)f->none);
}

/* read(write(mesh)) = mesh for tables that several threads read, in each way of writing, with numbers of nodes that are consecutive or not; a wrong node far behind is named with its place */
static void large_tables(void **state)
{
  (void)state;
  hk_mesh *mesh = make_grid(
      (hk_mesh_grid){.cells = {17, 16, 15}, .shape = HK_TET4, .jitter = 0.2, .shuffle = 5});
  const int threads = omp_get_max_threads();
  for (int way = 0; way < 12; way++) {
    large_file f = {.mesh = mesh,
                    .version = way & 1 ? 2 : 4,
                    .binary = way & 2,
                    .half = mesh->element_count / 3,
                    .wrong = -1,
                    .step = way & 8 ? 1 : 3};
    omp_set_num_threads(way & 12 ? 3 : 1);
    hk_mesh *got = read_good(write_large(&f));
    check_large(&f, got);
    hk_mesh_destroy(&got);
    for (f.wrong = f.half - 1; f.wrong < mesh->element_count; f.wrong += f.half) {
      char words[120];
      f.none = way & 8 ? (f.wrong < f.half ? 9 : 10 + mesh->node_count) : 11;
      place_of(&f, f.wrong, words, sizeof words);
      assert_int_equal(hk_mesh_read(write_large(&f), NULL, &got), HK_BAD_INPUT);
      if (!strstr(hk_error(), words)) fail_msg("got: %s\nexpected: %s", hk_error(), words);
    }
  }
  omp_set_num_threads(threads);
  unlink(scratch(".msh"));
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_every_shape),
                                     cmocka_unit_test(face_of_every_shape),
                                     cmocka_unit_test(all_versions),
                                     cmocka_unit_test(inner_faces_have_one_side),
                                     cmocka_unit_test(no_groups),
                                     cmocka_unit_test(plain_square),
                                     cmocka_unit_test(line_ends_and_tabs),
                                     cmocka_unit_test(copies_are_one_element),
                                     cmocka_unit_test(element_numbered_0),
                                     cmocka_unit_test(number_beyond_decks),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(other_byte_order),
                                     cmocka_unit_test(cut_anywhere),
                                     cmocka_unit_test(failing_allocations),
                                     cmocka_unit_test(errors_are_listed),
                                     cmocka_unit_test(large_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
