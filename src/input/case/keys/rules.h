/* The table of all keys of a case file: it validates, documents, and yields the JSON Schema. */
#ifndef HK_INPUT_CASE_KEYS_RULES_H
#define HK_INPUT_CASE_KEYS_RULES_H
#include "base/units.h"

typedef enum hk_form {
  HK_FORM_TEXT,
  HK_FORM_NUMBER, /* of the rule's dimension; a bare number is in the file's units */
  HK_FORM_INTEGER,
  HK_FORM_CHOICE, /* one of `choice`, or of the words of `word` */
  HK_FORM_MAP,    /* of the keys `inside[]`, which ends with a rule without key */
  HK_FORM_NAMED,  /* a map of the user's names; each value follows *inside */
  HK_FORM_LIST,   /* each item follows *inside */
  HK_FORM_REFUSED /* a key that is known and not built: `doc` says what to do. Not in the schema */
} hk_form;

typedef enum hk_range { HK_ANY, HK_POSITIVE, HK_NOT_NEGATIVE } hk_range;

typedef struct hk_rule hk_rule;
struct hk_rule {
  const char *key; /* in the parent's map */
  const char *doc;
  const char *
      usual; /* what holds where the key is not given, as it would be given; NULL: nothing, or what `doc` says */
  hk_form form;
  bool required, required_in_time; /* always; unless the solution is static */
  hk_dimension dimension;
  const char *unit; /* an example of it; NULL: the usual one of the dimension */
  bool angular;     /* radians per time: hertz are refused */
  hk_range range;
  double least, most;         /* limits of an integer; number of items of a list; both 0: none */
  const char *const *choice;  /* ends with NULL */
  const char *(*word)(int k); /* the k-th word of another list, NULL behind the last */
  const hk_rule *inside;
  const hk_rule *other; /* the rule for values of another kind (scalar, list, map); or NULL */
  bool one_of;          /* MAP: exactly one of the keys */
};

/* The k-th word of a choice; NULL behind the last. */
static inline const char *hk_rule_word(const hk_rule *rule, int k)
{
  return rule->choice ? rule->choice[k] : rule->word(k);
}

extern const hk_rule hk_case_rule;                    /* of the whole file */
extern const hk_rule hk_generator_rule;               /* of a mesh made by hooke */
extern const hk_rule hk_element_rules[];              /* keys of `element:` */
extern const hk_rule hk_crack_rules[], hk_crack_list; /* keys of a crack; a list of them */
#define HK_CRACK_RULE                                                                              \
  {                                                                                                \
    .key = "crack", .doc = "inner faces across which nodes are not shared", .form = HK_FORM_MAP,   \
    .inside = hk_crack_rules, .other = &hk_crack_list                                              \
  }
extern const hk_rule hk_units_rule;     /* of `units:` */
extern const hk_rule hk_solve_rules[];  /* keys of `solve:` */
extern const hk_rule hk_signal_rules[]; /* keys of `signal:` */
/* The hk_time_dispersion that a word of `time_dispersion` means; -1: there is no such word. */
int hk_case_dispersion(const char *word);

#endif
