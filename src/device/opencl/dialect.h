/* Dialect of OpenCL C 1.2. A group is a work-group, items are strided over its work-items. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* LANES reals that arithmetic takes at once: 1, or 8 for the vectors of a processor that emulates the device. */
#if LANES == 8
#define ALIGNED_ __attribute__((aligned(64)))
#ifdef DOUBLE
#define REALS double8
#else
#define REALS float8
#endif
#else
#define ALIGNED_ __attribute__((aligned(16)))
#define REALS real
#endif
#define REGISTER REALS
#define REGISTER_LANES LANES
#define KERNEL __kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
#define GROUP_PARAM const int first_group_,
#define GROUP_ID (first_group_ + (int)get_group_id(0))
#define THREAD ((int)get_local_id(0))
#define DEVICE static inline
#define DEVICE_CALL static inline
#define GLOBAL __global
#define LOCAL __local
#define PRIVATE __private
#define RESTRICT restrict
#define TABLE(T, name, n) __constant T name[n]
#define LOCAL_BEGIN
#define LOCAL_ARRAY(T, name, n) __local T name[n] ALIGNED_
#define LANE_ARRAY(T, name) T name[LANES]
#define LANE_LINE(T, name, n) T name[(n)*LANES]
#define FOR_ITEMS(i, n) for (int k_ = 0, i = THREAD; i < (n); k_++, i += THREADS)
#define FOR_LANES(l) for (int l = 0; l < LANES; l++)
#if LANES == 8
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif
/* A loop that is rare and not to be unrolled. */
#define ROLLED _Pragma("unroll 1")
#define UNROLL_PRIVATE UNROLL
#define AT_ONCE 4
#define ITEM_COLUMNS 1
#define ITEMS_TOGETHER 1
/* Results in LOCAL memory, DIM reals each. */
#define COMPACT(dim) (dim)
#define COMPACT_LOAD(s, n, t) FOR_SLOT_(t)[c_] = (s)[(n)[0] * DIM + c_]
#define COMPACT_STORE(s, first, t) FOR_SLOT_(s)[(first)*DIM + c_] = (t)[c_]
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* Threads whose sum a kernel makes without local memory: one. */
#define TEAM 1
#define TEAM_BARRIER() (void)0
#define TEAM_SUM(x) (x)
#define ADD_TO(place, x) ((place) += (x))
/* A launch begins when the one before it has ended. */
#define GRID_WAIT() (void)0
#define GRID_TRIGGER() (void)0
#define RELOAD(p) (void)0
/* Items of a bounded number, unrolled, so that EARLY and KEEP stay in registers. */
#define FOR_EACH(i, n, most)                                                                       \
  UNROLL                                                                                           \
  for (int k_ = 0; k_ < ((most) + THREADS - 1) / THREADS; k_++)                                    \
    for (int i = k_ * THREADS + THREAD, once_ = 1; once_ && i < (n); once_ = 0)
#define EARLY(T, name, n, d) T name[((n) + THREADS - 1) / THREADS * (d)]
#define EARLY_LOAD(name, d, c, value) (name[k_ * (d) + (c)] = (value))
#define EARLY_GET(name, d, c, value) (name[k_ * (d) + (c)])
#define KEEP(T, name, n, d) T name[((n) + THREADS - 1) / THREADS * (d)*LANES] ALIGNED_
#define KEPT(name, i, d) (name + k_ * (d)*LANES)
#define ALIGNED(p) (void)0
#define GROUP_AHEAD -1
#define FETCH_BEGIN
#define FETCH(from, count) ((void)(from), (void)(count))
/* Parts of arrays brought to LOCAL memory by all work-items. */
#define STAGE_BEGIN
#if STAGED
#define STAGED_PLACE LOCAL
#define STAGE(T, name, most, from, count)                                                          \
  LOCAL_ARRAY(T, name, most);                                                                      \
  for (int k_ = THREAD; k_ < (count); k_ += THREADS) name[k_] = (from)[k_]
#else
#define STAGED_PLACE GLOBAL
#define STAGE(T, name, most, from, count) GLOBAL const T *const name = ((void)(count), (from))
#endif
#define STAGE_END() BARRIER()
/* LOCAL arrays that are refilled and drained between phases, by all work-items. */
#define REFILL_BEGIN(n)
#define REFILL_FRESH() (void)0
#define REFILL_EXPECT(k, bytes) (void)0
#define REFILL(k, n, to, from, count)                                                              \
  for (int k_ = THREAD; k_ < (count); k_ += THREADS) (to)[k_] = (from)[k_]
#define REFILL_EACH(i, n) for (int i = 0; i < (n); i++)
#define REFILL_OWN(k, to, from, count) REFILL(k, 0, to, from, count)
#define REFILL_AWAIT(k, parity) BARRIER()
#define DRAIN_READY() (void)0
#define DRAIN(to, from, count) REFILL(0, 0, to, from, count)
#define DRAIN_BEGIN() (void)0
#define DRAIN_AWAIT() (void)0
#define DRAIN_END() (void)0
#define BARRIER_LOCKSTEP() BARRIER()
/* *to = *from, from GLOBAL to LOCAL memory; there for all work-items after BRING_END. */
#define BRING(to, from) (*(to) = *(from))
#define BRING_END() BARRIER()
#define RECIPROCAL(x) (1 / (x))
#define PRODUCT(a, b) ((a) * (b))
#define PREFETCH(p, n)
#define ASK_TO_WRITE(p)
#ifdef DOUBLE
typedef double real;
#define REAL(x) x
#define FROM_BITS(high, low) as_double((ulong)(high) << 32 | (low))
#else
typedef float real;
#define REAL(x) x##f
#define FROM_BITS(high, low) as_float(high)
#endif
typedef struct integers {
  int at[24];
} integers;
/* For all groups at once, and among the items of a group. */
#define ATOMIC_ADD(p, value) atomic_add(p, value)
#define CLAIM(p, old, value) atomic_cmpxchg(p, old, value)
#define COUNT_UP(p) atomic_inc(p)
#define FENCE_SYSTEM() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define STORE_RELEASE(p, value) store_release_(p, value)
#define LOAD_ACQUIRE(p) load_acquire_(p)
DEVICE void store_release_(volatile __global long *p, long value)
{
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *p = value;
}
DEVICE long load_acquire_(const volatile __global long *p)
{
  const long value = *p;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  return value;
}
#define STORE_RELAXED(p, value) ((void)(*(volatile __global int *)(p) = (value)))
#define REPORT(p) report_(p)
#define REPORTS(p) atomic_add(p, 0)
#define SEE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define FRESH(p) (*(volatile GLOBAL const real *)(p))
DEVICE void report_(volatile GLOBAL int *p)
{
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(p);
}
#define WAIT_AWHILE() (void)0
#ifdef DOUBLE
#define BITS_ ulong
#define AS_BITS_ as_ulong
#define AS_REAL_ as_double
#define EXCHANGE_ atom_cmpxchg
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ADDS_REALS_
#endif
#else
#define BITS_ uint
#define AS_BITS_ as_uint
#define AS_REAL_ as_float
#define EXCHANGE_ atomic_cmpxchg
#define ADDS_REALS_
#endif
#ifdef ADDS_REALS_
DEVICE void atomic_add_real_(volatile GLOBAL real *p, const real value)
{
  BITS_ old = AS_BITS_(*p), seen;
  while ((seen = EXCHANGE_((volatile GLOBAL BITS_ *)p, old, AS_BITS_(AS_REAL_(old) + value))) !=
         old)
    old = seen;
}
#define ATOMIC_ADD_REAL(p, value) atomic_add_real_(p, value)
#endif
#define LOAD_QUADS(s, n, t)                                                                        \
  FOR_LANES(l) UNROLL                                                                              \
  for (int c_ = 0; c_ < 4; c_++) (t)[c_ * LANES + l] = (s)[(n)[l] * 4 + c_]
#define LOAD_RECORDS(s, n, t)                                                                      \
  FOR_LANES(l) UNROLL                                                                              \
  for (int c_ = 0; c_ < DIM; c_++) (t)[c_ * LANES + l] = (s)[(n)[l] * RECORD + c_]
#define STORE_RECORDS(s, first, t)                                                                 \
  FOR_LANES(l) UNROLL                                                                              \
  for (int c_ = 0; c_ < DIM; c_++) (s)[((first) + l) * RECORD + c_] = (t)[c_ * LANES + l]
/* Results in slots: component by component. */
#define SLOT_LINES(dim) (dim)
#define SLOT_LOAD(s, n, t) FOR_SLOT_(t)[c_] = (s)[(n)[0] + c_ * WIDTH]
#define SLOT_STORE(s, first, t) FOR_SLOT_(s)[(first) + c_ * WIDTH] = (t)[c_]
#define FOR_SLOT_                                                                                  \
  UNROLL                                                                                           \
  for (int c_ = 0; c_ < DIM; c_++)
