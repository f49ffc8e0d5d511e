/* Characters of UTF-8 text as letters of ASCII, which are all that the pictures' font has. Code points are decoded one
 * by one; accented letters of Latin-1 lose their accents, typographic signs become their plain likeness, and anything
 * else becomes a question mark. Damaged UTF-8 is read byte by byte and never past the end of the text. */
#include "picture/canvas.h"

/* Code point of the character at *text; stray bytes count as one character each. */
static long next_point(const char **text)
{
  const unsigned char first = (unsigned char)*(*text)++;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  long point = more ? first & (0x3F >> more) : first;
  for (int i = 0; i < more && ((unsigned char)**text & 0xC0) == 0x80; i++)
    point = point << 6 | (*(*text)++ & 0x3F);
  return point;
}

char hk_letter(const char **text)
{
  static const char latin[] = /* U+00C0 to U+00FF */
      "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
  static const struct {
    long point;
    char letter;
  } other[] = {{0xA0, ' '},    {0xB0, 'o'},   {0xB2, '2'},   {0xB3, '3'},   {0xB5, 'u'},
               {0xB7, '.'},    {0x3BC, 'u'},  {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''},
               {0x2019, '\''}, {0x201C, '"'}, {0x201D, '"'}, {0x201E, '"'}, {0x2212, '-'}};
  const long point = next_point(text);
  if (point >= ' ' && point <= '~') return (char)point;
  if (point >= 0xC0 && point <= 0xFF) return latin[point - 0xC0];
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (other[i].point == point) return other[i].letter;
  return '?';
}
