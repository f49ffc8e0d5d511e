/* hooke VERB ...: the table of verbs, with their arguments, help and functions.
 * main finds the verb (or suggests a similar one), runs it, and checks at the end that standard
 * output took the result. The exit code is the status of the library, or 128 + signal. */
#include "cli.h"
#include <stdio.h>
#include <string.h>

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
    {"vary", "CASE", 1, 1, "run a case for each combination of values of its keys",
     "  hooke vary weld.yaml --over materials.steel.young=190e9,200e9,210e9\n"
     "  hooke vary weld.yaml --over \"solve.explicit.end=10:50:5 us\" --over element.order=1,2 "
     "--device all\n"
     "  hooke vary plate.yaml --over \"mesh.rectangle.cells=[20,10],[40,20]\"\n",
     "Writes the folder CASE.vary in the working directory: a result folder for each run (0001, "
     "...),\n"
     "and vary.csv with the values, how each run ended and its key figures. Runs that have "
     "finished\n"
     "are kept: the same command continues a study that was stopped.\n",
     cli_vary},
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
     "  hooke partition weld.msh --method greedy --output weld.blocks --picture weld.png\n"
     "  hooke partition weld.inp --sweep\n"
     "  hooke partition changed.inp --reuse weld.blocks\n",
     "Writes a block file, MESH.blocks in the working directory. \"hooke run --blocks FILE\" uses "
     "it\n"
     "for every model of the same mesh.\n",
     cli_partition},
    {"export", "RUN", 1, 1, "write traces, fields and pictures of a result to RUN/export/",
     "  hooke export weld.hooke --csv\n"
     "  hooke export weld.hooke --vtu --png\n"
     "  hooke export weld.hooke --su --sac\n"
     "  hooke export valley.hooke --segy --mseed\n"
     "  hooke export weld.hooke --png --quantity velocity --component y --time 3.5\n"
     "  hooke export weld.hooke --film weld.mp4 --quantity velocity --frame-rate 25\n",
     ".su, .segy and .sac files are in single precision, seconds and metres. REQUEST.txt beside "
     "them\n"
     "lists the exact values that their headers round.\n",
     cli_export},
    {"compare", "A B", 2, 2, "compare two results: largest and L2 difference per trace and field",
     "  hooke compare weld.hooke weld_2.hooke\n"
     "  hooke compare weld.hooke reference/run.h5 --tolerance 1e-6\n",
     "Differences are relative to the largest value and the norm of A.\n", cli_compare},
    {"report", "RUN", 1, 1, "write one self-contained HTML file of a result",
     "  hooke report weld.hooke\n"
     "  hooke report weld.hooke --output weld.html\n",
     NULL, cli_report},
    {"image", "RUN", 1, 1, "make a B-scan, a C-scan or a total focusing image of an array",
     "  hooke image plate.hooke --method bscan --component y\n"
     "  hooke image plate.hooke --method tfm --component y --from 6,2 --to 34,18 --delay 0.8\n"
     "  hooke image block.hooke --method cscan --component z --gate 3,5 --span 20\n",
     "Takes the traces of an array: its elements fire one by one as shots while all receivers "
     "listen.\n"
     "Lengths and times are in the run's units. Writes RUN/image_METHOD.h5 and the picture\n"
     "RUN/image_METHOD.png, whose colours are decibels below the largest value.\n",
     cli_image},
    {"inject", "CASE", 1, 1, "write the points at which a wave is needed that comes into a case",
     "  hooke inject local.yaml\n"
     "  hooke inject local.yaml --output local.points.csv\n",
     "The case has a source with `injection`, whose file need not be there yet. Record traces at "
     "these\n"
     "points in another run (outputs: {traces: [{name: local, at: {file: local.points.csv}}]}), "
     "and let\n"
     "`injection` name its run.h5.\n",
     cli_inject},
    {"matrix", "MODEL", 1, 1, "write the stiffness matrix of a model as a sparse matrix",
     "  hooke matrix bracket.yaml\n"
     "  hooke matrix bracket.yaml --format csr --symmetric --reduced --output K.npz\n"
     "  hooke matrix bracket.inp --mass --output M.mtx\n",
     "Writes K of all unknowns: supports and ties are not applied. --reduced applies them: T^T K T "
     "over\n"
     "the free unknowns, u = T w + offset. Of heat conduction K is the conductance with its films. "
     "The file\n"
     "names the node and component of each row: .mtx (Matrix Market, with NAME.unknowns.csv beside "
     "it),\n"
     ".npz (numpy, scipy.sparse.load_npz) or .h5.\n",
     cli_matrix},
    {"devices", "", 0, 0, "list every device: name, memory, measured copy bandwidth",
     "  hooke devices\n", NULL, cli_devices},
    {"new", "NAME [DIR]", 0, 2, "write a commented, runnable example",
     "  hooke new plate\n"
     "  hooke new plate my_folder\n"
     "  hooke new --schema > hooke.schema.json\n",
     "Without NAME it lists the examples.\n", cli_new},
    {"selftest", "", 0, 0, "solve problems with known answers on every device",
     "  hooke selftest\n", NULL, cli_selftest},
    {"bench", "NAME [MODEL ...]", 1, 9, "measure the tables of a paper on this machine", "", NULL,
     cli_bench}, /* its help is that of the program hooke-bench */
    {.name = NULL}};

static int print_help(FILE *to)
{
  fputs("hooke: elastic and acoustic waves in time, static elasticity and heat conduction on\n"
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

static int call(const cli_verb *v, int argc, const char **argv)
{
  cli_call c = {.verb = v, .argc = argc, .argv = argv};
  const int code = v->run(&c);
  hk_text_free(&c.json);
  hk_messages_destroy(&c.list);
  return code;
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
    if (!strcmp(argv[1], v->name)) return call(v, argc - 1, argv + 1);
  return unknown_verb(argv[1]);
}

int main(int argc, char **argv)
{
  cli_begin();
  return cli_end(dispatch(argc, (const char **)argv));
}
