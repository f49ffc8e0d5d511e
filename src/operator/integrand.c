#include "operator/integrand.h"
#include <math.h>
#include <string.h>

enum { MOST_DOFS = 3 * HK_LISTED_NODES };

static const double origin[3] = {0};

static bool is_linear_product(const hk_element *element)
{
  return element->shape == HK_QUAD4 || element->shape == HK_HEX8;
}

/* Mean gradients over the element, by the full rule, which is exact for |J| times them. */
static bool find_mean(hk_integrand *i)
{
  const hk_rule *full = &i->element->full;
  const int size = i->element->nodes * i->element->dim;
  double g[8 * 3];
  i->volume = 0;
  memset(i->gradient, 0, sizeof i->gradient);
  for (int q = 0; q < full->points; q++) {
    const double w = hk_element_physical(i->element, full->point[q], i->x, g) * full->weight[q];
    if (!(w > 0)) return false;
    i->volume += w;
    for (int a = 0; a < size; a++) i->gradient[a] += w * g[a];
  }
  for (int a = 0; a < size; a++) i->gradient[a] /= i->volume;
  return true;
}

/* xi_d = sum_n reference[n][d] N_n, so that these are the gradients of that sum. */
static bool find_slope(hk_integrand *i)
{
  const hk_element *e = i->element;
  double g[8 * 3];
  i->centre = hk_element_physical(e, origin, i->x, g);
  memset(i->slope, 0, sizeof i->slope);
  for (int n = 0; n < e->nodes; n++)
    for (int d = 0; d < e->dim; d++)
      for (int c = 0; c < e->dim; c++) i->slope[d][c] += e->reference[n][d] * g[n * e->dim + c];
  return i->centre > 0;
}

bool hk_integrand_find(const hk_region *region, const hk_element *element, const double *x,
                       hk_integrand *out)
{
  const bool product = is_linear_product(element);
  *out = (hk_integrand){.region = region,
                        .element = element,
                        .x = x,
                        .rule = hk_element_rule(element, region->integration),
                        .table = hk_element_tabulation(element, region->integration),
                        .functions = element->nodes};
  if (product && region->integration == HK_INTEGRATION_REDUCED) {
    out->mean = true;
    return find_mean(out);
  }
  if (product && region->integration == HK_INTEGRATION_INCOMPATIBLE) {
    out->functions += element->dim;
    return find_slope(out);
  }
  return true;
}

double hk_integrand_gradients(const hk_integrand *i, int q, double *g)
{
  const hk_element *e = i->element;
  const double *xi = i->rule->point[q];
  if (i->mean) {
    memcpy(g, i->gradient, (size_t)(e->nodes * e->dim) * sizeof *g);
    return i->volume;
  }
  const double det = hk_element_transform(e, i->table->dn + q * e->nodes * e->dim, i->x, g);
  for (int d = 0; d < i->functions - e->nodes; d++)
    for (int c = 0; c < e->dim; c++)
      g[(e->nodes + d) * e->dim + c] = -2 * xi[d] * i->slope[d][c] * i->centre / det;
  return det * i->rule->weight[q];
}

double hk_integrand_slope(const hk_integrand *i, int q, const double *v, double slope[3][3])
{
  const hk_element *e = i->element;
  double g[3 * HK_MOST_FUNCTIONS];
  if (!i->mean && i->functions == e->nodes)
    return hk_element_slope(e, i->table->dn + q * e->nodes * e->dim, i->x, v, slope);
  const double det = hk_integrand_gradients(i, q, g);
  for (int c = 0; c < e->dim; c++)
    for (int d = 0; d < e->dim; d++) {
      slope[c][d] = 0;
      for (int k = 0; k < i->functions; k++) slope[c][d] += v[k * e->dim + c] * g[k * e->dim + d];
    }
  return det;
}

void hk_integrand_place(const hk_integrand *i, int q, double at[3])
{
  const hk_element *e = i->element;
  const double *n = i->table->n + q * e->nodes;
  at[0] = at[1] = at[2] = 0;
  for (int k = 0; k < e->nodes; k++)
    for (int c = 0; c < e->dim; c++) at[c] += n[k] * i->x[k * e->dim + c];
}

/* The law at point q, Voigt. */
static void find_law(const hk_integrand *i, int q, double *d)
{
  hk_region there;
  double at[3];
  if (i->law) {
    memcpy(d, i->law, (i->element->dim == 3 ? 36 : 9) * sizeof *d);
    return;
  }
  if (!i->region->varies) {
    hk_region_stiffness(i->region, i->element->dim, d);
    return;
  }
  hk_integrand_place(i, q, at);
  hk_region_at(i->region, at, &there);
  hk_region_stiffness(&there, i->element->dim, d);
}

/* s[a][b] += w g[a] g[b] for b >= a, a = n * dim + j: the products of gradients of all pairs. */
static inline void add_products(int size, double w, const double *g, double *s)
{
  for (int a = 0; a < size; a++) {
    const double wg = w * g[a];
    double *row = s + a * size;
#pragma omp simd
    for (int b = 0; b < size; b++) row[b] += wg * g[b];
  }
}

/* c[(i,k)][(j,l)] = C_ijkl from Voigt's d. */
static void expand(int dim, const double *d, double c[9][9])
{
  static const int voigt3[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  static const int voigt2[3][3] = {{0, 2}, {2, 1}};
  const int(*voigt)[3] = dim == 3 ? voigt3 : voigt2, rows = dim == 3 ? 6 : 3;
  for (int i = 0; i < dim; i++)
    for (int k = 0; k < dim; k++)
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++)
          c[i * dim + k][j * dim + l] = d[voigt[i][j] * rows + voigt[k][l]];
}

/* k[(n,i)][(m,k)] += C_ijkl s[(n,j)][(m,l)] for m >= n, and mirrored. */
static inline void contract(int dim, int nodes, const double c[9][9], const double *s, double *k)
{
  const int size = nodes * dim;
  for (int n = 0; n < nodes; n++) {
    for (int m = n; m < nodes; m++) {
      double pair[9];
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) pair[j * dim + l] = s[(n * dim + j) * size + m * dim + l];
      for (int i = 0; i < dim; i++) {
        for (int o = n == m ? i : 0; o < dim; o++) {
          double sum = 0;
          for (int p = 0; p < dim * dim; p++) sum += c[i * dim + o][p] * pair[p];
          k[(n * dim + i) * size + m * dim + o] += sum;
          if (n != m || i != o) k[(m * dim + o) * size + n * dim + i] += sum;
        }
      }
    }
  }
}

double hk_integrand_matrix(const hk_integrand *f, double *k)
{
  const int dim = f->element->dim, size = f->functions * dim;
  const bool varies = !f->law && f->region->varies;
  double g[3 * HK_MOST_FUNCTIONS], s[MOST_DOFS * MOST_DOFS], d[36], c[9][9], volume = 0;

  memset(s, 0, (size_t)(size * size) * sizeof *s);
  memset(k, 0, (size_t)(size * size) * sizeof *k);
  for (int q = 0; q < f->rule->points; q++) {
    const double w = hk_integrand_gradients(f, q, g);
    if (!(w > 0)) return -1;
    volume += w;
    add_products(size, w, g, s);
    if (!varies && q < f->rule->points - 1) continue;
    find_law(f, q, d);
    expand(dim, d, c);
    if (dim == 3)
      contract(3, f->functions, c, s, k);
    else
      contract(2, f->functions, c, s, k);
    memset(s, 0, (size_t)(size * size) * sizeof *s);
  }
  return volume;
}

bool hk_integrand_amplitudes(const hk_integrand *f, const double *u, double *v)
{
  enum { MOST_MODES = 9, MOST = 3 * (8 + 3) };
  const int dim = f->element->dim, fixed = f->element->nodes * dim, size = f->functions * dim,
            modes = size - fixed;
  double k[MOST * MOST], a[MOST_MODES][MOST_MODES + 1];
  memcpy(v, u, (size_t)fixed * sizeof *v);
  if (!modes) return true;
  if (!(hk_integrand_matrix(f, k) > 0)) return false;
  for (int i = 0; i < modes; i++) {
    const double *row = k + (fixed + i) * size;
    a[i][modes] = 0;
    for (int j = 0; j < modes; j++) a[i][j] = row[fixed + j];
    for (int j = 0; j < fixed; j++) a[i][modes] -= row[j] * u[j];
  }
  for (int p = 0; p < modes; p++)
    for (int i = 0; i < modes; i++) {
      const double factor = i == p ? 0 : a[i][p] / a[p][p];
      for (int j = p; j <= modes; j++) a[i][j] -= factor * a[p][j];
    }
  for (int i = 0; i < modes; i++) v[fixed + i] = a[i][modes] / a[i][i];
  return true;
}

static double young_of(const hk_material *m)
{
  const double lambda = m->c[0][1], mu = m->c[3][3];
  if (m->isotropic) return mu * (3 * lambda + 2 * mu) / (lambda + mu);
  return (m->c[0][0] + m->c[1][1] + m->c[2][2]) / 3;
}

/* gamma of the products of the reference coordinates whose bits are in `which`. */
static void find_hourglass(const hk_integrand *i, int which, double *gamma)
{
  const hk_element *e = i->element;
  double moment[3] = {0};
  for (int n = 0; n < e->nodes; n++) {
    gamma[n] = 1;
    for (int d = 0; d < e->dim; d++)
      if (which & 1 << d) gamma[n] *= e->reference[n][d];
    for (int c = 0; c < e->dim; c++) moment[c] += gamma[n] * i->x[n * e->dim + c];
  }
  for (int n = 0; n < e->nodes; n++)
    for (int c = 0; c < e->dim; c++) gamma[n] -= moment[c] * i->gradient[n * e->dim + c];
}

void hk_integrand_hourglass(const hk_integrand *i, double *k)
{
  static const int product[4] = {3, 5, 6, 7}; /* of coordinates, as bits: xy, xz, yz, xyz */
  const hk_element *e = i->element;
  const int dim = e->dim, size = e->nodes * dim;
  double gamma[8], squares = 0;
  if (!i->mean) return;
  for (int a = 0; a < size; a++) squares += i->gradient[a] * i->gradient[a];
  const double thickness = dim == 2 ? 2 * i->region->thickness : 1,
               factor = 5e-4 * young_of(&i->region->material) * i->volume * squares * thickness;
  for (int p = 0; p < (dim == 2 ? 1 : 4); p++) {
    find_hourglass(i, product[p], gamma);
    for (int n = 0; n < e->nodes; n++)
      for (int m = 0; m < e->nodes; m++)
        for (int c = 0; c < dim; c++)
          k[(n * dim + c) * size + m * dim + c] += factor * (gamma[n] * gamma[m]);
  }
}
