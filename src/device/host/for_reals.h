/* Includes SELF once per precision, with real and PRECISION (the letter of the key) defined; DOUBLE for the second. */
#define real float
#define PRECISION f
#include SELF
#undef real
#undef PRECISION
#define real double
#define PRECISION d
#define DOUBLE
#include SELF
#undef DOUBLE
#undef real
#undef PRECISION
