/* Files of tests. */
#pragma once
#include "support/check.h"
#include <unistd.h>

/* The text becomes all of the file. */
void write_text(const char *path, const char *text);
