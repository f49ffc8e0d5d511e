/* Films by the program ffmpeg, which is looked for along the user's PATH. It reads rows of red, green and blue bytes from a socket, writes the file
 * beside its name, and what it says goes to a file that is read if it fails. A socket, not a pipe: writing to a program that has ended is then an
 * error of the call, and no signal ends the caller. */
#include "picture/film/film.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 48 };

/* *child: ffmpeg with these words. input < 0: nothing to read. said: a file; < 0: nobody hears it. False where it could not be started. */
static bool start(const char *const *words, int input, int said, pid_t *child)
{
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  bool ready = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0;
  ready =
      ready && (input < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                          : posix_spawn_file_actions_adddup2(&actions, input, 0)) == 0;
  ready =
      ready && (said < 0 ? posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
                         : posix_spawn_file_actions_adddup2(&actions, said, 2)) == 0;
  ready =
      ready && posix_spawnp(child, "ffmpeg", &actions, NULL, (char *const *)words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return ready;
}

/* How the program ended: its exit code, 128 after a signal. */
static int wait_for(pid_t child)
{
  int how = 0;
  while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128;
}

static hk_status check(const char *path)
{
  static const char *const words[] = {"ffmpeg", "-version", NULL};
  pid_t child;
  HK_NEED(start(words, -1, -1, &child) && wait_for(child) == 0, HK_BAD_INPUT,
          "%s: the program ffmpeg, which writes such files, was not found or does not start: "
          "install it, or name a file that ends in .apng, which needs no program",
          path);
  return HK_OK;
}

static hk_status pack(const hk_canvas *canvas, char **data, size_t *size)
{
  hk_colour *pixel = NULL;
  HK_PASS(hk_get(&pixel, (hk_count)canvas->width * canvas->height));
  const hk_status status = hk_canvas_read(canvas, pixel);
  *data = (char *)pixel, *size = (size_t)canvas->width * (size_t)canvas->height * sizeof *pixel;
  if (status != HK_OK) hk_free(data);
  return status;
}

/* What it is told: how frames come, what the format wants, where the file lies. */
static void list_words(const hk_film *film, const char *size, const char *rate, const char *to,
                       const char **words)
{
  const char *const before[] = {
      "ffmpeg",   "-hide_banner",  "-loglevel", "error",       "-nostdin", "-xerror",    "-f",
      "rawvideo", "-pixel_format", "rgb24",     "-video_size", size,       "-framerate", rate,
      "-i",       "pipe:0",        "-fflags",   "+bitexact"};
  int count = 0;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) words[count++] = before[i];
  for (int i = 0; film->format->words[i]; i++) words[count++] = film->format->words[i];
  words[count++] = "-y", words[count++] = to, words[count] = NULL;
}

static hk_status begin(hk_film *film, int width, int height)
{
  hk_status status = HK_OK;
  const char *words[MOST_WORDS];
  char size[32], rate[32], *to = NULL;
  int end[2] = {-1, -1};
  snprintf(size, sizeof size, "%dx%d", width, height);
  hk_number_text(rate, 12, film->rate);
  HK_TRY(hk_format(&to, "file:%s", film->stream.beside));
  list_words(film, size, rate, to, words);
  film->said = tmpfile();
  HK_CHECK(film->said && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) == 0,
           HK_NO_RESOURCES, "%s: no room to talk to ffmpeg: %s", film->path, strerror(errno));
  HK_CHECK(start(words, end[1], fileno(film->said), &film->child), HK_NO_RESOURCES,
           "%s: ffmpeg could not be started", film->path);
  film->to = end[0], end[0] = -1;
cleanup:
  for (int k = 0; k < 2; k++)
    if (end[k] >= 0) close(end[k]);
  hk_free(&to);
  return status;
}

/* The end of what the program said, as one line. */
static void read_words(FILE *said, char *out, size_t size)
{
  const int file = fileno(said);
  const off_t end = lseek(file, 0, SEEK_END);
  const off_t first = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
  ssize_t got = end > 0 ? pread(file, out, size - 1, first) : 0;
  if (got < 0) got = 0;
  while (got > 0 && (unsigned char)out[got - 1] <= ' ') got--;
  out[got] = 0;
  for (char *c = out; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
}

/* What the program calls the file by the name that it has until it is whole. */
static void rename_file(const hk_film *film, char *words)
{
  const size_t whole = strlen(film->stream.beside), kept = strlen(film->path);
  for (char *at = words; (at = strstr(at, film->stream.beside)) != NULL; at += kept)
    memmove(at + kept, at + whole, strlen(at + whole) + 1);
}

/* No more frames come: waits for the program, and looks whether it wrote the file. */
static hk_status finish(hk_film *film)
{
  char words[400];
  struct stat file;
  close(film->to);
  const int code = wait_for(film->child);
  film->child = 0;
  read_words(film->said, words, sizeof words);
  rename_file(film, words);
  HK_NEED(code == 0, HK_NOT_WRITABLE, "%s: ffmpeg failed with code %d: %s", film->path, code,
          *words ? words : "it said nothing");
  HK_NEED(stat(film->stream.beside, &file) == 0 && file.st_size > 0, HK_NOT_WRITABLE,
          "%s: ffmpeg wrote nothing%s%s", film->path, *words ? ": " : "", words);
  return HK_OK;
}

static hk_status put(hk_film *film, const char *data, size_t size)
{
  while (size > 0) {
    const ssize_t sent = send(film->to, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      HK_PASS(finish(film)); /* why it reads no more */
      return hk_error_set(HK_NOT_WRITABLE, "%s: ffmpeg ended before it had all frames", film->path);
    }
    data += sent, size -= (size_t)sent;
  }
  return HK_OK;
}

static hk_status end(hk_film *film, hk_status status)
{
  if (film->child && status == HK_OK) status = finish(film);
  if (film->child) {
    close(film->to);
    kill(film->child, SIGKILL);
    wait_for(film->child);
    film->child = 0;
  }
  if (film->said) fclose(film->said), film->said = NULL;
  return status;
}

const hk_film_writer hk_film_program = {check, pack, begin, put, end};
