/* What every run.json begins and ends with. */
#ifndef HK_RUN_SESSION_SUMMARY_H
#define HK_RUN_SESSION_SUMMARY_H
#include <jansson.h>
#include "device/device.h"
#include "run/session/session.h"

/* A new object: status, version, title, model, command, device, precision, threads, method, dimension, units. */
json_t *hk_summary_head(const hk_session *s, const hk_device *device, bool double_precision,
                        const char *method);
/* What its parts took: read, mesh, partition, assemble, setup where there is one, solve, output, total. */
json_t *hk_summary_seconds(const hk_session *s);
/* Warnings and notes. */
void hk_summary_tail(const hk_session *s, json_t *root);
#endif
