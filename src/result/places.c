/* Where and when the traces of a result were taken: places of receivers and sources, and whether samples are even in time. Exports and images need the
 * same of them. */
#include "result/result.h"
#include <float.h>
#include <math.h>

bool hk_result_is_even(const double *time, hk_count count)
{
  const double dt = count > 1 ? (time[count - 1] - time[0]) / (double)(count - 1) : 0;
  bool good = dt > 0 && dt <= DBL_MAX;
  for (hk_count k = 0; good && k < count; k++)
    good = fabs(time[k] - (time[0] + (double)k * dt)) <= 1e-4 * dt;
  return good;
}

hk_status hk_result_places(hk_result *r, int trace, int *dim, double (*at)[3])
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  char *path = NULL;
  double *x = NULL;
  hk_hdf_array array;
  HK_TRY(hk_format(&path, "/traces/%s/coordinates", t->request));
  HK_TRY(hk_hdf_array_find(r->file, path, &array));
  HK_CHECK(array.rank == 2 && array.size[0] == t->receivers && array.size[1] <= 3, HK_BAD_INPUT,
           "%s is not a list of points", path);
  *dim = (int)array.size[1];
  HK_TRY(hk_get(&x, t->receivers * *dim));
  HK_TRY(hk_hdf_read(r->file, path, *dim, 0, t->receivers, x));
  for (hk_count i = 0; i < t->receivers; i++)
    for (int d = 0; d < 3; d++) at[i][d] = d < *dim ? x[i * *dim + d] : 0;
cleanup:
  hk_free(&path);
  hk_free(&x);
  return status;
}

int hk_result_source(const hk_result *r, hk_count shot, double x[3])
{
  const json_t *at = json_array_get(json_object_get(r->run, "sources"), (size_t)shot);
  const size_t dim = json_array_size(at) <= 3 ? json_array_size(at) : 0;
  for (size_t d = 0; d < 3; d++) x[d] = d < dim ? json_number_value(json_array_get(at, d)) : 0;
  return (int)dim;
}
