/* Includes OVER, for_reals.h or for_forms.h, for each order of spectral elements, with ORDER defined. */
#define ORDER 1
#include OVER
#undef ORDER
#define ORDER 2
#include OVER
#undef ORDER
#define ORDER 3
#include OVER
#undef ORDER
#define ORDER 4
#include OVER
#undef ORDER
#define ORDER 5
#include OVER
#undef ORDER
#define ORDER 6
#include OVER
#undef ORDER
#define ORDER 7
#include OVER
#undef ORDER
#define ORDER 8
#include OVER
#undef ORDER
#define ORDER 9
#include OVER
#undef ORDER
#define ORDER 10
#include OVER
#undef ORDER
