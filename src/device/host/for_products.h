/* Includes SELF for each product of blocks [HEIGHT][INNER] and [INNER][COLUMNS] that the levels of a preconditioner are made with. */
#define HEIGHT 1
#define INNER 1
#define COLUMNS 1
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 2
#define INNER 2
#define COLUMNS 2
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 2
#define INNER 2
#define COLUMNS 3
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 3
#define INNER 2
#define COLUMNS 3
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 3
#define INNER 3
#define COLUMNS 3
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 3
#define INNER 3
#define COLUMNS 6
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 6
#define INNER 3
#define COLUMNS 6
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
#define HEIGHT 6
#define INNER 6
#define COLUMNS 6
#include SELF
#undef COLUMNS
#undef INNER
#undef HEIGHT
