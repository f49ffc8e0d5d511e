/* The part of the table of keys (rules.h) that describes `plane_wave` and `injection` of a source. */
#include "input/case/keys/words.h"

static const hk_key number = RULE("a plain number", NUMBER);
static const hk_key length = RULE("a coordinate", NUMBER, LENGTH);
static const char *const kinds[] = {
    [HK_WAVE_P] = "p", [HK_WAVE_SV] = "sv", [HK_WAVE_SH] = "sh", NULL};

const hk_key hk_wave_rules[] = {
    KEY("kind",
        "p: moves along its direction; sv: across it, in its plane with the vertical (y in 2D, z "
        "in 3D); sh: across both",
        CHOICE(kinds), REQUIRED),
    KEY("displacement", "amplitude of the displacement, times the signal", NUMBER, LENGTH,
        REQUIRED),
    KEY("direction", "in which it runs; or give incidence", LIST_OF(number), FROM_TO(2, 3)),
    KEY("incidence",
        "angle of its direction with the vertical in degrees, 0: upwards; in 2D above 0 towards "
        "+x, below 0 towards -x; or give direction",
        NUMBER, FROM_TO(-180, 180)),
    KEY("azimuth",
        "3D, with incidence: of its direction, in degrees from north (y) towards east (x); 0 "
        "unless given",
        NUMBER),
    KEY("through",
        "a point that it passes at the signal's time 0; unless given the node of the elements, and "
        "of those beside them, that it reaches first",
        LIST_OF(length), FROM_TO(2, 3)),
    KEY("free_surface",
        "coordinate (y in 2D, z in 3D) of the free surface of a half-space, the upper side of the "
        "mesh, which sends it back; a full space unless given",
        NUMBER, LENGTH),
    END,
};

const hk_key hk_injection_rules[] = {
    KEY("file",
        "HDF5 file, relative to the case file, with the wave at all points that `hooke inject` "
        "writes: run.h5 of another run, or a file of that form (docs/sources.md)",
        TEXT, REQUIRED),
    KEY("traces", "name of its traces; the only one unless given", TEXT),
    KEY("shot", "number of its shot, from 1; the only one unless given", INTEGER, FROM_TO(1, 1e6)),
    KEY("axis",
        "3D: x and y of the vertical axis about which the wave is symmetric; the file is then of "
        "an "
        "axisymmetric model",
        LIST_OF(length), FROM_TO(2, 2)),
    END,
};
