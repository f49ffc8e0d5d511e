/* The program hooke-bench NAME [MODEL ...], which `hooke bench` executes. It reads the options,
 * runs the bench, and prints its rows as a table or as JSON. The table shows the columns that at
 * least one row has, and cells that a row lacks stay empty. */
#include "bench.h"
#include "cli/cli.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MODELS = 64 };

static char *device, *output;
static int threads;
static double scale = NAN, seconds = NAN, trace_seconds = NAN; /* not given */
static const struct poptOption options[] = {
    {"device", 0, POPT_ARG_STRING, &device, 0,
     "device to measure beside the processor: auto, cpu, cuda[:N], opencl[:N]", "NAME"},
    {"threads", 0, POPT_ARG_INT, &threads, 0,
     "threads on the processor (default: 0, all that the machine has)", "N"},
    {"scale", 0, POPT_ARG_DOUBLE, &scale, 0,
     "size of generated models relative to the paper's (default: 1; femses without a device: 0.1)",
     "X"},
    {"seconds", 0, POPT_ARG_DOUBLE, &seconds, 0, "seconds per measurement of a rate (default: 0.5)",
     "X"},
    {"trace-seconds", 0, POPT_ARG_DOUBLE, &trace_seconds, 0,
     "longest run for a discrepancy trace, in seconds (default: 5)", "X"},
    {"output", 'o', POPT_ARG_STRING, &output, 0,
     "result folder (default: NAME.bench); finished rows are in rows.jsonl", "DIR"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static void say(const char *doing, void *user)
{
  (void)user;
  cli_note("%s", doing);
}

/* Columns of the table for people: key, heading, width, digits; those that a row lacks stay empty, those that all lack are left out. */
static const struct {
  const char *key, *heading;
  int width, digits;
} columns[] = {{"case", "case", 22, 0},
               {"table", "table", 12, 0},
               {"method", "method", 16, 0},
               {"device", "device", 8, 0},
               {"precision", "precision", 10, 0},
               {"state", "state", 10, 0},
               {"dofs", "unknowns", 9, 8},
               {"iterations", "iterations", 10, 6},
               {"efficiency", "efficiency", 11, 3},
               {"kernel_us", "kernel, us", 11, 4},
               {"useful_gflop_per_s", "useful GFLOP/s", 15, 4},
               {"performed_gflop_per_s", "performed", 10, 4},
               {"seconds", "seconds", 9, 3},
               {"ns_per_nonzero", "ns/nonzero", 10, 3},
               {"gdof_per_s", "GDOF/s", 8, 3},
               {"gb_per_s", "GB/s", 8, 4},
               {"share_of_copy", "of copy", 8, 3},
               {"lanes", "lanes", 5, 3},
               {"host_threads", "threads", 7, 4},
               {"cycles_per_point", "cycles/point", 12, 3},
               {"cycles_per_dof", "cycles/dof", 10, 3},
               {"intensity", "intensity", 9, 3},
               {"own_gdof_per_s", "own time's", 10, 3},
               {"cg_gdof_per_s", "of CG", 8, 3},
               {"libceed_gdof_per_s", "libCEED", 8, 3},
               {"specfem2d_gdof_per_s", "SPECFEM2D", 9, 3},
               {"prototype_gdof_per_s", "prototype", 9, 3},
               {"elements_per_group", "in a group", 10, 4},
               {"groups_asked", "asked for", 9, 3},
               {"fetches", "ahead", 5, 2},
               {"registers", "registers", 9, 4},
               {"groups", "groups", 7, 3},
               {"stepping_seconds", "stepping s", 11, 4},
               {"paper_stepping_seconds", "paper's s", 10, 4},
               {"discrepancy", "discrepancy", 12, 3},
               {"speed_up", "speed-up", 8, 3},
               {"paper_speed_up", "paper's", 8, 3},
               {"growth_of_fourfold", "for 4 times", 11, 3}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool is_used(const json_t *rows, int column)
{
  size_t i;
  const json_t *row;
  json_array_foreach(rows, i, row)
  {
    if (json_object_get(row, columns[column].key)) return true;
  }
  return false;
}

static void print_cell(const json_t *value, int column)
{
  const int width = columns[column].width;
  if (json_is_string(value))
    printf("%-*s ", width, json_string_value(value));
  else if (json_is_number(value))
    printf("%-*.*g ", width, columns[column].digits, json_number_value(value));
  else
    printf("%-*s ", width, "");
}

static void print_table(const json_t *rows)
{
  size_t i;
  const json_t *row;
  bool used[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    used[c] = is_used(rows, c);
    if (used[c]) printf("%-*s ", columns[c].width, columns[c].heading);
  }
  putchar('\n');
  json_array_foreach(rows, i, row)
  {
    for (int c = 0; c < COLUMNS; c++)
      if (used[c]) print_cell(json_object_get(row, columns[c].key), c);
    putchar('\n');
  }
}

/* The result with `messages`, where there are some. */
static int print_json(const char *json, const hk_messages *list)
{
  json_t *root = hk_messages_count(list) > 0 ? json_loads(json, 0, NULL) : NULL;
  char *text = NULL;
  if (root) {
    json_object_set_new(root, "messages", cli_json_messages(list));
    text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  }
  const int code = cli_print_result(text ? text : json);
  free(text);
  json_decref(root);
  return code;
}

static int print_rows(const char *json, const hk_messages *list)
{
  json_t *root = manner.json ? NULL : json_loads(json, 0, NULL);
  if (!root) return print_json(json, list);
  printf("%s on %s (%s), copy %.4g GB/s\n", json_string_value(json_object_get(root, "bench")),
         json_string_value(json_object_get(root, "device")),
         json_string_value(json_object_get(root, "device_name")),
         json_number_value(json_object_get(root, "copy_gb_per_s")));
  print_table(json_object_get(root, "rows"));
  json_decref(root);
  return HK_OK;
}

/* 0, which stands for the default, is nothing that anybody asks for. */
static bool usable(double number)
{
  return isnan(number) || (number > 0 && isfinite(number));
}

static double given(double number)
{
  return isnan(number) ? 0 : number;
}

static int run_bench(const cli_verb *verb, int argc, const char **argv)
{
  const char *word[1 + MOST_MODELS];
  char folder[64], *json = NULL;
  int code, models = 0;
  hk_count shown = 0;
  hk_run_desc surroundings = {0};
  hk_messages *list = NULL;
  if (!cli_parse(verb, argc, argv, options, word, &code)) return code;
  if (threads < 0) return cli_usage_error(verb, "--threads must be 0 or more");
  if (!usable(scale) || !usable(seconds) || !usable(trace_seconds))
    return cli_usage_error(verb, "--scale, --seconds and --trace-seconds must be above 0");
  while (models < MOST_MODELS && word[1 + models]) models++;
  snprintf(folder, sizeof folder, "%.50s.bench", word[0]);
  cli_surroundings(&surroundings);
  hk_status status = hk_messages_create(&list);
  if (status == HK_OK)
    status = hk_bench(&(hk_bench_desc){.name = word[0],
                                       .model = word + 1,
                                       .model_count = models,
                                       .output = output ? output : folder,
                                       .device = device,
                                       .toolkit = surroundings.toolkit,
                                       .cache = surroundings.cache,
                                       .threads = threads,
                                       .scale = given(scale),
                                       .seconds = given(seconds),
                                       .trace_seconds = given(trace_seconds),
                                       .progress = say},
                      list, &json);
  cli_show_messages(list, &shown);
  code = status == HK_OK ? print_rows(json, list) : cli_fail(status, list);
  hk_text_free(&json);
  hk_messages_destroy(&list);
  return code;
}

static const cli_verb verb = {
    "bench",
    "NAME [MODEL ...]",
    1,
    1 + MOST_MODELS,
    "measure the tables of a paper on this machine",
    "  hooke bench pogo\n"
    "  hooke bench pogo weld_paper.inp --device cuda --json\n"
    "  hooke bench pogo weld_paper.inp sweep device --device cuda\n"
    "  hooke bench pogo solids steps device --device cuda\n"
    "  hooke bench assembly --device cuda\n"
    "  hooke bench assembly examples/rod/rod.inp.gz\n"
    "  hooke bench assembly tubes device rods/*.msh --device cuda\n"
    "  hooke bench integration --device cuda\n"
    "  hooke bench integration times ours p4 p5\n"
    "  hooke bench femses --scale 0.1\n"
    "  hooke bench femses sizes rectangle 40000 cholesky dense --threads 1\n"
    "  hooke bench sem 2d p4 p7 --device cuda\n",
    "pogo: Huthwaite (2014), Tables 1, 2, 4 and A.5, and discrepancy traces: blocks by each "
    "partitioner, time of a\n"
    "step by form of K, device and precision, and by the size of the blocks. MODEL: decks or case "
    "files, such as those\n"
    "of examples/ at the paper's size; without MODEL, rectangles of the paper's sizes. Takes "
    "minutes. Words among the\n"
    "models select the measurements: blocks steps sweep traces device host; solids takes a box of "
    "tetrahedra and one\n"
    "of hexahedra instead of the rectangles.\n"
    "assembly: Sanfui and Sharma: time and memory of the three stages of assembly by element, "
    "format and method.\n"
    "Words select generated bodies and where they are measured. MODEL: decks of static steps, or "
    "plans of the rod, which\n"
    "examples/rod/make.py --table writes; without MODEL, boxes, and tubes of the paper's sizes.\n"
    "words of assembly: boxes tubes device host\n"
    "integration: Banas, Plaszewski and Maciol: launch parameters, time per element by stage and "
    "rates of integration\n"
    "on prisms of order 1 to 7, for each of their kernels and hooke's. Words "
    "select the measurements:\n"
    "the tables, the times, the device and the host together, or, only if named, the times by "
    "number of elements\n"
    "(scaling); where, in which precision, whose kernels (the paper's in double only if double is "
    "named), which order.\n"
    "words of integration: tables times together scaling device host single double paper ours\n"
    "words of integration: p1 p2 p3 p4 p5 p6 p7\n"
    "femses: Keating (2019), chapter 5: heat conduction by every method over the number of "
    "unknowns,\n"
    "stage by stage, five runs with 95 % intervals, beside the paper's figures. Words select what "
    "is measured, by number\n"
    "of unknowns or of threads in a group, where, kernels or whole solutions, on which bodies, and "
    "by which methods or\n"
    "relaxations; a number is one of unknowns. MODEL: case files of heat conduction.\n"
    "words of femses: sizes groups device host kernels solutions rectangle irregular bore box\n"
    "words of femses: cholesky dense dense-to-sparse cg femses jacobi chebyshev conjugate "
    "multigrid\n"
    "sem: spectral elements: rates of steps by order, geometry and state. Words select the "
    "measurements; stages are\n"
    "the tables of Carrascal-Manzanares et al. (2017), whole: by all threads alone.\n"
    "words of sem: rates stages sets products precision tuner bp5 scatter patches attenuation "
    "whole elastic "
    "acoustic 2d 3d\n"
    "words of sem: p1 p2 p3 p4 p5 p6 p7 p8 p9 p10\n",
    NULL};

int main(int argc, char **argv)
{
  cli_begin();
  return cli_end(run_bench(&verb, argc, (const char **)argv));
}
