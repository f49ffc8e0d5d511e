/* What every run.json begins and ends with. */
#ifndef HK_RUN_SESSION_SUMMARY_H
#define HK_RUN_SESSION_SUMMARY_H
#include <jansson.h>
#include "run/session/session.h"

/* A new object: status, version, title, model, command, device, precision, threads, method, dimension, units. */
json_t *hk_summary_head(const hk_session *s, const hk_device *device, bool double_precision,
                        const char *method);
/* Warnings and notes. */
void hk_summary_tail(const hk_session *s, json_t *root);
/* [[x, y(, z)], ...]: the middle of the points, nodes and faces where the sources of each shot act; one item without shots, of the first
 * step that has sources; null: nowhere in particular. */
json_t *hk_summary_sources(const hk_model *model);
#endif
