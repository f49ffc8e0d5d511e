/* Files of tests; what cannot be written fails the test. */
#include "support/files.h"

void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("cannot write %s", path);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}
