/* Processes of MPI that step one explicit model together, or solve a static one: ranks, which `mpirun -n 4 hooke run MODEL` starts.
 *
 * Each rank makes the same calls. Rank 0 writes the result folder and says what there is to say; the others step their parts of the model. What one
 * rank finds wrong becomes the failure of all.
 *
 *   int code = hk_ranks_begin("openmpi", 0);
 *   if (code == HK_OK && hk_ranks_rank() == 0) printf("%d ranks\n", hk_ranks_count());
 *   if (code == HK_OK) code = hk_ranks_agree(HK_OK); // in place of HK_OK: hk_model_read(...), then hk_run(...)
 *   code = hk_ranks_end(code);
 */
#ifndef HOOKE_RANKS_H
#define HOOKE_RANKS_H
#include <hooke/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins MPI in this process, where every hk_run is then one of all ranks until hk_ranks_end. mpi: "openmpi", "mpich", or the path of a plug-in of
 * hooke. patience: seconds that a rank waits for the rows of another before the run fails; 0: 60. HK_USAGE: there is no such plug-in, or it was begun
 * before. */
HK_API hk_status hk_ranks_begin(const char *mpi, double patience);

/* The number of this process, from 0, and how many there are; 0 and 1 without MPI. */
HK_API int hk_ranks_rank(void);
HK_API int hk_ranks_count(void);

/* Threads for this rank: the processors that it is bound to, shared with the ranks that are bound to them too; 0 without MPI. */
HK_API int hk_ranks_threads(void);

/* The failure of the first rank whose status is not HK_OK, on each of them, with its words; all ranks must call. Without MPI: status. */
HK_API hk_status hk_ranks_agree(hk_status status);

/* Whether this rank failed while others went on: it must say so itself, and hk_ranks_end ends the others. */
HK_API bool hk_ranks_torn(void);

/* Ends MPI. Returns the code of rank 0, for each rank to exit with; `code` without MPI. */
HK_API int hk_ranks_end(int code);

/* Whether the plug-in of that name is there with its implementation of MPI; path[size]: its file, or why not. */
HK_API bool hk_ranks_find(const char *mpi, char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
