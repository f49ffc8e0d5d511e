/* Includes SELF for each size of blocks, and columns of the near-null space, that smoothed aggregation meets. */
#define HEIGHT 1
#define MODES 1
#include SELF
#undef MODES
#undef HEIGHT
#define HEIGHT 2
#define MODES 3
#include SELF
#undef MODES
#undef HEIGHT
#define HEIGHT 3
#define MODES 3
#include SELF
#undef MODES
#undef HEIGHT
#define HEIGHT 3
#define MODES 6
#include SELF
#undef MODES
#undef HEIGHT
#define HEIGHT 6
#define MODES 6
#include SELF
#undef MODES
#undef HEIGHT
