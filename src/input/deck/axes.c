/* Local axes of a deck: *ORIENTATION of materials and *TRANSFORM of nodes. Points a, b (and c, the origin) give rectangular axes, x' to a and b in
 * the plane of x' and y'; or points a and b the axis of a cylinder. An orientation may turn its axes further about one of
 * them. Points of a part are moved as its instance is. */
#include "input/deck/parts.h"
#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static bool normalise(double a[3])
{
  const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++) a[i] /= length;
  return length > 0 && isfinite(length);
}

/* row[0] from c to a, b in the plane of row[0] and row[1], row[2] = row[0] x row[1]. */
static bool rectangular(const double p[3][3], double row[3][3])
{
  double b[3];
  for (int i = 0; i < 3; i++) row[0][i] = p[0][i] - p[2][i], b[i] = p[1][i] - p[2][i];
  if (!normalise(row[0]) || !normalise(b)) return false;
  cross(row[0], b, row[2]);
  const double *z = row[2];
  if (!(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] > 1e-20) || !normalise(row[2])) return false;
  cross(row[2], row[0], row[1]);
  return true;
}

/* row[2] from a to b; row[0] across it, in the plane of the global axis that it leaves most. */
static bool cylindrical(const double p[3][3], double row[3][3])
{
  int across = 0;
  for (int i = 0; i < 3; i++) row[2][i] = p[1][i] - p[0][i];
  if (!normalise(row[2])) return false;
  for (int i = 1; i < 3; i++)
    if (fabs(row[2][i]) < fabs(row[2][across])) across = i;
  for (int i = 0; i < 3; i++) row[0][i] = (i == across) - row[2][across] * row[2][i];
  normalise(row[0]);
  cross(row[2], row[0], row[1]);
  return true;
}

void hk_deck_axes(const deck *d, const deck_axes *from, int scope, int k, hk_axes *out)
{
  double point[3][3];
  for (int i = 0; i < 3; i++) hk_inp_piece_point(d->inp, scope, k, from->point[i], point[i]);
  *out = (hk_axes){.kind = from->cylindrical ? HK_AXES_CYLINDRICAL : HK_AXES_RECTANGULAR,
                   .turn_about = from->turn_about,
                   .turn_by = from->turn_by};
  memcpy(out->origin, point[from->cylindrical ? 0 : 2], sizeof out->origin);
  if (from->cylindrical)
    cylindrical(point, out->row);
  else
    rectangular(point, out->row);
}

/* Points a, b and, for up to 9 numbers, c. */
static hk_status read_points(deck *d, const hk_inp_line *line, int most, deck_axes *axes)
{
  const char *name = line->keyword->name;
  double row[3][3], point[9] = {0};
  int count;
  if (axes->cylindrical) most = 6;
  HK_PASS(hk_inp_number_line(d->reader, name, point, most, &count));
  const hk_place place = count == HK_INP_END ? line->place : hk_inp_here(d->reader);
  if (count == -1) return HK_OK;
  if (count > 6 && count < 9) {
    hk_inp_error(d->reader, place,
                 "*%s: %d numbers: give 6, the points a and b, or 9 with the origin c (decimals "
                 "have a point)",
                 name, count);
    return HK_OK;
  }
  if (point[6] != 0 || point[7] != 0 || point[8] != 0)
    hk_inp_say(d->reader, HK_WARNING, place,
               "*%s: point c is the origin of the axes, as in Abaqus; CalculiX does not read it",
               name);
  memcpy(axes->point, point, sizeof axes->point);
  if (axes->cylindrical && (count < 6 || !cylindrical(axes->point, row)))
    hk_inp_error(d->reader, place, "*%s: give two different points a and b of the axis", name);
  if (!axes->cylindrical && (count < 6 || !rectangular(axes->point, row)))
    hk_inp_error(d->reader, place, "*%s: give points a and b%s that do not lie on one line", name,
                 most > 6 ? " (and c, else the origin)" : ", with the origin,");
  return HK_OK;
}

/* The other two axes turn about one of the local axes. */
static hk_status read_rotation(deck *d, deck_axes *axes)
{
  double rotation[2] = {1, 0};
  int given;
  HK_PASS(hk_inp_number_line(d->reader, "*ORIENTATION", rotation, 2, &given));
  if (given >= 0 && rotation[0] != 1 && rotation[0] != 2 && rotation[0] != 3)
    hk_inp_wrong(d->reader, "*ORIENTATION: the axis of the additional rotation must be 1, 2 or 3");
  else if (given >= 0)
    axes->turn_about = (int)rotation[0] - 1, axes->turn_by = rotation[1] * acos(-1.0) / 180;
  return HK_OK;
}

hk_status hk_deck_read_orientation(deck *d, const hk_inp_line *line)
{
  const char *name = hk_inp_need(d->reader, line, "NAME");
  const int system =
      hk_inp_choice(d->reader, line, "SYSTEM", HK_WORDS("RECTANGULAR", "CYLINDRICAL"), 0);
  const int definition = hk_inp_choice(d->reader, line, "DEFINITION", HK_WORDS("COORDINATES"), 0);
  if (!name || system < 0 || definition < 0 ||
      hk_deck_refuse(d, line, HK_WORDS("LOCAL DIRECTIONS"),
                     "hooke does not support directions of fabrics"))
    return hk_inp_skip(d->reader);
  HK_PASS(hk_pool_more(&d->pool, &d->matter.orientation));
  deck_orientation *o = &d->matter.orientation.at[d->matter.orientation.count];
  *o = (deck_orientation){.place = line->place, .axes.cylindrical = system == 1};
  HK_PASS(hk_inp_keep(d->reader, name, &o->name));
  d->matter.orientation.count++;
  HK_PASS(hk_deck_name(d, line->place, o->name, DECK_ORIENTATION, d->matter.orientation.count - 1));
  HK_PASS(read_points(d, line, 9, &o->axes));
  return read_rotation(d, &o->axes);
}

hk_status hk_deck_read_transform(deck *d, const hk_inp_line *line)
{
  const char *set = hk_inp_need(d->reader, line, "NSET");
  const int type = hk_inp_choice(d->reader, line, "TYPE", HK_WORDS("R", "C"), 0);
  if (!set || type < 0) return hk_inp_skip(d->reader);
  HK_PASS(hk_pool_more(&d->pool, &d->acts.transform));
  deck_transform *t = &d->acts.transform.at[d->acts.transform.count];
  *t = (deck_transform){.axes.cylindrical = type == 1};
  HK_PASS(hk_deck_refer_value(d, line, "NSET", &t->on));
  d->acts.transform.count++;
  return read_points(d, line, 6, &t->axes);
}
