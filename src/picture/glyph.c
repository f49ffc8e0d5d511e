/* The letters of the pictures: strokes on a grid. A stroke is a kind and points; a point is a digit
 * for x ('0' + x) and a letter for y ('e' = base line 0, 'm' = 8 height of small letters, 'q' = 12
 * height of capitals, 'a' = -4). Kinds: l straight lines, c quadratic B-spline from the first to
 * the last point, o closed quadratic B-spline. */
#include "picture/canvas.h"
#include <string.h>

enum { FIRST = 32, LAST = 126, GAP = 3, PER_CURVE = 8 };

static const char *const glyph[LAST - FIRST + 1] = {"",
                                                    "l1q1i l1f1e",
                                                    "l0q0n l3q3n",
                                                    "l2e3q l6e7q l0m9m l0i9i",
                                                    "c8n8q0q0k8k8e0e0h l4r4d",
                                                    "o0l3l3q0q o6e9e9j6j l8q1e",
                                                    "l9e2m c2m1o1q6q6n4l c4l0i0e7e8h8j",
                                                    "l0q0n",
                                                    "c3r0o0e3b",
                                                    "c0r3o3e0b",
                                                    "l3n3h l0m6i l0i6m",
                                                    "l0i6i l3l3f",
                                                    "l1f0c",
                                                    "l0i5i",
                                                    "l1e1f",
                                                    "l0c6r",
                                                    "o0e7e7q0q",
                                                    "l1o4q4e",
                                                    "c0n0q7q7l3h0e l0e7e",
                                                    "c0o0q7q7k3k c3k7k7e0e0g",
                                                    "l5e5q0h7h",
                                                    "l6q1q0k c0k2m7m7e2e0f",
                                                    "c6p4q0q0i o0e7e7l0l",
                                                    "l0q7q2e",
                                                    "o0e7e7k0k o1k6k6q1q",
                                                    "c1f3e7e7m o0j7j7q0q",
                                                    "l1e1f l1l1m",
                                                    "l1f0c l1l1m",
                                                    "l6m0i6e",
                                                    "l0k6k l0g6g",
                                                    "l0m6i0e",
                                                    "c0n0q6q6l3k3h l3f3e",
                                                    "o0c;c;q0q o3g8g8m3m",
                                                    "l0e5q:e l2i8i",
                                                    "l0e0q c0q3q8q8k3k0k c0k4k9k9e3e0e",
                                                    "c9n9q0q0e9e9h",
                                                    "l0e0q c0q4q9q9e4e0e",
                                                    "l8q0q0e8e l0k6k",
                                                    "l8q0q0e l0k6k",
                                                    "c9n9q0q0e9e9i l9e9j5j",
                                                    "l0q0e l9q9e l0k9k",
                                                    "l1q1e",
                                                    "l6q6i c6i6e0e0h",
                                                    "l0q0e l8q0i l3l9e",
                                                    "l0q0e7e",
                                                    "l0e0q5g:q:e",
                                                    "l0e0q9e9q",
                                                    "o0e:e:q0q",
                                                    "l0e0q c0q3q8q8j3j0j",
                                                    "o0e:e:q0q l6h:d",
                                                    "l0e0q c0q3q8q8j3j0j l4j9e",
                                                    "c8n8q0q0k8k8e0e0h",
                                                    "l0q8q l4q4e",
                                                    "l0q0i c0i0e9e9i l9i9q",
                                                    "l0q5e:q",
                                                    "l0q3e6q9e<q",
                                                    "l0q9e l9q0e",
                                                    "l0q4k8q l4k4e",
                                                    "l0q8q0e8e",
                                                    "l3r0r0b3b",
                                                    "l0r6c",
                                                    "l0r3r3b0b",
                                                    "l0m3q6m",
                                                    "l0c7c",
                                                    "l0r2o",
                                                    "o0e7e7m0m l7m7e",
                                                    "l0q0e o0e7e7m0m",
                                                    "c7k7m0m0e7e7g",
                                                    "o0e7e7m0m l7q7e",
                                                    "l0i7i c7i7m0m0e6e7g",
                                                    "c5q2q2n l2n2e l0m5m",
                                                    "o0e7e7m0m l7m7d c7d7a1a0b",
                                                    "l0q0e c0j0m7m7j l7j7e",
                                                    "l1m1e l1p1q",
                                                    "l2m2c c2c2a0a l2p2q",
                                                    "l0q0e l6m0h l2j7e",
                                                    "l1q1e",
                                                    "l0m0e c0j0m5m5j l5j5e c5j5m:m:j l:j:e",
                                                    "l0m0e c0j0m7m7j l7j7e",
                                                    "o0e7e7m0m",
                                                    "l0m0a o0e7e7m0m",
                                                    "l7m7a o0e7e7m0m",
                                                    "l0m0e c0j0m5m",
                                                    "c6k6m0m0i6i6e0e0g",
                                                    "l2q2h c2h2e5e l0m5m",
                                                    "c0h0e7e7h l0m0h l7m7e",
                                                    "l0m4e8m",
                                                    "l0m3e6m9e<m",
                                                    "l0m7e l7m0e",
                                                    "l0m4e l8m3a",
                                                    "l0m7m0e7e",
                                                    "c4r2r2n2k0k c0k2k2f2b4b",
                                                    "l1r1b",
                                                    "c0r2r2n2k4k c4k2k2f2b0b",
                                                    "c0h0k4k4h8h8k"};

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

char hk_glyph_letter(const char **text)
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
  if (point >= FIRST && point <= LAST) return (char)point;
  if (point >= 0xC0 && point <= 0xFF) return latin[point - 0xC0];
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (other[i].point == point) return other[i].letter;
  return '?';
}

static const char *strokes(char c)
{
  return c >= FIRST && c <= LAST ? glyph[c - FIRST] : glyph['?' - FIRST];
}

double hk_glyph_width(char c)
{
  int widest = 0;
  if (c == ' ') return 6;
  for (const char *s = strokes(c); *s; s++)
    if (*s >= '0' && *s <= '<' && *s - '0' > widest) widest = *s - '0';
  return widest + GAP;
}

/* Quadratic Bezier from a to b with control c, without its first point. */
static int add_curve(const double *a, const double *c, const double *b, double (*to)[2])
{
  for (int i = 1; i <= PER_CURVE; i++) {
    const double t = (double)i / PER_CURVE, s = 1 - t;
    for (int d = 0; d < 2; d++) to[i - 1][d] = s * s * a[d] + 2 * s * t * c[d] + t * t * b[d];
  }
  return PER_CURVE;
}

static void middle(const double *a, const double *b, double *to)
{
  for (int d = 0; d < 2; d++) to[d] = (a[d] + b[d]) / 2;
}

static int closed_curve(int n, double (*p)[2], double (*to)[2])
{
  int count = 1;
  middle(p[n - 1], p[0], to[0]);
  for (int i = 0; i < n; i++) {
    double end[2];
    middle(p[i], p[(i + 1) % n], end);
    count += add_curve(to[count - 1], p[i], end, to + count);
  }
  return count;
}

static int open_curve(int n, double (*p)[2], double (*to)[2])
{
  int count = 1;
  memcpy(to[0], p[0], sizeof *to);
  for (int i = 1; i + 1 < n; i++) {
    double end[2];
    middle(p[i], p[i + 1], end);
    if (i + 2 == n) memcpy(end, p[n - 1], sizeof end);
    count += add_curve(to[count - 1], p[i], end, to + count);
  }
  return count;
}

int hk_glyph_stroke(char c, int part, double (*point)[2])
{
  double p[16][2] = {{0}};
  int n = 0;
  const char *s = strokes(c);
  for (; part > 0 && *s; part--) {
    s += strcspn(s, " ");
    s += strspn(s, " ");
  }
  if (!*s) return 0;
  const char kind = *s++;
  for (; s[0] && s[0] != ' ' && n < 16; s += 2, n++) p[n][0] = s[0] - '0', p[n][1] = s[1] - 'e';
  if (kind == 'o') return closed_curve(n, p, point);
  if (kind == 'c') return open_curve(n, p, point);
  memcpy(point, p, (size_t)n * sizeof *p);
  return n;
}
