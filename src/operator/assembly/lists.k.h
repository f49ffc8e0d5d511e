/* What kernels of assembly share: the places in `about`, which describes the elements, and lists of numbers without repetition, such as the
 * neighbours of a node (A.4) or the columns of a product of sparse matrices: a table that takes each number once (open addressing), sorting, and
 * bisection in a sorted list.
 *   about [3 + 3 kinds]   node numbers of an element in `node`, reals of a place for K_e in `matrix`, and of what numbers in `given` count; then of
 *                         each kind of elements its nodes, points of quadrature, and whether some of its laws react */
#define ABOUT_STRIDE(about) (about)[0]
#define ABOUT_SIZE(about) (about)[1]
#define ABOUT_GIVEN(about) (about)[2]
#define ABOUT_NODES(about, kind) (about)[3 + 3 * (kind)]
#define ABOUT_POINTS(about, kind) (about)[4 + 3 * (kind)]
#define ABOUT_REACTS(about, kind) (about)[5 + 3 * (kind)]

/* Of those that unite lists: a table per row of the numbers seen so far, and sorting. A group has ROWS rows. Tables of `slots` (a
 * power of 2, at least as many as candidates of a row) lie in local memory, of at most SLOTS slots each, or, HEAVY, in a scratch of the
 * device: [groups][ROWS][2 slots] from group `first` on. */
#if HEAVY
#define TABLE_PLACE GLOBAL
#define TABLE_BARRIER() BARRIER_GLOBAL()
#define TABLE_ARRAY                                                                                \
  GLOBAL int *const table = scratch + (long)(GROUP_ID - first) * (2 * ROWS) * slots;
#define LIST_ARRAY GLOBAL int *const list = table + (long)ROWS * slots;
#else
#define TABLE_PLACE LOCAL
#define TABLE_BARRIER() BARRIER()
#define TABLE_ARRAY LOCAL_ARRAY(int, table, ROWS *SLOTS);
#define LIST_ARRAY LOCAL_ARRAY(int, list, ROWS *SLOTS);
#endif

/* Counts a number of row r, and FILL puts it into its list, in any order. */
#if FILL
#define LIST_TAKE(r, value) list[(long)(r)*slots + COUNT_UP(&found[r])] = (value)
#else
#define LIST_TAKE(r, value) COUNT_UP(&found[r])
#endif

/* Whether the number was not there: of the same ones one thread alone is told so. */
DEVICE int lists_insert(TABLE_PLACE int *table, const int slots, const int value)
{
  unsigned at = (unsigned)value * 2654435769u >> 7 & (unsigned)(slots - 1);
  for (;;) {
    const int before = CLAIM(&table[at], -1, value);
    if (before == -1 || before == value) return before == -1;
    at = (at + 1) & (unsigned)(slots - 1);
  }
}

/* column = the numbers of list[length], in whose `share`-th part (of `shares`) this thread finds their places: as many as are smaller. */
DEVICE void lists_rank(TABLE_PLACE const int *list, const int length, GLOBAL int *column,
                       const int share, const int shares)
{
  for (int k = share; k < length; k += shares) {
    int smaller = 0;
    for (int m = 0; m < length; m++) smaller += list[m] < list[k];
    column[smaller] = list[k];
  }
}

DEVICE void lists_sift(GLOBAL int *RESTRICT list, const long length, const long first)
{
  const int value = list[first];
  long hole = first, child = 2 * first + 1;
  while (child < length) {
    if (child + 1 < length && list[child + 1] > list[child]) child++;
    if (list[child] <= value) break;
    list[hole] = list[child], hole = child, child = 2 * hole + 1;
  }
  list[hole] = value;
}

/* Ascending: by insertion, long lists by a heap. */
DEVICE void lists_order(GLOBAL int *RESTRICT list, const long length)
{
  if (length <= 64) {
    for (long k = 1; k < length; k++) {
      const int value = list[k];
      long at = k;
      while (at > 0 && list[at - 1] > value) {
        list[at] = list[at - 1];
        at--;
      }
      list[at] = value;
    }
  } else {
    for (long k = length / 2 - 1; k >= 0; k--) lists_sift(list, length, k);
    for (long k = length - 1; k > 0; k--) {
      const int top = list[0];
      list[0] = list[k], list[k] = top;
      lists_sift(list, k, 0);
    }
  }
}

/* Place of `value` in list[first ... end - 1], ascending; -1: not there. */
DEVICE long lists_find(GLOBAL const int *RESTRICT list, const long first, const long end,
                       const int value)
{
  long low = first;
  for (long left = end - first; left > 1; left -= left / 2)
    low += list[low + left / 2 - 1] < value ? left / 2 : 0;
  return low < end && list[low] == value ? low : -1;
}
