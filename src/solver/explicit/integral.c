/* The term that integrates component 0 of every node over time, kept beside the state: of the potential of a fluid, whose slope
 * is its displacement. sum += dt / 2 (u_n + u_n+1) per step (trapezoid rule), double [shots][padded], by vectors_integrate of
 * solver/explicit/vectors.k.h, after the receivers of a step. */
#include "solver/explicit/parts.h"

typedef struct integral {
  hk_buffer *sum; /* [shots][padded] doubles, borrowed of the state */
  hk_kernel *kernel;
} integral;

/* With the copy that a trial step is taken back by. */
static hk_count plan(const hk_explicit_size *size)
{
  return size->integrals ? 2 * 8LL * size->space->padded * size->shots : 0;
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  integral *own = NULL;
  if (!desc->integrals) return HK_OK;
  HK_PASS(hk_new(&own));
  term->data = own;
  HK_PASS(hk_state_add(&s->state, s->device, HK_INTEGRAL, HK_ARRAY_TRIAL,
                       (hk_count)s->shots * s->space->padded * 8, &own->sum));
  return hk_kernel_create(s->device,
                          &(hk_kernel_desc){.text = "vectors",
                                            .function = "vectors_integrate",
                                            .double_precision = s->double_precision,
                                            .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                                       {"DAMPED", s->scheme.damped},
                                                       {"DIM", s->space->components},
                                                       {"FORM", (int)s->scheme.form}}},
                          &own->kernel);
}

/* Steps begin: the integral is zero. */
static hk_status set(hk_term *term, int shot, const double *d)
{
  hk_status status = HK_OK;
  const integral *own = term->data;
  const hk_count padded = term->solver->space->padded;
  double *zero = NULL;
  (void)d;
  HK_TRY(hk_get(&zero, padded));
  HK_TRY(hk_buffer_write(own->sum, shot * padded * 8, padded * 8, zero));
cleanup:
  hk_free(&zero);
  return status;
}

static hk_status launch(const hk_term *term, int from)
{
  const hk_explicit *s = term->solver;
  const integral *own = term->data;
  const hk_index chunks = (s->space->padded + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.x[1 - from]), hk_arg_buffer(own->sum),
                                  hk_arg_int(s->space->padded), hk_arg_double(0.5 * s->scheme.dt)};
  return hk_kernel_launch(own->kernel, 0, (hk_count)chunks * s->shots, argument,
                          sizeof argument / sizeof *argument);
}

static void destroy(hk_term *term)
{
  integral *own = term->data;
  hk_kernel_destroy(&own->kernel);
}

const hk_term_kind hk_term_integral = {.name = "integral",
                                       .phase = HK_PHASE_SAMPLED,
                                       .create = create,
                                       .plan = plan,
                                       .set = set,
                                       .launch = launch,
                                       .destroy = destroy};
