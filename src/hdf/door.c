/* Opens objects of HDF5 files without following them to other files.
 * Access lists with a callback refuse external links; datasets with external storage and virtual
 * datasets are refused by their layout. Otherwise a foreign result could make hooke read, and pass
 * on, other files of the user. */
#include "hdf/door.h"

static herr_t refuse(const char *file, const char *group, const char *other, const char *object,
                     unsigned *flags, hid_t access, void *user)
{
  (void)file, (void)group, (void)other, (void)object, (void)flags, (void)access, (void)user;
  return -1;
}

static hid_t make(hid_t class)
{
  const hid_t list = H5Pcreate(class);
  if (list >= 0 && H5Pset_elink_cb(list, refuse, NULL) >= 0) return list;
  if (list >= 0) H5Pclose(list);
  return H5I_INVALID_HID; /* what it is given to then fails */
}

/* Made once, by whoever holds HDF5's turn; HDF5 frees them when it ends. */
hid_t hk_hdf_group_door(void)
{
  static hid_t list = H5I_INVALID_HID;
  if (list < 0) list = make(H5P_GROUP_ACCESS);
  return list;
}

hid_t hk_hdf_door(void)
{
  static hid_t list = H5I_INVALID_HID;
  if (list < 0) list = make(H5P_DATASET_ACCESS);
  return list;
}

static bool is_elsewhere(hid_t set)
{
  const hid_t list = H5Dget_create_plist(set);
  const bool here =
      list >= 0 && H5Pget_layout(list) != H5D_VIRTUAL && H5Pget_external_count(list) == 0;
  if (list >= 0) H5Pclose(list);
  return !here;
}

static bool is_external(hid_t where, const char *name)
{
  H5L_info_t info;
  return H5Lget_info(where, name, &info, hk_hdf_door()) >= 0 && info.type != H5L_TYPE_HARD &&
         info.type != H5L_TYPE_SOFT;
}

hk_status hk_hdf_dataset(hid_t where, const char *file, const char *name, hid_t *set)
{
  *set = H5Dopen2(where, name, hk_hdf_door());
  if (*set >= 0 ? !is_elsewhere(*set) : !is_external(where, name)) return HK_OK;
  if (*set >= 0) H5Dclose(*set);
  *set = -1;
  return hk_error_set(HK_BAD_INPUT,
                      "%s: %s lies in another file (an external link, external storage or a "
                      "virtual dataset): hooke reads only data in the file itself",
                      file, name);
}
