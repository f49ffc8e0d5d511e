/* Messages from the memory of a device to that of another process's, by a library of the vendor: NCCL (Nvidia's, send and receive of 2.7 and newer). Each
 * process has one device; all of them make the wire at once, from a key that one of them gives to the others.
 *
 *   HK_TRY(hk_wire_make_key(device, key));  ... the same key to all ...
 *   HK_TRY(hk_wire_create(device, key, rank, ranks, &wire));
 *   HK_TRY(hk_wire_exchange(wire, send, sends, take, takes)); */
#pragma once
#include "device/device.h"

enum { HK_WIRE_KEY = 128 };

typedef struct hk_wire hk_wire;

typedef struct hk_wire_piece { /* bytes [offset, offset + bytes) of a buffer, to or from a rank */
  hk_buffer *buffer;
  hk_count offset, bytes;
  int rank;
} hk_wire_piece;

/* Whether the library is there, else *why (static text). */
bool hk_wire_there(const hk_device *device, const char **why);
hk_status hk_wire_make_key(hk_device *device, char key[HK_WIRE_KEY]);
/* Of all processes at once; waits for the others. HK_NO_RESOURCES with the library's words, as where two ranks have one GPU. */
hk_status hk_wire_create(hk_device *device, const char key[HK_WIRE_KEY], int rank, int ranks,
                         hk_wire **out);
/* torn: other processes have failed: exchanges under way are given up, and the processes are linked no more. Else exchanges under way end first, and the
 * link of the processes stays for the next wire of the device. */
void hk_wire_destroy(hk_wire **wire, bool torn);
/* All pieces at once, as a launch: in order with others of the device, also between fork and back, and in recorded graphs. A rank and its
 * counterpart list the pieces between them in the same order. */
hk_status hk_wire_exchange(hk_wire *wire, const hk_wire_piece *send, int sends,
                           const hk_wire_piece *take, int takes);
const char *hk_wire_name(const hk_wire *wire); /* "NCCL 2.28.3" */
