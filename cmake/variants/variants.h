/* What the files of cmake/variants/ share: the table of variants (table.c), the texts and their signatures (texts.c). */
#ifndef VARIANTS_H
#define VARIANTS_H
#include <stddef.h>

enum {
  MOST_TEXTS = 8,
  MOST_DEFINES = 24,
  MOST_WORDS = 64,
  MOST_NAMES = 512,
  MOST_PARAMETERS = 16, /* of a kernel */
  LINE = 4096
};

typedef char word[64];

typedef struct define {
  word name, value;
  int hidden; /* not part of the key */
} define;

typedef struct variant {
  define define[MOST_DEFINES];
  int defines;
  char precision;
} variant;

/* Parts of texts, each of which uses those before it: "#ifndef STATES_MADE" begins the first (main.c). */
typedef enum text_part { STATES, POINTS, FORCES, KERNELS, PARTS } text_part;
extern const char *const part_name[PARTS];

typedef struct name {
  word word;
  text_part part; /* PARTS: beside the parts */
} name;

typedef struct unit {
  word name, guard, text[MOST_TEXTS];
  char path[MOST_TEXTS][LINE]; /* of the texts, below src/ */
  int texts, once[PARTS];      /* once: the parts that are compiled by themselves */
  name function[MOST_NAMES], macro[MOST_NAMES];
  int functions, macros;
} unit;

typedef struct line { /* one line of variants, and the kernels that it is for; none: all */
  word kernel[MOST_WORDS];
  int kernels;
  variant *variant;
  int variants;
} line;

/* A KERNEL as the preprocessor left it. */
typedef struct kernel {
  int variant;
  word name;
  word type[MOST_PARAMETERS];
  int parameters;
} kernel;

typedef struct kernels {
  kernel *kernel;
  int count, room;
} kernels;

/* Ends the program with a message. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
char *read_file(const char *path);
/* folder/FORMAT, with `of` in it. */
char *read_source(const char *folder, const char *format, const char *of);
void keep_word(word to, const char *from, size_t length);
/* The next word between blanks, and where it ends; NULL at the end of the line. */
const char *next_word(const char *at, word out);

/* The unit of this name, and where its lines begin. */
const char *read_unit(const char *table, const char *name_of, unit *u);
/* "[KERNEL ...] AXIS ...": all variants of a line, the first axis slowest, the precision fastest unless it has a place. */
void read_line(const char *table, const char *at, line *l);

/* Where the texts of a unit lie, and the functions and macros that they define. */
void read_texts(const char *folder, const char *output, unit *u);
/* Each KERNEL of each variant, as the preprocessor left it. */
void read_probe(const char *path, kernels *all);
#endif
