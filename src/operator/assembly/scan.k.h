/* Exclusive sums of counts, with 64 bits:  begin[i] = sum of count[k], k < i,  for i = 0 ... items; and the largest count.
 * Three launches: each group sums RUN counts per thread, one group sums those sums, each group spreads them.
 *   part [groups + 1] long;  most [groups + 1];  at the end part[groups] is the total, most[groups] the largest */
#define SCAN_CHUNK (THREADS * RUN)
#define SCAN_END(first, items) ((first) + RUN < (items) ? (first) + RUN : (items))

KERNEL scan_parts(GROUP_PARAM GLOBAL const int *RESTRICT count, GLOBAL long *RESTRICT part,
                  GLOBAL int *RESTRICT most, const int items)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(long, sum, THREADS);
  LOCAL_ARRAY(int, largest, THREADS);
  FOR_ITEMS(t, THREADS) {
    const int first = GROUP_ID * SCAN_CHUNK + t * RUN, end = SCAN_END(first, items);
    long s = 0;
    int m = 0;
    for (int i = first; i < end; i++) {
      s += count[i];
      m = count[i] > m ? count[i] : m;
    }
    sum[t] = s, largest[t] = m;
  }
  BARRIER();
  FOR_ITEMS(k, 1) {
    for (int t = 1; t < THREADS; t++) {
      sum[0] += sum[t];
      largest[0] = largest[t] > largest[0] ? largest[t] : largest[0];
    }
    part[GROUP_ID] = sum[0], most[GROUP_ID] = largest[0];
  }
}

/* One group. */
KERNEL scan_total(GROUP_PARAM GLOBAL long *RESTRICT part, GLOBAL int *RESTRICT most,
                  const int groups)
{
  const int each = (groups + THREADS - 1) / THREADS;
  LOCAL_BEGIN
  LOCAL_ARRAY(long, sum, THREADS);
  LOCAL_ARRAY(int, largest, THREADS);
  FOR_ITEMS(t, THREADS) {
    long s = 0;
    int m = 0;
    for (int g = t * each; g < (t + 1) * each && g < groups; g++) {
      s += part[g];
      m = most[g] > m ? most[g] : m;
    }
    sum[t] = s, largest[t] = m;
  }
  BARRIER();
  FOR_ITEMS(k, 1) {
    long before = 0;
    int m = 0;
    for (int t = 0; t < THREADS; t++) {
      const long own = sum[t];
      sum[t] = before, before += own;
      m = largest[t] > m ? largest[t] : m;
    }
    part[groups] = before, most[groups] = m;
  }
  BARRIER();
  FOR_ITEMS(t, THREADS) {
    long before = sum[t];
    for (int g = t * each; g < (t + 1) * each && g < groups; g++) {
      const long own = part[g];
      part[g] = before, before += own;
    }
  }
}

KERNEL scan_spread(GROUP_PARAM GLOBAL const int *RESTRICT count, GLOBAL const long *RESTRICT part,
                   GLOBAL long *RESTRICT begin, const int items)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(long, sum, THREADS);
  FOR_ITEMS(t, THREADS) {
    const int first = GROUP_ID * SCAN_CHUNK + t * RUN, end = SCAN_END(first, items);
    long s = 0;
    for (int i = first; i < end; i++) s += count[i];
    sum[t] = s;
  }
  BARRIER();
  FOR_ITEMS(k, 1) {
    long before = part[GROUP_ID];
    for (int t = 0; t < THREADS; t++) {
      const long own = sum[t];
      sum[t] = before, before += own;
    }
  }
  BARRIER();
  FOR_ITEMS(t, THREADS) {
    const int first = GROUP_ID * SCAN_CHUNK + t * RUN, end = SCAN_END(first, items);
    long s = sum[t];
    for (int i = first; i < end; i++) {
      begin[i] = s;
      s += count[i];
    }
    if (first < items && end == items) begin[items] = s;
  }
}
