/* Dialect of CUDA C, compiled by NVRTC. A group is a block, items are strided over its threads, one lane. */
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
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
#define LANE_ARRAY(T, name) T name[LANES]
#define LANE_LINE(T, name, n) T name[(n)*LANES]
#define FOR_ITEMS(i, n) for (int k_ = 0, i = THREAD; i < (n); k_++, i += THREADS)
#define FOR_LANES(l) for (int l = 0; l < LANES; l++)
#define UNROLL _Pragma("unroll")
#define BARRIER() __syncthreads()
#define BARRIER_GLOBAL() __syncthreads()
#define EARLY(T, name, n) T name[((n) + THREADS - 1) / THREADS]
#define EARLY_LOAD(name, i, value) (name[k_] = (value))
#define EARLY_GET(name, i, value) (name[k_])
#define PREFETCH(p, n)
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
#else
typedef float real;
#define REAL(x) x##f
#define RECIPROCAL(x) (1 / (x))
#endif
/* Records in LOCAL memory, moved as words of up to 16 bytes. */
struct __align__(2 * sizeof(real)) pair_
{
  real x, y;
};
struct __align__(16) quad_
{
  real x, y, z, w;
};
DEVICE void load_quad_(const real *s, real *t)
{
  const quad_ q = *(const quad_ *)s;
  t[0] = q.x, t[1] = q.y, t[2] = q.z, t[3] = q.w;
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
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define LOAD_QUADS(s, n, t) load_quad_((s) + (n)[0] * 4, t)
#define LOAD_RECORDS(s, n, t) JOIN(load_record_, DIM)((s) + (n)[0] * RECORD, t)
#define STORE_RECORDS(s, first, t) JOIN(store_record_, DIM)((s) + (first)*RECORD, t)
