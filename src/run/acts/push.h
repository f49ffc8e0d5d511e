/* Rows of forces while loads are translated; private to the folder. */
#pragma once
#include "run/acts/acts.h"

/* F[dof] += coefficient times the signal of that row of the table; nothing where dof is below 0. */
hk_status hk_acts_add_force(hk_acts *acts, hk_index dof, hk_index signal, double coefficient);

/* inject.c: the forces of a plane wave that runs in the elements of the load's target, or, without elements, in all that touch no absorbing
 * boundary (W.27). HK_BAD_INPUT with the reason at the load's place. */
hk_status hk_acts_inject(hk_acts *acts, const hk_load *load, const hk_act *act);
