/* What the form "elements" is made from on a device (operator/elements/make.c): order, nodes, matrices and corners of elements, as
 * operator/elements/elements.k.h and operator/patches/scatter.k.h read them. A group has CHUNK items, one per thread.
 *   node [elements][stride]  internal numbers, -1 behind an element's last;  order [elements]  batch by batch */

/* key[e] = batch_of[e] (NULL: 0) nodes + the lowest of an element's nodes. */
KERNEL packing_key(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL const int *RESTRICT batch_of,
                   GLOBAL int *RESTRICT key, const int elements, const int stride, const int nodes)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements) {
      int lowest = node[(long)e * stride];
      for (int n = 1; n < stride; n++) {
        const int i = node[(long)e * stride + n];
        if (i >= 0 && i < lowest) lowest = i;
      }
      key[e] = (batch_of ? batch_of[e] * nodes : 0) + lowest;
    }
  }
}

/* Of a batch, order[from ... from + count - 1]: to [padded / WIDTH][nodes][WIDTH], padding repeats the last element; spot[e]: the corner of
 * its first node, those of a batch from `first` on. */
KERNEL packing_nodes(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL const int *RESTRICT order,
                     GLOBAL int *RESTRICT to, GLOBAL int *RESTRICT spot, const int first,
                     const int from, const int count, const int padded, const int nodes,
                     const int stride, const int components)
{
  FOR_ITEMS(k, CHUNK) {
    const int q = GROUP_ID * CHUNK + k;
    if (q < padded) {
      const int e = order[from + (q < count ? q : count - 1)], slice = q / WIDTH, w = q % WIDTH;
      for (int n = 0; n < nodes; n++)
        to[((long)slice * nodes + n) * WIDTH + w] = node[(long)e * stride + n];
      if (q < count) spot[e] = first + slice * nodes * components * WIDTH + w;
    }
  }
}

/* Lower triangles from row `skip` on, or, whole, all of each row, of the elements order[from + begin ... from + end - 1]: matrix [end - begin][size], each of `width`
 * rows, or given [..][size] where given_of[e] is not below 0. */
KERNEL packing_matrices(GROUP_PARAM GLOBAL const int *RESTRICT order,
                        GLOBAL const int *RESTRICT given_of, GLOBAL const real *RESTRICT matrix,
                        GLOBAL const real *RESTRICT given, GLOBAL real *RESTRICT to, const int from,
                        const int begin, const int end, const int size, const int width,
                        const int skip, const int whole)
{
  FOR_ITEMS(k, CHUNK) {
    const int q = begin + GROUP_ID * CHUNK + k;
    if (q < end) {
      const int e = order[from + q], kept = width - skip,
                packed = whole ? kept * kept : kept * (kept + 1) / 2;
      GLOBAL const real *own =
          given_of[e] < 0 ? matrix + (long)(q - begin) * size : given + (long)given_of[e] * size;
      GLOBAL real *place = to + (long)(q / WIDTH) * packed * WIDTH + q % WIDTH;
      for (int i = skip; i < width; i++)
        for (int j = skip; j < (whole ? width : i + 1); j++, place += WIDTH)
          *place = own[i * width + j];
    }
  }
}

/* list [slice[nodes / WIDTH]][WIDTH] = corners of each node, in the order of its elements; `none` behind them. */
KERNEL packing_corners(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                       GLOBAL const int *RESTRICT around,
                       GLOBAL const unsigned short *RESTRICT place, GLOBAL const int *RESTRICT spot,
                       GLOBAL const int *RESTRICT slice, GLOBAL int *RESTRICT list, const int nodes,
                       const int components, const int none)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < nodes) {
      const long end = slice[i / WIDTH + 1];
      long entry = slice[i / WIDTH];
      for (long p = around_begin[i]; p < around_begin[i + 1]; p++, entry++)
        list[entry * WIDTH + i % WIDTH] = spot[around[p]] + place[p] * components * WIDTH;
      for (; entry < end; entry++) list[entry * WIDTH + i % WIDTH] = none;
    }
  }
}
