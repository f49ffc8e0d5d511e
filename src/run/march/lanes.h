/* Shots over several devices: each device has a thread of the host, K, and a solver of its own, and takes the next batch of the queue when it is free.
 * The calling thread waits, tells the progress and writes checkpoints. Files are the same for any number of devices. */
#pragma once
#include "run/march/march.h"

typedef struct hk_lanes hk_lanes;

/* K on as many devices as there are batches, of shots.at_once; once the model's own is there, on the first of them. HK_NO_RESOURCES. */
hk_status hk_lanes_create(hk_march *s, hk_lanes **out);
/* All devices begin to step. They are ended by hk_lanes_end. */
hk_status hk_lanes_start(hk_march *s);
/* Waits a tenth of a second, or until all batches have ended (s->over) or one fails, which is told: then the others have come to rest and a checkpoint of
 * them was written, unless the run is unstable. */
hk_status hk_lanes_wait(hk_march *s);
/* All devices stop between two steps with their states saved in the queue (hk_march_save); *good: all hold numbers. */
hk_status hk_lanes_rest(hk_march *s, bool *good);
void hk_lanes_go_on(hk_march *s);
/* The threads end, and the writers of frames; the first failure of these. */
hk_status hk_lanes_end(hk_march *s);
void hk_lanes_destroy(hk_lanes **lanes);
int hk_lanes_count(const hk_lanes *lanes);
