/* The position of the source of each shot for run.json: the mean of the points, nodes and face
 * nodes at which its loads and motions act. Loads on volumes have no position. Without shots the
 * first step with a position counts. Exports of traces read it as source coordinates. */
#include "element/element.h"
#include "run/march/march.h"
#include "base/json.h"

typedef struct centre { /* of points, each as heavy as the others */
  const hk_mesh *mesh;
  double sum[3];
  hk_count count;
} centre;

static void add_point(centre *to, const double *x)
{
  for (int d = 0; d < to->mesh->dim; d++) to->sum[d] += x[d];
  to->count++;
}

/* The nodes of a target, those of its faces where it has faces. */
static void add_target(centre *to, const hk_target *target)
{
  const hk_mesh *mesh = to->mesh;
  for (hk_count i = 0; i < target->count; i++) {
    const hk_index item = target->item[i];
    if (!target->face) {
      add_point(to, mesh->x + (hk_count)item * mesh->dim);
      continue;
    }
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, item)->shape);
    const hk_element_face *face = &element->face[target->face[i]];
    const hk_index *node = hk_mesh_nodes_of(mesh, item);
    for (int n = 0; n < face->nodes; n++)
      add_point(to, mesh->x + (hk_count)node[face->node[n]] * mesh->dim);
  }
}

/* Forces at nodes, points and on faces; those on volumes act nowhere in particular. */
static void add_load(centre *to, const hk_load *l)
{
  if (l->kind == HK_LOAD_POINT)
    add_point(to, l->at);
  else if (l->kind == HK_LOAD_FORCE || l->kind == HK_LOAD_PRESSURE || l->kind == HK_LOAD_TRACTION ||
           (l->kind == HK_LOAD_TOTAL && l->target.face))
    add_target(to, &l->target);
}

static void add_motion(centre *to, const hk_motion *m)
{
  if (m->value == 0 && !m->values) return;
  if (m->has_point)
    add_point(to, m->at);
  else
    add_target(to, &m->target);
}

/* Point [dim] in the middle of what acts; null where nothing has a place. */
static json_t *middle(const hk_mesh *mesh, const hk_shot *acts)
{
  centre c = {.mesh = mesh};
  for (int i = 0; i < acts->load_count; i++) add_load(&c, &acts->load[i]);
  for (int i = 0; i < acts->motion_count; i++) add_motion(&c, &acts->motion[i]);
  if (!c.count) return json_null();
  for (int d = 0; d < mesh->dim; d++) c.sum[d] /= (double)c.count;
  return hk_json_reals(mesh->dim, c.sum);
}

json_t *hk_march_sources(const hk_model *model)
{
  json_t *list = json_array();
  const hk_step *step = model->step;
  for (int k = 0; k < step->shot_count; k++)
    json_array_append_new(list, middle(model->mesh, &step->shot[k]));
  for (int i = 0; i < model->step_count && !json_array_size(list); i++) {
    const hk_shot acts = hk_step_acts(&model->step[i]);
    json_t *own = middle(model->mesh, &acts);
    if (json_is_null(own) && i + 1 < model->step_count)
      json_decref(own);
    else
      json_array_append_new(list, own);
  }
  return list;
}
