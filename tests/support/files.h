/* Files of tests. */
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H
#include "support/check.h"
#include <unistd.h>

/* The text becomes all of the file. */
void write_text(const char *path, const char *text);
#endif
