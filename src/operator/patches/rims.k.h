/* Nodes that several groups of a launch have parts of (PARTS), finished within it (RIMS). Such a node belongs to the rim of its last group, which adds its own
 * part to those of the others, in the order of the groups: the same bits in each run. The others store their parts and report; the group
 * waits for their reports. Groups of a launch begin in the order of their numbers (hk_device_info.ordered), so that those which it waits for run or
 * have ended.
 *   rim     [groups][4]  first in shared | nodes | groups that report | reports so far, 0 between launches; behind them the rims that groups
 *                        report to: of a group so many as word 14 of its line tells, from word 13 on
 *   shared  [..][4]      node | its local number | its first part, its parts end where those of the next entry begin | -
 * RIMS is the number of nodes of a rim at most. */
#if RIMS
#define RIM_PARAMS , GLOBAL int *rim, GLOBAL const int *RESTRICT shared
#define RIM_ARGUMENTS , rim, shared

/* Once all threads have stored their parts. */
DEVICE void report(GLOBAL int *rim, const int first, const int count)
{
  BARRIER_GLOBAL();
  ROLLED
  FOR_ITEMS(k, count) REPORT(rim + rim[first + k] * 4 + 3);
}

/* All reports to the rim `of` have come, and what was stored ahead of them can be read by FRESH. */
DEVICE void await_reports(GLOBAL int *of)
{
  if (THREAD == 0) {
    const int all = of[2];
    while (REPORTS(of + 3) < all) WAIT_AWHILE();
    SEE();
    of[3] = 0;
  }
  BARRIER();
}
#else
#define RIM_PARAMS
#define RIM_ARGUMENTS
#endif
