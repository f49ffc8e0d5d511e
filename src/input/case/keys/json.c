/* JSON that libyaml does not take. JSON writes a character beyond U+FFFF as two escapes, a surrogate pair (RFC 8259, section 7), which YAML
 * does not know: the pair becomes one escape \UXXXXXXXX, followed by blanks behind the string, so that all that follows keeps its line and
 * column. */
#include "input/case/keys/json.h"
#include <stdio.h>
#include <string.h>

enum { ESCAPE = 6, PAIR = 12, JOINED = 10 };

/* The code of an escape \uXXXX in text[0 .. length), else -1 */
static int32_t escape_at(const char *text, size_t length)
{
  int32_t code = 0;
  if (length < ESCAPE || text[0] != '\\' || text[1] != 'u') return -1;
  for (int i = 2; i < ESCAPE; i++) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *found = text[i] ? strchr(digits, text[i]) : NULL;
    if (!found) return -1;
    const int32_t digit = (int32_t)(found - digits);
    code = code * 16 + (digit < 16 ? digit : digit - 6);
  }
  return code;
}

/* The character that a pair of escapes at text stands for, else -1 (RFC 8259, 7) */
static int32_t pair_at(const char *text, size_t length)
{
  const int32_t high = escape_at(text, length);
  if (high < 0xD800 || high > 0xDBFF) return -1;
  const int32_t low = escape_at(text + ESCAPE, length - ESCAPE);
  if (low < 0xDC00 || low > 0xDFFF) return -1;
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* Copies the string whose quote is text[0] to `to`; the bytes that it has. */
static size_t copy_string(const char *text, size_t length, char *to)
{
  size_t i = 1, used = 1;
  to[0] = text[0];
  while (i < length && text[i] != '"') {
    const int32_t code = pair_at(text + i, length - i);
    if (code >= 0) {
      char word[JOINED + 1];
      snprintf(word, sizeof word, "\\U%08X", (unsigned)code);
      memcpy(to + used, word, JOINED);
      i += PAIR, used += JOINED;
      continue;
    }
    const size_t step = text[i] == '\\' && i + 1 < length ? 2 : 1;
    memcpy(to + used, text + i, step);
    i += step, used += step;
  }
  if (i < length) to[used++] = text[i++];
  memset(to + used, ' ', i - used);
  return i;
}

static bool is_json(const char *text, size_t length)
{
  size_t i = 0;
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) i = 3;
  while (i < length && text[i] && strchr(" \t\r\n", text[i])) i++;
  return i < length && (text[i] == '{' || text[i] == '[');
}

static bool has_pair(const char *text, size_t length)
{
  const char *end = text + length;
  for (const char *at = text; (at = memchr(at, '\\', (size_t)(end - at))); at++)
    if (pair_at(at, (size_t)(end - at)) >= 0) return true;
  return false;
}

hk_status hk_json_join_pairs(const char *text, size_t length, char **out)
{
  hk_status status = HK_OK;
  char *copy = NULL;
  if (!is_json(text, length) || !has_pair(text, length)) return HK_OK;
  HK_TRY(hk_get(&copy, (hk_count)length));
  for (size_t i = 0; i < length;) {
    if (text[i] == '\'' || text[i] == '#') {
      memcpy(copy + i, text + i, length - i);
      break;
    }
    if (text[i] == '"')
      i += copy_string(text + i, length - i, copy + i);
    else
      copy[i] = text[i], i++;
  }
  *out = copy, copy = NULL;
cleanup:
  hk_free(&copy);
  return status;
}
