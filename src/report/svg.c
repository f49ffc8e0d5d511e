/* Line plots as SVG within the report's HTML. Coordinates are written in tenths of a pixel with a point, whatever the
 * locale. Text stays text, so that it can be selected and takes the page's font; a power of ten in a title is raised
 * by tspan. */
#include "report/report.h"
#include "picture/figure.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 300, LEFT = 78, RIGHT = 16, TOP = 12, BOTTOM = 46 };

void hk_html_text(FILE *to, const char *text)
{
  for (; *text; text++) {
    const char *safe = *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                       : *text == '"' ? "&quot;"
                                      : NULL;
    if (safe)
      fputs(safe, to);
    else
      fputc(*text, to);
  }
}

/* Tenths of a pixel, whatever the locale's point. */
static void put_coordinate(FILE *to, double value)
{
  const long tenths = lround(10 * value);
  fprintf(to, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

static double place_x(const hk_axis *a, double value)
{
  return LEFT + (value - a->low) / (a->high - a->low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const hk_axis *a, double value)
{
  return HEIGHT - BOTTOM - (value - a->low) / (a->high - a->low) * (HEIGHT - TOP - BOTTOM);
}

/* Signs and digits after ^ are raised: "10^-6 mm^2" */
static void put_title(FILE *to, const char *text)
{
  char plain[96];
  for (const char *mark; (mark = strchr(text, '^')) != NULL;) {
    const int digits = (int)strspn(mark + 1, "-0123456789");
    snprintf(plain, sizeof plain, "%.*s", (int)(mark - text), text);
    hk_html_text(to, plain);
    fprintf(to, "<tspan dy=\"-5\" font-size=\"9\">%.*s</tspan><tspan dy=\"5\">&#8203;</tspan>",
            digits, mark + 1);
    text = mark + 1 + digits;
  }
  hk_html_text(to, text);
}

static void put_ticks(FILE *to, const hk_axis *x, const hk_axis *y)
{
  char text[96];
  for (int i = 0; i < x->count; i++) {
    const int at = (int)place_x(x, hk_axis_tick(x, i));
    fprintf(to, "<path class=\"g\" d=\"M%d %dV%d\"/><text x=\"%d\" y=\"%d\" class=\"m\">%s</text>",
            at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 18, hk_axis_label(x, i, text));
  }
  for (int i = 0; i < y->count; i++) {
    const int at = (int)place_y(y, hk_axis_tick(y, i));
    fprintf(to, "<path class=\"g\" d=\"M%d %dH%d\"/><text x=\"%d\" y=\"%d\" class=\"e\">%s</text>",
            LEFT, at, WIDTH - RIGHT, LEFT - 8, at + 4, hk_axis_label(y, i, text));
  }
}

static void put_mark(FILE *to, const hk_axis *x, double mark)
{
  if (!(mark > 0 && mark < x->high)) return;
  fprintf(to, "<path class=\"a\" stroke-dasharray=\"6 4\" d=\"M%d %dV%d\"/>\n",
          (int)place_x(x, mark), TOP, HEIGHT - BOTTOM);
}

static void put_curve(FILE *to, const hk_curve *curve, hk_colour colour, const hk_axis *x,
                      const hk_axis *y)
{
  fprintf(to, "<polyline stroke=\"#%02x%02x%02x\" points=\"", colour.r, colour.g, colour.b);
  for (hk_count i = 0; i < curve->count; i++) {
    if (i) fputc(' ', to);
    put_coordinate(to, place_x(x, curve->point[i][0]));
    fputc(',', to);
    put_coordinate(to, place_y(y, curve->point[i][1]));
  }
  fputs("\"/>\n", to);
}

void hk_svg_plot(FILE *to, const hk_curves *curves, const char *name, const char *unit,
                 const char *time_unit)
{
  char text[96];
  const hk_axis x = hk_axis_make(curves->low[0], curves->high[0], 9, false);
  const hk_axis y = hk_axis_make(curves->low[1], curves->high[1], 5, true);
  fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
  put_ticks(to, &x, &y);
  put_mark(to, &x, curves->mark);
  for (int i = 0; i < curves->count; i++)
    put_curve(to, &curves->curve[i], hk_curve_colour[i], &x, &y);
  fprintf(to, "<path class=\"a\" d=\"M%d %dV%dH%d\"/>\n<text x=\"%d\" y=\"%d\" class=\"m\">", LEFT,
          TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
  put_title(to, hk_axis_title(&x, curves->across ? curves->across : "time", time_unit, text));
  fprintf(to, "</text><text transform=\"translate(14 %d) rotate(-90)\" class=\"m\">",
          (TOP + HEIGHT - BOTTOM) / 2);
  put_title(to, hk_axis_title(&y, name, unit, text));
  fputs("</text></svg>\n<p class=\"legend\">", to);
  for (int i = 0; i < curves->count; i++) {
    const hk_colour c = hk_curve_colour[i];
    fprintf(to, "<span><i style=\"background:#%02x%02x%02x\"></i>", c.r, c.g, c.b);
    hk_html_text(to, curves->curve[i].label);
    fputs("</span>", to);
  }
  if (curves->left_out)
    fprintf(to, "<span>and %lld more receivers</span>", (long long)curves->left_out);
  fputs("</p>\n", to);
}
