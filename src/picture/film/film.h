/* A film while it is written: a format takes its frames in order, after threads have packed each.
 *
 *   check -> begin -> (pack -> put) for each frame -> end
 *
 * The file has its name when it is whole; until then it lies beside, and is removed if anything fails. */
#pragma once
#include "base/file.h"
#include "picture/canvas.h"
#include <sys/types.h>

typedef struct hk_film hk_film;

/* How frames become a file: one entry for each writer. */
typedef struct hk_film_writer {
  /* Before anything is read: whether films can be written at all; path: for the message. */
  hk_status (*check)(const char *path);
  /* *data: what the format keeps of a frame, the caller's; called by threads. */
  hk_status (*pack)(const hk_canvas *canvas, char **data, size_t *size);
  /* width, height: of all frames, in pixels; stream is open. */
  hk_status (*begin)(hk_film *film, int width, int height);
  hk_status (*put)(hk_film *film, const char *data, size_t size);
  /* Ends what begin began, also after a failure; the stream stays open. */
  hk_status (*end)(hk_film *film, hk_status status);
} hk_film_writer;
extern const hk_film_writer hk_film_apng, hk_film_program;

typedef struct hk_film_format {
  const char *ending; /* ".mp4" */
  const hk_film_writer *writer;
  double fastest;           /* frames a second that it can tell */
  const char *const *words; /* words[], NULL: what ffmpeg is told about the file; NULL: no ffmpeg */
} hk_film_format;

struct hk_film {
  const char *path;
  const hk_film_format *format;
  int frames;
  double rate; /* frames a second; the last is shown for a second */
  hk_stream stream;
  int done;      /* frames that were put */
  uint32_t next; /* APNG: number of the next chunk of the animation */
  pid_t child;   /* ffmpeg; 0: none runs */
  int to;        /* the socket that it reads */
  FILE *said;    /* what it said */
};
