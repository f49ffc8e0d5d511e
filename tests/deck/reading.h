/* Decks that a test writes to the file DECK, and reads. */
#pragma once
#include <hooke/model.h>
#include "model/model.h"
#include "support/files.h"

/* An element of material M, beside the deck's other lines. */
#define SQUARE "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPE4,ELSET=E\n7,1,2,3,4\n"
#define CUBE                                                                                       \
  "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n"                \
  "*ELEMENT,TYPE=C3D8,ELSET=E\n7,1,2,3,4,5,6,7,8\n"
#define SECTION "*SOLID SECTION,ELSET=E,MATERIAL=M\n"

typedef struct reading {
  hk_messages *list;
  hk_model *model;
  hk_status status;
} reading;

static inline reading read_deck(const char *text)
{
  reading r = {0};
  write_text(DECK, text);
  ok(hk_messages_create(&r.list));
  r.status = hk_model_read(DECK, NULL, 0, r.list, &r.model);
  return r;
}

static inline reading read_good(const char *text)
{
  reading r = read_deck(text);
  if (r.status != HK_OK) fail_msg("%s\n%s", hk_error(), text);
  return r;
}

static inline void end_reading(reading *r)
{
  hk_model_destroy(&r->model);
  hk_messages_destroy(&r->list);
  unlink(DECK);
  assert_int_equal(hk_memory_held(), 0);
}

/* Whether a message of this severity has the words, at the line unless that is 0; prints all messages otherwise. */
static inline bool told(const reading *r, hk_severity severity, int line, const char *words)
{
  for (hk_count i = 0; i < hk_messages_count(r->list); i++) {
    const hk_message *m = hk_messages_at(r->list, i);
    if (m->severity == severity && (!line || m->line == line) && strstr(m->text, words))
      return true;
  }
  print_error("not told at line %d: %s\n", line, words);
  for (hk_count i = 0; i < hk_messages_count(r->list); i++)
    print_error("  %lld: %s\n", (long long)hk_messages_at(r->list, i)->line,
                hk_messages_at(r->list, i)->text);
  return false;
}

static inline void refused(const char *text, int line, const char *words)
{
  reading r = read_deck(text);
  assert_int_equal(r.status, HK_BAD_INPUT);
  assert_null(r.model);
  assert_true(told(&r, HK_ERROR, line, words));
  end_reading(&r);
}

/* The k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES, and nothing is kept. */
static inline void read_with_failing_allocations(const char *text)
{
  hk_status status = HK_NO_RESOURCES;
  write_text(DECK, text);
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_model *model = NULL;
    hk_memory_fail_at(k);
    status = hk_model_read(DECK, NULL, 0, NULL, &model);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_model_destroy(&model);
    assert_int_equal(hk_memory_held(), 0);
  }
  unlink(DECK);
}
