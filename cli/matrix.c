/* hooke matrix MODEL: assembles K, or the lumped mass, of a step and writes it as a sparse matrix (hooke/matrix.h).
 * Format, extension and whether the file can be written are checked before the model is read. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static char *format, *output;
static int symmetric, reduced, mass, step = 1;
static const struct poptOption options[] = {
    {"format", 0, POPT_ARG_STRING, &format, 0,
     "csr (default; of .mtx coo), coo, ell or bsr (blocks of a node)", "NAME"},
    {"output", 'o', POPT_ARG_STRING, &output, 0,
     "file to write: .mtx, .npz or .h5 (default: MODEL.mtx here)", "FILE"},
    {"symmetric", 0, POPT_ARG_NONE, &symmetric, 0, "write the lower triangle only", NULL},
    {"reduced", 0, POPT_ARG_NONE, &reduced, 0,
     "apply supports and ties: T^T K T of the free unknowns", NULL},
    {"mass", 0, POPT_ARG_NONE, &mass, 0, "write the lumped mass instead of K", NULL},
    {"step", 0, POPT_ARG_INT, &step, 0, "supports and films of this step (default: 1)", "N"},
    CLI_DEVICE,
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static bool find_format(const cli_verb *verb, const char *path, hk_sparse_format *out)
{
  const size_t length = strlen(path);
  const bool text = length > 4 && !strcmp(path + length - 4, ".mtx");
  *out = text ? HK_SPARSE_COO : HK_SPARSE_CSR;
  if (!format) return true;
  for (int k = 0; k < HK_SPARSE_FORMATS; k++) {
    *out = (hk_sparse_format)k;
    if (!strcmp(format, hk_sparse_format_name(*out))) return true;
  }
  cli_usage_error(verb, "--format \"%s\": must be one of csr, coo, ell, bsr", format);
  return false;
}

static hk_status write(cli_call *c, const hk_run_desc *how, const hk_sparse_desc *what,
                       const char *path)
{
  const hk_model_desc desc = cli_model_desc(c->word[0]);
  hk_model *model = NULL;
  hk_system *system = NULL;
  hk_sparse_matrix *matrix = NULL;
  hk_status status = hk_sparse_desc_check(what, path);
  if (status == HK_OK) status = hk_model_create(&desc, c->list, &model);
  if (status == HK_OK) status = hk_system_create(model, how, c->list, &system);
  if (status == HK_OK && step != 1) status = hk_system_take(system, step - 1, 0);
  if (status == HK_OK) status = hk_sparse_matrix_create(system, what, &matrix);
  if (status == HK_OK) status = hk_sparse_matrix_write(matrix, path, &c->json);
  hk_sparse_matrix_destroy(&matrix);
  hk_system_destroy(&system);
  hk_model_destroy(&model);
  return status;
}

int cli_matrix(cli_call *c)
{
  hk_run_desc how = {0};
  hk_sparse_desc what = {0};
  char *own = NULL;
  if (!cli_open(c, options)) return c->code;
  if (!cli_solve_desc(c->verb, &how)) return HK_USAGE;
  if (step < 1) return cli_usage_error(c->verb, "--step %d: must be 1 or more", step);
  const char *path = output ? output : (own = cli_name_after(c->word[0], ".mtx"));
  if (!path) return cli_fail(HK_NO_RESOURCES, NULL);
  if (!find_format(c->verb, path, &what.format)) return HK_USAGE;
  what.precision = how.precision;
  what.symmetric = symmetric, what.reduced = reduced, what.mass = mass;
  const hk_status status = write(c, &how, &what, path);
  if (manner.quiet && !manner.json) hk_text_free(&c->json);
  free(own);
  return cli_finish(c, status);
}
