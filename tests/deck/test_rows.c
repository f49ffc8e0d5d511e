/* Decks of many lines, which all threads read: nodes and elements are what the file says, and faults are told at their lines, for any number of
 * threads and however the lines are written. */
#include <omp.h>
#include <sys/mman.h>
#include "element/element.h"
#include "input/mesh/plain_row.h"
#include "input/mesh/read.h"
#include "input/mesh/rows.h"
#include "mesh/mesh.h"
#include "support/files.h"

#define DECK "test_rows.inp"

enum { CELLS = 3000, NODES = 20 * CELLS, CUBES = 200 }; /* each element has nodes of its own */

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

static int any(int count)
{
  return rand() % count;
}

/* An item of a row: mostly plain, sometimes a number that is written in another way, or none. */
static void write_item(FILE *file, bool integer)
{
  static const char *const strange[] = {
      "",   "0",   "-3",  "+12",    "12345678", "123456789012", "x",
      "7x", "1 2", "1e",  "2.5",    ".5",       "-.25D+02",     "--1",
      ".",  "1.",  "nan", "1.e400", "00000001", "0000000.125"};
  const int kind = any(400);
  if (kind == 0)
    fputs(strange[any((int)(sizeof strange / sizeof *strange))], file);
  else if (integer)
    fprintf(file, "%0*d", any(20) ? 1 : any(9), 1 + any(any(2) ? 9999999 : 300));
  else
    fprintf(file,
            any(2)   ? "%.*e"
            : any(2) ? "%.*f"
                     : "%.*g",
            any(19), (rand() - RAND_MAX / 2) * (any(2) ? 1e-9 : 1e-3));
}

static void write_blanks(FILE *file, char blank, int least)
{
  const int kind = any(200), count = kind == 0 ? any(100) : kind < 100 ? any(5) : 1;
  for (int i = 0; i < (count < least ? least : count); i++) fputc(blank, file);
}

/* Rows of a seed; their blanks are `blank`. */
static void write_rows(const hk_rows *rows, int seed, char blank)
{
  FILE *file = fopen(DECK, "w");
  const int items = rows->integers + rows->numbers;
  assert_non_null(file);
  srand((unsigned)seed);
  for (int row = 0; row < 400; row++) {
    const char *const end = any(3) ? "\n" : "\r\n";
    if (any(2)) write_blanks(file, blank, 0);
    for (int k = 0; k < items; k++) {
      if (k && any(10) == 0) write_blanks(file, blank, 0);
      if (k && rows->commas) fputc(',', file);
      if (k) write_blanks(file, blank, rows->commas ? 0 : 1);
      if (k && any(60) == 0) fputs(end, file);
      write_item(file, k < rows->integers);
    }
    if (any(30) == 0) write_blanks(file, blank, 0);
    if (any(500) == 0) fputc(',', file);
    fputs(end, file);
  }
  fclose(file);
}

/* Adds a line's text to what was read, its blanks as such. */
static void add_text(FILE *to, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) fputc(text[i] == '\t' ? ' ' : text[i], to);
}

/* What hk_rows_read reads, and the lines that it leaves, as one text. */
static void read_rows(hk_rows rows, char **text, size_t *size)
{
  FILE *to = open_memstream(text, size);
  hk_source *source = NULL;
  assert_non_null(to);
  ok(hk_source_open(DECK, &source));
  for (char *line = NULL;;) {
    size_t length;
    for (hk_count before = -1; before < rows.count;) {
      before = rows.count;
      ok(hk_rows_read(&rows, source, '*', 1 << 20));
    }
    ok(hk_source_line(source, &line, &length));
    if (!line) break;
    fprintf(to, "row %lld, line %lld: ", (long long)rows.count,
            (long long)hk_source_line_number(source));
    add_text(to, line, length);
  }
  const int index = rows.apart ? rows.integers - 1 : 0;
  const int integers = rows.apart ? 1 : rows.integers;
  for (hk_count i = 0; i < rows.count * integers; i++)
    fprintf(to, " %lld", (long long)rows.integer[i]);
  for (hk_count i = 0; i < rows.count * index; i++) fprintf(to, " %d", rows.index[i]);
  if (rows.numbers) fwrite(rows.number, 8, (size_t)(rows.count * rows.numbers), to);
  fclose(to);
  hk_source_close(&source);
  hk_rows_free(&rows);
}

/* Rows read the same with tabs for blanks, which are read character by character: values, and lines that are left to others. */
static void tabs_are_blanks(void **state)
{
  (void)state;
  static const hk_rows kind[] = {
      {.integers = 1, .numbers = 3, .commas = true, .low = 1, .high = 5000000},
      {.integers = 5, .commas = true, .low = 1, .high = INT32_MAX, .apart = true},
      {.integers = 21, .commas = true, .low = 1, .high = INT32_MAX, .apart = true},
      {.integers = 5, .commas = true, .low = INT64_MIN, .high = INT64_MAX},
      {.integers = 7, .low = INT64_MIN, .high = INT64_MAX},
      {.numbers = 3, .low = INT64_MIN, .high = INT64_MAX},
      {.integers = 1, .numbers = 3, .low = INT64_MIN, .high = INT64_MAX}};
  for (int seed = 0; seed < 10; seed++)
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
      char *text[2] = {NULL, NULL};
      size_t size[2];
      omp_set_num_threads(seed ? 1 : 2);
      for (int t = 0; t < 2; t++) {
        write_rows(&kind[k], seed, t ? '\t' : ' ');
        read_rows(kind[k], &text[t], &size[t]);
      }
      assert_int_equal(size[0], size[1]);
      assert_memory_equal(text[0], text[1], size[0]);
      free(text[0]), free(text[1]);
    }
  unlink(DECK);
}

/* Lists of labels that follow one another, or not, or are not there; names and empty lines among them. */
static void write_sets(FILE *file, char blank, int first, int step)
{
  for (int set = 0; set < 6; set++) {
    const bool generate = any(6) == 0, nodes = any(2);
    const int count = nodes ? 8 * CUBES : CUBES;
    fprintf(file, "%s=S%d%s\n", nodes ? "*NSET,NSET" : "*ELSET,ELSET", set,
            generate ? ",GENERATE"
            : any(5) ? ""
                     : ",UNSORTED");
    if (generate) fprintf(file, "%d,%c%d,%d\n", first, blank, first + step * any(count), step);
    for (int line = 0, label = first; line < (generate ? 0 : 30); line++) {
      const int items = 1 + any(any(10) ? 16 : 32);
      for (int i = 0; i < items; i++, label += step) {
        if (any(40) == 0 || label >= first + step * count) label = first + step * any(count);
        if (i) fputc(',', file), write_blanks(file, blank, 0);
        if (set && any(2000) == 0)
          fprintf(file, "S%d", any(set));
        else
          fprintf(file, "%d", any(150) ? label : any(20) ? 123456 + any(5) : 0);
      }
      fputs(any(5) ? "\n" : any(2) ? ",\n" : any(2) ? "\r\n" : "\n\n** and\n", file);
    }
  }
}

/* Cubes with nodes of their own and sets, from a seed; blanks of sets are `blank`. */
static void write_cubes(int seed, char blank)
{
  FILE *file = fopen(DECK, "w");
  srand((unsigned)seed);
  const int first = 1 + any(3), step = 1 + any(2);
  assert_non_null(file);
  fprintf(file, "*NODE\n");
  for (int n = 0; n < 8 * CUBES; n++) {
    double x[3];
    place_node(n / 8, n % 8, x);
    fprintf(file, "%d, %g, %g, %g\n", first + step * n, x[0], x[1], x[2]);
  }
  fprintf(file, "*ELEMENT, TYPE=C3D8\n");
  for (int e = 0; e < CUBES; e++) {
    fprintf(file, "%d", first + step * e);
    for (int n = 0; n < 8; n++) fprintf(file, ",%d", first + step * (8 * e + n));
    fprintf(file, "\n");
  }
  write_sets(file, blank, first, step);
  fclose(file);
}

/* Messages, with blanks for tabs, and sets of the deck as one text. */
static void read_sets(char **text, size_t *size)
{
  FILE *to = open_memstream(text, size);
  hk_messages *list = NULL;
  hk_mesh *mesh = NULL;
  assert_non_null(to);
  ok(hk_messages_create(&list));
  (void)hk_mesh_read_inp(DECK, list, &mesh);
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    const hk_message *m = hk_messages_at(list, i);
    fprintf(to, "%lld: ", (long long)m->line);
    add_text(to, m->text, strlen(m->text));
  }
  for (int s = 0; mesh && s < mesh->set_count; s++) {
    fprintf(to, "\n%s:", mesh->set[s].name);
    for (hk_count i = 0; i < mesh->set[s].count; i++) fprintf(to, " %d", mesh->set[s].item[i]);
  }
  fclose(to);
  hk_mesh_destroy(&mesh);
  hk_messages_destroy(&list);
}

/* Sets read the same with tabs for blanks: members, and the lines that faults are told of. */
static void sets_with_tabs(void **state)
{
  (void)state;
  int good = 0;
  omp_set_num_threads(1);
  for (int seed = 0; seed < 40; seed++) {
    char *text[2] = {NULL, NULL};
    size_t size[2];
    for (int t = 0; t < 2; t++) {
      write_cubes(seed, t ? '\t' : ' ');
      read_sets(&text[t], &size[t]);
    }
    assert_string_equal(text[0], text[1]);
    good += strstr(text[0], "\nS5:") != NULL;
    free(text[0]), free(text[1]);
  }
  assert_true(good > 4 && good < 36);
  unlink(DECK);
}

/* A row whose line ends with a comma at the end of what is at hand, before memory that cannot be read, is left to the caller. */
static void nothing_behind_the_end(void **state)
{
  (void)state;
  static const char text[] = "12345678,        \n";
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const hk_rows rows = {.integers = 2, .commas = true, .high = INT32_MAX};
  int64_t integer[2];
  char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(at != MAP_FAILED);
  assert_int_equal(mprotect(at + page, page, PROT_NONE), 0);
  char *end = at + page, *line = end - (sizeof text - 1);
  memcpy(line, text, sizeof text - 1);
  assert_null(hk_plain_row(&rows, line, end, integer, NULL));
  munmap(at, 2 * page);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_lines),
      cmocka_unit_test(faults_at_their_lines),
      cmocka_unit_test(tabs_are_blanks),
      cmocka_unit_test(sets_with_tabs),
      cmocka_unit_test(nothing_behind_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
