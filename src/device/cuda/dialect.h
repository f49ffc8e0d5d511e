/* Dialect of CUDA C, compiled by NVRTC. A group is a block, items are strided over its threads, one lane. */
#ifndef GROUPS
#define GROUPS 1
#endif
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, GROUPS)
#define GROUP_PARAM const int first_group_,
#define GROUP_ID (first_group_ + (int)blockIdx.x)
#define THREAD ((int)threadIdx.x)
#define DEVICE static __device__ __forceinline__
#define DEVICE_CALL static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define PRIVATE
#define RESTRICT __restrict__
#define TABLE(T, name, n) __constant__ T name[n]
extern __shared__ __align__(16) unsigned char local_[];
#define LOCAL_BEGIN int local_used_ = 0;
#define LOCAL_ARRAY(T, name, n)                                                                    \
  T *const name = (T *)(local_ + local_used_);                                                     \
  local_used_ += ((n) * (int)sizeof(T) + 15) / 16 * 16
#define REALS real
#define REGISTER real
#define REGISTER_LANES 1
#define LANE_ARRAY(T, name) T name[LANES]
#define LANE_LINE(T, name, n) T name[(n)*LANES]
#define FOR_ITEMS(i, n) for (int k_ = 0, i = THREAD; i < (n); k_++, i += THREADS)
#define FOR_LANES(l) for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("unroll")
/* A loop that is rare and not to be unrolled. */
#define ROLLED _Pragma("unroll 1")
#define UNROLL_PRIVATE UNROLL
#define AT_ONCE 4
#define ITEM_COLUMNS 1
#define ITEMS_TOGETHER 1
/* Results in LOCAL memory, DIM reals each. */
#define COMPACT(dim) (dim)
#define COMPACT_LOAD(s, n, t) JOIN(load_compact_, DIM)((s) + (n)[0] * DIM, t)
#define COMPACT_STORE(s, first, t) JOIN(store_compact_, DIM)((s) + (first)*DIM, t)
#define load_compact_2 load_record_2
#define store_compact_2 store_record_2
#define BARRIER() __syncthreads()
#define BARRIER_GLOBAL() __syncthreads()
/* The threads of a team alone. */
#define TEAM_BARRIER() __syncwarp()
/* Sums of the threads of a warp, in a fixed order. */
#define TEAM 32
#define TEAM_SUM(x) team_sum_(x)
/* By the one thread of a launch that adds there: it need not wait for what the place holds. */
#define ADD_TO(place, x) ((void)atomicAdd(&(place), x))
/* What stands ahead of GRID_WAIT in a kernel, and reads constants alone, runs while the launch before ends; loads from RELOAD stay behind it.
 * From GRID_TRIGGER in its last group on the launch behind takes its places. */
#if __CUDA_ARCH__ >= 900
#define GRID_WAIT() asm volatile("griddepcontrol.wait;" ::: "memory")
#define GRID_TRIGGER() asm volatile("griddepcontrol.launch_dependents;" ::: "memory")
#else
#define GRID_WAIT()
#define GRID_TRIGGER()
#endif
#define RELOAD(p)                                                                                  \
  {                                                                                                \
    unsigned long long at_ = __cvta_generic_to_global(p);                                          \
    asm volatile("" : "+l"(at_)::"memory");                                                        \
    p = (decltype(p))__cvta_global_to_generic(at_);                                                \
    ALIGNED(p);                                                                                    \
  }
/* Items of a bounded number, unrolled, so that EARLY and KEEP stay in registers. */
#define FOR_EACH(i, n, most)                                                                       \
  _Pragma("unroll") for (int k_ = 0; k_ < ((most) + THREADS - 1) / THREADS;                        \
                         k_++) for (int i = k_ * THREADS + THREAD, once_ = 1; once_ && i < (n);    \
                                    once_ = 0)
#define EARLY(T, name, n, d) T name[((n) + THREADS - 1) / THREADS * (d)]
#define EARLY_LOAD(name, d, c, value) (name[k_ * (d) + (c)] = (value))
#define EARLY_GET(name, d, c, value) (name[k_ * (d) + (c)])
#define KEEP(T, name, n, d) T name[((n) + THREADS - 1) / THREADS * (d)]
#define KEPT(name, i, d) (name + k_ * (d))
#define ALIGNED(p) p = (decltype(p))__builtin_assume_aligned(p, 16)
#define PREFETCH(p, n)
#define ASK_TO_WRITE(p)
/* PRODUCT(a, b): a b, never joined with a sum. Of two products in one sum the compiler would join one or the other, as the sizes of a kernel happen to be,
 * and the bits of a result would depend on them. */
#ifdef DOUBLE
typedef double real;
#define REAL(x) x
DEVICE double reciprocal_(
    double x) /* an estimate of about 20 bits and two Newton steps; exact division is far slower */
{
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  r += r * (1 - x * r);
  return r + r * (1 - x * r);
}
#define RECIPROCAL(x) reciprocal_(x)
#define PRODUCT(a, b) __dmul_rn(a, b)
#define FROM_BITS(high, low) __hiloint2double((int)(high), (int)(low))
#else
typedef float real;
#define REAL(x) x##f
DEVICE float reciprocal_(float x) /* an estimate of 23 bits and a Newton step */
{
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r + r * (1 - x * r);
}
#define RECIPROCAL(x) reciprocal_(x)
#define PRODUCT(a, b) __fmul_rn(a, b)
#define FROM_BITS(high, low) __uint_as_float(high)
#endif
DEVICE void report_(int *p)
{
#if __CUDA_ARCH__ >= 700
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(__cvta_generic_to_global(p))
               : "memory");
#else
  __threadfence();
  atomicAdd(p, 1);
#endif
}
struct integers {
  int at[24];
};
DEVICE real team_sum_(real x)
{
  UNROLL
  for (int m = TEAM / 2; m; m /= 2) x += __shfl_xor_sync(0xffffffffu, x, m);
  return x;
}
/* Records in LOCAL memory, moved as words of up to 16 bytes. */
struct __align__(2 * sizeof(real)) pair_
{
  real x, y;
};
struct __align__(16) quad_
{
  real x, y, z, w;
};
/* Where component c of the i-th record of four reals lies. In double precision the halves of every other four records change places: words of
 * 16 bytes of eight records in a row are then in different banks. */
#ifdef DOUBLE
#define QUAD(i, c) ((i)*4 + ((c) ^ ((i) >> 1 & 2)))
#else
#define QUAD(i, c) ((i)*4 + (c))
#endif
DEVICE void load_quad_(const real *s, const int i, real *t)
{
#ifdef DOUBLE
  const pair_ p = *(const pair_ *)(s + QUAD(i, 0)), q = *(const pair_ *)(s + QUAD(i, 2));
#else
  const quad_ r = ((const quad_ *)s)[i];
  const pair_ p = {r.x, r.y}, q = {r.z, r.w};
#endif
  t[0] = p.x, t[1] = p.y, t[2] = q.x, t[3] = q.y;
}
DEVICE void load_record_2(const real *s, real *t)
{
  const pair_ q = *(const pair_ *)s;
  t[0] = q.x, t[1] = q.y;
}
DEVICE void load_record_3(const real *s, real *t)
{
  const quad_ q = *(const quad_ *)s;
  t[0] = q.x, t[1] = q.y, t[2] = q.z;
}
DEVICE void store_record_2(real *s, const real *t)
{
  const pair_ q = {t[0], t[1]};
  *(pair_ *)s = q;
}
DEVICE void store_record_3(real *s, const real *t)
{
  const quad_ q = {t[0], t[1], t[2], 0};
  *(quad_ *)s = q;
}
DEVICE void load_compact_3(const real *s, real *t)
{
  t[0] = s[0], t[1] = s[1], t[2] = s[2];
}
DEVICE void store_compact_3(real *s, const real *t)
{
  s[0] = t[0], s[1] = t[1], s[2] = t[2];
}
/* *to = *from, from GLOBAL to LOCAL memory and past the registers; there for all threads after BRING_END. */
#if __CUDA_ARCH__ >= 800
DEVICE void bring_(real *to, const real *from)
{
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
      "l"(from), "n"(sizeof(real))
      : "memory");
}
#define BRING(to, from) bring_(to, from)
#define BRING_END()                                                                                \
  {                                                                                                \
    asm volatile("cp.async.wait_all;" ::: "memory");                                               \
    BARRIER();                                                                                     \
  }
#else
#define BRING(to, from) (*(to) = *(from))
#define BRING_END() BARRIER()
#endif
/* For all groups at once, and among the items of a group. */
#define ATOMIC_ADD(p, value) atomicAdd(p, value)
#define ATOMIC_ADD_REAL(p, value) atomicAdd(p, value)
#define CLAIM(p, old, value) atomicCAS(p, old, value)
#define COUNT_UP(p) atomicAdd(p, 1)
#define FENCE_SYSTEM() __threadfence_system()
/* The fence makes the store a release, and what other groups were seen to write is released with it. */
#define STORE_RELEASE(p, value) (__threadfence_system(), (void)(*(volatile long *)(p) = (value)))
#define LOAD_ACQUIRE(p) load_acquire_(p)
__device__ __forceinline__ long load_acquire_(const long *p)
{
  long value;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.sys.s64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
#else
  value = *(const volatile long *)p;
  __threadfence_system();
#endif
  return value;
}
#define STORE_RELAXED(p, value) ((void)(*(volatile int *)(p) = (value)))
/* Among the groups of a launch: one more at p, behind what the group wrote ahead of a barrier; REPORTS is their number. Whoever found it complete reads
 * what others wrote by FRESH, behind SEE and a barrier. */
#define REPORT(p) report_(p)
#define REPORTS(p) (*(volatile const int *)(p))
#if __CUDA_ARCH__ >= 700
#define SEE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#else
#define SEE() __threadfence()
#endif
#define FRESH(p) __ldcg(p)
#if __CUDA_ARCH__ >= 700
#define WAIT_AWHILE() __nanosleep(64)
#else
#define WAIT_AWHILE() (void)0
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LOAD_QUADS(s, n, t) load_quad_(s, (n)[0], t)
#define LOAD_RECORDS(s, n, t) JOIN(load_record_, DIM)((s) + (n)[0] * RECORD, t)
#define STORE_RECORDS(s, first, t) JOIN(store_record_, DIM)((s) + (first)*RECORD, t)
/* Results in slots: component by component. */
#define SLOT_LINES(dim) (dim)
#define SLOT_LOAD(s, n, t) FOR_SLOT_(t)[c_] = (s)[(n)[0] + c_ * WIDTH]
#define SLOT_STORE(s, first, t) FOR_SLOT_(s)[(first) + c_ * WIDTH] = (t)[c_]
#define FOR_SLOT_                                                                                  \
  UNROLL                                                                                           \
  for (int c_ = 0; c_ < DIM; c_++)
/* Parts of arrays brought to LOCAL memory by the copy engine, each by a thread of another warp and with a barrier object of its own: issuing
 * takes longer than a load. */
#if STAGED
#define STAGED_PLACE LOCAL
#if __CUDA_ARCH__ >= 900
DEVICE unsigned local_address_(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}
DEVICE void stage_(int k, unsigned long long *object, void *to, const void *from, int bytes)
{
  if (THREAD != k * 32 % THREADS) return;
  const unsigned at = local_address_(object + k);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;\n\t"
               "fence.proxy.async.shared::cta;\n\t"
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
               "r"(bytes)
               : "memory");
  if (bytes > 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(local_address_(to)),
                 "l"(from), "r"(bytes), "r"(at)
                 : "memory");
}
DEVICE void stage_end_(int count, unsigned long long *object)
{
  BARRIER();
  UNROLL
  for (int k = 0; k < count; k++) {
    int done = 0;
    while (!done)
      asm volatile("{\n\t.reg .pred p;\n\t"
                   "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                   "selp.s32 %0, 1, 0, p;\n\t}"
                   : "=r"(done)
                   : "r"(local_address_(object + k))
                   : "memory");
  }
}
#else
DEVICE void stage_(int, void *, void *to, const void *from, int bytes)
{
  for (int k = THREAD; k < bytes / 16; k += THREADS) ((int4 *)to)[k] = ((const int4 *)from)[k];
}
#define stage_end_(count, object) BARRIER()
#endif
#define STAGE_BEGIN                                                                                \
  LOCAL_ARRAY(unsigned long long, stage_object_, 8);                                               \
  int stages_ = 0;
#define STAGE(T, name, most, from, count)                                                          \
  LOCAL_ARRAY(T, name, most);                                                                      \
  stage_(stages_++, stage_object_, name, from, (count) * (int)sizeof(T))
#define STAGE_END() stage_end_(stages_, stage_object_)
#else
#define STAGED_PLACE GLOBAL
#define STAGE_BEGIN
#define STAGE(T, name, most, from, count) GLOBAL const T *const name = ((void)(count), (from))
#define STAGE_END() BARRIER()
#endif
/* LOCAL arrays that the copy engine refills and drains while the group computes: REFILL_BEGIN(n) before a BARRIER, n objects that count bytes. After
 * REFILL_FRESH they may be filled with what launches before this one wrote. In round r the group says REFILL_EXPECT(k, bytes) and all copies that make them up: REFILL by all threads, the n-th of a phase by a warp of its own, REFILL_OWN within REFILL_EACH; what was
 * copied lies there after REFILL_AWAIT(k, r % 2). Bytes and addresses are multiples of 16. DRAIN_READY by all threads, then a BARRIER, then
 * DRAIN and DRAIN_BEGIN; the LOCAL arrays are free after DRAIN_AWAIT and a BARRIER, and DRAIN_END ends the kernel. */
#if __CUDA_ARCH__ >= 900
DEVICE unsigned refill_address_(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}
DEVICE void refill_(unsigned long long *object, void *to, const void *from, int bytes)
{
  if (bytes > 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(refill_address_(to)),
                 "l"(from), "r"(bytes), "r"(refill_address_(object))
                 : "memory");
}
DEVICE void refill_await_(unsigned long long *object, int parity)
{
  int done = 0;
  while (!done)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(refill_address_(object)), "r"(parity)
                 : "memory");
}
#define REFILL_BEGIN(n)                                                                            \
  LOCAL_ARRAY(unsigned long long, refill_object_, n);                                              \
  if (THREAD == 0) {                                                                               \
    for (int k_ = 0; k_ < (n); k_++)                                                               \
      asm volatile(                                                                                \
          "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(refill_address_(refill_object_ + k_))     \
          : "memory");                                                                             \
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                             \
  }
#define REFILL_EXPECT(k, bytes)                                                                    \
  if (THREAD == 0)                                                                                 \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(                     \
                   refill_address_(refill_object_ + (k))),                                         \
               "r"((int)(bytes))                                                                   \
               : "memory")
#define REFILL_FRESH() asm volatile("fence.proxy.async;" ::: "memory")
#define REFILL(k, n, to, from, count)                                                              \
  if (THREAD == (n)*32 % THREADS)                                                                  \
  refill_(refill_object_ + (k), to, from, (count) * (int)sizeof *(from))
#define REFILL_EACH(i, n)                                                                          \
  for (int i = THREAD % 32 == 1 ? THREAD / 32 : (n); i < (n); i += THREADS / 32)
#define REFILL_OWN(k, to, from, count)                                                             \
  refill_(refill_object_ + (k), to, from, (count) * (int)sizeof *(from))
#define REFILL_AWAIT(k, parity) refill_await_(refill_object_ + (k), parity)
#define DRAIN_READY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
DEVICE void drain_(void *to, const void *from, int bytes)
{
  if (THREAD == 0)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(refill_address_(from)), "r"(bytes)
                 : "memory");
}
#define DRAIN(to, from, count) drain_(to, from, (count) * (int)sizeof *(from))
#define DRAIN_BEGIN() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define DRAIN_AWAIT() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define DRAIN_END() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#else
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
#endif
#define BARRIER_LOCKSTEP() __syncwarp()
/* The group that starts about when this one ends; -1: none. Asking for its arrays (FETCH) keeps the memory busy whatever phase the groups
 * are in. */
DEVICE int group_ahead_(int first_group)
{
  int processors, local;
  asm("mov.u32 %0, %nsmid;" : "=r"(processors));
  asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(local));
  const int groups = min(min(233472 / (local + 1024), 2048 / THREADS), 32);
  const int next = (int)blockIdx.x + processors * max(groups, 1);
  return next < (int)gridDim.x ? first_group + next : -1;
}
#define GROUP_AHEAD group_ahead_(first_group_)
DEVICE void fetch_(int k, const void *from, long bytes)
{
#if __CUDA_ARCH__ >= 900
  const unsigned long long at = (unsigned long long)__cvta_generic_to_global(from);
  const unsigned long long begin = at / 16 * 16, end = at + bytes;
  if (THREAD == (k * 32 + 1) % THREADS && bytes > 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                 "r"((int)((end - begin + 15) / 16 * 16)));
#endif
}
#define FETCH_BEGIN int fetches_ = 0;
#define FETCH(from, count) fetch_(fetches_++, from, (long)(count) * (int)sizeof *(from))
