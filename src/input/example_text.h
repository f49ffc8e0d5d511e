/* Case files of the examples. */
#pragma once

extern const char hk_example_plate[];
extern const char hk_example_block[];
extern const char hk_example_weld[];
extern const char hk_example_bracket[];
extern const char hk_example_plume[];
