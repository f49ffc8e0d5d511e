/* Keys of a signal. */
#include "input/case/keys/rules.h"
#include "input/case/keys/words.h"
#include <stddef.h>

static const hk_rule number = {.doc = "a plain number", NUMBER};
static const hk_rule duration = {.doc = "a time", NUMBER, TIME};
static const char *const windows[] = {"hann", "none", NULL};

static const hk_rule toneburst[] = {
    {.key = "frequency",
     .doc = "centre frequency f",
     NUMBER,
     FREQUENCY,
     .range = HK_POSITIVE,
     .required = true},
    {.key = "cycles",
     .doc = "cycles; the burst lasts cycles / f",
     NUMBER,
     .range = HK_POSITIVE,
     .required = true},
    {.key = "window",
     .doc = "w(t): hann is (1 - cos(2 pi f t / cycles)) / 2, none is 1",
     .usual = "hann",
     .form = HK_FORM_CHOICE,
     .choice = windows},
    END};
static const hk_rule gaussian[] = {
    {.key = "a",
     .doc = "a of exp(-a (t - t0)^2); or give width",
     NUMBER,
     RATE_SQUARED,
     .range = HK_POSITIVE},
    {.key = "width",
     .doc = "full width at half height: a = 4 ln 2 / width^2",
     NUMBER,
     TIME,
     .range = HK_POSITIVE},
    {.key = "t0", .doc = "time of the peak", NUMBER, TIME, .required = true},
    END};
static const hk_rule ricker[] = {
    {.key = "frequency",
     .doc = "centre frequency f",
     NUMBER,
     FREQUENCY,
     .range = HK_POSITIVE,
     .required = true},
    {.key = "t0", .doc = "time of the peak; 1.2 / f unless given", NUMBER, TIME},
    END};
static const hk_rule step[] = {END};
static const hk_rule table[] = {
    {.key = "file",
     .doc = "CSV file of two columns, time and value; relative to the case file",
     TEXT},
    {.key = "time_unit", .doc = "unit of the file's times; the case file's own unless given", TEXT},
    {.key = "time", .doc = "times, ascending; with value", LIST_OF(duration)},
    {.key = "value",
     .doc = "values at these times; linear between, constant beyond",
     LIST_OF(number)},
    END};
const hk_rule hk_signal_rules[] = {
    {.key = "toneburst", .doc = "w(t) sin(2 pi f t) for 0 <= t <= cycles / f", MAP(toneburst)},
    {.key = "gaussian", .doc = "exp(-a (t - t0)^2)", MAP(gaussian)},
    {.key = "ricker", .doc = "(1 - 2 A (t - t0)^2) exp(-A (t - t0)^2), A = (pi f)^2", MAP(ricker)},
    {.key = "step", .doc = "1 from t = 0 on", MAP(step)},
    {.key = "table", .doc = "values at given times, from a file or listed here", MAP(table)},
    {.key = "scale", .doc = "the signal is multiplied by it", .usual = "1", NUMBER},
    END};
