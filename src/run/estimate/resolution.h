/* How finely the mesh resolves the shortest wave of the sources, material by material. */
#ifndef HK_RUN_ESTIMATE_RESOLUTION_H
#define HK_RUN_ESTIMATE_RESOLUTION_H
#include "model/model.h"

typedef struct hk_resolution { /* of one region */
  hk_count elements;
  double slowest, fastest; /* wave speeds */
  double wavelength;       /* slowest / highest frequency; 0: frequency not known */
  double edge;             /* longest edge of its elements, 95th percentile */
  double points;           /* wavelength / edge */
  double advised;          /* edge length for 10 points per wavelength */
} hk_resolution;

/* resolution[region_count]; *frequency: highest of the sources (-40 dB), 0 if not known. Warns of regions below 8 points, and where units
 * seem to be forgotten: speeds outside 10 to 20 000 m/s, less than one point per wavelength, thousands of wavelengths across the model or
 * none. Models without units are not asked. */
hk_status hk_resolution_measure(const hk_model *model, hk_messages *list, double *frequency,
                                hk_resolution *resolution);
/* The same of a model whose mesh is a part of a larger body, of which `body` is any mesh. */
hk_status hk_resolution_measure_part(const hk_model *model, const hk_mesh *body, hk_messages *list,
                                     double *frequency, hk_resolution *resolution);
/* The question about speeds alone, of regions that have a density: of static models. */
void hk_resolution_check_speeds(const hk_model *model, hk_messages *list);
#endif
