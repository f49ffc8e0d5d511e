/* Moving pictures: all frames of a quantity of a field as one animated PNG (PNG specification, third edition, 11.3.3), which browsers
 * play and ffmpeg turns into other formats. Frames are drawn by all threads and kept compressed; the data of the first stays an image
 * that any reader of PNG shows. Each frame has its time, and the last is held for a second. */
#include <hooke/result.h>
#include "picture/picture.h"
#include "result/written.h"
#include <string.h>
#include <zlib.h>

enum { WIDTH = 1000, PER_SECOND = 12, HEAD = 8, AROUND = 12, IHDR = 13 };

typedef struct frame { /* a PNG file */
  char *data;
  size_t size;
} frame;

typedef struct film {
  frame *frame; /* frame[count] of one quantity */
  int quantity;
} film;

static hk_status draw_frame(const hk_gallery *g, hk_sketch *sketch, hk_count i, void *user)
{
  hk_status status = HK_OK;
  const film *of = user;
  hk_canvas *canvas = NULL;
  HK_TRY(hk_gallery_draw(g, sketch, of->quantity, (int)i, WIDTH, &canvas));
  HK_TRY(hk_canvas_encode(canvas, &of->frame[i].data, &of->frame[i].size));
cleanup:
  hk_canvas_destroy(&canvas);
  return status;
}

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

/* Size of the picture, and how long it is shown. *next numbers the chunks of the animation. */
static void write_control(FILE *to, const char *size, bool last, uint32_t *next)
{
  unsigned char control[26] = {0};
  put_word(control, (*next)++);
  memcpy(control + 4, size, 8);
  control[21] = last ? PER_SECOND : 1; /* numerator and denominator of seconds, 16 bits each */
  control[23] = PER_SECOND;
  write_chunk(to, "fcTL", sizeof control, control, 0, NULL);
}

/* The chunks of the picture: its image data for the first, else as frames of the animation. */
static void write_frame(FILE *to, const frame *f, bool first, uint32_t *next)
{
  for (size_t at = HEAD; at + AROUND <= f->size;) {
    const size_t size = word_at(f->data + at);
    const char *kind = f->data + at + 4, *data = kind + 4;
    unsigned char number[4];
    if (memcmp(kind, "IDAT", 4) == 0) {
      if (!first) put_word(number, (*next)++);
      write_chunk(to, first ? "IDAT" : "fdAT", first ? 0 : sizeof number, number, size, data);
    }
    at += size + AROUND;
  }
}

static hk_status write_film(const char *path, int count, const frame *f)
{
  hk_status status = HK_OK;
  hk_stream stream = {0};
  uint32_t next = 0;
  unsigned char control[8] = {0};
  HK_TRY(hk_written_stream(path, &stream));
  fwrite(f[0].data, 1, HEAD + AROUND + IHDR, stream.file);
  put_word(control, (uint32_t)count); /* then how often it is shown: 0, for ever */
  write_chunk(stream.file, "acTL", sizeof control, control, 0, NULL);
  for (int k = 0; k < count; k++) {
    write_control(stream.file, f[0].data + HEAD + 8, k == count - 1, &next);
    write_frame(stream.file, &f[k], k == 0, &next);
  }
  write_chunk(stream.file, "IEND", 0, NULL, 0, NULL);
cleanup:
  return hk_stream_end(&stream, status);
}

static hk_status write_quantity(hk_gallery *g, const char *field, int quantity, const char *folder)
{
  hk_status status = HK_OK;
  char *path = NULL;
  film of = {.quantity = quantity};
  HK_TRY(hk_get(&of.frame, g->count));
  HK_TRY(hk_gallery_each(g, g->count, draw_frame, &of));
  HK_TRY(hk_format(&path, "%s/%s_%s.apng", folder, field, g->field->quantity[quantity].name));
  HK_TRY(write_film(path, (int)g->count, of.frame));
cleanup:
  for (int k = 0; of.frame && k < g->count; k++) hk_free(&of.frame[k].data);
  hk_free(&of.frame);
  hk_free(&path);
  return status;
}

hk_status hk_movies_write(const char *run, const char *folder, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  const hk_gallery_most all = {HK_GALLERY_ALL, HK_GALLERY_ALL};
  hk_gallery *g = NULL;
  char **field = NULL;
  int fields = 0, written = 0;
  HK_CHECK(!choice || !choice->at_time, HK_USAGE, "%s: a movie has all frames: leave time out",
           run);
  HK_TRY(hk_field_list(run, &fields, &field));
  HK_TRY(hk_picture_check_fields(run, fields, field, choice));
  for (int i = 0; i < fields; i++) {
    HK_TRY(hk_gallery_create(run, field[i], NULL, all, choice, &g));
    for (int q = 0; g && q < g->shown; q++, written++)
      HK_TRY(write_quantity(g, field[i], g->quantity[q], folder));
    hk_gallery_destroy(&g);
  }
  HK_CHECK(written, HK_BAD_INPUT,
           "%s: has no frames of fields: request them with outputs: {field: ...}", run);
cleanup:
  hk_gallery_destroy(&g);
  hk_names_free(fields, &field);
  return status;
}
