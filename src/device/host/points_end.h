/* Names of device/host/points.h. */
#undef FROM
#undef SQUARE
#undef points_stretch
#undef points_invert
#undef points_jacobian
#undef points_terms
#undef points_gradient
#undef points_left
#undef points_contract
