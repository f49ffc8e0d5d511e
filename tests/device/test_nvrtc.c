/* Every kernel compiles for CUDA: NVRTC where it is installed, without a GPU. */
#include "device/cuda/nvrtc.h"
#include "device/source.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ARCH = 90 }; /* sm_90 */

static const hk_device_info gpu = {.lanes = 1, .width = 32, .group_threads = 128, .team = 32};
static hk_nvrtc nvrtc;

static void compile(const hk_kernel_desc *desc)
{
  char *source = NULL, *cubin = NULL;
  hk_count size = 0;
  assert_int_equal(hk_kernel_source(desc, &gpu, "cuda", &source), HK_OK);
  if (hk_nvrtc_compile(&nvrtc, desc->function, source, ARCH, &cubin, &size) != HK_OK)
    fail_msg("%s", hk_error());
  assert_true(size > 1000);
  assert_memory_equal(cubin, "\177ELF", 4);
  hk_free(&cubin);
  hk_free(&source);
}

typedef struct variant {
  const char *text, *function;
  int least_dim, most_dim, least_form;
  int threads; /* 0: the device's */
  const char *defines;
} variant;

/* Of explicit steps and products, in each form. */
static const variant formed[] = {
    {"corners", "corners_step", 2, 3, 0, 0, "NODES=128"},
    {"stored", "stored_step", 2, 3, 0, 0, "BATCH=8 GROUPS=3 ROWS=4"},
    {"edges", "edges_step", 2, 3, 0, 0, "MAX_LOCAL=640 MAX_SLOTS=2560 PATCH=256"},
    {"edges", "edges_step", 2, 3, 0, 0,
     "MAX_GATHERS=60 MAX_LOCAL=640 MAX_PAIRS=60 PATCH=160 STAGED=1"},
    {"edges", "edges_step", 3, 3, 0, 0,
     "MAX_GATHERS=60 MAX_LOCAL=640 MAX_PAIRS=60 PACKED=1 PATCH=160 STAGED=1"},
    {"ring", "ring_step", 2, 2, 0, 0,
     "LAWS=0 MAX_HALO=160 MAX_LIST=200 MAX_LOCAL=640 PATCH=512 STAGED=1"},
    {"ring", "ring_step", 2, 2, 0, 0, "LAWS=1 MAX_HALO=160 MAX_LOCAL=640 PATCH=512"},
    {"patch", "patch_step", 2, 3, 0, 0,
     "GROUPS=2 KINDS=15 MAX_HALO=160 MAX_LIST=200 MAX_LOCAL=320 MAX_SLOTS=2048 PARTS=1 PATCH=128 "
     "STAGED=1"},
    {"patch", "patch_step", 2, 3, 0, 0,
     "KINDS=15 MAX_HALO=160 MAX_LOCAL=320 MAX_SLOTS=2048 PATCH=128"},
    {"blocks", "blocks_step", 2, 2, 0, 0, "GROUPS=4 MAX_LOCAL=800 MAX_SIZE=512"},
    {"spectral", "spectral_step", 2, 3, 0, 0, "COLOURS=0 ELEMS=5 KINDS=63 ORDER=4 PARTS=1"},
    {"spectral", "spectral_step", 2, 3, 0, 0,
     "COLOURS=0 ELEMS=1 FETCHES=1 GROUPS=3 KINDS=4 ORDER=10 PARTS=1"},
    {"spectral", "spectral_step", 2, 3, 0, 0,
     "COLOURS=0 COMPONENTS=1 ELEMS=5 KINDS=7 ORDER=4 PARTS=1 STATE=1"},
    {"spectral", "spectral_step", 2, 3, 0, 0, "COLOURS=1 ELEMS=5 KINDS=63 ORDER=4 PARTS=1"},
    {"spectral", "spectral_step", 2, 3, 0, 0,
     "COLOURS=1 COMPONENTS=1 ELEMS=5 FETCHES=1 KINDS=7 ORDER=3 PARTS=1 STATE=1"},
    {"wet", "wet_step", 2, 3, 0, 0, "COLOURS=0 PARTS=1 SPAN=128"},
    {"wet", "wet_step", 2, 3, 0, 0, "COLOURS=1 PARTS=1 SPAN=128"},
    {"slots", "slots_step", 1, 3, 0, 0, "COLOURS=0 PARTS=1 SPAN=128"},
    {"slots", "slots_step", 1, 3, 0, 0, "COLOURS=1 PARTS=1 SPAN=128"},
    {"springs", "springs_step", 2, 3, 0, 0, "ROWS=128"},
    {"vectors", "vectors_energy", 1, 3, 1, 0, "CHUNK=1024"},
    {"vectors", "vectors_integrate", 1, 3, 1, 0, "CHUNK=1024"},
    {"product", "product_step", 2, 3, 0, 0, "DIFFERENCES=1 ROWS=16 RUN=1 SPREAD=8"},
    {"product", "product_step", 1, 1, 0, 0, "DIFFERENCES=0 ROWS=16 RUN=1 SPREAD=8"},
    {"product", "product_short", 1, 1, 0, 0, "DIFFERENCES=0 ROWS=128 RUN=1 SPAN=1500 SPREAD=4"},
    {"pml", "pml_forces", 2, 2, 1, 0, "CHUNK=1024 COMPONENTS=2 MOST=25 STATE=2"},
    {"pml", "pml_forces", 3, 3, 1, 0, "CHUNK=1024 COMPONENTS=3 MOST=125 STATE=3"},
    {"pml", "pml_nodes", 3, 3, 1, 0, "CHUNK=1024 COMPONENTS=3 MOST=125 STATE=3"},
    {"pml", "pml_wet", 2, 2, 1, 0, "CHUNK=1024 COMPONENTS=2 MOST=25 STATE=2"},
    {"pml", "pml_wet", 3, 3, 1, 0, "CHUNK=1024 COMPONENTS=3 MOST=125 STATE=3"},
    {"pml", "pml_forces", 2, 3, 1, 0, "CHUNK=1024 COMPONENTS=1 MOST=125 STATE=1"},
    {"pml", "pml_forces", 2, 2, 1, 0, "CHUNK=1024 COMPONENTS=1 MOST=25 STATE=2"},
    {"pml", "pml_forces", 3, 3, 1, 0, "CHUNK=1024 COMPONENTS=1 MOST=125 STATE=3"},
    {"pml", "pml_nodes", 2, 3, 1, 0, "CHUNK=1024 COMPONENTS=1 MOST=125 STATE=1"},
    {"drive", "drive_step", 1, 3, 1, 0, "CHUNK=1024 STEPS=256"},
    {"drive", "dashpots_step", 1, 3, 1, 0, "CHUNK=1024 STEPS=256"},
};

/* That know no forms. */
static const variant plain[] = {
    {"stream", "stream_step", 0, 0, 0, 0, "CHUNK=4096"},
    {"elements", "elements_product", 1, 3, 0, 0, "DIFFERENCES=1 ELEMENTS=128 EXACT=1 NODES=4"},
    {"elements", "elements_jacobi", 1, 3, 0, 0, "DIFFERENCES=0 ELEMENTS=128 EXACT=1 NODES=10"},
    {"relax", "relax_step", 0, 0, 0, 0, "CHUNK=4096"},
    {"relax", "relax_fold", 0, 0, 0, 0, "CHUNK=4096"},
    {"ring", "ring_step", 0, 0, 0, 0,
     "COMPONENTS=1 FORM=0 LAWS=0 MAX_HALO=160 MAX_LIST=200 MAX_LOCAL=640 PATCH=512 STAGED=1"},
    {"tets", "tets_step", 0, 0, 0, 0, "DAMPED=0 FORM=0 MAX_LOCAL=1904"},
    {"corners", "corners_weigh", 1, 1, 0, 0, "DAMPED=0 FORM=0 NODES=128"},
    {"krylov", "krylov_fold", 0, 0, 0, 0, "CHUNK=4096 LIST=256"},
    {"level", "level_multiply", 0, 0, 0, 0, "BLOCK=3 COLUMNS=6 NODES=32 ROWS=1"},
    {"level", "level_invert", 0, 0, 0, 0, "BLOCK=6 COLUMNS=6 NODES=256 ROWS=6"},
    {"sparse", "sparse_unite", 0, 0, 0, 0, "CHUNK=128 FILL=1 HEAVY=0 ROWS=4 SLOTS=256"},
    {"sparse", "sparse_unite", 0, 0, 0, 0, "CHUNK=128 FILL=0 HEAVY=1 ROWS=1 SLOTS=1024"},
    {"sparse", "sparse_multiply", 0, 0, 0, 0,
     "CHUNK=128 COLUMNS=6 HEIGHT=3 INNER=3 LINES=1 ROWS=4"},
    {"sparse", "sparse_pack", 0, 0, 0, 0, "CHUNK=128 ROWS=1"},
    {"packing", "packing_matrices", 0, 0, 0, 0, "CHUNK=128"},
    {"integrate", "integrate_elements", 2, 2, 0, 0,
     "COMPONENTS=2 ELEMENTS=2 EXACT=1 LAW=39 NODES=20 POINTS=27"},
    {"integrate", "integrate_elements", 3, 3, 0, 0,
     "COMPONENTS=3 ELEMENTS=2 EXACT=1 LAW=39 NODES=20 POINTS=27"},
    {"integrate", "integrate_elements", 2, 3, 0, 0,
     "COMPONENTS=1 ELEMENTS=2 EXACT=1 LAW=39 NODES=20 POINTS=27"},
    {"gather", "gather_rows", 1, 3, 0, 0, "HEAVY=0 ROUND=8 ROWS=4 SPAN=300 VALUES=0"},
    {"gather", "gather_rows", 2, 3, 0, 0, "HEAVY=1 ROUND=8 ROWS=1 SPAN=1 VALUES=0"},
    {"elementwise", "elementwise_step", 2, 3, 0, 0, "CHUNK=64 LAW=39 NODES=10 VALUES=0 WAY=0"},
    {"elementwise", "elementwise_shared", 3, 3, 0, 0,
     "BATCH=4 CHUNK=64 LAW=39 LIST=320 NODES=10 ROWS=8 VALUES=0 WAY=3"},
    {"fans", "fans_rows", 2, 3, 0, 0, "LAW=39 ROWS=32 SPAN=600 STEP=4 VALUES=3"},
    {"dense", "dense_rows_of", 1, 3, 0, 0, "CHUNK=256 ROWS=32"},
    {"stages", "stages_product", 0, 0, 0, 0, "BATCHES=64 ORDER=3 WAY=0"},
    {"stages", "stages_product", 0, 0, 0, 0, "BATCHES=64 ORDER=3 WAY=1"},
    {"stages", "stages_product", 0, 0, 0, 64, "BATCHES=64 ORDER=5 WAY=2"},
    {"quadrature", "quadrature_parts", 0, 0, 0, 512,
     "CORNERS=18 DIRECTIONS=3 ELASTIC=1 EQUATIONS=3 JACOBIAN=1 MOST=288 PART=512 STORE=0"},
    {"quadrature", "quadrature_parts", 0, 0, 0, 128,
     "CORNERS=1 DIRECTIONS=4 ELASTIC=0 EQUATIONS=5 JACOBIAN=0 MOST=288 PART=256 STORE=1"},
    {"products", "products_elements", 0, 0, 0, 144,
     "BATCH=336 CHUNK=16 CORNERS=1 DIRECTIONS=3 ELASTIC=1 ELEMENTS=1 EQUATIONS=3 JACOBIAN=0 "
     "POINTWISE=0 SPAN=12 TILE=3"},
    {"products", "products_elements", 0, 0, 0, 128,
     "BATCH=16 CHUNK=8 CORNERS=6 DIRECTIONS=4 ELASTIC=0 ELEMENTS=2 EQUATIONS=4 JACOBIAN=1 "
     "POINTWISE=1 SPAN=8 TILE=1"},
    {"whole", "whole_elements", 0, 0, 0, 192,
     "BLOCKS=4 CORNERS=6 DIRECTIONS=3 ELASTIC=1 ELEMENTS=32 EQUATIONS=3 POINTS=6 SHAPES=6 SPLIT=1"},
    {"whole", "whole_elements", 0, 0, 0, 36,
     "BLOCKS=5 CORNERS=18 DIRECTIONS=4 ELASTIC=0 ELEMENTS=1 EQUATIONS=2 POINTS=18 SHAPES=18 "
     "SPLIT=2"},
    {"whole", "whole_elements", 0, 0, 0, 120,
     "BLOCKS=4 CORNERS=15 DIRECTIONS=3 ELASTIC=0 ELEMENTS=4 EQUATIONS=1 POINTS=18 SHAPES=15 "
     "SPLIT=2"},
    {"factorised", "factorised_elements", 0, 0, 0, 160,
     "CHUNK=6 DEPTH=8 DIRECTIONS=3 ELASTIC=1 ELEMENTS=1 EQUATIONS=3 LAYERS=8 PAIRS=16 PLANES=8 "
     "ROWS=4 TILE=4"},
    {"factorised", "factorised_elements", 0, 0, 0, 256,
     "CHUNK=4 DEPTH=4 DIRECTIONS=4 ELASTIC=0 ELEMENTS=2 EQUATIONS=2 LAYERS=3 PAIRS=21 PLANES=4 "
     "ROWS=2 TILE=6"},
    {"factorised", "factorised_terms", 0, 0, 0, 128,
     "CHUNK=1 DEPTH=2 DIRECTIONS=3 ELASTIC=1 ELEMENTS=1 EQUATIONS=3 LAYERS=2 PAIRS=6 PLANES=2 "
     "ROWS=2 TILE=3"},
};

/* That know no reals either. */
static const variant whole[] = {
    {"scan", "scan_spread", 0, 0, 0, 0, "RUN=16"},
    {"neighbour", "neighbour_sort", 0, 0, 0, 0, "CHUNK=128 ROWS=1 SLOTS=1"},
    {"neighbour", "neighbour_unite", 0, 0, 0, 0, "CHUNK=128 FILL=1 HEAVY=0 ROWS=8 SLOTS=256"},
    {"neighbour", "neighbour_unite", 0, 0, 0, 0, "CHUNK=128 FILL=0 HEAVY=1 ROWS=8 SLOTS=1"},
    {"aggregate", "aggregate_smooth", 0, 0, 0, 0, "CHUNK=128 HEIGHT=3 MODES=6"},
    {"indices", "indices_format", 2, 3, 0, 0, "CHUNK=128 FORMAT=2 ROWS=4"},
    {"indices", "indices_where", 2, 3, 0, 0, "CHUNK=128 FORMAT=3 ROWS=4"},
    {"pattern", "pattern_unite", 0, 0, 0, 0, "CHUNK=128"},
};

static void compile_variant(const variant *v, int dim, int form, bool real)
{
  char names[160];
  hk_kernel_desc desc = {
      .text = v->text, .function = v->function, .double_precision = real, .threads = v->threads};
  snprintf(names, sizeof names, "%s", v->defines);
  if (dim) hk_kernel_define(&desc, "DIM", dim);
  if (form >= 0) hk_kernel_define(&desc, "FORM", form);
  if (form >= 0) hk_kernel_define(&desc, "DAMPED", form > 0);
  for (char *rest = NULL, *name = strtok_r(names, "= ", &rest); name;
       name = strtok_r(NULL, "= ", &rest))
    hk_kernel_define(&desc, name, atoi(strtok_r(NULL, "= ", &rest)));
  compile(&desc);
}

/* each text and dimension in a precision, in turn; texts of one dimension in both */
static void plain_kernels_compile(void **state)
{
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) skip();
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    for (int dim = plain[i].least_dim; dim <= plain[i].most_dim; dim++) {
      compile_variant(&plain[i], dim, -1, dim % 2);
      if (plain[i].least_dim == plain[i].most_dim) compile_variant(&plain[i], dim, -1, !(dim % 2));
    }
}

/* each text and dimension */
static void whole_numbers_compile(void **state)
{
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) skip();
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    for (int dim = whole[i].least_dim; dim <= whole[i].most_dim; dim++)
      compile_variant(&whole[i], dim, -1, true);
}

/* each text, dimension and form, steps in the precision that has the form: positions (1) in double, increments (2) in single */
static void every_form_compiles(void **state)
{
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) {
    print_message("skipped: %s\n", hk_error());
    skip();
  }
  print_message("%s, version %d.%d\n", nvrtc.path, nvrtc.major, nvrtc.minor);
  for (size_t i = 0; i < sizeof formed / sizeof *formed; i++)
    for (int dim = formed[i].least_dim; dim <= formed[i].most_dim; dim++)
      for (int form = formed[i].least_form; form < 3; form++)
        compile_variant(&formed[i], dim, form, form ? form == 1 : dim % 2);
}

/* a text that is wrong: the compiler's words reach the message */
static void errors_are_shown(void **state)
{
  char *cubin = NULL;
  hk_count size;
  (void)state;
  if (hk_nvrtc_open(getenv("CUDA_PATH"), ARCH, 0, &nvrtc) != HK_OK) skip();
  assert_int_equal(hk_nvrtc_compile(&nvrtc, "broken", "int f(", ARCH, &cubin, &size),
                   HK_NO_RESOURCES);
  assert_non_null(strstr(hk_error(), "broken"));
  assert_non_null(strstr(hk_error(), "expected"));
  assert_null(cubin);
}

/* a compiler for a GPU that it does not know is not taken; the message names what is wanted */
static void unknown_architecture(void **state)
{
  (void)state;
  assert_int_equal(hk_nvrtc_open("/nonexistent", 999, 0, &nvrtc), HK_NO_RESOURCES);
  assert_non_null(strstr(hk_error(), "CUDA"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_compiles), cmocka_unit_test(plain_kernels_compile),
      cmocka_unit_test(whole_numbers_compile), cmocka_unit_test(errors_are_shown),
      cmocka_unit_test(unknown_architecture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
