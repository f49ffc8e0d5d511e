/* The memory that this process can still obtain, the memory that it uses, and the size of the last
 * cache.
 * The free memory is the least of what the machine has (/proc/meminfo), what the control group
 * leaves, and what the limit of the process leaves (ulimit -v). The system counts a page when it is
 * first written: pages that the process holds and has not written yet are subtracted from the first
 * two. The resident memory and its peak come from /proc/self/status. */
#include "base/base.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static hk_count least(hk_count a, hk_count b)
{
  return a < b ? a : b;
}

/* The number after `word` in a small file of the system; -1: not there. */
static hk_count read_number(const char *path, const char *word)
{
  char text[4096];
  int64_t value;
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *at = strstr(text, word);
  if (!at) return -1;
  at += strlen(word);
  at += strspn(at, " \t");
  return hk_parse_integer(at, strcspn(at, " \n"), &value) ? value : -1;
}

/* "VmHWM:" belongs to this program alone; what getrusage tells is also that of the one that started it. */
void hk_memory_resident(hk_count *now, hk_count *peak)
{
  const hk_count kilobytes = read_number("/proc/self/status", "VmRSS:"),
                 most = read_number("/proc/self/status", "VmHWM:");
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  *peak = 1024 * (most < 0 ? (hk_count)usage.ru_maxrss : most);
  *now = kilobytes < 0 ? *peak : 1024 * kilobytes;
}

/* Held by hk_memory_get and not written yet: the system still counts these bytes as free. */
static hk_count promised(void)
{
  const hk_count kilobytes = read_number("/proc/self/status", "RssAnon:"),
                 left = hk_memory_held() - 1024 * kilobytes;
  return kilobytes < 0 || left < 0 ? 0 : left;
}

static hk_count left_by_machine(void)
{
  const hk_count kilobytes = read_number("/proc/meminfo", "MemAvailable:");
  if (kilobytes >= 0) return 1024 * kilobytes;
  return (hk_count)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
}

static hk_count left_by_group(void)
{
  const hk_count most = read_number("/sys/fs/cgroup/memory.max", ""),
                 used = read_number("/sys/fs/cgroup/memory.current", "");
  return most < 0 || used < 0 ? INT64_MAX : most - used;
}

static hk_count left_by_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur > INT64_MAX)
    return INT64_MAX;
  const hk_count pages = read_number("/proc/self/statm", "");
  /* so little that no file can be opened: at least what is held is gone */
  const hk_count used = pages < 0 ? hk_memory_held() : pages * sysconf(_SC_PAGE_SIZE);
  return (hk_count)limit.rlim_cur - used;
}

hk_count hk_memory_available(void)
{
  const hk_count system = least(left_by_machine(), left_by_group()) - promised(),
                 left = least(system, left_by_limit());
  return left > 0 ? left : 0;
}

hk_count hk_cache_size(void)
{
  static const hk_count usual = 32 << 20;
  const hk_count kilobytes = read_number("/sys/devices/system/cpu/cpu0/cache/index3/size", "");
  return kilobytes > 0 ? 1024 * kilobytes : usual;
}
