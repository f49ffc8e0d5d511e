/* A discretised model (discretisation.h): opens the device of a run and checks it against the host,
 * assembles K from the model's regions and the terms beside its elements, K = sum over elements of
 * integral B^T D B + terms (W.3), and checks before that whether its memory is available. */
#include "run/session/discretisation.h"
#include "physics/law.h"
#include "run/session/several.h"
#include "link/sharing.h"
#include <math.h>
#include <omp.h>

int hk_discretisation_threads(const hk_discretisation *on)
{
  const int before = omp_get_max_threads();
  omp_set_num_threads(hk_device_describe(on->device)->threads);
  return before;
}

/* Ranks on the processor exchange by mpi. */
static hk_status open_link(const hk_discretisation *on, const char *name)
{
  hk_ranks *r = hk_ranks_now();
  char words[512];
  if (!hk_device_describe(on->device)->own_memory) return HK_OK;
  HK_PASS(hk_ranks_open_link(r, name, on->device));
  hk_links_tell(hk_ranks_links(r), words, sizeof words);
  if (r->place.rank == 0) hk_messages_add(on->list, HK_NOTE, NULL, 0, 0, "%s", words);
  return HK_OK;
}

static hk_status open_of_rank(hk_discretisation *on, const hk_run_desc *how,
                              const hk_device_desc *trust)
{
  hk_several own = {0};
  const hk_status status = hk_several_open_rank(hk_ranks_now(), how, trust, on->list, &own);
  on->device = own.device[0];
  HK_PASS(status);
  hk_discretisation_threads(on);
  return open_link(on, how->link);
}

hk_status hk_discretisation_open(hk_discretisation *on, const hk_run_desc *how,
                                 const hk_device_desc *trust)
{
  hk_device_desc desc = *trust;
  HK_NEED(on->shared || !hk_ranks_now(), HK_USAGE,
          "%d ranks of MPI: several devices step explicit models alone: start one process",
          hk_ranks_count());
  if (on->in_rows) return open_of_rank(on, how, trust);
  HK_NEED(!hk_several_named(how->device), HK_USAGE,
          "device %s: several devices step explicit models alone: give one", how->device);
  HK_NEED(!how->link, HK_USAGE,
          "link %s: one device exchanges nothing: name several (--device A,B), or no link",
          how->link);
  desc.name = how->device, desc.threads = how->threads;
  desc.toolkit = how->toolkit, desc.cache = how->cache;
  HK_PASS(hk_device_create(&desc, &on->device));
  hk_discretisation_threads(on);
  return HK_OK;
}

hk_operator_desc hk_discretisation_desc(const hk_discretisation *on)
{
  return (hk_operator_desc){.device = on->device,
                            .space = on->space,
                            .region = on->region ? on->region : on->model->region,
                            .element_region = on->model->element_region,
                            .warm = on->warm,
                            .double_precision = on->double_precision,
                            .terms = on->terms,
                            .share = on->share};
}

hk_status hk_discretisation_assemble(hk_discretisation *on)
{
  const int before = hk_clock_begin_top("assemble");
  const hk_operator_desc desc = hk_discretisation_desc(on);
  hk_operator_destroy(&on->op);
  const hk_status status =
      hk_sharing_agree(on->share, hk_operator_create(on->kind, &desc, &on->op));
  hk_memory_trim();
  hk_clock_end(before);
  return status;
}

hk_status hk_discretisation_vectors(hk_discretisation *on)
{
  const hk_count bytes = hk_discretisation_bytes(on);
  if (!on->in) HK_PASS(hk_buffer_create(on->device, bytes, &on->in));
  if (!on->out) HK_PASS(hk_buffer_create(on->device, bytes, &on->out));
  return HK_OK;
}

hk_status hk_discretisation_room(const hk_discretisation *on, hk_count bytes, const char *what)
{
  const hk_count room = hk_device_available(on->device);
  if (bytes <= room) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES,
                      "out of memory: %s need %.1f MB more on device %s; hooke holds %.1f MB, and "
                      "%.1f MB are free: "
                      "use a machine with more memory or a coarser mesh",
                      what, (double)bytes / 1e6, hk_device_describe(on->device)->backend,
                      (double)hk_memory_held() / 1e6, (double)room / 1e6);
}

/* The part of the elements that are not isotropic solids. */
static double anisotropic_part(const hk_model *model)
{
  const hk_mesh *mesh = model->mesh;
  hk_count count = 0;
#pragma omp parallel reduction(+ : count)
  {
    int last = -1; /* elements of a region come one after the other */
    bool serves = true;
#pragma omp for schedule(static)
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const int r = model->element_region[e];
      if (r >= 0 && r != last) serves = hk_law_at(false, 0)->serves(&model->region[r], mesh->dim);
      if (r >= 0) last = r;
      count += r >= 0 && !serves;
    }
  }
  return (double)count / (double)mesh->element_count;
}

/* Of patches that end between layers of nodes the form counts what is not full itself. */
hk_count hk_discretisation_plan_of(const hk_discretisation *on, const hk_mesh *mesh)
{
  const hk_space *s = on->space;
  const bool gaps = on->kind->space(mesh, on->device, on->double_precision).gaps;
  const double filled = gaps ? 1 : ceil((double)s->nodes / s->patch) / s->patches,
               part = on->kind->plan_anisotropic && hk_space_solid(s) && s->components == s->dim
                          ? anisotropic_part(on->model)
                          : 0;
  double bytes =
      (double)hk_operator_plan(on->kind, mesh, s->components, on->device, on->double_precision);
  if (part > 0)
    bytes +=
        part * ((double)on->kind->plan_anisotropic(mesh, on->device, on->double_precision) - bytes);
  return (hk_count)(bytes / filled);
}

hk_count hk_discretisation_plan(const hk_discretisation *on)
{
  return hk_discretisation_plan_of(on, on->model->mesh);
}

hk_count hk_discretisation_dofs(const hk_discretisation *on)
{
  return (hk_count)on->space->padded * on->space->components;
}

hk_count hk_discretisation_bytes(const hk_discretisation *on)
{
  return hk_discretisation_dofs(on) * (on->double_precision ? 8 : 4);
}

void hk_discretisation_clear(hk_discretisation *on)
{
  hk_buffer_destroy(&on->in);
  hk_buffer_destroy(&on->out);
  hk_operator_destroy(&on->op);
  hk_ties_clear(&on->ties);
  hk_sharing_destroy(&on->share);
  hk_space_destroy(&on->space);
  if (on->in_rows && hk_ranks_now()) hk_ranks_close_link(hk_ranks_now());
  hk_device_close(&on->device);
}
