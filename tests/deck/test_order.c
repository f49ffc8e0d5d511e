/* The order of sets in equations and prints, members that are listed again, and what is said where
 * Abaqus and CalculiX differ. */
#define DECK "order_test.inp"
#include "reading.h"

/* Labels descend along the lines of the nodes: node 0 is 8, node 7 is 1. */
#define NODES "*NODE\n8,0,0,0\n7,2,0,0\n6,2,2,0\n5,0,2,0\n4,0,0,2\n3,2,0,2\n2,2,2,2\n1,0,2,2\n"
#define BODY NODES "*ELEMENT,TYPE=C3D8,ELSET=E\n7,8,7,6,5,4,3,2,1\n"
#define STEEL "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*DENSITY\n2.\n"
#define BASE BODY STEEL SECTION
#define STEP "*STEP\n*STATIC\n"
#define END "*END STEP\n"

/* The deck's equations of two terms pair these labels, in any order of the equations. */
static void pairs(const char *sets, int count, const int pair[][2])
{
  char text[2000];
  snprintf(text, sizeof text, "%s%s*EQUATION\n2\nA,1,1.,B,1,-1.\n" STEP END, BASE, sets);
  reading r = read_good(text);
  assert_int_equal(r.model->equation.count, count);
  for (int i = 0; i < count; i++) {
    const hk_equation *e = &r.model->equation.at[i];
    assert_int_equal(e->terms, 2);
    for (int k = 0; k < 2; k++)
      assert_int_equal(hk_mesh_node_label(r.model->mesh, e->node[k]), pair[i][k]);
  }
  end_reading(&r);
}

/* sorted sets by ascending labels, whatever the lines of nodes and sets; UNSORTED ones as listed */
static void equations_pair_as_abaqus_does(void **state)
{
  (void)state;
  const int sorted[][2] = {{1, 5}, {2, 6}, {3, 7}};
  pairs("*NSET,NSET=A\n3,1,2\n*NSET,NSET=B\n7,6,5\n", 3, sorted);
  pairs("*NSET,NSET=A\n3,1,2,1\n*NSET,NSET=B,GENERATE\n5,7\n", 3, sorted);
  pairs("*NSET,NSET=C\n3\n*NSET,NSET=A\nC,1\n*NSET,NSET=A\n2\n*NSET,NSET=B\n6,7,5\n", 3, sorted);
  const int listed[][2] = {{3, 6}, {1, 7}, {2, 5}};
  pairs("*NSET,NSET=A,UNSORTED\n3,1,2\n*NSET,NSET=B,UNSORTED\n6,7,5\n", 3, listed);
  pairs("*NSET,NSET=C,UNSORTED\n3,1\n*NSET,NSET=A,UNSORTED\nC,2\n*NSET,NSET=B,UNSORTED\n6\n"
        "*NSET,NSET=B,UNSORTED\n7,5\n",
        3, listed);
  const int mixed[][2] = {{3, 5}, {1, 6}, {2, 7}};
  pairs("*NSET,NSET=A,UNSORTED\n3,1,2\n*NSET,NSET=B\n6,7,5\n", 3, mixed);
  const int inner[][2] = {{1, 5}, {3, 6}, {2, 7}}; /* a sorted set within is sorted */
  pairs("*NSET,NSET=C\n3,1\n*NSET,NSET=A,UNSORTED\nC,2\n*NSET,NSET=B\n6,7,5\n", 3, inner);
  const int ranges[][2] = {{5, 1}, {7, 4}, {2, 7}};
  pairs("*NSET,NSET=A,UNSORTED,GENERATE\n5,7,2\n*NSET,NSET=B,GENERATE\n1,1000000,3\n"
        "*NSET,NSET=B\n7\n*NSET,NSET=A,UNSORTED\n2\n",
        3, ranges);
}

/* one node beside sets goes with each; sets of different sizes are refused */
static void lengths_of_sets(void **state)
{
  (void)state;
  const int one[][2] = {{3, 8}, {1, 8}};
  pairs("*NSET,NSET=A,UNSORTED\n3,1\n*NSET,NSET=B\n8\n", 2, one);
  refused(BASE "*NSET,NSET=A\n1,2\n*NSET,NSET=B\n5,6,7\n*EQUATION\n2\nA,1,1.,B,1,-1.\n" STEP END, 0,
          "set B has 3 nodes, another one 2");
}

/* sets of a part in its instances: labels of each instance ascend, one instance after the other */
static void sets_of_instances(void **state)
{
  (void)state;
  reading r =
      read_good("*PART,NAME=P\n" BODY
                "*SOLID SECTION,ELSET=E,MATERIAL=M\n*NSET,NSET=N,UNSORTED\n2,1\n*END PART\n"
                "*ASSEMBLY,NAME=X\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n"
                "*INSTANCE,NAME=J,PART=P\n9,0,0\n*END INSTANCE\n"
                "*NSET,NSET=A,INSTANCE=I,UNSORTED\n3,1\n*NSET,NSET=B\nJ.N\n*END ASSEMBLY\n" STEEL
                "*EQUATION\n2\nA,1,1.,B,1,-1.\n*EQUATION\n2\nI.N,2,1.,J.N,2,-1.\n" STEP END);
  const int pair[4][2] = {{3, 9}, {1, 10}, {2, 10}, {1, 9}}; /* J's labels are 8 more */
  assert_int_equal(r.model->equation.count, 4);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++)
      assert_int_equal(hk_mesh_node_label(r.model->mesh, r.model->equation.at[i].node[k]),
                       pair[i][k]);
  end_reading(&r);
}

/* prints list as CalculiX does: in the order given and again where listed again */
static void prints_list_as_given(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=A\n3,1\n*NSET,NSET=B\n2,A,3\n*NSET,NSET=B\n1\n" STEP
                             "*NODE PRINT,NSET=B\nU\n" END);
  const int label[] = {2, 3, 1, 3, 1};
  const hk_print_request *p = &r.model->step[0].print[0];
  assert_int_equal(p->target.count, 5);
  for (int i = 0; i < 5; i++)
    assert_int_equal(hk_mesh_node_label(r.model->mesh, p->target.item[i]), label[i]);
  end_reading(&r);
}

/* Tables of nodes and elements in turn, as they stand in the deck; what holds on comes before what is new. */
static void prints_are_mixed(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=N\n1,2\n" STEP
                             "*NODE PRINT,NSET=N\nRF,U,RF\n*EL PRINT,ELSET=E\nME\nS,E\n"
                             "*NODE PRINT,NSET=N\nU1,U2\n" END STEP
                             "*NODE PRINT,NSET=N\nALL\n" END STEP "*EL PRINT,ELSET=E\nS\n" END);
  static const struct {
    int step, print;
    bool elements;
    int tables, table[3];
  } want[] = {{0, 0, false, 3, {HK_REACTION, HK_DISPLACEMENT, HK_REACTION}},
              {0, 1, true, 3, {HK_STRAIN | HK_MECHANICAL, HK_STRESS, HK_STRAIN}},
              {0, 2, false, 1, {HK_DISPLACEMENT}},
              {1, 0, true, 3, {HK_STRAIN | HK_MECHANICAL, HK_STRESS, HK_STRAIN}},
              {1, 1, false, 2, {HK_DISPLACEMENT, HK_REACTION}},
              {2, 0, false, 2, {HK_DISPLACEMENT, HK_REACTION}},
              {2, 1, true, 1, {HK_STRESS}}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const hk_print_request *p = &r.model->step[want[i].step].print[want[i].print];
    assert_int_equal(p->elements, want[i].elements);
    assert_int_equal(p->tables, want[i].tables);
    for (int k = 0; k < p->tables; k++) assert_int_equal(p->table[k], want[i].table[k]);
  }
  for (int s = 0; s < 3; s++) assert_int_equal(r.model->step[s].print_count, s == 0 ? 3 : 2);
  end_reading(&r);
}

typedef struct saying {
  const char *deck, *words; /* NULL: no warning */
} saying;

#define TWO_STEPS(first, second) BASE STEP first END STEP second END
#define TABLE "*AMPLITUDE,NAME=Q\n0.,0.,1.,.5\n"
#define RAMP "*AMPLITUDE,NAME=Q,DEFINITION=SMOOTH STEP\n0.,0.,1.,1.,2.,5.\n"

/* a warning exactly where Abaqus and CalculiX differ */
static void differences_are_told(void **state)
{
  (void)state;
  static const saying cases[] = {
      {BASE "*NSET,NSET=A\n3,1\n*NSET,NSET=B\nA,3\n" STEP "*CLOAD\nB,1,1.\n" END, "node 3 more"},
      {BASE "*NSET,NSET=A\n3,3\n*NSET,NSET=B\nA\n" STEP "*CLOAD\nB,1,1.\n" END, "node 3 more"},
      {BASE "*NSET,NSET=A\n3,1\n*NSET,NSET=B\nA,3\n" STEP "*BOUNDARY\nB,1\n" END, NULL},
      {BASE "*NSET,NSET=A\n3,1\n*NSET,NSET=B\nA,2\n" STEP "*CLOAD\nB,1,1.\nA,1,1.\n" END, NULL},
      {BASE "*ELSET,ELSET=F\nE,7\n" STEP "*DLOAD\nF,P1,1.\n" END, "element 7 more"},
      {BASE "*ELSET,ELSET=F\nE,7\n" STEP "*DLOAD\nF,BX,1.\n" END, "element 7 more"},
      {BASE "*ELSET,ELSET=F\nE,7\n" STEP "*DLOAD\nF,GRAV,1.,0.,0.,1.\n" END, NULL},
      {BASE "*SURFACE,NAME=S\n7,S1\nE,S1\n" STEP "*DSLOAD\nS,P,1.\n" END, "a face of element 7"},
      {BASE "*SURFACE,NAME=S\n7,S1\nE,S2\n" STEP "*DSLOAD\nS,P,1.\n" END, NULL},
      {BASE "*SURFACE,NAME=S\nE,\n" STEP "*DSLOAD\nS,P,1.\n" END, NULL},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,1.,1.,0.,0.\n"), "adds the two"},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,1.,0.,0.,-1.\n"), "adds the two"},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\n7,GRAV,2.,0.,0.,1.\n"), "adds the two"},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,2.,0.,0.,1.\n"), NULL},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,0.,0.,0.,1.\n"), NULL},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,0.,0.,1.,0.\n"), "adds the two"},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,-1.,0.,0.,1.\n"), NULL},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD\nE,GRAV,-1.,0.,0.,-1.\n"), "adds the two"},
      {TWO_STEPS("*DLOAD\nE,GRAV,1.,0.,0.,1.\n", "*DLOAD,OP=NEW\nE,GRAV,1.,1.,0.,0.\n"), NULL},
      {BASE STEP "*DLOAD\nE,GRAV,1.,0.,0.,1.\nE,GRAV,1.,1.,0.,0.\n" END, NULL},
      {BASE TABLE STEP "*DLOAD\nE,GRAV,1.,0.,0.,1.\n*DLOAD,AMPLITUDE=Q\nE,GRAV,2.,0.,0.,1.\n" END,
       "the amplitude of the last"},
      {BASE TABLE STEP "*DLOAD,AMPLITUDE=Q\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n*DLOAD\nE,CENTRIF,2.,"
                       "0.,0.,0.,0.,0.,1.\n" END,
       "the amplitude of the last"},
      {BASE TABLE STEP "*DLOAD,AMPLITUDE=Q\nE,GRAV,1.,0.,0.,1.\nE,GRAV,2.,0.,0.,1.\n" END, NULL},
      {BASE TABLE STEP "*DLOAD\nE,GRAV,1.,0.,0.,1.\n*DLOAD,AMPLITUDE=Q\n7,GRAV,2.,0.,0.,1.\n" END,
       NULL},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\nE,CENTRIF,1.,0.,0.,0.,0.,1.,0.\n" END,
       "another axis"},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\nE,CENTRIF,1.,1.,0.,0.,0.,0.,1.\n" END,
       "another axis"},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\nE,CENTRIF,1.,0.,0.,4.,0.,0.,-1.\n" END,
       "this axis, written differently"},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\nE,CENTRIF,1.,0.,0.,4.,0.,0.,1.\n" END,
       "this axis, written differently"},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n7,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n" END,
       "for another set"},
      {BASE STEP "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n" END,
       NULL},
      {TWO_STEPS("*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n",
                 "*DLOAD\nE,CENTRIF,1.,0.,0.,4.,0.,0.,1.\n"),
       "uses only the first"},
      {TWO_STEPS("*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n",
                 "*DLOAD\nE,CENTRIF,2.,0.,0.,0.,0.,0.,1.\n"),
       NULL},
      {BASE "*ORIENTATION,NAME=O\n2.,0.,0.,1.,1.,0.,1.,0.,0.\n" STEP END,
       "point c is the origin of the axes"},
      {BASE "*ORIENTATION,NAME=O\n1.,0.,0.,0.,1.,0.,0.,0.,0.\n" STEP END, NULL},
      {TWO_STEPS("*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n",
                 "*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,1.,0.\n"),
       "uses only the first"},
      {BASE "*AMPLITUDE,NAME=Q,VALUE=ABSOLUTE\n0.,0.,1.,3.\n" STEP
            "*CLOAD,AMPLITUDE=Q\n1,1,4.\n" END,
       "multiplies by the 4"},
      {BASE "*AMPLITUDE,NAME=Q,VALUE=ABSOLUTE\n0.,0.,1.,3.\n" STEP
            "*BOUNDARY,AMPLITUDE=Q\n1,1,1,4.\n" END,
       "multiplies by the 4"},
      {BASE "*AMPLITUDE,NAME=Q,VALUE=ABSOLUTE\n0.,0.,1.,3.\n" STEP
            "*CLOAD,AMPLITUDE=Q\n1,1,1.\n" END,
       NULL},
      {BASE RAMP STEP "1.,1.25\n*CLOAD,AMPLITUDE=Q\n1,1,4.\n" END, "interpolates linearly, 2"},
      {BASE RAMP STEP "1.,1.\n*CLOAD,AMPLITUDE=Q\n1,1,4.\n" END, NULL},
      {BODY "*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n*SOLID SECTION,ELSET=E,MATERIAL=M\n"
            "*ELSET,ELSET=F\nE,7\n*STEP\n*HEAT TRANSFER,STEADY STATE\n*DFLUX\nF,S1,1.\n" END,
       "element 7 more"},
      {NODES "*ELEMENT,TYPE=C3D8R,ELSET=E\n7,8,7,6,5,4,3,2,1\n*MATERIAL,NAME=M\n*CONDUCTIVITY\n4.\n"
             "*SOLID SECTION,ELSET=E,MATERIAL=M\n*STEP\n*HEAT TRANSFER,STEADY STATE\n" END,
       "C3D8R: hooke integrates conduction fully"},
      {BASE "*SURFACE,NAME=S\n7,S1\n" STEP "*SECTION PRINT,SURFACE=S,NAME=F\nSOF\n" END,
       "*SECTION PRINT is not written"},
      {BASE "*NSET,NSET=A\n1\n*NSET,NSET=A,UNSORTED\n2\n" STEP END,
       "the whole set keeps the given order"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_good(cases[i].deck);
    bool told = !cases[i].words;
    for (hk_count k = 0; k < hk_messages_count(r.list); k++) {
      const hk_message *m = hk_messages_at(r.list, k);
      if (m->severity != HK_WARNING) continue;
      told = cases[i].words && strstr(m->text, cases[i].words);
      if (!told) fail_msg("case %zu: %s", i, m->text);
    }
    if (!told) fail_msg("case %zu: not told: %s", i, cases[i].words);
    end_reading(&r);
  }
}

/* parameters that would change the result are obeyed, refused or told */
static void parameters_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *deck, *words;
    hk_severity severity;
  } cases[] = {
#define MOVES BASE "*STEP\n*DYNAMIC,EXPLICIT"
      {MOVES ",ALPHA=-.1\n,1.\n" END, "*DYNAMIC, ALPHA", HK_WARNING},
      {MOVES ",RELATIVE TO ABSOLUTE\n,1.\n" END, "RELATIVE TO ABSOLUTE", HK_ERROR},
      {MOVES "\n,1.\n*NODE PRINT,NSET=N,TOTALS=ONLY\nU\n" END "*NSET,NSET=N\n1\n",
       "TOTALS=ONLY: explicit steps form no sums", HK_WARNING},
      {MOVES "\n,1.\n*OUTPUT,HISTORY,FILTER=A\n" END, "FILTER: ignored", HK_WARNING},
      {MOVES "\n,1.\n*OUTPUT,FIELD,OP=ADD\n" END, "OP=ADD: ignored", HK_WARNING},
      {BASE STEP "*EL PRINT,ELSET=E,POSITION=CENTROIDAL\nS\n" END, "POSITION=CENTROIDAL",
       HK_WARNING},
      {BASE "*ORIENTATION,NAME=O,LOCAL DIRECTIONS=2\n1,0,0,0,1,0\n" STEP END, "LOCAL DIRECTIONS",
       HK_ERROR},
      {BODY "*MATERIAL,NAME=M\n*CONDUCTIVITY,TPYE=ORTHO\n1.,2.,3.\n" STEP END, "did you mean TYPE",
       HK_ERROR},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reading r = read_deck(cases[i].deck);
    assert_int_equal(r.status, cases[i].severity == HK_ERROR ? HK_BAD_INPUT : HK_OK);
    assert_true(told(&r, cases[i].severity, 0, cases[i].words));
    end_reading(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_pair_as_abaqus_does),
      cmocka_unit_test(lengths_of_sets),
      cmocka_unit_test(sets_of_instances),
      cmocka_unit_test(prints_list_as_given),
      cmocka_unit_test(prints_are_mixed),
      cmocka_unit_test(differences_are_told),
      cmocka_unit_test(parameters_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
