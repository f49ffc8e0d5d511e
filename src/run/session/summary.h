/* What every run.json begins and ends with; in between its analysis adds what the others do not have. */
#ifndef HK_RUN_SESSION_SUMMARY_H
#define HK_RUN_SESSION_SUMMARY_H
#include <jansson.h>
#include "run/session/discretisation.h"
#include "run/session/session.h"

/* A new object: status, version, title, model, command, device, precision, threads, method, dimension, units; counts of nodes, elements and dofs. */
json_t *hk_summary_begin(const hk_session *s, const hk_discretisation *on);
/* What its parts took: read, mesh, partition, assemble, setup where there is one, solve, output, total. */
void hk_summary_add_seconds(const hk_session *s, const hk_discretisation *on, json_t *root);
/* Of the process at most, and of K. */
void hk_summary_add_memory(const hk_discretisation *on, json_t *root);
/* {nodes, elements, dofs} */
json_t *hk_json_sizes(const hk_discretisation *on);
/* counts[key] = count */
void hk_summary_count(json_t *root, const char *key, hk_count count);
/* Warnings and notes. */
void hk_summary_end(const hk_session *s, json_t *root);
#endif
