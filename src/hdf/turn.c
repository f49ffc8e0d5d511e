/* A lock around all calls of HDF5, because some builds of it are not thread-safe.
 * hk_hdf_begin and hk_hdf_end may nest. The outer pair also turns off the error messages that HDF5
 * prints, and restores them. */
#include "hdf/door.h"
#include <hdf5.h>
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth;
/* What HDF5 did about errors before, of the thread whose turn it is. */
static H5E_auto2_t said;
static void *to;

void hk_hdf_begin(void)
{
  if (depth++) return;
  pthread_mutex_lock(&turn);
  H5Eget_auto2(H5E_DEFAULT, &said, &to);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hk_hdf_end(void)
{
  if (--depth) return;
  H5Eset_auto2(H5E_DEFAULT, said, to);
  pthread_mutex_unlock(&turn);
}
