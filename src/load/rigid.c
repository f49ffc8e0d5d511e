/* Rigid-body motions that constraints and springs leave free: per connected part 6 columns (3 in 2D, 1 for heat), a row per constraint
 * with value 0 (A.3). Parts that rows link are one group, whose rows are orthogonalised one by one (Gram-Schmidt, twice);
 * large groups go through the sparse elimination of constraints.h. What is left of the rank is described motion by motion. */
#include "load/rigid.h"
#include "base/sort.h"
#include "element/element.h"
#include "mesh/topology.h"
#include <math.h>
#include <string.h>

/* A row counts as independent of those before when this part of its terms is left: ties of nodes that
 * lie at one place up to rounding hold no turn. */
static const double INDEPENDENT = 1e-8;
/* Rows of more linked parts would fill a large dense matrix: they are eliminated as sparse constraints, and how the group moves is not told. */
enum { MOST_LINKED = 300 };

typedef struct part {
  double centre[3], size; /* of its box */
  double low[3], high[3];
  hk_index element, group, column; /* first element; group; its first column there */
  hk_count elements, nodes;
  bool held; /* of one component: by an exchange or a reaction */
} part;

typedef struct group {
  hk_index parts, first; /* first: a part of it */
  int columns, rank;
  double *basis; /* basis[columns][columns]: orthonormal rows; NULL: not begun */
} group;

typedef struct finder {
  hk_pool pool;
  const hk_space *space;
  const hk_constraints *constraints;
  const hk_spring *spring;
  hk_count springs;
  const hk_mesh *mesh;
  double independent; /* times the sum of |weight|, each of a motion of size 1 */
  int dim, modes;     /* of a part */
  hk_index *of;       /* of[mesh node]: part; -1 */
  hk_index *up;       /* union-find, over nodes, then over parts */
  hk_index parts, groups;
  part *part;
  group *group;
  double *row;               /* room for a row of the widest group, zero between uses */
  HK_LIST(hk_index) touched; /* parts that have motions in it */
  hk_constraint_rows rows;   /* of large groups: columns modes * part, ... */
} finder;

/* of[node]: parts in the order of their first node. */
static void number_parts(finder *f)
{
  hk_mesh_join_elements(f->mesh, f->up);
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < f->mesh->node_count; n++) {
    hk_index r = f->up[n] < 0 ? (hk_index)n : f->up[n];
    while (f->up[r] >= 0 && f->up[r] != r) r = f->up[r];
    f->of[n] = f->space->node[n] < 0 ? -1 : r;
  }
  for (hk_count n = 0; n < f->mesh->node_count; n++)
    if (f->of[n] >= 0) f->of[n] = f->of[n] == n ? f->parts++ : f->of[f->of[n]];
}

/* Boxes of the parts, and how much they have. */
static void count_parts(finder *f)
{
  for (hk_count n = 0; n < f->mesh->node_count; n++) {
    if (f->of[n] < 0) continue;
    part *p = &f->part[f->of[n]];
    p->nodes++;
    for (int c = 0; c < f->dim; c++) {
      p->low[c] = fmin(p->low[c], f->mesh->x[n * f->dim + c]);
      p->high[c] = fmax(p->high[c], f->mesh->x[n * f->dim + c]);
    }
  }
  for (hk_count e = 0; e < f->mesh->element_count; e++) {
    part *p = &f->part[f->of[hk_mesh_nodes_of(f->mesh, e)[0]]];
    if (p->element < 0) p->element = (hk_index)e;
    p->elements++;
  }
}

/* count_parts by all threads, where one part has all elements. */
static void count_whole(finder *f)
{
  part *p = f->part;
  const int dim = f->dim;
  double *low = p->low, *high = p->high;
  hk_count nodes = 0;
#pragma omp parallel for schedule(static) reduction(+ : nodes) reduction(min : low[:3])            \
    reduction(max : high[:3])
  for (hk_count n = 0; n < f->mesh->node_count; n++) {
    if (f->of[n] < 0) continue;
    nodes++;
    for (int c = 0; c < dim; c++) {
      const double x = f->mesh->x[n * dim + c];
      if (x < low[c]) low[c] = x;
      if (x > high[c]) high[c] = x;
    }
  }
  p->nodes = nodes, p->elements = f->mesh->element_count, p->element = 0;
}

static void measure_parts(finder *f)
{
  for (hk_index p = 0; p < f->parts; p++) {
    f->part[p].element = -1;
    for (int c = 0; c < 3; c++) f->part[p].low[c] = INFINITY, f->part[p].high[c] = -INFINITY;
  }
  if (f->parts == 1)
    count_whole(f);
  else
    count_parts(f);
  for (hk_index i = 0; i < f->parts; i++) {
    part *p = &f->part[i];
    for (int c = 0; c < f->dim; c++) {
      p->centre[c] = .5 * (p->low[c] + p->high[c]);
      p->size = fmax(p->size, .5 * (p->high[c] - p->low[c]));
    }
  }
}

static hk_index part_of_dof(const finder *f, hk_index dof)
{
  const hk_index node = f->space->mesh_node[dof / f->space->components];
  return node < 0 ? -1 : f->of[node];
}

static double norm_of(const double k[3][3])
{
  double most = 0;
  for (int c = 0; c < 9; c++) most = fmax(most, fabs(k[c / 3][c % 3]));
  return most;
}

/* Parts that a constraint or a spring has in common are one group. */
static hk_status make_groups(finder *f)
{
  const hk_constraints *c = f->constraints;
  int widest = 0;
  for (hk_index p = 0; p < f->parts; p++) f->up[p] = p;
  for (hk_index i = 0; i < c->count; i++) {
    const hk_index p = part_of_dof(f, c->dof[i]);
    for (hk_index k = c->begin[i]; p >= 0 && k < c->begin[i + 1]; k++)
      hk_union_join(f->up, p, part_of_dof(f, c->master[k]));
  }
  for (hk_count s = 0; s < f->springs; s++)
    if (norm_of(f->spring[s].k) > 0)
      hk_union_join(f->up, f->of[f->spring[s].node[0]], f->of[f->spring[s].node[1]]);
  HK_PASS(hk_pool_get(&f->pool, &f->group, f->parts));
  for (hk_index p = 0; p < f->parts; p++) {
    const hk_index r = hk_union_root(f->up, p);
    if (r == p) f->group[f->groups].first = p, f->part[p].group = f->groups++;
    group *g = &f->group[f->part[r].group];
    f->part[p].group = f->part[r].group;
    f->part[p].column = g->columns;
    g->parts++;
    g->columns += f->modes;
  }
  for (hk_index g = 0; g < f->groups; g++)
    if (f->group[g].columns > widest) widest = f->group[g].columns;
  return hk_pool_get(&f->pool, &f->row, widest);
}

/* f->row += weight times the motion of a dof: translations, then turns over the part's size */
static hk_status add_motion(finder *f, hk_index dof, double weight)
{
  const hk_index node = f->space->mesh_node[dof / f->space->components], number = f->of[node];
  const int c = dof % f->space->components;
  const part *p = &f->part[number];
  const double *x = f->mesh->x + (hk_count)node * f->dim;
  double r[3] = {0}, *row = f->row + p->column;
  for (int d = 0; d < f->dim; d++) r[d] = (x[d] - p->centre[d]) / (p->size > 0 ? p->size : 1);
  HK_PASS(hk_pool_more(&f->pool, &f->touched));
  f->touched.at[f->touched.count++] = number;
  row[c] += weight;
  if (f->modes == 1) return HK_OK;
  if (f->dim == 2) {
    row[2] += weight * (c == 0 ? -r[1] : r[0]);
    return HK_OK;
  }
  /* turn about axis a moves component c by (e_a x r)_c */
  row[3 + (c + 1) % 3] += weight * r[(c + 2) % 3];
  row[3 + (c + 2) % 3] -= weight * r[(c + 1) % 3];
  return HK_OK;
}

/* Adds what is new in the row to the basis, if it is longer than `least`; twice, against rounding. */
static void orthogonalise(group *g, double least, double *row)
{
  double after = 0;
  for (int times = 0; times < 2; times++)
    for (int i = 0; i < g->rank; i++) {
      const double *b = g->basis + (hk_count)i * g->columns;
      double dot = 0;
      for (int k = 0; k < g->columns; k++) dot += b[k] * row[k];
      for (int k = 0; k < g->columns; k++) row[k] -= dot * b[k];
    }
  for (int k = 0; k < g->columns; k++) after += row[k] * row[k];
  if (!(sqrt(after) > least)) return;
  double *b = g->basis + (hk_count)g->rank++ * g->columns;
  for (int k = 0; k < g->columns; k++) b[k] = row[k] / sqrt(after);
}

static bool is_large(const group *g)
{
  return g->parts > MOST_LINKED;
}

/* Of a large group: the motions in f->row as a row of terms. */
static hk_status add_sparse_row(finder *f)
{
  hk_status status = HK_OK;
  hk_pool own = {0};
  hk_index *term;
  double *weight;
  const int count = (int)f->touched.count * f->modes;
  HK_TRY(hk_pool_get(&own, &term, count));
  HK_TRY(hk_pool_get(&own, &weight, count));
  for (int k = 0; k < count; k++) {
    const hk_index p = f->touched.at[k / f->modes];
    double *motion = f->row + f->part[p].column + k % f->modes;
    term[k] = p * f->modes + k % f->modes, weight[k] = *motion;
    *motion = 0;
  }
  HK_TRY(hk_constraint_rows_add(&f->rows, count, term, weight, 0, NULL, 0));
cleanup:
  hk_pool_clear(&own);
  return status;
}

/* The row in f->row, which is zero afterwards, holds a motion of the group; terms: the sum of |weight|. */
static hk_status add_row(finder *f, group *g, double terms)
{
  if (is_large(g))
    HK_PASS(add_sparse_row(f));
  else {
    if (!g->basis) HK_PASS(hk_pool_get(&f->pool, &g->basis, (hk_count)g->columns * g->columns));
    orthogonalise(g, f->independent * terms, f->row);
    memset(f->row, 0, (size_t)g->columns * sizeof *f->row);
  }
  f->touched.count = 0;
  return HK_OK;
}

/* Ranks of large groups. */
static hk_status eliminate(finder *f)
{
  hk_status status = HK_OK;
  hk_constraints held = {0};
  hk_index columns;
  if (!f->rows.row.count) return HK_OK;
  HK_TRY(hk_narrow((hk_count)f->parts * f->modes, "motions of parts", &columns));
  HK_TRY(hk_constraints_build(&f->rows, columns, 0, NULL, &held, NULL));
  for (hk_index i = 0; i < held.count; i++) f->group[f->part[held.dof[i] / f->modes].group].rank++;
cleanup:
  hk_constraints_clear(&held);
  return status;
}

static hk_status add_constraints(finder *f)
{
  const hk_constraints *c = f->constraints;
  for (hk_index i = 0; i < c->count; i++) {
    const hk_index p = part_of_dof(f, c->dof[i]);
    if (p < 0) continue;
    group *g = &f->group[f->part[p].group];
    if (g->rank == g->columns) continue;
    double terms = 1;
    HK_PASS(add_motion(f, c->dof[i], 1));
    for (hk_index k = c->begin[i]; k < c->begin[i + 1]; k++) {
      HK_PASS(add_motion(f, c->master[k], -c->weight[k]));
      terms += fabs(c->weight[k]);
    }
    HK_PASS(add_row(f, g, terms));
  }
  return HK_OK;
}

/* k (u_0 - u_1) = 0, row by row. */
static hk_status add_springs(finder *f)
{
  const int dim = f->dim;
  for (hk_count s = 0; s < f->springs; s++) {
    const hk_spring *own = &f->spring[s];
    const double norm = norm_of(own->k);
    group *g = &f->group[f->part[f->of[own->node[0]]].group];
    if (!(norm > 0)) continue;
    for (int c = 0; c < dim && g->rank < g->columns; c++) {
      for (int d = 0; d < dim; d++)
        for (int side = 0; side < 2; side++)
          HK_PASS(add_motion(f, f->space->node[own->node[side]] * dim + d,
                             (side ? -1 : 1) * own->k[c][d] / norm));
      HK_PASS(add_row(f, g, 2));
    }
  }
  return HK_OK;
}

static const part *part_of(const finder *f, hk_count e)
{
  return &f->part[f->of[hk_mesh_nodes_of(f->mesh, e)[0]]];
}

static bool is_held(const finder *f, hk_count e)
{
  const part *p = part_of(f, e);
  const group *g = &f->group[p->group];
  return p->held || g->rank == g->columns;
}

/* What holds the temperature of the element's part. */
static hk_status hold_part(finder *f, hk_count e)
{
  if (is_held(f, e)) return HK_OK;
  part *p = &f->part[f->of[hk_mesh_nodes_of(f->mesh, e)[0]]];
  const hk_status status = add_motion(f, f->space->node[hk_mesh_nodes_of(f->mesh, e)[0]], 1);
  p->held = true;
  return status == HK_OK ? add_row(f, &f->group[p->group], 1) : status;
}

/* Whether the element's matrix has a part of the reaction: a formula may be 0 at all points of its quadrature. What is below 0, or no
 * number, counts here: the check of laws tells that. So does what depends on temperature, which is not known yet. */
static bool reacts(const hk_mesh *mesh, const hk_rigid_desc *desc, hk_count e)
{
  const hk_material *material = &desc->region[desc->element_region[e]].material;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_NODES], at[3];
  hk_values values;
  if (!hk_material_reacts(material)) return false;
  if (!material->by[HK_BY_REACTION] || hk_formula_warm(material->by[HK_BY_REACTION])) return true;
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_rule *rule = hk_element_rule(element, HK_INTEGRATION_MASS);
  for (int n = 0; n < element->nodes; n++)
    memcpy(x + n * mesh->dim, mesh->x + (hk_count)node[n] * mesh->dim,
           (size_t)mesh->dim * sizeof *x);
  for (int q = 0; q < rule->points; q++) {
    const double *n = hk_element_n(element, HK_INTEGRATION_MASS, q, &values);
    hk_element_place(element->dim, element->nodes, n, x, at);
    if (hk_formula_value(material->by[HK_BY_REACTION], at) != 0) return true;
  }
  return false;
}

static hk_status hold_temperatures(finder *f, const hk_rigid_desc *desc)
{
  if (f->modes > 1) return HK_OK;
  for (hk_count i = 0; i < desc->exchange_count; i++)
    if (desc->exchange[i].coefficient > 0) HK_PASS(hold_part(f, desc->exchange[i].element));
  for (hk_count e = 0; e < f->mesh->element_count; e++)
    if (reacts(f->mesh, desc, e) && !is_held(f, e)) HK_PASS(hold_part(f, e));
  return HK_OK;
}

/* A ring resists motion along its radius and turns of its section by strain around the axis: as if a constraint held them. */
static hk_status hold_rings(finder *f, const hk_rigid_desc *desc)
{
  if (f->modes == 1 || f->dim == 3 || !desc->region) return HK_OK;
  for (hk_index p = 0; p < f->parts; p++) {
    const int region = desc->element_region[f->part[p].element];
    group *g = &f->group[f->part[p].group];
    if (region < 0 || desc->region[region].plane != HK_AXISYMMETRIC) continue;
    for (int m = 0; m < 3 && g->rank < g->columns; m += 2) {
      HK_PASS(hk_pool_more(&f->pool, &f->touched));
      f->touched.at[f->touched.count++] = p;
      f->row[f->part[p].column + m] = 1;
      HK_PASS(add_row(f, g, 1));
    }
  }
  return HK_OK;
}

/* Whether the group can do motion m (along or about an axis) as one body: it is in no row. */
static bool is_free(const finder *f, hk_index which, int m)
{
  const group *g = &f->group[which];
  const part *first = &f->part[g->first];
  double norm = 0, seen = 0;
  double *motion = f->row;
  memset(motion, 0, (size_t)g->columns * sizeof *motion);
  for (hk_index i = 0; i < f->parts; i++) {
    const part *p = &f->part[i];
    if (p->group != which) continue;
    double *v = motion + p->column;
    v[m] = m < f->dim ? 1 : p->size > 0 ? p->size : 1;
    if (m < f->dim) continue;
    const int axis = f->dim == 2 ? 2 : m - 3, j = (axis + 1) % 3, k = (axis + 2) % 3;
    v[j] = -(p->centre[k] - first->centre[k]); /* axis x arm */
    v[k] = p->centre[j] - first->centre[j];
  }
  for (int k = 0; k < g->columns; k++) norm += motion[k] * motion[k];
  for (int i = 0; i < g->rank; i++) {
    double dot = 0;
    for (int k = 0; k < g->columns; k++) dot += g->basis[(hk_count)i * g->columns + k] * motion[k];
    seen += dot * dot;
  }
  return seen <= 1e-12 * norm;
}

static hk_loose describe(const finder *f, hk_index which)
{
  const group *g = &f->group[which];
  hk_loose l = {
      .parts = g->parts, .element = f->part[g->first].element, .modes = g->columns - g->rank};
  for (hk_index i = 0; i < f->parts; i++) {
    if (f->part[i].group != which) continue;
    l.elements += f->part[i].elements, l.nodes += f->part[i].nodes;
  }
  for (int m = 0; m < f->modes && !is_large(g); m++)
    if (is_free(f, which, m)) l.free |= 1u << (f->dim == 2 && m == 2 ? 5 : m);
  return l;
}

hk_status hk_rigid_find(const hk_rigid_desc *desc, hk_count *part_count, hk_count *count,
                        hk_loose **loose)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->space;
  const int dim = space->mesh->dim;
  finder f = {.space = space,
              .constraints = desc->constraints,
              .spring = desc->spring,
              .springs = desc->spring_count,
              .independent = desc->independent > 0 ? desc->independent : INDEPENDENT,
              .mesh = space->mesh,
              .dim = dim,
              .modes = space->components == 1 ? 1
                       : dim == 2             ? 3
                                              : 6};
  hk_loose *list = NULL;
  hk_count found = 0, room = 0;

  HK_TRY(hk_pool_get(&f.pool, &f.of, f.mesh->node_count));
  HK_TRY(hk_pool_get(&f.pool, &f.up, f.mesh->node_count));
  number_parts(&f);
  HK_TRY(hk_pool_get(&f.pool, &f.part, f.parts));
  measure_parts(&f);
  HK_TRY(make_groups(&f));
  HK_TRY(add_constraints(&f));
  HK_TRY(hold_rings(&f, desc));
  HK_TRY(add_springs(&f));
  HK_TRY(hold_temperatures(&f, desc));
  HK_TRY(eliminate(&f));
  for (hk_index g = 0; g < f.groups; g++) {
    if (f.group[g].rank == f.group[g].columns) continue;
    HK_TRY(hk_reserve(&list, found + 1, &room));
    list[found++] = describe(&f, g);
  }
  *part_count = f.parts, *count = found;
  *loose = list, list = NULL;
cleanup:
  hk_free(&list);
  hk_constraint_rows_clear(&f.rows);
  hk_pool_clear(&f.pool);
  return status;
}
