# Thin front of CMake and tools/; the work is done there.
BUILD := build

all: # the host's kernels for every instruction set; the targets below make do with this machine's
	@tools/configure release $(BUILD)
	@ninja -C $(BUILD)

demo: # what is missing is installed, then the weld inspection is built and run
	@tools/setup
	@tools/demo

test: # before each commit: the build, and the quick tests from base to space and one a family
	@tools/setup --system
	@tools/check test

check: # sets up the same way; every check and test that takes seconds
	@tools/setup --system
	@tools/check check

check-all: # every check and test
	@tools/setup --system
	@tools/check check-all

format: # one version for all: its releases differ
	@tools/setup --tests
	@.venv/bin/clang-format -i $$(git ls-files '*.c' '*.h')

tidy: all
	@tools/check tidy

bench: # rates, reading, writing and memory on this machine; then docs/performance.md
	@tools/setup
	@bench/run.py
	@tools/make_performance.py

docs: all # the site, build/site/index.html
	@tools/setup --tests
	@tools/make_performance.py
	@.venv/bin/python tools/make_reference.py
	@tools/make_man.py
	@tools/check docs

install: all
	@cmake --install $(BUILD)

kernels: all # for NVIDIA's GPUs, without one, which packages made afterwards contain: NVRTC, PoCL, minutes
	@ninja -C $(BUILD) kernels

package: all # the wheel and the Debian packages, into build/packages
	@tools/setup --tests
	@tools/make_site.py
	@tools/make_wheel
	@tools/make_debs

check-packages: package # installs them into clean systems: root, network, minutes
	@tools/check_packages

.PHONY: all demo test check check-all bench format tidy docs install kernels package check-packages
