/* Field frames: snapshots of the state are taken between steps and written by a thread of their own. */
#ifndef HK_RUN_EXPLICIT_FRAMES_H
#define HK_RUN_EXPLICIT_FRAMES_H
#include "run/explicit/stage.h"

typedef struct hk_frames hk_frames;

/* `file` is borrowed. The memory of two snapshots is obtained here. */
hk_status hk_frames_create(const hk_problem *problem, const hk_field_layout *layout,
                           hk_field_file *file, hk_frames **out);
/* Ends the thread after what it was given. */
void hk_frames_destroy(hk_frames **frames);

/* The state u_n of a shot of the solver is that of frame number `frame`: begins the snapshot (waits while two are being
 * written). */
hk_status hk_frames_begin(hk_frames *frames, const hk_explicit *solver, int shot, hk_count frame,
                          double dt);
/* The snapshot begun is completed by the increment after it: after one more step, or at the end by a trial step. */
hk_status hk_frames_complete(hk_frames *frames, hk_explicit *solver, int shot, bool at_end);
bool hk_frames_pending(const hk_frames *frames);
/* Waits until all is written; the first failure of the thread. */
hk_status hk_frames_wait(hk_frames *frames);
hk_count hk_frames_plan(const hk_problem *problem, const hk_field_layout *layout); /* bytes */
/* Whether frames need HK_STATE_INTEGRAL: displacements of fluids are asked for. */
bool hk_frames_integrate(const hk_problem *problem);
/* Of the memory of the problem's device, for one shot; 0 where the model asks for no frames. */
hk_count hk_frames_room(const hk_problem *problem);
#endif
