/* HDF5 is used by one thread at a time, for only some builds of it are safe for several; and it prints its errors unless told
 * otherwise, but the library never prints. Whoever calls HDF5 does it between these two; they may nest. */
#ifndef HK_HDF_TURN_H
#define HK_HDF_TURN_H

void hk_hdf_begin(void);
void hk_hdf_end(void);

#endif
