/* The part of the table of keys (rules.h) that describes `signal`: toneburst, gaussian, ricker (the formulas stand in the
 * keys' words and in docs/theory/waves.md, (W.9)), step, a table of values, and their scale. Members of hk_signal are
 * filled by the rules themselves. */
#include "input/case/keys/words.h"

static const hk_key number = RULE("a plain number", NUMBER);
static const hk_key duration = RULE("a time", NUMBER, TIME);
static const char *const windows[] = {"hann", "none", NULL};

static const hk_key toneburst[] = {
    KEY("frequency", "centre frequency f", NUMBER, FREQUENCY, POSITIVE, REQUIRED,
        INTO(hk_signal, frequency)),
    KEY("cycles", "cycles; the burst lasts cycles / f", NUMBER, POSITIVE, REQUIRED,
        INTO(hk_signal, cycles)),
    KEY("window", "w(t): hann is (1 - cos(2 pi f t / cycles)) / 2, none is 1", CHOICE(windows),
        USUAL("hann")),
    END,
};
static const hk_key gaussian[] = {
    KEY("a", "a of exp(-a (t - t0)^2); or give width", NUMBER, RATE_SQUARED, POSITIVE,
        INTO(hk_signal, a)),
    KEY("width", "full width at half height: a = 4 ln 2 / width^2", NUMBER, TIME, POSITIVE),
    KEY("t0", "time of the peak", NUMBER, TIME, REQUIRED, INTO(hk_signal, t0)),
    END,
};
static const hk_key ricker[] = {
    KEY("frequency", "centre frequency f", NUMBER, FREQUENCY, POSITIVE, REQUIRED,
        INTO(hk_signal, frequency)),
    KEY("t0", "time of the peak; 1.2 / f unless given", NUMBER, TIME, INTO(hk_signal, t0)),
    END,
};
static const hk_key step[] = {
    END,
};
static const hk_key table[] = {
    KEY("file", "CSV file of two columns, time and value; relative to the case file", TEXT),
    KEY("time_unit", "unit of the file's times; the case file's own unless given", TEXT),
    KEY("time", "times, ascending; with value", LIST_OF(duration)),
    KEY("value", "values at these times; linear between, constant beyond", LIST_OF(number)),
    END,
};
const hk_key hk_signal_rules[] = {
    KEY("toneburst", "w(t) sin(2 pi f t) for 0 <= t <= cycles / f", MAP(toneburst)),
    KEY("gaussian", "exp(-a (t - t0)^2)", MAP(gaussian)),
    KEY("ricker", "(1 - 2 A (t - t0)^2) exp(-A (t - t0)^2), A = (pi f)^2", MAP(ricker)),
    KEY("step", "1 from t = 0 on", MAP(step)),
    KEY("table", "values at given times, from a file or listed here", MAP(table)),
    KEY("scale", "the signal is multiplied by it", NUMBER, USUAL("1"), INTO(hk_signal, scale)),
    END,
};
