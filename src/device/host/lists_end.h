/* Names of device/host/lists.h. */
#undef TABLE_PLACE
#undef TABLE_BARRIER
#undef TABLE_ARRAY
#undef LIST_ARRAY
#undef lists_insert
#undef lists_rank
#undef lists_sift
#undef lists_order
#undef lists_find
