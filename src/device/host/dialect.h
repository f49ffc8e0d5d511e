/* Dialect of the host: C11, gcc or clang. A group is one call, items are a loop, lanes are the SIMD loop. */
#define LANES 8
#define WIDTH 8
#define THREADS 1
#define THREAD 0
#define KERNEL static void
#define GROUP_PARAM const int group_id_,
#define GROUP_ID group_id_
#define DEVICE static inline __attribute__((always_inline))
/* A large function that kernels share: called rather than copied into each. */
#define DEVICE_CALL static __attribute__((noinline))
#define GLOBAL
#define LOCAL
#define PRIVATE
#define RESTRICT restrict
#define TABLE(T, name, n) static const T name[n]
#define LOCAL_BEGIN
#define LOCAL_ARRAY(T, name, n) _Alignas(64) T name[n]
#define LANE_ARRAY(T, name) _Alignas(64) T name[LANES]
#define LANE_LINE(T, name, n) _Alignas(64) T name[(n)*LANES]
#ifndef FOR_ITEMS /* a test runs them backwards */
#define FOR_ITEMS(i, n) for (int i = 0; i < (n); i++)
#endif
#define BARRIER() (void)0
#define BARRIER_GLOBAL() (void)0
#ifdef __clang__
#define FOR_LANES(l)                                                                               \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define FOR_LANES(l) _Pragma("omp simd") for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("GCC unroll 16")
#endif
/* A value that an item loads before a barrier and uses after it: the host loads it at its use. */
#define EARLY(T, name, n)
#define EARLY_LOAD(name, i, value) (void)0
#define EARLY_GET(name, i, value) (value)
#define RECIPROCAL(x) (1 / (x))
#define REAL(x) ((real)x)
/* name##_##suffix after expansion: a file that includes a text several times names each function anew */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_OF_(a) #a
#define TEXT_OF(a) TEXT_OF_(a)
