/* Exports of an earlier run. */
#ifndef HK_OUTPUT_EXPORT_CLEAR_H
#define HK_OUTPUT_EXPORT_CLEAR_H

/* Removes RUN/export where it holds nothing but what hk_export writes, whole or half written; a link, or a folder with other things in
 * it, stays as it is. */
void hk_export_clear(const char *run);

#endif
