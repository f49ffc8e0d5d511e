/* The law of a region at a point: flux = law(gradient, parameters, state), of solids the stress. A law is a folder: law.c has the hk_law below,
 * law.k.h the function of points that kernels include, and its line in physics/list.k.h is all that others know of it.
 *
 *   const hk_law *law = hk_law_at(false, 0);
 *   if (hk_law_serves(law, &region, dim))
 *     law->pack(&region, dim, 0, parameter);   parameter[hk_law_parameters(law, dim)]
 */
#pragma once
#include "physics/material.h"

/* Of rows of points with state (operator/spectral/spectral.k.h): SUMS energies are kept, lost, turned into heat, held in the last step; ROWS: rows times
 * lanes of a group are padded to a multiple of it. */
enum { HK_MOST_PARAMETERS = 32, HK_LAW_SUMS = 3, HK_LAW_ROWS = 8 };

/* Laws are numbered apart, by the components of the unknown: as many as dimensions, one (true), or three in the plane. */
enum { HK_LAW_VECTOR = false, HK_LAW_SCALAR = true, HK_LAW_SPATIAL };

typedef struct hk_law {
  /* by which a material asks for it; several laws may share one: the first that serves */
  const char *name;
  bool scalar, spatial; /* one component per node; three in the plane; else as many as dimensions */
  /* the flux is a constant matrix times the strain, that of the material's constants: K can be stored. A law that is not linear has that
   * matrix for a sudden strain, so that bounds of dt, wave speeds and dashpots follow from the constants */
  bool linear;
  /* not linear, and yet of regions that ask for no law, where one group of elements has such regions and its own */
  bool covers;
  /* Names of the parameters in 2D and 3D, in their order, NULL at the end; of the values of state at a point, which are 0 at first and which
   * each step changes (NULL: none). A law with state also tells the energy that a step turns into heat and the one that it holds (law.k.h):
   * together the energy lost, the work of the flux less the strain energy by the material's constants, which the solver adds to what damping
   * took. */
  const char *const *parameter[2], *const *state[2];
  /* Whether the law holds in the region: of those before it in the list too, where elements of several share a group. */
  bool (*serves)(const hk_region *region, int dim);
  /* parameter[..] at a point of a region that does not vary (hk_region_at), for steps of dt (0: not known yet); 2D: of a flux times the
   * thickness. */
  void (*pack)(const hk_region *region, int dim, double dt, double *parameter);
  /* The most that the strain energy by the material's constants may be of the work of a slow strain; NULL: 1. */
  double (*surplus)(const hk_region *region, int dim);
} hk_law;

int hk_law_parameters(const hk_law *law, int dim);
/* Values of state at a point; the most of all laws. */
int hk_law_states(const hk_law *law, int dim);
int hk_law_most_states(int dim);
/* How many laws there are of these components (HK_LAW_VECTOR ...), and the one of that number among them. */
int hk_law_count(int components);
const hk_law *hk_law_at(int components, int number);
/* HK_LAW_VECTOR ... of the region's unknown in explicit steps. */
int hk_law_components(const hk_region *region, int dim);
/* Whether the law holds in the region, and no other is asked for. A law that is neither linear nor covers others has to be asked for. */
bool hk_law_serves(const hk_law *law, const hk_region *region, int dim);
/* The first law that serves the region; NULL: none. */
const hk_law *hk_law_of(int components, const hk_region *region, int dim);
/* Whether the region is a solid with attenuation (viscoelastic/). */
bool hk_law_relaxes(const hk_region *region);
/* The time t of a Kelvin-Voigt solid; 0 of others. */
double hk_law_delay(const hk_region *region);
/* HK_BAD_INPUT where the region's material asks for a law that does not serve it, or for one that is not linear while `who` ("form of K
 * "edges"") computes linear laws only; `instead`: what to do. who NULL: any law will do. All that computes a law otherwise than by law.k.h asks
 * this. */
hk_status hk_law_check(int components, const hk_region *region, int dim, const char *who,
                       const char *instead);

#define EACH_LAW(name, components) extern const hk_law hk_law_##name;
#include "physics/list.k.h"
#undef EACH_LAW
