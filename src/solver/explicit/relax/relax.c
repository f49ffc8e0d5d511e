/* The term of fluids with attenuation (V.6): three mechanisms at each node of such a fluid, each one value of state. The damping that goes with
 * them is part of hk_explicit_desc.damping; mechanisms.k.h adds the rest of their force after the operator's kernel. A mechanism takes no energy
 * that it does not hold or turn into heat while r dt <= 2; faster ones are refused. */
#include "solver/explicit/parts.h"
#include <string.h>

typedef struct relax {
  hk_index count, entries, *node;
  hk_index *first; /* first[shots + 1] */
  hk_buffer *list, *constant, *loaded, *lost;
  hk_buffer *memory, *past, *loss; /* borrowed of the state */
  hk_kernel *step, *sample;
} relax;

/* With the copies that a trial step is taken back by. */
static hk_count plan(const hk_explicit_size *size)
{
  const hk_count real = size->double_precision ? 8 : 4, nodes = size->relaxing;
  const hk_count shots = size->shots, mechanisms = HK_RELAXING * nodes;
  return nodes * 8 + mechanisms * 2 * real +
         shots * (mechanisms * 2 * real + nodes * (2 * real + 3 * 8 + 4 * size->space->components));
}

static hk_status check_rates(const hk_relaxing *of, double dt)
{
  for (hk_index p = 0; p < of->begin[of->count]; p++)
    HK_NEED(of->rate[p] * dt <= 2, HK_BAD_INPUT,
            "attenuation of a fluid: the upper end of its q_band is beyond what time steps of %g "
            "follow: end the band near the highest frequency of the sources",
            dt);
  return HK_OK;
}

static hk_status send_lists(const hk_explicit *s, const hk_relaxing *of, relax *own)
{
  hk_status status = HK_OK;
  const double dt = s->scheme.dt;
  const hk_index count = of->count, entries = of->begin[count];
  hk_index *list = NULL;
  double *constant = NULL;
  HK_TRY(hk_get(&list, 2 * (hk_count)count + 1));
  HK_TRY(hk_get(&constant, 2 * (hk_count)entries));
  memcpy(list, of->node, (size_t)count * sizeof *list);
  memcpy(list + count, of->begin, ((size_t)count + 1) * sizeof *list);
  for (hk_index p = 0; p < entries; p++) {
    constant[p] = (2 - of->rate[p] * dt) / (2 + of->rate[p] * dt);
    constant[entries + p] = of->weight[p] * of->rate[p];
  }
  HK_TRY(hk_explicit_send(s, (2LL * count + 1) * 4, list, &own->list));
  HK_TRY(
      hk_buffer_create(s->device, 2LL * entries * (s->double_precision ? 8 : 4), &own->constant));
  HK_TRY(hk_buffer_write_reals(own->constant, s->double_precision, 0, 2LL * entries, constant));
cleanup:
  hk_free(&list);
  hk_free(&constant);
  return status;
}

static hk_status send_loaded(const hk_explicit *s, hk_term *term, relax *own)
{
  hk_status status = HK_OK;
  const hk_count all = (hk_count)s->shots * own->count * s->space->components;
  hk_index *loaded = NULL;
  HK_TRY(hk_get(&loaded, all));
  term->loaded = hk_sources_find_loaded(s, own->count, own->node, loaded);
  HK_TRY(hk_explicit_send(s, all * 4, loaded, &own->loaded));
cleanup:
  hk_free(&loaded);
  return status;
}

static hk_status add_state(hk_explicit *s, relax *own)
{
  const hk_count real = s->double_precision ? 8 : 4, all = (hk_count)s->shots * own->count;
  HK_PASS(hk_get(&own->first, s->shots + 1));
  for (int k = 0; k < s->shots; k++) own->first[k + 1] = own->first[k] + own->count;
  HK_PASS(hk_state_add(&s->state, s->device, "mechanisms of fluids", HK_ARRAY_TRIAL,
                       (hk_count)s->shots * own->entries * real, &own->memory));
  HK_PASS(hk_state_add(&s->state, s->device, "last potential of fluids", HK_ARRAY_TRIAL, all * real,
                       &own->past));
  HK_PASS(
      hk_state_add(&s->state, s->device, "loss in fluids", HK_ARRAY_TRIAL, all * 8, &own->loss));
  HK_PASS(hk_buffer_create(s->device, all * 8, &own->lost));
  return hk_sum_add(s, &(hk_sum){.kind = HK_SUM_LOSS,
                                 .array = own->lost,
                                 .first = own->first,
                                 .number = own->node,
                                 .period = own->count});
}

static hk_status create_kernel(const hk_explicit *s, const char *function, hk_kernel **out)
{
  const hk_kernel_desc desc = {.text = "mechanisms",
                               .function = function,
                               .threads = hk_sources_threads(hk_device_describe(s->device)),
                               .early = true,
                               .double_precision = s->double_precision,
                               .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                          {"DAMPED", s->scheme.damped},
                                          {"DIM", s->space->components},
                                          {"FORM", (int)s->scheme.form}}};
  return hk_kernel_create(s->device, &desc, out);
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  const hk_relaxing *of = desc->relaxing;
  relax *own = NULL;
  hk_index unused;
  if (!of || !of->count) return HK_OK;
  HK_NEED(!s->link, HK_BAD_INPUT, "a fluid with attenuation cannot be stepped in parts");
  HK_PASS(hk_narrow((hk_count)s->shots * of->begin[of->count], "mechanisms of all shots", &unused));
  HK_PASS(check_rates(of, s->scheme.dt));
  HK_PASS(hk_new(&own));
  term->data = own;
  own->count = of->count, own->entries = of->begin[of->count];
  HK_PASS(hk_get(&own->node, of->count));
  memcpy(own->node, of->node, (size_t)of->count * sizeof *of->node);
  HK_PASS(send_lists(s, of, own));
  HK_PASS(send_loaded(s, term, own));
  HK_PASS(add_state(s, own));
  HK_PASS(create_kernel(s, "mechanisms_step", &own->step));
  return create_kernel(s, "mechanisms_sample", &own->sample);
}

/* Steps begin at rest: no mechanism is strained, and nothing moved before u_0, which the device has. */
static hk_status set(hk_term *term, int shot, const double *d)
{
  hk_status status = HK_OK;
  const hk_explicit *s = term->solver;
  const relax *own = term->data;
  const bool twice = s->double_precision;
  const hk_count dofs = hk_explicit_dofs(s);
  double *u = NULL, *zero = NULL;
  (void)d;
  HK_TRY(hk_get(&u, dofs));
  HK_TRY(hk_get(&zero, own->entries));
  HK_TRY(hk_buffer_read_reals(s->vector.x[0], twice, shot * dofs, dofs, u));
  for (hk_index i = 0; i < own->count; i++)
    u[i] = u[(hk_count)own->node[i] * s->space->components]; /* nodes ascend */
  HK_TRY(hk_buffer_write_reals(own->past, twice, (hk_count)shot * own->count, own->count, u));
  HK_TRY(
      hk_buffer_write_reals(own->memory, twice, (hk_count)shot * own->entries, own->entries, zero));
cleanup:
  hk_free(&u);
  hk_free(&zero);
  return status;
}

static hk_count groups_of(const hk_explicit *s, const relax *own)
{
  const hk_index rows = s->sources.group_rows;
  return ((hk_count)own->count * s->shots + rows - 1) / rows;
}

static hk_status launch(const hk_term *term, int from)
{
  const hk_explicit *s = term->solver;
  const relax *own = term->data;
  return hk_kernel_launch(own->step, 0, groups_of(s, own),
                          HK_ARGUMENTS(s->vector.x[1 - from], s->vector.v, s->vector.x[from],
                                       s->vector.b, s->vector.a, own->list, own->constant,
                                       own->memory, own->past, own->loaded, own->loss,
                                       s->sources.change, s->sources.excitation->force.rows,
                                       own->count, s->shots, s->space->padded));
}

static hk_status sample(const hk_term *term)
{
  const hk_explicit *s = term->solver;
  const relax *own = term->data;
  return hk_kernel_launch(own->sample, 0, groups_of(s, own),
                          HK_ARGUMENTS(s->vector.x[s->now], s->vector.v, s->vector.x[1 - s->now],
                                       own->list, own->constant, own->memory, own->loss, own->lost,
                                       own->count, s->shots, s->space->padded));
}

static void destroy(hk_term *term)
{
  relax *own = term->data;
  hk_buffer **const all[] = {&own->list, &own->constant, &own->loaded, &own->lost};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  hk_kernel_destroy(&own->step);
  hk_kernel_destroy(&own->sample);
  hk_free(&own->node);
  hk_free(&own->first);
}

const hk_term_kind hk_term_relax = {.name = "attenuation of fluids",
                                    .phase = HK_PHASE_FORCES,
                                    .create = create,
                                    .plan = plan,
                                    .set = set,
                                    .launch = launch,
                                    .sample = sample,
                                    .destroy = destroy};
