/* Values of nodes that ranks of MPI send each other, behind one another:  packed [count][words] = vector [nodes][words] at list [count], and back. Words have 32 bits,
 * whatever the vector holds. A group moves CHUNK of them. */
KERNEL halo_pack(GROUP_PARAM GLOBAL const int *RESTRICT vector, GLOBAL const int *RESTRICT list,
                 GLOBAL int *RESTRICT packed, const int count, const int words)
{
  const long all = (long)count * words, first = (long)GROUP_ID * CHUNK;
  const int own = all - first < CHUNK ? (int)(all - first) : CHUNK;
  FOR_ITEMS(k, own) {
    const long i = first + k;
    packed[i] = vector[(long)list[i / words] * words + i % words];
  }
}

KERNEL halo_unpack(GROUP_PARAM GLOBAL int *RESTRICT vector, GLOBAL const int *RESTRICT list,
                   GLOBAL const int *RESTRICT packed, const int count, const int words)
{
  const long all = (long)count * words, first = (long)GROUP_ID * CHUNK;
  const int own = all - first < CHUNK ? (int)(all - first) : CHUNK;
  FOR_ITEMS(k, own) {
    const long i = first + k;
    vector[(long)list[i / words] * words + i % words] = packed[i];
  }
}
