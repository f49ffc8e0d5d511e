/* What the files of this folder share. */
#pragma once
#include "solver/team/team.h"

typedef struct hk_share { /* what one part has of the whole description; NULL arrays: none */
  hk_pool pool;
  double *mass, *damping;
  hk_dashpots dashpots;
  hk_excitation excitation;
  hk_sparse receivers;
  hk_receiver_group *group; /* group[group_count] */
  bool rates;               /* receivers of rates read ghosts */
  /* which of the whole's its own are */
  hk_index *force, *motion, *motion_entry, *dashpot;
  /* row of each receiver row; the rows of group g begin at group_row[g] */
  hk_index *row, *group_row;
} hk_share;

struct hk_team {
  hk_division *division; /* NULL: one solver */
  hk_explicit_desc desc; /* of the whole; its excitation, dashpots and receivers outlive the team */
  int parts;
  hk_explicit **solver; /* solver[parts] */
  hk_pool pool;
  hk_share *share; /* share[parts] */
  hk_link *link;   /* link[parts] */
  struct hk_team_end *end;
  hk_link_side *side; /* side[parts] */
  hk_links *links;
  double **sample;  /* sample[group]: half a ring of the whole */
  hk_count *coming; /* coming[group]: samples in it */
};

/* team.c: what(team, k, user) of all parts at once, each by its thread; with one solver by the caller. */
hk_status hk_team_each(hk_team *team, hk_status (*what)(hk_team *team, int part, void *user),
                       void *user);

/* share.c: arrays of the pool of the share. HK_BAD_INPUT where a motion holds nodes of several parts. */
hk_status hk_share_create(const hk_explicit_desc *desc, const hk_division *division, int part,
                          hk_share *out);
/* values of a part <- those of the whole, `components` per node: own nodes and ghosts. */
void hk_share_vector(const hk_division *division, int part, int components, const double *whole,
                     double *values);
