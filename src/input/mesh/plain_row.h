/* Rows of a table as programs write them, eight characters at a time. */
#pragma once
#include "input/mesh/rows.h"

/* The row that begins at `at`, into integer[rows->integers] and number[rows->numbers]: where the next line begins. NULL: the row may be anything
 * but plain, or less than a row's characters are left before `end`; nothing is then said of it. Plain are integers of up to 8 digits, numbers, a
 * comma (blanks, where rows->commas is false) and blanks between them, lines ended by LF or CR LF, behind a comma within the integers too. A
 * plain row is one that hk_rows reads character by character too, with the same values. */
const char *hk_plain_row(const hk_rows *rows, const char *at, const char *end, int64_t *integer,
                         double *number);

/* The integers of the line at `at`, which commas and blanks separate: how many, in integer[most], and *next = where the next line begins. 0: the
 * line may be anything else, as above. A comma may end the line. */
int hk_plain_integers(const char *at, const char *end, int most, int64_t *integer,
                      const char **next);
