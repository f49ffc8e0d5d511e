/* Every way of solving. */
#ifndef HK_SOLVER_METHOD_LIST_H
#define HK_SOLVER_METHOD_LIST_H
#include "solver/method.h"

extern const hk_method hk_method_cg;
extern const hk_method hk_method_direct;
#define HK_METHOD_LIST &hk_method_cg, &hk_method_direct
#endif
