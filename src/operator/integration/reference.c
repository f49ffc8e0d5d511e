/* Reference elements as tables for the kernels of integration: the values and derivatives of the shape functions at the points,
 * phi[points][4][shapes], the weights, and the slopes of the functions of the geometry. Prisms and products also get the factors of (I.2), T_t of
 * the triangle and L_r of the line, for sum factorisation (I.8). A table is made from any solid hk_element with its rule, or from a prism of order
 * p with a geometry of its own. */
#include "operator/integration/reference.h"
#include "element/gll.h"

void hk_reference_clear(hk_reference *r)
{
  hk_pool_clear(&r->pool);
  *r = (hk_reference){0};
}

static hk_status create(int points, int shapes, int corners, hk_reference *r)
{
  r->points = points, r->shapes = shapes, r->corners = corners;
  HK_PASS(hk_pool_get(&r->pool, &r->phi, (hk_count)points * 4 * shapes));
  HK_PASS(hk_pool_get(&r->pool, &r->slope, (hk_count)points * corners * 3));
  return hk_pool_get(&r->pool, &r->weight, points);
}

/* Row of phi of point q from n[shapes], dn[shapes][3]. */
static void put(const hk_reference *r, int q, const double *n, const double *dn)
{
  double *phi = r->phi + (hk_count)q * 4 * r->shapes;
  for (int i = 0; i < r->shapes; i++) {
    phi[i] = n[i];
    for (int d = 0; d < 3; d++) phi[(d + 1) * r->shapes + i] = dn[i * 3 + d];
  }
}

/* lattice as of hk_element; NULL: functions stand in the order of element/prism.h. */
static hk_status find_factors(const hk_prism *prism, const hk_prism_rule *rule, const int *lattice,
                              hk_reference *r)
{
  hk_factors *f = &r->factors;
  const int nodes = prism->triangle_nodes, layers = prism->order + 1;
  double slope[HK_PRISM_TRIANGLE][2];
  HK_PASS(hk_pool_get(&r->pool, &f->triangle, (hk_count)rule->triangle_points * 3 * nodes));
  HK_PASS(hk_pool_get(&r->pool, &f->line, (hk_count)rule->line_points * 2 * layers));
  HK_PASS(hk_pool_get(&r->pool, &f->place, prism->nodes));
  for (int s = 0; s < rule->triangle_points; s++) {
    double *own = f->triangle + (hk_count)s * 3 * nodes;
    hk_prism_triangle(prism, rule->triangle[s], own, slope[0]);
    for (int t = 0; t < nodes; t++) own[nodes + t] = slope[t][0], own[2 * nodes + t] = slope[t][1];
  }
  for (int z = 0; z < rule->line_points; z++) {
    double *own = f->line + (hk_count)z * 2 * layers;
    hk_gll_functions(hk_gll_of(prism->order), rule->line[z], own, own + layers);
  }
  for (int n = 0; n < prism->nodes; n++) f->place[n] = lattice ? lattice[n] : n;
  f->nodes = nodes, f->layers = layers;
  f->points = rule->triangle_points, f->planes = rule->line_points;
  return HK_OK;
}

/* The order whose rule of prisms this is; 0: none. */
static int order_of_rule(const hk_rule *rule)
{
  for (int k = 1; k <= HK_PRISM_RULES; k++)
    if (rule->point == hk_prism_rule_of(k)->point) return k;
  return 0;
}

hk_status hk_reference_element(const hk_element *element, const hk_rule *rule, hk_reference *out)
{
  hk_status status = HK_OK;
  hk_reference r = {0};
  double *n = NULL;
  HK_CHECK(element->dim == 3, HK_BAD_INPUT, "%s is not a solid element", element->name);
  HK_TRY(create(rule->points, element->nodes, element->nodes, &r));
  HK_TRY(hk_get(&n, element->nodes));
  for (int q = 0; q < r.points; q++) {
    double *dn = r.slope + (hk_count)q * r.corners * 3;
    hk_element_functions(element, rule->point[q], n, dn);
    put(&r, q, n, dn);
    r.weight[q] = rule->weight[q];
  }
  if ((int)element->shape == HK_WEDGE_P + element->order && order_of_rule(rule))
    HK_TRY(find_factors(hk_prism_of(element->order), hk_prism_rule_of(order_of_rule(rule)),
                        element->lattice, &r));
  *out = r, r = (hk_reference){0};
cleanup:
  hk_free(&n);
  hk_reference_clear(&r);
  return status;
}

hk_status hk_reference_prism(int order, int rule, hk_shape geometry, hk_reference *out)
{
  hk_status status = HK_OK;
  hk_reference r = {0};
  double n[HK_PRISM_NODES], dn[HK_PRISM_NODES][3];
  HK_CHECK(order >= 1 && order <= HK_PRISM_ORDERS, HK_BAD_INPUT, "order %d: prisms have 1 to %d",
           order, HK_PRISM_ORDERS);
  HK_CHECK(rule >= 1 && rule <= HK_PRISM_RULES, HK_BAD_INPUT,
           "quadrature %d of a prism: there are 1 to %d", rule, HK_PRISM_RULES);
  HK_CHECK(geometry == HK_WEDGE6 || geometry == HK_WEDGE15 || geometry == HK_WEDGE18, HK_BAD_INPUT,
           "a prism's geometry is wedge6, wedge15 or wedge18, not %s", hk_shape_name(geometry));
  const hk_prism *prism = hk_prism_of(order);
  const hk_prism_rule *points = hk_prism_rule_of(rule);
  const hk_element *element = hk_element_of(geometry);
  HK_TRY(create(points->points, prism->nodes, element->nodes, &r));
  for (int q = 0; q < r.points; q++) {
    hk_prism_shape(prism, points->point[q], n, dn[0]);
    put(&r, q, n, dn[0]);
    hk_element_functions(element, points->point[q], NULL, r.slope + (hk_count)q * r.corners * 3);
    r.weight[q] = points->weight[q];
  }
  HK_TRY(find_factors(prism, points, NULL, &r));
  *out = r, r = (hk_reference){0};
cleanup:
  hk_reference_clear(&r);
  return status;
}

void hk_reference_jacobian(const hk_reference *r, int q, const double *x, double *terms)
{
  const double *slope = r->slope + (hk_count)q * r->corners * 3;
  double j[9] = {0};
  for (int n = 0; n < r->corners; n++)
    for (int c = 0; c < 3; c++)
      for (int d = 0; d < 3; d++) j[c * 3 + d] += x[n * 3 + c] * slope[n * 3 + d];
  for (int k = 0; k < 9; k++) {
    const int c = k / 3, d = k % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3, d1 = (d + 1) % 3,
              d2 = (d + 2) % 3;
    terms[d * 3 + c] = j[c1 * 3 + d1] * j[c2 * 3 + d2] - j[c1 * 3 + d2] * j[c2 * 3 + d1];
  }
  terms[9] = j[0] * terms[0] + j[1] * terms[3] + j[2] * terms[6];
  for (int k = 0; k < 9; k++) terms[k] /= terms[9];
}
