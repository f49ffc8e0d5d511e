/* Sends mesh and laws to the device for assembly: node[elements][stride] in the space's numbers, coordinates in double, one table of slopes and
 * weights per integrand (shape and rule), laws of regions, the kind of each element; matrices that only the host integrates (modes, hourglass,
 * laws that vary, springs) are made here and sent as `given`. */
#include "operator/assembly/parts.h"
#include "operator/element/element_of.h"
#include "operator/staged.h"

enum { MOST_DOFS = 3 * HK_LISTED_NODES };

/* *out: number of the integrand of that shape and quadrature, a new one if need be. */
static hk_status find_integrand(hk_assembly *a, const hk_element *element,
                                hk_integration integration, int *out)
{
  const hk_rule *rule = hk_element_rule(element, integration);
  int k = 0;
  while (k < a->integrands && (a->integrand[k].element != element || a->integrand[k].rule != rule))
    k++;
  if (k == a->integrands) {
    HK_PASS(hk_pool_room(&a->pool, &a->integrand, k + 1));
    a->integrand[k] = (hk_integrand){.element = element, .rule = rule};
    a->integrands++;
  }
  *out = k;
  return HK_OK;
}

static bool conducts(const hk_assembly *a)
{
  return !hk_space_solid(a->desc.on.space);
}

/* Rows of its tables, and their place behind the laws, *at reals from the first. */
static void put_tables(const hk_region *region, double *laws, double *law, hk_count *at)
{
  for (int k = 0; k < HK_TABLES; k++) {
    const hk_table *table = region->material.at[k];
    law[12 + 2 * k] = table ? table->rows : 0, law[13 + 2 * k] = (double)*at;
    for (int r = 0; table && r < table->rows; r++) {
      laws[(*at)++] = table->row[r][0];
      laws[(*at)++] = table->row[r][1];
    }
  }
}

static void put_law(const hk_assembly *a, const hk_region *region, double *law)
{
  double lambda = 0, mu = 0;
  const int dim = a->desc.on.space->dim;
  if (conducts(a)) {
    const double thickness = dim == 2 ? region->thickness : 1;
    law[0] = region->material.reaction * thickness, law[1] = region->material.lumped * thickness;
    law[2] = region->material.stored * thickness;
    hk_region_conductivity(region, dim, law + 3);
    return;
  }
  law[0] = hk_region_lame(region, dim, &lambda, &mu);
  if (dim == 2) lambda *= region->thickness, mu *= region->thickness;
  law[1] = lambda, law[2] = mu;
  hk_region_stiffness(region, dim, law + 3);
}

static hk_count law_reals(const hk_assembly *a)
{
  return (hk_count)a->sent.laws * HK_LAW + 2 * (hk_count)a->sent.rows;
}

static void put_chord(const hk_warmth *warm, double *law)
{
  law[16] = warm->before ? 1 / warm->theta : 1, law[17] = warm->slope;
}

/* T and T0 of the nodes; T twice in steady state, and of places without a node what they have. */
static hk_status send_warmth(const hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_warmth *warm = a->desc.on.warm;
  const hk_count rows = a->desc.on.space->padded;
  double *t = NULL;
  HK_TRY(hk_get(&t, 2 * rows));
  for (hk_count i = 0; i < rows; i++) {
    t[2 * i] = warm->t[i];
    t[2 * i + 1] = warm->before ? warm->before[i] : warm->t[i];
  }
  HK_TRY(hk_buffer_write_reals(a->sent.t, a->desc.on.double_precision, 0, 2 * rows, t));
cleanup:
  hk_free(&t);
  return status;
}

hk_status hk_assembly_send_laws(hk_assembly *a)
{
  hk_status status = HK_OK;
  double *law = NULL;
  hk_count at = (hk_count)a->sent.laws * HK_LAW;
  HK_TRY(hk_get(&law, law_reals(a)));
  for (int r = 0; r < a->sent.laws; r++) {
    put_law(a, &a->desc.on.region[r], law + (hk_count)r * HK_LAW);
    if (a->sent.t) put_chord(a->desc.on.warm, law + (hk_count)r * HK_LAW);
    if (a->sent.t) put_tables(&a->desc.on.region[r], law, law + (hk_count)r * HK_LAW, &at);
  }
  HK_TRY(hk_buffer_write_reals(a->sent.law, a->desc.on.double_precision, 0, law_reals(a), law));
  if (a->sent.t) HK_TRY(send_warmth(a));
cleanup:
  hk_free(&law);
  return status;
}

/* Temperatures, and rows of tables, where laws depend on them. */
static hk_status find_tables(hk_assembly *a)
{
  bool depends = false;
  for (int r = 0; r < a->sent.laws && conducts(a) && a->desc.on.warm; r++) {
    const hk_material *m = &a->desc.on.region[r].material;
    for (int k = 0; k < HK_TABLES; k++) depends = depends || m->at[k];
    for (int k = 0; k < HK_TABLES; k++) a->sent.rows += m->at[k] ? m->at[k]->rows : 0;
  }
  if (!depends) return HK_OK;
  return hk_buffer_get(&a->pool, a->desc.on.device,
                       2 * (hk_count)a->desc.on.space->padded * hk_assembly_real(a), &a->sent.t);
}

static hk_status find_laws(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = a->desc.on.space->mesh;
  hk_staged law_of = {0};
  HK_TRY(hk_staged_keep(&a->pool, a->desc.on.device, mesh->element_count * 4, &a->sent.law_of,
                        &law_of));
  int most = -1, least = 0;
#pragma omp parallel for schedule(static) reduction(max : most) reduction(min : least)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int r = a->desc.on.element_region[e];
    most = r > most ? r : most, least = r < least ? r : least;
    ((int32_t *)law_of.place)[e] = r;
  }
  for (hk_count e = 0; least < 0 && e < mesh->element_count; e++)
    HK_CHECK(a->desc.on.element_region[e] >= 0, HK_BAD_INPUT,
             "element %lld has no section: give it a material",
             (long long)hk_mesh_element_label(mesh, e));
  a->sent.laws = most + 1;
  HK_TRY(hk_staged_send(&law_of));
  HK_TRY(find_tables(a));
  HK_TRY(
      hk_buffer_get(&a->pool, a->desc.on.device, law_reals(a) * hk_assembly_real(a), &a->sent.law));
  HK_TRY(hk_assembly_send_laws(a));
cleanup:
  hk_staged_close(&law_of);
  return status;
}

/* kind[e] of the elements of a block, for each region that has some of them; a->size, and whether their laws react. */
static hk_status find_kinds_of(hk_assembly *a, const hk_block *block, int32_t *kind)
{
  hk_status status = HK_OK;
  const hk_element *element = hk_element_of(block->shape);
  const int size = element->nodes * a->desc.on.space->components;
  const hk_index *of = a->desc.on.element_region + block->first;
  hk_pool pool = {0};
  uint8_t *used;
  int *own;
  HK_TRY(hk_pool_get(&pool, &used, a->sent.laws));
  HK_TRY(hk_pool_get(&pool, &own, a->sent.laws));
  for (hk_count e = 0; e < block->count; e++) used[of[e]] = 1;
  for (int r = 0; r < a->sent.laws; r++) {
    const hk_region *region = &a->desc.on.region[r];
    if (!used[r]) continue;
    HK_TRY(find_integrand(
        a, element, conducts(a) ? hk_conduction_integration(element, region) : region->integration,
        &own[r]));
    a->integrand[own[r]].reacts =
        a->integrand[own[r]].reacts || (conducts(a) && hk_material_reacts(&region->material));
    if (size * size > a->size) a->size = size * size;
  }
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < block->count; e++) kind[e] = own[of[e]];
cleanup:
  hk_pool_clear(&pool);
  return status;
}

bool hk_assembly_mixes(const hk_mesh *mesh)
{
  bool family = false, several = false;
  for (int b = 0; b < mesh->block_count; b++) {
    family = family || !hk_shape_listed(mesh->block[b].shape);
    several = several || mesh->block[b].nodes != mesh->block[0].nodes;
  }
  return family && several;
}

int hk_assembly_given_size(const hk_assembly *a, const hk_block *block)
{
  const int size = block->nodes * a->desc.on.space->components;
  return a->sent.unit == a->size ? a->size : size * size;
}

static int greatest_divisor(int a, int b)
{
  while (b) {
    const int rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* given_of = 0 of the elements that the host integrates (hk_operator_plain), else -1; the unit of their places. */
static void mark_given(hk_assembly *a, int32_t *given_of)
{
  const hk_mesh *mesh = a->desc.on.space->mesh;
  int unit = 0;
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < mesh->element_count; e++)
    given_of[e] = hk_operator_plain(&a->desc.on, e) ? -1 : 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const int size = mesh->block[b].nodes * a->desc.on.space->components;
    unit = greatest_divisor(size * size, unit);
  }
  a->sent.unit = hk_assembly_mixes(mesh) ? unit : a->size;
}

/* The next place of `size` reals behind `at` that is a multiple of it. */
static hk_count next_place(hk_count at, int size)
{
  return (at + size - 1) / size * size;
}

/* Places of given matrices, those of a block one behind the other, in units: given_of of all elements, then of springs. */
static hk_status place_given(hk_assembly *a, int32_t *given_of)
{
  const hk_mesh *mesh = a->desc.on.space->mesh;
  const int unit = a->sent.unit, width = 2 * a->desc.on.space->components,
            spring = unit == a->size ? unit : (int)next_place((hk_count)width * width, unit);
  hk_count at = 0;
  int b = 0;
  HK_PASS(hk_pool_get(&a->pool, &a->sent.given_first, 2 * mesh->block_count + 2));
  a->sent.given_count = a->sent.given_first + mesh->block_count + 2;
  for (; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int size = hk_assembly_given_size(a, block);
    a->sent.given_first[b] = at = next_place(at, size);
    for (hk_count e = block->first; e < block->first + block->count; e++) {
      if (given_of[e] < 0) continue;
      HK_PASS(hk_narrow(at / unit, "places of element matrices", &given_of[e]));
      a->sent.given_count[b]++, at += size;
    }
  }
  a->sent.given_first[b++] = at = next_place(at, unit);
  for (hk_count e = mesh->element_count; e < hk_assembly_elements(a); e++, at += spring)
    HK_PASS(hk_narrow(at / unit, "places of element matrices", &given_of[e]));
  a->sent.given_first[b] = at;
  return HK_OK;
}

static hk_status find_kinds(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = a->desc.on.space->mesh;
  const hk_count all = hk_assembly_elements(a);
  hk_staged kind = {0}, given_of = {0};
  HK_TRY(hk_staged_keep(&a->pool, a->desc.on.device, all * 4, &a->sent.kind, &kind));
  HK_TRY(hk_staged_keep(&a->pool, a->desc.on.device, all * 4, &a->sent.given_of, &given_of));
  for (int b = 0; b < mesh->block_count; b++)
    HK_TRY(find_kinds_of(a, &mesh->block[b], (int32_t *)kind.place + mesh->block[b].first));
  mark_given(a, given_of.place);
  HK_TRY(place_given(a, given_of.place));
  for (hk_count e = mesh->element_count; e < all; e++) ((int32_t *)kind.place)[e] = a->integrands;
  if (all > mesh->element_count) { /* springs: without an element */
    HK_TRY(hk_pool_room(&a->pool, &a->integrand, a->integrands + 1));
    a->integrand[a->integrands++] = (hk_integrand){0};
  }
  HK_TRY(hk_staged_send(&kind));
  HK_TRY(hk_staged_send(&given_of));
cleanup:
  hk_staged_close(&kind);
  hk_staged_close(&given_of);
  return status;
}

/* The next elements from *e on, before `end`, that the host integrates: at most `most`; their number. */
static int find_given(const hk_assembly *a, hk_count *e, hk_count end, int most, hk_index *list)
{
  int count = 0;
  for (; *e < end && count < most; ++*e)
    if (!hk_operator_plain(&a->desc.on, *e)) list[count++] = (hk_index)*e;
  return count;
}

/* The springs, behind the elements: k, -k; -k, k. */
static hk_status send_springs(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_operator_desc *on = &a->desc.on;
  const int dim = on->space->components, width = 2 * dim;
  hk_count springs;
  const hk_spring *spring = hk_springs_in(on, &springs);
  const hk_count *first = a->sent.given_first + on->space->mesh->block_count;
  double *k = NULL;
  if (!springs) return HK_OK;
  const hk_count size = (first[1] - first[0]) / springs;
  HK_TRY(hk_get(&k, size));
  for (hk_count s = 0; s < springs; s++) {
    for (int i = 0; i < width * width; i++) {
      const int c = i / width, d = i % width;
      k[i] = (c / dim == d / dim ? 1 : -1) * spring[s].k[c % dim][d % dim];
    }
    HK_TRY(
        hk_buffer_write_reals(a->sent.given, on->double_precision, first[0] + s * size, size, k));
  }
cleanup:
  hk_free(&k);
  return status;
}

/* By the host, those of a block. */
static hk_status send_block(hk_assembly *a, int b)
{
  enum { MOST = 64, ROOM = 1 << 23 }; /* elements, and reals, at a time */
  hk_status status = HK_OK;
  hk_failure failure = {0};
  const hk_block *block = &a->desc.on.space->mesh->block[b];
  const hk_count size = hk_assembly_given_size(a, block), end = block->first + block->count;
  double *k = NULL;
  hk_index list[MOST];
  hk_count at = a->sent.given_first[b], e = block->first;
  const int few = size < ROOM / MOST ? MOST : size < ROOM / 2 ? (int)(ROOM / size) : 2;
  for (int count; (count = find_given(a, &e, end, few, list)) > 0; at += count * size) {
    if (!k) HK_TRY(hk_get(&k, few * size));
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
      hk_failure_keep(&failure, hk_operator_element(&a->desc.on, list[i], k + i * size));
    HK_TRY(hk_failure_tell(&failure));
    HK_TRY(hk_buffer_write_reals(a->sent.given, a->desc.on.double_precision, at, count * size, k));
  }
cleanup:
  hk_free(&k);
  return status;
}

hk_status hk_assembly_send_given(hk_assembly *a)
{
  if (!hk_buffer_bytes(a->sent.given)) return HK_OK;
  HK_PASS(send_springs(a));
  for (int b = 0; b < a->desc.on.space->mesh->block_count; b++) {
    bool done = false;
    if (a->family[b]) HK_PASS(hk_assembly_family_fill(a, a->family[b], &done));
    if (!done && a->sent.given_count[b]) HK_PASS(send_block(a, b));
  }
  return HK_OK;
}

hk_status hk_assembly_scale(hk_assembly *a, const double *scale)
{
  hk_status status = HK_OK;
  const hk_count elements = a->desc.on.space->mesh->element_count, all = hk_assembly_elements(a);
  double *factor = NULL;
  HK_TRY(hk_get(&factor, all));
  for (hk_count e = 0; e < all; e++) factor[e] = scale && e < elements ? scale[e] : 1;
  HK_TRY(hk_buffer_write_reals(a->sent.scale, a->desc.on.double_precision, 0, all, factor));
cleanup:
  hk_free(&factor);
  return status;
}

static hk_status send_scale(hk_assembly *a)
{
  if (!a->desc.scaled) return HK_OK;
  HK_PASS(hk_buffer_get(&a->pool, a->desc.on.device, hk_assembly_elements(a) * hk_assembly_real(a),
                        &a->sent.scale));
  return hk_assembly_scale(a, NULL);
}

/* Slopes and weights of each integrand; about. */
static hk_status send_integrand(hk_assembly *a, hk_integrand *own)
{
  hk_device *device = a->desc.on.device;
  const bool real = a->desc.on.double_precision;
  const int dofs = own->element->nodes * own->element->dim, points = own->rule->points;
  double dn[MOST_DOFS], slope[MOST_DOFS * HK_LISTED_POINTS], value[HK_LISTED_NODES],
      shape[HK_LISTED_NODES * HK_LISTED_POINTS];
  for (int q = 0; q < points; q++) {
    hk_element_functions(own->element, own->rule->point[q], value, dn);
    for (int n = 0; n < dofs; n++) slope[n * points + q] = dn[n];
    for (int n = 0; n < own->element->nodes; n++) shape[n * points + q] = value[n];
  }
  HK_PASS(hk_buffer_send_reals(&a->pool, device, real, (hk_count)own->element->nodes * points,
                               shape, &own->shape));
  HK_PASS(
      hk_buffer_send_reals(&a->pool, device, real, (hk_count)dofs * points, slope, &own->slope));
  return hk_buffer_send_reals(&a->pool, device, real, points, own->rule->weight, &own->weight);
}

static hk_status send_integrands(hk_assembly *a, int stride)
{
  int32_t about[HK_ABOUT] = {stride, (int32_t)a->size, a->sent.unit};
  for (int k = 0; k < a->integrands; k++) {
    hk_integrand *own = &a->integrand[k];
    if (own->element && hk_shape_listed(own->element->shape)) HK_PASS(send_integrand(a, own));
    int32_t *to = about + HK_ABOUT_HEAD + HK_ABOUT_EACH * k;
    to[0] = own->element ? own->element->nodes : 2;
    to[1] = own->rule ? own->rule->points : 0;
    to[2] = own->reacts;
  }
  return hk_buffer_send(&a->pool, a->desc.on.device, sizeof about, about, &a->sent.about);
}

static hk_status send_coordinates(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_space *space = a->desc.on.space;
  hk_staged x = {0};
  HK_TRY(hk_staged_keep(&a->pool, a->desc.on.device, (hk_count)space->padded * space->dim * 8,
                        &a->sent.x, &x));
  hk_space_to_internal(space, space->dim, space->mesh->x, x.place);
  HK_TRY(hk_staged_send(&x));
cleanup:
  hk_staged_close(&x);
  return status;
}

/* node[elements][stride] in the space's numbering. */
static hk_status find_nodes(const hk_assembly *a, hk_index **node, int *stride)
{
  const hk_space *space = a->desc.on.space;
  const hk_mesh *mesh = space->mesh;
  *stride = 2;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > *stride) *stride = mesh->block[b].nodes;
  HK_PASS(hk_get(node, hk_assembly_elements(a) * *stride));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < *stride; n++)
        (*node)[(block->first + e) * *stride + n] =
            n < block->nodes ? space->node[block->node[e * block->nodes + n]] : -1;
  }
  hk_count springs;
  const hk_spring *spring = hk_springs_in(&a->desc.on, &springs);
  for (hk_count s = 0; s < springs; s++)
    for (int n = 0; n < *stride; n++)
      (*node)[(mesh->element_count + s) * *stride + n] =
          n < 2 ? space->node[spring[s].node[n]] : -1;
  return HK_OK;
}

hk_status hk_assembly_send(hk_assembly *a, hk_index **node, int *stride)
{
  const int blocks = a->desc.on.space->mesh->block_count;
  HK_PASS(find_nodes(a, node, stride));
  HK_PASS(find_laws(a));
  HK_PASS(find_kinds(a));
  HK_PASS(hk_buffer_get(&a->pool, a->desc.on.device,
                        a->sent.given_first[blocks + 1] * hk_assembly_real(a), &a->sent.given));
  HK_PASS(hk_pool_get(&a->pool, &a->family, blocks));
  for (int b = 0; b < blocks; b++) HK_PASS(hk_assembly_family_create(a, b, &a->family[b]));
  HK_PASS(send_integrands(a, *stride));
  HK_PASS(send_coordinates(a));
  HK_PASS(send_scale(a));
  return hk_buffer_get(&a->pool, a->desc.on.device, 4, &a->sent.folded);
}
