/* A libnccl.so.2 between processes of one host whose devices have the host's memory (tests/fake/cuda.c): pieces go through a mailbox in shared memory for
 * each two ranks. FAKE_NCCL=fails: ranks cannot be linked; FAKE_NCCL=wrong: what is received is not what was sent. */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
#define FUNCTION(result, name, parameters)                                                         \
  API result name parameters;                                                                      \
  API result name parameters

enum {
  KEY = 128,
  RANKS = 8,
  ROOM = 1 << 16,
  PIECES = 64,
  SYSTEM_ERROR = 2,
  INVALID = 4,
  INVALID_USAGE = 5
};
enum { PATIENCE = 20 };

typedef struct key {
  char bytes[KEY];
} key;

typedef struct box { /* from one rank to another; full: `sent` is one more than `taken` */
  _Atomic long sent, taken;
  size_t bytes;
  char data[ROOM];
} box;

typedef struct shared {
  _Atomic int joined;
  box box[RANKS][RANKS];
} shared;

typedef struct comm {
  shared *all;
  int rank, ranks;
} comm;

typedef struct piece { /* of the group; bytes done so far */
  comm *on;
  const char *from;
  char *to;
  size_t bytes, done;
  int rank;
} piece;

static piece group[PIECES];
static int pieces, depth;

static int is(const char *how)
{
  const char *set = getenv("FAKE_NCCL");
  return set && !strcmp(set, how);
}

FUNCTION(int, ncclGetVersion, (int *version))
{
  *version = 22803;
  return 0;
}

FUNCTION(const char *, ncclGetErrorString, (int code))
{
  return code == INVALID         ? "invalid argument"
         : code == INVALID_USAGE ? "invalid usage"
                                 : "unhandled system error";
}

FUNCTION(int, ncclGetUniqueId, (key * out))
{
  static int count;
  memset(out, 0, sizeof *out);
  snprintf(out->bytes, KEY, "/fake-nccl-%d-%d", (int)getpid(), count++);
  return 0;
}

static int wait_for(const _Atomic int *value, int least)
{
  const time_t end = time(NULL) + PATIENCE;
  while (*value < least) {
    if (time(NULL) > end) return SYSTEM_ERROR;
    sched_yield();
  }
  return 0;
}

FUNCTION(int, ncclCommInitRank, (comm * *out, int ranks, key id, int rank))
{
  if (is("fails") || ranks > RANKS) return INVALID_USAGE;
  const int file = shm_open(id.bytes, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(shared))) return SYSTEM_ERROR;
  shared *all = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (all == MAP_FAILED) return SYSTEM_ERROR;
  all->joined++;
  const int code = wait_for(&all->joined, ranks);
  shm_unlink(id.bytes); /* all have it */
  *out = calloc(1, sizeof **out);
  **out = (comm){all, rank, ranks};
  return code;
}

FUNCTION(int, ncclCommAbort, (comm * c))
{
  munmap(c->all, sizeof *c->all);
  free(c);
  return 0;
}

FUNCTION(int, ncclGroupStart, (void))
{
  depth++;
  return 0;
}

static int add(comm *c, const void *from, void *to, size_t bytes, int type, int rank)
{
  if (!depth || pieces == PIECES || type != 0 || rank < 0 || rank >= c->ranks || rank == c->rank)
    return INVALID;
  group[pieces++] = (piece){c, from, to, bytes, 0, rank};
  return 0;
}

FUNCTION(int, ncclSend, (const void *from, size_t bytes, int type, int rank, comm *c, void *stream))
{
  return stream ? add(c, from, NULL, bytes, type, rank) : INVALID;
}

FUNCTION(int, ncclRecv, (void *to, size_t bytes, int type, int rank, comm *c, void *stream))
{
  return stream ? add(c, NULL, to, bytes, type, rank) : INVALID;
}

static void put(piece *p, box *b)
{
  b->bytes = p->bytes - p->done < ROOM ? p->bytes - p->done : ROOM;
  memcpy(b->data, p->from + p->done, b->bytes);
  p->done += b->bytes;
  b->sent++;
}

static void take(piece *p, box *b)
{
  memcpy(p->to + p->done, b->data, b->bytes);
  if (is("wrong")) p->to[p->done] ^= 1;
  p->done += b->bytes;
  b->taken++;
}

/* Moves what can be moved of a piece; pieces between two ranks keep their order as there is one at most in a group here. */
static int move(piece *p)
{
  const comm *c = p->on;
  box *b = p->from ? &c->all->box[c->rank][p->rank] : &c->all->box[p->rank][c->rank];
  const int full = b->sent > b->taken;
  if (p->done == p->bytes || full == (p->from != NULL)) return 0;
  if (p->from)
    put(p, b);
  else
    take(p, b);
  return 1;
}

FUNCTION(int, ncclGroupEnd, (void))
{
  const time_t end = time(NULL) + PATIENCE;
  int open = pieces;
  if (--depth) return 0;
  while (open && time(NULL) <= end) {
    int moved = 0;
    open = 0;
    for (int k = 0; k < pieces; k++) {
      moved += move(&group[k]);
      open += group[k].done < group[k].bytes;
    }
    if (!moved) sched_yield();
  }
  pieces = 0;
  return open ? SYSTEM_ERROR : 0;
}
