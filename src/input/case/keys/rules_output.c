/* The part of the table of keys (rules.h) that describes `outputs`: traces at nodes and points, frames of fields, printed tables, and their
 * quantities. Members of requests are filled by the rules themselves. */
#include "input/case/keys/words.h"

static const hk_key length = RULE("a length", NUMBER, LENGTH);
static const hk_key point = RULE("a point", LIST_OF(length), FROM_TO(2, 3));
static const hk_key by_spacing =
    RULE("equally spaced points, or those of a file", MAP(hk_spaced_rules), ONE_OF);

static const char *quantity_word(int k)
{
  return k < HK_QUANTITY_COUNT ? hk_quantity_name((hk_quantity)k) : NULL;
}
static const hk_key quantity = RULE("a quantity", WORDS(quantity_word));

#define QUANTITY                                                                                   \
  KEY("quantity",                                                                                  \
      "one or a list; displacement unless given; stress and strain; reaction of static "           \
      "solutions; velocity, acceleration, divergence and rotation (half the curl of the "          \
      "displacement) of explicit steps; strain_rate of their traces; temperature, reaction and "   \
      "heat_flux of heat conduction; pressure of fluids, there unless given",                      \
      LIST_OF(quantity), FROM_TO(1, 12), OR(quantity))

static const hk_key fibre[] = {
    KEY("points", "the points that the cable joins by straight lines, in their order", REQUIRED,
        LIST_OF(point), FROM_TO(2, 1e6), OR(by_spacing)),
    KEY("gauge", "length over which the strain is the mean", NUMBER, LENGTH, POSITIVE, REQUIRED),
    KEY("spacing", "distance of the channels along the cable; the gauge length unless given",
        NUMBER, LENGTH, POSITIVE),
    END,
};

const char *const hk_node_orders[] = {"number", "arc", NULL};
const hk_key hk_trace_rules[] = {
    KEY("name", "name in run.h5; that of the set unless given", TEXT),
    KEY("set", "set of nodes; or give at", TEXT),
    NODE_ORDER,
    KEY("at", "points of the body; or give set", LIST_OF(point), FROM_TO(1, 1e9), OR(by_spacing)),
    KEY("fibre",
        "a cable in place of points (distributed acoustic sensing): strain and strain_rate along "
        "it, "
        "means over a gauge length",
        MAP(fibre)),
    QUANTITY,
    KEY("every", "steps between samples", INTEGER, FROM_TO(1, 2147483647), USUAL("1"),
        INTO(hk_trace_request, every)),
    KEY("interval", "time between samples; or give every", NUMBER, TIME, POSITIVE,
        INTO(hk_trace_request, interval)),
    END,
};
static const hk_key trace_rule =
    RULE("quantities at nodes or points over time", MAP(hk_trace_rules));
static const hk_key shot_number = RULE("number of a shot, from 1", INTEGER, FROM_TO(1, 1e6));
const hk_key hk_field_rules[] = {
    QUANTITY,
    KEY("frames", "number of frames, equally spaced, without that at t = 0", INTEGER,
        FROM_TO(1, 10000000), USUAL("100"), INTO(hk_field_request, frames)),
    KEY("interval", "time between frames; or give frames", NUMBER, TIME, POSITIVE,
        INTO(hk_field_request, interval)),
    KEY("shots", "numbers of the shots, from 1, whose frames are kept: field_shot0001.vtkhdf, ...",
        LIST_OF(shot_number), FROM_TO(1, 1e6), OR(shot_number)),
    END,
};
static const char *const of_peaks[] = {"displacement", "velocity", "acceleration", "pressure",
                                       NULL};
static const hk_key peak_quantity = RULE("a quantity", CHOICE(of_peaks));
const hk_key hk_peak_rules[] = {
    KEY("quantity",
        "one or a list of displacement, velocity and acceleration of solids, pressure of fluids; "
        "velocity unless given, or pressure where all is fluid",
        LIST_OF(peak_quantity), FROM_TO(1, 4), OR(peak_quantity)),
    END,
};
static const char *const totals[] = {"no", "yes", "only", NULL};
static const hk_key print[] = {
    KEY("set", "nodes for displacement and reaction, elements for stress and strain", TEXT,
        REQUIRED),
    QUANTITY,
    KEY("totals",
        "also, or only, sums over the set; printed reactions and their sums are K u as in "
        "CalculiX, including the loads on the nodes; run.h5 and `info` have K u - f at held nodes",
        CHOICE(totals)),
    AXES,
    END,
};
static const hk_key print_rule = RULE("values of a set in a text table", MAP(print));
static const char *const components[] = {"x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz", NULL};
static const char *const sections[] = {"wiggle", "density", NULL};
static const hk_key number = RULE("a number", NUMBER);
const hk_key hk_picture_rules[] = {
    KEY("quantity", "the quantity of the field that is drawn; all unless given",
        WORDS(quantity_word)),
    KEY("component", "its component, with its sign; the size unless given", CHOICE(components)),
    KEY("range", "ends of the colours, in the case's units; of the frames unless given",
        LIST_OF(number), FROM_TO(2, 2)),
    KEY("decibels", "colours go so many decibels below the largest size", NUMBER, POSITIVE,
        INTO(hk_picture_request, decibels)),
    KEY("section",
        "more than eight traces side by side as curves or as colours; curves where there is room "
        "unless given",
        CHOICE(sections)),
    KEY("scale",
        "value of a spacing of curves, or of full colour, of a section; the upper quartile of the "
        "peaks unless given",
        NUMBER, POSITIVE, INTO(hk_picture_request, scale)),
    END,
};
const hk_key hk_output_rules[] = {
    KEY("print", "tables of static solutions and, at each frame, of transient heat",
        LIST_OF(print_rule)),
    KEY("traces", "traces in run.h5", LIST_OF(trace_rule)),
    KEY("field", "frames of all nodes in field.vtkhdf", MAP(hk_field_rules)),
    KEY("picture", "what pictures of the run and its report show", MAP(hk_picture_rules)),
    KEY("peak",
        "peak maps of explicit steps: the largest norm over time at every node, in "
        "field_peak.vtkhdf, of shots a frame each",
        MAP(hk_peak_rules)),
    END,
};
