/* What carries strain at the points of an element: physical gradients (E.1), mean gradients and hourglass vectors of one-point
 * elements (E.6), (E.7), modes of incompatible ones (E.8). The matrix is summed from products of gradients s[a][b] = sum w g_a g_b, contracted
 * with C_ijkl once (law constant) or point by point. Families of order p sum BATCH points at a time as a product of matrices. */
#include "operator/element/integrand.h"
#include "operator/element/ring.h"
#include <string.h>

enum { MOST_LISTED = 3 * (HK_LISTED_NODES + 3) };

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
                        .integration = region->integration,
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
  hk_values own;
  const double det = hk_element_transform(e, hk_element_dn(e, i->integration, q, &own), i->x, g);
  for (int d = 0; d < i->functions - e->nodes; d++)
    for (int c = 0; c < e->dim; c++)
      g[(e->nodes + d) * e->dim + c] = -2 * xi[d] * i->slope[d][c] * i->centre / det;
  return det * i->rule->weight[q];
}

double hk_integrand_slope(const hk_integrand *i, int q, const double *v, double slope[3][3])
{
  const hk_element *e = i->element;
  double g[3 * HK_MOST_FUNCTIONS];
  hk_values own;
  if (!i->mean && i->functions == e->nodes)
    return hk_element_slope(e, hk_element_dn(e, i->integration, q, &own), i->x, v, slope);
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
  hk_values own;
  const double *n = hk_element_n(e, i->integration, q, &own);
  hk_element_place(e->dim, e->nodes, n, i->x, at);
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

/* Families: the products of gradients are summed where the matrix is to be, and become it pair by pair; of laws that vary, whose
 * products cannot be summed first, the strains' rows are. BATCH points at a time, so that the matrix is passed over less often. */
enum { BATCH = 8 };

/* k[a][b] += sum_q w[q] left[q][a] right[q][b] over count rows, b >= a / dim * dim. */
static void add_batch(int count, int size, int dim, const double *left, const double *right,
                      double *k)
{
  for (int a = 0; a < size; a++) {
    double *row = k + (size_t)a * (size_t)size;
    for (int q = 0; q < count; q++) {
      const double scale = left[(size_t)q * (size_t)size + (size_t)a],
                   *from = right + (size_t)q * (size_t)size;
#pragma omp simd
      for (int b = a / dim * dim; b < size; b++) row[b] += scale * from[b];
    }
  }
}

/* Of pairs n <= m, s[(n,j)][(m,l)] to k[(n,i)][(m,o)] = C_ijol s, and the mirrored pair. */
static void contract_in_place(int dim, int nodes, const double c[9][9], double *k)
{
  const size_t size = (size_t)nodes * (size_t)dim;
  for (int n = 0; n < nodes; n++)
    for (int m = n; m < nodes; m++) {
      double pair[9], block[9];
      for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++)
          pair[j * dim + l] = k[(size_t)(n * dim + j) * size + (size_t)(m * dim + l)];
      for (int i = 0; i < dim; i++)
        for (int o = 0; o < dim; o++) {
          double sum = 0;
          for (int p = 0; p < dim * dim; p++) sum += c[i * dim + o][p] * pair[p];
          block[i * dim + o] = sum;
        }
      for (int i = 0; i < dim; i++)
        for (int o = n == m ? i : 0; o < dim; o++) {
          k[(size_t)(n * dim + i) * size + (size_t)(m * dim + o)] = block[i * dim + o];
          k[(size_t)(m * dim + o) * size + (size_t)(n * dim + i)] = block[i * dim + o];
        }
    }
}

/* b[strains][size] of the gradients g, Voigt. */
static void find_strains(int dim, int nodes, const double *g, double *b)
{
  static const int voigt3[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}},
                   voigt2[2][2] = {{0, 2}, {2, 1}};
  const int size = nodes * dim;
  memset(b, 0, (size_t)(dim == 3 ? 6 : 3) * (size_t)size * sizeof *b);
  for (int n = 0; n < nodes; n++)
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++)
        b[(dim == 3 ? voigt3[i][j] : voigt2[i][j]) * size + n * dim + i] = g[n * dim + j];
}

static void mirror(int size, double *k)
{
  for (int a = 0; a < size; a++)
    for (int b = 0; b < a; b++)
      k[(size_t)a * (size_t)size + (size_t)b] = k[(size_t)b * (size_t)size + (size_t)a];
}

/* A batch of rows of products: left = weighted or by the law, right. False when folded. */
static bool fill_batch(const hk_integrand *f, bool varies, int q, int count, double *left,
                       double *right, double *volume)
{
  const int dim = f->element->dim, size = f->functions * dim,
            rows = varies ? (dim == 3 ? 6 : 3) : 1;
  double g[3 * HK_MOST_FUNCTIONS], d[36];
  for (int p = 0; p < count; p++) {
    double *to = left + (size_t)p * (size_t)(rows * size),
           *from = right + (size_t)p * (size_t)(rows * size);
    const double w = hk_integrand_gradients(f, q + p, varies ? g : from);
    if (!(w > 0)) return false;
    *volume += w;
    if (!varies) {
      for (int a = 0; a < size; a++) to[a] = w * from[a];
      continue;
    }
    find_law(f, q + p, d);
    find_strains(dim, f->element->nodes, g, from);
    for (int r = 0; r < rows; r++)
      for (int a = 0; a < size; a++) {
        double sum = 0;
        for (int s = 0; s < rows; s++) sum += d[r * rows + s] * from[s * size + a];
        to[r * size + a] = w * sum;
      }
  }
  return true;
}

static double family_matrix(const hk_integrand *f, double *k)
{
  const int dim = f->element->dim, size = f->functions * dim, points = f->rule->points;
  const bool varies = !f->law && f->region->varies;
  const int rows = varies ? (dim == 3 ? 6 : 3) : 1, batch = varies ? 1 : BATCH;
  double left[BATCH * 3 * HK_MOST_NODES], right[BATCH * 3 * HK_MOST_NODES], d[36], c[9][9],
      volume = 0;
  memset(k, 0, (size_t)size * (size_t)size * sizeof *k);
  for (int q = 0; q < points; q += batch) {
    const int count = points - q < batch ? points - q : batch;
    if (!fill_batch(f, varies, q, count, left, right, &volume)) return -1;
    add_batch(count * rows, size, dim, left, right, k);
  }
  if (varies) {
    mirror(size, k);
    return volume;
  }
  find_law(f, 0, d);
  expand(dim, d, c);
  contract_in_place(dim, f->functions, c, k);
  return volume;
}

double hk_integrand_matrix(const hk_integrand *f, double *k)
{
  const int dim = f->element->dim, size = f->functions * dim;
  const bool varies = !f->law && f->region->varies;
  double g[MOST_LISTED], s[MOST_LISTED * MOST_LISTED], d[36], c[9][9], volume = 0;
  if (hk_integrand_ring(f)) return hk_ring_matrix(f, k);
  if (!hk_shape_listed(f->element->shape)) return family_matrix(f, k);

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
