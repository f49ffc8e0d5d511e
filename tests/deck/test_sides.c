/* Elements of lower dimension than the model's are its boundary: their element sets are surfaces and
 * sets of nodes, they are no elements, and have neither sections nor loads. */
#include <hooke/model.h>
#include "model/model.h"
#include "support/files.h"

#define SQUARE "*NODE\n1,0,0\n2,1,0\n3,2,0\n4,0,1\n5,1,1\n6,2,1\n"
#define LINES                                                                                      \
  "*ELEMENT,TYPE=T3D2,ELSET=Line1\n1,1,2\n2,2,3\n*ELEMENT,TYPE=T3D2,ELSET=Line2\n3,5,2\n"
#define PLANE "*ELEMENT,TYPE=CPS4,ELSET=E\n7,1,2,5,4\n8,2,3,6,5\n"
#define SETS "*ELSET,ELSET=bottom\n1,2\n*ELSET,ELSET=middle\n3\n*ELSET,ELSET=corner\nLine1,Line2\n"
#define CUBE                                                                                       \
  "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n"                \
  "*ELEMENT,TYPE=S4R,ELSET=LOW\n1,1,2,3,4\n*ELEMENT,TYPE=B31,ELSET=EDGE\n2,1,2\n"                  \
  "*ELEMENT,TYPE=C3D8,ELSET=E\n7,1,2,3,4,5,6,7,8\n"
#define STEEL "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*DENSITY\n2.\n"
#define SECTION "*SOLID SECTION,ELSET=E,MATERIAL=M\n"
#define STEP "*STEP\n*STATIC\n"
#define END "*END STEP\n"

static hk_status read_deck(const char *text, hk_messages *list, hk_model **model)
{
  write_text("sides_test.inp", text);
  const hk_status status = hk_model_read("sides_test.inp", NULL, 0, list, model);
  unlink("sides_test.inp");
  return status;
}

static hk_model *read_good(const char *text)
{
  hk_model *model = NULL;
  ok(read_deck(text, NULL, &model));
  return model;
}

static void refused(const char *text, const char *words)
{
  hk_model *model = NULL;
  assert_int_equal(read_deck(text, NULL, &model), HK_BAD_INPUT);
  error_says(words);
  assert_int_equal(hk_memory_held(), 0);
}

static void has(const hk_model *m, const char *name, hk_set_kind kind, hk_count count,
                const int *item)
{
  const hk_set *set = hk_mesh_find_set(m->mesh, name, kind);
  if (!set) fail_msg("no set %s of kind %d", name, (int)kind);
  assert_int_equal(set->count, count);
  for (hk_count i = 0; i < count; i++) assert_int_equal(set->item[i], item[i]);
}

/* lines in the plane: edges and nodes; the face of bottom is side 0 of both elements */
static void lines_of_plane_meshes(void **state)
{
  (void)state;
  hk_model *m = read_good(SQUARE LINES PLANE SETS STEEL SECTION STEP
                          "*BOUNDARY\nbottom,2\nLine2,1\n*DSLOAD\nbottom,P,3.\n" END);
  assert_int_equal(m->mesh->element_count, 2);
  assert_int_equal(hk_mesh_element_label(m->mesh, 0), 7);
  has(m, "bottom", HK_FACE_SET, 2, (const int[]){0, 1});
  has(m, "Line1", HK_FACE_SET, 2, (const int[]){0, 1});
  has(m, "bottom", HK_NODE_SET, 3, (const int[]){0, 1, 2});
  has(m, "middle", HK_NODE_SET, 2, (const int[]){1, 4});
  has(m, "corner", HK_NODE_SET, 4, (const int[]){0, 1, 2, 4});
  has(m, "corner", HK_FACE_SET, 3, (const int[]){0, 1, 1});
  assert_null(hk_mesh_find_set(m->mesh, "bottom", HK_ELEMENT_SET));
  const hk_set *middle = hk_mesh_find_set(m->mesh, "middle", HK_FACE_SET);
  assert_int_equal(middle->count, 1);
  assert_int_equal(middle->item[0], 1); /* 5 to 2 has element 8 to its left */
  assert_int_equal(middle->face[0], 3);
  const hk_load *load = &m->step[0].load[0];
  assert_int_equal(load->kind, HK_LOAD_PRESSURE);
  assert_int_equal(load->target.count, 2);
  assert_int_equal(load->target.face[0], 0);
  hk_model_destroy(&m);
  assert_int_equal(hk_memory_held(), 0);
}

/* shells and beams on a solid: faces and nodes, nodes alone; a surface may name a side or its set */
static void surfaces_of_solids(void **state)
{
  (void)state;
  hk_model *m = read_good(CUBE STEEL SECTION "*SURFACE,NAME=S1\n1,\n*SURFACE,NAME=S2\nLOW,\n"
                                             "*NSET,NSET=N,ELSET=LOW\n" STEP END);
  assert_int_equal(m->mesh->element_count, 1);
  has(m, "LOW", HK_FACE_SET, 1, (const int[]){0});
  has(m, "LOW", HK_NODE_SET, 4, (const int[]){0, 1, 2, 3});
  has(m, "EDGE", HK_NODE_SET, 2, (const int[]){0, 1});
  has(m, "N", HK_NODE_SET, 4, (const int[]){0, 1, 2, 3});
  has(m, "S1", HK_FACE_SET, 1, (const int[]){0});
  has(m, "S2", HK_FACE_SET, 1, (const int[]){0});
  assert_null(hk_mesh_find_set(m->mesh, "EDGE", HK_FACE_SET));
  assert_int_equal(hk_mesh_find_set(m->mesh, "LOW", HK_FACE_SET)->face[0], 0);
  hk_model_destroy(&m);
}

/* quadratic lines: the middle third, as Gmsh writes it, or second */
static void quadratic_lines(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "*NODE\n1,0,0\n2,2,0\n3,0,2\n4,1,0\n5,1,1\n6,0,1\n"
             "*ELEMENT,TYPE=T3D3,ELSET=L\n1,%s\n*ELEMENT,TYPE=CPS6,ELSET=E\n7,1,2,3,4,5,6\n" STEEL
                 SECTION STEP END,
             k ? "1,4,2" : "1,2,4");
    hk_model *m = read_good(text);
    has(m, "L", HK_FACE_SET, 1, (const int[]){0});
    has(m, "L", HK_NODE_SET, 3, (const int[]){0, 1, 3});
    hk_model_destroy(&m);
  }
}

/* a set of nodes of the same name stays; so does a surface */
static void names_that_are_taken(void **state)
{
  (void)state;
  hk_model *m = read_good(CUBE "*NSET,NSET=EDGE\n8\n*NSET,NSET=LOW\n7\n" STEEL SECTION STEP END);
  has(m, "EDGE", HK_NODE_SET, 1, (const int[]){7});
  has(m, "LOW", HK_NODE_SET, 1, (const int[]){6});
  has(m, "LOW", HK_FACE_SET, 1, (const int[]){0});
  has(m, "EDGE", HK_ELEMENT_SET, 0, NULL);
  hk_model_destroy(&m);
}

/* a side in each of two instances */
static void sides_of_instances(void **state)
{
  (void)state;
  hk_model *m = read_good("*PART,NAME=P\n" CUBE SECTION
                          "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n"
                          "*INSTANCE,NAME=J,PART=P\n9,0,0\n*END INSTANCE\n"
                          "*ELSET,ELSET=ALL,INSTANCE=J\n1\n*END ASSEMBLY\n" STEEL STEP END);
  assert_int_equal(m->mesh->element_count, 2);
  has(m, "J.LOW", HK_FACE_SET, 1, (const int[]){1});
  has(m, "J.LOW", HK_NODE_SET, 4, (const int[]){8, 9, 10, 11});
  has(m, "ALL", HK_FACE_SET, 1, (const int[]){1});
  hk_model_destroy(&m);
}

static void faults(void **state)
{
  (void)state;
  refused(CUBE STEEL SECTION "*SOLID SECTION,ELSET=LOW,MATERIAL=M\n" STEP END,
          "element set LOW contains boundary elements");
  refused(CUBE "*ELSET,ELSET=ALL\nE,LOW\n" STEEL "*SOLID SECTION,ELSET=ALL,MATERIAL=M\n" STEP END,
          "boundary elements beside others");
  refused(CUBE STEEL SECTION STEP "*DLOAD\nLOW,P1,1.\n" END, "contains boundary elements");
  refused(CUBE STEEL SECTION STEP "*DLOAD\n1,P1,1.\n" END,
          "boundary elements carry no element loads");
  refused(CUBE "*ELEMENT,TYPE=T3D2\n7,1,2\n" STEEL SECTION STEP END, "element 7 is given twice");
  refused(CUBE "*ELEMENT,TYPE=T3D2\n1,1,2\n" STEEL SECTION STEP END, "element 1 is given twice");
  refused(CUBE "*ELEMENT,TYPE=T3D2\n9,1,99\n" STEEL SECTION STEP END, "node 99");
  refused(SQUARE LINES STEEL STEP END, "trusses, beams, shells");
  refused(SQUARE PLANE "*ELEMENT,TYPE=S4R\n1,1,2,5,4\n" STEEL SECTION STEP END,
          "trusses, beams, shells");
  refused(CUBE STEEL SECTION "*SHELL SECTION,ELSET=LOW,MATERIAL=M\n1.\n" STEP END,
          "hooke computes only solid elements");
}

/* a face of no element is left out with a warning; the note is told once */
static void lost_faces(void **state)
{
  (void)state;
  hk_messages *list = NULL;
  hk_model *model = NULL;
  ok(hk_messages_create(&list));
  ok(read_deck(CUBE "*ELEMENT,TYPE=S4R,ELSET=LOW\n5,1,3,5,7\n" STEEL SECTION STEP END, list,
               &model));
  has(model, "LOW", HK_FACE_SET, 1, (const int[]){0});
  has(model, "LOW", HK_NODE_SET, 6, (const int[]){0, 1, 2, 3, 4, 6});
  int warnings = 0, notes = 0;
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    warnings +=
        strstr(hk_messages_at(list, i)->text, "1 of its 2 faces belong to no element") != NULL;
    notes += strstr(hk_messages_at(list, i)->text, "have a lower dimension") != NULL;
  }
  assert_int_equal(warnings, 1);
  assert_int_equal(notes, 1);
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_plane_meshes),
      cmocka_unit_test(surfaces_of_solids),
      cmocka_unit_test(quadratic_lines),
      cmocka_unit_test(names_that_are_taken),
      cmocka_unit_test(sides_of_instances),
      cmocka_unit_test(faults),
      cmocka_unit_test(lost_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
