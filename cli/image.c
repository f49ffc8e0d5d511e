/* hooke image RUN: makes an image of an array's traces (hk_image_write). --from, --to and --gate are lists of numbers, separated by commas; their number is
 * checked here, what they mean by the library. */
#include "cli.h"
#include <limits.h>

static hk_image_desc desc = {.method = "tfm"};
static char *speed, *from, *to, *spacing, *gate, *span;
enum { NOT_GIVEN = INT_MIN };
static int shot = NOT_GIVEN, threads;
static const struct poptOption options[] = {
    {"method", 0, POPT_ARG_STRING, &desc.method, 0, "tfm (total focusing; default), bscan or cscan",
     "NAME"},
    {"trace", 0, POPT_ARG_STRING, &desc.trace, 0,
     "array/displacement: request and quantity (default: the only one)", "TRACE"},
    {"component", 0, POPT_ARG_STRING, &desc.component, 0, "x, y or z (default: the only one)",
     "NAME"},
    {"speed", 0, POPT_ARG_STRING, &speed, 0,
     "speed of the waves (default: P waves of the model's one material)", "X"},
    {"delay", 0, POPT_ARG_DOUBLE, &desc.delay, 0,
     "time of the middle of the pulse that is fired (default: 0)", "T"},
    {"from", 0, POPT_ARG_STRING, &from, 0,
     "corner of the region, X,Y or X,Y,Z (default in 2D: the model's box)", "POINT"},
    {"to", 0, POPT_ARG_STRING, &to, 0, "the opposite corner; in 3D one coordinate is the same",
     "POINT"},
    {"spacing", 0, POPT_ARG_STRING, &spacing, 0,
     "distance of the image's points (default: a 200th of the longer side)", "X"},
    {"gate", 0, POPT_ARG_STRING, &gate, 0, "first and last time that counts (default: all)",
     "TIMES"},
    {"shot", 0, POPT_ARG_INT, &shot, 0,
     "cscan: all receivers of this shot (default: each element's own)", "N"},
    {"span", 0, POPT_ARG_STRING, &span, 0, "decibels that the picture shows (default: 40)", "X"},
    {"output", 'o', POPT_ARG_STRING, &desc.output, 0,
     "image to write or replace, .h5, with its .png beside it (default: RUN/image_METHOD.h5)",
     "FILE"},
    {"threads", 0, POPT_ARG_INT, &threads, 0, "threads (default: one per core)", "N"},
    CLI_JSON,
    CLI_SAY,
    POPT_TABLEEND};

static bool read_lists(const cli_verb *verb)
{
  static double corner[2][3], times[2];
  int count[2] = {0};
  if (from && !cli_read_list(verb, "from", from, 2, 3, corner[0], &count[0])) return false;
  if (to && !cli_read_list(verb, "to", to, 2, 3, corner[1], &count[1])) return false;
  if (count[0] != count[1]) {
    cli_usage_error(verb, "--from and --to: must both be given, with as many numbers");
    return false;
  }
  desc.from = from ? corner[0] : NULL, desc.to = to ? corner[1] : NULL;
  desc.dimension = count[0];
  if (gate && !cli_read_list(verb, "gate", gate, 2, 2, times, &count[0])) return false;
  desc.gate = gate ? times : NULL;
  return true;
}

static bool read_numbers(const cli_verb *verb)
{
  if (!cli_read_above_0(verb, "speed", speed, &desc.speed)) return false;
  if (!cli_read_above_0(verb, "spacing", spacing, &desc.spacing)) return false;
  if (!cli_read_above_0(verb, "span", span, &desc.span)) return false;
  if (shot != NOT_GIVEN && shot < 1) {
    cli_usage_error(verb, "--shot %d: must be 1 or more", shot);
    return false;
  }
  desc.shot = shot == NOT_GIVEN ? 0 : shot;
  return true;
}

int cli_image(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  if (!read_lists(c->verb) || !read_numbers(c->verb)) return HK_USAGE;
  if (threads < 0) return cli_usage_error(c->verb, "--threads %d: must be 0 or more", threads);
  cli_threads(threads);
  const hk_status status = hk_image_write(c->word[0], &desc, c->list, &c->json);
  if (manner.quiet && !manner.json) hk_text_free(&c->json);
  return cli_finish(c, status);
}
