/* hooke export RUN: writes traces, frames and pictures of a result to RUN/export/ (hk_export).
 * The options name the formats; at least one is required. Notes state what a format rounds. */
#include "cli.h"
#include <stdio.h>

static int csv, vtu, png, movie, su, segy, sac, mseed, spectra, compress;
static const struct poptOption options[] = {
    {"csv", 0, POPT_ARG_NONE, &csv, 0, "write traces as CSV tables", NULL},
    {"vtu", 0, POPT_ARG_NONE, &vtu, 0, "write frames as .pvd and .vtu", NULL},
    {"png", 0, POPT_ARG_NONE, &png, 0, "write pictures of every frame, and of traces", NULL},
    {"movie", 0, POPT_ARG_NONE, &movie, 0, "write all frames of a quantity as one animated PNG",
     NULL},
    {"su", 0, POPT_ARG_NONE, &su, 0, "write traces for Seismic Unix, a file per component", NULL},
    {"segy", 0, POPT_ARG_NONE, &segy, 0, "write traces as SEG-Y, a file per component", NULL},
    {"sac", 0, POPT_ARG_NONE, &sac, 0, "write traces for SAC, a file per receiver and component",
     NULL},
    {"mseed", 0, POPT_ARG_NONE, &mseed, 0, "write traces as miniSEED, a file per quantity and shot",
     NULL},
    {"spectra", 0, POPT_ARG_NONE, &spectra, 0,
     "write amplitude spectra of traces as CSV tables over frequency", NULL},
    {"compress", 0, POPT_ARG_NONE, &compress, 0,
     "pack fields: .vtu by zlib with --vtu, else copies of .vtkhdf by deflate", NULL},
    CLI_PICTURE,
    CLI_SAY,
    POPT_TABLEEND};

int cli_export(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  if (!csv && !vtu && !png && !movie && !su && !segy && !sac && !mseed && !spectra && !compress)
    return cli_usage_error(
        c->verb, "name a format: --csv, --vtu, --png, --movie, --su, --segy, --sac, --mseed or "
                 "--spectra, or --compress");
  const hk_picture_desc *picture = cli_picture_choice(c->verb);
  if (!picture) return HK_USAGE;
  const hk_export_desc desc = {.csv = csv,
                               .vtu = vtu,
                               .png = png,
                               .su = su,
                               .segy = segy,
                               .sac = sac,
                               .mseed = mseed,
                               .spectra = spectra,
                               .compress = compress,
                               .movie = movie,
                               .list = c->list,
                               .picture = picture};
  const int code = cli_finish(c, hk_export(c->word[0], &desc));
  if (code == HK_OK && !manner.quiet) cli_put(stdout, c->word[0]), puts("/export");
  return code;
}
