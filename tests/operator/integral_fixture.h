/* Element matrices of distorted prisms by operator/integration/integral.h, beside Algorithm 1 of Banas, Plaszewski and Maciol. */
#pragma once
#include "operator/integration/integral.h"
#include "support/check.h"

enum { ELEMENTS = 3, MOST_CORNERS = 18 };

/* In [-0.5, 0.5), the same in each run. */
static inline double noise(uint32_t k)
{
  k = (k ^ 61) ^ (k >> 16);
  k *= 9;
  k ^= k >> 4;
  k *= 0x27d4eb2d;
  k ^= k >> 15;
  return (double)k / 4294967296.0 - 0.5;
}

/* Prisms with nodes moved by up to a tenth of their edges. */
static inline void distort(hk_shape geometry, double (*x)[MOST_CORNERS * 3])
{
  const hk_element *element = hk_element_of(geometry);
  double *at = x[0];
  for (int e = 0; e < ELEMENTS; e++)
    for (int n = 0; n < element->nodes; n++)
      for (int d = 0; d < 3; d++)
        *at++ = element->reference[n][d] + 0.2 * noise((uint32_t)((e * 18 + n) * 3 + d)) + 5 * d;
}

static inline const double *coefficients_at(const hk_integral_desc *d, hk_count e, int q,
                                            double *full)
{
  const hk_coefficients *k = &d->coefficients;
  const int constants = k->elastic ? 2 : k->equations * k->equations * 16;
  const hk_count set = k->spread == HK_SPREAD_SAME      ? 0
                       : k->spread == HK_SPREAD_ELEMENT ? e
                                                        : e * d->reference->points + q;
  const double *c = k->c + set * constants;
  if (!k->elastic) return c;
  memset(full, 0, 144 * sizeof *full);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          full[(i * 3 + j) * 16 + (a + 1) * 4 + b + 1] =
              c[0] * (i == a) * (j == b) + c[1] * ((i == j) * (a == b) + (i == b) * (a == j));
  return full;
}

/* f[equations][equations][4] = w |J| sum over a of c[i][j][a][b] psi[a]: of a test function at a point. */
static inline void test_side(const double *c, int equations, const double *psi, double w, double *f)
{
  for (int ij = 0; ij < equations * equations; ij++)
    for (int b = 0; b < 4; b++) {
      f[ij * 4 + b] = 0;
      for (int a = 0; a < 4; a++) f[ij * 4 + b] += w * c[ij * 16 + a * 4 + b] * psi[a];
    }
}

/* Algorithm 1, of the test function n alone, whose side is taken out of the loop over m: row[equations][shapes][equations]. */
static inline void algorithm_1(const hk_integral_desc *d, hk_count e, int n, double *row)
{
  const hk_reference *r = d->reference;
  const int equations = d->coefficients.equations;
  memset(row, 0, (size_t)(equations * r->shapes * equations) * sizeof *row);
  for (int q = 0; q < r->points; q++) {
    double terms[10], full[144], f[100], psi[HK_PRISM_NODES][4];
    const double *phi = r->phi + (hk_count)q * 4 * r->shapes;
    const double *c = coefficients_at(d, e, q, full);
    hk_reference_jacobian(r, q, d->x + e * r->corners * 3, terms);
    for (int m = 0; m < r->shapes; m++) {
      psi[m][0] = phi[m];
      for (int k = 0; k < 3; k++)
        psi[m][k + 1] = phi[r->shapes + m] * terms[k] + phi[2 * r->shapes + m] * terms[3 + k] +
                        phi[3 * r->shapes + m] * terms[6 + k];
    }
    test_side(c, equations, psi[n], terms[9] * r->weight[q], f);
    for (int i = 0; i < equations; i++)
      for (int m = 0; m < r->shapes; m++)
        for (int j = 0; j < equations; j++) {
          const double *g = f + (i * equations + j) * 4;
          row[(i * r->shapes + m) * equations + j] +=
              g[0] * psi[m][0] + g[1] * psi[m][1] + g[2] * psi[m][2] + g[3] * psi[m][3];
        }
  }
}

typedef struct result {
  bool real;
  hk_count size;
  double *matrix; /* [ELEMENTS][size] */
  int launches;
} result;

static inline hk_status keep(void *user, hk_count first, hk_count count, const void *matrix)
{
  result *r = user;
  r->launches++;
  for (hk_count k = 0; k < count * r->size; k++)
    r->matrix[first * r->size + k] =
        r->real ? ((const double *)matrix)[k] : (double)((const float *)matrix)[k];
  return HK_OK;
}

/* Largest difference to Algorithm 1 in some rows, over the largest entry. */
static inline double difference(const hk_integral_desc *d, const double *matrix)
{
  static double row[HK_PRISM_NODES * 25];
  const int equations = d->coefficients.equations, shapes = d->reference->shapes;
  const int width = shapes * equations, step = shapes > 18 ? 13 : 1;
  double largest = 0, off = 0;
  for (hk_count e = 0; e < d->elements; e++)
    for (int n = 0; n < shapes; n += step) {
      algorithm_1(d, e, n, row);
      const double *own = matrix + ((hk_count)e * width + n * equations) * width;
      for (int k = 0; k < equations * width; k++) {
        largest = hk_larger(largest, fabs(row[k]));
        off = hk_larger(off, fabs(row[k] - own[k]));
      }
    }
  return off / largest;
}

static inline void integrate(const hk_integral_desc *d, result *r)
{
  hk_integral *t = NULL;
  const hk_count width = (hk_count)d->reference->shapes * d->coefficients.equations;
  *r = (result){.real = d->double_precision, .size = width * width};
  ok(hk_get(&r->matrix, d->elements * r->size));
  ok(hk_integral_create(d, &t));
  ok(hk_integral_run(t, false, keep, r));
  hk_integral_destroy(&t);
}

static inline void check(const hk_integral_desc *d)
{
  result r;
  integrate(d, &r);
  const double off = difference(d, r.matrix), most = d->double_precision ? 1e-12 : 1e-5;
  if (!(off <= most))
    fail_msg("%s on %s, %d shapes, %d points, %d equations%s: off by %g, at most %g",
             hk_integral_way_name(d->way), hk_device_describe(d->device)->backend,
             d->reference->shapes, d->reference->points, d->coefficients.equations,
             d->coefficients.elastic ? ", elastic" : "", off, most);
  hk_free(&r.matrix);
}

static inline hk_device *open_device(const char *name)
{
  hk_device *device = NULL;
  if (hk_device_open(name, 2, &device) != HK_OK) skip();
  return device;
}

static const double lame[ELEMENTS][2] = {{1.2, 0.7}, {0.4, 0.9}, {2, 0.5}};
