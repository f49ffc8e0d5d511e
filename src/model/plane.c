/* Whether a 2D model would have to move, or carry heat, across its plane, which plane strain and plane conduction cannot compute. Regions with
 * one law are looked at once; where the law varies (cylindrical axes, formulas) each element is looked at in the middle of its nodes. The
 * constants that couple are found by physics/coupling.c and come back as words for a message. */
#include "model/model.h"

hk_status hk_plane_left(const hk_mesh *mesh, const hk_region *region, hk_count count,
                        const hk_index *element, bool heat, char **words)
{
  char constants[HK_COUPLING_TEXT] = "";
  bool left = false;
  *words = NULL;
  if (mesh->dim == 3) return HK_OK;
  for (hk_count i = 0; i < (region->varies ? count : 1) && !left; i++) {
    hk_region here = *region;
    double x[3];
    if (region->varies) {
      hk_mesh_middle(mesh, element[i], x);
      hk_region_at(region, x, &here);
    }
    left = hk_region_leaves_plane(&here, heat, constants);
  }
  if (!left) return HK_OK;
  return hk_format(
      words,
      heat ? "%s in the model's axes couple heat flow in the plane to flow across it, which 2D "
             "cannot compute: mesh it in 3D, one layer of elements, or remove these conductivities"
      : region->plane == HK_AXISYMMETRIC
          ? "%s in the model's axes couple motion in the plane to motion around the axis, which "
            "axisymmetry cannot compute: mesh it in 3D, or remove these constants"
          : "%s in the model's axes couple motion in the plane to motion along z, which plane "
            "strain cannot compute: mesh it in 3D, one layer of elements, or remove these "
            "constants",
      constants);
}

bool hk_model_is_antiplane(const hk_model *model)
{
  return model->region_count && model->mesh->dim == 2 && model->region[0].plane == HK_ANTIPLANE;
}

bool hk_model_is_spatial(const hk_model *model)
{
  return model->region_count && hk_region_is_spatial(&model->region[0], model->mesh->dim);
}

void hk_model_complete_spatial(hk_model *model)
{
  const bool steps = model->step_count && model->step[0].kind == HK_STEP_EXPLICIT;
  if (!steps || !hk_model_is_spatial(model) || !hk_mesh_quad_families(model->mesh)) return;
  for (int r = 0; r < model->region_count; r++) model->region[r].integration = HK_INTEGRATION_NODES;
}
