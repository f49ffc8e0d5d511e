/* All of hooke: finite elements for elastic waves on unstructured meshes. See the headers below,
 * one per object. */
#ifndef HOOKE_HOOKE_H
#define HOOKE_HOOKE_H
#include <hooke/bench.h>
#include <hooke/example.h>
#include <hooke/messages.h>
#include <hooke/mesh.h>
#include <hooke/model.h>
#include <hooke/result.h>
#include <hooke/run.h>
#include <hooke/status.h>
#include <hooke/system.h>
#include <hooke/text.h>
#endif
