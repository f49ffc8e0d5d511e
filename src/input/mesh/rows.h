/* Long tables of a text file, rows of integers and numbers, read by all threads: *NODE and *ELEMENT of decks, $Nodes and $Elements of Gmsh. */
#pragma once
#include "base/source.h"

typedef struct hk_rows {
  int integers, numbers; /* of a row: integers first */
  /* Items end with commas, as in decks: numbers may be left out at the end and are then 0, and a row of integers goes on in the next line
   * behind a comma or a line's 16th item. False: items end with blanks, and a row is a line. */
  bool commas;
  int64_t low, high; /* integers must lie between */
  /* Asked by the threads: whether the integers of a row are as they must be. NULL: they are. */
  bool (*serves)(const void *user, const int64_t *integer);
  const void *user;
  bool apart;       /* the first integer of a row goes to `integer`, the others to `index` */
  hk_count count;   /* rows so far, and */
  int64_t *integer; /* integer[count][integers]; apart: integer[count], */
  hk_index *index;  /* apart: index[count][integers - 1], */
  double *number;   /* number[count][numbers]; owned */
  hk_count integer_room, index_room, number_room;
  hk_count next; /* bytes to be tried next; 0: all at hand */
} hk_rows;

/* Adds the rows that follow in the source, at most `most`, up to a line with the letter `stop`. None is added and nothing taken where one of
 * them is not as described or no whole line is at hand: the caller reads the next row by itself, tells what is wrong with it and calls again.
 * The same for any number of threads; a part of the file is tried again only a few times. HK_NO_RESOURCES; HK_BAD_INPUT as hk_source_line. */
hk_status hk_rows_read(hk_rows *rows, hk_source *source, char stop, hk_count most);
void hk_rows_free(hk_rows *rows);
