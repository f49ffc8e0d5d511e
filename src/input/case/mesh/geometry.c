/* A geometry (.geo) that the gmsh program meshes into a .msh file below /tmp. A .geo file is a program: gmsh is started only where the caller
 * asks for it, on a text without commands that start programs, read or write other files, for ten minutes at most. What gmsh might read in
 * another way than the scanner here does, such as texts in single quotes or control characters, is refused. */
#include "base/source.h"
#include "input/case/case.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double LONGEST = 600; /* seconds */

/* Commands of gmsh's language that reach beyond the geometry. */
static const char *const *const refused =
    HK_WORDS("SystemCall", "NonBlockingSystemCall", "OnelabRun", "OnelabClient", "Include", "Merge",
             "MergeFile", "Parse", "Plugin", "Print", "Save", "CreateDir", "CreateDirectory",
             "Background", "Solver", "General", "PostProcessing", "ShapeFromFile",
             "ExternalProcess", "CommandLine", "FileName", "Exit", "Abort");

/* Text between quotes and comments says nothing; `inside` goes from line to line: in a comment, or a text. What gmsh might read in another way
 * than is read here is refused: texts between single quotes, characters that are no text. */
typedef enum inside { CODE, COMMENT, TEXT } inside;
typedef struct scanner {
  inside in;
  bool prints; /* within a statement that prints, in so many brackets: */
  int depth;
} scanner;

static const char *skip(const char *p, inside *in)
{
  if (*in == COMMENT) {
    const char *end = strstr(p, "*/");
    if (end) *in = CODE;
    return end ? end + 2 : p + strlen(p);
  }
  const char *end = strchr(p, '"');
  if (end) *in = CODE;
  return end ? end + 1 : p + strlen(p);
}

static const char *refused_word(const char *word, size_t length)
{
  for (int i = 0; refused[i]; i++)
    if (strlen(refused[i]) == length && !strncmp(word, refused[i], length)) return refused[i];
  return NULL;
}

/* The first refused word at p, else NULL; p goes on behind it. */
static const char *look_at_code(const char **p, scanner *s)
{
  const char *at = *p, *found = NULL;
  if (isalpha((unsigned char)*at) || *at == '_') {
    while (isalnum((unsigned char)*at) || *at == '_') at++;
    const size_t length = (size_t)(at - *p);
    found = refused_word(*p, length);
    if (length == 6 && !strncmp(*p, "Printf", 6)) s->prints = true, s->depth = 0;
    *p = at;
    return found;
  }
  if (*at == '\'') found = "'";
  if (*at == '>' && (at[1 + strspn(at + 1, "> \t")] == '"' || (s->prints && s->depth <= 0)))
    found = ">"; /* what is printed goes to a file */
  if (strchr("([{", *at)) s->depth++;
  if (strchr(")]}", *at)) s->depth--;
  if (*at == ';') s->prints = false;
  *p = at + 1;
  return found;
}

/* The first refused command of a line, or a file that a text is sent to. */
static const char *look_at(const char *p, scanner *s)
{
  while (*p) {
    const char *found = NULL;
    if (s->in != CODE)
      p = skip(p, &s->in);
    else if (p[0] == '/' && p[1] == '/')
      return NULL;
    else if (p[0] == '/' && p[1] == '*')
      s->in = COMMENT, p += 2;
    else if (*p == '"')
      s->in = TEXT, p++;
    else
      found = look_at_code(&p, s);
    if (found) return found;
  }
  return NULL;
}

/* Every byte is a character of text, a blank or a tab. */
static bool is_text(const char *line, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)line[i] < 32 && line[i] != '\t' && line[i] != '\f') return false;
  return true;
}

static hk_status look_through(const char *path)
{
  hk_status status = HK_OK;
  hk_source *source = NULL;
  char *line = NULL;
  size_t length;
  scanner scan = {.in = CODE};
  HK_TRY(hk_source_open(path, &source));
  for (;;) {
    HK_TRY(hk_source_line(source, &line, &length));
    if (!line) break;
    HK_CHECK(is_text(line, length), HK_BAD_INPUT,
             "%s:%lld: error: a control character, which gmsh may misread: remove it", path,
             (long long)hk_source_line_number(source));
    const char *word = look_at(line, &scan);
    HK_CHECK(!word, HK_BAD_INPUT,
             "%s:%lld: error: \"%s\" starts programs, or reads or writes other files: remove it, "
             "or mesh the geometry with gmsh and give the mesh",
             path, (long long)hk_source_line_number(source), word);
  }
cleanup:
  hk_source_close(&source);
  return status;
}

/* The end of what the program said, as one line. */
static void read_tail(int file, char *out, size_t size)
{
  const off_t end = lseek(file, 0, SEEK_END);
  const off_t begin = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
  ssize_t got = end > 0 ? pread(file, out, size - 1, begin) : 0;
  if (got < 0) got = 0;
  out[got] = 0;
  for (char *p = out; *p; p++)
    if ((unsigned char)*p < 32) *p = ' ';
}

/* Waits for the program; ends it where a stop is asked for or it takes too long. */
static hk_status wait_for(pid_t child, const hk_stop *stop, const char *path, int *code)
{
  const double begin = hk_seconds();
  int how = 0;
  while (waitpid(child, &how, WNOHANG) == 0) {
    const bool late = hk_seconds() - begin > LONGEST;
    if (late || hk_stop_asked(stop)) {
      kill(child, SIGKILL);
      while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
      }
      HK_NEED(!late, HK_BAD_INPUT,
              "%s: gmsh has not finished after %.0f s: mesh the geometry yourself", path, LONGEST);
      HK_PASS(hk_stop_look(stop, "meshing"));
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  *code = WIFEXITED(how) ? WEXITSTATUS(how) : 128;
  return HK_OK;
}

/* Runs gmsh on the geometry; its words go to `said`. *code: 127 where it could not be started. */
static hk_status run_gmsh(const char *geometry, const char *mesh, int said, const hk_stop *stop,
                          int *code)
{
  hk_status status = HK_OK;
  const char *const argv[] = {"gmsh", geometry, "-3", "-format", "msh41",
                              "-v",   "2",      "-o", mesh,      NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  *code = 127;
  if (posix_spawn_file_actions_init(&actions) != 0) return HK_OK;
  const bool ready = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
                     posix_spawn_file_actions_adddup2(&actions, said, 1) == 0 &&
                     posix_spawn_file_actions_adddup2(&actions, said, 2) == 0;
  if (ready && posix_spawnp(&child, "gmsh", &actions, NULL, (char *const *)argv, environ) == 0)
    status = wait_for(child, stop, geometry, code);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

static hk_status mesh_text(const hk_case *c, const char *path, char **made)
{
  hk_status status = HK_OK;
  char mesh[] = "/tmp/hooke-XXXXXX.msh", log[] = "/tmp/hooke-XXXXXX.log", words[400];
  const hk_stop stop = {c->desc->stop, c->desc->user};
  char *geometry = NULL;
  int mesh_file = -1, log_file = -1, code;
  HK_TRY(hk_format(&geometry, "%s%s", *path == '-' ? "./" : "", path));
  mesh_file = mkstemps(mesh, 4);
  log_file = mkstemps(log, 4);
  HK_CHECK(mesh_file >= 0 && log_file >= 0, HK_NOT_WRITABLE, "/tmp: cannot be written");
  HK_TRY(run_gmsh(geometry, mesh, log_file, &stop, &code));
  read_tail(log_file, words, sizeof words);
  HK_CHECK(code != 127, HK_BAD_INPUT,
           "%s: the program gmsh was not found: install it, or mesh the geometry elsewhere", path);
  HK_CHECK(code == 0, HK_BAD_INPUT, "%s: gmsh failed with code %d: %s", path, code, words);
  HK_TRY(hk_copy_text(made, mesh));
cleanup:
  if (mesh_file >= 0) close(mesh_file);
  if (mesh_file >= 0 && !*made) unlink(mesh);
  if (log_file >= 0) close(log_file), unlink(log);
  hk_free(&geometry);
  return status;
}

hk_status hk_case_mesh_geometry(hk_case *c, const hk_node *node, const char *path, char **made)
{
  hk_status status = HK_OK;
  HK_CHECK(access(path, R_OK) == 0, HK_BAD_INPUT, "%s: cannot be opened", path);
  HK_CHECK(c->desc->run_gmsh, HK_BAD_INPUT,
           "%s: a geometry is a program that gmsh runs: give --run-gmsh to run or check if you "
           "trust it, or mesh it (gmsh -3 %s -o FILE.msh) and give the mesh",
           path, path);
  HK_TRY(look_through(path));
  HK_TRY(mesh_text(c, path, made));
cleanup:
  return hk_case_forgive(c, node, status);
}
