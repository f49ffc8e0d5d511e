/* Writes the tables of *NODE PRINT and *EL PRINT to NAME.dat in the result folder, in the layout of
 * CalculiX. Each step appends its tables: values at nodes with totals, or at the integration points
 * of elements, in global axes or in local ones. Forces in these tables are K u, loads and reactions
 * together. */
#include "base/file.h"
#include "element/element.h"
#include "run/static/static.h"
#include "result/written.h"
#include <limits.h>
#include <math.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fortran's e14.7: 0.1234567E+01 */
static void put_time(FILE *to, double value)
{
  char digits[32];
  snprintf(digits, sizeof digits, "%.6E", fabs(value));
  const int exponent = value == 0 ? 0 : atoi(strchr(digits, 'E') + 1) + 1;
  fprintf(to, "%s0.%c%.6sE%c%02d\n\n", value < 0 ? "-" : " ", digits[0], digits + 2,
          exponent < 0 ? '-' : '+', abs(exponent));
}

static void put_capitals(FILE *to, const char *text, int most)
{
  for (int i = 0; i < most && text && text[i]; i++)
    fputc(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i], to);
}

static void put_head(const hk_static *s, const hk_print_request *p, const char *what, FILE *to)
{
  /* CalculiX has no blank before the set of heat fluxes */
  fprintf(to, "\n %s for set%s", what, p->table[0] == HK_HEAT_FLUX ? "" : " ");
  put_capitals(to, p->set, INT_MAX);
  fputs(" and time ", to);
  put_time(to, s->total_time);
}

static void put_values(FILE *to, int count, const double *value, const char *mark)
{
  for (int i = 0; i < count; i++) fprintf(to, " %13.6E", value[i]);
  fprintf(to, "%s\n", mark);
}

/* Values at an integration point; in local axes with their name, in 20 letters. */
static void put_point(const hk_static *s, const hk_print_request *p, hk_index e, int q, int count,
                      const double *value, FILE *to)
{
  enum { LETTERS = 20 };
  const char *axes = s->on.model->region[s->on.model->element_region[e]].axes_name;
  fprintf(to, "%10lld %3d", (long long)hk_mesh_element_label(s->on.model->mesh, e), q + 1);
  for (int i = 0; i < count; i++) fprintf(to, " %13.6E", value[i]);
  if (p->local && axes) {
    const int length = (int)strlen(axes);
    fputc(' ', to);
    put_capitals(to, axes, LETTERS);
    fprintf(to, "%*s", length < LETTERS ? LETTERS - length : 0, "");
  }
  fputc('\n', to);
}

/* out = R v, rows of R the local axes; NULL: v itself */
static void turn_vector(const double (*axes)[3], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = axes ? axes[i][0] * v[0] + axes[i][1] * v[1] + axes[i][2] * v[2] : v[i];
}

/* sum: the heading of their sum; NULL: it has no meaning, and the values are listed in any case */
static void print_nodes(const hk_static *s, const hk_print_request *p, const char *what,
                        const char *sum, const double *values, FILE *to)
{
  const hk_mesh *mesh = s->on.model->mesh;
  const bool listed = !sum || !p->only_totals;
  const int components = s->components, columns = hk_static_heats(s) ? 1 : 3;
  double total[3] = {0};
  if (listed) put_head(s, p, what, to);
  for (hk_count i = 0; i < p->target.count; i++) {
    const hk_index node = p->target.item[i];
    double v[3] = {0}, local[3];
    for (int c = 0; c < components; c++) v[c] = values[(hk_count)node * components + c];
    for (int c = 0; c < 3; c++) total[c] += v[c];
    if (!listed) continue;
    turn_vector(p->local && p->axes && hk_static_solid(s) ? (const double(*)[3])(p->axes + 9 * i)
                                                          : NULL,
                v, local);
    fprintf(to, "%10lld", (long long)hk_mesh_node_label(mesh, node));
    put_values(to, columns, local, p->marked && p->marked[i] ? " L" : "");
  }
  if (!sum || (!p->totals && !p->only_totals)) return;
  put_head(s, p, sum, to);
  fputs("      ", to);
  put_values(to, columns, total, "");
}

/* xx yy zz xy xz yz, or xx yy zz xy, in local axes: R t R^T */
static void turn_tensor(const double axes[3][3], int n, const double *t, double out[6])
{
  const double full[3][3] = {{t[0], t[3], n == 6 ? t[4] : 0},
                             {t[3], t[1], n == 6 ? t[5] : 0},
                             {n == 6 ? t[4] : 0, n == 6 ? t[5] : 0, t[2]}};
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) out[k] += axes[at[k][0]][i] * full[i][j] * axes[at[k][1]][j];
  }
}

/* Stress, strain or heat flux at the points of elements, in local axes where asked for. */
static hk_status print_elements(const hk_static *s, const hk_print_request *p, const char *what,
                                bool stress, FILE *to)
{
  const int dim = s->on.model->mesh->dim;
  double at[2][6 * HK_MOST_POINTS], points[3 * HK_MOST_POINTS];
  put_head(s, p, what, to);
  for (hk_count i = 0; i < p->target.count; i++) {
    const hk_index e = p->target.item[i];
    const hk_axes *axes = &s->on.model->region[s->on.model->element_region[e]].axes;
    HK_PASS(hk_static_points(s, e, at[0], at[1], points));
    for (int q = 0; q < hk_static_rule(s, e)->points; q++) {
      const double *own = at[!stress] + q * s->tensor;
      double row[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, x[3] = {0}, v[3] = {0}, out[6];
      for (int c = 0; c < dim; c++) x[c] = points[q * dim + c], v[c] = own[c];
      if (p->local) hk_axes_at(axes, x, row);
      if (hk_static_heats(s))
        turn_vector((const double(*)[3])row, v, out);
      else
        turn_tensor(row, s->tensor, own, out);
      put_point(s, p, e, q, hk_static_heats(s) ? 3 : 6, out, to);
    }
  }
  return HK_OK;
}

static hk_status print_table(const hk_static *s, const hk_print_request *p, int table, FILE *to)
{
  switch (table) {
  case HK_DISPLACEMENT:
    print_nodes(s, p, "displacements (vx,vy,vz)", NULL, s->nodal.displacement, to);
    return HK_OK;
  case HK_TEMPERATURES:
    print_nodes(s, p, "temperatures", NULL, s->nodal.displacement, to);
    return HK_OK;
  case HK_REACTION:
    print_nodes(s, p, hk_static_heats(s) ? "heat generation" : "forces (fx,fy,fz)",
                hk_static_heats(s) ? "total heat generation" : "total force (fx,fy,fz)",
                s->nodal.internal, to);
    return HK_OK;
  case HK_HEAT_FLUX: return print_elements(s, p, "heat flux (elem, integ.pnt.,qx,qy,qz)", true, to);
  case HK_STRESS:
    return print_elements(s, p, "stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz)", true, to);
  case HK_STRAIN | HK_MECHANICAL:
    return print_elements(s, p, "mechanical strains (elem, integ.pnt.,exx,eyy,ezz,exy,exz,eyz)",
                          false, to);
  default:
    return print_elements(s, p, "strains (elem, integ.pnt.,exx,eyy,ezz,exy,exz,eyz)", false, to);
  }
}

static hk_status print_request(const hk_static *s, const hk_print_request *p, FILE *to)
{
  for (int i = 0; i < p->tables; i++) HK_PASS(print_table(s, p, p->table[i], to));
  return HK_OK;
}

/* In transient steps some requests are due after every so many increments, and at the end. */
static bool is_due(const hk_static *s, const hk_print_request *p)
{
  const hk_static_frame *frame = &s->frames.at[s->frames.now];
  return p->every <= 0 || frame->increment % p->every == 0 ||
         frame->increment == hk_static_increments(&s->on.model->step[s->step]);
}

/* DIR/NAME.dat of a deck DIR2/NAME.inp[.gz] */
static hk_path dat_path(const hk_static *s)
{
  hk_path path;
  const char *name = strrchr(s->on.model->path, '/');
  name = name ? name + 1 : s->on.model->path;
  const char *dot = strchr(name, '.');
  for (const char *c = name; (c = strstr(c, ".inp")); c++) dot = c;
  snprintf(path.text, sizeof path.text, "%s/%.*s.dat", s->session->desc->output,
           (int)(dot ? dot - name : (long)strlen(name)), name);
  return path;
}

hk_status hk_static_print_ready(const hk_static *s)
{
  bool prints = false;
  for (int i = 0; i < s->on.model->step_count; i++)
    prints = prints || s->on.model->step[i].print_count;
  return prints ? hk_written_check(dat_path(s).text) : HK_OK;
}

hk_status hk_static_print(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_step *step = &s->on.model->step[s->step];
  const hk_path path = dat_path(s);
  FILE *file = NULL;
  int fd = -1;
  if (!step->print_count) return HK_OK;
  if (!s->files.printed) HK_TRY(hk_written_claim(path.text));
  HK_TRY(hk_open_output(path.text, O_CREAT | (s->files.printed ? O_APPEND : O_TRUNC), &fd));
  file = fdopen(fd, "a");
  HK_CHECK(file, HK_NO_RESOURCES, "%s: cannot be written", path.text);
  fd = -1;
  s->files.printed = true;
  for (int i = 0; i < step->print_count; i++)
    if (is_due(s, &step->print[i])) HK_TRY(print_request(s, &step->print[i], file));
cleanup:
  if (fd >= 0) close(fd);
  if (file) {
    const bool bad = ferror(file) != 0;
    if ((fclose(file) != 0 || bad) && status == HK_OK)
      status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written", path.text);
  }
  return status;
}
