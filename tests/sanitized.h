/* Sanitizers cost tenfold and look at memory: under them meshes are smaller where only a rate or a mean wants many cells. */
#pragma once
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
