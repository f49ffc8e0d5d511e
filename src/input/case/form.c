/* The form of K that a case names (solve.explicit.method, solve.static.form, solve.heat.form; docs/theory/stiffness.md) against the shapes and
 * the order of its elements, before the mesh is made. Also the options of static and heat steps (preconditioner, relaxation, sweeps, stop,
 * library, ordering) against the method that they belong to. */
#include "input/case/case.h"
#include "mesh/mesh.h"
#include "operator/operator.h"
#include "solver/linear/linear.h"
#include "solver/linear/words.h"

/* A form of K against the elements, which an open draft has only where `order` says which they will be. */
static hk_status try_form(const hk_case *c, const char *form)
{
  hk_status status = HK_OK;
  hk_mesh *raised = NULL;
  const hk_operator_kind *kind;
  const bool open = c->draft == HK_DRAFT_OPEN;
  if (open && !hk_case_raised(c)) return HK_OK;
  if (open) {
    HK_TRY(hk_mesh_copy(c->model->mesh, &raised));
    HK_TRY(hk_mesh_raise_to(raised, hk_case_order(c)));
  }
  const hk_mesh *mesh = raised ? raised : c->model->mesh;
  if (!c->still && hk_case_spatial(c))
    HK_TRY(hk_operator_check_spatial(form, mesh));
  else if (!c->still && hk_case_ring(c) && hk_mesh_quad_families(mesh))
    HK_TRY(hk_operator_choose_rings(form, hk_case_medium(c) == HK_FLUID, &kind));
  else
    HK_TRY(hk_operator_check(form, mesh, !c->still, c->heat));
cleanup:
  hk_mesh_destroy(&raised);
  return status;
}

static bool is_given(const hk_node *word)
{
  return word && !hk_is_auto(word->text);
}

static hk_status judge_form(hk_case *c, const hk_node *named)
{
  return named ? hk_case_forgive(c, named, try_form(c, named->text)) : HK_OK;
}

/* A method of static steps that is made for one form of K, where no form is named. */
static hk_status judge_method(hk_case *c, const hk_node *method)
{
  const char *own = is_given(method) ? hk_linear_own_form(method->text) : NULL;
  hk_status status = own ? try_form(c, own) : HK_OK;
  if (status == HK_BAD_INPUT) status = hk_linear_refuse_order(method->text);
  return hk_case_forgive(c, method, status);
}

/* The elements against explicit steps, which serve few shapes, then against the method. */
static hk_status judge_explicit(hk_case *c, const hk_node *map)
{
  const hk_count errors = c->tree.errors;
  if (c->draft != HK_DRAFT_OPEN)
    HK_PASS(hk_case_forgive(c, hk_case_value(c->tree.root, "mesh"),
                            hk_operator_check_explicit(c->model->mesh)));
  if (c->tree.errors == errors) return judge_form(c, hk_case_value(map, "method"));
  return HK_OK;
}

hk_status hk_case_judge_form(hk_case *c, const hk_node *solve)
{
  const hk_node *still = hk_case_value(solve, hk_case_still_key(c)),
                *form = hk_case_value(still, "form");
  if (!c->still) return judge_explicit(c, hk_case_value(solve, "explicit"));
  return is_given(form) ? judge_form(c, form) : judge_method(c, hk_case_value(still, "method"));
}

void hk_case_check_options(hk_case *c, const hk_node *map)
{
  static const struct {
    const char *key, *why;
    unsigned option;
  } known[] = {
      {"preconditioner", "has no preconditioner: give method: cg", HK_OPTION_PRECONDITIONER},
      {"relaxation", "has no relaxation: give method: femses", HK_OPTION_RELAXATION},
      {"sweeps", "has no sweeps: give method: femses", HK_OPTION_RELAXATION},
      {"library", "makes no factors: give method: cholesky or dense", HK_OPTION_LIBRARY},
      {"ordering", "has no ordering: give method: cholesky", HK_OPTION_ORDERING},
      {"options", "takes no options: give method: petsc", HK_OPTION_TEXT},
      {"iterations", "has no iterations: give method: cg", HK_OPTION_ITERATIONS}};
  const char *method = hk_case_text(map, "method", "auto");
  const unsigned options = hk_linear_options(method);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (is_given(hk_case_value(map, known[k].key)) && !(options & known[k].option))
      hk_case_error(c, hk_case_value(map, known[k].key), "method %s %s", method, known[k].why);
  const hk_node *text = hk_case_value(map, "options");
  if (text && hk_linear_check_options(text->text) != HK_OK)
    hk_case_error(c, text, "%s", hk_error());
  if (hk_stop_of(hk_case_text(map, "stop", "residual")) == HK_STOP_CHANGE &&
      !hk_linear_has_change(method, hk_case_text(map, "relaxation", "auto"),
                            hk_sweeps_of(hk_case_text(map, "sweeps", "auto")) == HK_SWEEPS_SINGLE))
    hk_case_error(c, hk_case_value(map, "stop"),
                  "change ends relaxation: jacobi or chebyshev of method: femses without sweeps: "
                  "single: give these, or stop: residual");
}
