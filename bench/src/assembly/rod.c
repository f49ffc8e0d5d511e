/* The rod of Sanfui and Sharma's second example (section 5.2) from its plan: a plane mesh of quadrilaterals, drawn by examples/rod/make.py
 * --table, becomes HEX20 in layers a tenth higher than its cells are wide. Lengths as in examples/rod/rod.geo: the bore of the crank, around the
 * origin, is held; the far half of the pin's bore is pulled along x. */
#include "assembly/body.h"
#include <math.h>
#include <string.h>

static const double thick = 16, crank = 22, pin = 11, length = 120, near = 0.1; /* mm */
static const double high = 1.1; /* height of a cell by its width */

/* By number of nodes: Tables 4 and 5, all HEX20. */
static const hk_bench_paper rods[] = {{15318, 0, {0}, 0},
                                      {22374, 4134, {.04, .01, .02}, 14.49},
                                      {36326, 13958, {.07, .01, .06}, 23.54},
                                      {60186, 11988, {.08, .03, .10}, 39.00},
                                      {76396, 15483, {.12, .04, .13}, 49.50},
                                      {88872, 18163, {.11, .05, .15}, 57.59},
                                      {113503, 23547, {.14, .06, .20}, 74.54},
                                      {2020284, 0, {0}, 0}};
enum { RODS = sizeof rods / sizeof *rods };

void hk_bench_rod_find(hk_bench_body *b)
{
  const hk_mesh *mesh = b->mesh;
  if (strncmp(b->name, "rod", 3) || mesh->block_count != 1 || mesh->block[0].shape != HK_HEX20)
    return;
  for (int i = 0; i < RODS; i++)
    if (fabs((double)mesh->node_count / (double)rods[i].nodes - 1) < 0.05) b->paper = rods[i];
}

static double area_of(const hk_mesh *plan)
{
  double sum = 0;
  for (hk_count e = 0; e < plan->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(plan, e);
    for (int v = 0; v < 4; v++) {
      const double *a = plan->x + 2 * node[v], *c = plan->x + 2 * node[(v + 1) % 4];
      sum += (a[0] * c[1] - a[1] * c[0]) / 2;
    }
  }
  return sum;
}

hk_status hk_bench_rod_make(const hk_mesh *plan, const char *path, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  HK_CHECK(plan->dim == 2 && plan->block_count == 1 && plan->block[0].shape == HK_QUAD4,
           HK_BAD_INPUT,
           "%s: must be a plane mesh of quadrilaterals, as examples/rod/make.py --table writes it",
           path);
  const double height = high * sqrt(area_of(plan) / (double)plan->element_count);
  HK_TRY(hk_mesh_extrude(
      plan, 0, 1,
      &(hk_mesh_layer){.height = thick, .cells = (hk_count)fmax(round(thick / height), 1)}, &mesh));
  HK_TRY(hk_mesh_raise(mesh));
  *out = mesh, mesh = NULL;
cleanup:
  hk_mesh_destroy(&mesh);
  return status;
}

bool hk_bench_rod_held(const double *x)
{
  return hypot(x[0], x[1]) < crank + near;
}

bool hk_bench_rod_pulled(const double *x)
{
  return x[0] > length && hypot(x[0] - length, x[1]) < pin + near;
}
