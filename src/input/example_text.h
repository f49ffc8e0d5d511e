/* Case files of the examples. */
#ifndef HK_INPUT_EXAMPLE_TEXT_H
#define HK_INPUT_EXAMPLE_TEXT_H

extern const char hk_example_plate[];
extern const char hk_example_block[];
extern const char hk_example_weld[];
extern const char hk_example_bracket[];
extern const char hk_example_plume[];

#endif
