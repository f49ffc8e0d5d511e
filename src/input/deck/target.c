/* From names and labels in loads of a deck to nodes, elements and faces of the mesh, in the order that the load needs: of the mesh, as listed,
 * or sorted. Amplitudes become signals of the model. All loads and outputs together may name 256 times the nodes and elements of the mesh, so
 * that a damaged deck is refused. Lists with repeats and amplitudes that CalculiX reads otherwise are told. */
#include "element/element.h"
#include "input/deck/make.h"
#include <math.h>

enum set_order { AS_NUMBERED, AS_LISTED, AS_SORTED };

static hk_status find_nodes(deck *d, hk_pool *pool, const char *what, const deck_ref *on,
                            enum set_order order, hk_target *out)
{
  hk_status status = HK_OK;
  hk_index *listed = NULL;
  if (hk_inp_is_label(d->inp, on->name) &&
      !hk_inp_peek_set(d->inp, on->name, HK_NODE_SET, on->scope, 0)) {
    const hk_index node = hk_inp_find_node(d->inp, on->place, on->name);
    if (node < 0) return HK_OK;
    HK_TRY(hk_pool_get(pool, &out->item, 1));
    out->item[out->count++] = node;
    return HK_OK;
  }
  for (int k = 0; k < hk_inp_piece_count(d->inp, on->scope); k++) {
    const hk_set *set =
        hk_inp_find_set(d->inp, on->place, what, on->name, HK_NODE_SET, on->scope, k);
    if (!set) break;
    if (!set->count)
      hk_inp_say(d->reader, HK_WARNING, on->place, "%s: node set %s is empty", what, on->name);
    hk_count count = set->count;
    if (order != AS_NUMBERED)
      HK_TRY(hk_inp_members(d->inp, set, order == AS_SORTED, &count, &listed));
    const hk_index *item = order == AS_NUMBERED ? set->item : listed;
    HK_TRY(hk_pool_resize(pool, &out->item, out->count + count));
    for (hk_count i = 0; i < count; i++) out->item[out->count++] = item[i];
    hk_free(&listed);
  }
cleanup:
  hk_free(&listed);
  return status;
}

hk_status hk_deck_nodes(deck *d, hk_pool *pool, const char *what, const deck_ref *on,
                        hk_target *out)
{
  return find_nodes(d, pool, what, on, AS_NUMBERED, out);
}

hk_status hk_deck_listed_nodes(deck *d, hk_pool *pool, const char *what, const deck_ref *on,
                               bool sorted, hk_target *out)
{
  return find_nodes(d, pool, what, on, sorted ? AS_SORTED : AS_LISTED, out);
}

const char *hk_deck_keyword(deck_load_type type)
{
  static const char *const name[DECK_LOAD_TYPES] = {"*CLOAD", "*DLOAD", "*DSLOAD",
                                                    "*CFLUX", "*DFLUX", "*FILM"};
  return name[type];
}

hk_status hk_deck_find_elements(deck_maker *m, hk_pool *pool, const deck_load *from, hk_target *out)
{
  hk_inp *inp = m->d->inp;
  const hk_mesh *mesh = m->model->mesh;
  const hk_set *set = NULL;
  hk_index one = -1;
  hk_count count = mesh->element_count;
  if (from->on.name && hk_inp_is_label(inp, from->on.name)) {
    one = hk_inp_find_element(inp, from->on.place, from->on.name);
    count = one >= 0;
  } else if (from->on.name) {
    set = hk_inp_find_set(inp, from->on.place, hk_deck_keyword(from->type), from->on.name,
                          HK_ELEMENT_SET, from->on.scope, 0);
    count = set ? set->count : 0;
  }
  HK_PASS(hk_pool_get(pool, &out->item, count));
  if (from->face >= 0) HK_PASS(hk_pool_get(pool, &out->face, count));
  for (hk_count i = 0; i < count; i++) {
    const hk_index e = set ? set->item[i] : one >= 0 ? one : (hk_index)i;
    if (from->face >= hk_element_of(hk_mesh_block_of(mesh, e)->shape)->faces) {
      hk_inp_error(m->d->reader, from->on.place, "%s: element %lld has no face %d",
                   hk_deck_keyword(from->type), (long long)hk_mesh_element_label(mesh, e),
                   from->face + 1);
      break;
    }
    out->item[out->count] = e;
    if (out->face) out->face[out->count] = hk_inp_face(inp, e, (uint8_t)from->face);
    out->count++;
  }
  return HK_OK;
}

hk_status hk_deck_find_faces(deck_maker *m, hk_pool *pool, const deck_load *from, hk_target *out)
{
  const char *what = hk_deck_keyword(from->type);
  const hk_set *set = hk_inp_find_set(m->d->inp, from->on.place, what, from->on.name, HK_FACE_SET,
                                      from->on.scope, 0);
  if (!set) return HK_OK;
  if (!set->count)
    hk_inp_say(m->d->reader, HK_WARNING, from->on.place, "%s: surface %s is empty", what,
               from->on.name);
  return hk_target_of_set(pool, set, out);
}

hk_status hk_deck_count(deck *d, const hk_mesh *mesh, hk_count more, hk_place place)
{
  const hk_count most = 256 * (mesh->node_count + mesh->element_count) + 1000000;
  d->held += more;
  if (d->held <= most) return HK_OK;
  return hk_error_set(HK_BAD_INPUT,
                      "%s:%lld: loads and outputs of all steps name more than %lld nodes, elements "
                      "and faces",
                      place.file, (long long)place.line, (long long)most);
}

bool hk_deck_signal(deck_maker *m, const char *amplitude, hk_place place, int otherwise,
                    int *signal, bool *total, bool *absolute)
{
  *signal = otherwise, *total = false, *absolute = false;
  if (!amplitude) return true;
  const int number = hk_deck_find(m->d, place, amplitude, DECK_AMPLITUDE);
  if (number < 0) return false;
  *signal = number;
  *total = m->d->acts.amplitude.at[number].total_time,
  *absolute = m->d->acts.amplitude.at[number].absolute;
  return m->model->signal.at[number].count > 0;
}

double hk_deck_last_value(const deck_maker *m, int signal, int step)
{
  return signal < 0 ? 1
                    : hk_signal_value(&m->model->signal.at[signal], m->d->step.at[step].duration);
}

/* Gravity, rotation and films act once in CalculiX too. */
void hk_deck_warn_of_twice(const deck_maker *m, const deck_load *from)
{
  const hk_set_kind kind = from->surface                                          ? HK_FACE_SET
                           : from->type == DECK_CLOAD || from->type == DECK_CFLUX ? HK_NODE_SET
                                                                                  : HK_ELEMENT_SET;
  if (!from->on.name || from->kind == HK_LOAD_GRAVITY || from->kind == HK_LOAD_CENTRIFUGAL ||
      from->kind == HK_LOAD_FILM)
    return;
  const hk_set *set = hk_inp_peek_set(m->d->inp, from->on.name, kind, from->on.scope, 0);
  if (set) hk_inp_warn_of_twice(m->d->inp, from->on.place, hk_deck_keyword(from->type), set);
}

static double line_magnitude(const double v[3])
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void hk_deck_warn_of_amplitude(const deck_maker *m, const deck_use *use, int s)
{
  const hk_signal *signal = use->signal >= 0 ? &m->model->signal.at[use->signal] : NULL;
  if (!signal || !hk_deck_is_static(m->d) || signal->kind != HK_SIGNAL_TABLE) return;
  const double value = line_magnitude(use->value);
  if (use->absolute && !(fabs(value - 1) <= 1e-12))
    hk_inp_say(m->d->reader, HK_WARNING, use->place,
               "*AMPLITUDE, NAME=%s, VALUE=ABSOLUTE gives the magnitude, as in Abaqus; CalculiX "
               "ignores it and multiplies by the %g of this line",
               signal->name, value);
  if (!signal->smooth) return;
  hk_signal straight = *signal;
  straight.smooth = false;
  double end = 0;
  for (int t = 0; t < m->d->step.count; t++) {
    end = use->total ? end + m->d->step.at[t].duration : m->d->step.at[t].duration;
    if (t < s || (t > s && !use->total)) continue;
    const double smooth = hk_signal_value(signal, end), linear = hk_signal_value(&straight, end);
    if (fabs(smooth - linear) <= 1e-9 * fmax(fabs(smooth), fabs(linear))) continue;
    hk_inp_say(m->d->reader, HK_WARNING, use->place,
               "*AMPLITUDE, NAME=%s, DEFINITION=SMOOTH STEP is %g at the end of the step at line "
               "%lld, as in Abaqus; CalculiX interpolates linearly, %g",
               signal->name, smooth, (long long)m->d->step.at[t].place.line, linear);
    return;
  }
}
