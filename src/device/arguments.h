/* Arguments of a launch: buffers, and numbers by value. HK_ARGUMENTS makes the array and its length from what it is given:
 *
 *   HK_TRY(hk_kernel_launch(kernel, 0, groups, HK_ARGUMENTS(u, omega, n))); */
#pragma once
#include "base/base.h"

typedef struct hk_buffer hk_buffer;

enum { HK_MOST_ARGUMENTS = 48 };

typedef enum hk_argument_kind {
  HK_ARGUMENT_BUFFER,
  HK_ARGUMENT_INT,
  HK_ARGUMENT_REAL,
  HK_ARGUMENT_DOUBLE,
  HK_ARGUMENT_INTEGERS
} hk_argument_kind;

/* Integers that a kernel gets by value (`integers` of the dialect). */
typedef struct hk_integers {
  int32_t at[24];
} hk_integers;

typedef struct hk_argument {
  hk_argument_kind kind;
  union {
    const hk_buffer *buffer; /* NULL: a null pointer */
    int32_t integer;
    const hk_integers *integers; /* copied by the launch */
    double real; /* REAL: passed as float or double, as the kernel's precision says */
  } value;
} hk_argument;

static inline hk_argument hk_arg_buffer(const hk_buffer *buffer)
{
  return (hk_argument){HK_ARGUMENT_BUFFER, {.buffer = buffer}};
}

static inline hk_argument hk_arg_int(int32_t integer)
{
  return (hk_argument){HK_ARGUMENT_INT, {.integer = integer}};
}

static inline hk_argument hk_arg_double(double value)
{
  return (hk_argument){HK_ARGUMENT_DOUBLE, {.real = value}};
}

static inline hk_argument hk_arg_integers(const hk_integers *values)
{
  return (hk_argument){HK_ARGUMENT_INTEGERS, {.integers = values}};
}

static inline hk_argument hk_arg_real(double real)
{
  return (hk_argument){HK_ARGUMENT_REAL, {.real = real}};
}

static inline hk_argument hk_arg_same(hk_argument argument)
{
  return argument;
}

/* Arguments of a launch and their number, each as its type says: buffers, ints, doubles as REAL; hk_arg_double(x) stays a double. */
#define HK_ARGUMENTS(...)                                                                          \
  (const hk_argument[]){HK_ARGS_PICK(__VA_ARGS__, HK_ARGS_16, HK_ARGS_15, HK_ARGS_14, HK_ARGS_13,  \
                                     HK_ARGS_12, HK_ARGS_11, HK_ARGS_10, HK_ARGS_9, HK_ARGS_8,     \
                                     HK_ARGS_7, HK_ARGS_6, HK_ARGS_5, HK_ARGS_4, HK_ARGS_3,        \
                                     HK_ARGS_2, HK_ARGS_1, 0)(__VA_ARGS__)},                       \
      HK_ARGS_PICK(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HK_ARGS_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, own,   \
                     ...)                                                                          \
  own
#define HK_ARG(x)                                                                                  \
  _Generic((x),                                                                                    \
      hk_buffer *: hk_arg_buffer,                                                                  \
      const hk_buffer *: hk_arg_buffer,                                                            \
      bool: hk_arg_int,                                                                            \
      int32_t: hk_arg_int,                                                                         \
      double: hk_arg_real,                                                                         \
      const hk_integers *: hk_arg_integers,                                                        \
      hk_argument: hk_arg_same)(x)
#define HK_ARGS_1(x) HK_ARG(x)
#define HK_ARGS_2(x, ...) HK_ARG(x), HK_ARGS_1(__VA_ARGS__)
#define HK_ARGS_3(x, ...) HK_ARG(x), HK_ARGS_2(__VA_ARGS__)
#define HK_ARGS_4(x, ...) HK_ARG(x), HK_ARGS_3(__VA_ARGS__)
#define HK_ARGS_5(x, ...) HK_ARG(x), HK_ARGS_4(__VA_ARGS__)
#define HK_ARGS_6(x, ...) HK_ARG(x), HK_ARGS_5(__VA_ARGS__)
#define HK_ARGS_7(x, ...) HK_ARG(x), HK_ARGS_6(__VA_ARGS__)
#define HK_ARGS_8(x, ...) HK_ARG(x), HK_ARGS_7(__VA_ARGS__)
#define HK_ARGS_9(x, ...) HK_ARG(x), HK_ARGS_8(__VA_ARGS__)
#define HK_ARGS_10(x, ...) HK_ARG(x), HK_ARGS_9(__VA_ARGS__)
#define HK_ARGS_11(x, ...) HK_ARG(x), HK_ARGS_10(__VA_ARGS__)
#define HK_ARGS_12(x, ...) HK_ARG(x), HK_ARGS_11(__VA_ARGS__)
#define HK_ARGS_13(x, ...) HK_ARG(x), HK_ARGS_12(__VA_ARGS__)
#define HK_ARGS_14(x, ...) HK_ARG(x), HK_ARGS_13(__VA_ARGS__)
#define HK_ARGS_15(x, ...) HK_ARG(x), HK_ARGS_14(__VA_ARGS__)
#define HK_ARGS_16(x, ...) HK_ARG(x), HK_ARGS_15(__VA_ARGS__)
