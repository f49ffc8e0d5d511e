/* Which kernels runs ask for: models of a list are run by the library as any others, on a device of OpenCL that plays a GPU of NVIDIA
 * (hk_device_watched), and each kernel is written down as the source that CUDA would be given. No option of a kernel is named here, so that what is
 * compiled beforehand is what runs will ask for. */
#include "device/cuda/architectures.h"
#include "device/source.h"
#include "kernels.h"
#include <hooke/hooke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 24 };

typedef struct line { /* of the list of models: FILE KEY=VALUE ..., or "double" */
  char text[800], path[1200];
  const char *set[MOST_WORDS];
  int sets;
  hk_precision precision;
} line;

static bool is_new(const hk_wanted_list *list, const char *source)
{
  for (hk_count i = 0; i < list->all.count; i++)
    if (!strcmp(list->all.at[i].source, source)) return false;
  return true;
}

static hk_status add(hk_wanted_list *list, const hk_kernel_desc *desc)
{
  hk_status status = HK_OK;
  hk_kernel_desc plain = *desc;
  char *source = NULL, *function = NULL;
  plain.optimised = false; /* of devices where that takes long, which a GPU is not */
  HK_TRY(hk_kernel_source(&plain, &list->like, "cuda", &source));
  if (!is_new(list, source)) goto cleanup;
  HK_TRY(hk_copy_text(&function, desc->function));
  HK_TRY(hk_list_more(&list->all));
  list->all.at[list->all.count++] = (hk_wanted){function, source};
  function = source = NULL;
cleanup:
  hk_free(&source);
  hk_free(&function);
  return status;
}

static void asked(const hk_kernel_desc *desc, void *user)
{
  hk_wanted_list *list = user;
  hk_failure_keep(&list->failure, add(list, desc));
}

static hk_status split(const char *list_path, line *l)
{
  const char *slash = strrchr(list_path, '/');
  char *rest = NULL, *word = strtok_r(l->text, " \n", &rest);
  snprintf(l->path, sizeof l->path, "%.*s%s", slash ? (int)(slash - list_path) + 1 : 0, list_path,
           word);
  while ((word = strtok_r(NULL, " \n", &rest))) {
    HK_NEED(l->sets < MOST_WORDS, HK_BAD_INPUT, "%s: %s: more than %d words", list_path, l->path,
            MOST_WORDS);
    if (!strcmp(word, "double"))
      l->precision = HK_DOUBLE;
    else
      l->set[l->sets++] = word;
  }
  return HK_OK;
}

static void tell(const hk_messages *messages)
{
  for (hk_count i = 0; i < hk_messages_count(messages); i++) {
    const hk_message *m = hk_messages_at(messages, i);
    if (m->severity == HK_ERROR)
      fprintf(stderr, "%s:%lld: %s\n", m->file ? m->file : "hooke", (long long)m->line, m->text);
  }
}

/* In a folder that is removed again. */
static hk_status run(const line *l)
{
  hk_status status = HK_OK;
  char folder[] = "/tmp/hooke-kernels-XXXXXX", output[64], command[96];
  hk_messages *messages = NULL;
  hk_model *model = NULL;
  HK_CHECK(mkdtemp(folder), HK_NOT_WRITABLE, "no folder can be made in /tmp");
  snprintf(output, sizeof output, "%s/run", folder);
  const hk_run_desc how = {
      .output = output, .device = "opencl", .precision = l->precision, .no_pictures = true};
  HK_TRY(hk_messages_create(&messages));
  status = hk_model_read(l->path, l->set, l->sets, messages, &model);
  if (status == HK_OK) status = hk_run(model, &how, messages, NULL);
  if (status != HK_OK) tell(messages);
cleanup:
  hk_model_destroy(&model);
  hk_messages_destroy(&messages);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command)) fprintf(stderr, "%s is left\n", folder);
  return status;
}

static hk_status run_line(const char *list_path, const char *text)
{
  line l = {0};
  HK_NEED(strlen(text) < sizeof l.text - 1, HK_BAD_INPUT, "%s: a line is too long", list_path);
  strcpy(l.text, text);
  HK_PASS(split(list_path, &l));
  fprintf(stderr, "%s", text);
  return run(&l);
}

hk_status hk_wanted_collect(const char *path, const char *only, int arch, hk_wanted_list *list,
                            int *lines)
{
  hk_status status = HK_OK;
  char text[800];
  FILE *file = NULL;
  const hk_device_watch watch = {asked, list, &list->like};
  *lines = 0;
  HK_CHECK(hk_cuda_architecture(arch, &list->like), HK_USAGE,
           "sm_%d: its properties are not known (src/device/cuda/architectures.c)", arch);
  file = fopen(path, "r");
  HK_CHECK(file, HK_BAD_INPUT, "%s: cannot be opened", path);
  hk_device_watched(&watch);
  while (fgets(text, sizeof text, file)) {
    if (text[0] == '#' || text[0] == '\n' || (only && !strstr(text, only))) continue;
    HK_TRY(run_line(path, text));
    ++*lines;
  }
  HK_TRY(hk_failure_tell(&list->failure));
cleanup:
  hk_device_watched(NULL);
  if (file) fclose(file);
  return status;
}

void hk_wanted_clear(hk_wanted_list *list)
{
  for (hk_count i = 0; i < list->all.count; i++) {
    hk_free(&list->all.at[i].source);
    hk_free(&list->all.at[i].function);
  }
  hk_free(&list->all.at);
  memset(list, 0, sizeof *list);
}
