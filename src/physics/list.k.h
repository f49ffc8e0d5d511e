/* Every law, a line for each folder of them. Where EACH_LAW(name, components) is defined, this includes what it says for each; else the
 * functions of points for kernels (physics/law.k.h). Of two laws that serve a region the first is taken. */
#include "physics/solid/law.k.h"
#include "physics/fluid/law.k.h"
#include "physics/heat/law.k.h"
