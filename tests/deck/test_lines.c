/* Data lines of every keyword that is obeyed: one number more than the line can have is an error at
 * that line, a word in a number's place too; a comma at the end is not. */
#include <hooke/model.h>
#include "input/deck/mesh/reader.h"
#include "model/model.h"
#include "support/check.h"
#include <unistd.h>

#define MESH "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n"
#define CUBE MESH "*ELEMENT,TYPE=C3D8,ELSET=E\n7,1,2,3,4,5,6,7,8\n"
#define STEEL "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*DENSITY\n2.\n"
#define SECTION "*SOLID SECTION,ELSET=E,MATERIAL=M\n"
#define BASE CUBE STEEL SECTION
#define STATIC "*STEP\n*STATIC\n"
#define EXPLICIT "*STEP\n*DYNAMIC,EXPLICIT\n,1.\n"
#define HEAT                                                                                       \
  CUBE "*MATERIAL,NAME=M\n*CONDUCTIVITY\n3.\n" SECTION "*STEP\n*HEAT TRANSFER,STEADY STATE\n"
#define END "*END STEP\n"

typedef struct line_case {
  const char *keyword, *before, *line, *after;
  int words; /* fields at the beginning that are names or labels */
} line_case;

/* Complete lines: one number more is one too many. */
static const line_case cases[] = {
    {"NODE", "*NODE\n", "9,0.,0.,5.,0.,0.,1.", "\n" BASE STATIC END, 1},
    {"ELEMENT", MESH "*ELEMENT,TYPE=C3D8,ELSET=E\n", "7,1,2,3,4,5,6,7,8",
     "\n" STEEL SECTION STATIC END, 9},
    {"NSET", BASE "*NSET,NSET=N,GENERATE\n", "1,3,2", "\n" STATIC END, 0},
    {"ELSET", BASE "*ELSET,ELSET=F,GENERATE\n", "7,7,1", "\n" STATIC END, 0},
    {"SURFACE", BASE "*SURFACE,NAME=S\n", "7,S1", "\n" STATIC END, 2},
    {"INSTANCE",
     "*PART,NAME=P\n" CUBE SECTION "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n",
     "1.,2.,3.", "\n*END INSTANCE\n*END ASSEMBLY\n" STEEL STATIC END, 0},
    {"INSTANCE",
     "*PART,NAME=P\n" CUBE SECTION "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n0,0,0\n",
     "1.,2.,3.,1.,2.,4.,90.", "\n*END INSTANCE\n*END ASSEMBLY\n" STEEL STATIC END, 0},
    {"DENSITY", CUBE "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*DENSITY\n", "2.,20.",
     "\n" SECTION STATIC END, 0},
    {"ELASTIC", CUBE "*MATERIAL,NAME=M\n*ELASTIC\n", "4.,.25,20.", "\n" SECTION STATIC END, 0},
    {"ELASTIC",
     CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n4.,4.,4.,.2,.2,.2,1.,1.\n",
     "1.,20.", "\n" SECTION STATIC END, 0},
    {"ELASTIC", CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n",
     "4.,4.,4.,.2,.2,.2,1.,1.", "\n1.\n" SECTION STATIC END, 0},
    {"CONDUCTIVITY", CUBE "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*CONDUCTIVITY\n", "3.,20.",
     "\n" SECTION STATIC END, 0},
    {"LATENT HEAT", CUBE "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*LATENT HEAT\n", "3.,20.,30.",
     "\n" SECTION STATIC END, 0},
    {"SOLID SECTION", CUBE STEEL SECTION, "1.", "\n" STATIC END, 0},
    {"ORIENTATION", BASE "*ORIENTATION,NAME=O\n", "1.,0.,0.,0.,1.,0.,0.,0.,0.", "\n" STATIC END, 0},
    {"ORIENTATION", BASE "*ORIENTATION,NAME=O,SYSTEM=CYLINDRICAL\n", "0.,0.,0.,0.,0.,1.",
     "\n" STATIC END, 0},
    {"ORIENTATION", BASE "*ORIENTATION,NAME=O\n1.,0.,0.,0.,1.,0.\n", "1,90.", "\n" STATIC END, 0},
    {"TRANSFORM", BASE "*NSET,NSET=N\n1\n*TRANSFORM,NSET=N\n", "1.,0.,0.,0.,1.,0.", "\n" STATIC END,
     0},
    {"EQUATION", BASE "*EQUATION\n", "2", "\n1,1,1.,2,1,-1.\n" STATIC END, 0},
    {"EQUATION", BASE "*EQUATION\n2\n", "1,1,1.,2,1,-1.", "\n" STATIC END, 1},
    {"AMPLITUDE", BASE "*AMPLITUDE,NAME=A\n", "0.,1.,2.,3.,4.,5.,6.,7.", "\n" STATIC END, 0},
    {"AMPLITUDE", BASE "*AMPLITUDE,NAME=A\n", "0.,1.,2.,3.", "\n" STATIC END, 0},
    {"INITIAL CONDITIONS", BASE "*INITIAL CONDITIONS,TYPE=VELOCITY\n", "1,2,3.", "\n" EXPLICIT END,
     1},
    {"BOUNDARY", BASE "*BOUNDARY\n", "1,1,2,0.5", "\n" STATIC END, 1},
    {"BOUNDARY", BASE "*BOUNDARY\n", "1,PINNED", "\n" STATIC END, 2},
    {"CLOAD", BASE STATIC "*CLOAD\n", "1,2,3.", "\n" END, 1},
    {"DLOAD", BASE STATIC "*DLOAD\n", "7,P4,5.", "\n" END, 2},
    {"DLOAD", BASE STATIC "*DLOAD\n", "7,BX,5.", "\n" END, 2},
    {"DLOAD", BASE STATIC "*DLOAD\n", "7,GRAV,5.,0.,0.,1.", "\n" END, 2},
    {"DLOAD", BASE STATIC "*DLOAD\n", "7,CENTRIF,5.,0.,0.,0.,0.,0.,1.", "\n" END, 2},
    {"DSLOAD", BASE "*SURFACE,NAME=S\n7,S1\n" STATIC "*DSLOAD\n", "S,P,5.", "\n" END, 2},
    {"DSLOAD", BASE "*SURFACE,NAME=S\n7,S1\n" STATIC "*DSLOAD\n", "S,TRVEC,5.,0.,0.,1.", "\n" END,
     2},
    {"CFLUX", HEAT "*CFLUX\n", "1,11,5.", "\n" END, 1},
    {"DFLUX", HEAT "*DFLUX\n", "7,S1,5.", "\n" END, 2},
    {"DFLUX", HEAT "*DFLUX\n", "7,BF,5.", "\n" END, 2},
    {"DFLUX", HEAT "*SURFACE,NAME=S\n7,S1\n*DFLUX\n", "S,S,5.", "\n" END, 2},
    {"FILM", HEAT "*FILM\n", "7,F1,5.,2.", "\n" END, 2},
    {"STATIC", BASE STATIC, ".1,1.,.01,.5", "\n" END, 0},
    {"HEAT TRANSFER", HEAT, ".1,1.,.01,.5,3.,4.", "\n" END, 0},
    {"DYNAMIC", BASE "*STEP\n*DYNAMIC,EXPLICIT\n", ".1,1.,.01,.5", "\n" END, 0},
    {"TIME POINTS", BASE "*TIME POINTS,NAME=T,GENERATE\n", "0.,1.,.5", "\n" STATIC END, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Keywords without numbers on lines of their own, or whose numbers change nothing. */
static const char *const others[] = {"HEADING",
                                     "PART",
                                     "END PART",
                                     "ASSEMBLY",
                                     "END ASSEMBLY",
                                     "END INSTANCE",
                                     "INCLUDE",
                                     "MATERIAL",
                                     "DAMPING",
                                     "STEP",
                                     "END STEP",
                                     "EXPANSION",
                                     "SPECIFIC HEAT",
                                     "BULK VISCOSITY",
                                     "FIXED MASS SCALING",
                                     "VARIABLE MASS SCALING",
                                     "OUTPUT",
                                     "NODE OUTPUT",
                                     "ELEMENT OUTPUT",
                                     "ENERGY OUTPUT",
                                     "NODE PRINT",
                                     "NODE FILE",
                                     "EL PRINT",
                                     "EL FILE"};
enum { OTHERS = sizeof others / sizeof *others };

/* The status of the deck before + line + more + after; *told: an error stands at the line. */
static hk_status read_with(const line_case *c, const char *line, const char *more, bool *told)
{
  static const char path[] = "lines_test.inp";
  hk_messages *list = NULL;
  hk_model *model = NULL;
  int number = 1;
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fprintf(file, "%s%s%s%s", c->before, line, more, c->after) > 0);
  fclose(file);
  for (const char *p = c->before; *p; p++) number += *p == '\n';
  ok(hk_messages_create(&list));
  const hk_status status = hk_model_read(path, NULL, 0, list, &model);
  *told = false;
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    const hk_message *m = hk_messages_at(list, i);
    *told = *told || (m->severity == HK_ERROR && m->line == number);
  }
  hk_model_destroy(&model);
  hk_messages_destroy(&list);
  unlink(path);
  return status;
}

static void whole_lines_are_read(void **state)
{
  (void)state;
  bool told;
  for (int i = 0; i < CASES; i++) {
    if (read_with(&cases[i], cases[i].line, "", &told) != HK_OK)
      fail_msg("*%s \"%s\": %s", cases[i].keyword, cases[i].line, hk_error());
    if (strcmp(cases[i].keyword, "ELEMENT") != 0 &&
        read_with(&cases[i], cases[i].line, " ,", &told) != HK_OK)
      fail_msg("*%s \"%s ,\": %s", cases[i].keyword, cases[i].line, hk_error());
  }
}

static void a_number_more_is_refused(void **state)
{
  (void)state;
  static const char *const more[] = {",9", ",,9", ",0.5", ",x"};
  bool told;
  for (int i = 0; i < CASES; i++)
    for (int k = 0; k < 4; k++) {
      const hk_status status = read_with(&cases[i], cases[i].line, more[k], &told);
      if (status != HK_BAD_INPUT || !told)
        fail_msg("*%s \"%s%s\": status %d, %s at its line", cases[i].keyword, cases[i].line,
                 more[k], (int)status, told ? "an error" : "no error");
    }
}

/* Each number of the line replaced by a word. */
static void words_are_no_numbers(void **state)
{
  (void)state;
  bool told;
  for (int i = 0; i < CASES; i++) {
    int field = 0;
    for (const char *at = cases[i].line; *at; field++) {
      const char *end = at + strcspn(at, ",");
      char line[200];
      snprintf(line, sizeof line, "%.*sx.y%s", (int)(at - cases[i].line), cases[i].line, end);
      at = *end ? end + 1 : end;
      if (field < cases[i].words) continue;
      const hk_status status = read_with(&cases[i], line, "", &told);
      if (status != HK_BAD_INPUT)
        fail_msg("*%s \"%s\": status %d", cases[i].keyword, line, (int)status);
    }
  }
}

/* A keyword that is added to the table must be added here. */
static void every_keyword_is_here(void **state)
{
  (void)state;
  for (int id = 0; id < HK_INP_ID_COUNT; id++) {
    const hk_inp_keyword *k = hk_inp_keyword_of((hk_inp_id)id);
    bool here = k->level != HK_INP_LEVEL_OBEY;
    for (int i = 0; i < CASES; i++) here = here || strcmp(cases[i].keyword, k->name) == 0;
    for (int i = 0; i < OTHERS; i++) here = here || strcmp(others[i], k->name) == 0;
    if (!here) fail_msg("*%s: its data lines are not tested", k->name);
  }
}

/* 0,3 is known as a decimal comma; a constant and its temperature are a warning where they may be */
static void decimal_commas(void **state)
{
  (void)state;
  static const struct {
    const char *deck, *words;
    hk_severity severity;
  } text[] = {
      {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n210000, 0, 0, 3\n" SECTION STATIC END,
       "\"0,3\" a decimal comma", HK_ERROR},
      {"*NODE\n9,0,5,0,5,0,5\n" BASE STATIC END, "three coordinates", HK_ERROR},
      {"*NODE\n9,0,5,1,0\n" BASE STATIC END, "three coordinates", HK_ERROR},
      {BASE STATIC "*DLOAD\n7,P4,0,5\n" END, "\"0,5\" a decimal comma", HK_ERROR},
      {BASE STATIC "*DLOAD\n7,P4,2,5E3\n" END, "\"2,5E3\" a decimal comma", HK_ERROR},
      {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n4.,.25\n*DENSITY\n7,8\n" SECTION STATIC END,
       "8 as its temperature", HK_WARNING},
      {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n4,0,3\n" SECTION STATIC END,
       "\"0,3\" is one number with a decimal comma", HK_WARNING},
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    hk_messages *list = NULL;
    hk_model *model = NULL;
    bool told = false;
    FILE *file = fopen("lines_test.inp", "wb");
    assert_non_null(file);
    fputs(text[i].deck, file);
    fclose(file);
    ok(hk_messages_create(&list));
    const hk_status status = hk_model_read("lines_test.inp", NULL, 0, list, &model);
    assert_int_equal(status, text[i].severity == HK_ERROR ? HK_BAD_INPUT : HK_OK);
    for (hk_count k = 0; k < hk_messages_count(list); k++)
      told = told || (hk_messages_at(list, k)->severity == text[i].severity &&
                      strstr(hk_messages_at(list, k)->text, text[i].words));
    if (!told) fail_msg("not told: %s", text[i].words);
    hk_model_destroy(&model);
    hk_messages_destroy(&list);
    unlink("lines_test.inp");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_lines_are_read), cmocka_unit_test(a_number_more_is_refused),
      cmocka_unit_test(words_are_no_numbers), cmocka_unit_test(every_keyword_is_here),
      cmocka_unit_test(decimal_commas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
