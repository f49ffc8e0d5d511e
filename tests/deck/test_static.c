/* Static decks: what they say is what the model holds. */
#define DECK "static_test.inp"
#include "reading.h"

#define STEEL "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n"
#define BASE SQUARE STEEL SECTION
#define STEP "*STEP\n*STATIC\n"
#define END "*END STEP\n"

/* a static step: no density is needed; its duration is 1 unless given; SOLVER= names the method */
static void static_step(void **state)
{
  (void)state;
  reading r = read_good(BASE STEP END "*STEP\n*STATIC,SOLVER=ITERATIVE SCALING\n.1,3.\n" END);
  const hk_model *m = r.model;
  assert_int_equal(m->step_count, 2);
  assert_int_equal(m->step[0].kind, HK_STEP_STATIC);
  assert_true(m->step[0].duration == 1 && m->step[1].duration == 3);
  assert_string_equal(m->solve.how.method, "cg");
  assert_string_equal(m->solve.how.preconditioner, "jacobi");
  end_reading(&r);
}

/* u_1x - 2 u_3y = 0 over two lines, and one equation per node of sets */
static void equations(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=A\n1,2\n*NSET,NSET=B\n3,4\n"
                             "*EQUATION\n2\n1,1,1.\n3,2,-2.\n2\nA,2,1.,B,2,-1.\n" STEP END);
  const hk_equation *e = r.model->equation.at;
  assert_int_equal(r.model->equation.count, 3);
  assert_int_equal(e[0].terms, 2);
  assert_int_equal(e[0].node[1], 2);
  assert_int_equal(e[0].component[1], 1);
  assert_true(e[0].coefficient[0] == 1 && e[0].coefficient[1] == -2 && e[0].value == 0);
  for (int k = 1; k < 3; k++) {
    assert_int_equal(e[k].node[0], k - 1);
    assert_int_equal(e[k].node[1], k + 1);
  }
  end_reading(&r);
}

/* terms of one degree of freedom are added, those out of the plane left out, 0 = 0 passed over */
static void equations_are_tidied(void **state)
{
  (void)state;
  reading r = read_good(BASE "*EQUATION\n3\n1,1,1.,2,3,5.,1,1,2.\n1\n2,3,1.\n" STEP END);
  assert_int_equal(r.model->equation.count, 1);
  assert_int_equal(r.model->equation.at[0].terms, 1);
  assert_true(r.model->equation.at[0].coefficient[0] == 3);
  assert_true(told(&r, HK_WARNING, 15, "0 = 0"));
  end_reading(&r);
}

/* axis z through the origin: at node 3, (2, 2, 0), radial (1, 1, 0) and tangential (-1, 1, 0) over
 * sqrt(2) */
static void cylindrical_nodes(void **state)
{
  (void)state;
  reading r =
      read_good(CUBE STEEL SECTION "*NSET,NSET=N\n3\n*TRANSFORM,NSET=N,TYPE=C\n0,0,-1,0,0,4\n"
                                   "*EQUATION\n2\n3,2,1.,1,1,1.\n" STEP
                                   "*BOUNDARY\n3,1,1,5.\n2,1,1,5.\n*CLOAD\n3,2,8.\n2,2,8.\n" END);
  const hk_step *s = r.model->step;
  const double h = sqrt(.5);
  assert_int_equal(s->motion_count, 2);
  const hk_motion *local = s->motion[0].component < 0 ? &s->motion[0] : &s->motion[1];
  const hk_motion *global = s->motion[0].component < 0 ? &s->motion[1] : &s->motion[0];
  assert_int_equal(local->component, -1);
  assert_int_equal(local->target.item[0], 2);
  near(local->directions[0], h, 1e-14), near(local->directions[1], h, 1e-14),
      near(local->directions[2], 0, 1e-14);
  assert_int_equal(global->target.item[0], 1);
  assert_null(global->directions);
  assert_int_equal(s->load_count, 1);
  const hk_load *l = &s->load[0];
  assert_int_equal(l->target.count, 2);
  const double expected[6] = {-8 * h, 8 * h, 0, 0, 8, 0};
  for (int i = 0; i < 6; i++) near(l->vectors[i], expected[i], 1e-14);
  const hk_equation *e = r.model->equation.at;
  assert_int_equal(e->terms, 3);
  near(e->coefficient[0], -h, 1e-14), near(e->coefficient[1], h, 1e-14),
      near(e->coefficient[2], 1, 1e-14);
  end_reading(&r);
}

/* AXIS: nodes 3 and 7 lie on the axis of their cylinder */
#define AXIS CUBE STEEL SECTION "*NSET,NSET=N\n3,7\n*TRANSFORM,NSET=N,TYPE=C\n2,2,-1,2,2,4\n"

/* what needs no radial direction is taken: held as a whole or along the axis, forces and prints along it */
static void nodes_on_their_axis(void **state)
{
  (void)state;
  reading r = read_good(AXIS "*EQUATION\n2\n3,3,1.,1,1,1.\n" STEP
                             "*BOUNDARY\n7,1,3\n*CLOAD\n7,3,8.\n*NODE PRINT,NSET=N\nU\n" END);
  assert_int_equal(r.model->step->motion_count, 3);
  assert_true(told(&r, HK_WARNING, 0, "node 3 lies on the axis"));
  end_reading(&r);
  r = read_good(AXIS STEP "*BOUNDARY\nN,3,3,2.\n" END);
  assert_int_equal(r.model->step->motion_count, 1);
  end_reading(&r);
  r = read_good(CUBE
                "*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n" SECTION
                "*NSET,NSET=N\n3,7\n*TRANSFORM,NSET=N,TYPE=C\n2,2,-1,2,2,4\n*STEP\n"
                "*HEAT TRANSFER,STEADY STATE\n*BOUNDARY\nN,11,11,2.\n*NODE PRINT,NSET=N\nNT\n" END);
  assert_false(told(&r, HK_WARNING, 0, "lies on the axis")); /* temperatures have no direction */
  end_reading(&r);
}

/* transient steps: backward Euler of the increment; what has no amplitude acts from the beginning, or with AMPLITUDE=RAMP grows */
static void transient_heat(void **state)
{
  (void)state;
  reading r = read_good(
      CUBE
      "*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n*DENSITY\n3.\n*SPECIFIC HEAT\n.5,10.\n1.5,30.\n" SECTION
      "*INITIAL CONDITIONS,TYPE=TEMPERATURE\n7,20.\n*STEP,AMPLITUDE=RAMP,INC=200\n"
      "*HEAT TRANSFER,DIRECT\n.25,40.\n*CFLUX\n3,11,2.\n"
      "*NODE PRINT,FREQUENCY=8\nNT\n*NODE FILE,FREQUENCY=16\nNT\n" END
      "*STEP\n*HEAT TRANSFER,STEADY STATE\n" END);
  const hk_step *step = r.model->step;
  assert_true(step[0].theta == 1 && step[0].dt == .25 && step[0].duration == 40);
  assert_true(step[1].theta == 0 && !step[0].lumped);
  assert_true(r.model->region[0].material.specific_heat == .5);
  const hk_material *m = &r.model->region[0].material;
  assert_null(m->at[HK_AT_CONDUCTIVITY]);
  assert_int_equal(m->at[HK_AT_SPECIFIC_HEAT]->rows, 2);
  assert_true(hk_table_at(m->at[HK_AT_SPECIFIC_HEAT], 0) == 1);
  assert_true(fabs(hk_table_at(m->at[HK_AT_SPECIFIC_HEAT], 25) - 2.5) <= 1e-15);
  assert_true(hk_table_at(m->at[HK_AT_SPECIFIC_HEAT], 90) == 3);
  assert_int_equal(r.model->initial.count, 1);
  assert_true(r.model->initial.at[0].value == 20 && r.model->initial.at[0].component == 0);
  assert_int_equal(step[0].print[0].every, 8);
  assert_true(step[0].field.interval == 4 && step[0].field.frames == 0);
  assert_int_equal(r.model->signal.at[step[0].load[0].signal].kind, HK_SIGNAL_RAMP);
  assert_int_equal(step[1].load[0].signal, -1);
  assert_true(hk_model_marches(r.model));
  end_reading(&r);
}

/* *LATENT HEAT: the heat of each change of phase between its temperatures, over what the specific heat gives */
static void latent_heat(void **state)
{
#define MELTS                                                                                      \
  CUBE "*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n*DENSITY\n3.\n*SPECIFIC HEAT\n.5,10.\n1.5,30.\n"
#define MARCH "*STEP\n*HEAT TRANSFER,DIRECT\n.25,10.\n" END
  (void)state;
  reading r = read_good(MELTS "*LATENT HEAT\n7.,15.,17.\n2.,40.,50.\n" SECTION MARCH);
  const hk_material *m = &r.model->region[0].material;
  const hk_table *c = m->at[HK_AT_SPECIFIC_HEAT];
  near(m->specific_heat * hk_table_mean(c, 0, 60) * 60, 0.5 * 10 + 1 * 20 + 1.5 * 30 + 7 + 2,
       1e-12);
  near(m->specific_heat * hk_table_at(c, 16), 0.8 + 3.5, 1e-14);
  end_reading(&r);
  refused(MELTS "*LATENT HEAT\n7.,15.,15.\n" SECTION MARCH, 0, "the liquidus above it");
  refused(MELTS "*LATENT HEAT\n7.,15.\n" SECTION MARCH, 0, "the liquidus above it");
  refused(MELTS "*LATENT HEAT\n-7.,15.,16.\n" SECTION MARCH, 0, "0 or above");
}

/* AMPLITUDE=RAMP: temperatures grow from those of the body, in the step that gives them alone; loads from values that are not known are refused */
static void ramps_of_transient_heat(void **state)
{
#define WARM CUBE "*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n*DENSITY\n3.\n*SPECIFIC HEAT\n.5\n" SECTION
#define GROWS "*STEP,AMPLITUDE=RAMP,INC=200\n*HEAT TRANSFER,DIRECT\n.25,40.\n"
  (void)state;
  reading r =
      read_good(WARM GROWS "*BOUNDARY\n3,11,11,2.\n" END GROWS "*BOUNDARY\n4,11,11,5.\n" END);
  const hk_step *step = r.model->step;
  assert_true(step[0].motion_count == 1 && step[0].motion[0].grows && step[0].motion[0].signal < 0);
  assert_int_equal(step[1].motion_count, 2);
  for (int i = 0; i < 2; i++)
    assert_true(step[1].motion[i].grows == (step[1].motion[i].value == 5));
  end_reading(&r);
  refused(WARM GROWS "*CFLUX\n3,11,2.\n" END GROWS "*CFLUX\n3,11,4.\n" END, 0,
          "grows from that of the step before");
  r = read_good(WARM GROWS "*FILM\n7,F1,20.,3.\n" END);
  assert_true(told(&r, HK_WARNING, 0, "the sink of this film grows from 0"));
  end_reading(&r);
}

/* a motion that acts in three steps is refused once, and once more by another call with the same list */
static void errors_of_motions_that_stay(void **state)
{
  (void)state;
  reading r = read_deck(AXIS STEP "*BOUNDARY\nN,1,1,2.\n" END STEP END STEP END);
  assert_int_equal(r.status, HK_BAD_INPUT);
  assert_true(told(&r, HK_ERROR, 23, "*BOUNDARY: node 3 lies on the axis"));
  assert_int_equal(hk_messages_total(r.list, HK_ERROR), 1);
  assert_int_equal(hk_model_read(DECK, NULL, 0, r.list, &r.model), HK_BAD_INPUT);
  assert_int_equal(hk_messages_total(r.list, HK_ERROR), 2);
  assert_int_equal(hk_messages_count(r.list), 2);
  assert_null(strstr(hk_error(), "more errors"));
  end_reading(&r);
}

/* a on the local x axis, b in the plane of local x and y: rows (0 1 0), (-1 0 0), (0 0 1) */
static void rectangular_nodes(void **state)
{
  (void)state;
  reading r = read_good(CUBE STEEL SECTION "*NSET,NSET=N\n3\n*TRANSFORM,NSET=N,TYPE=R\n"
                                           "0,3,0,-1,1,0\n" STEP "*CLOAD\n3,1,2.\n3,2,4.\n" END);
  const hk_load *l = r.model->step->load;
  assert_int_equal(r.model->step->load_count, 2);
  near(l[0].vectors[0], 0, 1e-14), near(l[0].vectors[1], 2, 1e-14), near(l[0].vectors[2], 0, 1e-14);
  near(l[1].vectors[0], -4, 1e-14), near(l[1].vectors[1], 0, 1e-14),
      near(l[1].vectors[2], 0, 1e-14);
  end_reading(&r);
}

/* CENTRIF: omega^2, a point of the axis and its direction as a unit vector */
static void centrifugal(void **state)
{
  (void)state;
  reading r = read_good(CUBE "*MATERIAL,NAME=M\n*DENSITY\n3.\n*ELASTIC\n4.,.25\n" SECTION STEP
                             "*DLOAD\nE,CENTRIF,9.,1.,2.,3.,0.,0.,2.\n" END);
  const hk_load *l = r.model->step->load;
  assert_int_equal(l->kind, HK_LOAD_CENTRIFUGAL);
  assert_true(l->omega2 == 9 && l->at[0] == 1 && l->at[2] == 3 && l->vector[2] == 1);
  assert_int_equal(l->target.count, 1);
  end_reading(&r);
}

/* elements of one section but of other types make regions of their own; M is plain */
static void integration(void **state)
{
  (void)state;
  reading r = read_good("*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n7,3,0\n8,3,1\n"
                        "*ELEMENT,TYPE=CPE4,ELSET=E\n1,1,2,3,4\n"
                        "*ELEMENT,TYPE=CPE4R,ELSET=E\n2,2,5,6,3\n"
                        "*ELEMENT,TYPE=CPS4I,ELSET=E\n3,5,7,8,6\n" STEEL SECTION STEP END);
  static const hk_integration is[] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED,
                                      HK_INTEGRATION_INCOMPATIBLE};
  assert_int_equal(r.model->region_count, 3);
  for (int e = 0; e < 3; e++) {
    const hk_region *region = &r.model->region[r.model->element_region[e]];
    assert_int_equal(region->integration, is[e]);
    assert_int_equal(region->plane, e == 2 ? HK_PLANE_STRESS : HK_PLANE_STRAIN);
  }
  end_reading(&r);
}

#define ORTHO                                                                                      \
  "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n10.,2.,2.,.1,.1,.1,1.,1.,\n1.\n"

/* cylindrical axes: the law at (0, 2, 0) is stiff along y, as at (2, 0, 0) along x */
static void cylindrical_material(void **state)
{
  (void)state;
  reading r = read_good(CUBE ORTHO "*ORIENTATION,NAME=O,SYSTEM=CYLINDRICAL\n0,0,0,0,0,1\n"
                                   "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n" STEP END);
  const hk_region *region = r.model->region;
  static const double x[2][3] = {{2, 0, 0}, {0, 2, 1}};
  hk_region here;
  assert_true(region->varies);
  const double stiff = region->material.c[0][0];
  for (int d = 0; d < 2; d++) {
    hk_region_at(region, x[d], &here);
    assert_false(here.varies);
    assert_true(fabs(here.material.c[d][d] - stiff) <= 1e-14 * stiff);
  }
  end_reading(&r);
}

/* a rectangular orientation is in the material's constants, turned about its local axis 3 by 90
 * degrees */
static void turned_material(void **state)
{
  (void)state;
  reading r = read_good(CUBE ORTHO "*ORIENTATION,NAME=O\n1,0,0,0,1,0\n3,90.\n"
                                   "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n" STEP END);
  const hk_region *region = r.model->region;
  assert_false(region->varies);
  assert_true(region->material.c[1][1] > 5 && region->material.c[0][0] < 5);
  end_reading(&r);
}

/* prints: those for nodes last until a later step makes others, and so do those for elements */
static void prints(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=N\n1,2\n" STEP
                             "*NODE PRINT,NSET=N,TOTALS=ONLY\nRF\n*EL PRINT,ELSET=E,GLOBAL=YES\n"
                             "S,E\n*NODE FILE\nU\n*EL FILE\nS\n" END STEP
                             "*NODE PRINT,NSET=N\nU\n*NODE PRINT,NSET=N,FREQUENCY=0\nRF\n" END);
  const hk_step *s = r.model->step;
  assert_int_equal(s[0].print_count, 2);
  assert_true(s[0].print[0].only_totals && s[0].print[0].local && !s[0].print[0].elements);
  assert_int_equal(s[0].print[0].target.count, 2);
  assert_string_equal(s[0].print[0].set, "N");
  assert_true(s[0].print[1].elements && !s[0].print[1].local);
  assert_int_equal(s[0].print[1].tables, 2);
  assert_int_equal(s[0].print[1].table[0], HK_STRESS);
  assert_int_equal(s[0].print[1].table[1], HK_STRAIN);
  assert_int_equal(s[0].field.quantities, 1u << HK_DISPLACEMENT | 1u << HK_STRESS);
  assert_int_equal(s[1].print_count, 2);
  assert_true(s[1].print[0].elements);
  assert_int_equal(s[1].print[1].tables, 1);
  assert_int_equal(s[1].print[1].table[0], HK_DISPLACEMENT);
  end_reading(&r);
}

/* prints of turned nodes hold their axes */
static void prints_in_local_axes(void **state)
{
  (void)state;
  reading r = read_good(CUBE STEEL SECTION "*NSET,NSET=N\n2,3\n*NSET,NSET=T\n3\n"
                                           "*TRANSFORM,NSET=T,TYPE=R\n0,3,0,-1,1,0\n" STEP
                                           "*NODE PRINT,NSET=N\nU\n*NODE PRINT,NSET=N,GLOBAL=YES\n"
                                           "U\n" END);
  const hk_print_request *p = r.model->step->print;
  static const double row[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0, -1, 0, 0, 0, 0, 1}};
  for (int i = 0; i < 18; i++) near(p[0].axes[i], row[i / 9][i % 9], 1e-14);
  assert_null(p[1].axes);
  end_reading(&r);
}

/* --set solve.static.KEY=VALUE of a deck; other words are refused before it is read */
static void settings(void **state)
{
  (void)state;
  static const char *const good[] = {"solve.static.method=cg", "solve.static.tolerance=1e-5",
                                     "solve.static.iterations=7", "solve.static.form=edges"};
  static const char *const wrong[] = {"solve.static.method=gc",      "solve.static.tolerance=2",
                                      "solve.static.iterations=1.5", "solve.static.metod=cg",
                                      "solve.static.form=",          "title=a"};
  reading r = read_good(BASE STEP END);
  hk_model *m = NULL;
  ok(hk_model_read(DECK, good, 4, NULL, &m));
  assert_string_equal(m->solve.how.method, "cg");
  assert_string_equal(m->solve.how.form, "edges");
  assert_true(m->solve.how.tolerance == 1e-5 && m->solve.how.iterations == 7);
  hk_model_destroy(&m);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(hk_model_read(DECK, &wrong[i], 1, NULL, &m), HK_USAGE);
  end_reading(&r);
}

/* A strip of 500 elements whose 1002 nodes all are loaded anew in each step: bytes that its model holds. */
static hk_count held_by_strip(int steps)
{
  enum { ELEMENTS = 500, ROOM = 100000 };
  char *text = NULL;
  int end = 0;
  ok(hk_get(&text, ROOM));
  end += snprintf(text, ROOM, "*NODE,NSET=ALL\n");
  for (int i = 0; i < 2 * (ELEMENTS + 1); i++)
    end += snprintf(text + end, (size_t)(ROOM - end), "%d,%d,%d\n", i + 1, i / 2, i % 2);
  end += snprintf(text + end, (size_t)(ROOM - end), "*ELEMENT,TYPE=CPE4,ELSET=E\n");
  for (int i = 0; i < ELEMENTS; i++)
    end += snprintf(text + end, (size_t)(ROOM - end), "%d,%d,%d,%d,%d\n", i + 1, 2 * i + 1,
                    2 * i + 3, 2 * i + 4, 2 * i + 2);
  end += snprintf(text + end, (size_t)(ROOM - end), STEEL SECTION);
  for (int s = 0; s < steps; s++)
    end += snprintf(text + end, (size_t)(ROOM - end), STEP "*CLOAD\nALL,1,%d.\n" END, s + 1);
  reading r = read_good(text);
  hk_free(&text);
  const hk_count held = hk_memory_held();
  assert_int_equal(r.model->step_count, steps);
  for (int s = 0; s < steps; s++) {
    assert_int_equal(r.model->step[s].load_count, 1);
    assert_int_equal(r.model->step[s].load->target.count, 2 * (ELEMENTS + 1));
    assert_true(r.model->step[s].load->vector[0] == s + 1);
  }
  end_reading(&r);
  return held;
}

/* a step holds what acts in it; loads that later lines took over leave nothing behind */
static void loads_taken_over_are_gone(void **state)
{
  (void)state;
  const hk_count first = held_by_strip(1), more = held_by_strip(30) - first;
  assert_true(more > 29 * 4008 && more < 29 * 2 * 4008);
}

/* OP=NEW removes, OP=MOD replaces what is given again; an amplitude holds its value at the end */
static void steps_follow_one_another(void **state)
{
  (void)state;
  reading r = read_good(BASE "*AMPLITUDE,NAME=A\n0.,0.,1.,.5\n*BOUNDARY\n1,1,2\n" STEP
                             "*CLOAD,AMPLITUDE=A\n2,1,8.\n3,1,1.\n" END STEP
                             "*CLOAD\n3,1,2.\n" END STEP "*CLOAD,OP=NEW\n4,2,7.\n" END);
  const hk_step *s = r.model->step;
  assert_true(s[0].load[0].signal == 0 && s[0].load[0].vector[0] == 8);
  assert_int_equal(s[1].load_count, 2);
  assert_true(s[1].load[0].signal == -1 && s[1].load[0].vector[0] == 4);
  assert_true(s[1].load[1].vector[0] == 2);
  assert_int_equal(s[2].load_count, 1);
  assert_true(s[2].load[0].vector[1] == 7);
  assert_int_equal(s[2].motion_count, 2);
  end_reading(&r);
}

/* FIXED: held where the first step has ended */
static void frozen_motion(void **state)
{
  (void)state;
  reading r = read_good(BASE STEP "*CLOAD\n2,1,8.\n" END STEP "*BOUNDARY,FIXED\n2,1,1\n" END);
  assert_int_equal(r.model->step[1].motion_count, 1);
  assert_true(r.model->step[1].motion[0].frozen);
  end_reading(&r);
}

/* what changes nothing is read, with a note */
static void notes(void **state)
{
  (void)state;
  reading r =
      read_good(SQUARE "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*EXPANSION\n1.\n"
                       "*DAMPING,BETA=.5\n" SECTION "*INITIAL CONDITIONS,TYPE=TEMPERATURE\n1,20.\n"
                       "*STEP,PERTURBATION\n*STATIC\n" END);
  assert_true(told(&r, HK_NOTE, 11, "EXPANSION changes nothing"));
  assert_true(told(&r, HK_NOTE, 16, "TYPE=TEMPERATURE changes nothing"));
  assert_true(told(&r, HK_NOTE, 17, "PERTURBATION"));
  end_reading(&r);
}

/* *NODE OUTPUT and *ELEMENT OUTPUT alone are *NODE FILE and *EL FILE; *OUTPUT, FREQUENCY=n alone
 * changes nothing in one increment and may stand anywhere in the step */
static void outputs_of_calculix(void **state)
{
  (void)state;
  static const char *const text[] = {
      BASE STEP "*NODE OUTPUT\nU\n*ELEMENT OUTPUT\nS\n" END,
      BASE STEP "*OUTPUT,FREQUENCY=1\n*NODE FILE\nU\n*EL FILE\nS\n" END,
      BASE STEP "*NODE FILE\nU\n*EL FILE\nS\n*OUTPUT,FREQUENCY=5\n" END,
      BASE STEP "*OUTPUT,FREQUENCY=1\n*NODE OUTPUT,GLOBAL=YES,OUTPUT=3D\nU\n*EL FILE\nS\n" END};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    reading r = read_good(text[i]);
    assert_int_equal(r.model->step[0].field.quantities, 1u << HK_DISPLACEMENT | 1u << HK_STRESS);
    assert_int_equal(hk_messages_total(r.list, HK_WARNING), 0);
    end_reading(&r);
  }
  refused(BASE STEP "*OUTPUT,VARIABLE=PRESELECT\n" END, 14, "FIELD or HISTORY is missing");
  refused(BASE "*STEP\n*NODE FILE\nU\n*STATIC\n" END, 13, "before the procedure");
}

/* GLOBAL=NO of a field: an error where axes are local, nothing where all are global */
static void local_fields(void **state)
{
  (void)state;
  reading r = read_good(BASE STEP "*NODE FILE,GLOBAL=NO\nU\n*EL FILE,GLOBAL=NO\nS\n" END);
  end_reading(&r);
  refused(BASE "*NSET,NSET=N\n1\n*TRANSFORM,NSET=N\n1,1,0,-1,1,0\n" STEP
               "*NODE FILE,GLOBAL=NO\nU\n" END,
          18, "*TRANSFORM at line 14");
  refused(SQUARE STEEL "*ORIENTATION,NAME=O\n1,1,0,-1,1,0\n"
                       "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n" STEP
                       "*EL FILE,GLOBAL=NO\nS\n" END,
          16, "ORIENTATION");
}

/* *DFLUX, S on a surface is the flux on its faces */
static void flux_on_surfaces(void **state)
{
  (void)state;
  reading r = read_good(CUBE "*MATERIAL,NAME=M\n*CONDUCTIVITY\n3.\n" SECTION
                             "*SURFACE,NAME=F\n7,S4\n*STEP\n*HEAT TRANSFER,STEADY STATE\n"
                             "*DFLUX\nF,S,5.\n" END);
  const hk_load *l = &r.model->step[0].load[0];
  assert_int_equal(l->kind, HK_LOAD_FLUX);
  assert_int_equal(l->target.count, 1);
  assert_int_equal(l->target.face[0], 3);
  assert_true(l->vector[0] == 5);
  end_reading(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(static_step),
      cmocka_unit_test(equations),
      cmocka_unit_test(equations_are_tidied),
      cmocka_unit_test(cylindrical_nodes),
      cmocka_unit_test(nodes_on_their_axis),
      cmocka_unit_test(errors_of_motions_that_stay),
      cmocka_unit_test(rectangular_nodes),
      cmocka_unit_test(centrifugal),
      cmocka_unit_test(integration),
      cmocka_unit_test(cylindrical_material),
      cmocka_unit_test(turned_material),
      cmocka_unit_test(prints),
      cmocka_unit_test(prints_in_local_axes),
      cmocka_unit_test(settings),
      cmocka_unit_test(steps_follow_one_another),
      cmocka_unit_test(loads_taken_over_are_gone),
      cmocka_unit_test(frozen_motion),
      cmocka_unit_test(notes),
      cmocka_unit_test(outputs_of_calculix),
      cmocka_unit_test(local_fields),
      cmocka_unit_test(flux_on_surfaces),
      cmocka_unit_test(transient_heat),
      cmocka_unit_test(latent_heat),
      cmocka_unit_test(ramps_of_transient_heat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
