/* hooke VERB ...: finds the verb, runs it, and makes sure that the result reached stdout. */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const cli_verb verb[] = {
    {"run", "MODEL", 1, 1, "solve a case file (.yaml, .json) or a deck (.inp, .inp.gz)",
     "  hooke run weld.inp\n"
     "  hooke run weld.yaml --set \"solve.explicit.end=20 us\" --threads 4 --output "
     "/tmp/weld.hooke\n"
     "  hooke run weld.inp --restart\n",
     "Writes the folder MODEL.hooke in the working directory: run.json, run.h5 (traces, "
     "energies),\n"
     "field.vtkhdf (frames for ParaView), pictures and report.html.\n",
     cli_run},
    {"check", "MODEL", 1, 1,
     "check a model without solving it: errors, mesh, dt, memory, disk, time",
     "  hooke check weld.inp\n"
     "  hooke check weld.yaml --strict --json\n",
     NULL, cli_check},
    {"info", "FILE", 1, 1, "show what a mesh, deck, case or result contains",
     "  hooke info weld.msh\n"
     "  hooke info weld.hooke --json\n"
     "  hooke info weld.hooke/run.h5 --arrays --json\n",
     NULL, cli_info},
    {"convert", "IN OUT", 2, 2, "convert a mesh between .msh, .inp, .vtu and .vtkhdf",
     "  hooke convert weld.inp weld.vtu\n", "The extension of OUT selects its format.\n",
     cli_convert},
    {"partition", "MESH", 1, 1, "partition the nodes of a mesh or model into blocks for a GPU",
     "  hooke partition weld.inp\n"
     "  hooke partition weld.msh --method greedy --output weld.blocks --picture weld.png\n",
     "Writes a block file, MESH.blocks in the working directory. \"hooke run --blocks FILE\" uses "
     "it\n"
     "for every model of the same mesh.\n",
     cli_partition},
    {"export", "RUN", 1, 1, "write traces, fields and pictures of a result to RUN/export/",
     "  hooke export weld.hooke --csv\n"
     "  hooke export weld.hooke --vtu --png\n"
     "  hooke export weld.hooke --su --sac\n",
     ".su and .sac files are in single precision, seconds and metres. REQUEST.txt beside them "
     "lists\n"
     "the exact values that their headers round.\n",
     cli_export},
    {"compare", "A B", 2, 2, "compare two results: largest and L2 difference per trace and field",
     "  hooke compare weld.hooke weld_2.hooke\n"
     "  hooke compare weld.hooke reference/run.h5 --tolerance 1e-6\n",
     "Differences are relative to the largest value and the norm of A.\n", cli_compare},
    {"report", "RUN", 1, 1, "write one self-contained HTML file of a result",
     "  hooke report weld.hooke\n"
     "  hooke report weld.hooke --output weld.html\n",
     NULL, cli_report},
    {"devices", "", 0, 0, "list every device: name, memory, measured copy bandwidth",
     "  hooke devices\n", NULL, cli_devices},
    {"new", "NAME [DIR]", 0, 2, "write a commented, runnable example",
     "  hooke new plate\n"
     "  hooke new plate my_folder\n"
     "  hooke new --schema > hooke.schema.json\n",
     "Without NAME it lists the examples.\n", cli_new},
    {"selftest", "", 0, 0, "solve problems with known answers on every device",
     "  hooke selftest\n", NULL, cli_selftest},
    {"bench", "NAME [MODEL ...]", 1, 9, "measure the tables of a paper on this machine",
     "  hooke bench pogo\n"
     "  hooke bench pogo weld_paper.inp --device cuda --json\n"
     "  hooke bench assembly --device cuda\n"
     "  hooke bench assembly examples/rod/rod.inp.gz\n"
     "  hooke bench integration --device cuda\n"
     "  hooke bench integration times ours p4 p5\n"
     "  hooke bench femses --scale 0.1\n"
     "  hooke bench sem 2d p4 p7 --device cuda\n",
     "pogo: Huthwaite (2014), Tables 1, 2, 4 and A.5, and discrepancy traces: blocks by each "
     "partitioner, time of a\n"
     "step by form of K, device and precision. MODEL: decks or case files, such as those of "
     "examples/ at the paper's\n"
     "size; without MODEL, rectangles of the paper's sizes. Takes minutes.\n"
     "assembly: Sanfui and Sharma: time and memory of the three stages of assembly by element, "
     "format and method.\n"
     "integration: Banas, Plaszewski and Maciol: launch parameters, time per element by stage and "
     "rates of integration\n"
     "on prisms of order 1 to 7, for each of their kernels and hooke's, with pictures. Words "
     "select the measurements:\n"
     "the tables or the times, where, in which precision, whose kernels (the paper's in double "
     "only if double is\n"
     "named), which order.\n"
     "words of integration: tables times device host single double paper ours p1 p2 p3 p4 p5 p6 "
     "p7\n"
     "femses: Keating (2019), chapter 5: heat conduction by every method over the number of "
     "unknowns,\n"
     "stage by stage, five runs with 95 % intervals, beside the paper's figures.\n"
     "sem: spectral elements: rates of steps by order, geometry and state. Words select the "
     "measurements; stages are\n"
     "the tables of Carrascal-Manzanares et al. (2017).\n"
     "words of sem: rates stages tuner bp5 scatter elastic acoustic 2d 3d p1 p2 p3 p4 p5 p6 p7 p8 "
     "p9 p10\n",
     cli_bench},
    {.name = NULL}};

static int print_help(FILE *to)
{
  fputs(
      "hooke: elastic and acoustic waves in time, static elasticity and steady heat conduction on\n"
      "unstructured meshes in 2D and 3D\n"
      "\n"
      "Example:\n"
      "  hooke run weld.inp\n"
      "\n"
      "Usage: hooke VERB ...\n"
      "\n",
      to);
  for (const cli_verb *v = verb; v->name; v++)
    fprintf(to, "  %-10s%-11s %s\n", v->name, v->words, v->summary);
  fputs("\n"
        "hooke VERB --help describes a verb; hooke --version prints the version.\n"
        "Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 check failed, 5 out of memory "
        "or\n"
        "device failed, 6 unstable, 7 not converged, 8 output not writable, 130 or 143 stopped by "
        "SIGINT\n"
        "or SIGTERM; a run in time writes a checkpoint first.\n",
        to);
  return HK_OK;
}

static int unknown_verb(const char *word)
{
  const char *name[sizeof verb / sizeof *verb];
  int count = 0;
  for (; verb[count].name; count++) name[count] = verb[count].name;
  return cli_usage_error(NULL, "unknown verb \"%s\"%s", word, cli_did_you_mean(word, name, count));
}

static int dispatch(int argc, const char **argv)
{
  if (argc < 2) {
    print_help(stderr);
    return HK_USAGE;
  }
  for (int i = 1; i < argc; i++) manner.json_named |= !strcmp(argv[i], "--json");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return print_help(stdout);
  if (!strcmp(argv[1], "--version")) return printf("hooke %s\n", HK_VERSION), HK_OK;
  for (const cli_verb *v = verb; v->name; v++)
    if (!strcmp(argv[1], v->name)) return v->run(v, argc - 1, argv + 1);
  return unknown_verb(argv[1]);
}

enum { STOPPED = 128 };

/* A descriptor that is closed would be given to the next file that is opened, and messages written into a result. It is held by one
 * that cannot be used in its direction: writing fails as before. */
static void hold_descriptors(void)
{
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
      _exit(HK_INTERNAL);
}

/* Then threads of libraries may wait for memory that never comes, and exit() for them. After a stop, too, a library may go on in a thread:
 * what it uses must stay till the end. */
static bool memory_is_limited(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int main(int argc, char **argv)
{
  hold_descriptors();
  signal(SIGXFSZ,
         SIG_IGN); /* a file beyond `ulimit -f` is an error of the write, as a full disk is */
  int code = dispatch(argc, (const char **)argv);
  bool written = !ferror(stdout);
  if (fclose(stdout) != 0) written = false;
  if (!written) {
    fprintf(stderr, "hooke: error: the result could not be written to standard output: %s\n",
            strerror(errno));
    if (code == HK_OK) code = HK_NOT_WRITABLE;
  }
  if (code > STOPPED || memory_is_limited()) {
    fflush(stderr);
    _exit(code);
  }
  return code;
}
