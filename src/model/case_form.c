/* The form of K that a case names, and explicit steps, against the shapes and order of its elements: before the mesh is made. */
#include "model/case.h"
#include "operator/operator.h"

/* The named form of K against the elements, which an open draft has only where `order` says which they will be. */
static hk_status judge_form(hk_case *c, const hk_node *named)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  hk_mesh *raised = NULL;
  const bool open = c->draft == HK_DRAFT_OPEN;
  if (!named || (open && !hk_case_raised(c))) return HK_OK;
  if (open) {
    HK_TRY(hk_mesh_copy(c->model->mesh, &raised));
    status = hk_mesh_raise_to(raised, hk_case_order(c));
  }
  if (status == HK_OK)
    status = hk_operator_choose(named->text, raised ? raised : c->model->mesh, NULL, &kind);
  status = hk_case_forgive(c, named, status);
cleanup:
  hk_mesh_destroy(&raised);
  return status;
}

/* The elements against explicit steps, which serve few shapes, then against the method. */
static hk_status judge_explicit(hk_case *c, const hk_node *map)
{
  hk_status status = HK_OK;
  const hk_count errors = c->tree.errors;
  if (c->draft != HK_DRAFT_OPEN)
    HK_TRY(hk_case_forgive(c, hk_case_value(c->tree.root, "mesh"),
                           hk_operator_check_explicit(c->model->mesh)));
  if (c->tree.errors == errors) status = judge_form(c, hk_case_value(map, "method"));
cleanup:
  return status;
}

hk_status hk_case_judge_form(hk_case *c, const hk_node *solve)
{
  const hk_node *still = hk_case_value(solve, c->heat ? "heat" : "static");
  return c->still ? judge_form(c, hk_case_value(still, "form"))
                  : judge_explicit(c, hk_case_value(solve, "explicit"));
}
