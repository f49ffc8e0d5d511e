/* Weights of the elements of an array that fire together, each node of a set an element: `aperture` tells which ones act, by their numbers in the order of the set, and
 * `apodisation` the part of the force that each of them has: a list, or a window over the place along the longest direction of the aperture.
 * The window is taken at the middles of elements that share the length evenly, so that the outermost ones act too. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

enum { HANN, HAMMING, BLACKMAN, COSINE, TRIANGLE };

/* The window at 0 < s < 1. */
static double window_at(int kind, double s)
{
  const double turn = 6.283185307179586 * s;
  switch (kind) {
  case HANN: return 0.5 - 0.5 * cos(turn);
  case HAMMING: return 0.54 - 0.46 * cos(turn);
  case BLACKMAN: return 0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn);
  case COSINE: return sin(turn / 2);
  default: return 1 - fabs(2 * s - 1);
  }
}

/* The place of nodes that lies farthest from x. */
static hk_count farthest(const hk_mesh *mesh, hk_count count, const hk_index *node, const double *x)
{
  hk_count best = 0;
  double most = -1;
  for (hk_count i = 0; i < count; i++) {
    double square = 0;
    for (int d = 0; d < mesh->dim; d++) {
      const double away = mesh->x[(hk_count)node[i] * mesh->dim + d] - x[d];
      square += away * away;
    }
    if (square > most) most = square, best = i;
  }
  return best;
}

/* weight[count] of nodes by their places between the two that are farthest apart. */
static void take_window(const hk_mesh *mesh, int kind, hk_count count, const hk_index *node,
                        double *weight)
{
  const int dim = mesh->dim;
  double along[3] = {0}, square = 0;
  const double *from = mesh->x + (hk_count)node[0] * dim;
  from = mesh->x + (hk_count)node[farthest(mesh, count, node, from)] * dim;
  const double *to = mesh->x + (hk_count)node[farthest(mesh, count, node, from)] * dim;
  for (int d = 0; d < dim; d++) along[d] = to[d] - from[d], square += along[d] * along[d];
  for (hk_count i = 0; i < count; i++) {
    double s = 0;
    for (int d = 0; d < dim && square > 0; d++)
      s += along[d] * (mesh->x[(hk_count)node[i] * dim + d] - from[d]) / square;
    weight[i] = window_at(kind, (s * (double)(count - 1) + 0.5) / (double)count);
  }
}

/* [*first, *end) of the set's nodes; false, with an error, where it has not so many. */
static bool read_aperture(hk_case *c, const hk_node *map, hk_count count, hk_count *first,
                          hk_count *end)
{
  double range[2] = {1, (double)count};
  const hk_node *node = hk_case_value(map, "aperture");
  if (node && hk_case_numbers(node, 2, range) != 2) return false;
  *first = (hk_count)range[0] - 1, *end = (hk_count)range[1];
  if (*first < *end && *end <= count) return true;
  hk_case_error(c, node,
                "aperture: give the first and the last element, ascending: the set has %lld nodes",
                (long long)count);
  return false;
}

hk_status hk_case_apodise(hk_case *c, const hk_node *map, const hk_target *nodes, double **weight)
{
  const hk_node *window = hk_case_value(map, "apodisation");
  hk_count first, end, i = 0;
  *weight = NULL;
  if (!(window || hk_node_find(map, "aperture")) || c->draft || !nodes->count) return HK_OK;
  if (!read_aperture(c, map, nodes->count, &first, &end)) return HK_OK;
  const bool list = window && window->kind == HK_NODE_LIST;
  if (list && window->count != end - first) {
    hk_case_error(c, window, "apodisation has %d weights, and %lld elements act: give one for each",
                  window->count, (long long)(end - first));
    return HK_OK;
  }
  HK_PASS(hk_pool_get(&c->model->pool, weight, nodes->count));
  for (hk_count k = first; k < end; k++) (*weight)[k] = 1;
  for (const hk_node *n = list ? window->child : NULL; n; n = n->next)
    (*weight)[first + i++] = n->number;
  if (window && !list)
    take_window(c->model->mesh, (int)window->number, end - first, nodes->item + first,
                *weight + first);
  return HK_OK;
}

void hk_case_check_apodisation(hk_case *c, const hk_node *map, bool on_set)
{
  const bool weighs = hk_node_find(map, "force") || hk_node_find(map, "volume_rate");
  if (!(weighs && on_set) || c->heat || hk_case_coupled(c))
    hk_case_refuse(c, map, HK_WORDS("apodisation", "aperture"), "",
                   " is for force and volume_rate on a set of nodes: remove it");
}
