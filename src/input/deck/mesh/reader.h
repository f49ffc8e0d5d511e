/* Abaqus / CalculiX input: keyword lines, their data lines and *INCLUDE, as one stream.
 *
 *   hk_inp_line line;
 *   while (hk_inp_next(reader, &line) == HK_OK && line.keyword) {
 *     char *text; size_t length;
 *     while (hk_inp_data(reader, &text, &length) == HK_OK && text) { fields of the line }
 *   }
 *
 * Keywords and parameters are compared without case and blanks; names keep the user's case. Faults
 * of the input go to the list of messages and reading goes on; only a missing file or memory ends
 * it. */
#pragma once
#include "base/base.h"
#include "input/mesh/rows.h"

enum { HK_INP_MOST_PARAMETERS = 32, HK_INP_MOST_FIELDS = 32 };

#define HK_INP_NAME(id, name, level, where, parameters, advice) HK_INP_##id,
typedef enum hk_inp_id {
#include "input/deck/mesh/keywords.h"
  HK_INP_ID_COUNT
} hk_inp_id;
#undef HK_INP_NAME

typedef enum hk_inp_level {
  HK_INP_LEVEL_OBEY,     /* has a handler */
  HK_INP_LEVEL_COSMETIC, /* changes nothing here: listed once */
  HK_INP_LEVEL_STOP      /* cannot be obeyed: an error with advice */
} hk_inp_level;

enum {
  HK_INP_IN_MESH = 1, /* part of the mesh: obeyed (or refused) by the mesh reader too */
  HK_INP_IN_MODEL = 2,
  HK_INP_IN_STEP = 4
};

typedef struct hk_inp_keyword {
  const char *name;
  hk_inp_level level;
  unsigned where;
  const char *parameters; /* "NSET=,GENERATE": those allowed; '=' wants a value; "*": any */
  const char *advice;     /* STOP: why and what to do; OBEY: what is obeyed */
} hk_inp_keyword;

/* Of an id. */
const hk_inp_keyword *hk_inp_keyword_of(hk_inp_id id);

typedef struct hk_inp_parameter {
  char *name, *value; /* value NULL: none given */
} hk_inp_parameter;

typedef struct hk_inp_line {
  hk_inp_id id;
  const hk_inp_keyword *keyword; /* NULL at the end of the input */
  hk_place place;
  int count;
  hk_inp_parameter parameter[HK_INP_MOST_PARAMETERS]; /* texts valid until the next keyword */
} hk_inp_line;

typedef struct hk_inp_field { /* without blanks at its ends; not NUL-terminated */
  const char *text;
  size_t length;
} hk_inp_field;

/* files of its places lie in the pool that it was given */
typedef struct hk_inp_reader hk_inp_reader;

/* Names of files lie in `files`, which outlives the reader: places point to them. */
hk_status hk_inp_reader_create(const char *path, hk_pool *files, hk_messages *list,
                               hk_inp_reader **out);
void hk_inp_reader_destroy(hk_inp_reader **reader);

/* The next keyword that is known, in line->keyword. Unknown keywords and parameters, and data lines
 * that were neither read nor skipped, are reported. */
hk_status hk_inp_next(hk_inp_reader *reader, hk_inp_line *line);
/* The next data line of the current keyword; NULL when there is no more. Valid until the next call.
 */
hk_status hk_inp_data(hk_inp_reader *reader, char **text, size_t *length);
/* Data lines of the current keyword as rows, as many as are plain; none where the next line is to be read by hk_inp_data. */
hk_status hk_inp_rows(hk_inp_reader *reader, hk_rows *rows, hk_count most);
/* The whole lines in memory that follow the line returned last. Some may be keywords. With length 0 the next line has to be read
 * by hk_inp_data. Valid until the next call. */
typedef struct hk_inp_lines {
  const char *text; /* text[length] */
  size_t length;
  int file;
  hk_count line; /* number of the first */
} hk_inp_lines;
hk_status hk_inp_peek(hk_inp_reader *reader, hk_inp_lines *lines);
/* Passes over the first `length` bytes of them, which are so many lines. */
void hk_inp_pass(hk_inp_reader *reader, size_t length, hk_count lines);
/* Passes over the data lines of the current keyword. */
hk_status hk_inp_skip(hk_inp_reader *reader);
/* Reads the data lines that follow from `name` first (INPUT=). */
hk_status hk_inp_push(hk_inp_reader *reader, const char *name);

hk_place hk_inp_here(const hk_inp_reader *reader); /* of the line returned last */
int hk_inp_file(const hk_inp_reader *reader);      /* its file's number */
const char *hk_inp_file_name(const hk_inp_reader *reader, int file);
int hk_inp_file_count(const hk_inp_reader *reader); /* of all files read */

/* Returns false, for functions that then return it. */
bool hk_inp_say(hk_inp_reader *reader, hk_severity severity, hk_place place, const char *format,
                ...) HK_PRINTF(4, 5);
#define hk_inp_error(reader, place, ...) hk_inp_say(reader, HK_ERROR, place, __VA_ARGS__)
/* An error at the line returned last. */
#define hk_inp_wrong(reader, ...) hk_inp_say(reader, HK_ERROR, hk_inp_here(reader), __VA_ARGS__)
/* An error of the keyword, whose data lines are passed over. */
#define hk_inp_refuse(reader, place, ...)                                                          \
  (hk_inp_error(reader, place, __VA_ARGS__), hk_inp_skip(reader))
/* Counts an error whose words hk_error() has and which is in the list already. */
void hk_inp_count_error(hk_inp_reader *reader);
/* Near words are looked for only among the first errors: a file full of them is read as fast. */
bool hk_inp_suggests(const hk_inp_reader *reader);
/* "; did you mean NEAR?", valid until the next call; "" of NULL. */
const char *hk_inp_meant(hk_inp_reader *reader, const char *near);
hk_count hk_inp_errors(const hk_inp_reader *reader);
/* HK_OK, or HK_BAD_INPUT with the words of the first error. */
hk_status hk_inp_verdict(const hk_inp_reader *reader);

/* Parameters of a keyword line. */
bool hk_inp_given(const hk_inp_line *line, const char *name);
const char *hk_inp_value(const hk_inp_line *line, const char *name); /* NULL: not given */
/* Value of a parameter that must be there (else an error is reported and NULL returned). */
const char *hk_inp_need(hk_inp_reader *reader, const hk_inp_line *line, const char *name);
/* Index of the parameter's value among the words, which end with NULL; `fallback` when it is not given; -1 after an
 * error. */
int hk_inp_choice(hk_inp_reader *reader, const hk_inp_line *line, const char *name,
                  const char *const *words, int fallback);

/* The next data line, split at commas: field[*count]; a trailing comma adds none. *count is HK_INP_END when there is no more, -1 after an
 * error. */
enum { HK_INP_END = -2 };
hk_status hk_inp_fields(hk_inp_reader *reader, hk_inp_field field[HK_INP_MOST_FIELDS], int *count);
/* The same letters, without case; blanks do not count. */
bool hk_inp_same(const char *text, size_t length, const char *word);
bool hk_inp_is(hk_inp_field field, const char *word); /* without case and blanks */
/* Length of the field in a message, of at most so many characters. */
int hk_inp_shown(hk_inp_field field, int most);
/* True where no field beyond the first `most` says anything; else an error, which knows a decimal
 * comma. `what` names the line. Every data line goes through it. */
bool hk_inp_no_more(hk_inp_reader *reader, const hk_inp_field *field, int count, int most,
                    const char *what);
/* True where field[i] and field[i + 1] may be one number with a decimal comma: plain digits. */
bool hk_inp_decimal_comma(const hk_inp_field *field, int count, int i);
/* Whole field as a finite number; an empty field leaves *value. False after an error is reported.
 */
bool hk_inp_number(hk_inp_reader *reader, hk_inp_field field, const char *what, double *value);
bool hk_inp_integer(hk_inp_reader *reader, hk_inp_field field, const char *what, int64_t *value);
/* field[count] as numbers into value[0..most): how many, or -1 after an error, which more than `most` are too. Empty ones are 0. A negative
 * count stays. */
int hk_inp_numbers(hk_inp_reader *reader, const hk_inp_field *field, int count, const char *what,
                   double *value, int most);
/* The same of the next data line, which `what` names. */
hk_status hk_inp_number_line(hk_inp_reader *reader, const char *what, double *value, int most,
                             int *count);
/* Copies of a text and of a field without its quotes, which live as long as the reader. NULL stays NULL. */
hk_status hk_inp_keep(hk_inp_reader *reader, const char *text, const char **out);
hk_status hk_inp_keep_field(hk_inp_reader *reader, hk_inp_field field, const char **out);
/* True when the field is a number label, not a name. */
bool hk_inp_label(hk_inp_field field, int64_t *label);

/* Names without regard to case, each with a kind and a number. */

typedef struct hk_inp_names { /* zeroed: empty */
  struct hk_inp_entry *entry; /* entry[count] */
  hk_count count, capacity;
  hk_index *slot; /* slot[slots]: entry + 1; 0: free */
  hk_count slots;
} hk_inp_names;

/* `name` is borrowed; the table grows in the pool. */
hk_status hk_inp_names_add(hk_pool *pool, hk_inp_names *names, const char *name, int kind,
                           int value);
int hk_inp_names_find(const hk_inp_names *names, const char *name, int kind); /* -1: none */
/* "; did you mean NAME?" of the name of that kind nearest to `name` when it may be a typing error (valid until the next call); "": none, or
 * the reader has enough errors already. */
const char *hk_inp_near(hk_inp_reader *reader, const hk_inp_names *names, const char *name,
                        int kind);
