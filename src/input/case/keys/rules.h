/* The table of all keys of a case file: it validates, documents, and yields the JSON Schema. */
#pragma once
#include "base/units.h"

typedef enum hk_key_form {
  HK_FORM_TEXT,
  HK_FORM_NUMBER, /* of the rule's dimension; a bare number is in the file's units */
  HK_FORM_INTEGER,
  HK_FORM_CHOICE, /* one of `choice`, or of the words of `word` */
  HK_FORM_MAP,    /* of the keys `inside[]`, which ends with a rule without key */
  HK_FORM_NAMED,  /* a map of the user's names; each value follows *inside */
  HK_FORM_LIST,   /* each item follows *inside */
  HK_FORM_REFUSED /* a key that is known and not built: `doc` says what to do. Not in the schema */
} hk_key_form;

typedef enum hk_range { HK_ANY, HK_POSITIVE, HK_NOT_NEGATIVE } hk_range;

typedef struct hk_key hk_key;
struct hk_key {
  const char *key; /* in the parent's map */
  const char *doc;
  /* what holds where the key is not given, as it would be given; NULL: nothing, or what `doc` says */
  const char *usual;
  hk_key_form form;
  bool required, required_in_time; /* always; unless the solution is static */
  hk_dimension dimension;
  const char *unit; /* an example of it; NULL: the usual one of the dimension */
  bool angular;     /* radians per time: hertz are refused */
  hk_range range;
  double least, most;         /* limits of an integer; number of items of a list; both 0: none */
  const char *const *choice;  /* ends with NULL */
  const char *(*word)(int k); /* the k-th word of another list, NULL behind the last */
  const hk_key *inside;
  const hk_key *other; /* the rule for values of another kind (scalar, list, map); or NULL */
  bool one_of;         /* MAP: exactly one of the keys */
  size_t at, size;     /* the member that the value goes to, of what its map fills; size 0: none */
};

/* The k-th word of a choice; NULL behind the last. */
static inline const char *hk_key_word(const hk_key *rule, int k)
{
  return rule->choice ? rule->choice[k] : rule->word(k);
}

/* The rule of a key, the first `length` letters of `key`; NULL: there is none. */
const hk_key *hk_key_find(const hk_key *keys, const char *key, size_t length);
/* Puts a value into its member of *out: a word into text, or its place among the words into an int; a number into a double, a whole number into
 * int or 8 bytes. */
void hk_key_put(const hk_key *rule, const char *text, double number, void *out);

extern const hk_key hk_case_rule;        /* of the whole file; hk_region */
extern const hk_key hk_generator_rule;   /* of a mesh made by hooke */
extern const hk_key hk_spaced_rules[];   /* of points on a line, an arc, a circle, a grid */
extern const hk_key hk_place_rules[];    /* keys of a set by place */
extern const hk_key hk_spatial_rules[];  /* keys of a field of `fields:` */
extern const hk_key hk_element_rules[];  /* keys of `element:`; hk_region */
extern const hk_key hk_material_rules[]; /* hk_material */
extern const hk_key hk_crack_rules[], hk_crack_list; /* keys of a crack; a list of them */
#define HK_CRACK_RULE                                                                              \
  {                                                                                                \
    .key = "crack", .doc = "inner faces across which nodes are not shared", .form = HK_FORM_MAP,   \
    .inside = hk_crack_rules, .other = &hk_crack_list                                              \
  }
extern const hk_key hk_solve_rules[];                   /* keys of `solve:` */
extern const hk_key hk_wave_rules[];                    /* keys of `plane_wave:` */
extern const hk_key hk_injection_rules[];               /* keys of `injection:` */
extern const hk_key hk_signal_rules[];                  /* keys of `signal:`: hk_signal */
extern const hk_key hk_explicit_rules[];                /* hk_step */
extern const hk_key hk_static_rules[];                  /* hk_static_how, as those of `heat:` */
extern const hk_key hk_absorb_rules[];                  /* hk_absorb */
extern const hk_key hk_output_rules[];                  /* keys of `outputs:` */
extern const hk_key hk_trace_rules[], hk_field_rules[]; /* hk_trace_request, hk_field_request */
extern const hk_key hk_picture_rules[];                 /* hk_picture_request */
extern const hk_key hk_peak_rules[];
/* The hk_time_dispersion that a word of `time_dispersion` means; -1: there is no such word. */
int hk_case_dispersion(const char *word);
