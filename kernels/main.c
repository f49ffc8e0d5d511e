/* hooke-kernels FOLDER: compiles the kernels that the models of a list ask for, for GPUs of NVIDIA, into FOLDER, which is installed as
 * hooke/cuda-kernels beside libhooke. It needs NVRTC and a device of OpenCL (PoCL), and no GPU. Architectures with the same processors are asked once. */
#include "device/cuda/architectures.h"
#include "kernels.h"
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static const char *archs = "80,86,89,90,100,120", *ptx = "90", *only, *models = HOOKE_MODELS;
static const struct poptOption options[] = {
    {"arch", 0, POPT_ARG_STRING, &archs, 0,
     "architectures of machine code (default: 80,86,89,90,100,120)", "LIST"},
    {"ptx", 0, POPT_ARG_STRING, &ptx, 0,
     "architecture of PTX, which newer GPUs take; 0: none (default: 90)", "N"},
    {"models", 0, POPT_ARG_STRING, &models, 0, "list of models (default: kernels/models.txt)",
     "FILE"},
    {"only", 0, POPT_ARG_STRING, &only, 0, "only the lines that contain WORDS", "WORDS"},
    POPT_AUTOHELP POPT_TABLEEND};

/* The list of an earlier architecture with the same processors, or a new one. */
static hk_status list_for(int arch, hk_wanted_list lists[MOST], hk_wanted_list **out)
{
  hk_device_info like;
  int k = 0, lines;
  HK_NEED(hk_cuda_architecture(arch, &like), HK_USAGE,
          "sm_%d: its properties are not known (src/device/cuda/architectures.c)", arch);
  while (lists[k].all.count && !hk_cuda_alike(&lists[k].like, &like)) k++;
  *out = &lists[k];
  if (lists[k].all.count) return HK_OK;
  HK_PASS(hk_wanted_collect(models, only, arch, &lists[k], &lines));
  HK_NEED(lists[k].all.count, HK_USAGE, "%s: no line that is asked for", models);
  printf("%d models ask for %lld kernels of sm_%d\n", lines, (long long)lists[k].all.count, arch);
  return HK_OK;
}

static hk_status make(const char *folder, const char *kind, int arch, hk_wanted_list lists[MOST])
{
  char target[32];
  hk_count bytes = 0;
  hk_wanted_list *list = NULL;
  HK_PASS(list_for(arch, lists, &list));
  snprintf(target, sizeof target, "%s_%d", kind, arch);
  HK_PASS(hk_wanted_compile(list, getenv("CUDA_PATH"), target, folder, &bytes));
  printf("%s: %lld kernels, %.1f MB\n", target, (long long)list->all.count, (double)bytes / 1e6);
  return HK_OK;
}

static hk_status make_all(const char *folder)
{
  hk_status status = HK_OK;
  hk_wanted_list lists[MOST] = {0};
  int count = 0;
  for (const char *at = archs; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    HK_CHECK(++count < MOST, HK_USAGE, "--arch %s: more than %d", archs, MOST - 1);
    HK_TRY(make(folder, "sm", atoi(at), lists));
  }
  if (atoi(ptx)) HK_TRY(make(folder, "compute", atoi(ptx), lists));
cleanup:
  for (int k = 0; k < MOST; k++) hk_wanted_clear(&lists[k]);
  return status;
}

int main(int argc, char **argv)
{
  poptContext context = poptGetContext("hooke-kernels", argc, (const char **)argv, options, 0);
  poptSetOtherOptionHelp(context, "FOLDER");
  const int code = poptGetNextOpt(context);
  const char *folder = poptGetArg(context);
  hk_status status = HK_USAGE;
  if (code < -1 || !folder || poptPeekArg(context)) {
    fprintf(stderr, "hooke-kernels: %s\n", code < -1 ? poptStrerror(code) : "give one folder");
  } else {
    status = make_all(folder);
    if (status != HK_OK) fprintf(stderr, "hooke-kernels: %s\n", hk_error());
  }
  poptFreeContext(context);
  return (int)status;
}
