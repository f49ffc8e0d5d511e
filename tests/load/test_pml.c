/* Matched layers: the profile (S.13), which sides have it, where it ends, what is chosen and what is refused. */
#include "load/absorb/pml.h"
#include "support/check.h"

static const double low[3] = {5, -7, 11}, high[3] = {9, -4, 13};
static const char *const name[6] = {"left", "right", "bottom", "top", "front", "back"};

static hk_mesh *box(hk_shape shape)
{
  const int dim = shape == HK_TRI3 || shape == HK_QUAD4 ? 2 : 3;
  const hk_mesh_grid desc = {.dim = dim,
                             .from = {low[0], low[1], low[2]},
                             .to = {high[0], high[1], high[2]},
                             .cells = {16, 12, 8},
                             .shape = shape,
                             .shuffle = 9};
  hk_mesh *m = NULL;
  ok(hk_mesh_create_grid(&desc, &m));
  return m;
}

static hk_absorb_layer layer_of(const hk_mesh *m, int side, double thickness)
{
  const hk_set *s = hk_mesh_find_set(m, name[side], HK_FACE_SET);
  assert_non_null(s);
  return (hk_absorb_layer){
      .count = s->count, .item = s->item, .face = s->face, .thickness = thickness};
}

typedef struct profile {
  double *stretch;
  bool *held;
} profile;

static hk_status find(const hk_mesh *m, const hk_absorb_wave *wave, int count,
                      hk_absorb_layer *layer, hk_messages *list, profile *p)
{
  ok(hk_get(&p->stretch, m->node_count * m->dim));
  ok(hk_get(&p->held, m->node_count));
  return hk_pml_profile(m, wave, count, layer, list, p->stretch, p->held);
}

static void clear(profile *p)
{
  hk_free(&p->stretch);
  hk_free(&p->held);
}

/* d_c = d_max ((L - distance) / L)^3 from each side across c that has a layer, the larger of two; then d_c += P (the others' sum) */
static void profile_of_each_set_of_sides(void **state)
{
  (void)state;
  static const hk_shape shape[4] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  static const double thickness[6] = {1, 3.5, .5, 2.75, .75, 1.5};
  const hk_absorb_wave wave = {.speed = 3, .frequency = 40, .backward = .25};
  const double across = .02 + 1.2 * .25 / 1.25;
  for (int s = 0; s < 4; s++) {
    hk_mesh *m = box(shape[s]);
    const int dim = m->dim;
    for (int sides = 1; sides < 1 << (2 * dim); sides++) {
      hk_absorb_layer layer[6];
      int of[6], count = 0;
      profile p;
      for (int side = 0; side < 2 * dim; side++)
        if (sides >> side & 1)
          of[count] = side, layer[count++] = layer_of(m, side, thickness[side]);
      ok(find(m, &wave, count, layer, NULL, &p));
      for (int i = 0; i < count; i++)
        for (int side = 0; side < 6; side++) assert_int_equal(layer[i].side[side], side == of[i]);
      for (hk_count n = 0; n < m->node_count; n++) {
        const double *x = m->x + n * dim;
        double d[3] = {0}, sum = 0;
        bool held = false;
        for (int i = 0; i < count; i++) {
          const int c = of[i] / 2;
          const double away = fabs(x[c] - (of[i] % 2 ? high : low)[c]), depth = thickness[of[i]];
          const double part = fmax(0, (depth - away) / depth);
          d[c] = fmax(d[c], 2 * 3 / depth * log(400) * part * part * part);
          held = held || away < 1e-9;
        }
        assert_int_equal(p.held[n], held);
        for (int c = 0; c < dim; c++) sum += d[c];
        for (int c = 0; c < dim; c++)
          near(p.stretch[n * dim + c], d[c] + across * (sum - d[c]), 1e-10);
      }
      clear(&p);
    }
    hk_mesh_destroy(&m);
  }
}

/* outer: the ends of the mesh; inner: those of what the layers leave, the deeper of two on a side */
static void ends(void **state)
{
  (void)state;
  for (int dim = 2; dim < 4; dim++) {
    hk_mesh *m = box(dim == 2 ? HK_QUAD4 : HK_TET4);
    const hk_absorb_wave wave = {.speed = 3, .frequency = 40};
    double outer[2][3], inner[2][3];
    for (int side = 0; side < 2 * dim; side++) {
      hk_absorb_layer layer[2] = {layer_of(m, side, 1), layer_of(m, side, 1.25)};
      profile p;
      ok(find(m, &wave, 2, layer, NULL, &p));
      hk_pml_ends(m, 2, layer, outer, inner);
      for (int k = 0; k < 2 * dim; k++) {
        const double end = (k % 2 ? high : low)[k / 2];
        near(outer[k % 2][k / 2], end, 0);
        near(inner[k % 2][k / 2], k == side ? end + (k % 2 ? -1.25 : 1.25) : end, 1e-14);
      }
      clear(&p);
    }
    hk_mesh_destroy(&m);
  }
}

/* d_max = 2 min(c / L, 7 c_s / L, 4 f) ln 400; no cap of the frequency where none is known */
static void steepness(void **state)
{
  (void)state;
  const double two = 2 * log(400);
  near(hk_pml_most(&(hk_absorb_wave){.speed = 6, .frequency = 10, .ratio = 2}, 3) / two, 2, 1e-12);
  near(hk_pml_most(&(hk_absorb_wave){.speed = 6, .frequency = .25, .ratio = 2}, 3) / two, 1, 1e-12);
  near(hk_pml_most(&(hk_absorb_wave){.speed = 6, .frequency = 10, .ratio = 14}, 3) / two, 1, 1e-12);
  near(hk_pml_most(&(hk_absorb_wave){.speed = 6}, 3) / two, 2, 1e-12);
}

/* the table at its entries, logarithmic between them and beyond, and never more than all */
static void reflection(void **state)
{
  (void)state;
  static const double row[5][2] = {
      {0.25, 0.059}, {0.5, 0.0107}, {0.75, 0.0056}, {1, 0.0022}, {1.5, 0.0008}};
  for (int k = 0; k < 5; k++) near(hk_pml_reflection(row[k][0]), row[k][1], 1e-15);
  for (int k = 0; k < 4; k++)
    near(hk_pml_reflection((row[k][0] + row[k + 1][0]) / 2), sqrt(row[k][1] * row[k + 1][1]),
         1e-15);
  near(hk_pml_reflection(.125), .059 * sqrt(.059 / .0107), 1e-12);
  near(hk_pml_reflection(1e-9), .059 * .059 / .0107, 1e-7);
  near(hk_pml_reflection(40), .0008, 1e-15);
}

/* L when not given: a wavelength, at most a quarter of the smallest extent; thin ones are warned of at their line */
static void chosen(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4); /* 4 x 3 */
  static const double frequency[3] = {20, 1, 0}, expected[3] = {.5, .75, .75};
  for (int i = 0; i < 3; i++) {
    const hk_absorb_wave wave = {.speed = 10, .frequency = frequency[i]};
    hk_absorb_layer layer = layer_of(m, 3, 0);
    profile p;
    ok(find(m, &wave, 1, &layer, NULL, &p));
    near(layer.thickness, expected[i], 1e-12);
    clear(&p);
  }
  static const double given[2] = {.5, .51};
  for (int i = 0; i < 2; i++) {
    const hk_absorb_wave wave = {.speed = 1.01, .frequency = 1};
    hk_absorb_layer layer = layer_of(m, 0, given[i]);
    profile p;
    hk_messages *list = NULL;
    layer.file = "case.yaml", layer.line = 12;
    ok(hk_messages_create(&list));
    ok(find(m, &wave, 1, &layer, list, &p));
    assert_int_equal(hk_messages_total(list, HK_WARNING), i == 0);
    if (!i) {
      assert_int_equal(hk_messages_at(list, 0)->line, 12);
      assert_non_null(strstr(hk_messages_at(list, 0)->text, "make it 1.01 thick"));
    }
    hk_messages_destroy(&list);
    clear(&p);
  }
  hk_mesh_destroy(&m);
}

static void refuse(const hk_mesh *m, hk_absorb_layer *layer, const char *words)
{
  const hk_absorb_wave wave = {.speed = 3, .frequency = 40};
  profile p;
  assert_int_equal(find(m, &wave, 1, layer, NULL, &p), HK_BAD_INPUT);
  if (!strstr(hk_error(), words)) print_message("%s\n", hk_error());
  error_says(words);
  clear(&p);
}

/* one element of order 5 or more in nearly incompressible solids is refused; two elements, lower orders and other solids are not */
static void single_elements(void **state)
{
  (void)state;
  static const struct {
    int order;
    double ratio, thickness;
    hk_status expected;
  } cases[] = {{6, 8, .25, HK_BAD_INPUT}, {5, 6, .25, HK_BAD_INPUT}, {6, 8, .2, HK_BAD_INPUT},
               {6, 8, .3, HK_OK},         {6, 8, .5, HK_OK},         {4, 20, .25, HK_OK},
               {6, 5.5, .25, HK_OK},      {8, 0, .25, HK_OK}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hk_mesh *m = box(HK_QUAD4);
    ok(hk_mesh_raise_to(m, cases[k].order));
    const hk_absorb_wave wave = {.speed = 3, .frequency = 40, .ratio = cases[k].ratio};
    for (int side = 0; side < 4; side++) {
      hk_absorb_layer layer = layer_of(m, side, cases[k].thickness);
      profile p;
      const hk_status status = find(m, &wave, 1, &layer, NULL, &p);
      if (status != cases[k].expected) fail_msg("case %zu, side %d: %d", k, side, (int)status);
      if (status != HK_OK) error_says("make it two elements thick");
      clear(&p);
    }
    hk_mesh_destroy(&m);
  }
}

/* as thick as the mesh; within the first elements; half of a side; a face inside the mesh */
static void refused(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4);
  hk_absorb_layer layer = layer_of(m, 2, 3);
  refuse(m, &layer, "fills the mesh");
  layer = layer_of(m, 2, .25);
  refuse(m, &layer, "contains only the nodes of its faces");
  layer = layer_of(m, 1, 1), layer.count /= 2;
  refuse(m, &layer, "name all faces");
  const hk_set *left = hk_mesh_find_set(m, "left", HK_FACE_SET);
  const uint8_t other = (uint8_t)((left->face[0] + 2) % 4);
  layer = (hk_absorb_layer){.count = 1, .item = left->item, .face = &other, .thickness = 1};
  refuse(m, &layer, "is not on a side of the box");
  hk_mesh_destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profile_of_each_set_of_sides),
      cmocka_unit_test(ends),
      cmocka_unit_test(steepness),
      cmocka_unit_test(reflection),
      cmocka_unit_test(chosen),
      cmocka_unit_test(single_elements),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
