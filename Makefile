# SPDX-License-Identifier: MIT
# A short front for CMake: `make help` lists what there is.

PREFIX ?= /usr/local
PDDIR ?= $(HOME)/.local/lib/pd/extra
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CLANG_FORMAT ?= clang-format

MAKEFLAGS += --no-print-directory

.PHONY: all setup build demo test check-long bench fuzz web web-test bench-web format lint install clean help
.DEFAULT_GOAL := all

all: build

help:
	@echo "make           build the library and the programs into build/"
	@echo "make demo      install missing packages, build, render scenes/demo.yaml to out/demo/ and a film to out/clock-gong/"
	@echo "make test      install missing packages, build, run the tests (SKIP_TESTS: a pattern of names to leave out)"
	@echo "make check-long  run the long tests too, and the slow ones under both sanitizers: an hour"
	@echo "make fuzz      install missing packages, fuzz every reader for SECONDS (60) each; TARGETS=\"scene obj\" for some"
	@echo "make bench     run every benchmark (one JSON object each)"
	@echo "make web       install missing packages, build the playground: one page, out/playground.html"
	@echo "make web-test  build it and try it in Chromium; pictures go to out/web/"
	@echo "make bench-web measure it in Chromium, with the native figures beside (one JSON object)"
	@echo "make pd        install missing packages, build the externals for Pure Data into build/pd/twang/"
	@echo "make install-pd  install them for this user (PDDIR=$(PDDIR))"
	@echo "make format    format all C sources in place"
	@echo "make lint      check format, layers and common mistakes"
	@echo "make install   install library, headers, twang.pc and the command (PREFIX=$(PREFIX), DESTDIR=$(DESTDIR))"
	@echo "make setup     only install missing packages"
	@echo "make clean     remove build/ and out/"

setup:
	@scripts/setup

build:
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release -j $(JOBS)

demo: setup
	@$(MAKE) build
	@build/bin/twang render scenes/demo.yaml -o out/demo
	@build/bin/twang render scenes/clock-gong.yaml -o out/clock-gong --strip --size 960x540
	@echo "sound:   $$(echo out/demo/*.wav)"
	@echo "picture: $$(echo out/demo/*.png)"
	@echo "film:    out/clock-gong/preview.mp4"

test: setup
	@$(MAKE) build
	@ctest --preset release -j $(JOBS) -LE long $(if $(SKIP_TESTS),-E '$(SKIP_TESTS)')

check-long: test
	@BROKEN_ALL=1 GRAB_SCENES=10000 ctest --preset release -j $(JOBS) -L 'long|slow'
	@cmake --preset asan --log-level=WARNING >/dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS) -L slow

bench: setup
	@$(MAKE) build
	@for bench in build/bin/bench_*; do echo "== $${bench##*/}" >&2; "$$bench" --json || exit 1; done

fuzz:
	@SECONDS=$(or $(SECONDS),60) JOBS=$(JOBS) scripts/fuzz $(TARGETS)

web:
	@scripts/setup --web
	@apps/web/make

web-test: web
	@apps/web/make test

bench-web: web
	@apps/web/make bench

pd: setup
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release -j $(JOBS) --target pd_files
	@echo "externals, help and examples: build/pd/twang/"

install-pd: pd
	@cmake --install build --component pd --prefix "$(PDDIR)"

format:
	@scripts/sources | xargs $(CLANG_FORMAT) -i

lint:
	@scripts/lint

install: build
	@cmake --install build --prefix "$(PREFIX)"

clean:
	@rm -rf build out
