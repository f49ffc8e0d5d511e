/* Values of a matrix in another layout (solver/linear/sparse/layout.h), of numbers out[k], k < 2048 runs + rest:
 *   layout_pick   out[k] = value[from[k]], or 0 where from[k] is -1
 *   layout_fold   out[k] = sum of weight[p] value[from[p]] over begin[k] <= p < begin[k + 1], in ascending p: the same bits in each run */
#define LAYOUT_OWNS(k) (GROUP_ID < runs || (k) < rest)

KERNEL layout_pick(GROUP_PARAM GLOBAL const real *RESTRICT value, GLOBAL const long *RESTRICT from,
                   GLOBAL real *RESTRICT out, const int rest, const int runs)
{
  FOR_ITEMS(k, CHUNK) {
    if (LAYOUT_OWNS(k)) {
      const long at = (long)GROUP_ID * CHUNK + k;
      out[at] = from[at] < 0 ? REAL(0.0) : value[from[at]];
    }
  }
}

KERNEL layout_fold(GROUP_PARAM GLOBAL const real *RESTRICT value, GLOBAL const long *RESTRICT begin,
                   GLOBAL const long *RESTRICT from, GLOBAL const real *RESTRICT weight,
                   GLOBAL real *RESTRICT out, const int rest, const int runs)
{
  FOR_ITEMS(k, CHUNK) {
    if (LAYOUT_OWNS(k)) {
      const long at = (long)GROUP_ID * CHUNK + k;
      real sum = 0;
      for (long p = begin[at]; p < begin[at + 1]; p++) sum += weight[p] * value[from[p]];
      out[at] = sum;
    }
  }
}
