/* Traces as the formats of seismology want them: evenly sampled, times in seconds, places in metres. Where a run
 * names no units, as of a deck, its numbers are taken as they are. */
#pragma once
#include "base/file.h"
#include "result/result.h"

typedef struct hk_gather {     /* a request: traces [first, last) of a result */
  hk_count samples, receivers; /* samples: one fewer where the last is off the grid */
  hk_count shots;              /* 1 where there are none */
  double start, dt;            /* sample k: start + k dt, s */
  double (*at)[3];             /* at[receivers], m */
  int64_t *node;               /* node[receivers]: labels; -1 for points */
  double (*source)[3];         /* source[shots], m; not-a-number where the run does not tell */
  int first, last;
  const char *name; /* borrowed from the result */
} hk_gather;

/* The request that begins with trace `first`; a last sample that is off the grid is left out with a warning. HK_BAD_INPUT where fewer
 * than two samples or an uneven grid are left, or a unit has no meaning. `out` is to be cleared, on failure too. */
hk_status hk_gather_read(hk_result *result, int first, hk_messages *list, hk_gather *out);
void hk_gather_clear(hk_gather *gather);

/* "n17" of node 17, "p1" of the first receiver where that is a point or the label is longer: text[9]. */
void hk_gather_station(const hk_gather *gather, hk_count receiver, char *text);

/* As texts beside the values say it. */
static inline const char *hk_gather_unit(const hk_result_trace *trace)
{
  return *trace->unit ? trace->unit : *trace->time_unit ? "(none)" : "(the deck's)";
}

enum { HK_GATHER_FILES = 9 };
typedef struct hk_gather_files { /* of one quantity, while they are written */
  const char *folder;
  hk_stream stream[HK_GATHER_FILES]; /* that stay open: .su and .segy, one per component */
  int power;                         /* .su, .segy: coordinates are written times 10^power */
  hk_count records;                  /* .mseed: written to the file */
  /* .asdf.h5: the file lies beside until it is whole */
  bool wide; /* samples are doubles; set before `begin` */
  char *path, *beside;
  hk_hdf *hdf;
  hk_count arrays;
  hk_hdf_array *array; /* array[shots][receivers][components] */
} hk_gather_files;

typedef struct hk_gather_values { /* [components][samples] of a receiver in a shot */
  const float *single;            /* NULL: the format takes doubles, and the run stored such */
  const double *wide;             /* else NULL */
} hk_gather_values;

typedef struct hk_gather_format {
  hk_status (*check)(const hk_gather *gather, hk_messages *list); /* before anything is written */
  /* of all requests of the result, after each is checked; may be NULL */
  hk_status (*compare)(const hk_result *result, int requests, const hk_gather *gather,
                       hk_messages *list);
  hk_status (*begin)(const hk_gather *gather, const hk_result_trace *trace, hk_gather_files *files);
  hk_status (*put)(const hk_gather *gather, const hk_result_trace *trace, hk_count shot,
                   hk_count receiver, const hk_gather_values *values, hk_gather_files *files);
  hk_status (*end)(hk_gather_files *files, hk_status status); /* after a failure too; may be NULL */
  bool doubles; /* it holds samples in double precision too */
} hk_gather_format;
/* Seismic Unix and SEG-Y, revision 1: FOLDER/<request>_<quantity>_<component>.su and .segy, shot after shot. SAC, version 6:
 * FOLDER/<request>_<station>_<quantity>_<component>[_shot0001].sac. miniSEED 2.4: FOLDER/<request>_<quantity>[_shot0001].mseed.
 * ASDF 1.0.3: FOLDER/<request>_<quantity>.asdf.h5. */
extern const hk_gather_format hk_su_format, hk_segy_format, hk_sac_format, hk_mseed_format,
    hk_asdf_format;

/* All requests of a result in these formats, and FOLDER/<request>.txt: units, sampling and places with 17 digits. HK_BAD_INPUT for a
 * result without traces, and for what a format cannot hold, before anything is written. */
hk_status hk_gather_write(hk_result *result, int formats, const hk_gather_format *const *format,
                          const char *folder, hk_messages *list);
