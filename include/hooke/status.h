/* Status of a call, and its message.
 *
 * Every function that can fail returns an hk_status. The value says what the caller can do;
 * it is also the exit code of the command. The message (what, value, limit) is kept per thread
 * until the next failure:
 *
 *   hk_mesh *mesh = NULL;
 *   if (hk_mesh_read("plate.msh", NULL, &mesh) != HK_OK) fprintf(stderr, "%s\n", hk_error());
 *   hk_mesh_destroy(&mesh);
 */
#ifndef HOOKE_STATUS_H
#define HOOKE_STATUS_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HK_API __attribute__((visibility("default")))
#define HK_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define HK_API
#define HK_PRINTF(f, a)
#endif

#define HK_VERSION "0.1.0"

typedef int32_t hk_index; /* local numbers: nodes, elements, degrees of freedom */
typedef int64_t hk_count; /* sizes and offsets */

typedef enum hk_status {
  HK_OK = 0,
  HK_INTERNAL = 1,      /* a fault of hooke itself */
  HK_USAGE = 2,         /* the call or command line makes no sense */
  HK_BAD_INPUT = 3,     /* a file or a value in it is wrong: correct the input */
  HK_CHECK_FAILED = 4,  /* a comparison or a strict check did not pass */
  HK_NO_RESOURCES = 5,  /* too little memory, or the device failed */
  HK_UNSTABLE = 6,      /* not-a-number, energy growth, or dt above the limit */
  HK_NOT_CONVERGED = 7, /* the iteration did not reach its tolerance, or the matrix is singular */
  HK_NOT_WRITABLE = 8,  /* the output cannot be written */
  HK_STOPPED = 9        /* asked to stop; while it stepped in time a checkpoint was written */
} hk_status;

/* Message of the calling thread's last failure; "" if there was none. Valid until its next
 * failure. */
HK_API const char *hk_error(void);

/* HK_VERSION of the running library, which may differ from that of the header. Static. */
HK_API const char *hk_version(void);

/* Short name of a status: "ok", "bad input", ... */
HK_API const char *hk_status_name(hk_status status);

#ifdef __cplusplus
}
#endif
#endif
