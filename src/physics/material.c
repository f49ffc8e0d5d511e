/* Constants of a material from what users give: Young's modulus and Poisson's ratio, wave speeds, engineering constants, a bulk modulus,
 * conductivities (material.h has the laws). All elastic ones become C in Voigt's order xx yy zz yz xz xy. Symmetry and positive definiteness
 * are checked by Cholesky's factorisation with pivots scaled to the diagonal. Local axes t turn C by Bond's matrix m, C' = m C m^T (Auld,
 * Acoustic Fields and Waves in Solids I, 3.D), and k by k' = t^T k t. */
#include "physics/material.h"
#include <math.h>
#include <string.h>

static const char *name_of(const hk_material *m)
{
  return m->name ? m->name : "(no name)";
}

hk_status hk_material_lame(double lambda, double mu, hk_material *m)
{
  memset(m->c, 0, sizeof m->c);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m->c[i][j] = lambda + (i == j ? 2 * mu : 0);
    m->c[3 + i][3 + i] = mu;
  }
  m->elastic = m->isotropic = true;
  return HK_OK;
}

hk_status hk_material_isotropic(double young, double poisson, hk_material *material)
{
  HK_NEED(isfinite(young) && young > 0, HK_BAD_INPUT,
          "material %s: Young's modulus is %g: must be above 0", name_of(material), young);
  HK_NEED(poisson > -1 && poisson < 0.5, HK_BAD_INPUT,
          "material %s: Poisson's ratio is %g: must lie between -1 and 0.5", name_of(material),
          poisson);
  hk_material_lame(young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                   young / (2 * (1 + poisson)), material);
  return HK_OK;
}

hk_status hk_material_from_speeds(double p_speed, double s_speed, hk_material *material)
{
  const double rho = material->density;
  HK_NEED(isfinite(rho) && rho > 0, HK_BAD_INPUT, "material %s: wave speeds need a density above 0",
          name_of(material));
  HK_NEED(isfinite(s_speed) && s_speed > 0, HK_BAD_INPUT,
          "material %s: shear wave speed is %g: must be above 0", name_of(material), s_speed);
  HK_NEED(isfinite(p_speed) && p_speed > s_speed * 2 / sqrt(3.0), HK_BAD_INPUT,
          "material %s: pressure wave speed is %g: must be above 2 / sqrt(3) times the shear wave "
          "speed, %g",
          name_of(material), p_speed, s_speed * 2 / sqrt(3.0));
  const double mu = rho * s_speed * s_speed;
  hk_material_lame(rho * p_speed * p_speed - 2 * mu, mu, material);
  return HK_OK;
}

hk_status hk_material_fluid(double bulk, hk_material *material)
{
  if (!(isfinite(bulk) && bulk > 0))
    return hk_error_set(HK_BAD_INPUT, "material %s: bulk modulus is %g: must be above 0",
                        name_of(material), bulk);
  memset(material->c, 0, sizeof material->c);
  material->fluid = true, material->bulk = bulk;
  for (int d = 0; d < 3 && material->density > 0; d++)
    material->conductivity[d][d] = 1 / material->density;
  return HK_OK;
}

/* s s^-1 = 1 for a symmetric 3 x 3 matrix, by cofactors; false unless s is positive definite. */
static bool invert3(const double s[3][3], double inverse[3][3])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = s[i1][j1] * s[i2][j2] - s[i1][j2] * s[i2][j1];
    }
  }
  const double det = s[0][0] * inverse[0][0] + s[0][1] * inverse[1][0] + s[0][2] * inverse[2][0];
  if (!(s[0][0] > 0 && inverse[2][2] > 0 && det > 0)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[i][j] /= det;
  return true;
}

hk_status hk_material_engineering(const double constant[9], hk_material *material)
{
  static const char *const word[9] = {"E1",   "E2",  "E3",  "nu12", "nu13",
                                      "nu23", "G12", "G13", "G23"};
  for (int i = 0; i < 9; i++) {
    HK_NEED(isfinite(constant[i]), HK_BAD_INPUT, "material %s: %s is not a number",
            name_of(material), word[i]);
    HK_NEED((i >= 3 && i < 6) || constant[i] > 0, HK_BAD_INPUT,
            "material %s: %s is %g: must be above 0", name_of(material), word[i], constant[i]);
  }
  const double *e = constant, *nu = constant + 3, *g = constant + 6;
  const double s12 = -nu[0] / e[0], s13 = -nu[1] / e[0], s23 = -nu[2] / e[1];
  const double s[3][3] = {{1 / e[0], s12, s13}, {s12, 1 / e[1], s23}, {s13, s23, 1 / e[2]}};
  double c[3][3];
  HK_NEED(invert3(s, c), HK_BAD_INPUT,
          "material %s: Poisson's ratios nu12 %g, nu13 %g, nu23 %g are too large for E1 %g, E2 %g, "
          "E3 %g: the strain energy would be negative",
          name_of(material), nu[0], nu[1], nu[2], e[0], e[1], e[2]);
  memset(material->c, 0, sizeof material->c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) material->c[i][j] = (c[i][j] + c[j][i]) / 2;
  for (int i = 0; i < 3; i++) material->c[3 + i][3 + i] = g[2 - i];
  material->elastic = true, material->isotropic = false;
  return HK_OK;
}

/* Along the axis c33 = rho vp0^2, c44 = rho vs0^2; across it c11 = c33 (1 + 2 epsilon), c66 = c44 (1 + 2 gamma); between both
 * (c13 + c44)^2 = (c33 - c44) (c33 - c44 + 2 delta c33). */
hk_status hk_material_thomsen(const double constant[5], int axis, hk_material *material)
{
  const double rho = material->density, vp0 = constant[0], vs0 = constant[1];
  HK_NEED(isfinite(rho) && rho > 0, HK_BAD_INPUT, "material %s: wave speeds need a density above 0",
          name_of(material));
  HK_NEED(vs0 > 0 && vp0 > vs0 && isfinite(vp0), HK_BAD_INPUT,
          "material %s: vp0 is %g and vs0 is %g: must be vp0 > vs0 > 0", name_of(material), vp0,
          vs0);
  const double c33 = rho * vp0 * vp0, c44 = rho * vs0 * vs0, c11 = c33 * (1 + 2 * constant[2]),
               c66 = c44 * (1 + 2 * constant[4]),
               square = (c33 - c44) * (c33 - c44 + 2 * constant[3] * c33);
  HK_NEED(square >= 0, HK_BAD_INPUT, "material %s: delta is %g: must be above %g",
          name_of(material), constant[3], -(c33 - c44) / (2 * c33));
  const double c13 = sqrt(square) - c44;
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double(*c)[6] = material->c;
  memset(c, 0, sizeof material->c);
  c[axis][axis] = c33, c[a][a] = c[b][b] = c11;
  c[a][b] = c[b][a] = c11 - 2 * c66;
  c[axis][a] = c[a][axis] = c[axis][b] = c[b][axis] = c13;
  c[3 + axis][3 + axis] = c66,
                  c[3 + a][3 + a] = c[3 + b][3 + b] = c44; /* yz, xz, xy: without x, y, z */
  material->elastic = true, material->isotropic = false;
  return HK_OK;
}

/* c[n][n]: pivots of Cholesky's factorisation, scaled to unit diagonal, must be above rounding. */
static bool positive_definite(int n, const double *c)
{
  double l[6][6] = {{0}};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = c[i * n + j];
      for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i != j)
        l[i][j] = sum / l[j][j];
      else if (sum > 1e-13 * c[i * n + i])
        l[i][i] = sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

hk_status hk_material_validate(const hk_material *material)
{
  double largest = 0;
  HK_NEED(material->elastic, HK_BAD_INPUT, "material %s: no elastic constants are given",
          name_of(material));
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      HK_NEED(isfinite(material->c[i][j]), HK_BAD_INPUT,
              "material %s: elastic constant c%d%d is not a number", name_of(material), i + 1,
              j + 1);
      largest = fmax(largest, fabs(material->c[i][j]));
    }
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      HK_NEED(fabs(material->c[i][j] - material->c[j][i]) <= 1e-9 * largest, HK_BAD_INPUT,
              "material %s: c%d%d is %g but c%d%d is %g: elastic constants must be symmetric",
              name_of(material), i + 1, j + 1, material->c[i][j], j + 1, i + 1, material->c[j][i]);
  HK_NEED(
      positive_definite(6, &material->c[0][0]), HK_BAD_INPUT,
      "material %s: the elastic constants are not positive definite: check their order and units",
      name_of(material));
  return HK_OK;
}

/* k'_ij = t_ia t_jb k_ab */
static void rotate_conductivity(double k[3][3], const double axes[3][3])
{
  double turned[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) turned[i][j] += axes[a][i] * axes[b][j] * k[a][b];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) k[i][j] = (turned[i][j] + turned[j][i]) / 2;
}

/* Bond's matrix m of a rotation t: stress' = m stress, sigma'_ij = t_ia t_jb sigma_ab
 * (Auld, Acoustic Fields and Waves in Solids I, 3.D). */
void hk_material_rotate(hk_material *material, const double axes[3][3])
{
  static const int voigt[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  double m[6][6], mc[6][6];
  if (!hk_material_conducts_evenly(material)) rotate_conductivity(material->conductivity, axes);
  for (int r = 0; r < 6; r++) {
    for (int s = 0; s < 6; s++) {
      const int i = voigt[r][0], j = voigt[r][1], a = voigt[s][0], b = voigt[s][1];
      m[r][s] = axes[a][i] * axes[b][j] + (a == b ? 0 : axes[b][i] * axes[a][j]);
    }
  }
  for (int r = 0; r < 6; r++) {
    for (int s = 0; s < 6; s++) {
      mc[r][s] = 0;
      for (int k = 0; k < 6; k++) mc[r][s] += m[r][k] * material->c[k][s];
    }
  }
  for (int r = 0; r < 6; r++) {
    for (int s = 0; s <= r; s++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += mc[r][k] * m[s][k];
      material->c[r][s] = material->c[s][r] = sum;
    }
  }
}

hk_status hk_material_conduct(int count, const double *value, hk_material *material)
{
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  double k[3][3] = {{0}};
  for (int i = 0; i < 6; i++) {
    const double v = i < count ? value[i] : i < 3 && count == 1 ? value[0] : 0;
    HK_NEED(isfinite(v), HK_BAD_INPUT, "material %s: a conductivity is not a number",
            name_of(material));
    k[at[i][0]][at[i][1]] = k[at[i][1]][at[i][0]] = v;
  }
  HK_NEED(positive_definite(3, &k[0][0]), HK_BAD_INPUT,
          count == 1 ? "material %s: conductivity is %g: must be above 0"
                     : "material %s: the conductivities (the first is %g) are not positive "
                       "definite: check them",
          name_of(material), value[0]);
  memcpy(material->conductivity, k, sizeof k);
  material->conducts = true;
  return HK_OK;
}

bool hk_material_conducts_evenly(const hk_material *material)
{
  const double(*k)[3] = material->conductivity;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (k[i][j] != (i == j ? k[0][0] : 0)) return false;
  return true;
}

bool hk_material_by_formula(const hk_material *material)
{
  const hk_advection *s = &material->advection;
  bool some = s->by[0] || s->by[1] || s->by[2];
  for (int k = 0; k < HK_FORMULAS; k++) some = some || material->by[k];
  return some;
}

bool hk_material_by_temperature(const hk_material *material)
{
  bool some = false;
  for (int k = 0; k < HK_TABLES; k++) some = some || material->at[k];
  for (int k = 0; k < HK_FORMULAS; k++) some = some || hk_formula_warm(material->by[k]);
  return some;
}

double hk_table_at(const hk_table *table, double t)
{
  int k = 1;
  if (!table) return 1;
  const double(*row)[2] = (const double(*)[2])table->row;
  const int last = table->rows - 1;
  if (!(t > row[0][0])) return row[0][1];
  if (t >= row[last][0]) return row[last][1];
  while (t > row[k][0]) k++;
  return row[k - 1][1] +
         (row[k][1] - row[k - 1][1]) * ((t - row[k - 1][0]) / (row[k][0] - row[k - 1][0]));
}

/* The row behind the temperature t, 0 to rows. */
static int row_behind(const hk_table *table, double t)
{
  int k = 0;
  while (k < table->rows && t > table->row[k][0]) k++;
  return k;
}

double hk_table_slope(const hk_table *table, double t)
{
  const int k = table ? row_behind(table, t) : 0;
  if (k == 0 || k == table->rows) return 0;
  const double *low = table->row[k - 1], *high = table->row[k];
  return (high[1] - low[1]) / (high[0] - low[0]);
}

static void put_row(hk_table *table, double t, double factor)
{
  table->row[table->rows][0] = t, table->row[table->rows++][1] = factor;
}

/* Rows of the table between two temperatures, with `more`. */
static void put_between(const hk_table *table, double from, double to, double more, hk_table *out)
{
  for (int k = 0; table && k < table->rows; k++)
    if (table->row[k][0] > from && table->row[k][0] < to)
      put_row(out, table->row[k][0], table->row[k][1] + more);
}

hk_status hk_table_add_peak(hk_pool *pool, const hk_table *table, double from, double to,
                            double height, const hk_table **out)
{
  hk_table *sum;
  /* of a jump at an end: what is below it, what is above it */
  const double low[2] = {hk_table_at(table, from), hk_table_at(table, nextafter(from, INFINITY))},
               high[2] = {hk_table_at(table, to), hk_table_at(table, nextafter(to, INFINITY))};
  HK_PASS(hk_pool_few(pool, &sum, 1));
  HK_PASS(hk_pool_get(pool, &sum->row, (table ? table->rows : 0) + 4));
  put_between(table, -INFINITY, from, 0, sum);
  put_row(sum, from, low[0]);
  put_row(sum, from, low[1] + height);
  put_between(table, from, to, height, sum);
  put_row(sum, to, high[0] + height);
  put_row(sum, to, high[1]);
  put_between(table, to, INFINITY, 0, sum);
  *out = sum;
  return HK_OK;
}

/* Between rows the factor is linear, so its mean over a part is that at the middle of the part: nothing cancels. */
double hk_table_mean(const hk_table *table, double from, double to)
{
  const double low = from < to ? from : to, high = from < to ? to : from;
  double sum = 0;
  if (!table || !(high > low)) return hk_table_at(table, to);
  for (int k = 0; k <= table->rows; k++) {
    const double begin = k > 0 && table->row[k - 1][0] > low ? table->row[k - 1][0] : low,
                 end = k < table->rows && table->row[k][0] < high ? table->row[k][0] : high;
    if (end > begin) sum += (end - begin) * hk_table_at(table, begin + (end - begin) / 2);
  }
  return sum / (high - low);
}

double hk_material_capacity(const hk_material *m, const double x[3], double from, double to)
{
  /* points and weights of Gauss on [-1, 1]: Abramowitz and Stegun, 25.4.30 */
  static const double at[3] = {0, 0.538469310105683, 0.906179845938664},
                      weight[3] = {0.568888888888889, 0.478628670499366, 0.236926885056189};
  const hk_formula *by = m->by[HK_BY_SPECIFIC_HEAT];
  const double middle = (from + to) / 2, half = (to - from) / 2,
               mean = hk_table_mean(m->at[HK_AT_SPECIFIC_HEAT], from, to);
  double sum = 0;
  if (!by) return mean;
  if (from == to || !hk_formula_warm(by)) return mean * hk_formula_value_warm(by, x, to, NULL);
  for (int k = -2; k <= 2; k++) {
    const int i = k < 0 ? -k : k;
    sum += weight[i] / 2 *
           hk_formula_value_warm(by, x, middle + (k < 0 ? -at[i] : at[i]) * half, NULL);
  }
  return mean * sum;
}

bool hk_material_reacts(const hk_material *material)
{
  return material->reaction > 0 || material->stored > 0 || material->lumped > 0 ||
         material->by[HK_BY_REACTION];
}
