/* The axes of each node by *TRANSFORM; the last *TRANSFORM of a node counts. Forces in these axes become global components,
 * F = sum over l of f[l] row[l]. A node on the axis of its cylinder has no radial direction: a load or a condition that needs
 * one is an error there. Plane nodes have axes in the plane. */
#include "input/deck/make.h"
#include <math.h>

bool hk_deck_node_axes(const deck_maker *m, hk_index node, double row[3][3])
{
  double x[3];
  if (!m->axes_of || !m->axes_of[node]) return false;
  hk_model_node_x(m->model, node, x);
  hk_axes_at(&m->axes.at[m->axes_of[node] - 1], x, row);
  return true;
}

bool hk_deck_on_axis(const deck_maker *m, hk_index node)
{
  if (!m->axes_of || !m->axes_of[node]) return false;
  const hk_axes *axes = &m->axes.at[m->axes_of[node] - 1];
  double from[3], along = 0, off = 0;
  if (axes->kind != HK_AXES_CYLINDRICAL) return false;
  hk_model_node_x(m->model, node, from);
  for (int i = 0; i < 3; i++) {
    from[i] -= axes->origin[i];
    along += from[i] * axes->row[2][i];
  }
  for (int i = 0; i < 3; i++) off += pow(from[i] - along * axes->row[2][i], 2);
  return !(sqrt(off) > m->near_axis);
}

void hk_deck_tell_axis(const deck_maker *m, hk_index node, const char *keyword, hk_place place)
{
  hk_inp_error(
      m->d->reader, place,
      "%s: node %lld lies on the axis of its *TRANSFORM, TYPE=C, where no direction is radial or "
      "tangential: remove the node from that set, or give it a *TRANSFORM of TYPE=R",
      keyword, (long long)hk_mesh_node_label(m->model->mesh, node));
}

/* Plane nodes move in the plane only. */
static bool fits(const deck_maker *m, const hk_axes *axes)
{
  const int out = axes->kind == HK_AXES_CYLINDRICAL ? 0 : 2;
  if (m->model->mesh->dim == 3) return true;
  return out ? fabs(axes->row[0][2]) <= 1e-9 && fabs(axes->row[1][2]) <= 1e-9
             : fabs(axes->row[2][0]) <= 1e-9 && fabs(axes->row[2][1]) <= 1e-9;
}

static hk_status turn_nodes(deck_maker *m, const deck_transform *t)
{
  hk_inp *inp = m->d->inp;
  for (int k = 0; k < hk_inp_piece_count(inp, t->on.scope); k++) {
    const hk_set *set =
        hk_inp_find_set(inp, t->on.place, "*TRANSFORM", t->on.name, HK_NODE_SET, t->on.scope, k);
    if (!set) break;
    if (!set->count)
      hk_inp_say(m->d->reader, HK_WARNING, t->on.place, "*TRANSFORM: node set %s is empty",
                 t->on.name);
    HK_PASS(hk_pool_more(&m->pool, &m->axes));
    hk_axes *axes = &m->axes.at[m->axes.count++];
    hk_deck_axes(m->d, &t->axes, t->on.scope, k, axes);
    if (!fits(m, axes))
      hk_inp_error(m->d->reader, t->on.place,
                   "*TRANSFORM: the local axes of plane elements must lie in the x-y plane: the "
                   "axis of a cylinder must be z");
    for (hk_count i = 0; i < set->count; i++) m->axes_of[set->item[i]] = (hk_index)m->axes.count;
  }
  return HK_OK;
}

static double largest_coordinate(const hk_mesh *mesh)
{
  double most = 0;
  for (hk_count i = 0; i < mesh->node_count * mesh->dim; i++) most = fmax(most, fabs(mesh->x[i]));
  return most;
}

hk_status hk_deck_make_transforms(deck_maker *m)
{
  deck *d = m->d;
  if (!d->acts.transform.count) return HK_OK;
  if (!hk_deck_is_static(d))
    hk_inp_say(d->reader, HK_NOTE, d->acts.transform.at[0].on.place,
               "*TRANSFORM: motions and forces of explicit steps use these axes; initial "
               "conditions, traces and fields are along the global axes");
  HK_PASS(hk_pool_get(&m->pool, &m->axes_of, m->model->mesh->node_count));
  m->near_axis = 1e-9 * largest_coordinate(m->model->mesh);
  for (hk_count i = 0; i < d->acts.transform.count; i++)
    HK_PASS(turn_nodes(m, &d->acts.transform.at[i]));
  return HK_OK;
}

/* F = sum over local components of f[l] row[l]. */
hk_status hk_deck_turn_forces(const deck_maker *m, hk_load *load)
{
  double row[3][3];
  hk_count turned = 0;
  for (hk_count i = 0; m->axes_of && i < load->target.count; i++)
    turned += m->axes_of[load->target.item[i]] != 0;
  if (!turned) return HK_OK;
  HK_PASS(hk_deck_count(m->d, m->model->mesh, 6 * load->target.count, load->place));
  HK_PASS(hk_pool_get(&m->model->pool, &load->vectors, 3 * load->target.count));
  for (hk_count i = 0; i < load->target.count; i++) {
    if ((load->vector[0] != 0 || load->vector[1] != 0) &&
        hk_deck_on_axis(m, load->target.item[i])) {
      hk_deck_tell_axis(m, load->target.item[i], "*CLOAD", load->place);
      return HK_OK;
    }
    double *to = load->vectors + 3 * i;
    const bool local = hk_deck_node_axes(m, load->target.item[i], row);
    for (int c = 0; c < 3; c++) {
      to[c] = local ? 0 : load->vector[c];
      for (int l = 0; l < 3 && local; l++) to[c] += load->vector[l] * row[l][c];
    }
  }
  return HK_OK;
}
