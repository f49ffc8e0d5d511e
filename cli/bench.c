/* hooke bench NAME [MODEL ...]: executes the program hooke-bench with the same arguments.
 * The program lies in the folder of the command, which /proc/self/exe gives with links resolved. If
 * it is missing, the message names the Debian package and the build target. */
#include "cli.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "hooke-bench";

/* The folder of this command, links followed, with the program's name behind it; path[size]. */
static bool find_program(char *path, size_t size)
{
  const ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length < 0) return false;
  path[length] = 0;
  char *name = strrchr(path, '/');
  if (!name || (size_t)(name + 1 - path) + sizeof program > size) return false;
  memcpy(name + 1, program, sizeof program);
  return true;
}

int cli_bench(cli_call *c)
{
  char path[4096] = "";
  if (!find_program(path, sizeof path))
    return cli_usage_error(c->verb, "the folder of the command is not known, in which %s lies",
                           program);
  c->argv[0] = program;
  execv(path, (char *const *)c->argv);
  if (errno != ENOENT) return cli_usage_error(c->verb, "%s: %s", path, strerror(errno));
  return cli_usage_error(NULL,
                         "%s is not there: install the package %s, or build the target "
                         "hooke_bench",
                         path, program);
}
