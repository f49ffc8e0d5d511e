/* The term of laws with state: the values that they keep at points from step to step, which the kernel of K brings to the end of the step, and
 * the energy that they have lost, summed where energies are sampled (vectors_lost of vectors.k.h). */
#include "solver/explicit/parts.h"

typedef struct laws {
  hk_buffer *lost;
  hk_index *first; /* first[shots + 1]: a shot's part of lost */
  hk_count groups; /* of the state */
  hk_kernel *kernel;
} laws;

/* With the copy that a trial step is taken back by. */
static hk_count plan(const hk_explicit_size *size)
{
  return 2 * size->laws * size->shots;
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  const hk_device_info *info = hk_device_describe(s->device);
  laws *own = NULL;
  (void)desc;
  if (!s->op->state) return HK_OK;
  HK_PASS(hk_new(&own));
  term->data = own;
  HK_PASS(s->op->kind->set_parameters(s->op, s->scheme.dt));
  HK_PASS(hk_state_add(&s->state, s->device, "state of the laws", HK_ARRAY_TRIAL,
                       s->op->state * s->shots, &s->vector.law));
  own->groups = s->space->interior->batches / s->op->state_batches;
  HK_PASS(hk_get(&own->first, s->shots + 1));
  for (int k = 0; k <= s->shots; k++)
    HK_PASS(hk_narrow(k * own->groups, "groups of elements of all shots", &own->first[k]));
  HK_PASS(hk_buffer_create(s->device, own->groups * s->shots * 8, &own->lost));
  HK_PASS(hk_kernel_create(
      s->device,
      &(hk_kernel_desc){.text = "vectors",
                        .function = "vectors_lost",
                        .double_precision = s->double_precision,
                        .local = hk_local_bytes((hk_count)info->group_threads * info->lanes, 8),
                        .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                   {"DAMPED", s->scheme.damped},
                                   {"DIM", s->space->components},
                                   {"FORM", (int)s->scheme.form}}},
      &own->kernel));
  return hk_sum_add(s, &(hk_sum){.kind = HK_SUM_LOSS, .array = own->lost, .first = own->first});
}

static hk_status sample(const hk_term *term)
{
  const hk_explicit *s = term->solver;
  const laws *own = term->data;
  return hk_kernel_launch(
      own->kernel, 0, own->groups * s->shots,
      HK_ARGUMENTS(s->vector.law, own->lost, hk_operator_state_rows(s->space, s->op->state_batches),
                   hk_operator_state_values(s->space), s->shots, (int)own->groups));
}

static void destroy(hk_term *term)
{
  laws *own = term->data;
  hk_buffer_destroy(&own->lost);
  hk_free(&own->first);
  hk_kernel_destroy(&own->kernel);
}

const hk_term_kind hk_term_laws = {
    .name = "laws", .create = create, .plan = plan, .sample = sample, .destroy = destroy};
