/* The files of a static run: run.h5 with values at nodes and integration points, and the file of
 * fields. Both are laid out for all steps before the first one, so that a stopped run leaves the
 * steps before it. In heat conduction temperature, reaction and heat flux take the places of
 * displacement, reaction and stress. */
#include "picture/pictures.h"
#include "run/static/static.h"

enum { NODAL_QUANTITIES = HK_NODAL_STRAIN + 1, FIELD_QUANTITIES = HK_FIELD_MISES + 1 };

/* Names and units of what a run gives; borrowed: the model's and those of `files`. */
typedef struct names {
  const char *value, *value_unit, *components; /* displacement, temperature */
  const char *stress, *stress_components;      /* stress, heat_flux */
} names;

static names names_of(const hk_static *s)
{
  const hk_units *u = &s->on.model->units;
  const char *vector = s->on.model->mesh->dim == 2 ? "x y" : "x y z",
             *tensor = s->on.model->mesh->dim == 2 ? "xx yy zz xy" : "xx yy zz xy xz yz";
  return hk_static_heats(s) ? (names){"temperature", u->temperature, "t", "heat_flux", vector}
                            : (names){"displacement", u->length, vector, "stress", tensor};
}

static hk_count count_points(const hk_static *s)
{
  hk_count points = 0;
#pragma omp parallel for schedule(static) reduction(+ : points)
  for (hk_count e = 0; e < s->on.model->mesh->element_count; e++)
    points += hk_static_rule(s, (hk_index)e)->points;
  return points;
}

/* Of heat: power and power per area. */
static void name_units(const hk_static *s, hk_static_files *f)
{
  const hk_units *u = &s->on.model->units;
  hk_units_name(u, (hk_dimension){{hk_static_heats(s) ? 2 : 1, 1, hk_static_heats(s) ? -3 : -2, 0}},
                f->force_unit);
  hk_units_name(u,
                (hk_dimension){{hk_static_heats(s) ? 0 : -1, 1, hk_static_heats(s) ? -3 : -2, 0}},
                f->stress_unit);
}

/* Strain and Mises stress are the last of each, and heat has neither. */
static void lay_out(const hk_static *s, hk_static_files *f)
{
  const hk_mesh *mesh = s->on.model->mesh;
  const names n = names_of(s);
  if (hk_static_coupled(s)) {
    hk_static_coupled_layout(s, f);
    return;
  }
  const char *length = s->on.model->units.length, *vector = mesh->dim == 2 ? "x y" : "x y z";
  name_units(s, f);
  const hk_static_quantity stress = {n.stress, f->stress_unit, n.stress_components, s->tensor},
                           strain = {"strain", "", n.stress_components, s->tensor};
  f->layout =
      (hk_static_layout){.steps = (int)s->frames.count,
                         .mesh = mesh,
                         .length_unit = length,
                         .nodal_count = NODAL_QUANTITIES - hk_static_heats(s),
                         .point_count = HK_POINT_QUANTITIES - hk_static_heats(s),
                         .nodal = {{n.value, n.value_unit, n.components, s->components},
                                   {"reaction", f->force_unit, n.components, s->components},
                                   stress,
                                   strain},
                         .points = hk_model_marches(s->on.model) ? 0 : count_points(s),
                         .point = {{"coordinates", length, vector, mesh->dim}, stress, strain}};
  f->field_layout = (hk_field_layout){.mesh = mesh,
                                      .regions = hk_model_regions(s->on.model),
                                      .frames = s->frames.count,
                                      .time = f->frame_time,
                                      .quantity_count = FIELD_QUANTITIES - hk_static_heats(s),
                                      .quantity = {{n.value, n.value_unit, s->components},
                                                   {"reaction", f->force_unit, s->components},
                                                   {n.stress, f->stress_unit, s->tensor},
                                                   {"von_mises", f->stress_unit, 1}}};
}

hk_status hk_static_open(hk_static *s)
{
  hk_static_files *f = &s->files;
  hk_path path;
  HK_PASS(hk_session_claim(s->session, "run.h5", &path));
  HK_PASS(hk_pool_get(&s->pool, &f->frame_time, s->frames.count));
  HK_PASS(hk_pool_get(&s->pool, &f->frame, s->on.model->mesh->node_count * 6));
  for (hk_count i = 0; i < s->frames.count; i++) f->frame_time[i] = s->frames.at[i].time;
  lay_out(s, f);
  HK_PASS(hk_static_lay_out_traces(s, &f->layout));
  f->layout.beside = f->field_layout.beside = hk_device_describe(s->on.device)->overlaps;
  HK_PASS(hk_static_file_create(path.text, &f->layout, &f->run));
  return hk_field_file_open(s->session->desc->output, hk_session_wants_vtu(s->session), false,
                            &f->field_layout, &f->fields);
}

hk_status hk_static_close(hk_static_files *f)
{
  const hk_status fields = f->fields ? hk_field_file_close(&f->fields) : HK_OK,
                  run = f->run ? hk_static_file_close(&f->run) : HK_OK;
  return fields != HK_OK ? fields : run;
}

hk_status hk_static_pictures_ready(const hk_static *s)
{
  hk_static_files f = {0};
  if (s->session->desc->no_pictures) return HK_OK;
  lay_out(s, &f);
  return hk_pictures_check_field(s->session->desc->output, &f.field_layout, 0, 1);
}

double hk_static_room(const hk_static *s)
{
  hk_static_files f = {0};
  lay_out(s, &f);
  return (double)s->on.model->mesh->node_count * 6 * sizeof *f.frame +
         (double)hk_field_file_room(&f.field_layout, hk_session_wants_vtu(s->session), false);
}

hk_count hk_static_disk(const hk_static *s)
{
  hk_static_files f = {0};
  lay_out(s, &f);
  return hk_static_file_plan(&f.layout) +
         hk_field_file_plan(&f.field_layout, hk_session_wants_vtu(s->session));
}
