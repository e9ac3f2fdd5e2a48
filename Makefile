# Needs only make and Python 3.11 or newer. Everything else (Python packages, Node, the built page) is fetched
# into .venv/ and frontend/ from the lock files, and only again when those change.

PORT ?= 8000
PYTEST_ARGS ?=
# One more than the two cores that the times in CONTRIBUTING.md are of: tests often wait for a process or a browser.
TEST_PROCESSES ?= 3
MUTANTS_ARGS ?=
COMPILED := .build/compiled

# Every process that the product or a test starts would read all sources anew, which takes longer than anything else.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-dev run test test-all test-fast test-fast-python check check-python check-frontend typecheck test-frontend test-python test-compiled format docs lock audit bench bench-canvas bench-core
.PHONY: bench-import bench-link bench-lists bench-live bench-pictures bench-pipeline bench-sandbox bench-whatif
.PHONY: chaos setup-spark fuzz fuzz-api fuzz-tsql mutants compiled clean reset whatif-truth

PY := .venv/bin/python
TESTS ?= not slow
FIRST_SEED ?= $(shell date -u +%Y%m%d)
# `make test-all` sets it, so that what Hypothesis draws on a day can be drawn again.
HYPOTHESIS_SEED ?=
HYPOTHESIS = $(if $(HYPOTHESIS_SEED),--hypothesis-seed=$(HYPOTHESIS_SEED))
# The tests of one file share its servers, so a process works through whole files.
PYTEST = $(PY) -m pytest $(HYPOTHESIS) --numprocesses=$(TEST_PROCESSES) --dist=loadfile --no-loadscope-reorder -m '$(TESTS)'
# npm and node come from the virtual environment, never from the system.
NPM := cd frontend && PATH="$(CURDIR)/.venv/bin:$$PATH" npm
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes

# One that is a link belongs to another copy: whatever is installed here would be installed there.
ifneq ($(shell test -L .venv && echo linked),)
$(error .venv is a link to another copy of the product. Remove it (rm .venv), then `make setup` makes one of its own)
endif

# A virtual environment does not survive being moved, nor the removal of its Python: then it is made anew.
ifneq ($(wildcard .venv/.made),)
ifneq ($(file <.venv/.made)|$(shell $(PY) -c 'print("ok")' 2>/dev/null),$(CURDIR)|ok)
$(shell rm -f .venv/.made)
endif
endif

help: ## Show this list.
	@echo 'brokerweb. `make run` starts it, `make test` tests it; both set up what is missing.'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

run: .venv/.run frontend/dist/index.html ## Start the dashboard and its engine on 127.0.0.1 (PORT=8000).
	@exec $(PY) manage.py run --port='$(or $(PORT),8000)'

test: setup ## Run the tests that go with every change (`make check` goes with them; CHANGED=1: what a change can touch; REQUIRE_ALL=1: none may be skipped).
	@$(MAKE) --no-print-directory test-frontend
	@$(MAKE) --no-print-directory test-python

test-all: setup compiled check ## Run every test there is, with new seeds each day (FIRST_SEED=20261128 repeats a day), fuzzers, compiled engine.
	@echo 'Seeds begin at $(FIRST_SEED): FIRST_SEED=$(FIRST_SEED) repeats them.'
	@$(MAKE) --no-print-directory test-frontend
	@THOROUGH=1 FIRST_SEED=$(FIRST_SEED) HYPOTHESIS_SEED=$(FIRST_SEED) $(MAKE) --no-print-directory test-python test-compiled \
	  TESTS='slow or not slow'
	@$(MAKE) --no-print-directory fuzz FRAMES=200000 MESSAGES=20000 SEED=$(FIRST_SEED)
	@$(MAKE) --no-print-directory fuzz-tsql SCRIPTS=20000 SEED=$(FIRST_SEED)
	@$(MAKE) --no-print-directory fuzz-api EXAMPLES=20 SEED=$(FIRST_SEED)

test-fast: setup-dev frontend/node_modules/.made ## Run what takes a minute: unit tests, conformance to the specification, front-end types.
	@$(MAKE) --no-print-directory --jobs=2 typecheck test-fast-python

test-fast-python: setup-dev
	@$(PYTEST) --quiet tests/engine/unit tests/engine/conformance $(PYTEST_ARGS)

test-python: setup ## Run the tests in Python, those in the browser with them.
	@FRONTEND_TEST_REPORT=.build/vitest.json $(PYTEST) --ignore=tests/benchmarks --ignore=tests/architecture $(if $(CHANGED),--affected) $(PYTEST_ARGS)

test-frontend: frontend/node_modules/.made ## Run the tests of the front end.
	@mkdir -p .build
	@rm -f .build/vitest.json; \
	tests=$(if $(CHANGED),$$($(PY) -m tests.support.affected --front-end),run) || exit; \
	if [ "$$tests" = skip ]; then echo 'Front end: nothing that changed affects it.'; exit; fi; \
	$(NPM) exec --silent -- vitest $$tests --reporter=default --reporter=json --outputFile.json=../.build/vitest.json --reporter=./src/testing/failures.ts

typecheck: frontend/node_modules/.made
	@$(NPM) run --silent typecheck

check: setup-dev frontend/node_modules/.made ## Check style, types, import rules, sizes and migrations.
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line check-python check-frontend
	@echo 'make check: everything passed.'

check-python: setup-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(PY) -m pytest --quiet tests/architecture
	$(PY) manage.py makemigrations --check --dry-run

check-frontend: frontend/node_modules/.made
	@$(NPM) run --silent lint
	@$(NPM) run --silent typecheck

format: setup-dev frontend/node_modules/.made ## Format the code and repair what can be repaired by itself.
	$(PY) -m ruff check --fix-only --quiet .
	$(PY) -m ruff format .
	@$(NPM) run --silent lint -- --fix

docs: setup-dev ## Write the generated parts of the documentation and the compiled words of the server's pages anew.
	@$(PY) -m tests.support.generated_documents
	@$(PY) -m tests.support.catalogues

test-compiled: $(COMPILED)/.made ## Run the tests of the protocol on a compiled copy of the engine (needs a C compiler).
	@cd $(COMPILED) && $(CURDIR)/$(PY) -m pytest $(HYPOTHESIS) --quiet -p no:cacheprovider -m 'not interpreted and ($(TESTS))' \
	  --numprocesses=$(TEST_PROCESSES) --dist=worksteal \
	  tests/engine/conformance tests/engine/properties tests/engine/sim/test_simulation.py tests/engine/sim/test_worlds.py \
	  tests/engine/sim/test_pictures.py tests/engine/pictures tests/engine/scenarios \
	  tests/engine/ports/test_sqlite_store.py tests/engine/ports/test_commit_log.py tests/engine/wire tests/engine/transport \
	  $(PYTEST_ARGS)

bench: setup-dev ## Run the benchmarks (CONVERSATIONS=1000000, BACKLOG=1000000: how many idle ones, and waiting messages).
	@CONVERSATIONS='$(CONVERSATIONS)' BACKLOG='$(BACKLOG)' $(PY) -m pytest --quiet tests/benchmarks $(PYTEST_ARGS)

bench-canvas: setup-dev frontend/dist/index.html ## Measure the canvas in Chromium: opening 5,000 nodes, panning over 1,000 (ROUNDS=5).
	@ROUNDS='$(ROUNDS)' $(PY) -m pytest --quiet tests/benchmarks/canvas $(PYTEST_ARGS)

bench-lists: setup-dev ## Measure pages of a list of routes (ROUTES=100000, DATABASE=postgres for a server of its own).
	@ROUTES='$(ROUTES)' DATABASE='$(DATABASE)' $(PY) -m pytest --quiet tests/benchmarks/test_lists.py $(PYTEST_ARGS)

bench-import: setup-dev ## Measure an import, stage by stage, and whole commands with it (ROUTES=100000).
	@ROUTES='$(ROUTES)' $(PY) -m pytest --quiet -s tests/benchmarks/test_import_memory.py tests/benchmarks/test_tsql_bulk.py \
	  $(PYTEST_ARGS)

bench-core: setup-dev $(COMPILED)/.made ## Compare the core, interpreted and compiled, in one run.
	@$(PY) -m pytest --quiet -s tests/benchmarks/test_core_messages.py $(PYTEST_ARGS)
	@cd $(COMPILED) && $(CURDIR)/$(PY) -m pytest --quiet -s -p no:cacheprovider tests/benchmarks/test_core_messages.py $(PYTEST_ARGS)

bench-pictures: setup-dev ## Measure pictures of views, and what has changed since one, with 10 and 100,000 conversations.
	@$(PY) -m pytest --quiet -s tests/benchmarks/test_pictures.py $(PYTEST_ARGS)

bench-sandbox: setup-dev ## Measure sandboxes of training: their time, replays, many at once, memory (SANDBOXES=50).
	@SANDBOXES='$(SANDBOXES)' $(PY) -m pytest --quiet -s tests/benchmarks/test_sandbox.py $(PYTEST_ARGS)

bench-live: setup-dev frontend/dist/index.html ## Measure the live view: 200 tabs beside 5,000 events a second (SECONDS=60, TABS=200, MESSAGES=1100).
	@$(PY) -m tests.benchmarks.live --seconds $(or $(SECONDS),60) --tabs $(or $(TABS),200) --messages $(or $(MESSAGES),1100)

bench-whatif: setup-dev ## Measure what-if answers: a flow, all flows of 1,000 databases, a draft, beside DuckDB (CONVERSATIONS=10000000).
	@CONVERSATIONS='$(CONVERSATIONS)' $(PY) -m pytest --quiet -s tests/benchmarks/whatif $(PYTEST_ARGS)

bench-pipeline: setup-dev ## Measure what-ifs on Spark beside DuckDB and plain joins, jobs on lakes (ROWS=10000000,40000000 EVENTS=20000000 ROUNDS=3).
	@ROWS='$(ROWS)' EVENTS='$(EVENTS)' ROUNDS='$(ROUNDS)' FOLDER='$(FOLDER)' $(PY) -m pytest --quiet -s tests/benchmarks/pipeline $(PYTEST_ARGS)

bench-link: setup-dev $(COMPILED)/.made ## Compare two brokers and a link with RabbitMQ and PostgreSQL (ROUNDS=5, MESSAGES=40000, CONTESTANTS=a,b).
	@$(PY) -m tests.benchmarks.link $(if $(ROUNDS),--rounds '$(ROUNDS)') $(if $(MESSAGES),--messages '$(MESSAGES)') \
	  $(if $(CONTESTANTS),--contestants '$(CONTESTANTS)')

fuzz: setup-dev ## Throw a million hostile frames at the link, 100,000 messages at instances (FRAMES=, MESSAGES=, SEED=).
	@$(PY) -m tests.support.fuzzing $(or $(FRAMES),1000000) $(or $(MESSAGES),100000) $(SEED)

fuzz-tsql: setup-dev ## Damage 100,000 T-SQL scripts and read them (SCRIPTS=100000, SEED= for one that is known).
	@$(PY) -m tests.support.tsql_fuzzing $(or $(SCRIPTS),100000) $(SEED)

fuzz-api: setup-dev ## Ask every operation of the API at random, against its OpenAPI document (EXAMPLES=100, SEED=).
	@API_EXAMPLES=$(or $(EXAMPLES),100) API_SEED=$(or $(SEED),$(shell date +%s)) $(PY) -m pytest --quiet -s tests/api

whatif-truth: setup-dev ## Compare what-if and simulator on 1,000 random topologies (TOPOLOGIES=1000, SEED=0 the first).
	@WHATIF_TOPOLOGIES='$(or $(TOPOLOGIES),1000)' WHATIF_SEED='$(SEED)' $(PY) -m pytest --quiet -s --timeout=0 \
	  tests/engine/properties/test_what_if_equals_the_simulator.py $(PYTEST_ARGS)

chaos: setup-dev ## Strike real workers under load (ROUNDS=200, STORES=sqlite or postgres, SEED= for one that is known).
	@$(PY) -m tests.chaos --rounds $(or $(ROUNDS),200) $(if $(STORES),--stores $(STORES)) $(if $(SEED),--seed $(SEED))

mutants: setup-dev ## Plant errors into the broker; the simulator's checkers must catch each of them.
	@$(PY) -m tests.mutants $(MUTANTS_ARGS)

compiled: $(COMPILED)/.made ## Make a copy of the product whose core is machine code (needs a C compiler; two minutes).

setup: setup-dev frontend/dist/index.html ## Set up everything that running and testing need.

setup-spark: .venv/.spark ## Set up what `manage.py pipeline` needs: Spark, a Java where there is none, Delta (half a gigabyte).

setup-dev: .venv/.dev ## Set up Python and its packages, with those for development.

lock: setup-dev ## Make the lock files anew from pyproject.toml and package.json.
	@echo 'Locking Python packages (a minute or two) ...'
	@$(LOCK) --extra engine --extra web --extra frontend --output-file .requirements/run.txt pyproject.toml
	@$(LOCK) --extra engine --extra web --extra frontend --extra dev --extra spark --constraint .requirements/run.txt \
	  --output-file .requirements/dev.txt pyproject.toml
	@$(LOCK) --extra engine --extra spark --constraint .requirements/dev.txt \
	  --output-file .requirements/spark.txt pyproject.toml
	@echo 'Locking front-end packages ...'
	@rm -rf .build/npm-lock && mkdir -p .build/npm-lock
	@cp frontend/package.json frontend/package-lock.json frontend/.npmrc .build/npm-lock/
	@$(NPM) --prefix ../.build/npm-lock install --package-lock-only --ignore-scripts --loglevel=error
	@cp .build/npm-lock/package-lock.json frontend/package-lock.json
	@$(PY) -m pytest --quiet tests/architecture/test_locks.py

clean: ## Remove what was installed and built; the local database stays.
	rm -rf .venv .build frontend/node_modules frontend/dist
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis test-results
	find brokerweb engine tests -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

reset: .venv/.run ## Remove the local data (BROKERWEB_DATA): the next `make run` begins with a fresh sample estate.
	@$(PY) manage.py reset

# The rooms that a message passes on its way, without those modules that define msgspec structs: those are C already,
# and mypyc cannot compile their metaclass (docs/adr/0015-the-hot-rooms-can-be-compiled.md).
COMPILED_MODULES = $(shell grep -L '^class .*msgspec.Struct' engine/core/dialog/[a-z]*.py engine/core/handlers/[a-z]*.py \
  engine/core/queues/[a-z]*.py engine/core/transmission/[a-z]*.py engine/core/routing/ways_in.py engine/core/instance.py \
  engine/core/vocabulary/passage.py engine/core/link/[a-z]*.py engine/runtime/driver.py engine/storage/records.py \
  engine/storage/commit_log/entries.py engine/storage/commit_log/unfolded.py)

$(COMPILED)/.made: $(shell find engine brokerweb tests -name '*.py' 2>/dev/null) pyproject.toml Makefile | .venv/.dev
	@command -v $${CC:-cc} >/dev/null || { \
	  echo 'A C compiler is needed and was not found: install it (Debian, Ubuntu: apt-get install gcc libc6-dev python3-dev).' >&2; \
	  exit 1; }
	@echo 'Compiling the core (two minutes or so) ...'
	@rm -rf $(COMPILED) && mkdir -p $(COMPILED)
	@cp -r $(wildcard manage.py pyproject.toml engine brokerweb tests docs) $(COMPILED)/
	@cd $(COMPILED) && MYPYC_OPT_LEVEL=2 MYPYC_DEBUG_LEVEL=0 $(CURDIR)/.venv/bin/mypyc $(COMPILED_MODULES) >mypyc.log 2>&1 \
	  || { grep -E 'error' mypyc.log >&2; exit 1; }
	@rm -rf $(COMPILED)/build
	@touch $@

# The lock files hold only versions and hashes: no index, no path, and nothing that this machine's pip is set to.
# npm locks in an empty folder: next to installed packages it leaves out what this machine did not need.
LOCK = env -u PIP_INDEX_URL -u PIP_EXTRA_INDEX_URL -u PIP_FIND_LINKS PIP_CONFIG_FILE=/dev/null \
  $(PY) -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# pip is not asked to resolve anything: the locks name every package with its hash.
audit: setup-dev frontend/node_modules/.made ## Ask PyPI and npm about known vulnerabilities of every package in the locks (needs the network).
	@$(PY) -m pip_audit --strict --disable-pip --require-hashes --progress-spinner off \
	  --requirement .requirements/run.txt --requirement .requirements/spark.txt --requirement .requirements/dev.txt
	@$(NPM) audit --package-lock-only

.venv/.made:
	@found=; \
	for candidate in python3.11 python3.12 python3.13 python3 python; do \
	  if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'Python 3.11 or newer is needed and was not found: install it (Debian, Ubuntu: apt-get install python3 python3-venv).' >&2; \
	  exit 1; fi; \
	if ! $$found -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "The venv module of $$found is missing: install it (Debian, Ubuntu: apt-get install python3-venv)." >&2; \
	  exit 1; fi; \
	echo "Making a virtual environment with $$found ..."; \
	if ! $$found -m venv --clear .venv; then \
	  echo 'The virtual environment could not be made in .venv: is this folder writable, and is there room on the disk?' >&2; \
	  exit 1; fi
	@printf '%s' '$(CURDIR)' > $@

.venv/.run: .requirements/run.txt .venv/.made
	@echo 'Installing the Python packages and Node (a minute or so) ...'
	@$(PIP_INSTALL) -r $< || { \
	  echo 'pip could not install the packages of $<: is the package index reachable from here, and is there room on the disk? Then try again.' >&2; \
	  exit 1; }
	@touch $@

.venv/.dev: .requirements/dev.txt .venv/.run
	@echo 'Installing the Python packages for development ...'
	@$(PIP_INSTALL) -r $< || { \
	  echo 'pip could not install the packages of $<: is the package index reachable from here, and is there room on the disk? Then try again.' >&2; \
	  exit 1; }
	@touch $@

.venv/.spark: .requirements/spark.txt .venv/.run
	@echo 'Installing Spark (half a gigabyte) ...'
	@$(PIP_INSTALL) -r $< || { \
	  echo 'pip could not install the packages of $<: is the package index reachable from here, and is there room on the disk? Then try again.' >&2; \
	  exit 1; }
	@touch $@

frontend/node_modules/.made: frontend/package.json frontend/package-lock.json frontend/.npmrc | .venv/.run
	@echo 'Installing the front-end packages (half a minute or so) ...'
	@$(NPM) ci --loglevel=error || { \
	  echo 'npm could not install the packages of frontend/package-lock.json: is the npm registry reachable from here, and is there room on the disk? Then try again.' >&2; \
	  exit 1; }
	@touch $@

# Folders are listed as well as files, so that a removed file counts as a change.
FRONTEND_SOURCES := $(shell find frontend/src frontend/public frontend/index.html frontend/vite.config.ts \
  frontend/tsconfig*.json ! -name '*.test.ts' ! -name '*.test.tsx' 2>/dev/null)

frontend/dist/index.html: frontend/node_modules/.made $(FRONTEND_SOURCES)
	@echo 'Building the page ...'
	@$(NPM) run --silent build -- --logLevel warn
	@$(PY) -m whitenoise.compress --quiet frontend/dist
