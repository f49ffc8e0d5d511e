/* Pictures of the femses bench after Keating (2019): the graph of a matrix, its pattern and that of
 * its Cholesky factor in three orders (Figures 3.4 to 3.6); time and iterations over unknowns, both
 * as powers of ten (5.1, 5.3, 5.27); shares of the stages of a solution (5.4). */
#include "graph/adjacency.h"
#include "graph/cuthill.h"
#include "graph/metis.h"
#include "graph/symbolic.h"
#include "draw.h"
#include "femses/femses.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PANEL = 330, MARGIN = HK_BENCH_MARGIN, WORDS = 40, CELLS = 16, NAMES = 290 };
static const hk_colour mark = {0, 90, 150};

typedef struct pattern {
  const hk_mesh *mesh;
  hk_index n;
  hk_count *begin;
  const hk_index *column;
} pattern;

static void outline(hk_canvas *c, int x, int y)
{
  hk_canvas_fill(c, x - 1, y - 1, x + PANEL + 1, y + PANEL + 1, hk_bench_pale);
  hk_canvas_fill(c, x, y, x + PANEL, y + PANEL, (hk_colour){255, 255, 255});
}

static void put_entry(hk_canvas *c, int x, int y, hk_index n, hk_index row, hk_index column)
{
  const double size = (double)PANEL / n;
  const int x0 = (int)(column * size), y0 = (int)(row * size);
  hk_canvas_fill(c, x + x0, y + y0, x + (int)ceil((column + 1) * size),
                 y + (int)ceil((row + 1) * size), mark);
}

/* A's entries in that order (NULL: as it is); `rank` is of n. */
static hk_status draw_matrix(const pattern *p, const hk_index *order, hk_canvas *c, int x, int y)
{
  hk_status status = HK_OK;
  hk_index *rank = NULL;
  HK_TRY(hk_get(&rank, p->n));
  for (hk_index k = 0; k < p->n; k++) rank[order ? order[k] : k] = k;
  outline(c, x, y);
  for (hk_index i = 0; i < p->n; i++) {
    put_entry(c, x, y, p->n, rank[i], rank[i]);
    for (hk_count q = p->begin[i]; q < p->begin[i + 1]; q++)
      put_entry(c, x, y, p->n, rank[i], rank[p->column[q]]);
  }
cleanup:
  hk_free(&rank);
  return status;
}

static void draw_factor(const hk_symbolic *s, hk_canvas *c, int x, int y)
{
  outline(c, x, y);
  for (hk_index j = 0; j < s->n; j++)
    for (hk_count q = s->begin[j]; q < s->begin[j + 1]; q++) put_entry(c, x, y, s->n, s->row[q], j);
}

static hk_status draw_order(const pattern *p, const char *name, const hk_index *order, hk_canvas *c,
                            int x)
{
  hk_status status = HK_OK;
  hk_symbolic s = {0};
  hk_index width;
  char words[96];
  HK_TRY(hk_order_bandwidth(p->n, p->begin, p->column, order, &width));
  HK_TRY(hk_symbolic_create(p->n, p->begin, p->column, order, true, &s));
  HK_TRY(draw_matrix(p, order, c, x, WORDS));
  draw_factor(&s, c, x, 2 * WORDS + PANEL);
  snprintf(words, sizeof words, "%s: bandwidth %d", name, (int)width);
  hk_canvas_text(c, x, WORDS - 12, 10, 0, false, words, hk_bench_ink);
  snprintf(words, sizeof words, "its factor: %lld entries", (long long)s.entries);
  hk_canvas_text(c, x, 2 * WORDS + PANEL - 12, 10, 0, false, words, hk_bench_ink);
cleanup:
  hk_symbolic_clear(&s);
  return status;
}

static hk_status draw_patterns(const hk_bench_job *job, const pattern *p)
{
  hk_status status = HK_OK;
  const bool metis = hk_metis_available();
  hk_canvas *c = NULL;
  hk_index *order = NULL;
  HK_TRY(
      hk_canvas_create(MARGIN + (2 + metis) * (PANEL + MARGIN), 2 * (PANEL + WORDS) + MARGIN, &c));
  HK_TRY(hk_get(&order, p->n));
  HK_TRY(draw_order(p, "as numbered", NULL, c, MARGIN));
  HK_TRY(hk_order_rcm(p->n, p->begin, p->column, order));
  HK_TRY(draw_order(p, "reverse Cuthill-McKee", order, c, 2 * MARGIN + PANEL));
  if (metis) {
    HK_TRY(hk_order_metis(p->n, p->begin, p->column, order));
    HK_TRY(draw_order(p, "nested dissection", order, c, 3 * MARGIN + 2 * PANEL));
  }
  HK_TRY(hk_bench_write_canvas(job, c, "pattern.png"));
cleanup:
  hk_free(&order);
  hk_canvas_destroy(&c);
  return status;
}

static hk_status draw_graph(const hk_bench_job *job, const pattern *p)
{
  hk_status status = HK_OK;
  const double size = 2 * PANEL;
  hk_canvas *c = NULL;
  HK_TRY(hk_canvas_create(2 * (PANEL + MARGIN), 2 * (PANEL + MARGIN), &c));
  for (hk_index i = 0; i < p->n; i++) {
    const double *a = p->mesh->x + 2 * i, x = MARGIN + a[0] * size, y = MARGIN + (1 - a[1]) * size;
    char words[16];
    for (hk_count q = p->begin[i]; q < p->begin[i + 1]; q++) {
      const double *b = p->mesh->x + 2 * p->column[q];
      if (p->column[q] > i)
        hk_canvas_segment(c, x, y, MARGIN + b[0] * size, MARGIN + (1 - b[1]) * size, 1.2, mark);
    }
    snprintf(words, sizeof words, "%d", (int)i);
    hk_canvas_text(c, x + 3, y - 3, 7, 0, false, words, hk_bench_ink);
  }
  HK_TRY(hk_bench_write_canvas(job, c, "graph.png"));
cleanup:
  hk_canvas_destroy(&c);
  return status;
}

hk_status hk_femses_draw_pattern(const hk_bench_job *job)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_adjacency *graph = NULL;
  pattern p = {0};
  HK_TRY(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2,
                                             .to = {1, 1},
                                             .cells = {CELLS, CELLS},
                                             .shape = HK_TRI3,
                                             .jitter = 0.15,
                                             .shuffle = 1},
                             &mesh));
  HK_TRY(hk_adjacency_create(mesh, &graph));
  HK_TRY(hk_get(&p.begin, (hk_count)graph->nodes + 1));
  for (hk_index i = 0; i <= graph->nodes; i++) p.begin[i] = graph->begin[i];
  p.mesh = mesh, p.n = graph->nodes, p.column = graph->node;
  HK_TRY(draw_graph(job, &p));
  HK_TRY(draw_patterns(job, &p));
cleanup:
  hk_free(&p.begin);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
  return status;
}

static double seconds_of(const hk_femses_result *r)
{
  return r->total.mean;
}

static double iterations_of(const hk_femses_result *r)
{
  return r->iterations;
}

/* One way's values over its unknowns, both as powers of ten. */
static hk_status add_curve(const hk_femses_results *all, const hk_femses_result *first,
                           double (*value)(const hk_femses_result *), hk_curves *curves)
{
  double x[HK_FEMSES_SIZES], y[HK_FEMSES_SIZES];
  int count = 0;
  for (hk_count k = 0; k < all->count && count < HK_FEMSES_SIZES; k++) {
    const hk_femses_result *r = &all->of[k];
    if (r->place != first->place || strcmp(r->body, first->body) != 0 ||
        strcmp(r->way, first->way) != 0 || !r->converged || !(value(r) > 0))
      continue;
    x[count] = log10(r->dofs), y[count++] = log10(value(r));
  }
  return count > 1 ? hk_curves_add(curves, first->way, count, x, y, 2 * HK_FEMSES_SIZES) : HK_OK;
}

static bool is_first(const hk_femses_results *all, const hk_femses_result *r)
{
  for (const hk_femses_result *q = all->of; q < r; q++)
    if (q->place == r->place && !strcmp(q->body, r->body) && !strcmp(q->way, r->way)) return false;
  return true;
}

static bool is_drawn(const char *name, bool iterates)
{
  static const char *const ways[] = {"cholesky",          "dense-to-sparse",  "dense",
                                     "cg, multigrid",     "femses, jacobi",   "femses, chebyshev",
                                     "femses, conjugate", "femses, multigrid"};
  for (int k = iterates ? 3 : 0; k < (int)(sizeof ways / sizeof *ways); k++)
    if (!strcmp(name, ways[k])) return true;
  return false;
}

static hk_status draw_curves(const hk_bench_job *job, const hk_femses_results *all,
                             const char *body, int place, bool iterations, const char *file)
{
  hk_status status = HK_OK;
  hk_curves *curves = NULL;
  HK_TRY(hk_curves_create(&curves));
  curves->across = "log10 of unknowns";
  for (hk_count k = 0; k < all->count && curves->count < HK_MOST_CURVES; k++) {
    const hk_femses_result *r = &all->of[k];
    if (r->place == place && !strcmp(r->body, body) && is_drawn(r->way, iterations) &&
        is_first(all, r))
      HK_TRY(add_curve(all, r, iterations ? iterations_of : seconds_of, curves));
  }
  HK_TRY(hk_bench_write_curves(job, curves, body,
                               iterations ? "log10 of iterations" : "log10 of seconds", file));
cleanup:
  hk_curves_destroy(&curves);
  return status;
}

static hk_bench_bar bar_of(const hk_femses_result *r)
{
  hk_bench_bar bar = {.value = 1};
  snprintf(bar.name, sizeof bar.name, "%.32s, %d", r->way, (int)r->dofs);
  for (int s = 0; s < HK_FEMSES_STAGES; s++) bar.part[s] = r->stage[s].mean;
  return bar;
}

/* A bar for each way at the most unknowns that it solved. */
static hk_status draw_shares(const hk_bench_job *job, const hk_femses_results *all,
                             const char *body, int place, const char *file)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  hk_bench_bars bars = {.parts = HK_FEMSES_STAGES, .names = NAMES - MARGIN, .full = 1};
  HK_TRY(hk_get(&bars.bar, all->count));
  for (hk_count k = 0; k < all->count; k++)
    if (hk_femses_result_of(all, body, all->of[k].way, place, 0) == &all->of[k])
      bars.bar[bars.count++] = bar_of(&all->of[k]);
  if (!bars.count) goto cleanup;
  HK_TRY(hk_canvas_create(HK_BENCH_WIDTH, 2 * WORDS + hk_bench_bars_height(&bars), &c));
  hk_bench_draw_legend(c, bars.parts, hk_femses_stage_name, MARGIN, 14);
  hk_bench_draw_bars(c, &bars, MARGIN, WORDS, HK_BENCH_WIDTH - 2 * MARGIN);
  HK_TRY(hk_bench_write_canvas(job, c, file));
cleanup:
  hk_free(&bars.bar);
  hk_canvas_destroy(&c);
  return status;
}

hk_status hk_femses_draw(const hk_bench_job *job, const hk_femses_results *all)
{
  hk_status status = HK_OK;
  const int places = strcmp(job->device, "cpu") ? 2 : 1;
  const char *body;
  char file[64];
  for (int k = 0; (body = hk_femses_body_name(all, k)); k++)
    for (int place = 0; place < places; place++) {
      const char *on = place ? "cpu" : job->device;
      snprintf(file, sizeof file, "seconds_%d_%.12s.png", k + 1, on);
      HK_TRY(draw_curves(job, all, body, place, false, file));
      snprintf(file, sizeof file, "iterations_%d_%.12s.png", k + 1, on);
      HK_TRY(draw_curves(job, all, body, place, true, file));
      snprintf(file, sizeof file, "shares_%d_%.12s.png", k + 1, on);
      HK_TRY(draw_shares(job, all, body, place, file));
    }
cleanup:
  return status;
}
