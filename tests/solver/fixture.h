/* A grid with its device, operator and solver, for tests of the explicit solver. */
#pragma once
#include "operator/element/element_matrix.h"
#include "operator/operator.h"
#include "solver/explicit/explicit.h"
#include "support/mesh.h"

typedef struct fixture {
  hk_mesh *mesh;
  hk_device *device;
  hk_space *space;
  hk_operator *op;
  hk_region region;
  hk_index *element_region;
  double *mass; /* internal */
  double limit; /* dt by the element bound */
  hk_excitation excitation;
  hk_explicit *solver;
} fixture;

static inline void fixture_create(fixture *f, const char *method, hk_shape shape, hk_count cells,
                                  double jitter, double young, double poisson, double density,
                                  bool double_precision, int threads)
{
  const hk_operator_kind *kind;
  double *nodal = NULL, omega;
  hk_index guilty;
  memset(f, 0, sizeof *f);
  f->mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1},
                                     .cells = {cells, cells, cells},
                                     .shape = shape,
                                     .jitter = jitter,
                                     .shuffle = jitter > 0 ? 5 : 0});
  f->region.material.density = density, f->region.thickness = 1;
  ok(hk_material_isotropic(young, poisson, &f->region.material));
  ok(hk_get(&f->element_region, f->mesh->element_count));
  ok(hk_device_open("cpu", threads, &f->device));
  ok(hk_operator_choose(method, f->mesh, f->device, &kind));
  const hk_space_desc numbering = kind->space(f->mesh, f->device, double_precision);
  ok(hk_space_create(f->mesh, &numbering, &f->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = f->device,
                                            .space = f->space,
                                            .region = &f->region,
                                            .element_region = f->element_region,
                                            .double_precision = double_precision},
                        &f->op));
  ok(hk_get(&nodal, f->mesh->node_count));
  ok(hk_get(&f->mass, f->space->padded));
  ok(hk_mass_lumped(f->mesh, &f->region, f->element_region, nodal));
  hk_space_to_internal(f->space, 1, nodal, f->mass);
  ok(hk_element_bound(f->mesh, &f->region, f->element_region, &omega, &guilty));
  f->limit = 2 / omega;
  hk_free(&nodal);
}

static inline void fixture_start_by(fixture *f, const hk_integrator *integrator, double dt,
                                    hk_count steps, const double *u0, const double *v0)
{
  ok(hk_explicit_create(&(hk_explicit_desc){.op = f->op,
                                            .integrator = integrator,
                                            .dt = dt,
                                            .steps = steps,
                                            .mass = f->mass,
                                            .excitation = &f->excitation},
                        &f->solver));
  ok(hk_explicit_start(f->solver, u0, v0));
}

static inline void fixture_start(fixture *f, double dt, hk_count steps, const double *u0,
                                 const double *v0)
{
  fixture_start_by(f, NULL, dt, steps, u0, v0);
}

static inline void fixture_destroy(fixture *f)
{
  hk_explicit_destroy(&f->solver);
  hk_excitation_clear(&f->excitation);
  hk_operator_destroy(&f->op);
  hk_space_destroy(&f->space);
  hk_device_close(&f->device);
  hk_free(&f->mass);
  hk_free(&f->element_region);
  hk_mesh_destroy(&f->mesh);
}
