/* Incident waves: those of a file (load/wave/recorded.h), and plane waves in a uniform isotropic body, or in the half-space below a free surface, which
 * are sums of at most three rays (W.25)
 *
 *   u(x, t) = sum over rays  motion s(t - start - slowness . (x - from))
 *
 * the wave that comes and, below a free surface, the P and S waves that it sends back. s is the signal of the displacement, `from` a point
 * that the wave passes at t = 0. `up` is the last axis of the mesh (y in 2D, z in 3D); SV moves in the plane of the direction and up,
 * SH across it. In fluids the unknown is the potential q with p = -dq/dt and velocity grad q / density. */
#pragma once
#include "load/wave/recorded.h"
#include "physics/material.h"

typedef enum hk_wave_kind { HK_WAVE_P, HK_WAVE_SV, HK_WAVE_SH } hk_wave_kind;

typedef struct hk_plane_wave {
  /* the wave of a file, in place of all that follows but the amplitude, its largest value; NULL: a plane wave */
  const hk_recorded *recorded;
  hk_wave_kind kind;
  double along[3];  /* unit vector */
  double level[3];  /* unit vector across up, in the plane of `along` and up */
  double amplitude; /* of the displacement */
  double from[3];   /* where has_from; else the first node that the wave passes is taken */
  bool has_from;
  bool below; /* the half-space below the free surface up . x = surface; else the full space */
  double surface;
} hk_plane_wave;

typedef struct hk_ray {
  double slowness[3]; /* time per length */
  double motion[3];   /* of the displacement; of a fluid [0] of the potential */
  double start;
} hk_ray;
enum { HK_MOST_RAYS = 3 };

typedef struct hk_wave_body { /* the body that the wave passes */
  int dim;
  bool fluid, antiplane;
  double lambda, mu, density; /* of the plane law in 2D; fluids: lambda is the bulk modulus, mu 0 */
} hk_wave_body;

/* False where the region is not isotropic, or changes from place to place. */
bool hk_wave_body_of(const hk_region *region, int dim, hk_wave_body *out);
/* Speed of the wave itself. */
double hk_wave_speed(const hk_plane_wave *wave, const hk_wave_body *body);
/* HK_BAD_INPUT: a wave that the body does not have, or one that does not come to the free surface from below. */
hk_status hk_wave_check(const hk_plane_wave *wave, const hk_wave_body *body);
/* Whether SV comes to the free surface beyond the critical angle, where its P wave runs along it: load/wave/stack.h then has the field. */
bool hk_wave_is_beyond(const hk_plane_wave *wave, const hk_wave_body *body);
/* The direction of the motion of SH: up x level, or z where waves move across the plane. */
void hk_wave_across(const hk_plane_wave *wave, const hk_wave_body *body, double out[3]);
/* ray[0] is the wave itself; those behind it are what the free surface sends back. The wave is none beyond. */
void hk_wave_rays(const hk_plane_wave *wave, const hk_wave_body *body, const double from[3],
                  hk_ray ray[HK_MOST_RAYS], int *count);
