/* All of hooke: elastic and acoustic waves in time, static elasticity and heat conduction on
 * unstructured meshes in 2D and 3D. See the headers below, one per object. */
#ifndef HOOKE_HOOKE_H
#define HOOKE_HOOKE_H
#include <hooke/example.h>
#include <hooke/messages.h>
#include <hooke/matrix.h>
#include <hooke/mesh.h>
#include <hooke/model.h>
#include <hooke/ranks.h>
#include <hooke/result.h>
#include <hooke/run.h>
#include <hooke/status.h>
#include <hooke/system.h>
#include <hooke/text.h>
#endif
