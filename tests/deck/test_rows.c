/* Decks of many lines, which all threads read: nodes and elements are what the file says, and faults are told at their lines, for any number of
 * threads and however the lines are written. */
#include <omp.h>
#include "element/element.h"
#include "input/mesh/read.h"
#include "mesh/mesh.h"
#include "support/files.h"

#define DECK "test_rows.inp"

enum { CELLS = 3000, NODES = 20 * CELLS }; /* each element has nodes of its own */

typedef struct style {               /* of the lines */
  const char *space, *end, *between; /* between: a line before every thousandth */
  int first;                         /* items of an element's first line, its label included */
  bool comma;                        /* at the end of that line */
} style;

/* A unit cube at (2 e, 0, 0): vertices, then the middles of its edges. */
static void place_node(int e, int n, double x[3])
{
  memcpy(x, hk_element_of(HK_HEX20)->reference[n], 3 * sizeof *x);
  for (int d = 0; d < 3; d++) x[d] = 0.5 + 0.5 * x[d] / (d + 1);
  x[0] += 2 * e;
}

static int node_label(int e, int n)
{
  return 1000000 + 3 * (20 * e + n);
}

/* *line: where the fault stands, in the element with number `faulty`. */
static void write_deck(const style *s, int faulty, int *line)
{
  FILE *file = fopen(DECK, "w");
  double x[3];
  int lines = 1;
  assert_non_null(file);
  fprintf(file, "*NODE%s", s->end);
  for (int e = 0; e < CELLS; e++)
    for (int n = 0; n < 20; n++) {
      place_node(e, n, x);
      if (e % 50 == 0 && !n && s->between) fprintf(file, "%s", s->between), lines++;
      fprintf(file, "%s%d%s,%s%.17g,%s%.17g,%s%.9e%s", s->space, node_label(e, n), s->space,
              s->space, x[0], s->space, x[1], s->space, x[2], s->end);
      lines++;
    }
  fprintf(file, "*ELEMENT,TYPE=C3D20,ELSET=E%s", s->end), lines++;
  for (int e = 0; e < CELLS; e++) {
    if (e % 1000 == 999 && s->between) fprintf(file, "%s", s->between), lines++;
    fprintf(file, "%d", 7 + 2 * e), lines++;
    for (int n = 0; n < 20; n++) {
      const bool cut = n + 1 == s->first;
      fprintf(file, cut && !s->comma ? "%s" : ",%s", cut ? s->end : s->space);
      lines += cut;
      if (e == faulty && n == 19) *line = lines, fprintf(file, "x");
      fprintf(file, "%d", node_label(e, n));
    }
    fprintf(file, "%s", s->end);
  }
  fclose(file);
}

static const style styles[] = {{"", "\n", NULL, 16, true},
                               {" ", "\r\n", NULL, 16, false},
                               {"  ", "\n", "\n", 11, true},
                               {"\t", " \n", "** a comment\n", 0, false}};

static void many_lines(void **state)
{
  (void)state;
  for (size_t s = 0; s < sizeof styles / sizeof *styles; s++) {
    write_deck(&styles[s], -1, NULL);
    for (int threads = 1; threads <= 7; threads += 3) {
      hk_mesh *mesh = NULL;
      omp_set_num_threads(threads);
      ok(hk_mesh_read_inp(DECK, NULL, &mesh));
      assert_int_equal(mesh->node_count, NODES);
      assert_int_equal(mesh->element_count, CELLS);
      for (int e = 0; e < CELLS; e++) {
        assert_int_equal(mesh->element_label[e], 7 + 2 * e);
        for (int n = 0; n < 20; n++) {
          const hk_index node = hk_mesh_nodes_of(mesh, e)[n];
          double x[3];
          place_node(e, n, x);
          assert_int_equal(node, 20 * e + n);
          assert_int_equal(mesh->node_label[node], node_label(e, n));
          assert_memory_equal(mesh->x + 3 * node, x, 2 * sizeof *x);
          near(mesh->x[3 * node + 2], x[2], 1e-9);
        }
      }
      hk_mesh_destroy(&mesh);
    }
    unlink(DECK);
  }
}

static void faults_at_their_lines(void **state)
{
  (void)state;
  static const int faulty[] = {0, 1501, CELLS - 1};
  for (size_t s = 0; s < sizeof styles / sizeof *styles; s++)
    for (int f = 0; f < 3; f++) {
      int line = 0;
      write_deck(&styles[s], faulty[f], &line);
      for (int threads = 1; threads <= 7; threads += 3) {
        hk_mesh *mesh = NULL;
        hk_messages *list = NULL;
        char place[60];
        omp_set_num_threads(threads);
        ok(hk_messages_create(&list));
        snprintf(place, sizeof place, DECK ":%d: ", line);
        fails_with(hk_mesh_read_inp(DECK, list, &mesh), HK_BAD_INPUT, place);
        error_says("a node of an element is a number");
        assert_int_equal(hk_messages_total(list, HK_ERROR), 1);
        hk_messages_destroy(&list);
      }
      unlink(DECK);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_lines),
      cmocka_unit_test(faults_at_their_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
