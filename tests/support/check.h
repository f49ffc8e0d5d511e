/* What every test program starts with: cmocka, and checks that print what was got, what was expected and the line of the test. */
#pragma once
#include "base/base.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The call succeeds; prints its error. */
#define ok(status) check_ok(status, __FILE__, __LINE__)

/* |got - expected| <= tolerance; fails on not-a-number. */
#define near(got, expected, tolerance) check_near(got, expected, tolerance, __FILE__, __LINE__)

/* |got - expected| <= part |expected|. */
#define near_relative(got, expected, part) near(got, expected, (part)*fabs((double)(expected)))

/* The text contains the words. */
#define says(text, words) check_says(text, words, __FILE__, __LINE__)

/* The last error of this thread contains the words. */
#define error_says(words) says(hk_error(), words)

/* The call fails with this status, and its error contains the words. */
#define fails_with(got, status, words) check_refused(got, status, words, __FILE__, __LINE__)

void check_ok(hk_status status, const char *file, int line);
void check_near(double got, double expected, double tolerance, const char *file, int line);
void check_says(const char *text, const char *words, const char *file, int line);
void check_refused(hk_status got, hk_status status, const char *words, const char *file, int line);

/* Memory that ends at the k-th allocation, k = 1, 2, ..., until the call succeeds. One that fails says HK_NO_RESOURCES, and nothing is kept.
 *
 *   shortage memory = {0};
 *   while (next_shortage(&memory)) memory.status = call(); */
typedef struct shortage {
  hk_count k, held; /* held: bytes before the call */
  hk_status status; /* of the call */
} shortage;
bool next_shortage(shortage *memory);

/* max |got - expected| / max |expected|; not-a-number if any value is. */
double difference_of(const double *got, const double *expected, hk_count count);

/* a . b */
double dot(hk_count n, const double *a, const double *b);

/* A new array of zeros; hk_free. */
double *vector(hk_count n);

/* A random number in [-0.5, 0.5], from rand(). */
double uniform(void);
