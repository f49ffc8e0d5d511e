/* The part of the table of keys (rules.h) that describes `fields`: numbers at each place, from a grid or a random medium, which formulas use by name. */
#include "input/case/keys/words.h"

static const hk_key length = RULE("a length", NUMBER, LENGTH, POSITIVE);
static const char *const outsides[] = {"refuse", "nearest", NULL};
static const char *const interpolations[] = {"linear", "nearest", NULL};
static const char *const kinds[] = {"gaussian", "exponential", "von_karman", NULL};
static const char *const letters[] = {"x", "y", "z", NULL};
static const hk_key letter = RULE("a coordinate", CHOICE(letters));

static const hk_key lengths =
    RULE("along x, y and z (2D: x and y)", LIST_OF(length), FROM_TO(2, 3));
static const hk_key random_keys[] = {
    KEY("correlation", "correlation length, one or along x, y and z", NUMBER, LENGTH, POSITIVE,
        REQUIRED, OR(lengths)),
    KEY("std", "standard deviation; the mean is 0", NUMBER, NOT_NEGATIVE, REQUIRED),
    KEY("kind",
        "correlation at a distance of r correlation lengths: gaussian exp(-r^2), exponential "
        "exp(-r), or that of von Karman",
        CHOICE(kinds), USUAL("gaussian")),
    KEY("hurst", "von_karman: Hurst's number, above 0 and at most 1", NUMBER, POSITIVE,
        FROM_TO(0, 1), USUAL("0.3")),
    KEY("seed", "another number gives another medium", INTEGER, FROM_TO(0, 9007199254740992.0),
        USUAL("0")),
    KEY("modes", "plane waves that are added; the cost grows with them", INTEGER,
        FROM_TO(10, 100000), USUAL("1000")),
    END,
};

const hk_key hk_spatial_rules[] = {
    KEY("file",
        "grid: a CSV file with columns x, y, z, an HDF5 file or a netCDF file, relative to the "
        "case "
        "file",
        TEXT),
    KEY("name", "grid: the column, dataset or variable; the only one unless given", TEXT),
    KEY("axes",
        "grid: which coordinate each dimension of the dataset is, in the order of the dimensions; "
        "as "
        "the file names them unless given",
        LIST_OF(letter), FROM_TO(1, 3)),
    KEY("unit", "grid: unit of the values; that of the file unless given, else the model's", TEXT),
    KEY("axis_unit",
        "grid: unit of the coordinates; that of the file unless given, else the model's", TEXT),
    KEY("outside", "grid: what its outside is: an error, or the value of the nearest point",
        CHOICE(outsides), USUAL("refuse")),
    KEY("interpolation", "grid: between its points", CHOICE(interpolations), USUAL("linear")),
    KEY("random", "a random medium: a number at each place of mean 0", MAP(random_keys)),
    END,
};
