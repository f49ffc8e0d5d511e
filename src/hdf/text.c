/* Reads text attributes of HDF5 files without the HDF5 library, which reads beyond its memory if a
 * heap is damaged.
 * The search goes through the messages of an object header of version 1 and their continuations to
 * the attribute, takes its reference to a global heap, and copies the text from there. Each number
 * is checked against the size of the file. Object headers of version 2 are left to the library
 * (door.h gives the sections of the specification). */
#include "hdf/door.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_CONTINUED = 0x10, MESSAGE_ATTRIBUTE = 0x0c, MOST_CHUNKS = 64, REFERENCE = 16 };

typedef struct chunk { /* of an object header: a list of messages */
  uint64_t at, size;
} chunk;

typedef struct search {
  int fd;
  const char *name;
  chunk chunk[MOST_CHUNKS];
  int chunks;
  uint8_t reference[REFERENCE]; /* what is looked for */
} search;

static uint64_t number(const uint8_t *byte, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)byte[i] << 8 * i;
  return value;
}

static uint64_t padded(uint64_t size)
{
  return (size + 7) & ~UINT64_C(7);
}

static bool read_at(int fd, uint64_t at, void *to, size_t size)
{
  return at <= INT64_MAX - size && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* m[size]: version, -, sizes of name, type and space, (3: character set,) these, (1: each padded to 8,) the value */
static bool is_wanted(search *s, const uint8_t *m, size_t size)
{
  if (size < 9 || m[0] < 1 || m[0] > 3) return false;
  const bool pads = m[0] == 1;
  const uint64_t length = number(m + 2, 2), type = number(m + 4, 2), space = number(m + 6, 2),
                 name = m[0] == 3 ? 9 : 8,
                 value = name + (pads ? padded(length) + padded(type) + padded(space)
                                      : length + type + space);
  if (value + REFERENCE > size || length != strlen(s->name) + 1 ||
      memcmp(m + name, s->name, length) != 0)
    return false;
  memcpy(s->reference, m + value, REFERENCE);
  return true;
}

/* bytes[size] of messages: type, size, flags, 3 unused, the message */
static bool search_messages(search *s, const uint8_t *bytes, size_t size)
{
  for (size_t at = 0; at + 8 <= size;) {
    const uint64_t type = number(bytes + at, 2), length = number(bytes + at + 2, 2);
    const uint8_t *message = bytes + at + 8;
    if (length > size - at - 8) return false;
    if (type == MESSAGE_ATTRIBUTE && is_wanted(s, message, length)) return true;
    if (type == MESSAGE_CONTINUED && length >= 16 && s->chunks < MOST_CHUNKS)
      s->chunk[s->chunks++] = (chunk){number(message, 8), number(message + 8, 8)};
    at += 8 + length;
  }
  return false;
}

static bool search_chunk(search *s, chunk c)
{
  const uint64_t most = 1 << 20;
  uint8_t *bytes = c.size <= most ? malloc(c.size + 1) : NULL;
  const bool found =
      bytes && read_at(s->fd, c.at, bytes, c.size) && search_messages(s, bytes, c.size);
  free(bytes);
  return found;
}

/* head: version, -, messages (2), references (4), size of the first chunk (4), 4 unused */
static bool search_header(search *s, uint64_t at, const uint8_t *head)
{
  s->chunk[s->chunks++] = (chunk){at + 16, number(head + 8, 4)};
  for (int c = 0; c < s->chunks; c++)
    if (search_chunk(s, s->chunk[c])) return true;
  return false;
}

/* reference: length (4), address of the heap (8), number in it (4); heap: "GCOL", 1, 3 unused, size (8), then objects: number (2), 6 unused,
 * size (8), bytes padded to 8; number 0 is what is free at the end */
static bool find_in_heap(int fd, const uint8_t *reference, uint64_t *place)
{
  const uint64_t length = number(reference, 4), heap = number(reference + 4, 8),
                 wanted = number(reference + 12, 4);
  uint8_t head[16];
  if (!read_at(fd, heap, head, sizeof head) || memcmp(head, "GCOL\1", 5) != 0) return false;
  for (uint64_t at = 16, end = number(head + 8, 8); at < end && end - at >= sizeof head;) {
    if (!read_at(fd, heap + at, head, sizeof head)) return false;
    const uint64_t item = number(head, 2), bytes = number(head + 8, 8);
    if (!item || bytes > end - at - sizeof head) return false;
    if (item == wanted) {
      *place = heap + at + sizeof head;
      return length <= bytes;
    }
    at += sizeof head + padded(bytes);
  }
  return false;
}

static bool read_heap(int fd, const uint8_t *reference, char *text, size_t size)
{
  const uint64_t length = number(reference, 4);
  const size_t kept = length < size - 1 ? length : size - 1;
  uint64_t place;
  if (!length || !number(reference + 12, 4)) return true;
  if (!find_in_heap(fd, reference, &place) || !read_at(fd, place, text, kept)) return false;
  text[kept] = 0;
  return true;
}

static bool address_of(hid_t object, uint64_t *at)
{
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
  const bool good = H5Oget_info1(object, &info) >= 0;
#else
  H5O_info_t info;
  const bool good = H5Oget_info(object, &info) >= 0;
#endif
  *at = good ? (uint64_t)info.addr : 0;
  return good;
}

/* Addresses and sizes of 8 bytes that count from the begin of the file, as everybody writes them. */
static bool is_usual(hid_t object)
{
  size_t address = 0, size = 0;
  hsize_t block = 1;
  const hid_t file = H5Iget_file_id(object), list = file >= 0 ? H5Fget_create_plist(file) : -1;
  const bool usual = list >= 0 && H5Pget_sizes(list, &address, &size) >= 0 && address == 8 &&
                     size == 8 && H5Pget_userblock(list, &block) >= 0 && block == 0;
  if (list >= 0) H5Pclose(list);
  if (file >= 0) H5Fclose(file);
  return usual;
}

static bool read_by_library(hid_t attribute, hid_t type, char *text, size_t size)
{
  char *held = NULL;
  const bool good = H5Aread(attribute, type, &held) >= 0;
  if (good && held) snprintf(text, size, "%s", held);
  H5free_memory(held);
  return good;
}

static bool read_variable(int fd, hid_t object, hid_t attribute, hid_t type, const char *name,
                          char *text, size_t size)
{
  search s = {.fd = fd, .name = name};
  uint64_t at;
  uint8_t head[16];
  if (!address_of(object, &at) || !is_usual(object) || !read_at(fd, at, head, sizeof head))
    return false;
  if (!memcmp(head, "OHDR", 4)) return read_by_library(attribute, type, text, size);
  return head[0] == 1 && search_header(&s, at, head) && read_heap(fd, s.reference, text, size);
}

bool hk_hdf_attribute_place(int fd, hid_t object, const char *name, uint64_t *at, uint64_t *length)
{
  search s = {.fd = fd, .name = name};
  uint8_t head[16];
  if (!address_of(object, at) || !is_usual(object) || !read_at(fd, *at, head, sizeof head))
    return false;
  if (head[0] != 1 || !search_header(&s, *at, head) || !find_in_heap(fd, s.reference, at))
    return false;
  *length = number(s.reference, 4);
  return true;
}

bool hk_hdf_attribute_text(int fd, hid_t object, const char *name, char *text, size_t size)
{
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  bool good = type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Tget_class(type) == H5T_STRING;
  text[0] = 0;
  if (good && H5Tis_variable_str(type) > 0) {
    good = read_variable(fd, object, attribute, type, name, text, size);
  } else if (good) {
    const size_t length = H5Tget_size(type);
    good = length < size && H5Aread(attribute, type, text) >= 0;
    text[good ? length : 0] = 0;
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}
