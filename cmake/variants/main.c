/* Reads device/variants.txt and writes C for the build (cmake/host_kernels.cmake):
 *
 *   hooke_variants FOLDER OUTPUT probe UNIT           the variants of a unit, for the preprocessor: KERNEL becomes a marked word
 *   hooke_variants FOLDER OUTPUT host UNIT PROBED     the unit: each variant's functions, a launcher for each KERNEL, the table of keys
 *   hooke_variants FOLDER OUTPUT texts UNIT [NAME=v,v]  the variants without launchers, in one precision, those where NAME is one of v (static analysis)
 *   hooke_variants FOLDER OUTPUT gpu                  rows of the variants that tests compile for GPUs
 *
 * FOLDER is the source folder, whose texts are used, and those that the build has written beside OUTPUT (cmake/gll_table.c). OUTPUT is
 * not touched where it would stay the same. The signature of a KERNEL is what the preprocessor
 * leaves of its text: a launcher casts each argument to the type that it has there, and the table says the kinds of the arguments, which
 * each launch is compared with. Every function and table of constants of a text is renamed for each variant, and every macro of a text
 * is undefined after it. A text may have parts, each between "#ifndef NAME_MADE" and its #endif, which do not know some of the defines (unknown): of
 * a unit "once NAME" a part is compiled once for all variants that differ in those alone. Any other part belongs to the next. */
#include "variants.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder, *output;
static FILE *out;

const char *const part_name[PARTS] = {"STATES", "POINTS", "FORCES", "KERNELS"};
/* What a part does not know. Forces: how a step ends, and how many values the state has at a node; laws at points: the order too. */
static const char *const unknown[PARTS] = {"FORM DAMPED STATE ORDER ", "FORM DAMPED STATE ORDER ",
                                           "FORM DAMPED STATE ", ""};

static int knows(text_part p, const char *of)
{
  const char *at = strstr(unknown[p], of);
  return !at || at[strlen(of)] != ' ';
}

static void open_variant(const variant *v, text_part p)
{
  for (int i = 0; i < v->defines; i++) {
    const define *d = &v->define[i];
    if (!knows(p, d->name)) continue;
    if (!strcmp(d->name, "LANES")) fprintf(out, "#pragma push_macro(\"LANES\")\n#undef LANES\n");
    fprintf(out, "#define %s %s\n", d->name, d->value);
  }
  fprintf(out, "#define real %s\n#define PRECISION %c\n%s",
          v->precision == 'd' ? "double" : "float", v->precision,
          v->precision == 'd' ? "#define DOUBLE\n" : "");
}

static void close_variant(const unit *u, const variant *v)
{
  for (int i = 0; i < u->macros; i++) fprintf(out, "#undef %s\n", u->macro[i].word);
  for (int i = 0; i < u->functions; i++) fprintf(out, "#undef %s\n", u->function[i].word);
  for (int i = 0; i < v->defines; i++) {
    fprintf(out, "#undef %s\n", v->define[i].name);
    if (!strcmp(v->define[i].name, "LANES")) fprintf(out, "#pragma pop_macro(\"LANES\")\n");
  }
  fprintf(out, "#undef real\n#undef PRECISION\n#undef DOUBLE\n");
}

static int same_part(text_part p, const variant *a, const variant *b)
{
  if (a->precision != b->precision || a->defines != b->defines) return 0;
  for (int i = 0; i < a->defines; i++) {
    const char *of = a->define[i].name;
    if (strcmp(of, b->define[i].name)) return 0;
    if (knows(p, of) && strcmp(a->define[i].value, b->define[i].value)) return 0;
  }
  return 1;
}

static int first_alike(text_part p, const line *l, int i)
{
  int first = 0;
  while (!same_part(p, &l->variant[first], &l->variant[i])) first++;
  return first;
}

/* What a part is compiled with. */
static text_part compiled_with(const unit *u, text_part p)
{
  while (!u->once[p]) p++;
  return p;
}

/* Part p of variant i, its functions by names of their own: number of the variant, or of the first one that has the same part. */
static void write_part(const unit *u, text_part p, const line *l, int first, int i)
{
  open_variant(&l->variant[i], p);
  for (int f = 0; f < u->functions; f++) {
    const text_part of = u->function[f].part == PARTS ? p : compiled_with(u, u->function[f].part);
    fprintf(out, "#define %s %s_%s_%s%d\n", u->function[f].word, u->function[f].word, u->name,
            of == KERNELS ? "" : part_name[of], first + first_alike(of, l, i));
  }
  for (text_part other = 0; other < PARTS; other++)
    if (compiled_with(u, other) != p) fprintf(out, "#define %s_MADE\n", part_name[other]);
  for (int t = 0; t < u->texts; t++) fprintf(out, "#include \"%s\"\n", u->path[t]);
  for (text_part other = 0; other < PARTS; other++)
    fprintf(out, "#undef %s_MADE\n", part_name[other]);
  close_variant(u, &l->variant[i]);
}

static char kind_of(const kernel *k, const char *type)
{
  if (strchr(type, '*')) return 'p';
  if (!strcmp(type, "int") || !strcmp(type, "float") || !strcmp(type, "double")) return *type;
  if (!strcmp(type, "integers")) return 'n';
  fail("%s: a launch has no argument of type %s", k->name, type);
  return 0;
}

static void write_launcher(const kernel *k)
{
  fprintf(out, "static void run_%s(int group, void **v)\n{\n  %s(group", k->name, k->name);
  for (int i = 0; i < k->parameters; i++)
    fprintf(out, ", *(%s%s*)v[%d]", k->type[i], strchr(k->type[i], '*') ? "" : " ", i);
  fputs(");\n}\n", out);
}

static void write_row(const unit *u, const variant *v, const kernel *k)
{
  word suffix;
  const int length = snprintf(suffix, sizeof suffix, "_%s_%d", u->name, k->variant);
  fprintf(out, "  {\"%.*s %c", (int)strlen(k->name) - length, k->name, v->precision);
  for (int i = 0; i < v->defines; i++)
    if (!v->define[i].hidden) fprintf(out, " %s=%s", v->define[i].name, v->define[i].value);
  fprintf(out, "\", \"");
  for (int i = 0; i < k->parameters; i++) putc(kind_of(k, k->type[i]), out);
  fprintf(out, "\", run_%s},\n", k->name);
}

static int wanted(const unit *u, const line *l, const kernel *k)
{
  word full;
  for (int i = 0; i < l->kernels; i++) {
    if (snprintf(full, sizeof full, "%s_%s_%d", l->kernel[i], u->name, k->variant) >=
        (int)sizeof full)
      fail("%s: too long", k->name);
    if (!strcmp(full, k->name)) return 1;
  }
  return !l->kernels;
}

/* Whether a define that `only`, "NAME=v,v", names has one of its values. */
static int passes(const variant *v, const char *only)
{
  for (int i = 0; only && i < v->defines; i++) {
    const define *d = &v->define[i];
    const size_t length = strlen(d->name);
    if (strncmp(only, d->name, length) || only[length] != '=') continue;
    int found = 0;
    for (const char *at = only + length; *at; at += 1 + strcspn(at + 1, ","))
      found |=
          strcspn(at + 1, ",") == strlen(d->value) && !strncmp(at + 1, d->value, strlen(d->value));
    return found;
  }
  return 1;
}

/* Whether one of the line's variants differs from v in its precision alone. */
static int has_twin(const line *l, const variant *v)
{
  for (int i = 0; i < l->variants; i++) {
    const variant *other = &l->variant[i];
    int d = 0;
    while (d < v->defines && d < other->defines &&
           !strcmp(v->define[d].name, other->define[d].name) &&
           !strcmp(v->define[d].value, other->define[d].value))
      d++;
    if (d == v->defines && d == other->defines) return 1;
  }
  return 0;
}

/* The variants of one line; those that the probe knows have launchers. */
static void write_line(const unit *u, const line *l, int first, int probe, const kernels *all)
{
  for (text_part p = 0; p < KERNELS; p++)
    for (int i = 0; u->once[p] && i < l->variants; i++)
      if (first_alike(p, l, i) == i) write_part(u, p, l, first, i);
  for (int i = 0; i < l->variants; i++) {
    if (probe) fprintf(out, "hk_probe_variant %d\n", first + i);
    write_part(u, KERNELS, l, first, i);
    for (int k = 0; all && k < all->count; k++)
      if (all->kernel[k].variant == first + i && wanted(u, l, &all->kernel[k]))
        write_launcher(&all->kernel[k]);
  }
}

static void write_rows(const unit *u, const line *l, int first, const kernels *all)
{
  int rows = 0;
  for (int i = 0; i < l->variants; i++)
    for (int k = 0; k < all->count; k++)
      if (all->kernel[k].variant == first + i && wanted(u, l, &all->kernel[k]))
        write_row(u, &l->variant[i], &all->kernel[k]), rows++;
  if (!rows || (l->kernels && rows != l->kernels * l->variants))
    fail("%s: a line of variants names kernels that its text has not", u->name);
}

/* Each line of a unit in turn, by number of its first variant; rows: their lines of the table. */
static void write_lines(const char *table, const char *at, const unit *u, int probe,
                        const kernels *all, const char *only, int rows)
{
  for (int first = 0; *at == '\n'; at += strcspn(at, "\n")) {
    line l;
    at++;
    if (*at == '#') continue;
    if (*at != ' ') break;
    read_line(table, at, &l);
    const int variants = l.variants, alone = !all && !probe;
    for (int i = l.variants = 0; i < variants; i++)
      if (passes(&l.variant[i], only) && !(alone && has_twin(&l, &l.variant[i])))
        l.variant[l.variants++] = l.variant[i];
    if (rows)
      write_rows(u, &l, first, all);
    else
      write_line(u, &l, first, probe, all);
    first += l.variants;
    free(l.variant);
  }
}

static void write_unit(const char *table, const char *of, const char *probed, const char *only,
                       int probe)
{
  static unit u;
  kernels all;
  const char *begin = read_unit(table, of, &u);
  read_texts(folder, output, &u);
  if (probed) read_probe(probed, &all);
  fprintf(
      out,
      "/* Variants of %s, written from device/variants.txt. */\n#include "
      "\"device/host/dialect.h\"\n"
      "#include \"device/host/kernels.h\"\n#include \"device/host/records.h\"\n#include <math.h>\n",
      u.path[u.texts - 1]);
  fputs("#pragma GCC diagnostic ignored \"-Wunused-function\" /* each variant has all functions of "
        "the text */\n"
        "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n",
        out);
  if (probe) fputs("#undef KERNEL\n#define KERNEL hk_probe_kernel\n", out);
  if (*u.guard && !probe) fprintf(out, "#ifndef %s\n", u.guard);
  write_lines(table, begin, &u, probe, probed ? &all : NULL, only, 0);
  if (*u.guard && !probe) fputs("#endif\n", out);
  if (!probed) return;
  fprintf(out, "const hk_host_kernel JOIN(hk_host_%s, HOST_ISA)[] = {\n", u.name);
  if (*u.guard) fprintf(out, "#ifndef %s\n", u.guard);
  write_lines(table, begin, &u, 0, &all, only, 1);
  if (*u.guard) fputs("#endif\n", out);
  fputs("  {0}};\n", out);
  free(all.kernel);
}

/* "gpu TEXT KERNEL", then lines of variants: {text, kernel, "NAME=v ...", double precision, threads}. */
static void write_gpu(const char *table)
{
  word text = "", kernel_name = "";
  for (const char *at = table; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    if (*at != ' ' && *at != '#') *text = 0;
    if (!strncmp(at, "gpu ", 4)) {
      const char *rest = next_word(at + 4, text);
      if (!rest || !next_word(rest, kernel_name)) fail("gpu TEXT KERNEL");
    }
    if (*at != ' ' || !*text) continue;
    line l;
    read_line(table, at, &l);
    for (int i = 0; i < l.variants; i++) {
      const variant *v = &l.variant[i];
      const char *threads = "0", *space = "";
      fprintf(out, "{\"%s\", \"%s\", \"", text, kernel_name);
      for (int d = 0; d < v->defines; d++)
        if (!strcmp(v->define[d].name, "THREADS"))
          threads = v->define[d].value;
        else
          fprintf(out, "%s%s=%s", space, v->define[d].name, v->define[d].value), space = " ";
      fprintf(out, "\", %s, %s},\n", v->precision == 'd' ? "true" : "false", threads);
    }
    free(l.variant);
  }
}

/* Puts what was written in its place, unless the same is there: what depends on it is not built again. */
static void replace_file(const char *from, const char *to)
{
  FILE *there = fopen(to, "r");
  if (there) {
    fclose(there);
    char *old = read_file(to), *new = read_file(from);
    const int same = !strcmp(old, new);
    free(old), free(new);
    if (same) {
      remove(from);
      return;
    }
  }
  if (rename(from, to)) fail("cannot write %s", to);
}

int main(int count, char **argument)
{
  char part[LINE];
  if (count < 4) fail("FOLDER OUTPUT probe|host|texts|gpu ...");
  folder = argument[1], output = argument[2];
  snprintf(part, sizeof part, "%s.part", output);
  char *table = read_source(folder, "src/device/%s", "variants.txt");
  const char *what = argument[3];
  if (!(out = fopen(part, "w"))) fail("cannot write %s", part);
  if (!strcmp(what, "gpu"))
    write_gpu(table);
  else if (count < 5)
    fail("%s: of which unit?", what);
  else if (!strcmp(what, "probe"))
    write_unit(table, argument[4], NULL, NULL, 1);
  else if (!strcmp(what, "texts"))
    write_unit(table, argument[4], NULL, count > 5 ? argument[5] : NULL, 0);
  else if (!strcmp(what, "host") && count > 5)
    write_unit(table, argument[4], argument[5], NULL, 0);
  else
    fail("what is \"%s\"?", what);
  free(table);
  if (ferror(out) | fclose(out)) fail("cannot write %s", part);
  replace_file(part, output);
  return 0;
}
