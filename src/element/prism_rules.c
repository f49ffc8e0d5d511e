/* Quadrature rules of prisms: symmetric rules of the triangle times Gauss points along the line.
 * The orbits of the symmetric rules are those of Xiao and Gimbutas (2010), refined to 20 digits by
 * Newton's method on the moment equations. Higher degrees use Gauss points on the collapsed square. */
#include <math.h>
#include <pthread.h>
#include "element/gll.h"
#include "element/prism.h"

/* Points with barycentric coordinates (a, b, 1 - a - b) in all orders: 1, 3 (a == b) or 6 of them. */
typedef struct orbit {
  double a, b, weight;
} orbit;

#define CENTRE(w)                                                                                  \
  {                                                                                                \
    1.0 / 3, 1.0 / 3, w                                                                            \
  }
static const orbit orbits[HK_PRISM_ORDERS][10] = {
    {{1.0 / 6, 1.0 / 6, 1.0 / 6}},
    {{0.44594849091596488632, 0.44594849091596488632, 0.11169079483900573285},
     {0.09157621350977074346, 0.09157621350977074346, 0.054975871827660933819}},
    {{0.21942998254978296, 0.21942998254978296, 0.08566656207649051506},
     {0.48013796411221504403, 0.48013796411221504403, 0.040365544796515489155},
     {0.01937172436124078838, 0.14161901592396815841, 0.020317279896830331226}},
    {CENTRE(0.072157803838893584126),
     {0.17056930775176020662, 0.17056930775176020662, 0.051608685267359125141},
     {0.45929258829272315603, 0.45929258829272315603, 0.047545817133642312397},
     {0.050547228317030975458, 0.050547228317030975458, 0.016229248811599040155},
     {0.0083947774099576053372, 0.26311282963463811342, 0.013615157087217497132}},
    {CENTRE(0.041807437186986961479),
     {0.49517345980117049678, 0.49517345980117049678, 0.0048962952492091492072},
     {0.019139415242841234668, 0.019139415242841234668, 0.0031926796150593271763},
     {0.18448501268524649185, 0.18448501268524649185, 0.039316884873188638488},
     {0.42823482094371887002, 0.42823482094371887002, 0.037623663984271990743},
     {0.034723620482327441981, 0.13373475510086914653, 0.014481140731628169992},
     {0.037582727341191656489, 0.32669313628133690494, 0.019369524543009450288}},
    {{0.27146250701492608488, 0.27146250701492608488, 0.031270606597951380235},
     {0.10925782765935429058, 0.10925782765935429058, 0.0142430260344387725},
     {0.44011164865859311101, 0.44011164865859311101, 0.02495916746403047106},
     {0.48820375094554155178, 0.48820375094554155178, 0.012133419040726016575},
     {0.024646363436335594767, 0.024646363436335594767, 0.0039658212549868192297},
     {0.11629601967792658663, 0.25545422863851734653, 0.021613681829707105275},
     {0.021382490256170589594, 0.12727971723358936879, 0.0075418387882557192929},
     {0.023034156355267139482, 0.29165567973834096053, 0.010891792519303778966}},
    {{0.41764471934045392251, 0.41764471934045392251, 0.016394176772062675321},
     {0.061799883090872601267, 0.061799883090872601267, 0.0072168498348883338009},
     {0.27347752830883865975, 0.27347752830883865975, 0.025887052253645793157},
     {0.17720553241254343696, 0.17720553241254343696, 0.021081294368496508769},
     {0.019390961248701048178, 0.019390961248701048178, 0.0024617018012000408409},
     {0.48896391036217863868, 0.48896391036217863868, 0.01094179068471444532},
     {0.014646950055654409671, 0.29837288213625775297, 0.007218154056766920248},
     {0.092916249356971824758, 0.33686145979634500174, 0.019285755393530341614},
     {0.057124757403647939036, 0.17226668782135557838, 0.012332876606281836981},
     {0.0012683309328720250872, 0.1189744976969568454, 0.0025051144192503358849}}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_prism_rule rules[HK_PRISM_RULES];

static void put(hk_prism_rule *rule, double x, double y, double weight)
{
  const int t = rule->triangle_points++;
  rule->triangle[t][0] = x, rule->triangle[t][1] = y, rule->triangle_weight[t] = weight;
}

static void fill_symmetric(hk_prism_rule *rule, const orbit *of)
{
  for (int k = 0; k < 10 && of[k].weight > 0; k++) {
    const double a = of[k].a, b = of[k].b, c = 1 - a - b, w = of[k].weight;
    put(rule, a, b, w);
    if (a == b && fabs(c - a) < 1e-12) continue;
    put(rule, c, a, w);
    put(rule, b, c, w);
    if (a == b) continue;
    put(rule, b, a, w);
    put(rule, a, c, w);
    put(rule, c, b, w);
  }
}

/* x = u (1 - v), y = v with Gauss's points in u and v. */
static void fill_collapsed(hk_prism_rule *rule, int n)
{
  const double *x = hk_gauss_of(n)->x, *w = hk_gauss_of(n)->w;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const double u = (1 + x[i]) / 2, v = (1 + x[j]) / 2;
      put(rule, u * (1 - v), v, w[i] * w[j] / 4 * (1 - v));
    }
}

static void fill_all(void)
{
  for (int k = 1; k <= HK_PRISM_RULES; k++) {
    hk_prism_rule *rule = &rules[k - 1];
    rule->line_points = k + 1;
    rule->line = hk_gauss_of(k + 1)->x, rule->line_weight = hk_gauss_of(k + 1)->w;
    if (k <= HK_PRISM_ORDERS)
      fill_symmetric(rule, orbits[k - 1]);
    else
      fill_collapsed(rule, k + 1);
    rule->points = rule->line_points * rule->triangle_points;
    for (int q = 0; q < rule->points; q++) {
      const int t = q % rule->triangle_points, z = q / rule->triangle_points;
      rule->point[q][0] = rule->triangle[t][0];
      rule->point[q][1] = rule->triangle[t][1];
      rule->point[q][2] = rule->line[z];
      rule->weight[q] = rule->triangle_weight[t] * rule->line_weight[z];
    }
  }
}

const hk_prism_rule *hk_prism_rule_of(int k)
{
  pthread_once(&once, fill_all);
  return &rules[k - 1];
}
