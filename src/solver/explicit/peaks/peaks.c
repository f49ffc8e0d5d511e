/* The term that keeps the largest displacement, velocity and acceleration of every node over all steps, as squares: max |u_n|^2,
 * max |u_n+1 - u_n-1|^2, max |u_n+1 - 2 u_n + u_n-1|^2, doubles [shots][padded] each, by solver/explicit/peaks/peaks.k.h after
 * every step that is no trial. The last two also keep the increment of the step before, reals [shots][padded][components]. The arrays are part of the
 * state, so that a restart goes on with the same bits. */
#include "solver/explicit/parts.h"

enum { KINDS = 3 };

typedef struct peaks {
  unsigned which;                       /* of hk_peak */
  hk_buffer *square[KINDS], *increment; /* borrowed of the state; NULL: not kept */
  hk_kernel *kernel;
} peaks;

static const char *const names[KINDS] = {HK_PEAK_NAMES};

static hk_count plan(const hk_explicit_size *size)
{
  const hk_count nodes = (hk_count)size->space->padded * size->shots;
  hk_count sum = 0;
  for (int k = 0; k < KINDS; k++) sum += (size->peaks >> k & 1) * nodes * 8;
  if (size->peaks & HK_PEAK_RATES)
    sum += nodes * size->space->components * (size->double_precision ? 8 : 4);
  return sum;
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  const hk_count nodes = (hk_count)s->shots * s->space->padded;
  peaks *own = NULL;
  if (!desc->peaks) return HK_OK;
  HK_PASS(hk_new(&own));
  term->data = own;
  own->which = desc->peaks;
  for (int k = 0; k < KINDS; k++)
    if (own->which >> k & 1)
      HK_PASS(
          hk_state_add(&s->state, s->device, names[k], HK_ARRAY_SAVED, nodes * 8, &own->square[k]));
  if (own->which & HK_PEAK_RATES)
    HK_PASS(hk_state_add(&s->state, s->device, "increment before the last", HK_ARRAY_SAVED,
                         nodes * s->space->components * (s->double_precision ? 8 : 4),
                         &own->increment));
  return hk_kernel_create(s->device,
                          &(hk_kernel_desc){.text = "peaks",
                                            .function = "peaks_step",
                                            .double_precision = s->double_precision,
                                            .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                                       {"DAMPED", s->scheme.damped},
                                                       {"DIM", s->space->components},
                                                       {"FORM", (int)s->scheme.form}}},
                          &own->kernel);
}

/* square[padded] of u_0 */
static hk_status square_first(const hk_explicit *s, int shot, double *square)
{
  hk_status status = HK_OK;
  const hk_count dofs = hk_explicit_dofs(s), c = s->space->components;
  double *u = NULL;
  HK_TRY(hk_get(&u, dofs));
  HK_TRY(hk_buffer_read_reals(s->vector.x[s->now], s->double_precision, shot * dofs, dofs, u));
  for (hk_count i = 0; i < dofs; i++) square[i / c] += u[i] * u[i];
cleanup:
  hk_free(&u);
  return status;
}

/* Steps begin from u_0 and the increment d before it. */
static hk_status set(hk_term *term, int shot, const double *d)
{
  hk_status status = HK_OK;
  const hk_explicit *s = term->solver;
  const peaks *own = term->data;
  const hk_count padded = s->space->padded, dofs = hk_explicit_dofs(s);
  double *square = NULL;
  HK_TRY(hk_get(&square, padded));
  for (int k = KINDS - 1; k >= 0; k--) {
    if (k == 0 && own->square[k]) HK_TRY(square_first(s, shot, square));
    if (own->square[k])
      HK_TRY(hk_buffer_write(own->square[k], shot * padded * 8, padded * 8, square));
  }
  if (own->increment)
    HK_TRY(hk_buffer_write_reals(own->increment, s->double_precision, shot * dofs, dofs, d));
cleanup:
  hk_free(&square);
  return status;
}

/* Arrays that are not kept are not touched: another stands in. */
static hk_argument argument_of(hk_buffer *buffer, hk_buffer *other)
{
  return hk_arg_buffer(buffer ? buffer : other);
}

static hk_status launch(const hk_term *term, int from)
{
  const hk_explicit *s = term->solver;
  const peaks *own = term->data;
  const hk_index chunks = (s->space->padded + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  hk_buffer *any = NULL;
  for (int k = 0; k < KINDS; k++)
    if (own->square[k]) any = own->square[k];
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.x[1 - from]),
                                  argument_of(s->vector.v, s->vector.x[from]),
                                  argument_of(own->increment, any),
                                  argument_of(own->square[0], any),
                                  argument_of(own->square[1], any),
                                  argument_of(own->square[2], any),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_int((int)own->which)};
  return hk_kernel_launch(own->kernel, 0, (hk_count)chunks * s->shots, argument,
                          sizeof argument / sizeof *argument);
}

static void destroy(hk_term *term)
{
  peaks *own = term->data;
  hk_kernel_destroy(&own->kernel);
}

const hk_term_kind hk_term_peaks = {.name = "peaks",
                                    .phase = HK_PHASE_SAMPLED,
                                    .create = create,
                                    .plan = plan,
                                    .set = set,
                                    .launch = launch,
                                    .destroy = destroy};
