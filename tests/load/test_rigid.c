/* Rigid-body motions that constraints leave free. */
#include "load/rigid.h"
#include "mesh/mesh.h"
#include "support/check.h"

/* Two boxes (rectangles) side by side without a common node; nodes of the second follow those of the first. */
static hk_mesh *two_boxes(int dim, hk_index *per_box)
{
  hk_mesh *m = NULL;
  const hk_mesh_grid grid = {.dim = dim,
                             .from = {100, 200, 300},
                             .to = {102, 201, 301},
                             .cells = {4, 2, 2},
                             .shape = dim == 2 ? HK_QUAD4 : HK_HEX8};
  ok(hk_mesh_create_grid(&grid, &m));
  const hk_count nodes = m->node_count, elements = m->block[0].count;
  const int each = m->block[0].nodes;
  ok(hk_resize(&m->x, 2 * nodes * dim));
  ok(hk_resize(&m->block[0].node, 2 * elements * each));
  for (hk_count i = 0; i < nodes * dim; i++)
    m->x[nodes * dim + i] = m->x[i] + (i % dim == 0 ? 10 : 0);
  for (hk_count i = 0; i < elements * each; i++)
    m->block[0].node[elements * each + i] = m->block[0].node[i] + (hk_index)nodes;
  m->node_count *= 2, m->element_count *= 2, m->block[0].count *= 2;
  *per_box = (hk_index)nodes;
  return m;
}

typedef struct problem {
  hk_mesh *mesh;
  hk_space *space;
  hk_constraint_rows rows;
  hk_index per_box;
  int dim;
} problem;

static problem begin(int dim)
{
  problem p = {.dim = dim};
  p.mesh = two_boxes(dim, &p.per_box);
  ok(hk_space_create(p.mesh, &(hk_space_desc){.patch = 64, .slice = 16}, &p.space));
  return p;
}

static void hold(problem *p, hk_index node, int component)
{
  const hk_index dof = p->space->node[node] * p->dim + component;
  ok(hk_constraint_rows_add(&p->rows, 1, &dof, &(double){1}, 0, NULL, 0));
}

/* a moves as b does */
static void tie(problem *p, hk_index a, hk_index b, int component)
{
  const hk_index dof[2] = {p->space->node[a] * p->dim + component,
                           p->space->node[b] * p->dim + component};
  ok(hk_constraint_rows_add(&p->rows, 2, dof, (double[]){1, -1}, 0, NULL, 0));
}

/* What is loose: *list is the caller's. */
static hk_count find(const problem *p, hk_loose **list)
{
  hk_constraints c = {0};
  hk_count parts, count;
  ok(hk_constraints_build(&p->rows, (hk_count)p->space->padded * p->dim, 0, NULL, &c, NULL));
  ok(hk_rigid_find(&(hk_rigid_desc){.space = p->space, .constraints = &c}, &parts, &count, list));
  assert_int_equal(parts, 2);
  hk_constraints_clear(&c);
  return count;
}

static void end(problem *p, hk_loose **list)
{
  hk_free(list);
  hk_constraint_rows_clear(&p->rows);
  hk_space_destroy(&p->space);
  hk_mesh_destroy(&p->mesh);
}

/* nothing held: 3 modes of each part in the plane, 6 in space */
static void free_bodies(void **state)
{
  (void)state;
  for (int dim = 2; dim < 4; dim++) {
    problem p = begin(dim);
    hk_loose *loose;
    assert_int_equal(find(&p, &loose), 2);
    for (int i = 0; i < 2; i++) assert_int_equal(loose[i].modes, dim == 2 ? 3 : 6);
    assert_int_equal(loose[1].free, dim == 2 ? 043 : 077);
    assert_int_equal(loose[1].element, p.mesh->element_count / 2);
    end(&p, &loose);
  }
}

/* a hinge along z holds all but the turn about it; one part held, the other not */
static void hinge(void **state)
{
  (void)state;
  problem p = begin(3);
  hk_loose *loose;
  for (hk_index n = 0; n < p.per_box; n++) {
    const double *x = p.mesh->x + 3 * (hk_count)n;
    if (x[0] == 100 && x[1] == 200)
      for (int c = 0; c < 3; c++) hold(&p, n, c);
    for (int c = 0; c < 3; c++) hold(&p, n + p.per_box, c);
  }
  assert_int_equal(find(&p, &loose), 1);
  assert_int_equal(loose[0].modes, 1);
  assert_int_equal(loose[0].element, 0);
  end(&p, &loose);
}

/* three points that determine the place hold it; on a line they leave one turn */
static void three_points(void **state)
{
  (void)state;
  problem p = begin(2);
  hk_loose *loose;
  hold(&p, 0, 0), hold(&p, 0, 1), hold(&p, 4, 1);
  for (int c = 0; c < 2; c++) hold(&p, p.per_box, c);
  hold(&p, p.per_box + 4, 0);
  assert_int_equal(find(&p, &loose), 1); /* the second: held twice along the line of both points */
  assert_int_equal(loose[0].modes, 1);
  assert_int_equal(loose[0].element, p.mesh->element_count / 2);
  end(&p, &loose);
}

/* modes do not depend on the unit of length: a hinge leaves one, three points of it hold, in micrometres and in light years */
static void units(void **state)
{
  (void)state;
  static const double scale[5] = {1e-9, 1e-4, 1, 1e4, 1e15};
  for (int k = 0; k < 5; k++) {
    problem p = begin(3);
    hk_loose *loose;
    for (hk_index n = 0; n < p.per_box; n++) {
      const double *x = p.mesh->x + 3 * (hk_count)n;
      for (int c = 0; c < 3; c++) {
        if (x[0] == 100 && x[1] == 200) hold(&p, n, c);
        hold(&p, n + p.per_box, c);
      }
    }
    for (hk_count i = 0; i < p.mesh->node_count * 3; i++) p.mesh->x[i] *= scale[k];
    assert_int_equal(find(&p, &loose), 1);
    assert_int_equal(loose[0].modes, 1);
    assert_int_equal(loose[0].free, 0);
    hk_free(&loose);
    hold(&p, p.per_box - 1, 0), hold(&p, p.per_box - 1, 1);
    assert_int_equal(find(&p, &loose), 0);
    end(&p, &loose);
  }
}

/* a part that equations link to a held one is held by as many as it needs */
static void linked_parts(void **state)
{
  (void)state;
  problem p = begin(3);
  hk_loose *loose;
  for (hk_index n = 0; n < p.per_box; n++)
    for (int c = 0; c < 3; c++) hold(&p, n, c);
  tie(&p, p.per_box, 0, 0), tie(&p, p.per_box, 0, 1), tie(&p, p.per_box, 0, 2);
  assert_int_equal(find(&p, &loose), 1);
  assert_int_equal(loose[0].modes, 3);
  assert_int_equal(loose[0].parts, 1); /* the other end is held, so that nothing links them */
  hk_free(&loose);
  for (int c = 0; c < 3; c++) tie(&p, p.per_box + 4, 4, c), tie(&p, p.per_box + 14, 14, c);
  assert_int_equal(find(&p, &loose), 0);
  end(&p, &loose);
}

/* two parts tied to each other and to nothing else have 6 modes together, not 12 */
static void tied_parts(void **state)
{
  (void)state;
  problem p = begin(3);
  hk_loose *loose;
  for (hk_index n = 0; n < p.per_box; n++)
    for (int c = 0; c < 3; c++) tie(&p, p.per_box + n, n, c);
  assert_int_equal(find(&p, &loose), 1);
  assert_int_equal(loose[0].parts, 2);
  assert_int_equal(loose[0].modes,
                   6); /* each turns about its own centre: as one body about x alone */
  assert_int_equal(loose[0].free, 017);
  end(&p, &loose);
}

/* springs in three directions at three corners join as ties do */
static void sprung_parts(void **state)
{
  (void)state;
  problem p = begin(3);
  hk_constraints c = {0};
  hk_spring spring[3];
  hk_loose *loose;
  hk_count parts, count;
  for (int s = 0; s < 3; s++) {
    const hk_index node = (hk_index[]){0, 4, 14}[s];
    spring[s] =
        (hk_spring){.node = {node, node + p.per_box}, .k = {{7, 2, 0}, {2, 5, 1}, {0, 1, 3}}};
  }
  ok(hk_constraints_build(&p.rows, (hk_count)p.space->padded * 3, 0, NULL, &c, NULL));
  ok(hk_rigid_find(
      &(hk_rigid_desc){.space = p.space, .constraints = &c, .spring = spring, .spring_count = 3},
      &parts, &count, &loose));
  assert_int_equal(count, 1);
  assert_int_equal(loose[0].parts, 2);
  assert_int_equal(loose[0].modes, 6);
  assert_int_equal(loose[0].free, 017);
  hk_constraints_clear(&c);
  end(&p, &loose);
}

/* two nodes at one place up to rounding, tied: the part turns as before */
static void seam(void **state)
{
  (void)state;
  problem p = begin(2);
  hk_loose *loose;
  for (int c = 0; c < 2; c++) {
    p.mesh->x[4 * 2 + c] = nextafter(p.mesh->x[c], 1000);
    tie(&p, 4, 0, c);
  }
  assert_int_equal(find(&p, &loose), 2);
  assert_int_equal(loose[0].modes, 3);
  assert_int_equal(loose[0].free, 043);
  end(&p, &loose);
}

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES, nothing leaks */
static void allocations(void **state)
{
  (void)state;
  problem p = begin(3);
  hk_constraints c = {0};
  tie(&p, p.per_box, 0, 0);
  ok(hk_constraints_build(&p.rows, (hk_count)p.space->padded * 3, 0, NULL, &c, NULL));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_loose *loose = NULL;
    hk_count parts, count;
    memory.status = hk_rigid_find(&(hk_rigid_desc){.space = p.space, .constraints = &c}, &parts,
                                  &count, &loose);
    if (memory.status == HK_OK) hk_free(&loose);
  }
  hk_constraints_clear(&c);
  end(&p, &(hk_loose *){NULL});
}

/* a part's temperature is held by a film on it, or by a reaction in it, and by that of no other part */
static void temperatures(void **state)
{
  (void)state;
  for (int dim = 2; dim < 4; dim++)
    for (int film = -1; film < 2; film++)
      for (int reaction = -1; reaction < 2; reaction++) {
        problem p = {.dim = dim};
        hk_constraints c = {0};
        hk_region region[2] = {{.thickness = 1}, {.thickness = 1, .material.reaction = 3}};
        hk_index *of = NULL;
        hk_loose *loose;
        hk_count parts, count;
        p.mesh = two_boxes(dim, &p.per_box);
        const hk_index half = (hk_index)p.mesh->element_count / 2;
        const hk_space_desc desc = {.patch = 64, .slice = 16, .components = 1};
        ok(hk_space_create(p.mesh, &desc, &p.space));
        ok(hk_get(&of, p.mesh->element_count));
        if (reaction >= 0) of[half - 1 + reaction * half] = 1;
        const hk_exchange exchange = {
            .element = half - 1 + film * half, .face = 1, .coefficient = 5};
        ok(hk_constraints_build(&p.rows, p.space->padded, 0, NULL, &c, NULL));
        ok(hk_rigid_find(&(hk_rigid_desc){.space = p.space,
                                          .constraints = &c,
                                          .exchange = &exchange,
                                          .exchange_count = film >= 0,
                                          .region = region,
                                          .element_region = of},
                         &parts, &count, &loose));
        assert_int_equal(parts, 2);
        hk_count free_parts = 0;
        for (int part = 0; part < 2; part++) {
          if (part == film || part == reaction) continue;
          assert_true(free_parts < count);
          assert_int_equal(loose[free_parts].modes, 1);
          assert_int_equal(loose[free_parts].parts, 1);
          assert_int_equal(loose[free_parts++].element, part * half);
        }
        assert_int_equal(count, free_parts);
        hk_constraints_clear(&c);
        hk_free(&of);
        end(&p, &loose);
      }
}

/* a reaction that is a formula holds the parts where it is not zero, and those alone */
static void reactions_by_formula(void **state)
{
  static const char *const text[4] = {"0", "max(0, 105 - x)", "max(0, x - 105)", "max(0, 201 - y)"};
  static const int loose_parts[4] = {2, 1, 1, 0}, first[4] = {0, 1, 0, 0};
  (void)state;
  for (int dim = 2; dim < 4; dim++)
    for (int k = 0; k < 4; k++) {
      problem p = {.dim = dim};
      hk_constraints c = {0};
      hk_region region = {.thickness = 1};
      hk_formula *formula = NULL;
      hk_index *of = NULL;
      hk_loose *loose;
      hk_count parts, count;
      p.mesh = two_boxes(dim, &p.per_box);
      ok(hk_formula_read(text[k], &formula));
      region.material.by[HK_BY_REACTION] = formula;
      const hk_space_desc desc = {.patch = 64, .slice = 16, .components = 1};
      ok(hk_space_create(p.mesh, &desc, &p.space));
      ok(hk_get(&of, p.mesh->element_count));
      ok(hk_constraints_build(&p.rows, p.space->padded, 0, NULL, &c, NULL));
      ok(hk_rigid_find(
          &(hk_rigid_desc){
              .space = p.space, .constraints = &c, .region = &region, .element_region = of},
          &parts, &count, &loose));
      assert_int_equal(count, loose_parts[k]);
      if (count) assert_int_equal(loose[0].element, first[k] * p.mesh->element_count / 2);
      hk_constraints_clear(&c);
      hk_free(&of);
      hk_formula_destroy(&formula);
      end(&p, &loose);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies),  cmocka_unit_test(hinge),
      cmocka_unit_test(three_points), cmocka_unit_test(units),
      cmocka_unit_test(linked_parts), cmocka_unit_test(tied_parts),
      cmocka_unit_test(seam),         cmocka_unit_test(allocations),
      cmocka_unit_test(temperatures), cmocka_unit_test(reactions_by_formula),
      cmocka_unit_test(sprung_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
