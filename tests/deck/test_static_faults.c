/* Static decks: what is refused, with its line. */
#define DECK "static_faults_test.inp"
#include "reading.h"

#define STEEL "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n"
#define BASE SQUARE STEEL SECTION
#define STEP "*STEP\n*STATIC\n"
#define END "*END STEP\n"

/* AXIS: nodes 3 and 7 lie on the axis of their cylinder */
#define AXIS CUBE STEEL SECTION "*NSET,NSET=N\n3,7\n*TRANSFORM,NSET=N,TYPE=C\n2,2,-1,2,2,4\n"

#define ORTHO                                                                                      \
  "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n10.,2.,2.,.1,.1,.1,1.,1.,\n1.\n"

#define CUBE27                                                                                     \
  "*NODE\n1,-1,-1,-1\n2,1,-1,-1\n3,1,1,-1\n4,-1,1,-1\n5,-1,-1,1\n6,1,-1,1\n7,1,1,1\n8,-1,1,1\n"    \
  "9,0,-1,-1\n10,1,0,-1\n11,0,1,-1\n12,-1,0,-1\n13,0,-1,1\n14,1,0,1\n15,0,1,1\n16,-1,0,1\n"        \
  "17,-1,-1,0\n18,1,-1,0\n19,1,1,0\n20,-1,1,0\n21,0,0,0\n22,0,0,-1\n23,0,0,1\n24,0,-1,0\n"         \
  "25,1,0,0\n26,0,1,0\n27,-1,0,0\n*ELEMENT,TYPE=C3D27R,ELSET=E\n"                                  \
  "7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n16,17,18,19,20,21,22,23,24,25,26,27\n"

static void faults_have_lines(void **state)
{
  (void)state;
  refused(BASE "*STEP,NLGEOM\n*STATIC\n" END, 12, "*STEP, NLGEOM: static steps");
  refused(BASE STEP "*STATIC\n" END, 14, "already has a procedure");
  refused(BASE STEP END "*STEP\n*DYNAMIC,EXPLICIT\n,1.\n" END, 16, "of another kind");
  refused(BASE STEP END "*STEP,PERTURBATION\n*STATIC\n" END, 15, "PERTURBATION");
  refused(BASE "*STEP\n*STATIC,SOLVER=SPOLES\n" END, 13, "did you mean SPOOLES?");
  refused(BASE "*STEP\n*STATIC,RIKS\n" END, 13, "RIKS");
  refused(BASE "*STEP\n*STATIC\n.1,-1.\n" END, 14, "must be above 0");
  refused(BASE "*EQUATION\n2\n1,1,1.\n" STEP END, 12, "2 terms");
  refused(BASE "*EQUATION\n2\n1,1\n" STEP END, 14, "2 terms");
  refused(BASE "*EQUATION\n1\n1,4,1.\n" STEP END, 14, "must be 1 to 3, displacements, or 11");
  refused(BASE "*EQUATION\n1\n1,12,1.\n" STEP END, 14, "must be 1 to 11");
  refused(BASE "*EQUATION\n1\n9,1,1.\n" STEP END, 13, "no node 9");
  refused(BASE "*EQUATION\n1\n1,1,0.\n" STEP END, 13, "first coefficient is 0");
  refused(BASE "*EQUATION\n2\nA,1,1.,B,1,1.\n*NSET,NSET=A\n1,2\n*NSET,NSET=B\n1,2,3\n" STEP END, 13,
          "node by node");
  refused(BASE "*EQUATION\n1\n1,1,1.\n*STEP\n*DYNAMIC,EXPLICIT\n,1.\n" END, 13,
          "explicit steps do not support");
  refused(BASE "*TRANSFORM,NSET=N\n1,0,0,0,1,0\n" STEP END, 12, "no node set N");
  refused(BASE "*TRANSFORM,NSET=N,TYPE=S\n1,0,0,0,1,0\n" STEP END, 12, "TYPE=S");
  refused(BASE "*NSET,NSET=N\n1\n*TRANSFORM,NSET=N,TYPE=C\n0,0,0,1,0,0\n" STEP END, 14,
          "the axis of a cylinder must be z");
  refused(BASE "*NSET,NSET=N\n1\n*TRANSFORM,NSET=N,TYPE=C\n1,1,1,1,1,1\n" STEP END, 15,
          "two different points");
  refused(AXIS STEP "*BOUNDARY\n7,1,2\n3,1,1,2.\n" END, 24, "node 3 lies on the axis");
  refused(AXIS STEP "*BOUNDARY\n3,1,2,1.\n" END, 23, "node 3 lies on the axis");
  refused(AXIS STEP "*CLOAD\nN,2,1.\n" END, 23, "*CLOAD: node 3 lies on the axis");
  refused(AXIS "*EQUATION\n2\n1,1,1.,7,2,1.\n" STEP END, 21, "*EQUATION: node 7 lies on the axis");
  refused(BASE STEP "*DLOAD\nE,CENTRIF,-1.,0,0,0,0,0,1.\n" END, 15, "square of the angular");
  refused(BASE STEP "*DLOAD\nE,CENTRIF,1.,0,0,0,0,0,0\n" END, 15, "direction is missing");
  refused(BASE STEP "*DLOAD\nE,GRAV,1.,0,-1.,0\n" END, 15, "no *DENSITY");
  refused(BASE STEP "*BOUNDARY,FIXED\n1,1\n" END, 14, "no static step before");
  refused(BASE STEP "*BOUNDARY,TYPE=VELOCITY\n1,1,1,1.\n" END, 15,
          "static steps have no velocities");
  refused(BASE STEP "*NODE PRINT,NSET=N\nU\n" END, 14, "no node set N");
  refused(BASE "*INITIAL CONDITIONS,TYPE=STRESS\n7,1,1.\n" STEP END, 12, "without stress");
  refused(
      "*NODE\n1,1,0\n2,2,0\n3,2,1\n4,1,1\n*ELEMENT,TYPE=AC2D4,ELSET=E\n7,1,2,3,4\n" STEEL SECTION
          STEP END,
      6, "TYPE=AC2D4");
  refused(CUBE27 STEEL SECTION STEP END, 29, "no reduced integration");
}

#define EVERYTHING                                                                                 \
  CUBE ORTHO "*ORIENTATION,NAME=O,SYSTEM=CYLINDRICAL\n0,0,0,0,0,1\n"                               \
             "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n*NSET,NSET=N\n3,4\n"                \
             "*TRANSFORM,NSET=N,TYPE=C\n0,0,-1,0,0,4\n*EQUATION\n2\nN,2,1.,1,1,1.\n" STEP          \
             "*BOUNDARY\nN,1,1,5.\n2,1,1,5.\n*CLOAD\nN,2,8.\n2,2,8.\n*DLOAD\nE,P1,2.\n"            \
             "*NODE PRINT,NSET=N\nU\n*EL PRINT,ELSET=E\nS\n" END STEP "*BOUNDARY,FIXED\n1,1\n" END

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES and nothing is kept */
static void failing_allocations(void **state)
{
  (void)state;
  read_with_failing_allocations(EVERYTHING);
}

/* truncated anywhere, a deck is refused or whole, never a fault */
static void every_truncation_is_refused(void **state)
{
  (void)state;
  static const char text[] = EVERYTHING;
  char cut[sizeof text];
  for (size_t n = 0; n + sizeof(END) + 1 < sizeof text; n++) {
    memcpy(cut, text, n);
    cut[n] = 0;
    reading r = read_deck(cut);
    const char *end = strstr(text, END) + strlen(END) - 1;
    if ((size_t)(end - text) != n && (size_t)(end - text) + 1 != n)
      assert_int_equal(r.status, HK_BAD_INPUT);
    end_reading(&r);
  }
}

/* a procedure that is refused is the one error; a deck without a step too; a load type that is not
 * known is, not its magnitude */
static void one_right_message(void **state)
{
  (void)state;
  static const char *const text[] = {
      SQUARE STEEL SECTION "*STEP\n*FREQUENCY\n3\n*NODE FILE\nU\n*EL PRINT,ELSET=E\nS\n"
                           "*NODE OUTPUT\nU\n*OUTPUT,FIELD\n" END,
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,0,.5\n6,1,.5\n7,.5,0\n8,.5,1\n"
      "*ELEMENT,TYPE=CPE8R,ELSET=E\n7,1,2,3,4,7,6,8,5\n" STEEL SECTION,
      BASE STEP "*DLOAD\nE,NEWTON\n" END,
      BASE "*STEP\n*VISCO\n1.,1.\n*DLOAD\nE,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n" END};
  static const char *const words[] = {"*FREQUENCY: hooke runs only", "there is no *STEP",
                                      "\"NEWTON\"", "*VISCO: hooke runs only"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    reading r = read_deck(text[i]);
    assert_int_equal(r.status, HK_BAD_INPUT);
    assert_true(told(&r, HK_ERROR, 0, words[i]));
    if (hk_messages_count(r.list) != 1) told(&r, HK_ERROR, 0, "(one message)");
    assert_int_equal(hk_messages_count(r.list), 1);
    end_reading(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults_have_lines),
      cmocka_unit_test(failing_allocations),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(one_right_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
