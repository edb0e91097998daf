# Cairn. `make run` starts it, `make test` tests it; `make help` lists the rest.
# Another Python: make run PYTHON=python3.12
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV ?= build/uv/bin/uv
PYTEST_ARGS ?= -n auto --maxprocesses 4 --dist load
PYTEST = $(BIN)/python -m pytest $(PYTEST_ARGS)
NODE_TEST = $(BIN)/node --test --test-timeout=120000 --experimental-test-coverage --test-coverage-include='static/js/**/*.js'

# A stamp is named after a checksum: an installed lock costs nothing, a changed one is installed again.
stamp = $(VENV)/.$(1)-$(shell cat $(2) 2>/dev/null | cksum | tr ' ' '-')
RUN_STAMP := $(call stamp,run,requirements.txt)
DEV_STAMP := $(call stamp,dev,requirements-dev.txt)
NODE_STAMP := node_modules/.installed-$(shell cat package-lock.json 2>/dev/null | cksum | tr ' ' '-')

.PHONY: help install install-dev run kernels test test-changed test-fast test-js test-slow test-start test-postgres mutants coverage check docs dist format bench lock samples screenshots clean
.DEFAULT_GOAL := help

help:
	@echo "make run          start Cairn on http://127.0.0.1:$${CAIRN_PORT:-8000}/"
	@echo "make test         test every feature, in browsers too (FILE=tests/...: these files alone)"
	@echo "make test-changed run the tests of what differs from BASE (default: HEAD)"
	@echo "make test-fast    run the engine's, the dashboard's and JavaScript's quick tests"
	@echo "make test-slow    run the rest: long tests, more examples of every property, PostgreSQL"
	@echo "make coverage     report which lines and branches make test runs; writes build/coverage"
	@echo "make mutants      run the tests on single changes of the sources: 95 % of them must be noticed (half an hour)"
	@echo "make check        run the style, type, import, security and deployment checks"
	@echo "make dist         build wheel and sdist, with the documentation, into build/dist"
	@echo "make format       format Python and JavaScript"
	@echo "make bench        time the engine beside numpy, polars and plain Python; writes docs/results/benchmarks.md (4 minutes)"
	@echo "make docs         build the documentation into build/site, which Cairn serves under /docs/"
	@echo "make install      make .venv and install what Cairn needs"
	@echo "make lock         write both requirement locks from pyproject.toml (UPGRADE=1: newest versions)"
	@echo "make samples      load the sample datasets for USER_NAME (default: researcher)"
	@echo "make screenshots  take those of docs/screenshots again whose page has changed (ALL=1: all, NAMES=...: these)"
	@echo "make clean        remove .venv and caches; what is in var/ stays"

install: $(RUN_STAMP)
install-dev: $(DEV_STAMP)

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Cairn needs Python 3.11 or newer, and there is no $(PYTHON) here."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Cairn needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Making $(VENV) …"
	@# Debian's python3 without python3-venv lacks ensurepip; its pip can fill the environment all the same
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || \
		{ rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install -q pip; } || \
		{ rm -rf $(VENV); echo "Python could not make a virtual environment. On Debian or Ubuntu: apt install python3-venv"; exit 1; }

$(RUN_STAMP): | $(BIN)/python
	@echo "Installing what Cairn needs …"
	@$(BIN)/python scripts/install_packages requirements.txt
	@rm -f $(VENV)/.run-* && touch $@

# The development lock holds every line of the other one, so it satisfies both. uv takes a seventh of pip's time; pip
# reads settings, such as those of a mirror, that uv does not know.
$(DEV_STAMP): | $(BIN)/python
	@echo "Installing what the tests need …"
	@$(MAKE) --no-print-directory $(UV) && $(UV) pip install -q --python $(BIN)/python --require-hashes -r requirements-dev.txt || \
		$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@rm -f $(VENV)/.run-* $(VENV)/.dev-* && touch $@ $(RUN_STAMP)

# The checks of static/js; Node itself comes with the development lock.
$(NODE_STAMP): | $(DEV_STAMP)
	@echo "Installing the checks of JavaScript …"
	@$(BIN)/npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@rm -f node_modules/.installed-* && touch $@

run: install
	@exec $(BIN)/python manage.py run

# CI gives others: a third of the slow tests by the day, with as many examples of a property as `make test` has.
SLOW ?= slow or hypothesis or thorough
PROFILE ?= thorough

# Each of a hundred processes would compile Cairn and the tests for itself.
test test-changed test-fast test-slow test-start test-postgres mutants coverage kernels: export PYTHONDONTWRITEBYTECODE =

# Compiled once, for all processes.
kernels: install-dev
	@$(BIN)/python -m dashboard.launcher.warm

# FILE="tests/a.py tests/js/b.test.mjs": these alone, long tests too. NODE_STAMP: the tests of mutants read JavaScript.
test: kernels $(NODE_STAMP)
ifdef FILE
	@$(if $(filter %.mjs,$(FILE)),$(BIN)/node --test $(filter %.mjs,$(FILE)))
	@$(if $(filter-out %.mjs,$(FILE)),$(BIN)/python -m pytest -n 0 $(filter-out %.mjs,$(FILE)))
else
	@$(MAKE) --no-print-directory test-js
	@$(PYTEST) -m "not slow and not thorough"
endif

# The tests of what differs from a commit: make test-changed BASE=main
BASE ?= HEAD
test-changed: install-dev
	@files="$$($(BIN)/python -m tests.which --changed $(BASE) | tr '\n' ' ')"; \
		[ -z "$$files" ] && echo "No test belongs to what differs from $(BASE)." || $(MAKE) --no-print-directory test FILE="$$files"

test-js: install-dev
	@mkdir -p build
	@$(NODE_TEST) "tests/js/**/*.test.mjs" >build/test-js.txt || { grep -v '^ *✔' build/test-js.txt; exit 1; }
	@sed -n '/^ℹ tests/p; /start of coverage/,/end of coverage/p' build/test-js.txt

test-fast: kernels $(NODE_STAMP) test-js
	@$(PYTEST) -m "not slow and not thorough and not browser" tests/engine tests/dashboard tests/test_contributing.py

START ?= test-start
test-slow: install-dev $(START)
	@$(PYTEST) -m "$(SLOW)" --hypothesis-profile $(PROFILE) --ignore tests/test_start_from_nothing.py
	@$(MAKE) --no-print-directory test-postgres

test-start: install-dev
	@$(BIN)/python -m pytest -q tests/test_start_from_nothing.py # beside one other process at most: it has three minutes

# Left out: tests that start processes with databases of their own, the fuzz of the API, which is about the schema, and
# commands, sources and numbers that no database holds.
test-postgres: install-dev
	@$(BIN)/python -m tests.postgres $(PYTEST) tests/dashboard -m "not thorough" \
		$(foreach one,worker experiments_worker live_streams_killed fuzz audits_command experiments_kinds \
		command_list joined_tracks number_fields,--ignore tests/dashboard/test_$(one).py)

mutants: install-dev $(NODE_STAMP)
	@$(BIN)/python -m tests.mutants

coverage: install-dev
	@$(PYTEST) -m "not slow and not thorough" --cov --cov-report term:skip-covered --cov-report html

check: install-dev $(NODE_STAMP)
	@BIN=$(BIN) sh .ci/check

format: install-dev $(NODE_STAMP)
	@$(BIN)/ruff check --fix-only --quiet . && $(BIN)/ruff format --quiet .
	@$(BIN)/node node_modules/prettier/bin/prettier.cjs --write --log-level warn .

dist: install-dev
	@version=$$($(BIN)/python -c "import privacy_engine; print(privacy_engine.__version__)"); \
		grep -q "^## $$version$$" CHANGELOG.md || { echo "CHANGELOG.md has no heading ## $$version"; exit 1; }
	@$(MAKE) --no-print-directory docs
	@rm -rf build/dist && $(BIN)/hatchling build -d build/dist

bench: install-dev
	@POLARS_MAX_THREADS=1 $(BIN)/python -m pytest -c benchmarks/pytest.ini benchmarks --page docs/results/benchmarks.md

docs: install-dev
	@mkdir -p build
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build >build/docs.txt 2>&1 || { grep -v '^INFO' build/docs.txt; exit 1; }

samples: install
	@$(BIN)/python manage.py loadsamples $${USER_NAME:-researcher}

screenshots: install-dev
	@$(BIN)/python -m tests.browser.screenshots $(NAMES)

lock: $(UV)
	$(UV) pip compile $(LOCK_OPTIONS) --extra server pyproject.toml -o requirements.txt
	$(UV) pip compile $(LOCK_OPTIONS) --extra server --extra vector --extra deploy --extra s3 -c requirements.txt pyproject.toml -o requirements-s3.txt
	$(UV) pip compile $(LOCK_OPTIONS) --extra server --extra vector --extra deploy --extra s3 --extra notebook --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt
LOCK_OPTIONS := --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

build/uv/bin/uv: | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --target build/uv uv

clean:
	rm -rf $(VENV) build staticfiles node_modules .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
