# The entry point. `make demo` and `make test` install what they need.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

CONFIG ?= monitor.yaml
# What each target installs. Each installs only what it needs: `make demo` needs no browser.
BUILD_PACKAGES := libcurl4-openssl-dev libc-ares-dev libarchive-dev libjemalloc-dev libsqlite3-dev libssl-dev pkg-config ca-certificates
# Real servers and clients for the tests; iproute2 sets up separate networks.
TEST_PACKAGES := curl openssl nginx-light caddy jq iproute2 prometheus prometheus-alertmanager python3-venv
BROWSER_PACKAGES := chromium python3-venv
# Peers of the benchmarks.
BENCH_PACKAGES := nginx-light prometheus-blackbox-exporter jq python3
# To build, check and install the .deb.
DEB_PACKAGES := dpkg-dev patchelf lintian debootstrap systemd curl openssl python3 python3-venv
# To make the image, check its manifests, and run it.
IMAGE_PACKAGES := umoci crun docker-compose
MANIFESTS := .build/manifests
MANIFESTS_WANTS := Tests/Image/requirements.txt
# The services' own models, which tests check payloads with, and a mail server. Not needed to build or to run.
JUDGE := .build/payload-judge
JUDGE_WANTS := Tests/AlertingTests/Payloads/requirements.txt
# Controls the browser. Not needed to build or to run.
BROWSER := .build/browser
BROWSER_WANTS := Tests/Browser/requirements.txt
comma := ,
SOURCES := Package.swift Sources Tests Benchmarks
# Swift Testing only; without this an empty XCTest run prints "0 tests".
TEST_FLAGS := --disable-xctest

.PHONY: help setup setup-build setup-test setup-browser setup-bench setup-package build demo run test browser library test-one golden lint fmt bench bench-scale fuzz simulate replay kills soak package package-test release image image-test clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# $(call install,PACKAGES): installs the missing packages (Debian).
install = @missing=(); for package in $(1); do \
	  dpkg-query -W -f '$${Status}' "$$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$$package"); \
	done; \
	if [ $${\#missing[@]} -gt 0 ]; then \
	  echo "installing: $${missing[*]}"; \
	  as_root=(); [ "$$(id -u)" -eq 0 ] || as_root=(sudo); \
	  "$${as_root[@]}" apt-get update -qq; \
	  "$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	fi

# $(call install-python,FOLDER,REQUIREMENTS,WHAT,SKIPPED): installs pinned packages from PyPI; without a network it says what is
# skipped.
install-python = @cmp -s $(2) $(1)/requirements.txt || { \
	  echo "installing $(3)"; \
	  rm -rf $(1); \
	  if /usr/bin/python3 -m venv $(1) && $(1)/bin/pip install -q --disable-pip-version-check --retries 1 \
	    --timeout 30 --no-deps --no-compile --only-binary :all: -r $(2); then \
	    cp $(2) $(1)/requirements.txt; \
	  else \
	    rm -rf $(1); \
	    echo "$(3): not available (no network?); skipped: $(4)" >&2; \
	  fi; }

setup: setup-build setup-test setup-browser setup-bench setup-package ## install everything that any target needs (Debian); safe to repeat

setup-build:
	$(call install,$(BUILD_PACKAGES))
	@command -v swift >/dev/null || { echo "there is no Swift toolchain; install Swift 6.2 or later from https://www.swift.org/install/linux/" >&2; exit 1; }

setup-test: setup-build
	$(call install,$(TEST_PACKAGES))
	$(call install-python,$(JUDGE),$(JUDGE_WANTS),the payload checkers and a mail server,the payload and mail suites)

setup-browser: setup-build
	$(call install,$(BROWSER_PACKAGES))
	$(call install-python,$(BROWSER),$(BROWSER_WANTS),the browser client,the browser checks)

setup-bench: setup-build
	$(call install,$(BENCH_PACKAGES))

setup-package: setup-build
	$(call install,$(DEB_PACKAGES) $(IMAGE_PACKAGES))
	$(call install-python,$(MANIFESTS),$(MANIFESTS_WANTS),the Kubernetes schemas,the check of the manifests)

build: setup-build ## build the program (debug)
	.ci/build --product aasa-monitor

demo: build ## show the main job on an embedded lab
	.build/debug/aasa-monitor demo $(DEMO_FLAGS)

run: build ## run the daemon with CONFIG (default monitor.yaml)
	.build/debug/aasa-monitor run --config $(CONFIG)

test: setup-test ## run all tests, and name the slowest
	.ci/build --build-tests
	.ci/test

SHOTS ?=
browser: setup-browser ## check the pages with Chromium: content, axe, hostile payloads (SHOTS=FOLDER takes screenshots)
	.ci/build --product aasa-monitor-stage
	@if [ -x $(BROWSER)/bin/python ]; then \
	  $(BROWSER)/bin/python Tests/Browser/pages.py $(if $(SHOTS),--shots $(SHOTS)); \
	else echo "skipped: the browser client is not installed"; fi

library: ## use the library AASA as another package does, from a folder and from a URL; build the commands that read files alone, as a Mac does
	Tests/LibraryPackage/test.sh
	Tests/FilesBuild/test.sh

test-one: setup-test ## run the tests that match FILTER
	swift test $(TEST_FLAGS) --filter "$(FILTER)"

golden: setup-build ## write all golden files and recordings again; then review the difference
	AASA_REWRITE_EXPECTATIONS=1 swift test $(TEST_FLAGS) --filter 'GoldenTests|AlertingSuite/SnapshotTests'
	$(MAKE) replay REWRITE=1
	@git status --short -- Tests

lint: ## check the formatting
	swift format lint --strict --recursive --parallel $(SOURCES)

fmt: ## format the sources
	swift format --in-place --recursive --parallel $(SOURCES)

bench: setup-bench ## measure, as ratios to other programs in the same run
	swift build -c release --product aasa-monitor-bench
	swift build -c release --product aasa-monitor
	.build/release/aasa-monitor-bench

SCALES ?= 100 1000 10000
SCALE_RECORD := .build/scale.jsonl
SCALE_BUILD := swift build -c release --static-swift-stdlib --product
bench-scale: setup-bench ## measure the real program with each number of domains in SCALES, for more than an hour, and draw docs/performance
	$(SCALE_BUILD) aasa-monitor-bench
	$(SCALE_BUILD) aasa-monitor
	.build/release/aasa-monitor-bench sweep --domains 1000
	rm -f $(SCALE_RECORD)
	for count in $(SCALES); do \
	  .build/release/aasa-monitor-bench steady --domains $$count --interval 60 --record $(SCALE_RECORD); \
	done
	.build/release/aasa-monitor-bench plot --record $(SCALE_RECORD)
	.build/release/aasa-monitor-bench load --domains 10000 --interval 300

FUZZ_SECONDS ?= 60
CORPUS ?= ../shared/corpus
fuzz: setup-build ## look for input that breaks the AASA library, for FUZZ_SECONDS
	mkdir -p .build/fuzz/found
	swiftc -O -wmo -swift-version 6 -package-name aasa -sanitize=fuzzer -parse-as-library -D FUZZER -module-name AASAFuzz \
	  $$(find Sources/AASA -name '*.swift') Tests/AASATests/FuzzExercise.swift \
	  Tests/AASATests/HostileFile.swift Tests/Fuzz/*.swift -o .build/fuzz/aasa-fuzz
	.build/fuzz/aasa-fuzz -max_total_time=$(FUZZ_SECONDS) -max_len=131072 -timeout=10 -rss_limit_mb=512 -detect_leaks=0 \
	  -artifact_prefix=.build/fuzz/ .build/fuzz/found $(wildcard $(CORPUS)/aasa)

SEEDS ?= 1..200
DAYS ?= 20
simulate: setup-build ## run the deterministic simulation for SEEDS (7, or 1..200), DAYS of trouble each
	swift build -c release --product aasa-monitor-simulate
	.build/release/aasa-monitor-simulate --seeds $(SEEDS) --days $(DAYS)

RECORDINGS := Tests/SimulationTests/Recordings
REWRITE ?=
replay: setup-build ## compare what receivers get in 56 simulated runs with the recordings (REWRITE=1 writes the recordings again)
	swift build --product aasa-monitor-simulate
	$(if $(REWRITE),AASA_REWRITE_EXPECTATIONS=1 ).build/debug/aasa-monitor-simulate --replay $(RECORDINGS)

KILLS ?= 200
kills: setup-test ## kill the real process KILLS times under load and count what arrives
	AASA_KILLS=$(KILLS) swift test $(TEST_FLAGS) --filter EndToEndTests.KillLoopTests

SOAK_MINUTES ?= 60
SOAK_SEEDS ?= $(SEEDS)
SOAK_KILLS ?= $(KILLS)
SOAK_FUZZ_SECONDS ?= 1800
soak: setup-test ## nightly and before a release: SOAK_SEEDS of the simulation, all recordings, SOAK_KILLS kills, load, SOAK_MINUTES of memory, fuzzing, the release package
	$(MAKE) simulate SEEDS=$(SOAK_SEEDS)
	$(MAKE) replay
	$(MAKE) kills KILLS=$(SOAK_KILLS)
	AASA_SOAK=1 swift test $(TEST_FLAGS) --filter '^(AASATests|AlertingTests|MonitoringTests|SimulationTests)\.'
	AASA_SOAK_MINUTES=$(SOAK_MINUTES) swift test $(TEST_FLAGS) --filter '^EndToEndTests\..*(LoadTests|SoakTests)/'
	$(MAKE) fuzz FUZZ_SECONDS=$(SOAK_FUZZ_SECONDS)
	$(MAKE) package
	$(MAKE) package-test DEB="$$(ls dist/*.deb)"

ARCH ?=
package: setup-package ## make the .deb and the archive of the release build, in dist/, for this machine's architecture
	deploy/package.sh $(ARCH)

DEB ?=
package-test: setup-package ## check a .deb, install it in a separate Debian and use it (DEB=FILE; default: of the debug build)
ifeq ($(DEB),)
	.ci/build --product aasa-monitor
	rm -rf dist/debug && deploy/package.sh --debug
endif
	lintian --fail-on error,warning $(or $(DEB),dist/debug/*.deb)
	Tests/Package/test.sh $(or $(DEB),dist/debug/*.deb)

release: package ## make a release in dist/: packages, the image, checksums, SBOM, notes (needs a clean tree)
	deploy/release.sh

image: setup-package ## make an OCI image of a .deb without a container engine, in dist/ (DEB=FILE; default: the newest of make package)
	deploy/container/image.sh $(or $(DEB),$(firstword $(shell ls -t dist/*.deb)))

image-test: setup-package setup-test ## check the manifests, make the image of a .deb and run it with Prometheus and Alertmanager (DEB=FILE; default: of make package-test)
	.ci/build --build-tests
	Tests/Image/test.sh $(or $(DEB),$(wildcard dist/debug/*.deb)) $(MANIFESTS)/bin/python

clean: ## remove what was built
	rm -rf .build dist
