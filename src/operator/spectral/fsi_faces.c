/* Lists of operator/spectral/fsi.k.h from the pairs of fsi.h: fluid nodes that follow each other, each with its solid nodes and area normals,
 * and the slots that their forces go to, behind those of the elements. */
#include "operator/spectral/fsi_faces.h"
#include "operator/staged.h"

hk_index hk_spectral_fsi_node(const hk_operator_desc *desc, const hk_index *fluid, hk_index fluids,
                              hk_count p)
{
  return p < fluids ? fluid[p] : desc->space->node[desc->fsi[p - fluids].solid];
}

static void write_lists(const hk_operator_desc *desc, hk_index *begin, hk_index *fluid,
                        hk_index *solid)
{
  const hk_space *space = desc->space;
  hk_index fluids = 0;
  for (hk_count j = 0; j < desc->fsi_count; j++) {
    if (j == 0 || desc->fsi[j].fluid != desc->fsi[j - 1].fluid)
      begin[fluids] = (hk_index)j, fluid[fluids++] = space->node[desc->fsi[j].fluid];
    solid[j] = space->node[desc->fsi[j].solid];
  }
  begin[fluids] = (hk_index)desc->fsi_count;
}

static void write_normals(const hk_operator_desc *desc, void *normal)
{
  const int dim = desc->space->dim;
  for (hk_count i = 0; i < desc->fsi_count * dim; i++) {
    const double value = desc->fsi[i / dim].normal[i % dim];
    if (desc->double_precision)
      ((double *)normal)[i] = value;
    else
      ((float *)normal)[i] = (float)value;
  }
}

hk_status hk_spectral_fsi_pack(const hk_operator_desc *desc, hk_buffer **buffer, hk_index **fluid,
                               hk_spectral_fsi *fsi)
{
  enum { LISTS = 2, HEAD = 2 };
  hk_status status = HK_OK;
  hk_staged list[LISTS] = {{0}};
  const hk_count count = desc->fsi_count, real = desc->double_precision ? 8 : 4;
  hk_index checked, *out = NULL;
  if (!count) return HK_OK;
  HK_TRY(hk_narrow(count, "interface nodes", &checked));
  fsi->fluids = 0;
  for (hk_count j = 0; j < count; j++)
    fsi->fluids += j == 0 || desc->fsi[j].fluid != desc->fsi[j - 1].fluid;
  const hk_count bytes[LISTS] = {(HEAD + 2LL * fsi->fluids + 1 + count) * 4,
                                 count * desc->space->dim * real};
  for (int k = 0; k < LISTS; k++)
    HK_TRY(hk_staged_open(desc->device, bytes[k], &buffer[HK_SPECTRAL_FSI_LIST + k], &list[k]));
  hk_index *head = list[0].place, *begin = head + HEAD, *node = begin + fsi->fluids + 1;
  head[0] = fsi->fluids, head[1] = fsi->first_slot;
  write_lists(desc, begin, node, node + fsi->fluids);
  write_normals(desc, list[1].place);
  HK_TRY(hk_get(&out, fsi->fluids));
  for (hk_index p = 0; p < fsi->fluids; p++) out[p] = node[p];
  for (int k = 0; k < LISTS; k++) HK_TRY(hk_staged_send(&list[k]));
  *fluid = out, out = NULL;
cleanup:
  hk_free(&out);
  for (int k = 0; k < LISTS; k++) hk_staged_close(&list[k]);
  return status;
}
