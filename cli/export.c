/* hooke export RUN: writes traces, frames and pictures of a result to RUN/export/ (hk_export), and a film to a file of any place (hk_film_write).
 * The options name the formats; at least one is required. Notes state what a format rounds. */
#include "cli.h"
#include <stdio.h>

static int csv, vtu, png, movie, su, segy, sac, mseed, asdf, spectra, compress, shot;
static char *film, *frame_rate;
static const struct poptOption options[] = {
    {"csv", 0, POPT_ARG_NONE, &csv, 0, "write traces as CSV tables", NULL},
    {"vtu", 0, POPT_ARG_NONE, &vtu, 0, "write frames as .pvd and .vtu", NULL},
    {"png", 0, POPT_ARG_NONE, &png, 0, "write pictures of every frame, and of traces", NULL},
    {"movie", 0, POPT_ARG_NONE, &movie, 0, "write all frames of a quantity as one animated PNG",
     NULL},
    {"film", 0, POPT_ARG_STRING, &film, 0,
     "write all frames of one quantity to a file: .apng, .png, .gif, .mp4 or .webm", "FILE"},
    {"shot", 0, POPT_ARG_INT, &shot, 0, "the film shows this shot, from 1", "N"},
    {"frame-rate", 0, POPT_ARG_STRING, &frame_rate, 0,
     "frames a second of moving pictures (default: 12)", "X"},
    {"su", 0, POPT_ARG_NONE, &su, 0, "write traces for Seismic Unix, a file per component", NULL},
    {"segy", 0, POPT_ARG_NONE, &segy, 0, "write traces as SEG-Y, a file per component", NULL},
    {"sac", 0, POPT_ARG_NONE, &sac, 0, "write traces for SAC, a file per receiver and component",
     NULL},
    {"mseed", 0, POPT_ARG_NONE, &mseed, 0, "write traces as miniSEED, a file per quantity and shot",
     NULL},
    {"asdf", 0, POPT_ARG_NONE, &asdf, 0, "write traces as ASDF (HDF5), a file per quantity", NULL},
    {"spectra", 0, POPT_ARG_NONE, &spectra, 0,
     "write amplitude spectra of traces as CSV tables over frequency", NULL},
    {"compress", 0, POPT_ARG_NONE, &compress, 0,
     "pack fields: .vtu by zlib with --vtu, else copies of .vtkhdf by deflate", NULL},
    CLI_PICTURE,
    CLI_SAY,
    POPT_TABLEEND};

/* The choice about pictures as it is about a film, whatever else is drawn. */
static hk_status write_film(const char *run, const hk_picture_desc *picture)
{
  hk_picture_desc of = *picture;
  if (png) of.section = NULL, of.scale = 0;
  return hk_film_write(run, film, shot, &of);
}

static hk_status write_all(const cli_call *c, const hk_picture_desc *picture)
{
  const bool drawn = png || movie || !film;
  hk_picture_desc of = *picture;
  if (!movie) of.frame_rate = 0;
  const hk_export_desc desc = {.csv = csv,
                               .vtu = vtu,
                               .png = png,
                               .su = su,
                               .segy = segy,
                               .sac = sac,
                               .mseed = mseed,
                               .asdf = asdf,
                               .spectra = spectra,
                               .compress = compress,
                               .movie = movie,
                               .list = c->list,
                               .picture = drawn ? &of : NULL};
  return hk_export(c->word[0], &desc);
}

int cli_export(cli_call *c)
{
  if (!cli_open(c, options)) return c->code;
  const bool folder =
      csv || vtu || png || movie || su || segy || sac || mseed || asdf || spectra || compress;
  if (!folder && !film)
    return cli_usage_error(c->verb,
                           "name a format: --csv, --vtu, --png, --movie, --film FILE, --su, "
                           "--segy, --sac, --mseed, --asdf or --spectra, or --compress");
  const hk_picture_desc *chosen = cli_picture_choice(c->verb);
  if (!chosen) return HK_USAGE;
  hk_picture_desc picture = *chosen;
  if (!cli_read_above_0(c->verb, "frame-rate", frame_rate, &picture.frame_rate)) return HK_USAGE;
  if (frame_rate && !movie && !film)
    return cli_usage_error(c->verb, "--frame-rate is of moving pictures: name --movie or --film");
  if (shot && !film) return cli_usage_error(c->verb, "--shot is of a film: name --film FILE");
  hk_status status = film ? write_film(c->word[0], &picture) : HK_OK;
  if (status == HK_OK && folder) status = write_all(c, &picture);
  const int code = cli_finish(c, status);
  if (code != HK_OK || manner.quiet) return code;
  if (film) cli_put(stdout, film), puts("");
  if (folder) cli_put(stdout, c->word[0]), puts("/export");
  return code;
}
