/* Rows straight into the memory of a neighbour that this device can write to, and from there into the ghosts. An exchange has a number, clock[0], which
 * is even or odd and so says which of two places of the mail is used; flag is what the neighbour's number becomes when its
 * rows are there: stored with release and loaded with acquire order.
 *   mail [2][shots][count][components];  clock [1], count_up [1]: of the device itself;  a group treats CHUNK of the reals */
#define SLOT(n) ((n) % 2 * all)
#define OWN_REALS                                                                                  \
  const int row = count * components, all = row * shots, first = GROUP_ID * CHUNK;                 \
  const int own = all - first < CHUNK ? all - first : CHUNK;                                       \
  const long number = ((GLOBAL const volatile long *)clock)[0];

/* mail of the neighbour <- vector [shots][padded][components] at send [count]; the last group raises the neighbour's flag. What the barrier gathers, the
 * fence of one item passes on. */
KERNEL link_push(GROUP_PARAM GLOBAL const real *RESTRICT vector, GLOBAL const int *RESTRICT send,
                 GLOBAL real *RESTRICT mail, GLOBAL long *RESTRICT flag,
                 GLOBAL const long *RESTRICT clock, GLOBAL int *RESTRICT done, const int count,
                 const int components, const int shots, const int padded, const int groups)
{
  OWN_REALS
  FOR_ITEMS(k, own) {
    const int i = first + k, shot = i / row, at = i - shot * row, node = at / components;
    mail[SLOT(number) + i] =
        vector[((long)shot * padded + send[node]) * components + at - node * components];
  }
  BARRIER_GLOBAL();
  FOR_ITEMS(k, 1) {
    FENCE_SYSTEM();
    if (ATOMIC_ADD(done, 1) == groups - 1) {
      done[0] = 0;
      STORE_RELEASE(flag, number + 1);
    }
  }
}

/* Nobody who looks at the flag waits any more. */
KERNEL link_release(GROUP_PARAM GLOBAL long *RESTRICT flag)
{
  FOR_ITEMS(k, 1) STORE_RELEASE(flag, (long)1 << 62);
}

/* Waits for the rows of a neighbour in one group, so that the places of others stay free for what runs meanwhile. */
KERNEL link_await(GROUP_PARAM GLOBAL const long *RESTRICT flag, GLOBAL const long *RESTRICT clock)
{
  FOR_ITEMS(k, 1)
    while (LOAD_ACQUIRE(flag) <= ((GLOBAL const volatile long *)clock)[0]) WAIT_AWHILE();
}

/* vector [shots][padded][components] <- mail, whose rows have come: `split` rows from ghost on, the rest from `more` on. The last group of the last
 * neighbour's launch counts the exchange. */
KERNEL link_take(GROUP_PARAM GLOBAL real *RESTRICT vector, GLOBAL const real *RESTRICT mail,
                 GLOBAL long *RESTRICT clock, GLOBAL int *RESTRICT done, const int count,
                 const int components, const int shots, const int padded, const int ghost,
                 const int split, const int more, const int groups, const int last)
{
  OWN_REALS
  FOR_ITEMS(k, own) {
    const int i = first + k, shot = i / row, at = i - shot * row;
    const int from = at < split * components ? ghost : more - split;
    vector[((long)shot * padded + from) * components + at] =
        ((GLOBAL const volatile real *)mail)[SLOT(number) + i];
  }
  BARRIER();
  FOR_ITEMS(k, 1)
    if (ATOMIC_ADD(done, 1) == groups - 1) {
      done[0] = 0;
      if (last) clock[0] = number + 1;
    }
}
