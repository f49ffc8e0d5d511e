/* Terms of K in parts of a model. A spring goes to the parts that own one of its nodes, with the other one as a ghost. Between a fluid node and its solid
 * nodes all are solved together: the parts that own one of them have them all, compute all elements around them, and read the last
 * increments of those that are ghosts. */
#include "solver/team/division.h"
#include <string.h>

hk_status hk_division_check_terms(const hk_operator_terms *terms)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++) {
    const hk_operator_term *t = &terms->term[k];
    HK_NEED(!t->count || t->kind == &hk_springs_kind || t->kind == &hk_fsi_kind, HK_BAD_INPUT,
            "several devices cannot step a model with %s yet: give one device", t->kind->name);
  }
  return HK_OK;
}

static hk_status list_couples(const hk_operator_terms *terms, hk_pool *pool, hk_granules *g)
{
  hk_index(*couple)[2];
  hk_count count;
  const hk_spring *spring = hk_terms_find(terms, &hk_springs_kind, &count);
  HK_PASS(hk_pool_get(pool, &couple, count));
  for (hk_count k = 0; k < count; k++) memcpy(couple[k], spring[k].node, sizeof *couple);
  g->couples = count, g->couple = (const hk_index(*)[2])couple;
  return HK_OK;
}

/* End of the pairs that have the fluid node of pair j. */
static hk_count end_of(const hk_fsi *fsi, hk_count count, hk_count j)
{
  const hk_index fluid = fsi[j].fluid;
  while (j < count && fsi[j].fluid == fluid) j++;
  return j;
}

/* Each two of a fluid node and its solid nodes; joint NULL: their number alone. */
static hk_count find_joints(const hk_fsi *fsi, hk_count count, hk_index (*joint)[2])
{
  hk_count joints = 0;
  for (hk_count j = 0, end; j < count; j = end) {
    end = end_of(fsi, count, j);
    for (hk_count a = j; a < end; a++)
      for (hk_count b = j; b <= a; b++, joints++)
        if (joint) {
          joint[joints][0] = fsi[a].solid;
          joint[joints][1] = b == a ? fsi[j].fluid : fsi[b].solid;
        }
  }
  return joints;
}

static hk_status list_joints(const hk_operator_terms *terms, hk_pool *pool, hk_granules *g)
{
  hk_index(*joint)[2];
  hk_count count;
  const hk_fsi *fsi = hk_terms_find(terms, &hk_fsi_kind, &count);
  HK_PASS(hk_pool_get(pool, &joint, find_joints(fsi, count, NULL)));
  g->joints = find_joints(fsi, count, joint), g->joint = (const hk_index(*)[2])joint;
  return HK_OK;
}

hk_status hk_division_list_pairs(const hk_operator_terms *terms, hk_pool *pool, hk_granules *out)
{
  HK_PASS(list_couples(terms, pool, out));
  return list_joints(terms, pool, out);
}

static bool owns(const hk_division_part *p, hk_index node)
{
  const hk_index own = p->space->node[node];
  return own >= 0 && own < hk_space_rows(p->space);
}

static hk_status take_springs(const hk_operator_term *from, hk_division_part *p,
                              hk_operator_term *to)
{
  const hk_spring *spring = from->entry;
  hk_spring *kept;
  hk_count count = 0;
  HK_PASS(hk_pool_get(&p->pool, &kept, from->count));
  for (hk_count k = 0; k < from->count; k++)
    if (owns(p, spring[k].node[0]) || owns(p, spring[k].node[1])) kept[count++] = spring[k];
  to->entry = kept, to->count = count;
  return HK_OK;
}

static hk_status take_interface(const hk_operator_term *from, hk_division_part *p,
                                hk_operator_term *to)
{
  const hk_fsi *fsi = from->entry;
  hk_fsi *kept;
  hk_count count = 0;
  HK_PASS(hk_pool_get(&p->pool, &kept, from->count));
  for (hk_count j = 0, end; j < from->count; j = end) {
    bool some = owns(p, fsi[j].fluid), all = some;
    end = end_of(fsi, from->count, j);
    for (hk_count k = j; k < end; k++) {
      const bool own = owns(p, fsi[k].solid);
      some = some || own, all = all && own;
    }
    for (hk_count k = j; k < end && some; k++) kept[count++] = fsi[k];
    p->rates = p->rates || (some && !all);
  }
  to->entry = kept, to->count = count;
  return HK_OK;
}

hk_status hk_division_take_terms(const hk_operator_terms *terms, hk_division_part *part)
{
  part->terms = *terms;
  for (int k = 0; k < HK_OPERATOR_TERMS; k++) {
    const hk_operator_term *t = &terms->term[k];
    if (t->count && t->kind == &hk_springs_kind)
      HK_PASS(take_springs(t, part, &part->terms.term[k]));
    if (t->count && t->kind == &hk_fsi_kind) HK_PASS(take_interface(t, part, &part->terms.term[k]));
  }
  return HK_OK;
}
