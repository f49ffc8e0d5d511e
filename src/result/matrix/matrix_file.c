/* The formats of files by extension, and what each holds. */
#include "result/matrix/matrix_file.h"
#include "base/file.h"
#include <fcntl.h>
#include <unistd.h>

static const struct {
  const char *end;
  bool coo_alone;
  hk_matrix_writer *write;
} formats[] = {{".mtx", true, hk_matrix_write_mtx},
               {".npz", false, hk_matrix_write_npz},
               {".h5", false, hk_matrix_write_h5}};
enum { FORMATS = sizeof formats / sizeof *formats };

static int find(const char *path)
{
  int k = 0;
  while (k < FORMATS && !hk_ends_with(path, formats[k].end)) k++;
  return k;
}

/* Whether a file can be made there: one is, and is removed. */
static hk_status try_to_write(const char *path)
{
  hk_status status = HK_OK;
  char *beside = NULL;
  int fd = -1;
  HK_CHECK(access(path, F_OK) != 0 || access(path, W_OK) == 0, HK_NOT_WRITABLE,
           "%s: cannot be written over: give another --output", path);
  HK_TRY(hk_format(&beside, "%s.%ld.tmp", path, (long)getpid()));
  HK_TRY(hk_open_output(beside, O_CREAT, &fd));
  close(fd);
  unlink(beside);
cleanup:
  hk_free(&beside);
  return status;
}

hk_status hk_matrix_file_check(const char *path, hk_sparse_format format)
{
  const int k = find(path);
  HK_NEED(k < FORMATS, HK_USAGE, "%s: the extension of a matrix is .mtx, .npz or .h5", path);
  HK_NEED(!formats[k].coo_alone || format == HK_SPARSE_COO, HK_USAGE,
          "%s: Matrix Market lists entries, which is coo, not %s: take coo, or a file .npz or .h5",
          path, hk_sparse_format_name(format));
  return try_to_write(path);
}

hk_status hk_matrix_file_write(const char *path, const hk_matrix_file *file)
{
  HK_PASS(hk_matrix_file_check(path, file->view.format));
  return formats[find(path)].write(path, file);
}
