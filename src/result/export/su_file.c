/* Seismic Unix: traces one after the other, each a header of 240 bytes (segy_header.c) and its samples, in the machine's byte order. From
 * byte 180 on the header has words of Seismic Unix alone (Cohen and Stockwell, segy.h): 180 d1, seconds between samples; 184 f1,
 * the time of the first; 204 ntr, traces in the file. */
#include "result/export/bytes.h"
#include "result/export/segy_header.h"

static const hk_segy_kind su = {.ending = "su", .most = 65535, .exact = "d1"};

static hk_status check(const hk_gather *g, hk_messages *list)
{
  return hk_segy_check(g, &su, list);
}

static hk_status begin(const hk_gather *g, const hk_result_trace *t, hk_gather_files *files)
{
  return hk_segy_begin(g, t, &su, files);
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const hk_gather_values *values, hk_gather_files *files)
{
  char header[HK_SEGY_HEADER];
  hk_segy_fill(g, &su, files->power, shot, receiver, header);
  hk_put_float(header + 180, su.big, (float)g->dt);
  hk_put_float(header + 184, su.big, (float)g->start);
  hk_put32(header + 204, su.big, g->receivers * g->shots);
  for (int c = 0; c < t->count; c++) {
    fwrite(header, 1, HK_SEGY_HEADER, files->stream[c].file);
    fwrite(values->single + c * g->samples, sizeof *values->single, (size_t)g->samples,
           files->stream[c].file);
  }
  return HK_OK;
}

const hk_gather_format hk_su_format = {.check = check, .begin = begin, .put = put};
