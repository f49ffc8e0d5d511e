/* Sanitizers cost tenfold and look at memory: under them meshes are smaller where only a rate or a mean wants many cells. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#endif
