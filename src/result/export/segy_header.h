/* The trace header of SEG-Y, which Seismic Unix has too: what both formats check and what they write in the same bytes. */
#pragma once
#include "result/export/gather.h"

enum { HK_SEGY_HEADER = 240 };

typedef struct hk_segy_kind { /* one of the two formats */
  const char *ending;         /* "su" */
  int most;                   /* the largest number of samples, and of microseconds between them */
  bool big;                   /* order of bytes: the most significant first, else the machine's */
  const char *exact;          /* where the file has the exact sampling interval */
} hk_segy_kind;

/* HK_BAD_INPUT: more samples or traces than the headers can count, or too large a coordinate. Warns of a sampling interval and of coordinates
 * that they round. */
hk_status hk_segy_check(const hk_gather *gather, const hk_segy_kind *kind, hk_messages *list);
/* Opens FOLDER/<request>_<quantity>_<component>.<ending> for each component, and sets files->power: coordinates are written times 10^power. */
hk_status hk_segy_begin(const hk_gather *gather, const hk_result_trace *trace,
                        const hk_segy_kind *kind, hk_gather_files *files);
/* The microseconds between samples, rounded if that changes them by at most 0.1 %; else 0, which means "not set". */
int hk_segy_interval(const hk_gather *gather, const hk_segy_kind *kind);
/* Clears the header of a trace and fills bytes 0 to 117. */
void hk_segy_fill(const hk_gather *gather, const hk_segy_kind *kind, int power, hk_count shot,
                  hk_count receiver, char header[HK_SEGY_HEADER]);
