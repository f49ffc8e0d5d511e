/* Words of which the tables of keys are written; for rules*.c alone. */
#pragma once
#include "input/case/keys/rules.h"
#include "model/model.h"
#include <stddef.h>

/* length, mass, time, temperature */
#define LENGTH .dimension = {{1, 0, 0, 0}}
#define TIME .dimension = {{0, 0, 1, 0}}
#define RATE .dimension = {{0, 0, -1, 0}}
#define FREQUENCY RATE, .unit = "MHz"
#define ANGULAR RATE, .unit = "rad/s", .angular = true
#define RATE_SQUARED .dimension = {{0, 0, -2, 0}}
#define SPEED .dimension = {{1, 0, -1, 0}}
#define DENSITY .dimension = {{-3, 1, 0, 0}}
#define ACCELERATION .dimension = {{1, 0, -2, 0}}
#define FORCE_PER_VOLUME .dimension = {{-2, 1, -2, 0}}
#define SPRING .dimension = {{0, 1, -2, 0}}
#define SPRING_PER_AREA .dimension = {{-2, 1, -2, 0}}
#define VOLUME_RATE .dimension = {{3, 0, -1, 0}}
#define PRESSURE .dimension = {{-1, 1, -2, 0}}
#define FORCE .dimension = {{1, 1, -2, 0}}
#define MOMENT .dimension = {{2, 1, -2, 0}}
#define TEMPERATURE .dimension = {{0, 0, 0, 1}}
#define CONDUCTIVITY .dimension = {{1, 1, -3, -1}}
#define SPECIFIC_HEAT .dimension = {{2, 0, -2, -1}}
#define LATENT_HEAT .dimension = {{2, 0, -2, 0}}
#define REACTION .dimension = {{-1, 1, -3, -1}}
#define HEAT_FLUX .dimension = {{0, 1, -3, 0}}
#define FILM .dimension = {{0, 1, -3, -1}}
#define HEAT_PER_VOLUME .dimension = {{-1, 1, -3, 0}}
/* A key of a map and what it is for, a rule without a key; then what its value is. */
#define KEY(name, text, ...)                                                                       \
  {                                                                                                \
    .key = name, .doc = text, __VA_ARGS__                                                          \
  }
#define RULE(text, ...)                                                                            \
  {                                                                                                \
    .doc = text, __VA_ARGS__                                                                       \
  }
#define NUMBER .form = HK_FORM_NUMBER
#define INTEGER .form = HK_FORM_INTEGER
#define TEXT .form = HK_FORM_TEXT
#define CHOICE(words) .form = HK_FORM_CHOICE, .choice = words
#define WORDS(list) .form = HK_FORM_CHOICE, .word = list
#define REFUSED .form = HK_FORM_REFUSED
#define LIST_OF(n) .form = HK_FORM_LIST, .inside = &(n)
#define NAMED(n) .form = HK_FORM_NAMED, .inside = &(n)
#define MAP(n) .form = HK_FORM_MAP, .inside = (n)
#define OR(n) .other = &(n)
#define ONE_OF .one_of = true
#define REQUIRED .required = true
#define POSITIVE .range = HK_POSITIVE
#define NOT_NEGATIVE .range = HK_NOT_NEGATIVE
#define FROM_TO(a, b) .least = a, .most = b
#define INTO(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define USUAL(text) .usual = text
#define END                                                                                        \
  {                                                                                                \
    .key = NULL                                                                                    \
  }
#define AXES                                                                                       \
  KEY("axes",                                                                                      \
      "name of the axes of x, y, z and direction; cylindrical axes are radial, tangential "        \
      "and axial",                                                                                 \
      TEXT)
extern const char *const hk_node_orders[];
/* In what order the nodes of a set stand: two keys. */
#define NODE_ORDER                                                                                 \
  KEY("order",                                                                                     \
      "of the nodes of a set that form a curve, such as a side in 2D or an edge in 3D; number: "   \
      "ascending; arc: along the curve",                                                           \
      CHOICE(hk_node_orders), USUAL("number")),                                                    \
      KEY("from",                                                                                  \
          "order: arc begins at the end that is nearer to this point; a closed curve at the "      \
          "nearest node",                                                                          \
          LIST_OF(length), FROM_TO(2, 3))
