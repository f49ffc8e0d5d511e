/* What is drawn of a quantity at a node: one of its components with its sign, or its size. Of one component that is the value itself, of vectors the
 * length, of stresses von Mises, of other tensors e sqrt(e : e). */
#include "picture/picture.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 10000 }; /* values that one thread alone goes through */

static bool is_stress(const hk_field_info *q)
{
  return q->wide == 6 && !strcmp(q->name, "stress");
}

/* von Mises stress sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2) / 2 + 3 (xy^2 + yz^2 + xz^2)) */
static double von_mises(const double *s)
{
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

int hk_scalar_component(const hk_field_info *q, const char *name)
{
  char own[16];
  for (int c = 0; c < q->wide; c++) {
    hk_component_name(q->components, c, own);
    if (*own && !strcmp(own, name)) return c;
  }
  return -1;
}

void hk_scalars(const hk_field_info *q, int component, hk_count count, const double *values,
                double *of)
{
  const bool stress = is_stress(q);
  const int wide = q->wide, single = wide == 6 ? 3 : wide; /* components that count once */
  if (wide == 1) {
    memcpy(of, values, (size_t)count * sizeof *of);
    return;
  }
  if (component >= 0) {
    for (hk_count i = 0; i < count; i++) of[i] = values[i * wide + component];
    return;
  }
#pragma omp parallel for schedule(static) if (count > FEW)
  for (hk_count i = 0; i < count; i++) {
    const double *v = values + i * wide;
    double sum = 0;
    for (int c = 0; c < single; c++) sum += v[c] * v[c];
    for (int c = single; c < wide; c++) sum += v[c] * v[c] * 2;
    of[i] = stress ? von_mises(v) : sqrt(sum);
  }
}

void hk_scalar_name(const hk_field_info *q, int component, char *text, size_t size)
{
  char own[16];
  const bool mises = !strcmp(q->name, "von_mises");
  if (component >= 0 && q->wide > 1) {
    hk_component_name(q->components, component, own);
    snprintf(text, size, "%.40s %s", q->name, own);
    return;
  }
  snprintf(text, size,
           mises || q->wide == 1 ? "%.40s"
           : is_stress(q)        ? "von Mises %.40s"
                                 : "|%.40s|",
           mises ? "von Mises stress" : q->name);
}

void hk_scalars_decibels(hk_count count, double reference, double span, double *of)
{
  for (hk_count i = 0; i < count; i++) {
    const double size = fabs(of[i]) / reference;
    of[i] = size > 0 ? fmax(20 * log10(size), -2 * span) : isnan(size) ? NAN : -2 * span;
  }
}
