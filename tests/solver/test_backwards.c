/* The order of items does not matter: solver/linear/krylov.k.h and solver/linear/multigrid/level.k.h in a dialect that runs them, and the groups, backwards give
 * what they give forwards. On a device where they run side by side, an item that needs another one of its phase would be a race. */
#define FOR_ITEMS(i, n) for (int i = (n)-1; i >= 0; i--)
#define HOST_ISA backwards
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "variants/krylov.c"
#include "variants/level.c"
#include "support/check.h"
#undef FOR_ITEMS
#include "base/base.h"
#include "solver/linear/sparse/block_rows.h"
#include "solver/linear/krylov.h"

enum { N = 3 * HK_KRYLOV_CHUNK - 64, MOST_ARRAYS = 6, MOST_VALUES = 10 };

/* A call of a kernel on arrays of N numbers, then numbers. */
typedef struct call {
  const char *key;
  hk_kernel *kernel;
  hk_count groups;
  int arrays, reals, integers; /* in this order */
  double real[2];
  int integer[2];
} call;

static void fill(double *x, hk_count n)
{
  for (hk_count i = 0; i < n; i++) x[i] = (double)rand() / RAND_MAX + 0.1;
}

static void run_backwards(const hk_host_kernel *table, const call *c, double array[][N])
{
  void *at[MOST_VALUES], *value[MOST_VALUES];
  int n = 0;
  while (table->key && strcmp(table->key, c->key) != 0) table++;
  if (!table->key) fail_msg("no kernel %s", c->key);
  for (int k = 0; k < c->arrays; k++, n++) at[n] = array[k], value[n] = &at[n];
  for (int k = 0; k < c->reals; k++) value[n++] = (void *)&c->real[k];
  for (int k = 0; k < c->integers; k++) value[n++] = (void *)&c->integer[k];
  for (hk_count g = c->groups; g-- > 0;) table->run((int)g, value);
}

static void run_forwards(hk_device *device, const call *c, double array[][N])
{
  hk_buffer *buffer[MOST_ARRAYS] = {0};
  hk_argument argument[MOST_VALUES];
  int n = 0;
  for (int k = 0; k < c->arrays; k++) {
    ok(hk_buffer_create(device, N * 8, &buffer[k]));
    ok(hk_buffer_write(buffer[k], 0, N * 8, array[k]));
    argument[n++] = hk_arg_buffer(buffer[k]);
  }
  for (int k = 0; k < c->reals; k++) argument[n++] = hk_arg_real(c->real[k]);
  for (int k = 0; k < c->integers; k++) argument[n++] = hk_arg_int(c->integer[k]);
  ok(hk_kernel_launch(c->kernel, 0, c->groups, argument, n));
  for (int k = 0; k < c->arrays; k++) {
    ok(hk_buffer_read(buffer[k], 0, N * 8, array[k]));
    hk_buffer_destroy(&buffer[k]);
  }
}

/* Sums run in another order: 1e-13 of the largest. */
static void compare(const hk_host_kernel *table, hk_device *device, call *c)
{
  static double forwards[MOST_ARRAYS][N], backwards[MOST_ARRAYS][N];
  srand(1);
  fill(forwards[0], MOST_ARRAYS * N);
  memcpy(backwards, forwards, sizeof forwards);
  run_forwards(device, c, forwards);
  run_backwards(table, c, backwards);
  for (int k = 0; k < c->arrays; k++) {
    double most = 0, scale = 0;
    for (int i = 0; i < N; i++) {
      most = hk_larger(most, fabs(forwards[k][i] - backwards[k][i]));
      scale = hk_larger(scale, fabs(forwards[k][i]));
    }
    if (!(most <= 1e-13 * scale)) fail_msg("%s, array %d: error %g", c->key, k, most / scale);
  }
}

#define KEY(name) name " d CHUNK=4096 LIST=256"
static void vectors(void **state)
{
  (void)state;
  hk_device *device = NULL;
  hk_pool pool = {0};
  ok(hk_device_open("cpu", 1, &device));
  call list[] = {
      {KEY("krylov_dots"), NULL, 3, 4, 0, 2, {0}, {N, 3}},
      {KEY("krylov_advance"), NULL, 3, 6, 0, 1, {0}, {N}},
      {KEY("krylov_residual"), NULL, 3, 4, 0, 1, {0}, {N}},
      {KEY("krylov_direct"), NULL, 3, 3, 0, 1, {0}, {N}},
      {KEY("krylov_fold"), NULL, 1, 3, 0, 2, {0}, {1000, 1}},
      {KEY("krylov_fold"), NULL, 1, 3, 0, 2, {0}, {1000, 0}},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char name[32] = "";
    strncat(name, list[k].key, strcspn(list[k].key, " "));
    ok(hk_krylov_kernel(&pool, device, "krylov", name, true, &list[k].kernel));
    compare(hk_host_krylov_backwards, device, &list[k]);
  }
  hk_pool_clear(&pool);
  hk_device_close(&device);
}

/* inverse: 9 numbers a node, of N */
static void levels(void **state)
{
  (void)state;
  enum { NODES_OF = N / 9 / 8 * 8 };
  hk_device *device = NULL;
  hk_pool pool = {0};
  ok(hk_device_open("cpu", 1, &device));
  call list[] = {
      {"level_smooth d BLOCK=3 COLUMNS=3 NODES=64 ROWS=3",
       NULL,
       (NODES_OF + 63) / 64,
       6,
       2,
       2,
       {0.3, 0.7},
       {3, NODES_OF}},
      {"level_invert d BLOCK=3 COLUMNS=3 NODES=64 ROWS=3",
       NULL,
       (NODES_OF + 63) / 64,
       2,
       0,
       2,
       {0},
       {1, NODES_OF}},
      {"level_dense d BLOCK=3 COLUMNS=3 NODES=64 ROWS=3", NULL, 2, 3, 0, 1, {0}, {104}},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    char name[32] = "";
    strncat(name, list[k].key, strcspn(list[k].key, " "));
    ok(hk_level_kernel(&pool, device, name, 3, 3, true, &list[k].kernel));
    compare(hk_host_level_backwards, device, &list[k]);
  }
  hk_pool_clear(&pool);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors),
      cmocka_unit_test(levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
