/* A libnvrtc.so.13 that compiles nothing: the code of a source is "code of TARGET by 13.0: SOURCE". It counts what it was asked for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define FUNCTION(name, parameters)                                                                 \
  API int name parameters;                                                                         \
  API int name parameters

typedef struct program {
  char *source, *code;
} program;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int compiled, held;

/* Programs are counted, and finished when this is 0 again. */
FUNCTION(fake_nvrtc_hold, (int hold))
{
  pthread_mutex_lock(&mutex);
  held = hold;
  pthread_cond_broadcast(&change);
  pthread_mutex_unlock(&mutex);
  return 0;
}

/* Programs since the start. */
FUNCTION(fake_nvrtc_compiled, (void))
{
  pthread_mutex_lock(&mutex);
  const int count = compiled;
  pthread_mutex_unlock(&mutex);
  return count;
}

FUNCTION(nvrtcVersion, (int *major, int *minor))
{
  *major = 13, *minor = 0;
  return 0;
}

FUNCTION(nvrtcGetNumSupportedArchs, (int *count))
{
  *count = 4;
  return 0;
}

FUNCTION(nvrtcGetSupportedArchs, (int *list))
{
  list[0] = 80, list[1] = 86, list[2] = 90, list[3] = 93;
  return 0;
}

FUNCTION(nvrtcCreateProgram, (program * *out, const char *source, const char *name, int headers,
                              const char *const *header, const char *const *header_name))
{
  (void)name, (void)headers, (void)header, (void)header_name;
  *out = calloc(1, sizeof **out);
  (*out)->source = strdup(source);
  return 0;
}

FUNCTION(nvrtcCompileProgram, (program * p, int options, const char *const *option))
{
  const char *target = strchr(option[0], '=');
  const size_t size = strlen(p->source) + 64;
  if (options < 1 || !target) return 1;
  pthread_mutex_lock(&mutex);
  compiled++;
  while (held) pthread_cond_wait(&change, &mutex);
  pthread_mutex_unlock(&mutex);
  p->code = malloc(size);
  snprintf(p->code, size, "code of %s by 13.0: %s", target + 1, p->source);
  return 0;
}

static int tell_size(const program *p, size_t *size)
{
  *size = strlen(p->code) + 1;
  return 0;
}

static int tell_code(const program *p, char *code)
{
  strcpy(code, p->code);
  return 0;
}

FUNCTION(nvrtcGetCUBINSize, (program * p, size_t *size))
{
  return tell_size(p, size);
}

FUNCTION(nvrtcGetCUBIN, (program * p, char *code))
{
  return tell_code(p, code);
}

FUNCTION(nvrtcGetPTXSize, (program * p, size_t *size))
{
  return tell_size(p, size);
}

FUNCTION(nvrtcGetPTX, (program * p, char *code))
{
  return tell_code(p, code);
}

FUNCTION(nvrtcGetProgramLogSize, (program * p, size_t *size))
{
  (void)p;
  *size = 1;
  return 0;
}

FUNCTION(nvrtcGetProgramLog, (program * p, char *log))
{
  (void)p;
  log[0] = 0;
  return 0;
}

FUNCTION(nvrtcDestroyProgram, (program * *p))
{
  free((*p)->source);
  free((*p)->code);
  free(*p);
  *p = NULL;
  return 0;
}
