/* Options that run, check and matrix share: device, precision, threads, overrides of keys; and of run and check field format and blocks.
 * The file checks their values, fills hk_run_desc and hk_model_desc, names the result folder after
 * the model, and reads the environment (CUDA_PATH, XDG_CACHE_HOME, HOME). */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *device, *connection, *precision, *field_format, *blocks;
static int threads, run_gmsh;
static char **overrides;

const struct poptOption cli_model_options[] = {
    {"run-gmsh", 0, POPT_ARG_NONE, &run_gmsh, 0,
     "mesh a .geo file with gmsh; it can run any command: trust it first", NULL},
    {"set", 0, POPT_ARG_ARGV, &overrides, 0, "override a case key; repeatable", "KEY=VALUE"},
    POPT_TABLEEND};

const struct poptOption cli_device_options[] = {
    {"device", 0, POPT_ARG_STRING, &device, 0,
     "auto (a GPU if there is one, else cpu), cpu, cuda[:N], opencl[:N], all (shots or "
     "one model on several; or A,B)",
     "NAME"},
    {"link", 0, POPT_ARG_STRING, &connection, 0,
     "between devices: peers or memory (of one process), mpi, mpi-device or nccl (of ranks)",
     "NAME"},
    {"precision", 0, POPT_ARG_STRING, &precision, 0, "single or double", "NAME"},
    {"threads", 0, POPT_ARG_INT, &threads, 0,
     "threads on the processor (default: 0, all that the machine has)", "N"},
    CLI_MODEL,
    POPT_TABLEEND};

const struct poptOption cli_solve_options[] = {
    CLI_DEVICE,
    {"field-format", 0, POPT_ARG_STRING, &field_format, 0, "vtkhdf, or vtu for older ParaView",
     "NAME"},
    {"blocks", 0, POPT_ARG_STRING, &blocks, 0,
     "use method blocks with the blocks in FILE, written by hooke partition", "FILE"},
    POPT_TABLEEND};

/* An option's value (may be NULL) is one of `words`, up to a ':' */
static bool is_one_of(const cli_verb *verb, const char *option, const char *value,
                      const char *const *words, int count)
{
  char text[64];
  if (!value) return true;
  snprintf(text, sizeof text, "%s", value);
  if (!strcmp(option, "device")) text[strcspn(text, ":")] = 0;
  for (int i = 0; i < count; i++)
    if (!strcmp(text, words[i])) return true;
  char all[128] = "";
  for (int i = 0; i < count; i++) strcat(strcat(all, i ? ", " : ""), words[i]);
  cli_usage_error(verb, "--%s \"%s\": must be one of %s", option, value, all);
  return false;
}

bool cli_are_devices(const cli_verb *verb, const char *names)
{
  static const char *const words[] = {"auto", "cpu", "cuda", "opencl", "all"};
  char name[32];
  for (const char *next = names; next; next = strchr(next, ',') ? strchr(next, ',') + 1 : NULL) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(next, ","), next);
    if (!is_one_of(verb, "device", name, words, 5)) return false;
  }
  return true;
}

bool cli_is_precision(const cli_verb *verb, const char *name)
{
  static const char *const words[] = {"single", "double"};
  return is_one_of(verb, "precision", name, words, 2);
}

void cli_surroundings(hk_run_desc *desc)
{
  static char cache[512];
  const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool named = folder && *folder;
  desc->toolkit = getenv("CUDA_PATH");
  if (!named && !(home && *home)) return;
  const int length =
      snprintf(cache, sizeof cache, "%s%s/hooke", named ? folder : home, named ? "" : "/.cache");
  if (length < (int)sizeof cache) desc->cache = cache;
}

int cli_threads_given(void)
{
  return threads > 0 ? threads : 0;
}

bool cli_solve_desc(const cli_verb *verb, hk_run_desc *desc)
{
  static const char *const formats[] = {"vtkhdf", "vtu"}, *const connections[] = {
                                                              "peers", "memory", "mpi",
                                                              "mpi-device", "nccl"};
  if (!cli_are_devices(verb, device)) return false;
  if (!is_one_of(verb, "link", connection, connections, 5)) return false;
  if (!cli_is_precision(verb, precision)) return false;
  if (!is_one_of(verb, "field-format", field_format, formats, 2)) return false;
  if (threads < 0) {
    cli_usage_error(verb, "--threads %d: must be 0 or more", threads);
    return false;
  }
  desc->device = device, desc->link = connection;
  cli_surroundings(desc);
  desc->precision = !precision                     ? HK_PRECISION_DEFAULT
                    : !strcmp(precision, "single") ? HK_SINGLE
                                                   : HK_DOUBLE;
  desc->threads = threads ? threads : hk_ranks_threads();
  desc->field_format = field_format;
  desc->blocks = blocks;
  return true;
}

const char *const *cli_overrides(int *count)
{
  *count = 0;
  while (overrides && overrides[*count]) ++*count;
  return (const char *const *)overrides;
}

hk_model_desc cli_model_desc(const char *path)
{
  hk_model_desc desc = {.path = path, .run_gmsh = run_gmsh};
  desc.set = cli_overrides(&desc.set_count);
  return desc;
}

static void drop_suffix(char *name, const char *suffix)
{
  const size_t n = strlen(name), m = strlen(suffix);
  if (n > m && !strcasecmp(name + n - m, suffix)) name[n - m] = 0;
}

char *cli_name_after(const char *model, const char *ending)
{
  static const char *const endings[] = {".gz",   ".inp", ".yaml", ".yml",
                                        ".json", ".msh", ".vtu",  ".vtkhdf"};
  const char *slash = strrchr(model, '/');
  const char *base = slash ? slash + 1 : model;
  char *name = malloc(strlen(base) + strlen(ending) + 1);
  if (!name) return NULL;
  strcpy(name, base);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) drop_suffix(name, endings[i]);
  return strcat(name, ending);
}
