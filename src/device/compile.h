/* Programs of the devices that compile: made from their sources by threads of their own, so that the caller goes on meanwhile. */
#pragma once
#include "device/table.h"

/* Gives the kernel its program, of a source that it shares with others, and returns at once. */
hk_status hk_compile_begin(hk_kernel *kernel, const hk_kernel_desc *desc);
/* Waits for the program and takes kernel->code out of it. Fails with the compiler's words, as does every later kernel of that source. */
hk_status hk_compile_await(hk_kernel *kernel);
/* The same of each kernel of the device that was begun: before launches are recorded. */
hk_status hk_compile_await_all(hk_device *device);
/* The kernel goes, awaited or not. */
void hk_compile_leave(hk_kernel *kernel);
/* Before the device goes: programs that are not begun are dropped, the others waited for; destroys all of them. */
void hk_compile_close(hk_device *device);
/* Seconds that callers waited. */
double hk_compile_waited(const hk_device *device);
