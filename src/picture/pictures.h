/* Whether files of the user lie where the pictures of a run will be written (hk_pictures_write): told before the run. */
#ifndef HK_PICTURE_PICTURES_H
#define HK_PICTURE_PICTURES_H
#include "result/field_file.h"
#include "result/run_file.h"

/* HK_NOT_WRITABLE with the file's name; changes nothing. A run that ends early draws other frames, whose names are looked at then. */
hk_status hk_pictures_check_traces(const char *folder, const hk_run_layout *layout);
hk_status hk_pictures_check_field(const char *folder, const hk_field_layout *layout);
#endif
