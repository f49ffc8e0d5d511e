/* The list of what hooke wrote into a folder: written.txt, a name a line, in the folder of a run and in its export/.
 *
 * A name is put on the list before its file is made, so that a run that was killed is known too. A file that is not on the
 * list is the user's: it is neither replaced nor deleted. */
#pragma once
#include "base/file.h"
#include <stdbool.h>

#define HK_WRITTEN "written.txt"

/* Before a file is made: puts its name on the list of its folder, which must exist. HK_NOT_WRITABLE if a file of that
 * name exists and is not on the list. */
hk_status hk_written_claim(const char *path);
/* The same for a file that is known to be a run's, such as one that a restart continues. */
hk_status hk_written_adopt(const char *path);
/* HK_NOT_WRITABLE where hk_written_claim would refuse; changes nothing. */
hk_status hk_written_check(const char *path);
/* Whether the folder that the file lies in has such a list: it is one that hooke writes to. */
bool hk_written_has_list(const char *path);
/* hk_written_claim, then hk_stream_begin. */
hk_status hk_written_stream(const char *path, hk_stream *out);
/* Deletes the files that the list of the folder names, also those that a killed run left half written, and the list.
 * `keep` (NULL: none) stays, and alone stays on the list. Names that lead out of the folder are ignored. */
void hk_written_clear(const char *folder, const char *keep);
