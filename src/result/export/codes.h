/* Names of stations and channels after FDSN, as miniSEED and ASDF files have them. The network is "XX". */
#pragma once
#include "result/export/gather.h"

enum { HK_STATION = 5 };

/* text[HK_STATION + 1]: "N17" of node 17; the receiver's number, "P3", where that is a point or the label has more than four digits. False: it is too
 * long, and cut. */
bool hk_code_station(const hk_gather *gather, hk_count receiver, char *text);
/* text[4]: the band by the rate, the instrument by the quantity, the direction by the component: X, Y, Z, or its number. */
void hk_code_channel(const hk_gather *gather, const hk_result_trace *trace, int component,
                     char *text);
/* HK_BAD_INPUT: a receiver's name is too long, or times are out of the years 1900 to 2099. ending: of the files, for the message. */
hk_status hk_code_check(const hk_gather *gather, const char *ending);
