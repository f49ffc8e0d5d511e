/* Where a fluid meets a solid inside a perfectly matched layer: pairs of their nodes are marked, get places among the layer's nodes, and their
 * lists are packed. In the layer the area vector of a face is stretched, which multiplies the rates of (S.8) by s / s_c = s_m s_n: the lists hold
 * the area normals a and r_0, r_1, r_2 of (S.14). Nodes of outer faces are held, and their normals are zero. */
#include "operator/spectral/pml/pml_fsi.h"

static hk_index place_of(const hk_operator_desc *desc, const hk_index *place, hk_index node)
{
  return place[desc->space->node[node]];
}

/* End of the pairs that have the fluid node of pair j. */
static hk_count end_of(const hk_fsi *fsi, hk_count count, hk_count j)
{
  const hk_index fluid = fsi[j].fluid;
  while (j < count && fsi[j].fluid == fluid) j++;
  return j;
}

void hk_pml_fsi_mark(const hk_operator_desc *desc, hk_index *place, hk_pml_lists *l)
{
  hk_count count;
  const hk_fsi *fsi = hk_terms_find(&desc->terms, &hk_fsi_kind, &count);
  for (hk_count j = 0, end; j < count; j = end) {
    bool in = place_of(desc, place, fsi[j].fluid) >= 0;
    end = end_of(fsi, count, j);
    for (hk_count k = j; k < end; k++) in = in || place_of(desc, place, fsi[k].solid) >= 0;
    if (!in) continue;
    place[desc->space->node[fsi[j].fluid]] = 0;
    for (hk_count k = j; k < end; k++) place[desc->space->node[fsi[k].solid]] = 0;
    l->fsi_fluids++, l->fsi_entries += (hk_index)(end - j);
  }
}

hk_status hk_pml_fsi_places(const hk_operator_desc *desc, const hk_index *place,
                            const hk_pml_lists *l, hk_index **out)
{
  hk_index fluids = 0, entries = 0;
  hk_count count;
  const hk_fsi *fsi = hk_terms_find(&desc->terms, &hk_fsi_kind, &count);
  HK_PASS(hk_get(out, (hk_count)l->fsi_fluids + l->fsi_entries));
  for (hk_count j = 0; j < count; j++) {
    const hk_index at = place_of(desc, place, fsi[j].fluid);
    if (at < 0) continue;
    if (j == 0 || fsi[j].fluid != fsi[j - 1].fluid) (*out)[fluids++] = at;
    (*out)[l->fsi_fluids + entries++] = place_of(desc, place, fsi[j].solid);
  }
  return HK_OK;
}

/* Nodes of the outer faces are held: nothing acts between those. */
static void write_pairs(const hk_operator_desc *desc, const hk_index *place, const hk_pml_lists *l,
                        hk_index *begin, double *normal)
{
  const int dim = desc->space->dim;
  hk_count count;
  const hk_fsi *fsi = hk_terms_find(&desc->terms, &hk_fsi_kind, &count);
  hk_index fluids = 0, entries = 0;
  for (hk_count j = 0; j < count; j++) {
    const hk_index at = place_of(desc, place, fsi[j].fluid);
    if (at < 0) continue;
    if (j == 0 || fsi[j].fluid != fsi[j - 1].fluid) begin[fluids++] = entries;
    for (int c = 0; c < dim && !l->held[at]; c++)
      normal[(hk_count)entries * dim + c] = fsi[j].normal[c];
    entries++;
  }
  begin[fluids] = entries;
}

/* r_0, r_1, r_2 of the directions other than c, m and n: s_m s_n i w = i w + r_0 + r_1 / (alpha + i w) + r_2 / (alpha + i w)^2 (S.14) */
static void write_rates(int dim, double alpha, const double d[3], double *rate)
{
  for (int c = 0; c < dim; c++) {
    const double m = d[(c + 1) % 3], n = d[(c + 2) % 3];
    rate[c * 3] = m + n;
    rate[c * 3 + 1] = m * n - alpha * (m + n);
    rate[c * 3 + 2] = -alpha * m * n;
  }
}

static hk_status send_reals(const hk_operator_desc *desc, hk_count count, const double *value,
                            hk_buffer **to)
{
  const bool real = desc->double_precision;
  HK_PASS(hk_buffer_create(desc->device, count * (real ? 8 : 4), to));
  return hk_buffer_write_reals(*to, real, 0, count, value);
}

hk_status hk_pml_fsi_send(const hk_operator_desc *desc, const hk_pml *pml, const hk_index *place,
                          hk_pml_lists *l)
{
  hk_status status = HK_OK;
  const int dim = desc->space->dim;
  const hk_count entries = l->fsi_entries, fluids = l->fsi_fluids;
  hk_index *node = NULL, *begin = NULL;
  double *normal = NULL, *rate = NULL;
  if (!fluids) return HK_OK;
  HK_TRY(hk_pml_fsi_places(desc, place, l, &node));
  HK_TRY(hk_get(&begin, fluids + 1));
  HK_TRY(hk_get(&normal, entries * dim));
  HK_TRY(hk_get(&rate, fluids * dim * 3));
  write_pairs(desc, place, l, begin, normal);
  for (hk_count p = 0; p < fluids; p++) {
    double d[3];
    hk_pml_stretch_at(pml, dim, desc->space->mesh_node[l->node[node[p]]], d);
    write_rates(dim, pml->alpha, d, rate + p * dim * 3);
  }
  HK_TRY(hk_pml_put(l, HK_PML_FSI_BEGIN, fluids + 1, begin));
  HK_TRY(hk_pml_put(l, HK_PML_FSI_FLUID, fluids, node));
  HK_TRY(hk_pml_put(l, HK_PML_FSI_SOLID, entries, node + fluids));
  HK_TRY(send_reals(desc, entries * dim, normal, &l->buffer[HK_PML_FSI_NORMAL]));
  HK_TRY(send_reals(desc, fluids * dim * 3, rate, &l->buffer[HK_PML_FSI_RATES]));
cleanup:
  hk_free(&node);
  hk_free(&begin);
  hk_free(&normal);
  hk_free(&rate);
  return status;
}
