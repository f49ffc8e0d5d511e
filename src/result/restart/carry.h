/* Results of an interrupted run laid out anew, for a later end, other traces or other frames: a file of the new layout is made beside the old
 * one, gets every number that both have, and takes its name. A kill leaves the old file or the new one, whole.
 *
 *   samples of a trace    receivers of one label and place, quantities of one name, times that are equal
 *   energies              times that are equal
 *   frames                quantities of one name, times that are equal
 *
 * What the old file does not have stays not-a-number. */
#pragma once
#include "result/field_file.h"
#include "result/run_file.h"

/* run.h5 or computed.h5. missing[layout->trace_count]: receivers of each trace that the old file lacks, in whole or of some quantity.
 * HK_NOT_WRITABLE, also while another run holds the file; HK_BAD_INPUT when it cannot be read. O(numbers). */
hk_status hk_carry_run(const char *path, const hk_run_layout *layout, hk_count *missing);

/* Frames in .vtkhdf; where there is no such file nothing is made. *missing: frames of the new layout at times before `now` that the old file
 * lacks, in whole or of some quantity. */
hk_status hk_carry_frames(const char *folder, const hk_field_layout *layout, double now,
                          hk_count *missing);
