/* Every way of solving. */
#pragma once
#include "solver/linear/method.h"

extern const hk_method hk_method_cg;
extern const hk_method hk_method_direct;
extern const hk_method hk_method_femses;
extern const hk_method hk_method_idr;
extern const hk_method hk_method_petsc;
extern const hk_method hk_method_cholesky, hk_method_dense, hk_method_dense_to_sparse;
/* Whether the method direct has a library; else *why (static text). */
bool hk_direct_available(const hk_linear_desc *desc, const char **why);
/* HK_BAD_INPUT: the text is not a list of options "-name value -name ...". PETSc would ignore what it does not understand. */
hk_status hk_petsc_check_options(const char *options);
#define HK_METHOD_LIST                                                                             \
  &hk_method_cg, &hk_method_idr, &hk_method_femses, &hk_method_direct, &hk_method_cholesky,        \
      &hk_method_dense, &hk_method_dense_to_sparse, &hk_method_petsc
