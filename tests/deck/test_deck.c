/* Decks: what they say is what the model holds, and every fault is told with its line. */
#define DECK "deck_test.inp"
#include "reading.h"

#define SHEET "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPS4,ELSET=E\n7,1,2,3,4\n"
#define STEEL "*MATERIAL,NAME=M\n*DENSITY\n2.\n*ELASTIC\n4.,.25\n"
#define STEP "*STEP\n*DYNAMIC,EXPLICIT\n,1.\n"
#define END "*NODE PRINT,FREQUENCY=1\nU\n*END STEP\n"
#define BASE SQUARE STEEL SECTION

/* CRLF, tabs, lower case, a byte-order mark, comments, continued lines, 1.D0: the same deck */
static void spelling_does_not_matter(void **state)
{
  (void)state;
  reading r =
      read_good("\xef\xbb\xbf*node\r\n1,\t0.D0, 0\r\n2, 1.d0,0\r\n\r\n** c\r\n3,1,1\r\n4,0,1"
                "\r\n*Element,\r\n type = cpe4, ELSET=e\r\n7,1,2,\r\n3,4\r\n" STEEL
                "*Solid Section, material=\"M\",elset=E\n3.\n" STEP END);
  assert_int_equal(r.model->mesh->node_count, 4);
  assert_int_equal(hk_mesh_find_element(r.model->mesh, 7), 0);
  assert_true(r.model->mesh->x[2] == 1 && r.model->mesh->x[5] == 1);
  assert_true(r.model->region[0].thickness == 3);
  end_reading(&r);
}

/* sets: labels, GENERATE with gaps, sets of sets, nodes of elements; ascending and unique */
static void sets(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=a\n3,1\n*NSET,NSET=b,GENERATE\n1,2000000000,3\n"
                             "*NSET,NSET=c\na,b,3\n*NSET,NSET=d,ELSET=E\n" STEP END);
  static const struct {
    const char *name;
    hk_count count;
    hk_index item[4];
  } row[] = {{"a", 2, {0, 2}}, {"b", 2, {0, 3}}, {"C", 3, {0, 2, 3}}, {"d", 4, {0, 1, 2, 3}}};
  for (int i = 0; i < 4; i++) {
    const hk_set *set = hk_mesh_find_set(r.model->mesh, row[i].name, HK_NODE_SET);
    assert_non_null(set);
    assert_int_equal(set->count, row[i].count);
    assert_memory_equal(set->item, row[i].item, (size_t)set->count * sizeof *set->item);
  }
  end_reading(&r);
}

/* an *INCLUDE among the data of a keyword: its parameters still hold */
static void include_among_data(void **state)
{
  (void)state;
  write_text("deck_part.inp", "3,1,1\n** rest\n4,0,1\n");
  reading r = read_good("*NODE,NSET=N\n1,0,0\n2,1,0\n*INCLUDE,INPUT=deck_part.inp\n"
                        "*ELEMENT,TYPE=CPE4,ELSET=E\n7,1,2,3,4\n" STEEL SECTION STEP END);
  assert_int_equal(hk_mesh_find_set(r.model->mesh, "N", HK_NODE_SET)->count, 4);
  assert_int_equal(r.model->file.count, 2);
  unlink("deck_part.inp");
  end_reading(&r);
}

/* Abaqus's order: D1112 is c[0][5], D1113 c[0][4], D1123 c[0][3], D1213 c[5][4] and so on */
static void anisotropic_order(void **state)
{
  (void)state;
  static const int place[21][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 5},
                                   {1, 5}, {2, 5}, {5, 5}, {0, 4}, {1, 4}, {2, 4}, {5, 4},
                                   {4, 4}, {0, 3}, {1, 3}, {2, 3}, {5, 3}, {4, 3}, {3, 3}};
  reading r = read_good(
      SHEET
      "*MATERIAL,NAME=M\n*DENSITY\n1.\n*ELASTIC,TYPE=ANISOTROPIC\n"
      "100,2,103,4,5,106,7,8,\n9,110,11,12,13,14,115,16,\n17,18,19,20,121\n" SECTION STEP END);
  static const double value[21] = {100, 2,  103, 4,   5,  106, 7,  8,  9,  110, 11,
                                   12,  13, 14,  115, 16, 17,  18, 19, 20, 121};
  for (int i = 0; i < 21; i++) {
    const int a = place[i][0], b = place[i][1];
    assert_true(r.model->region[0].material.c[a][b] == value[i]);
    assert_true(r.model->region[0].material.c[b][a] == value[i]);
  }
  end_reading(&r);
}

/* D1212 is the xy shear: c[5][5]; D2323 the yz shear: c[3][3] */
static void orthotropic_order(void **state)
{
  (void)state;
  reading r = read_good(SQUARE "*MATERIAL,NAME=M\n*DENSITY\n1.\n*ELASTIC,TYPE=ORTHOTROPIC\n"
                               "10,1,20,2,3,30,4,5,\n6\n" SECTION STEP END);
  const double(*c)[6] = (const double(*)[6])r.model->region[0].material.c;
  assert_true(c[0][0] == 10 && c[0][1] == 1 && c[1][1] == 20 && c[0][2] == 2 && c[1][2] == 3);
  assert_true(c[2][2] == 30 && c[5][5] == 4 && c[4][4] == 5 && c[3][3] == 6);
  end_reading(&r);
}

/* local x along global y: c'_yyyy = c_xxxx */
static void orientation_turns_the_material(void **state)
{
  (void)state;
  reading r = read_good(SQUARE "*MATERIAL,NAME=M\n*DENSITY\n1.\n*ELASTIC,TYPE=ANISOTROPIC\n"
                               "10,1,20,2,3,30,1,0,\n0,4,0,0,0,0,5,0,\n0,0,0,0,6\n"
                               "*ORIENTATION,NAME=O\n1,0,0,0,1,0\n3,90.\n"
                               "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n" STEP END);
  const double(*c)[6] = (const double(*)[6])r.model->region[0].material.c;
  assert_true(fabs(c[1][1] - 10) < 1e-12 && fabs(c[0][0] - 20) < 1e-12);
  assert_true(fabs(c[3][3] - 5) < 1e-12 && fabs(c[4][4] - 6) < 1e-12);
  assert_true(fabs(c[1][5] + 1) < 1e-12); /* y' is -x: shear changes its sign */
  end_reading(&r);
}

/* OP=MOD replaces node by node, OP=NEW all; a step-time amplitude holds its last value */
static void loads_persist(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=N\n1,2\n*AMPLITUDE,NAME=A\n0.,0.,2.,6.\n" STEP
                             "*CLOAD,AMPLITUDE=A\nN,1,10.\n" END STEP "*CLOAD\n2,1,5.\n" END STEP
                             "*CLOAD,OP=NEW\n4,2,1.\n" END);
  const hk_step *s = r.model->step;
  assert_int_equal(r.model->step_count, 3);
  assert_int_equal(s[0].load_count, 1);
  assert_true(s[0].load[0].vector[0] == 10 && s[0].load[0].signal == 0);
  assert_int_equal(s[0].load[0].target.count, 2);
  assert_int_equal(s[1].load_count, 2);
  assert_int_equal(s[1].load[0].target.count, 1);
  assert_int_equal(s[1].load[0].target.item[0], 0);
  assert_true(s[1].load[0].vector[0] == 30 && s[1].load[0].signal == -1);
  assert_true(s[1].load[1].vector[0] == 5);
  assert_int_equal(s[2].load_count, 1);
  assert_true(s[2].load[0].vector[1] == 1);
  end_reading(&r);
}

/* each node and component has one motion, the last given; OP=NEW removes those of the model too */
static void motions_persist(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=N\n1,2\n*BOUNDARY\nN,1,2\n4,YSYMM\n" STEP
                             "*BOUNDARY,TYPE=VELOCITY\nN,1,1,3.\n" END STEP
                             "*BOUNDARY,OP=NEW\n3,2,2,.5\n" END);
  const hk_step *s = r.model->step;
  hk_count members = 0;
  assert_int_equal(s[0].motion_count, 2);
  for (int i = 0; i < 2; i++) members += s[0].motion[i].target.count;
  assert_int_equal(members, 5);
  assert_int_equal(s[0].motion[1].kind, HK_MOVE_VELOCITY);
  assert_int_equal(s[0].motion[1].target.item[1], 1);
  assert_int_equal(s[1].motion_count, 1);
  assert_true(s[1].motion[0].value == .5 && s[1].motion[0].component == 1);
  end_reading(&r);
}

/* an element wound clockwise: its face P2, nodes 2 and 3, has the same two nodes after */
static void faces_follow_turned_elements(void **state)
{
  (void)state;
  reading r = read_good("*NODE\n1,0,0\n2,0,1\n3,1,1\n4,1,0\n*ELEMENT,TYPE=CPE4,ELSET=E\n7,1,2,3,4\n"
                        "*SURFACE,NAME=S\nE,S2\n" STEEL SECTION STEP
                        "*DLOAD\n7,P2,2.\n*DSLOAD\nS,P,3.\n" END);
  const hk_mesh *mesh = r.model->mesh;
  for (int i = 0; i < 2; i++) {
    const hk_target *t = &r.model->step[0].load[i].target;
    const hk_index *node = hk_mesh_nodes_of(mesh, 0);
    const int a = t->face[0], b = (a + 1) % 4;
    assert_int_equal(t->count, 1);
    assert_int_equal(node[a] + node[b], 3);
    assert_int_equal(node[a] * node[b], 2);
  }
  end_reading(&r);
}

/* two instances: second moved by (10, 0) and turned by 90 degrees about z through it */
static void instances_are_moved(void **state)
{
  (void)state;
  reading r = read_good("*PART,NAME=P\n" SQUARE SECTION
                        "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n"
                        "*INSTANCE,NAME=J,PART=P\n10,0,0\n10,0,0,10,0,1,90.\n*END INSTANCE\n"
                        "*NSET,NSET=N,INSTANCE=J\n2\n*END ASSEMBLY\n" STEEL STEP
                        "*CLOAD\nN,1,1.\nJ.3,1,2.\n" END);
  const hk_mesh *mesh = r.model->mesh;
  const hk_index n = r.model->step[0].load[0].target.item[0];
  assert_int_equal(mesh->node_count, 8);
  assert_int_equal(n, 5);
  assert_true(fabs(mesh->x[2 * n] - 10) < 1e-12 && fabs(mesh->x[2 * n + 1] - 1) < 1e-12);
  assert_int_equal(r.model->step[0].load[1].target.item[0], 6);
  assert_int_equal(hk_mesh_find_element(mesh, 14), 1);
  assert_non_null(hk_mesh_find_set(mesh, "J.E", HK_ELEMENT_SET));
  end_reading(&r);
}

/* history: named after the set, NAME_2 when repeated; field: frames */
static void outputs(void **state)
{
  (void)state;
  reading r = read_good(BASE "*NSET,NSET=N\n1\n" STEP
                             "*OUTPUT,HISTORY,TIME INTERVAL=.25\n*NODE OUTPUT,NSET=N\nU1,RF\n"
                             "*NODE OUTPUT,NSET=N\nV\n*OUTPUT,FIELD,NUMBER INTERVAL=7\n"
                             "*NODE OUTPUT\nA\n*END STEP\n");
  const hk_step *s = r.model->step;
  assert_int_equal(s->trace_count, 2);
  assert_string_equal(s->trace[0].name, "N");
  assert_string_equal(s->trace[1].name, "N_2");
  assert_int_equal(s->trace[0].quantities, 1u << HK_DISPLACEMENT | 1u << HK_REACTION);
  assert_true(s->trace[0].interval == .25);
  assert_int_equal(s->field.frames, 7);
  assert_int_equal(s->field.quantities, 1u << HK_ACCELERATION);
  end_reading(&r);
}

static void faults_have_lines(void **state)
{
  (void)state;
  refused("*NODE\n1,0,0\n*ELEMNT,TYPE=CPE4\n", 3, "did you mean *ELEMENT?");
  refused(BASE "*NSET,NSTE=a\n1\n" STEP END, 14, "did you mean NSET?");
  refused(BASE STEP "*CLOAD\nTPO,1,1.\n" END, 18, "there is no node set TPO");
  refused(BASE STEP "*CLOAD\n9,1,1.\n" END, 18, "there is no node 9");
  refused(BASE STEP "*CLOAD\n1,1,1.x\n" END, 18, "not a number");
  refused(BASE STEP "*CLOAD\n1,1\n" END, 18, "force is missing");
  refused(BASE STEP "*CLOAD\n1,1,1.,7\n" END, 18, "more than 3 items");
  refused(BASE "*BOUNDARY\n1,1,2,0.,7\n" STEP END, 15, "more than 4 items");
  refused(BASE STEP "*DLOAD\nE,P1,\n" END, 18, "magnitude is missing");
  refused(BASE STEP "*CLOAD,AMPLITUDE=Q\n1,1,1.\n" END, 18, "no *AMPLITUDE named Q");
  refused(BASE STEP, 14, "*END STEP is missing");
  refused(BASE "*STEP\n*HEAT TRANSFER\n" END, 15,
          "give the increment and the duration of the transient step");
  refused(BASE "*PLASTIC\n1.\n" STEP END, 14, "hooke computes only linear elasticity");
  refused(SQUARE STEEL STEP END, 6, "no *SOLID SECTION");
  refused(SQUARE "*MATERIAL,NAME=M\n*ELASTIC\n1.,.3\n" SECTION STEP END, 8, "*DENSITY is missing");
  refused(SQUARE "*MATERIAL,NAME=M\n*DENSITY\n0.\n*ELASTIC\n1.,.5\n" SECTION STEP END, 9,
          "above 0");
  refused(SQUARE "*MATERIAL,NAME=M\n*DENSITY\n0.\n*ELASTIC\n1.,.5\n" SECTION STEP END, 11,
          "must lie between -1 and 0.5");
  refused(SQUARE "5,1,2,3,9\n" STEEL SECTION STEP END, 6, "node 9, which is not defined");
  refused(SQUARE "7,1,2,3,4\n" STEEL SECTION STEP END, 6, "element 7 is given twice");
  refused("*INCLUDE,INPUT=" DECK "\n", 1, "includes itself");
  refused("*NODE\n1,0,0\n1,1,0\n", 1, "node 1 is given twice");
  refused(SQUARE "*ELEMENT,TYPE=S4R\n1,1,2,3,4\n", 8, "S4R");
  refused(BASE "*DAMPING,BETA=1.\n" STEP END, 14, "belongs to a material");
}

/* one fault, one error: constants of a material of two sections, numbers given twice, an element
 * that cannot be read */
static void faults_are_told_once(void **state)
{
  (void)state;
  static const char *const text[] = {
      SQUARE "*NODE\n5,2,0\n6,2,1\n*ELEMENT,TYPE=CPE4,ELSET=F\n8,2,5,6,3\n"
             "*MATERIAL,NAME=M\n*DENSITY\n2.\n*ELASTIC\n4.,.5\n" SECTION
             "*SOLID SECTION,ELSET=F,MATERIAL=M\n" STEP END,
      BASE "*MATERIAL,NAME=UNUSED\n*ELASTIC\n-4.,.3\n" STEP END,
      SQUARE "7,1,2,3,4\n" STEEL SECTION STEP END,
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n4,0,1\n*ELEMENT,TYPE=CPE4,ELSET=E\n7,1,2,3,4\n" STEEL
          SECTION STEP END,
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPE44,ELSET=E\n7,1,2,3,4\n" STEEL STEP END};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    reading r = read_deck(text[i]);
    assert_int_equal(r.status, HK_BAD_INPUT);
    if (hk_messages_total(r.list, HK_ERROR) != 1)
      for (hk_count k = 0; k < hk_messages_count(r.list); k++)
        print_error("%zu: %s\n", i, hk_messages_at(r.list, k)->text);
    assert_int_equal(hk_messages_total(r.list, HK_ERROR), 1);
    end_reading(&r);
  }
}

/* truncated anywhere, a deck is refused or whole, never a fault */
static void every_truncation_is_refused(void **state)
{
  (void)state;
  static const char text[] =
      BASE "*NSET,NSET=N\n1,2\n*SURFACE,NAME=S\nE,\n" STEP "*CLOAD\nN,1,1.\n*DSLOAD\nS,P,1.\n" END;
  char cut[sizeof text];
  for (size_t n = 0; n + 10 < sizeof text; n++) {
    memcpy(cut, text, n);
    cut[n] = 0;
    reading r = read_deck(cut);
    assert_int_equal(r.status, HK_BAD_INPUT);
    assert_true(hk_messages_total(r.list, HK_ERROR) > 0);
    end_reading(&r);
  }
}

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES and nothing is kept */
static void failing_allocations(void **state)
{
  (void)state;
  read_with_failing_allocations(BASE "*NSET,NSET=N\n1,2\n*SURFACE,NAME=S\nE,\n"
                                     "*AMPLITUDE,NAME=A\n0.,0.,1.,1.\n*BOUNDARY\nN,1\n" STEP
                                     "*CLOAD,AMPLITUDE=A\nN,1,1.\n*DSLOAD\nS,P,1.\n" END);
}

/* hk_mesh_read takes the mesh of decks that cannot be run */
static void meshes_of_other_decks(void **state)
{
  (void)state;
  hk_mesh *mesh = NULL;
  write_text(DECK, "*NODE\n1,0,0\n2,2,0\n3,0,2\n4,1,0\n5,1,1\n6,0,1\n"
                   "*ELEMENT,TYPE=CPS6\n1,1,2,3,4,5,6\n*CONTACT PAIR\na,b\n*STEP\n*STATIC\n");
  ok(hk_mesh_read(DECK, NULL, &mesh));
  assert_int_equal(mesh->block[0].shape, HK_TRI6);
  hk_mesh_destroy(&mesh);
  unlink(DECK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spelling_does_not_matter),
      cmocka_unit_test(sets),
      cmocka_unit_test(include_among_data),
      cmocka_unit_test(anisotropic_order),
      cmocka_unit_test(orthotropic_order),
      cmocka_unit_test(orientation_turns_the_material),
      cmocka_unit_test(loads_persist),
      cmocka_unit_test(motions_persist),
      cmocka_unit_test(faces_follow_turned_elements),
      cmocka_unit_test(instances_are_moved),
      cmocka_unit_test(outputs),
      cmocka_unit_test(faults_have_lines),
      cmocka_unit_test(faults_are_told_once),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(failing_allocations),
      cmocka_unit_test(meshes_of_other_decks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
