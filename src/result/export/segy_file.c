/* SEG-Y, revision 1 (SEG Technical Standards Committee 2002): a textual header of 40 lines of 80 characters in EBCDIC, a binary header of 400
 * bytes, then traces, each a header of 240 bytes (segy_header.c) and its samples as IEEE floats (format 5), all most significant byte
 * first. The binary header from byte 3200 of the file on:
 *
 *    12 traces of a shot   16 dt, microseconds   20 samples   24 format   28 sorting: as recorded   54 metres
 *    72 dt in microseconds as a double: a field of revision 2, unassigned in revision 1
 *   300 revision   302 all traces have one length
 *
 * Of the trace header byte 202 has the unit of the samples where that is m, m/s, m/s^2 or Pa.
 */
#include <stdio.h>
#include "result/export/bytes.h"
#include "result/export/segy_header.h"

enum { LINES = 40, LINE = 80, BINARY = 400, CHUNK = 1024 };

static const hk_segy_kind segy = {
    .ending = "segy", .most = 32767, .big = true, .exact = "the textual header"};

static const unsigned char ebcdic[95] = {
    /* code page 37 of the characters from ' ' to '~' */
    0x40, 0x5a, 0x7f, 0x7b, 0x5b, 0x6c, 0x50, 0x7d, 0x4d, 0x5d, 0x5c, 0x4e, 0x6b, 0x60, 0x4b, 0x61,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x5e, 0x4c, 0x7e, 0x6e, 0x6f,
    0x7c, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6,
    0xd7, 0xd8, 0xd9, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xba, 0xe0, 0xbb, 0xb0, 0x6d,
    0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xc0, 0x4f, 0xd0, 0xa1,
};

/* Line `number`, from 1: "C 1 text", filled with blanks; a character outside of ASCII is '?'. */
static void put_line(char *textual, int number, const char *text)
{
  char line[LINE + 1];
  const int used = snprintf(line, sizeof line, "C%2d %s", number, text);
  for (int k = 0; k < LINE; k++) {
    const unsigned char c = k < used ? (unsigned char)line[k] : ' ';
    textual[(number - 1) * LINE + k] = (char)ebcdic[(c >= ' ' && c <= '~' ? c : '?') - ' '];
  }
}

static void put_textual(const hk_gather *g, const hk_result_trace *t, const char *component,
                        FILE *to)
{
  char textual[LINES * LINE], text[2 * LINE], dt[32], start[32];
  hk_number_text(dt, 17, g->dt), hk_number_text(start, 17, g->start);
  for (int k = 1; k <= LINES; k++) put_line(textual, k, "");
  put_line(textual, 1, "Traces computed by hooke");
  snprintf(text, sizeof text, "REQUEST %.60s", g->name);
  put_line(textual, 2, text);
  snprintf(text, sizeof text, "QUANTITY %.20s COMPONENT %s UNIT %.20s", t->quantity,
           *component ? component : "(one)", hk_gather_unit(t));
  put_line(textual, 3, text);
  snprintf(text, sizeof text, "SHOTS %lld RECEIVERS %lld", (long long)g->shots,
           (long long)g->receivers);
  put_line(textual, 4, text);
  snprintf(text, sizeof text, "SAMPLES %lld INTERVAL %s s FIRST AT %s s", (long long)g->samples, dt,
           start);
  put_line(textual, 5, text);
  put_line(textual, 6, "COORDINATES in m: x, y, elevation z, with the scalars of the headers");
  put_line(textual, 7, "THE EXACT INTERVAL in microseconds also is a double at bytes 3273-3280");
  put_line(textual, 39, "SEG Y REV1");
  put_line(textual, 40, "END TEXTUAL HEADER");
  fwrite(textual, 1, sizeof textual, to);
}

static void put_binary(const hk_gather *g, FILE *to)
{
  char binary[BINARY] = {0};
  const int interval = hk_segy_interval(g, &segy);
  hk_put32(binary + 4, true, 1);
  hk_put32(binary + 8, true, 1);
  hk_put16(binary + 12, true, g->receivers <= 32767 ? (int)g->receivers : 0);
  hk_put16(binary + 16, true, interval);
  hk_put16(binary + 18, true, interval);
  hk_put16(binary + 20, true, (int)g->samples);
  hk_put16(binary + 22, true, (int)g->samples);
  hk_put16(binary + 24, true, 5);
  hk_put16(binary + 26, true, 1);
  hk_put16(binary + 28, true, 1);
  hk_put16(binary + 54, true, 1);
  hk_put_double(binary + 72, true, g->dt * 1e6);
  hk_put16(binary + 300, true, 0x0100);
  hk_put16(binary + 302, true, 1);
  fwrite(binary, 1, sizeof binary, to);
}

static int unit_code(const char *unit) /* 0: not known, -1: another one */
{
  static const struct {
    const char *unit;
    int code;
  } known[] = {{"Pa", 1}, {"m", 5}, {"m/s", 6}, {"m/s^2", 7}, {"", 0}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strcmp(unit, known[k].unit)) return known[k].code;
  return -1;
}

static hk_status check(const hk_gather *g, hk_messages *list)
{
  return hk_segy_check(g, &segy, list);
}

static hk_status begin(const hk_gather *g, const hk_result_trace *t, hk_gather_files *files)
{
  char component[16];
  HK_PASS(hk_segy_begin(g, t, &segy, files));
  for (int c = 0; c < t->count; c++) {
    hk_component_name(t->components, c, component);
    put_textual(g, t, component, files->stream[c].file);
    put_binary(g, files->stream[c].file);
  }
  return HK_OK;
}

static void put_samples(const float *values, hk_count samples, FILE *to)
{
  char chunk[4 * CHUNK] = {0};
  for (hk_count first = 0; first < samples; first += CHUNK) {
    const hk_count count = samples - first < CHUNK ? samples - first : CHUNK;
    for (hk_count k = 0; k < count; k++) hk_put_float(chunk + 4 * k, true, values[first + k]);
    fwrite(chunk, 4, (size_t)count, to);
  }
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const hk_gather_values *values, hk_gather_files *files)
{
  char header[HK_SEGY_HEADER];
  hk_segy_fill(g, &segy, files->power, shot, receiver, header);
  hk_put16(header + 202, true, unit_code(t->unit));
  for (int c = 0; c < t->count; c++) {
    fwrite(header, 1, HK_SEGY_HEADER, files->stream[c].file);
    put_samples(values->single + c * g->samples, g->samples, files->stream[c].file);
  }
  return HK_OK;
}

const hk_gather_format hk_segy_format = {.check = check, .begin = begin, .put = put};
