/* What an exchange between two devices costs. */
#pragma once
#include "link/link.h"

typedef struct hk_link_speed {
  const char *name;  /* of the link */
  double latency_us; /* of an exchange of a few rows */
  double gb_per_s;   /* sent each way at once, in an exchange of many */
} hk_link_speed;

/* name: hk_links_open. About 0.1 s. */
hk_status hk_link_measure(const char *name, hk_device *a, hk_device *b, hk_link_speed *out);
