/* Quantities with units: "5 MHz", "7800 kg/m^3", "0.1 mm", "45 deg", "1/s".
 *   quantity = number [unit];   unit = [number 1 /] symbol[power] {(* | space | /) symbol[power]}
 *   value in a system = number * (SI value of the unit) / prod_d (SI value of the system's unit
 * d)^p_d with p_d the powers of length, mass, time and temperature; a plain number is in the
 * system's own units. Powers are written ^2, **2 or 2; angles are plain numbers in radians. Factors
 * that are powers of ten are kept as such, so that "40 us" in SI is the double nearest to 4e-5. */
#pragma once
#include "base/base.h"

enum { HK_LENGTH, HK_MASS, HK_TIME, HK_TEMPERATURE, HK_BASE_UNITS };

typedef struct hk_dimension {
  int8_t power[HK_BASE_UNITS]; /* of length, mass, time, temperature */
} hk_dimension;

/* One unit: its SI value is factor * 10^ten. */
typedef struct hk_unit {
  double factor;
  int ten;
  hk_dimension dimension;
} hk_unit;

typedef struct hk_unit_system {
  hk_unit base[HK_BASE_UNITS];
} hk_unit_system;

/* metre, kilogram, second, kelvin */
hk_unit_system hk_unit_system_si(void);

/* The unit that text says ("kg/m^3"). HK_BAD_INPUT for an unknown symbol or other text. */
hk_status hk_unit_parse(const char *text, hk_unit *out);
double hk_unit_si(const hk_unit *unit);

/* *value = the quantity in the system's units; a finite number. HK_BAD_INPUT when text is no
 * number, its unit unknown, or its dimension another than `expected`. */
hk_status hk_quantity_parse(const char *text, hk_dimension expected, const hk_unit_system *system,
                            double *value);

/* What a unit of that dimension is called in a system whose own are called base[HK_BASE_UNITS]: N, Pa, J, W or W per area, with a
 * prefix from n to T, where it is one of these ("MPa" of mm, t, s), else composed: "mm/us", "kg*mm^2/us^2", "kg/(mm*us^2)". "" where
 * they have no names. out[HK_UNIT_TEXT] */
enum { HK_UNIT_TEXT = 96 };
void hk_unit_name(const char *const base[HK_BASE_UNITS], hk_dimension dimension, char *out);

/* "Hz", "kHz", "MHz", "GHz" where the unit of time is s, ms, us, ns, else "1/time"; "" where it has no name. out[HK_UNIT_TEXT] */
void hk_unit_frequency(const char *time, char *out);

bool hk_same_dimension(hk_dimension a, hk_dimension b);

enum { HK_DIMENSION_TEXT = 64 };
/* "mass/length^3", "1/time", "a plain number": out[HK_DIMENSION_TEXT] */
void hk_dimension_text(hk_dimension dimension, char *out);
/* A usual SI unit of that dimension ("kg/m^3", "Pa", "N"), "" if none is usual. */
const char *hk_dimension_example(hk_dimension dimension);
