/* Matrix Market (Boisvert, Pozo, Remington 1996): a line per entry, "row column value" from 1; symmetric ones list the lower triangle. The
 * nodes of rows are in a table beside it, NAME.unknowns.csv: row, node, component. */
#include "base/file.h"
#include "base/reals.h"
#include "result/matrix/matrix_file.h"
#include <string.h>

static hk_status write_entries(const char *path, const hk_matrix_file *file)
{
  const hk_sparse_view *v = &file->view;
  const bool wide = v->value_bytes == 8;
  hk_stream stream = {0};
  char number[32];
  const hk_status status = hk_stream_begin(path, &stream);
  if (status != HK_OK) return status;
  fprintf(stream.file, "%%%%MatrixMarket matrix coordinate real %s\n%% %s\n%lld %lld %lld\n",
          v->symmetric ? "symmetric" : "general", file->about, (long long)v->rows,
          (long long)v->rows, (long long)v->entries);
  for (hk_count k = 0; k < v->entries && !ferror(stream.file); k++) {
    fprintf(stream.file, "%d %d %s\n", v->row[k] + 1, v->column[k] + 1,
            hk_number_text(number, wide ? 17 : 9, hk_real_at(v->value, wide, k)));
  }
  return hk_stream_end(&stream, HK_OK);
}

static hk_status write_unknowns(const char *path, const hk_matrix_file *file)
{
  hk_stream stream = {0};
  char *beside = NULL;
  hk_status status =
      hk_format(&beside, "%.*s.unknowns.csv", (int)(strlen(path) - strlen(".mtx")), path);
  if (status == HK_OK) status = hk_stream_begin(beside, &stream);
  if (status == HK_OK) fputs("row,node,component\n", stream.file);
  for (hk_count i = 0; status == HK_OK && i < file->unknowns && !ferror(stream.file); i++)
    fprintf(stream.file, "%lld,%lld,%d\n", (long long)i + 1, (long long)file->node[i],
            file->component[i]);
  status = hk_stream_end(&stream, status);
  hk_free(&beside);
  return status;
}

hk_status hk_matrix_write_mtx(const char *path, const hk_matrix_file *file)
{
  const hk_status status = write_unknowns(path, file);
  return status == HK_OK ? write_entries(path, file) : status;
}
