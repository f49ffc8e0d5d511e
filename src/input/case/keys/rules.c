#include "input/case/keys/rules.h"
#include "input/case/keys/words.h"
#include <stddef.h>

static const hk_rule name = {.doc = "a name", TEXT};
static const hk_rule number = {.doc = "a plain number", NUMBER};
static const hk_rule length = {.doc = "a length", NUMBER, LENGTH};
static const hk_rule duration = {.doc = "a time", NUMBER, TIME};
static const hk_rule speed = {.doc = "a speed", NUMBER, SPEED};
static const hk_rule pressure = {.doc = "force per area", NUMBER, PRESSURE};
static const hk_rule acceleration = {.doc = "an acceleration", NUMBER, ACCELERATION};
static const hk_rule force_per_volume = {.doc = "force per volume", NUMBER, FORCE_PER_VOLUME};
static const hk_rule point = {.doc = "a point", LIST_OF(length), .least = 2, .most = 3};

static const hk_rule formula[] = {{.key = "formula",
                                   .doc = "in x, y, z in the file's units: numbers, + - * / ^, (), "
                                          "pi, sin, cos, tan, exp, log, sqrt, abs, tanh, min, max",
                                   TEXT,
                                   .required = true},
                                  END};
static const hk_rule by_place = {.doc = "another value at each place", MAP(formula)};

static const hk_rule conductivity = {
    .doc = "heat per length, time and temperature", NUMBER, CONDUCTIVITY};

#define STIFFNESS(k)                                                                               \
  {                                                                                                \
    .key = k, .doc = "stiffness, Voigt order xx yy zz yz xz xy; those not given are 0", NUMBER,    \
    PRESSURE                                                                                       \
  }

static const hk_rule conductivities = {.doc =
                                           "along x, y and z (2D: x and y), or xx yy zz xy xz yz",
                                       LIST_OF(conductivity),
                                       .least = 2,
                                       .most = 6,
                                       .other = &by_place};

#define ADVECTION                                                                                  \
  "convection makes the matrix unsymmetric, and hooke has no solver for that: only conductivity "  \
  "and reaction are possible"
static const hk_rule material[] = {
    {.key = "density",
     .doc = "mass per volume",
     NUMBER,
     DENSITY,
     .range = HK_POSITIVE,
     .required_in_time = true},
    {.key = "young",
     .doc = "Young's modulus; with poisson",
     NUMBER,
     PRESSURE,
     .range = HK_POSITIVE},
    {.key = "poisson", .doc = "Poisson's ratio, above -1 and below 0.5; with young", NUMBER},
    {.key = "p_speed",
     .doc = "speed of pressure waves; with s_speed",
     NUMBER,
     SPEED,
     .range = HK_POSITIVE},
    {.key = "s_speed",
     .doc = "speed of shear waves; with p_speed",
     NUMBER,
     SPEED,
     .range = HK_POSITIVE},
    {.key = "sound_speed", .doc = "speed of sound of a fluid", NUMBER, SPEED, .range = HK_POSITIVE},
    {.key = "bulk",
     .doc = "bulk modulus of a fluid; or give sound_speed",
     NUMBER,
     PRESSURE,
     .range = HK_POSITIVE},
    {.key = "lambda", .doc = "Lame's first constant; with mu", NUMBER, PRESSURE},
    {.key = "mu", .doc = "shear modulus; with lambda", NUMBER, PRESSURE, .range = HK_POSITIVE},
    STIFFNESS("c11"),
    STIFFNESS("c12"),
    STIFFNESS("c13"),
    STIFFNESS("c14"),
    STIFFNESS("c15"),
    STIFFNESS("c16"),
    STIFFNESS("c22"),
    STIFFNESS("c23"),
    STIFFNESS("c24"),
    STIFFNESS("c25"),
    STIFFNESS("c26"),
    STIFFNESS("c33"),
    STIFFNESS("c34"),
    STIFFNESS("c35"),
    STIFFNESS("c36"),
    STIFFNESS("c44"),
    STIFFNESS("c45"),
    STIFFNESS("c46"),
    STIFFNESS("c55"),
    STIFFNESS("c56"),
    STIFFNESS("c66"),
    {.key = "damping",
     .doc = "d of the damping force: d times mass times velocity",
     NUMBER,
     RATE,
     .range = HK_NOT_NEGATIVE},
    {.key = "conductivity",
     .doc = "heat: one number, or along x, y and z (2D: x and y), or xx yy zz xy xz yz; or a "
            "formula",
     NUMBER,
     CONDUCTIVITY,
     .range = HK_POSITIVE,
     .other = &conductivities},
    {.key = "reaction",
     .doc = "heat: beta of -div(k grad T) + beta T = heat, per volume, time and temperature",
     NUMBER,
     REACTION,
     .range = HK_NOT_NEGATIVE,
     .other = &by_place},
    {.key = "order",
     .doc = "hooke does not support an order per region: give one for all as element: {order: 3}",
     .form = HK_FORM_REFUSED},
    {.key = "advection", .doc = ADVECTION, .form = HK_FORM_REFUSED},
    {.key = "velocity", .doc = ADVECTION, .form = HK_FORM_REFUSED},
    {.key = "axes",
     .doc =
         "name of the axes in which c11 to c66, or conductivities, are given; global unless given",
     TEXT},
    END};

static const hk_rule material_rule = {
    .doc =
        "density with young and poisson, or p_speed and s_speed, or lambda and mu, or c11 to c66, "
        "or of a fluid sound_speed or bulk",
    MAP(material)};
static const hk_rule region_rule = {
    .doc = "the name of a material, or the material itself", TEXT, .other = &material_rule};

static const char *const step_word[] = {"step", NULL};

static const hk_rule step_rule = {
    .doc = "1 from t = 0 on", .form = HK_FORM_CHOICE, .choice = step_word};
#define SIGNAL                                                                                     \
  {                                                                                                \
    .key = "signal", .doc = "factor over time; constant 1 from the start unless given",            \
    MAP(hk_signal_rules), .other = &step_rule                                                      \
  }
#define DELAY                                                                                      \
  {                                                                                                \
    .key = "delay",                                                                                \
    .doc = "delay of the signal; a list: one per node of the set (order p: per vertex, "           \
           "interpolated between them), in ascending order of node number",                        \
    LIST_OF(duration), .other = &duration                                                          \
  }
#define DIRECTION                                                                                  \
  {                                                                                                \
    .key = "direction", .doc = "direction; its length does not matter", LIST_OF(number),           \
    .least = 2, .most = 3                                                                          \
  }

static const char *const components[] = {"x", "y", "z", NULL};
static const char *const held_words[] = {"x", "y", "z", "pressure", NULL};
static const hk_rule component = {
    .doc = "a component, or the pressure of a fluid", .form = HK_FORM_CHOICE, .choice = held_words};
static const hk_rule move[] = {{.key = "x", .doc = "displacement along x", NUMBER, LENGTH},
                               {.key = "y", .doc = "displacement along y", NUMBER, LENGTH},
                               {.key = "z", .doc = "displacement along z", NUMBER, LENGTH},
                               END};
#define AXES                                                                                       \
  {                                                                                                \
    .key = "axes",                                                                                 \
    .doc = "name of the axes of x, y, z and direction; cylindrical axes are radial, tangential "   \
           "and axial",                                                                            \
    TEXT                                                                                           \
  }

static const hk_rule cylinder_axes[] = {
    {.key = "at",
     .doc = "a point of the axis",
     LIST_OF(length),
     .least = 2,
     .most = 3,
     .required = true},
    {.key = "along", .doc = "3D: direction of the axis", LIST_OF(number), .least = 3, .most = 3},
    END};
static const hk_rule straight_axes[] = {{.key = "x",
                                         .doc = "direction of local x",
                                         LIST_OF(number),
                                         .least = 2,
                                         .most = 3,
                                         .required = true},
                                        {.key = "y",
                                         .doc = "3D: a direction in the plane of local x and y",
                                         LIST_OF(number),
                                         .least = 3,
                                         .most = 3},
                                        END};
static const hk_rule axes_keys[] = {
    {.key = "cylinder", .doc = "radial, tangential and along an axis", MAP(cylinder_axes)},
    {.key = "straight", .doc = "the same axes everywhere", MAP(straight_axes)},
    END};
static const hk_rule axes_rule = {.doc = "local axes", MAP(axes_keys), .one_of = true};

static const hk_rule film[] = {{.key = "coefficient",
                                .doc = "heat per area, time and temperature",
                                NUMBER,
                                FILM,
                                .range = HK_NOT_NEGATIVE,
                                .required = true,
                                .other = &by_place},
                               {.key = "sink",
                                .doc = "temperature of the surroundings",
                                NUMBER,
                                TEMPERATURE,
                                .required = true,
                                .other = &by_place},
                               END};
static const hk_rule boundary[] = {
    {.key = "set",
     .doc = "nodes for fix, move and temperature, faces for pressure, traction, flux and film",
     TEXT,
     .required = true},
    {.key = "fix",
     .doc = "components held at 0; pressure: a free surface of a fluid, whose walls are otherwise "
            "rigid",
     LIST_OF(component),
     .least = 1,
     .most = 4,
     .other = &component},
    {.key = "move",
     .doc = "prescribed components, value times signal; or a length along direction",
     MAP(move),
     .other = &length},
    DIRECTION,
    AXES,
    {.key = "pressure", .doc = "pressure on the faces, positive into the body", NUMBER, PRESSURE},
    {.key = "traction",
     .doc = "force per area on the faces",
     LIST_OF(pressure),
     .least = 2,
     .most = 3},
    {.key = "temperature",
     .doc = "heat: prescribed temperature",
     NUMBER,
     TEMPERATURE,
     .other = &by_place},
    {.key = "flux",
     .doc = "heat: into the body per area and time",
     NUMBER,
     HEAT_FLUX,
     .other = &by_place},
    {.key = "film",
     .doc = "heat: coefficient times (temperature - sink) leaves the body per area",
     MAP(film)},
    SIGNAL,
    DELAY,
    END};
static const hk_rule boundary_rule = {
    .doc = "one of fix, move, pressure, traction on a set; of heat one of temperature, flux, film",
    MAP(boundary)};

static const hk_rule term[] = {
    {.key = "set", .doc = "nodes: one, or as many as in the other sets; or give node", TEXT},
    {.key = "node", .doc = "number of a node", INTEGER, .least = 1, .most = 2147483647},
    {.key = "component",
     .doc = "component of its displacement",
     .form = HK_FORM_CHOICE,
     .choice = components,
     .required = true},
    {.key = "factor", .doc = "factor of the displacement", .usual = "1", NUMBER},
    END};
static const hk_rule term_rule = {.doc = "factor times a displacement", MAP(term)};
static const hk_rule equation[] = {
    {.key = "terms",
     .doc = "their sum is value; sets are paired node by node, in ascending order of node number "
            "(order p: of vertices)",
     LIST_OF(term_rule),
     .least = 1,
     .most = 10000,
     .required = true},
    {.key = "value", .doc = "right-hand side of the equation", .usual = "0", NUMBER, LENGTH},
    END};
static const hk_rule equation_rule = {.doc = "sum of factor times displacement = value",
                                      MAP(equation)};

static const hk_rule initial[] = {
    {.key = "set", .doc = "set of nodes", TEXT, .required = true},
    {.key = "displacement", .doc = "displacement at t = 0", LIST_OF(length), .least = 2, .most = 3},
    {.key = "velocity", .doc = "velocity at t = 0", LIST_OF(speed), .least = 2, .most = 3},
    {.key = "pressure", .doc = "pressure of a fluid at t = 0", NUMBER, PRESSURE},
    END};
static const hk_rule initial_rule = {.doc = "state of a set at t = 0", MAP(initial)};

static const hk_rule centrifugal[] = {{.key = "speed",
                                       .doc = "angular velocity in radians per time: 2 pi times "
                                              "the turns",
                                       NUMBER,
                                       ANGULAR,
                                       .range = HK_NOT_NEGATIVE,
                                       .required = true},
                                      {.key = "at",
                                       .doc = "a point of the axis",
                                       LIST_OF(length),
                                       .least = 2,
                                       .most = 3,
                                       .required = true},
                                      {.key = "along",
                                       .doc = "3D: direction of the axis; z in 2D",
                                       LIST_OF(number),
                                       .least = 3,
                                       .most = 3},
                                      END};
static const hk_rule source[] = {
    {.key = "set",
     .doc = "nodes; or give at. Elements for gravity, body_force, heat and centrifugal; all of "
            "them unless given",
     TEXT},
    {.key = "at",
     .doc = "a point of the body, at a node or not; or give set",
     LIST_OF(length),
     .least = 2,
     .most = 3},
    {.key = "force",
     .doc = "force on each node of the set (of order p: on each vertex), or at the point",
     NUMBER,
     FORCE},
    {.key = "displacement", .doc = "prescribed displacement along direction", NUMBER, LENGTH},
    {.key = "velocity", .doc = "prescribed velocity along direction", NUMBER, SPEED},
    {.key = "volume_rate",
     .doc =
         "volume per time that enters a fluid at the point, or at each node of the set (of order "
         "p: at each vertex)",
     NUMBER,
     VOLUME_RATE},
    {.key = "gravity",
     .doc = "acceleration; the force per volume is density times it",
     LIST_OF(acceleration),
     .least = 2,
     .most = 3},
    {.key = "body_force",
     .doc = "force per volume",
     LIST_OF(force_per_volume),
     .least = 2,
     .most = 3},
    {.key = "heat",
     .doc = "heat per volume and time, on elements, in heat conduction",
     NUMBER,
     HEAT_PER_VOLUME,
     .other = &by_place},
    {.key = "centrifugal", .doc = "rotation about an axis; in static solutions", MAP(centrifugal)},
    DIRECTION,
    AXES,
    SIGNAL,
    DELAY,
    END};
static const hk_rule source_rule = {
    .doc = "one of force, displacement, velocity along direction, on a set or at a point; or "
           "volume_rate in a fluid; or one of gravity, body_force, centrifugal on elements",
    MAP(source)};

static const char *const each[] = {"node", NULL};
static const hk_rule array[] = {
    {.key = "set",
     .doc = "its elements: the nodes of a set (of order p: its vertices), in ascending order; or "
            "give at",
     TEXT},
    {.key = "at",
     .doc = "its elements: points of the body; or give set",
     LIST_OF(point),
     .least = 1,
     .most = 1e6},
    {.key = "each",
     .doc = "node: every node of the set is an element",
     .form = HK_FORM_CHOICE,
     .choice = each},
    {.key = "force", .doc = "force of the element that fires", NUMBER, FORCE},
    {.key = "displacement", .doc = "prescribed displacement along direction", NUMBER, LENGTH},
    {.key = "velocity", .doc = "prescribed velocity along direction", NUMBER, SPEED},
    {.key = "volume_rate", .doc = "volume per time that enters a fluid", NUMBER, VOLUME_RATE},
    DIRECTION,
    SIGNAL,
    END};
static const hk_rule source_list = {
    .doc = "sources that act together in one shot", LIST_OF(source_rule), .least = 1, .most = 1e6};
static const hk_rule shot_rule = {
    .doc = "one shot: a source, or a list of sources", MAP(source), .other = &source_list};
static const hk_rule shot_list = {
    .doc = "shots one by one", LIST_OF(shot_rule), .least = 1, .most = 1e6};
static const hk_rule shots[] = {
    {.key = "array",
     .doc = "one shot per element of an array, which fires alone: with the force, displacement or "
            "velocity given here, else with the sources on the same set, else with all sources",
     MAP(array),
     .required = true},
    END};

static const char *const absorb_kinds[] = {"layer", "stacey", "pml", NULL};
static const hk_rule absorb[] = {
    {.key = "kind",
     .doc = "layer: damping that grows; stacey: dashpots on the faces; pml: a perfectly matched "
            "layer of "
            "spectral elements",
     .usual = "layer",
     .form = HK_FORM_CHOICE,
     .choice = absorb_kinds},
    {.key = "sets",
     .doc = "face sets (layer: or node sets) of the absorbing boundary",
     LIST_OF(name),
     .other = &name,
     .required = true},
    {.key = "thickness",
     .doc = "layer, pml: its thickness L; chosen unless given",
     NUMBER,
     LENGTH,
     .range = HK_POSITIVE},
    {.key = "d_max",
     .doc = "layer: largest damping of d = d_max (x / L)^3; chosen unless given",
     NUMBER,
     RATE,
     .range = HK_POSITIVE},
    END};
static const hk_rule absorb_rule = {.doc = "an absorbing boundary", MAP(absorb)};
static const hk_rule absorb_list = {.doc = "absorbing boundaries", LIST_OF(absorb_rule)};

static const char *const quantities[] = {"displacement", "velocity", "acceleration", "stress",
                                         "strain",       "reaction", "temperature",  "heat_flux",
                                         "pressure",     NULL};
static const hk_rule quantity = {.doc = "a quantity", .form = HK_FORM_CHOICE, .choice = quantities};

#define QUANTITY                                                                                   \
  {                                                                                                \
    .key = "quantity",                                                                             \
    .doc =                                                                                         \
        "one or a list; displacement unless given; stress, strain and reaction of static "         \
        "solutions, velocity and acceleration of others; temperature, reaction and heat_flux of "  \
        "heat conduction; pressure of fluids, there unless given",                                 \
    LIST_OF(quantity), .least = 1, .most = 9, .other = &quantity                                   \
  }

static const hk_rule trace[] = {
    {.key = "name", .doc = "name in run.h5; that of the set unless given", TEXT},
    {.key = "set", .doc = "set of nodes; or give at", TEXT},
    {.key = "at",
     .doc = "points of the body; or give set",
     LIST_OF(point),
     .least = 1,
     .most = 1e9},
    QUANTITY,
    {.key = "every",
     .doc = "steps between samples",
     .usual = "1",
     INTEGER,
     .least = 1,
     .most = 2147483647},
    {.key = "interval",
     .doc = "time between samples; or give every",
     NUMBER,
     TIME,
     .range = HK_POSITIVE},
    END};
static const hk_rule trace_rule = {.doc = "quantities at nodes or points over time", MAP(trace)};
static const hk_rule shot_number = {
    .doc = "number of a shot, from 1", INTEGER, .least = 1, .most = 1e6};
static const hk_rule field[] = {
    QUANTITY,
    {.key = "frames",
     .doc = "number of frames, equally spaced, without that at t = 0",
     .usual = "100",
     INTEGER,
     .least = 1,
     .most = 10000000},
    {.key = "interval",
     .doc = "time between frames; or give frames",
     NUMBER,
     TIME,
     .range = HK_POSITIVE},
    {.key = "shots",
     .doc = "numbers of the shots, from 1, whose frames are kept: field_shot0001.vtkhdf, ...",
     LIST_OF(shot_number),
     .least = 1,
     .most = 1e6,
     .other = &shot_number},
    END};
static const char *const totals[] = {"no", "yes", "only", NULL};
static const hk_rule print[] = {
    {.key = "set",
     .doc = "nodes for displacement and reaction, elements for stress and strain",
     TEXT,
     .required = true},
    QUANTITY,
    {.key = "totals",
     .doc =
         "also, or only, sums over the set; printed reactions and their sums are K u as in "
         "CalculiX, including the loads on the nodes; run.h5 and `info` have K u - f at held nodes",
     .form = HK_FORM_CHOICE,
     .choice = totals},
    AXES,
    END};
static const hk_rule print_rule = {.doc = "values of a set in a text table", MAP(print)};
static const hk_rule outputs[] = {
    {.key = "print", .doc = "tables of static solutions", LIST_OF(print_rule)},
    {.key = "traces", .doc = "traces in run.h5", LIST_OF(trace_rule)},
    {.key = "field", .doc = "frames of all nodes in field.vtkhdf", MAP(field)},
    END};

static const hk_rule units[] = {
    {.key = "length", .doc = "unit of length", .usual = "m", TEXT},
    {.key = "mass", .doc = "unit of mass", .usual = "kg", TEXT},
    {.key = "time", .doc = "unit of time", .usual = "s", TEXT},
    {.key = "temperature", .doc = "unit of temperature", .usual = "K", TEXT},
    END};
static const char *const without_units[] = {"none", NULL};
static const hk_rule no_units = {.doc = "none: only plain numbers, without dimensions",
                                 .form = HK_FORM_CHOICE,
                                 .choice = without_units};
static const char *const physics[] = {"elastic", "heat", "acoustic", NULL};
static const char *const planes[] = {"strain", "stress", NULL};
static const hk_rule damping[] = {{.key = "mass",
                                   .doc = "d of C = d M, added to each material's own",
                                   NUMBER,
                                   RATE,
                                   .range = HK_NOT_NEGATIVE},
                                  END};

static const hk_rule file[] = {
    {.key = "title", .doc = "a line of text for reports and pictures", TEXT},
    {.key = "mesh",
     .doc = "mesh file (.msh .inp .vtu .vtkhdf, or .geo where gmsh may run), relative to "
            "the case file, its coordinates in the file's unit of length; or a generator",
     TEXT,
     .required = true,
     .other = &hk_generator_rule},
    {.key = "units",
     .doc = "units of plain numbers and of the results; SI unless given; or none",
     MAP(units),
     .other = &no_units},
    {.key = "physics",
     .doc = "elastic, acoustic (only fluids), or heat, which solve.heat solves",
     .usual = "elastic",
     .form = HK_FORM_CHOICE,
     .choice = physics},
    {.key = "plane",
     .doc = "2D: plane strain or plane stress",
     .usual = "strain",
     .form = HK_FORM_CHOICE,
     .choice = planes},
    {.key = "thickness",
     .doc = "2D: thickness; with units: none 1",
     .usual = "1 m",
     NUMBER,
     LENGTH,
     .range = HK_POSITIVE},
    {.key = "element", .doc = "order and integration of the elements", MAP(hk_element_rules)},
    HK_CRACK_RULE,
    {.key = "materials", .doc = "materials by name", NAMED(material_rule)},
    {.key = "regions",
     .doc = "material of each element set; `all`: of the elements that no other region names. Not "
            "needed with one material",
     NAMED(region_rule)},
    {.key = "axes", .doc = "local axes by name", NAMED(axes_rule)},
    {.key = "equations",
     .doc = "static: linear equations of displacements",
     LIST_OF(equation_rule)},
    {.key = "boundary", .doc = "conditions on the boundary", LIST_OF(boundary_rule)},
    {.key = "initial", .doc = "state at t = 0; at rest unless given", LIST_OF(initial_rule)},
    {.key = "damping", .doc = "damping of the whole body", MAP(damping)},
    {.key = "sources", .doc = "forces and prescribed motions", LIST_OF(source_rule)},
    {.key = "absorb", .doc = "absorbing boundaries", MAP(absorb), .other = &absorb_list},
    {.key = "outputs", .doc = "outputs; 100 frames and energies unless given", MAP(outputs)},
    {.key = "shots",
     .doc = "several runs of the model, each with its own sources; `sources:` and `boundary:` act "
            "in every shot",
     MAP(shots),
     .other = &shot_list},
    {.key = "solve",
     .doc = "analysis: in time, static, or steady heat",
     MAP(hk_solve_rules),
     .required = true,
     .one_of = true},
    END};

const hk_rule hk_case_rule = {.doc = "case file of hooke", MAP(file)};
const hk_rule hk_units_rule = {.doc = "units", MAP(units)};
