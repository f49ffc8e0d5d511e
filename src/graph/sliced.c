/* Offsets of lists that are interleaved in slices of `width` (sliced.h): each slice is as long as
 * the longest of its lists, and the offsets are the running sum of these lengths.
 * Lanes or threads that process neighbouring lists then read neighbouring addresses. */
#include "graph/sliced.h"

hk_status hk_sliced_offsets(const hk_index *length, hk_index count, int width, hk_index *slice)
{
  hk_count sum = 0;
  const hk_index slices = (count + width - 1) / width;
  slice[0] = 0;
#pragma omp parallel for schedule(static)
  for (hk_index s = 0; s < slices; s++) {
    hk_index longest = 0;
    for (hk_index i = s * width; i < (s + 1) * width && i < count; i++)
      if (length[i] > longest) longest = length[i];
    slice[s + 1] = longest;
  }
  for (hk_index s = 0; s < slices; s++) {
    sum += slice[s + 1];
    const hk_status status = hk_narrow(sum, "list entries per lane", &slice[s + 1]);
    if (status != HK_OK) return status;
  }
  return HK_OK;
}
