/* HK_WIDE before a function: loops unrolled, compiled for wider vectors too, the widest that the processor has is taken when the library is
 * loaded. No product and sum are contracted, so that results are the same bits. */
#pragma once
#include <limits.h> /* the library tells its name */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) &&       \
    defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HK_WIDE __attribute__((optimize("O3"), target_clones("default", "avx2", "avx512f")))
#else
#define HK_WIDE
#endif
