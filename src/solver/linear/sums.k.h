/* Sums over vectors in double precision, the same bits in each run: each group sums its CHUNK numbers over its threads and lanes in a tree
 * (sum_group), and one group folds the sums of all groups (fold_groups), in an order that depends on the sizes alone. */

/* sum[0] = the sum of sum[THREADS * LANES] */
DEVICE void sum_tree(LOCAL double *sum)
{
  BARRIER();
  for (int apart = THREADS * LANES / 2; apart > 0; apart /= 2) {
    FOR_ITEMS(t, apart) sum[t] += sum[t + apart];
    BARRIER();
  }
}

/* to[0] = the sum of sum[THREADS * LANES] */
DEVICE void sum_group(LOCAL double *sum, GLOBAL double *to)
{
  sum_tree(sum);
  FOR_ITEMS(t, 1) to[0] = sum[0];
}

/* sum[0] = the sum of part[groups]; pairs: other[0] = that of the groups behind them */
DEVICE void fold_groups(GLOBAL const double *part, const int groups, const int pairs,
                        LOCAL double *sum, LOCAL double *other)
{
  FOR_ITEMS(t, THREADS * LANES) {
    double own = 0, next = 0;
    for (int g = t; g < groups; g += THREADS * LANES) {
      own += part[g];
      if (pairs) next += part[groups + g];
    }
    sum[t] = own;
    other[t] = next;
  }
  sum_tree(sum);
  sum_tree(other);
}
