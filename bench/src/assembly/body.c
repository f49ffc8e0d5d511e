/* Bodies of the bench of assembly: boxes of the project, tubes of about the sizes of the paper's cylinders (Sanfui and
 * Sharma, Tables 1 to 3), rods from a plan (rod.c), or a static deck. Generated bodies are held at the low end of z and
 * loaded at the other. */
#include "assembly/body.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct body_case {
  const char *name, *table; /* tube: the paper's; box: the project's own */
  hk_shape shape;           /* before it is raised */
  bool raised;
  double cells[3]; /* of a box; of a tube through, around, along */
  bool tube, full;
  hk_bench_paper paper;
} body_case;

static const body_case cases[HK_BENCH_BODIES] = {
    {"box hex20", "", HK_HEX8, true, {62, 62, 62}, false, true, {0}},
    {"box tet4", "", HK_TET4, false, {99, 99, 99}, false, true, {0}},
    {"box tet10", "", HK_TET4, true, {50, 50, 50}, false, true, {0}},
    {"tube hex20 30000 nodes", "2", HK_HEX8, true, {9, 37, 20}, true, false, {30000, 0, {0}, 0}},
    {"tube hex20 1000000 nodes",
     "2",
     HK_HEX8,
     true,
     {31, 124, 63},
     true,
     false,
     {1000000, 0, {0}, 0}},
    {"tube hex20 2000000 nodes",
     "2",
     HK_HEX8,
     true,
     {39, 156, 80},
     true,
     false,
     {2000000, 0, {0}, 0}},
    {"tube hex20 64000",
     "3",
     HK_HEX8,
     true,
     {20, 80, 40},
     true,
     false,
     {68921, 64000, {.07, .03, .05}, 44.67}},
    {"tube hex20 216000",
     "3",
     HK_HEX8,
     true,
     {30, 120, 60},
     true,
     false,
     {226981, 216000, {.15, .11, .23}, 147.08}},
    {"tube hex20 175550",
     "1",
     HK_HEX8,
     true,
     {28, 112, 56},
     true,
     false,
     {742677, 175550, {.110}, 0}},
    {"tube tet4 90630",
     "3",
     HK_TET4,
     false,
     {12, 50, 25},
     true,
     false,
     {17434, 90630, {.04, .004, .03}, 3.35}},
    {"tube tet4 732007",
     "1, 3",
     HK_TET4,
     false,
     {25, 98, 50},
     true,
     false,
     {130884, 732007, {.201, .03, .22}, 27.22}},
    {"tube tet4 1568610",
     "3",
     HK_TET4,
     false,
     {32, 128, 64},
     true,
     false,
     {275913, 1568610, {.36, .07, .49}, 57.39}},
    {"tube tet10 732129",
     "1",
     HK_TET4,
     true,
     {25, 98, 50},
     true,
     false,
     {1012919, 732129, {.813}, 0}}};

static const double beside = 0.1; /* part of the elements that the processor has beside a device */

static hk_status make_mesh(const hk_bench_body *b, const body_case *c, hk_mesh **mesh)
{
  const double scale = cbrt(b->job->scale * (b->place ? beside : 1));
  hk_count cells[3];
  for (int d = 0; d < 3; d++) cells[d] = (hk_count)fmax(c->cells[d] * scale + 0.5, d == 1 ? 3 : 1);
  if (c->tube)
    HK_PASS(hk_mesh_create_tube(&(hk_mesh_tube){.inner = 1,
                                                .outer = 2,
                                                .length = 3,
                                                .through = cells[0],
                                                .around = cells[1],
                                                .along = cells[2],
                                                .shape = c->shape},
                                mesh));
  else
    HK_PASS(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 3,
                                                .to = {1, 1, 1},
                                                .cells = {cells[0], cells[1], cells[2]},
                                                .shape = c->shape,
                                                .jitter = 0.1},
                                mesh));
  if (c->raised) HK_PASS(hk_mesh_raise(*mesh));
  return HK_OK;
}

/* Where a body is held, and where a force along x and z acts on each node: the ends of z; of a rod its bores. */
static hk_status hold(hk_bench_body *b, bool rod)
{
  hk_status status = HK_OK;
  hk_constraint_rows rows = {0};
  const hk_mesh *mesh = b->mesh;
  double low = HUGE_VAL, high = -HUGE_VAL;
  HK_TRY(hk_get(&b->own.f, (hk_count)b->space->padded * 3));
  for (hk_count n = 0; n < mesh->node_count; n++)
    low = fmin(low, mesh->x[3 * n + 2]), high = fmax(high, mesh->x[3 * n + 2]);
  const double near = 1e-9 * (high - low);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const hk_index dof = b->space->node[n] * 3;
    const double *x = mesh->x + 3 * n;
    const bool pulled = rod ? hk_bench_rod_pulled(x) : x[2] > high - near,
               held = rod ? hk_bench_rod_held(x) : x[2] < low + near;
    if (pulled) b->own.f[dof] = 1, b->own.f[dof + 2] = !rod;
    for (int c = 0; c < 3 && held; c++)
      HK_TRY(hk_constraint_rows_add(&rows, 1, &(hk_index){dof + c}, &(double){1}, 0, NULL, 0));
  }
  HK_TRY(hk_constraints_build(&rows, (hk_count)b->space->padded * 3, 0, NULL, &b->own.held, NULL));
  b->f = b->own.f, b->held = &b->own.held;
cleanup:
  hk_constraint_rows_clear(&rows);
  return status;
}

bool hk_bench_body_is(int which, const hk_bench_chosen *chosen)
{
  if (!chosen->boxes && !chosen->tubes) return true;
  return cases[which].tube ? chosen->tubes : chosen->boxes;
}

/* Numbering, one material, and what holds it, for the mesh that the body owns. */
static hk_status dress(hk_bench_body *b, bool rod)
{
  const hk_operator_kind *kind;
  b->mesh = b->own.mesh;
  HK_PASS(hk_operator_choose("assembled", b->mesh, b->device, &kind));
  const hk_space_desc numbering = kind->space(b->mesh, b->device, true);
  HK_PASS(hk_space_create(b->mesh, &numbering, &b->own.space));
  b->space = b->own.space;
  HK_PASS(hk_get(&b->own.element_region, b->mesh->element_count));
  b->element_region = b->own.element_region;
  b->own.region = (hk_region){.thickness = 1, .material.density = 1};
  HK_PASS(hk_material_isotropic(1, 0.3, &b->own.region.material));
  b->region = &b->own.region;
  return b->solved ? hold(b, rod) : HK_OK;
}

hk_status hk_bench_body_generate(hk_bench_job *job, int which, hk_device *device, int place,
                                 hk_bench_body *b)
{
  const body_case *c = &cases[which];
  *b = (hk_bench_body){.job = job,
                       .table = c->table,
                       .full = c->full,
                       .ways = true,
                       .solved = c->full,
                       .place = place,
                       .device = device};
  if (!place) b->paper = c->paper;
  snprintf(b->name, sizeof b->name, "%s", c->name);
  hk_bench_say(job, "%s: mesh", b->name);
  HK_PASS(make_mesh(b, c, &b->own.mesh));
  return dress(b, false);
}

/* That of the file, up to its first point. */
static void name_body(hk_bench_body *b, const char *path)
{
  const char *base = hk_bench_base(path);
  snprintf(b->name, sizeof b->name, "%.*s", (int)strcspn(base, "."), base);
}

hk_status hk_bench_body_draw(hk_bench_job *job, const char *path, hk_device *device, int place,
                             hk_bench_body *b)
{
  hk_mesh *plan = NULL;
  *b = (hk_bench_body){.job = job, .table = "5", .solved = true, .place = place, .device = device};
  name_body(b, path);
  hk_bench_say(job, "%s: mesh", b->name);
  hk_status status = hk_mesh_read(path, job->list, &plan);
  if (status == HK_OK) status = hk_bench_rod_make(plan, path, &b->own.mesh);
  hk_mesh_destroy(&plan);
  if (status == HK_OK) status = dress(b, true);
  if (status == HK_OK) hk_bench_rod_find(b);
  return status;
}

hk_status hk_bench_body_read(hk_bench_job *job, const char *path, const char *device, int place,
                             hk_bench_body *b)
{
  const hk_static *run = &b->model.run;
  *b = (hk_bench_body){.job = job, .table = "5", .solved = true, .place = place};
  name_body(b, path);
  HK_PASS(hk_bench_model_read(job, path, device, &b->model));
  const hk_model *model = b->model.model;
  b->device = run->on.device, b->space = run->on.space, b->mesh = model->mesh;
  b->region = model->region, b->element_region = model->element_region;
  b->held = &run->held.own, b->f = run->vector.f;
  hk_bench_rod_find(b);
  return HK_OK;
}

void hk_bench_body_clear(hk_bench_body *b)
{
  hk_bench_model_clear(&b->model);
  hk_constraints_clear(&b->own.held);
  hk_space_destroy(&b->own.space);
  hk_mesh_destroy(&b->own.mesh);
  hk_free(&b->own.element_region);
  hk_free(&b->own.f);
}
