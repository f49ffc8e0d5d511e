/* Dialect of the host: C11, gcc or clang. A group is one call, items are a loop, lanes are the SIMD loop. */
#define LANES 8
#define WIDTH 8
#define THREADS 1
#define THREAD 0
#define LOSS_THREADS 1
#define KERNEL static void
#define GROUP_PARAM const int group_id_,
#define GROUP_ID group_id_
#define DEVICE static inline __attribute__((always_inline))
/* A large function: called where kernels share it rather than copied into each. */
#define DEVICE_CALL static
#define GLOBAL
#define LOCAL
#define PRIVATE
#define RESTRICT restrict
#define TABLE(T, name, n) static const T name[n]
#define LOCAL_BEGIN
#define LOCAL_ARRAY(T, name, n) _Alignas(64) T name[n]
/* LANES reals that arithmetic takes at once, in memory that is aligned to them. */
#define REALS JOIN(lanes, PRECISION)
/* REGISTER_LANES of them, which one register holds: compilers keep longer vectors in memory. */
#define REGISTER JOIN(register, PRECISION)
#define REGISTER_LANES (int)(sizeof(REGISTER) / sizeof(real))
#define LANE_ARRAY(T, name) _Alignas(64) T name[LANES]
#define LANE_LINE(T, name, n) _Alignas(64) T name[(n)*LANES]
#ifndef FOR_ITEMS /* a test runs them backwards */
#define FOR_ITEMS(i, n) for (int i = 0; i < (n); i++)
#endif
#define FOR_EACH(i, n, most) FOR_ITEMS(i, n)
#define BARRIER() (void)0
#define BARRIER_GLOBAL() (void)0
/* Threads whose sum a kernel makes without local memory: one. */
#define TEAM 1
#define TEAM_BARRIER() (void)0
#define TEAM_SUM(x) (x)
#define ADD_TO(place, x) ((place) += (x))
/* A launch begins when the one before it has ended. */
#define GRID_WAIT() (void)0
#define GRID_TRIGGER() (void)0
#define RELOAD(p) (void)0
/* An item keeps a column of nodes in registers: one lane, and loops that are unrolled. 0: it has many lanes, which stay in memory. */
#define ITEM_COLUMNS 0
/* Items of a phase run together, so that neighbours should read neighbouring places. 0: one after the other, so that each should read on. */
#define ITEMS_TOGETHER 0
/* Entries of a list that an item works on at once: a GPU hides latency so. */
#define AT_ONCE 1
#ifdef __clang__
#define FOR_LANES(l)                                                                               \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define FOR_LANES(l) _Pragma("omp simd") for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("GCC unroll 16")
#endif
/* A loop that is rare and not to be unrolled. */
#define ROLLED
#define UNROLL_PRIVATE /* a loop that a GPU unrolls to keep private arrays in registers */
/* d values that an item of FOR_EACH loads before a barrier and uses after it: the host loads them at their use. */
#define EARLY(T, name, n, d)
#define EARLY_LOAD(name, d, c, value) ((void)sizeof(value))
#define EARLY_GET(name, d, c, value) (value)
/* d lane lines that an item of FOR_EACH leaves for the same item of another phase. */
#define KEEP(T, name, n, d) LOCAL_ARRAY(T, name, (n)*LANES *(d))
#define KEPT(name, i, d) ((name) + (i) * (d)*LANES)
/* A part of an array that a GPU brings to its LOCAL memory: the host reads it where it is. */
#define STAGED_PLACE GLOBAL
#define STAGE_BEGIN
#define STAGE(T, name, most, from, count) GLOBAL const T *const name = ((void)(count), (from))
#define STAGE_END() BARRIER()
#define BRING(to, from) (*(to) = *(from))
#define BRING_END() BARRIER()
#define ALIGNED(p) (void)0
/* A group that will run soon, and asking for what it will read. */
#define GROUP_AHEAD -1
#define FETCH_BEGIN
#define FETCH(from, count) ((void)(from), (void)(count))
/* Asks for the line of memory at p ahead of writing a part of it. */
#define ASK_TO_WRITE(p) __builtin_prefetch(p, 1, 2)
#define RECIPROCAL(x) (1 / (x))
#define PRODUCT(a, b) ((a) * (b))
#define REAL(x) ((real)x)
/* *p += value for all groups at once; ATOMIC_ADD, of an int, is its value before. ATOMIC_ADD_REAL adds in no fixed order: no default may use it. */
#define ATOMIC_ADD(p, value) __atomic_fetch_add(p, value, __ATOMIC_ACQ_REL)
#define ATOMIC_ADD_REAL(p, value) JOIN(atomic_add, PRECISION)(p, value)
/* Of an int that one group alone uses: *p = value if *p is old; its value before. */
#define CLAIM(p, old, value) claim_(p, old, value)
#define COUNT_UP(p) ((*(p))++) /* of such an int */
/* What was written so far is there, also for other devices, before what is written next. While another device is waited for. */
#define FENCE_SYSTEM() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define WAIT_AWHILE() sched_yield()
/* The real of these bits, 32 and 32 (double), or the first 32. */
#define FROM_BITS(high, low) JOIN(from_bits, PRECISION)(high, low)
/* name##_##suffix after expansion: a file that includes a text several times names each function anew */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_OF_(a) #a
#define TEXT_OF(a) TEXT_OF_(a)
#ifndef HK_DEVICE_HOST_DIALECT_FUNCTIONS /* a test includes this several times */
#define HK_DEVICE_HOST_DIALECT_FUNCTIONS
#include <sched.h>
/* What a launch passes by value, beside numbers: hk_integers. */
typedef struct integers {
  int at[24];
} integers;
typedef float lanes_f __attribute__((vector_size(LANES * 4), may_alias));
typedef double lanes_d __attribute__((vector_size(LANES * 8), may_alias));
#if defined(__AVX512F__)
enum { FLOATS_BYTES = LANES * 4, DOUBLES_BYTES = LANES * 8 };
#elif defined(__AVX__)
enum { FLOATS_BYTES = LANES * 4, DOUBLES_BYTES = LANES * 4 };
#else
enum { FLOATS_BYTES = LANES * 2, DOUBLES_BYTES = LANES * 2 };
#endif
typedef float register_f __attribute__((vector_size(FLOATS_BYTES), may_alias));
typedef double register_d __attribute__((vector_size(DOUBLES_BYTES), may_alias));
#define ATOMIC_ADDER(name, type, bits)                                                             \
  static inline void name(type *p, type value)                                                     \
  {                                                                                                \
    union {                                                                                        \
      type real_;                                                                                  \
      bits word;                                                                                   \
    } old = {.real_ = *p}, sum;                                                                    \
    do sum.real_ = old.real_ + value;                                                              \
    while (!__atomic_compare_exchange_n((bits *)p, &old.word, sum.word, 1, __ATOMIC_RELAXED,       \
                                        __ATOMIC_RELAXED));                                        \
  }
// cppcheck-suppress invalidPointerCast
ATOMIC_ADDER(atomic_add_f, float, int)
// cppcheck-suppress invalidPointerCast
ATOMIC_ADDER(atomic_add_d, double, long)
static inline int claim_(int *p, int old, int value)
{
  const int before = *p;
  if (before == old) *p = value;
  return before;
}
#endif
/* Of a long that another device waits for: it has what was written before the store once it has loaded the value. */
#define STORE_RELEASE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define LOAD_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
/* *p = value of an int, the same by all groups that store it at once. */
#define STORE_RELAXED(p, value) __atomic_store_n(p, value, __ATOMIC_RELAXED)
