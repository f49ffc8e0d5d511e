/* The list of all laws: a line for each folder of them. Where EACH_LAW(name, components) is defined, including this file gives what it says
 * for each law, and where EACH_CONSTANT(law, place, name, doc, ...) is, for each constant that a law has beyond those of its medium: its place in
 * hk_material.constant, its name, and, as in tables of keys (input/case/keys/words.h), what it is and its dimension and range. A case gives it
 * as law_name, which asks for the law. Elsewhere it gives the functions of points for kernels (physics/law.k.h). Of two laws that serve a region the first in this
 * list is taken, so special ones (isotropic) stand before general ones (anisotropic). */
#include "physics/solid/law.k.h"
#include "physics/viscoelastic/law.k.h"
#include "physics/fluid/law.k.h"
#include "physics/heat/law.k.h"
#include "physics/shear/law.k.h"
#include "physics/spatial/law.k.h"
