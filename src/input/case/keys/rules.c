/* The table of keys of a case file, all but those of the mesh, signals, outputs and `solve` (rules_mesh.c, rules_signal.c, rules_output.c,
 * rules_solve.c). Each line has the key, its words for users, its form, dimension, range and default. The same table checks cases (check.c),
 * gives the JSON Schema (schema.c) and docs/reference/case.md. Keys that users of other programs look for are refused with the reason. */
#include "input/case/keys/words.h"

static const hk_key name = RULE("a name", TEXT);
static const hk_key number = RULE("a plain number", NUMBER);
static const hk_key length = RULE("a length", NUMBER, LENGTH);
static const hk_key duration = RULE("a time", NUMBER, TIME);
static const hk_key speed = RULE("a speed", NUMBER, SPEED);
static const hk_key pressure = RULE("force per area", NUMBER, PRESSURE);
static const hk_key acceleration = RULE("an acceleration", NUMBER, ACCELERATION);
static const hk_key force = RULE("a force", NUMBER, FORCE);
static const hk_key force_per_volume = RULE("force per volume", NUMBER, FORCE_PER_VOLUME);
static const hk_key frequency = RULE("a frequency", NUMBER, FREQUENCY, POSITIVE);
static const hk_key point = RULE("a point", LIST_OF(length), FROM_TO(2, 3));

static const hk_key formula[] = {
    KEY("formula",
        "in x, y, z and the names of `fields` in the file's units: numbers, + - * / ^, (), pi, "
        "sin, cos, tan, exp, log, "
        "sqrt, abs, tanh, min, max",
        TEXT, REQUIRED),
    END,
};
static const hk_key by_place = RULE("another value at each place", MAP(formula));

static const char *const density_laws[] = {"gardner", "nafe_drake", NULL};
static const hk_key density_by[] = {
    KEY("formula", "in x, y, z, fields, and p_speed, s_speed or sound_speed of the material", TEXT),
    KEY("law", "of the speed of pressure waves: Gardner's, or Nafe and Drake's",
        CHOICE(density_laws)),
    END,
};
static const hk_key varying_density =
    RULE("another value in each element, or a law", MAP(density_by), ONE_OF);

static const hk_key conductivity =
    RULE("heat per length, time and temperature", NUMBER, CONDUCTIVITY);
static const hk_key temperature = RULE("a temperature", NUMBER, TEMPERATURE);
static const hk_key conducting = RULE("a conductivity", NUMBER, CONDUCTIVITY, POSITIVE);
static const hk_key heating = RULE("a specific heat", NUMBER, SPECIFIC_HEAT, POSITIVE);
#define TEMPERATURES                                                                               \
  KEY("temperature", "temperatures, ascending", LIST_OF(temperature), FROM_TO(1, 10000), REQUIRED)
#define TABULATED "a value for each; linear between them, constant outside"
static const hk_key conductivity_table[] = {
    TEMPERATURES,
    KEY("value", TABULATED, LIST_OF(conducting), FROM_TO(1, 10000), REQUIRED),
    END,
};
static const hk_key heat_table[] = {
    TEMPERATURES,
    KEY("value", TABULATED, LIST_OF(heating), FROM_TO(1, 10000), REQUIRED),
    END,
};
#define WARM_FORMULA "in x, y, z and the temperature T in the file's units, as elsewhere"
static const hk_key warm_formula[] = {
    KEY("formula", WARM_FORMULA, TEXT, REQUIRED),
    END,
};
static const hk_key by_warmth =
    RULE("another value at each place or temperature", MAP(warm_formula));
static const hk_key conductivity_by[] = {
    KEY("formula", WARM_FORMULA, TEXT),
    KEY("table", "by temperature", MAP(conductivity_table)),
    END,
};
static const hk_key heat_by[] = {
    KEY("formula", WARM_FORMULA, TEXT),
    KEY("table", "by temperature", MAP(heat_table)),
    END,
};
static const hk_key varying_conductivity =
    RULE("another value at each place, or by temperature", MAP(conductivity_by), ONE_OF);
static const hk_key varying_heat =
    RULE("another value at each place, or by temperature", MAP(heat_by), ONE_OF);

static const hk_key latent_heat[] = {
    KEY("value", "heat per mass", NUMBER, LATENT_HEAT, NOT_NEGATIVE, REQUIRED),
    KEY("solidus", "temperature at which melting begins", NUMBER, TEMPERATURE, REQUIRED),
    KEY("liquidus", "temperature at which it ends, above solidus", NUMBER, TEMPERATURE, REQUIRED),
    END,
};

#define STIFFNESS(k)                                                                               \
  KEY(k, "stiffness, Voigt order xx yy zz yz xz xy; those not given are 0", NUMBER, PRESSURE)

#define MODULUS(k, x)                                                                              \
  KEY("E" k, "orthotropic: Young's modulus along local " x "; E1 to G23 together", NUMBER,         \
      PRESSURE, POSITIVE)
#define CONTRACTION(k, x, y)                                                                       \
  KEY("nu" k, "orthotropic: contraction along local " y " per extension along " x, NUMBER)
#define SHEAR(k, x, y)                                                                             \
  KEY("G" k, "orthotropic: shear modulus of local " x " and " y, NUMBER, PRESSURE, POSITIVE)

#define STIFFNESSES                                                                                \
  STIFFNESS("c11"), STIFFNESS("c12"), STIFFNESS("c13"), STIFFNESS("c14"), STIFFNESS("c15"),        \
      STIFFNESS("c16"), STIFFNESS("c22"), STIFFNESS("c23"), STIFFNESS("c24"), STIFFNESS("c25"),    \
      STIFFNESS("c26"), STIFFNESS("c33"), STIFFNESS("c34"), STIFFNESS("c35"), STIFFNESS("c36"),    \
      STIFFNESS("c44"), STIFFNESS("c45"), STIFFNESS("c46"), STIFFNESS("c55"), STIFFNESS("c56"),    \
      STIFFNESS("c66")

static const hk_key conductivities =
    RULE("along x, y and z (2D: x and y), or xx yy zz xy xz yz", LIST_OF(conductivity),
         FROM_TO(2, 6), OR(varying_conductivity));

static const hk_key stream = RULE("a speed", NUMBER, SPEED, OR(by_place));
static const hk_key coefficient = RULE("a number", NUMBER, OR(by_place));
static const hk_key diffusions = RULE("along x, y and z (2D: x and y), or a matrix row by row",
                                      LIST_OF(coefficient), FROM_TO(2, 9), OR(by_place));
static const hk_key coupled_term[] = {
    KEY("equation", "name of the unknown whose equation it is; of one unknown not needed", TEXT),
    KEY("unknown", "name of the unknown in it; that of the equation unless given", TEXT),
    KEY("diffusion", "c of -div(c grad u): one number, a list or a formula", NUMBER,
        OR(diffusions)),
    KEY("convection", "b of b . grad u, along x, y and z (2D: x and y)", LIST_OF(coefficient),
        FROM_TO(2, 3)),
    KEY("conservative_convection", "a of -div(a u), along x, y and z (2D: x and y)",
        LIST_OF(coefficient), FROM_TO(2, 3)),
    KEY("reaction", "r of r u", NUMBER, OR(by_place)),
    KEY("capacity", "transient: m of m du/dt", NUMBER, OR(by_place)),
    END,
};
static const hk_key coupled_rule =
    RULE("coefficients of one unknown in one equation", MAP(coupled_term));
static const char *const stabilisations[] = {HK_STABILISATION_WORDS, NULL};
const hk_key hk_material_rules[] = {
    KEY("density", "mass per volume", NUMBER, DENSITY, POSITIVE, .required_in_time = true,
        OR(varying_density), INTO(hk_material, density)),
    KEY("young", "Young's modulus; with poisson", NUMBER, PRESSURE, POSITIVE, OR(by_place)),
    KEY("poisson", "Poisson's ratio, above -1 and below 0.5; with young", NUMBER, OR(by_place)),
    KEY("p_speed", "speed of pressure waves; with s_speed", NUMBER, SPEED, POSITIVE, OR(by_place)),
    KEY("s_speed", "speed of shear waves; with p_speed", NUMBER, SPEED, POSITIVE, OR(by_place)),
    KEY("sound_speed", "speed of sound of a fluid", NUMBER, SPEED, POSITIVE, OR(by_place)),
    KEY("bulk", "bulk modulus of a fluid; or give sound_speed", NUMBER, PRESSURE, POSITIVE,
        OR(by_place)),
    KEY("lambda", "Lame's first constant; with mu", NUMBER, PRESSURE, OR(by_place)),
    KEY("mu", "shear modulus; with lambda", NUMBER, PRESSURE, POSITIVE, OR(by_place)),
    KEY("vp0",
        "Thomsen: speed of pressure waves along the axis, which is the last local axis (3D: z, 2D: "
        "y); vp0 to gamma together",
        NUMBER, SPEED, POSITIVE),
    KEY("vs0", "Thomsen: speed of shear waves along the axis", NUMBER, SPEED, POSITIVE),
    KEY("epsilon", "Thomsen: (c11 - c33) / (2 c33)", NUMBER),
    KEY("delta", "Thomsen: ((c13 + c44)^2 - (c33 - c44)^2) / (2 c33 (c33 - c44))", NUMBER),
    KEY("gamma", "Thomsen: (c66 - c44) / (2 c44)", NUMBER),
    MODULUS("1", "x"),
    MODULUS("2", "y"),
    MODULUS("3", "z"),
    CONTRACTION("12", "x", "y"),
    CONTRACTION("13", "x", "z"),
    CONTRACTION("23", "y", "z"),
    SHEAR("12", "x", "y"),
    SHEAR("13", "x", "z"),
    SHEAR("23", "y", "z"),
    STIFFNESSES,
    KEY("q_s",
        "attenuation: quality factor of shear waves, the same over q_band; explicit steps of "
        "spectral "
        "elements",
        NUMBER, POSITIVE),
    KEY("q_p",
        "attenuation: quality factor of pressure waves, in solids and fluids; unless given, "
        "changes "
        "of volume of a solid lose nothing",
        NUMBER, POSITIVE),
    KEY("q_band", "attenuation: frequencies between which q_s and q_p hold", LIST_OF(frequency),
        FROM_TO(2, 2)),
    KEY("q_frequency",
        "attenuation: where waves have the speeds of the constants above; the middle of q_band "
        "(the "
        "root of the product of its ends) unless given",
        NUMBER, FREQUENCY, POSITIVE),
    KEY("kelvin_voigt",
        "attenuation of a solid that grows with the frequency: t of stress = C (strain + t "
        "dstrain/dt)",
        NUMBER, TIME, POSITIVE),
#define EACH_CONSTANT(law, place, name, text, ...)                                                 \
  KEY(#law "_" #name, text, NUMBER, INTO(hk_material, constant[place]), __VA_ARGS__),
#include "physics/list.k.h"
#undef EACH_CONSTANT
    KEY("damping", "d of the damping force: d times mass times velocity", NUMBER, RATE,
        NOT_NEGATIVE, INTO(hk_material, mass_damping)),
    KEY("conductivity",
        "heat: one number, or along x, y and z (2D: x and y), or xx yy zz xy xz yz; or a formula, "
        "or "
        "a table by temperature",
        NUMBER, CONDUCTIVITY, POSITIVE, OR(conductivities)),
    KEY("specific_heat",
        "transient heat, and material with a velocity: heat per mass and temperature; with density",
        NUMBER, SPECIFIC_HEAT, POSITIVE, OR(varying_heat), INTO(hk_material, specific_heat)),
    KEY("latent_heat",
        "transient heat: heat per mass that a change of phase stores, evenly between solidus and "
        "liquidus",
        MAP(latent_heat)),
    KEY("reaction",
        "heat: beta of -div(k grad T) + beta T = heat, per volume, time and temperature", NUMBER,
        REACTION, NOT_NEGATIVE, OR(by_warmth), INTO(hk_material, reaction)),
    KEY("order",
        "the order of elements is not of their material: give element: {order: 3}, and others of "
        "sets as element: {orders: {SET: 5}}",
        REFUSED),
    KEY("advection", "give the velocity of the material, with density and specific_heat", REFUSED),
    KEY("velocity",
        "heat: v of rho c v . grad T, along x, y and z (2D: x and y), each a number or a formula; "
        "with density and specific_heat",
        LIST_OF(stream), FROM_TO(2, 3)),
    KEY("terms",
        "coupled equations: what each has of each unknown, in plain numbers of the file's units; "
        "several for the same pair are added",
        LIST_OF(coupled_rule), FROM_TO(1, 1000)),
    KEY("stabilisation",
        "with velocity: streamline stabilisation (SUPG), auto: where the element Peclet number is "
        "above 1; supg: everywhere",
        CHOICE(stabilisations), USUAL("auto"), INTO(hk_material, advection.stabilisation)),
    KEY("axes",
        "name of the axes in which E1 to G23, vp0 to gamma, c11 to c66, or conductivities are "
        "given; global "
        "unless given",
        TEXT),
    END,
};

static const hk_key material_rule =
    RULE("density with young and poisson, or p_speed and s_speed, or lambda and mu, or E1 to G23, "
         "or vp0 to gamma, or c11 to c66, or of a fluid sound_speed or bulk",
         MAP(hk_material_rules));
static const hk_key region_rule =
    RULE("the name of a material, or the material itself", TEXT, OR(material_rule));

static const char *const step_word[] = {"step", NULL};

static const hk_key step_rule = RULE("1 from t = 0 on", CHOICE(step_word));
#define SIGNAL                                                                                     \
  KEY("signal", "factor over time; constant 1 from the start unless given", MAP(hk_signal_rules),  \
      OR(step_rule))
#define DELAY                                                                                      \
  KEY("delay",                                                                                     \
      "delay of the signal; a list: one per node of the set (order p: per vertex, "                \
      "interpolated between them), in ascending order of node number",                             \
      LIST_OF(duration), OR(duration))
#define DIRECTION                                                                                  \
  KEY("direction", "direction; its length does not matter", LIST_OF(number), FROM_TO(2, 3))

static const char *const components[] = {"x", "y", "z", NULL};
static const char *const held_words[] = {"x", "y", "z", "pressure", NULL};
static const hk_key component = RULE("a component, or the pressure of a fluid", CHOICE(held_words));
static const hk_key move[] = {
    KEY("x", "displacement along x", NUMBER, LENGTH),
    KEY("y", "displacement along y", NUMBER, LENGTH),
    KEY("z", "displacement along z", NUMBER, LENGTH),
    END,
};
static const hk_key cylinder_axes[] = {
    KEY("at", "a point of the axis", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("along", "3D: direction of the axis", LIST_OF(number), FROM_TO(3, 3)),
    END,
};
static const hk_key straight_axes[] = {
    KEY("x", "direction of local x", LIST_OF(number), FROM_TO(2, 3), REQUIRED),
    KEY("y", "3D, and plane: three-components: a direction in the plane of local x and y",
        LIST_OF(number), FROM_TO(3, 3)),
    END,
};
static const hk_key axes_keys[] = {
    KEY("cylinder", "radial, tangential and along an axis", MAP(cylinder_axes)),
    KEY("straight", "the same axes everywhere", MAP(straight_axes)),
    END,
};
static const hk_key axes_rule = RULE("local axes", MAP(axes_keys), ONE_OF);

static const hk_key exchanging = RULE("a film coefficient", NUMBER, FILM, NOT_NEGATIVE);
static const hk_key film_table[] = {
    TEMPERATURES,
    KEY("value", TABULATED, LIST_OF(exchanging), FROM_TO(1, 25), REQUIRED),
    END,
};
static const hk_key film_by[] = {
    KEY("formula", WARM_FORMULA, TEXT),
    KEY("table", "heat: by temperature", MAP(film_table)),
    END,
};
static const hk_key varying_film =
    RULE("another value at each place, or by temperature", MAP(film_by), ONE_OF);
static const hk_key film[] = {
    KEY("coefficient", "heat per area, time and temperature", NUMBER, FILM, NOT_NEGATIVE, REQUIRED,
        OR(varying_film)),
    KEY("sink", "temperature of the surroundings", NUMBER, TEMPERATURE, REQUIRED, OR(by_place)),
    END,
};
static const hk_key boundary[] = {
    KEY("set",
        "nodes for fix, move, temperature and value, faces for pressure, traction, flux and film",
        TEXT, REQUIRED),
    KEY("fix",
        "components held at 0; pressure: a free surface of a fluid, whose walls are otherwise "
        "rigid",
        LIST_OF(component), FROM_TO(1, 4), OR(component)),
    KEY("move", "prescribed components, value times signal; or a length along direction", MAP(move),
        OR(length)),
    DIRECTION,
    AXES,
    KEY("pressure", "pressure on the faces, positive into the body", NUMBER, PRESSURE),
    KEY("traction", "force per area on the faces", LIST_OF(pressure), FROM_TO(2, 3)),
    KEY("temperature", "heat: prescribed temperature", NUMBER, TEMPERATURE, OR(by_place)),
    KEY("flux",
        "heat: into the body per area and time; coupled equations: n . (c grad u + a u) of the "
        "equation",
        NUMBER, HEAT_FLUX, OR(by_warmth)),
    KEY("film",
        "heat: coefficient times (temperature - sink) leaves the body per area; coupled equations: "
        "the same of the unknown, from its equation",
        MAP(film)),
    KEY("unknown", "coupled equations: the name of the unknown; of one unknown not needed", TEXT),
    KEY("value", "coupled equations: prescribed value", NUMBER, OR(by_place)),
    SIGNAL,
    DELAY,
    END,
};
static const hk_key boundary_rule = RULE(
    "one of fix, move, pressure, traction on a set; of heat one of temperature, flux, film; of "
    "coupled equations one of value, flux, film",
    MAP(boundary));

static const hk_key term[] = {
    KEY("set", "nodes: one, or as many as in the other sets; or give node", TEXT),
    KEY("node", "number of a node", INTEGER, FROM_TO(1, 2147483647)),
    KEY("component", "component of its displacement", CHOICE(components), REQUIRED),
    KEY("factor", "factor of the displacement", NUMBER, USUAL("1")),
    END,
};
static const hk_key term_rule = RULE("factor times a displacement", MAP(term));
static const hk_key equation[] = {
    KEY("terms",
        "their sum is value; sets are paired node by node, in ascending order of node number "
        "(order p: of vertices)",
        LIST_OF(term_rule), FROM_TO(1, 10000), REQUIRED),
    KEY("value", "right-hand side of the equation", NUMBER, LENGTH, USUAL("0")),
    END,
};
static const hk_key equation_rule = RULE("sum of factor times displacement = value", MAP(equation));

static const hk_key initial[] = {
    KEY("set", "set of nodes", TEXT, REQUIRED),
    KEY("displacement", "displacement at t = 0", LIST_OF(length), FROM_TO(2, 3)),
    KEY("velocity", "velocity at t = 0", LIST_OF(speed), FROM_TO(2, 3)),
    KEY("pressure", "pressure of a fluid at t = 0", NUMBER, PRESSURE),
    KEY("temperature", "transient heat: temperature at t = 0", NUMBER, TEMPERATURE, OR(by_place)),
    KEY("unknown", "coupled equations: the name of the unknown; of one unknown not needed", TEXT),
    KEY("value", "transient coupled equations: its value at t = 0", NUMBER, OR(by_place)),
    END,
};
static const hk_key initial_rule = RULE("state of a set at t = 0", MAP(initial));

static const hk_key centrifugal[] = {
    KEY("speed", "angular velocity in radians per time: 2 pi times the turns", NUMBER, ANGULAR,
        NOT_NEGATIVE, REQUIRED),
    KEY("at", "a point of the axis", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("along", "3D: direction of the axis; z in 2D, y of axisymmetric models", LIST_OF(number),
        FROM_TO(3, 3)),
    END,
};
#define COMPONENT(k, words) KEY(k, words, NUMBER, MOMENT)
static const hk_key moment[] = {
    COMPONENT("xx", "along x, of forces along x; those not given are 0"),
    COMPONENT("yy", "along y"),
    COMPONENT("zz", "along z, in 3D; around the axis of axisymmetric models"),
    COMPONENT("xy", "forces along x, apart along y, and the reverse"),
    COMPONENT("xz", "the same of x and z"),
    COMPONENT("yz", "the same of y and z"),
    COMPONENT("rr", "3D, as catalogues have it: r up (z), t south (-y), p east (x)"),
    COMPONENT("tt", "along t"),
    COMPONENT("pp", "along p"),
    COMPONENT("rt", "of r and t"),
    COMPONENT("rp", "of r and p"),
    COMPONENT("tp", "of t and p"),
    END,
};
static const hk_key couple[] = {
    KEY("strike", "of the fault, in degrees from north (y) towards east (x); it dips to the right",
        NUMBER, REQUIRED),
    KEY("dip", "degrees below the horizontal, 0 to 90", NUMBER, FROM_TO(0, 90), REQUIRED),
    KEY("rake", "of the hanging wall's slip, in degrees from the strike, upwards positive", NUMBER,
        REQUIRED),
    KEY("moment", "scalar moment; or give magnitude", NUMBER, MOMENT, NOT_NEGATIVE),
    KEY("magnitude", "moment magnitude Mw; or give moment", NUMBER),
    END,
};
static const char *const windows[] = {"hann", "hamming", "blackman", "cosine", "triangle", NULL};
static const hk_key weight = RULE("a weight", NUMBER);
static const hk_key weights =
    RULE("weights of the elements that act", LIST_OF(weight), FROM_TO(1, 1e6));
static const hk_key element_number = RULE("number of an element", INTEGER, FROM_TO(1, 1e6));
static const hk_key source[] = {
    KEY("set",
        "nodes; or give at. Elements for gravity, body_force, heat, source, centrifugal and "
        "plane_wave and injection; all of them unless given; faces, nodes or elements for "
        "total_force",
        TEXT),
    KEY("at", "a point of the body, at a node or not; or give set", LIST_OF(length), FROM_TO(2, 3)),
    KEY("force", "force on each node of the set (of order p: on each vertex), or at the point",
        NUMBER, FORCE),
    KEY("total_force",
        "components of a force that the set shares: its faces by their area, its elements by their "
        "volume, or its nodes (of order p: vertices) in equal parts",
        LIST_OF(force), FROM_TO(2, 3)),
    KEY("displacement", "prescribed displacement along direction", NUMBER, LENGTH),
    KEY("velocity", "prescribed velocity along direction", NUMBER, SPEED),
    KEY("volume_rate",
        "volume per time that enters a fluid at the point, or at each node of the set (of order p: "
        "at each vertex)",
        NUMBER, VOLUME_RATE),
    KEY("moment",
        "moment tensor at a point: its components, times the signal; earthquakes, cracks, dipoles",
        MAP(moment)),
    KEY("explosion", "moment of an explosion at a point: equal components xx, yy and, in 3D, zz",
        NUMBER, MOMENT),
    KEY("double_couple", "slip on a fault, at a point in 3D: x east, y north, z up", MAP(couple)),
    KEY("fault",
        "a rupture: CSV file, relative to the case file, with a line of names and a line for each "
        "point: x, y, z, strike, dip, rake, moment or magnitude (or components xx, yy, ...), "
        "onset, "
        "rise_time; units in brackets behind the names",
        TEXT),
    KEY("plane_wave",
        "a plane wave that comes into the elements of the set, unless given all that touch no "
        "absorbing boundary; the others have what they scatter",
        MAP(hk_wave_rules)),
    KEY("injection",
        "a wave of a file, of another run or of another program, that comes into the elements of "
        "the set; the others have what they scatter",
        MAP(hk_injection_rules)),
    KEY("gravity", "acceleration; the force per volume is density times it", LIST_OF(acceleration),
        FROM_TO(2, 3)),
    KEY("body_force", "force per volume", LIST_OF(force_per_volume), FROM_TO(2, 3)),
    KEY("heat", "heat per volume and time, on elements, in heat conduction", NUMBER,
        HEAT_PER_VOLUME, OR(by_warmth)),
    KEY("centrifugal", "rotation about an axis; in static solutions", MAP(centrifugal)),
    KEY("unknown", "coupled equations: the unknown whose equation it is; of one not needed", TEXT),
    KEY("source", "coupled equations: right-hand side of the equation, on elements", NUMBER,
        OR(by_place)),
    KEY("apodisation",
        "part of the force or volume_rate that each node of the set has: a window along its "
        "longest direction, or a list, one for each in their order",
        CHOICE(windows), OR(weights)),
    KEY("aperture",
        "first and last of the set's nodes that act, from 1 in their order; all unless given",
        LIST_OF(element_number), FROM_TO(2, 2)),
    DIRECTION,
    AXES,
    SIGNAL,
    DELAY,
    END,
};
static const hk_key source_rule = RULE(
    "one of force, displacement, velocity along direction, on a set or at a point; total_force "
    "on a set; moment, explosion or double_couple at a point; volume_rate in a fluid; fault; "
    "plane_wave; injection; "
    "or one of gravity, body_force, centrifugal on elements",
    MAP(source));

static const hk_key by_spacing =
    RULE("equally spaced points, or those of a file", MAP(hk_spaced_rules), ONE_OF);

static const char *const each[] = {"node", NULL};
static const hk_key array[] = {
    KEY("set",
        "its elements: the nodes of a set (of order p: its vertices), in ascending order unless "
        "`order` says another; or give at",
        TEXT),
    NODE_ORDER,
    KEY("at", "its elements: points of the body; or give set", LIST_OF(point), FROM_TO(1, 1e6),
        OR(by_spacing)),
    KEY("each", "node: every node of the set is an element", CHOICE(each)),
    KEY("force", "force of the element that fires", NUMBER, FORCE),
    KEY("displacement", "prescribed displacement along direction", NUMBER, LENGTH),
    KEY("velocity", "prescribed velocity along direction", NUMBER, SPEED),
    KEY("volume_rate", "volume per time that enters a fluid", NUMBER, VOLUME_RATE),
    DIRECTION,
    SIGNAL,
    END,
};
static const hk_key source_list =
    RULE("sources that act together in one shot", LIST_OF(source_rule), FROM_TO(1, 1e6));
static const hk_key shot_rule =
    RULE("one shot: a source, or a list of sources", MAP(source), OR(source_list));
static const hk_key shot_list = RULE("shots one by one", LIST_OF(shot_rule), FROM_TO(1, 1e6));
static const hk_key shots[] = {
    KEY("array",
        "one shot per element of an array, which fires alone: with the force, displacement or "
        "velocity given here, else with the sources on the same set, else with all sources",
        MAP(array), REQUIRED),
    END,
};

static const char *const absorb_kinds[] = {
    [HK_ABSORB_LAYER] = "layer", [HK_ABSORB_STACEY] = "stacey", [HK_ABSORB_PML] = "pml", NULL};
const hk_key hk_absorb_rules[] = {
    KEY("kind",
        "layer: damping that grows; stacey: dashpots on the faces; pml: a perfectly matched layer "
        "of spectral elements",
        CHOICE(absorb_kinds), USUAL("layer")),
    KEY("sets", "face sets (layer: or node sets) of the absorbing boundary", LIST_OF(name),
        OR(name), REQUIRED),
    KEY("thickness", "layer, pml: its thickness L; chosen unless given", NUMBER, LENGTH, POSITIVE,
        INTO(hk_absorb, thickness)),
    KEY("d_max", "layer: largest damping of d = d_max (x / L)^3; chosen unless given", NUMBER, RATE,
        POSITIVE, INTO(hk_absorb, d_max)),
    END,
};
static const hk_key absorb_rule = RULE("an absorbing boundary", MAP(hk_absorb_rules));
static const hk_key absorb_list = RULE("absorbing boundaries", LIST_OF(absorb_rule));

static const hk_key units[] = {
    KEY("length", "unit of length", TEXT, USUAL("m")),
    KEY("mass", "unit of mass", TEXT, USUAL("kg")),
    KEY("time", "unit of time", TEXT, USUAL("s")),
    KEY("temperature", "unit of temperature", TEXT, USUAL("K")),
    END,
};
static const char *const without_units[] = {"none", NULL};
static const hk_key no_units =
    RULE("none: only plain numbers, without dimensions", CHOICE(without_units));
static const char *const physics[] = {"elastic", "heat", "acoustic", "coupled", NULL};
static const char *const planes[] = {"strain",    "stress",           "axisymmetric",
                                     "antiplane", "three-components", NULL};
static const hk_key damping[] = {
    KEY("mass", "d of C = d M, added to each material's own", NUMBER, RATE, NOT_NEGATIVE),
    END,
};

static const hk_key field_rule = RULE("a grid or a random medium", MAP(hk_spatial_rules));
static const hk_key set_by_place =
    RULE("where it lies: all shapes that are given must hold", MAP(hk_place_rules));
static const hk_key file[] = {
    KEY("title", "a line of text for reports and pictures", TEXT),
    KEY("mesh",
        "mesh file (.msh .inp .vtu .vtkhdf, or .geo where gmsh may run), relative to the case "
        "file, its coordinates in the file's unit of length; or a generator",
        TEXT, REQUIRED, OR(hk_generator_rule)),
    KEY("units", "units of plain numbers and of the results; SI unless given; or none", MAP(units),
        OR(no_units)),
    KEY("physics",
        "elastic, acoustic (only fluids), heat, which solve.heat solves, or coupled, which "
        "solve.coupled does",
        CHOICE(physics), USUAL("elastic")),
    KEY("plane",
        "2D: plane strain, plane stress, axisymmetric about the line x = 0 (r = x, z = y; all "
        "integrals over the whole ring), antiplane: waves with motion along z alone (SH), or "
        "three-components: waves with u_x, u_y and u_z of x and y",
        CHOICE(planes), USUAL("strain"), INTO(hk_region, plane)),
    KEY("thickness", "2D: thickness; with units: none 1", NUMBER, LENGTH, POSITIVE, USUAL("1 m"),
        INTO(hk_region, thickness)),
    KEY("element", "order and integration of the elements", MAP(hk_element_rules)),
    KEY("sets",
        "sets of nodes, faces or elements by place, with names of their own; they are used as "
        "those of the mesh",
        NAMED(set_by_place)),
    HK_CRACK_RULE,
    KEY("fields",
        "numbers at each place, from a grid or a random medium; formulas use them by their names",
        NAMED(field_rule)),
    KEY("materials", "materials by name", NAMED(material_rule)),
    KEY("regions",
        "material of each element set; `all`: of the elements that no other region names. Not "
        "needed with one material",
        NAMED(region_rule)),
    KEY("axes", "local axes by name", NAMED(axes_rule)),
    KEY("equations", "static: linear equations of displacements", LIST_OF(equation_rule)),
    KEY("boundary", "conditions on the boundary", LIST_OF(boundary_rule)),
    KEY("initial", "state at t = 0; at rest or at temperature 0 unless given",
        LIST_OF(initial_rule)),
    KEY("damping", "damping of the whole body", MAP(damping)),
    KEY("sources", "forces and prescribed motions", LIST_OF(source_rule)),
    KEY("absorb", "absorbing boundaries", MAP(hk_absorb_rules), OR(absorb_list)),
    KEY("outputs", "outputs; 100 frames and energies unless given", MAP(hk_output_rules)),
    KEY("shots",
        "several runs of the model, each with its own sources; `sources:` and `boundary:` act in "
        "every shot",
        MAP(shots), OR(shot_list)),
    KEY("solve", "analysis: in time, static, heat, or coupled equations", MAP(hk_solve_rules),
        REQUIRED, ONE_OF),
    END,
};

const hk_key hk_case_rule = RULE("case file of hooke", MAP(file));
