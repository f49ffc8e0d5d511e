/* Exchange of rows between the parts of a model, one device and one thread of the host each.
 *
 *   begin   the rows of a vector that other parts read are sent as they are now
 *   end     the ghosts of that vector are those that the neighbours sent
 *
 * All parts make the same calls in the same order; each pair of begin and end is one exchange. A part may be one exchange ahead of a neighbour, no
 * more, so that two places for what comes are enough. Vectors are [shots][padded][components] reals; the ghosts of a neighbour
 * are one or two ranges of consecutive numbers, in the order in which it sends them.
 *
 *   HK_TRY(hk_links_open(NULL, parts, side, &links));
 *   HK_TRY(hk_links_begin(links, part, u)); ... HK_TRY(hk_links_end(links, part, u));
 */
#pragma once
#include "device/device.h"

typedef struct hk_link_side { /* one part; arrays are borrowed for as long as the links live */
  hk_device *device;          /* NULL, as all else: the part is another process's */
  int neighbours;
  const int *neighbour; /* neighbour[neighbours]: parts, ascending */
  /* own numbers that neighbour k reads: send[send_begin[k]..send_begin[k + 1]) */
  const hk_index *send_begin, *send;
  const hk_index *take_begin; /* its ghosts here: numbers [take_begin[k], take_begin[k + 1]) */
  /* and behind them [more_begin[k], more_begin[k + 1]); NULL: no more */
  const hk_index *more_begin;
  hk_index padded;
  int components, shots;
  bool double_precision;
  hk_count exchanges; /* of the run, the same for all parts; 0: many */
} hk_link_side;

typedef struct hk_links hk_links;

/* One way to send rows. */
typedef struct hk_link_kind {
  const char *name;
  bool recorded; /* begin and end are launches of the device, which recorded steps may hold */
  bool singly;   /* they are, but steps are launched one by one all the same */
  bool ranks;    /* links processes, and each process has one part */
  double start;  /* about how many seconds its creation takes */
  /* Whether these devices can be linked so, each two of `parts`; *why: what hinders. */
  bool (*serves)(int parts, const hk_link_side *side, const char **why);
  hk_status (*create)(hk_links *links); /* fills links->data */
  hk_status (*begin)(hk_links *links, int part, hk_buffer *vector);
  hk_status (*end)(hk_links *links, int part, hk_buffer *vector);
  void (*stop)(hk_links *links); /* no part waits for another any more */
  void (*destroy)(hk_links *links);
} hk_link_kind;

extern const hk_link_kind hk_link_peers, hk_link_memory; /* of one process */
extern const hk_link_kind hk_link_mpi, hk_link_mpi_device, hk_link_nccl;
#define HK_LINK_LIST &hk_link_peers, &hk_link_memory

/* What was found out about a link between ranks. */
enum { HK_LINK_TRIALS = 4 };
typedef struct hk_link_trial {
  const char *name;
  double seconds; /* of an exchange of the model's rows */
  char why[200];  /* it is not taken; "": it could be */
} hk_link_trial;

struct hk_links {
  const hk_link_kind *kind;
  int parts;
  const hk_link_side *side; /* side[parts], borrowed */
  void *data;               /* of the kind */
  int trials;               /* of links between ranks */
  hk_link_trial trial[HK_LINK_TRIALS];
  _Atomic bool begun; /* an exchange, other than to try it: parts may wait for one another */
  _Atomic bool stopped;
};

/* Ghosts of neighbour k: in the first range, in the second, in both. */
static inline hk_index hk_link_taken(const hk_link_side *side, int k)
{
  return side->take_begin[k + 1] - side->take_begin[k];
}
static inline hk_index hk_link_more(const hk_link_side *side, int k)
{
  return side->more_begin ? side->more_begin[k + 1] - side->more_begin[k] : 0;
}
static inline hk_index hk_link_ghosts(const hk_link_side *side, int k)
{
  return hk_link_taken(side, k) + hk_link_more(side, k);
}

/* name: of the list, or NULL: the first that serves; between ranks the fastest. Takes all memory and compiles all kernels. HK_USAGE for an unknown name or
 * one that does not serve these devices. Between ranks all of them call it. */
hk_status hk_links_open(const char *name, int parts, const hk_link_side *side, hk_links **out);
/* The same refusal alone, before there are parts: of device[parts]. */
hk_status hk_links_check(const char *name, int parts, hk_device *const *device);
/* direct/choice.c: the same of a rank; and what links between ranks were found to do, in words. */
hk_status hk_links_check_rank(const char *name, hk_device *device);
void hk_links_tell(const hk_links *links, char *words, size_t size);
/* direct/nccl.c: what the link nccl sends by; NULL: another link. */
struct hk_wire *hk_links_wire(const hk_links *links);
/* direct/choice.c: hk_links_open between ranks; parts and side are set. */
hk_status hk_links_try(hk_links *links, const char *name);
void hk_links_close(hk_links **links);
hk_status hk_links_begin(hk_links *links, int part, hk_buffer *vector);
hk_status hk_links_end(hk_links *links, int part, hk_buffer *vector);
/* A part has failed: the others get HK_STOPPED from their next exchange, also those that wait. From any thread. */
void hk_links_stop(hk_links *links);
