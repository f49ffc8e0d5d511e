/* The pictures of a run (hk_pictures_write), and checks before it whether files of the user have names that they will get. */
#pragma once
#include <hooke/result.h>
#include "picture/scene.h"
#include "result/field_file.h"
#include "result/run_file.h"

/* HK_NOT_WRITABLE with the file's name; changes nothing. A run that ends early draws other frames; their names are checked when they are written. */
hk_status hk_pictures_check_traces(const char *folder, const hk_run_layout *layout);
/* The field is number `field` of `fields` of the run. */
hk_status hk_pictures_check_field(const char *folder, const hk_field_layout *layout, int field,
                                  int fields);
/* hk_pictures_write with the scene of the run's mesh, or NULL. */
hk_status hk_pictures_draw(const char *run, const hk_scene *scene, const char *folder, int frames,
                           const hk_picture_desc *choice);
