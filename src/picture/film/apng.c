/* Animated PNG (PNG specification, third edition, 11.3.3), which browsers play. Frames are PNGs of their own, whose image data become the chunks of
 * the animation; those of the first stay an image that any reader of PNG shows. */
#include "picture/film/film.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

enum { HEAD = 8, AROUND = 12, IHDR = 13, TICKS = 10000 };

static void put_word(unsigned char *to, uint32_t word)
{
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(word >> (24 - 8 * i));
}

static uint32_t word_at(const char *from)
{
  const unsigned char *byte = (const unsigned char *)from;
  return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* Length, kind, what it begins with (head[heads]), its data, checksum. */
static void write_chunk(FILE *to, const char *kind, size_t heads, const unsigned char *head,
                        size_t size, const char *data)
{
  unsigned char word[4];
  uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)kind, 4);
  put_word(word, (uint32_t)(heads + size));
  fwrite(word, 1, 4, to);
  fwrite(kind, 1, 4, to);
  if (heads) fwrite(head, 1, heads, to), sum = crc32(sum, head, (uInt)heads);
  if (size) fwrite(data, 1, size, to), sum = crc32(sum, (const Bytef *)data, (uInt)size);
  put_word(word, (uint32_t)sum);
  fwrite(word, 1, 4, to);
}

/* A time as numerator and denominator, 16 bits each: 1/rate for whole rates. */
static void put_delay(unsigned char *to, double rate, bool last)
{
  const bool whole = rate == floor(rate) && rate < TICKS;
  const unsigned of = whole ? (unsigned)rate : TICKS;
  unsigned ticks = whole ? 1 : (unsigned)lround(TICKS / rate);
  if (last && ticks < of) ticks = of;
  to[0] = (unsigned char)(ticks >> 8), to[1] = (unsigned char)ticks;
  to[2] = (unsigned char)(of >> 8), to[3] = (unsigned char)of;
}

/* Size of the picture (its first 8 bytes of IHDR), and how long it is shown. */
static void write_control(hk_film *film, const char *size)
{
  unsigned char control[26] = {0};
  put_word(control, film->next++);
  memcpy(control + 4, size, 8);
  put_delay(control + 20, film->rate, film->done + 1 == film->frames);
  write_chunk(film->stream.file, "fcTL", sizeof control, control, 0, NULL);
}

/* The image data of a PNG: as they are for the first frame, else as those of the animation. */
static void write_frame(hk_film *film, const char *png, size_t all)
{
  const bool first = film->done == 0;
  for (size_t at = HEAD; at + AROUND <= all;) {
    const size_t size = word_at(png + at);
    const char *kind = png + at + 4, *data = kind + 4;
    unsigned char number[4];
    if (memcmp(kind, "IDAT", 4) == 0) {
      if (!first) put_word(number, film->next++);
      write_chunk(film->stream.file, first ? "IDAT" : "fdAT", first ? 0 : sizeof number, number,
                  size, data);
    }
    at += size + AROUND;
  }
}

static hk_status check(const char *path)
{
  (void)path;
  return HK_OK;
}

static hk_status begin(hk_film *film, int width, int height)
{
  (void)film, (void)width, (void)height;
  return HK_OK;
}

static hk_status put(hk_film *film, const char *data, size_t size)
{
  if (film->done == 0) {
    unsigned char control[8] = {0};
    fwrite(data, 1, HEAD + AROUND + IHDR, film->stream.file);
    put_word(control, (uint32_t)film->frames); /* then how often it is shown: 0, for ever */
    write_chunk(film->stream.file, "acTL", sizeof control, control, 0, NULL);
  }
  write_control(film, data + HEAD + 8);
  write_frame(film, data, size);
  return HK_OK;
}

static hk_status end(hk_film *film, hk_status status)
{
  if (status == HK_OK) write_chunk(film->stream.file, "IEND", 0, NULL, 0, NULL);
  return status;
}

const hk_film_writer hk_film_apng = {check, hk_canvas_encode, begin, put, end};
