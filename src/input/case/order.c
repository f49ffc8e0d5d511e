/* `element: {error: ...}` chooses the order of spectral elements: the least that keeps traces to the relative error, and so the cheapest, because a
 * higher order on the same mesh has more nodes and a shorter step. The case is first read with elements of order 1. A wave of frequency f on elements
 * of length h, at speed c, is off by the phase 2 pi f L / c times hk_gll_phase_error(p, 2 pi f h / c) after the path L, the diagonal of the mesh; the error
 * of a trace is the mean over the spectrum of the signal's derivative. L2 norms, as those of `hooke compare`. Per region the longest edge and the
 * slowest wave count. Time dispersion is removed from traces. */
#include "input/case/case.h"
#include "base/fft.h"
#include "element/element.h"
#include "element/gll.h"
#include <math.h>

enum { BANDS = 256, MOST_SAMPLES = 1 << 20 };

typedef struct spectrum { /* energy of a signal's derivative in bands up to `highest` */
  double highest, energy[BANDS], all;
} spectrum;

static hk_status measure_spectrum(const hk_signal *signal, double end, spectrum *out)
{
  hk_status status = HK_OK;
  hk_complex *z = NULL;
  hk_fft fft = {0};
  *out = (spectrum){0};
  HK_TRY(hk_signal_highest_frequency(signal, end, &out->highest));
  if (!(out->highest > 0)) goto cleanup;
  HK_CHECK(4 * out->highest * end <= MOST_SAMPLES, HK_BAD_INPUT,
           "element: error: the run is %.3g periods of the highest frequency long, and at most %d "
           "can be judged: give order, or end the run earlier",
           out->highest * end, MOST_SAMPLES / 4);
  const hk_count n = hk_power_of_two(fmax(1024, 4 * out->highest * end));
  HK_TRY(hk_get(&z, n));
  HK_TRY(hk_fft_create(n, &fft));
  const double step = end / (double)n;
  for (hk_count k = 0; k < n; k++)
    z[k].re =
        hk_signal_value(signal, (double)(k + 1) * step) - hk_signal_value(signal, (double)k * step);
  hk_fft_run(&fft, -1, z);
  for (hk_count k = 1; k < n / 2; k++) {
    const int band = (int)(BANDS * (double)k / end / out->highest);
    if (band >= BANDS) break;
    const double energy = z[k].re * z[k].re + z[k].im * z[k].im;
    out->energy[band] += energy, out->all += energy;
  }
cleanup:
  hk_free(&z);
  hk_fft_clear(&fft);
  return status;
}

typedef struct part { /* of the model: a region */
  double edge, speed;
} part;

static double error_of(const spectrum *s, const part *r, double path, int order)
{
  double sum = 0;
  for (int k = 0; k < BANDS && s->all > 0; k++) {
    const double w = 2 * M_PI * s->highest * (k + 0.5) / BANDS / r->speed;
    const double phase = fmin(M_PI, w * path * hk_gll_phase_error(order, w * r->edge));
    sum += s->energy[k] * pow(2 * sin(phase / 2), 2);
  }
  return s->all > 0 ? sqrt(sum / s->all) : 0;
}

static bool is_spectral(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *e = hk_element_of(mesh->block[b].shape);
    if (e->order != 1 || e->vertices != (mesh->dim == 2 ? 4 : 8)) return false;
  }
  return mesh->block_count > 0;
}

static double diagonal_of(const hk_mesh *mesh)
{
  double square = 0;
  for (int d = 0; d < mesh->dim; d++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (hk_count i = 0; i < mesh->node_count; i++) {
      low = fmin(low, mesh->x[i * mesh->dim + d]);
      high = fmax(high, mesh->x[i * mesh->dim + d]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

static void measure_parts(const hk_model *m, part *parts)
{
  for (int i = 0; i < m->region_count; i++)
    if (hk_material_waves(&m->region[i].material))
      parts[i].speed = hk_region_slowest(&m->region[i], m->mesh->dim);
  for (hk_count e = 0; e < m->mesh->element_count; e++) {
    const int i = m->element_region[e];
    if (i >= 0) parts[i].edge = fmax(parts[i].edge, hk_mesh_longest_edge(m->mesh, e));
  }
}

/* error[1 ... HK_MOST_ORDER]: the largest of all signals and regions; 0: no signal has a highest frequency. */
static hk_status measure_errors(const hk_model *m, double *error)
{
  hk_status status = HK_OK;
  part *parts = NULL;
  spectrum s;
  const double path = diagonal_of(m->mesh);
  HK_TRY(hk_get(&parts, m->region_count));
  measure_parts(m, parts);
  for (int k = 0; k < m->signal.count; k++) {
    HK_TRY(measure_spectrum(&m->signal.at[k], m->step[0].duration, &s));
    for (int i = 0; i < m->region_count; i++)
      for (int p = 1; p <= HK_MOST_ORDER && parts[i].edge > 0 && parts[i].speed > 0; p++)
        error[p] = fmax(error[p], error_of(&s, &parts[i], path, p));
  }
cleanup:
  hk_free(&parts);
  return status;
}

hk_status hk_case_choose_order(hk_case *c, const hk_node *wanted, hk_messages *list, int *order)
{
  double error[HK_MOST_ORDER + 1] = {0};
  int p = 1;
  if (!is_spectral(c->model->mesh)) {
    hk_case_error(c, wanted,
                  "error chooses the order of quadrilaterals and hexahedra, and the mesh has "
                  "others: give order instead");
    return HK_OK;
  }
  HK_PASS(measure_errors(c->model, error));
  while (p < HK_MOST_ORDER && !(error[p] <= wanted->number)) p++;
  if (!(error[p] > 0))
    hk_case_error(c, wanted, "no signal has a highest frequency: give order instead of error");
  else if (!(error[p] <= wanted->number))
    hk_case_error(c, wanted,
                  "elements of order %d have an error of %.2g on this mesh: mesh it finer", p,
                  error[p]);
  else
    hk_messages_add(
        list, HK_NOTE, c->tree.path, wanted->line, 0,
        "order %d: an error of %.2g in traces after a path as long as the mesh's diagonal "
        "is expected (error: %.2g)",
        p, error[p], wanted->number);
  *order = p;
  return HK_OK;
}
