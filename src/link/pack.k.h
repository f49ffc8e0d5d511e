/* The rows of a vector that other parts read, behind one another:  packed [shots][count][components] = vector [shots][padded][components] at
 * send [count]. A group packs CHUNK of the numbers. */
KERNEL link_pack(GROUP_PARAM GLOBAL const real *RESTRICT vector, GLOBAL const int *RESTRICT send,
                 GLOBAL real *RESTRICT packed, const int count, const int components,
                 const int shots, const int padded)
{
  const long row = (long)count * components, all = row * shots, first = (long)GROUP_ID * CHUNK;
  const int own = all - first < CHUNK ? (int)(all - first) : CHUNK;
  FOR_ITEMS(k, own) {
    const long i = first + k, shot = i / row;
    const int at = (int)(i - shot * row);
    packed[i] = vector[(shot * padded + send[at / components]) * components + at % components];
  }
}

/* The other way: vector [shots][padded][components] <- mail [shots][count][components]; `split` rows from ghost on, the rest from `more` on. */
KERNEL link_unpack(GROUP_PARAM GLOBAL real *RESTRICT vector, GLOBAL const real *RESTRICT mail,
                   const int count, const int components, const int shots, const int padded,
                   const int ghost, const int split, const int more)
{
  const long row = (long)count * components, all = row * shots, first = (long)GROUP_ID * CHUNK;
  const int own = all - first < CHUNK ? (int)(all - first) : CHUNK;
  FOR_ITEMS(k, own) {
    const long i = first + k, shot = i / row;
    const int at = (int)(i - shot * row);
    const long from = at < split * components ? ghost : more - split;
    vector[(shot * padded + from) * components + at] = mail[i];
  }
}
