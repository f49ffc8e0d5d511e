/* The section of a cylinder: a square core of m x m cells with slightly round sides, and `rings`
 * layers of 4 m cells from its edge to the circle. m is near half of the cells across, so that all
 * cells have about the same size, and 3 cells of about 120 degrees meet at each corner of the core.
 *
 *        . - - .
 *      / \     / \
 *     /   +---+   \
 *     |   |   |   |
 *     \   +---+   /
 *      \ /     \ /
 *        ' - - '
 */
#include "mesh/make/generate.h"
#include <math.h>

typedef struct disk {
  double radius, core; /* core: half of the core's width */
  double roundness;    /* of the core: 0: square, 1: circle */
  hk_count m, rings;
} disk;

static disk disk_of(double radius, hk_count across)
{
  disk d = {.radius = radius, .m = 2 * ((across + 2) / 4)};
  d.rings = (across - d.m) / 2;
  d.core = radius * (double)d.m / (double)across;
  d.roundness = d.rings ? 0.37 : 1; /* 120 degrees at the corners; without rings the core is all */
  return d;
}

/* Node k of the core's edge (k = 0 ... 4 m - 1, counter-clockwise from its lower left corner). */
static hk_index edge_node(const disk *d, hk_count k)
{
  const hk_count m = d->m, along = k % m;
  const hk_count i[4] = {along, m, m - along, 0}, j[4] = {0, along, m, m - along};
  return (hk_index)(j[k / m % 4] * (m + 1) + i[k / m % 4]);
}

static void place_core(const disk *d, double *x)
{
  for (hk_count j = 0; j <= d->m; j++)
    for (hk_count i = 0; i <= d->m; i++, x += 2) {
      const double u = (double)(2 * i - d->m) / (double)d->m;
      const double v = (double)(2 * j - d->m) / (double)d->m;
      x[0] = d->core * u * (1 - d->roundness + d->roundness * sqrt(1 - v * v / 2));
      x[1] = d->core * v * (1 - d->roundness + d->roundness * sqrt(1 - u * u / 2));
    }
}

static void place_rings(const disk *d, double *x)
{
  const hk_count around = 4 * d->m;
  double *to = x + 2 * (d->m + 1) * (d->m + 1);
  for (hk_count r = 1; r <= d->rings; r++)
    for (hk_count k = 0; k < around; k++, to += 2) {
      const double angle = M_PI * (2 * (double)k / (double)around - 0.75);
      const double t = (double)r / (double)d->rings, *from = x + 2 * edge_node(d, k);
      to[0] = (1 - t) * from[0] + t * d->radius * cos(angle);
      to[1] = (1 - t) * from[1] + t * d->radius * sin(angle);
    }
}

/* Node k of ring r; ring 0 is the core's edge. */
static hk_index ring_node(const disk *d, hk_count r, hk_count k)
{
  const hk_count around = 4 * d->m;
  if (r == 0) return edge_node(d, k % around);
  return (hk_index)((d->m + 1) * (d->m + 1) + (r - 1) * around + k % around);
}

static void fill_quads(const disk *d, hk_index *quad)
{
  for (hk_count j = 0; j < d->m; j++)
    for (hk_count i = 0; i < d->m; i++, quad += 4)
      hk_section_quad(j * (d->m + 1) + i, d->m + 1, quad);
  for (hk_count r = 0; r < d->rings; r++)
    for (hk_count k = 0; k < 4 * d->m; k++, quad += 4) {
      quad[0] = ring_node(d, r, k), quad[1] = ring_node(d, r + 1, k);
      quad[2] = ring_node(d, r + 1, k + 1), quad[3] = ring_node(d, r, k + 1);
    }
}

static double shortest_edge(const hk_section *s)
{
  double shortest = INFINITY;
  for (hk_count i = 0; i < 4 * s->quads; i++) {
    const hk_index a = s->quad[i], b = s->quad[i % 4 == 3 ? i - 3 : i + 1];
    shortest = fmin(shortest, hypot(s->x[2 * a] - s->x[2 * b], s->x[2 * a + 1] - s->x[2 * b + 1]));
  }
  return shortest;
}

static hk_status check_cylinder(const hk_mesh_cylinder *c)
{
  hk_index fits;
  HK_NEED(c->shape == HK_TET4 || c->shape == HK_HEX8, HK_BAD_INPUT,
          "cylinder: elements are tet4 or hex8, not %s", hk_shape_name(c->shape));
  HK_NEED(c->radius > 0 && c->length > 0, HK_BAD_INPUT,
          "cylinder: radius %g, length %g: both must be above 0", c->radius, c->length);
  HK_NEED(c->across >= 1 && c->along >= 1, HK_BAD_INPUT,
          "cylinder: %lld cells across, %lld along: both must be at least 1", (long long)c->across,
          (long long)c->along);
  HK_PASS(hk_narrow(c->across, "number of cells", &fits));
  HK_PASS(hk_narrow(c->along, "number of cells", &fits));
  return hk_narrow((c->across + 2) * (c->across + 2), "number of nodes", &fits);
}

hk_status hk_mesh_create_cylinder(const hk_mesh_cylinder *desc, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_section section;
  const hk_side side[3] = {{"bottom", 2, 0}, {"top", 2, desc->length}, {"side", -1, 0}};

  HK_TRY(check_cylinder(desc));
  const disk d = disk_of(desc->radius, desc->across + desc->across % 2);
  HK_TRY(hk_section_create(&pool, (d.m + 1) * (d.m + 1) + 4 * d.m * d.rings,
                           d.m * d.m + 4 * d.m * d.rings, &section));
  place_core(&d, section.x);
  place_rings(&d, section.x);
  fill_quads(&d, section.quad);
  const double cell = shortest_edge(&section);
  HK_TRY(hk_mesh_generate(&section,
                          &(hk_generate){.name = "cylinder",
                                         .shape = desc->shape,
                                         .layers = desc->along,
                                         .to = desc->length,
                                         .side = side,
                                         .sides = 3,
                                         .jitter = desc->jitter,
                                         .cell = {cell, cell, desc->length / (double)desc->along},
                                         .shuffle = desc->shuffle},
                          out));
cleanup:
  hk_pool_clear(&pool);
  return status;
}
