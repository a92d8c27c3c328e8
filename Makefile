# For a newcomer: `make demo` and `make test`. Each installs what it needs into .venv.
# `make check` is the whole gate: `make test`, then what takes longer. `make study` and `make bench` are no part of it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev
SERVERS := .venv-servers
ENGINES := .venv-engines
INSPECT := .venv-inspect
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests read and write files as UTF-8, whatever the locale.
export PYTHONUTF8 := 1
# Tests start hundreds of processes. Without bytecode, each compiles the package again, and pytest every test.
unexport PYTHONDONTWRITEBYTECODE
# A lock file names every package, so that nothing is resolved: a resolver would look at newer versions of a package
# that another one asks for with an extra, and refuse it for want of a hash. `pip check` says if one is missing.
LOCKED := --no-deps --require-hashes
# One process for each core; the tests of a file stay in one process.
PYTEST = $(BIN)/python -m pytest --numprocesses logical --maxprocesses 8 --dist loadfile

.PHONY: install demo test gate servers engines inspect check lint types fresh generate generated study bench lock clean
ifdef TOGETHER
# A part of `make check`: mypy on one core, the others on the other. `generated` writes files that lint reads.
generated: | lint
else
# With `make -j`, too, one target begins when the one before has ended: `fresh` writes files that tests read.
.NOTPARALLEL:
endif

install: $(RUN)

demo: $(RUN)
	$(BIN)/ib demo --out demo

# What a newcomer runs. The tests themselves say at their end what was left out (tests/conftest.py).
test: $(DEV)
	$(PYTEST) -m "not gate"
	@echo "make test passed. make check runs it, and adds: the tests listed above (one makes the demonstration), types, lint, generated files."

# The tests that `make test` leaves out.
gate: $(DEV)
	$(PYTEST) -m gate

# Servers of others for tests/providers, in an environment of their own (750 MB). Without it, these tests are skipped.
servers: $(SERVERS)/.made

# Ray and a server of S3 for tests/engines, in an environment that borrows .venv (400 MB more). Without it, these
# tests are skipped.
engines: $(ENGINES)/.made

# Inspect, Scout and the tools that read exports, for plugins/inspect/tests, in an environment that borrows .venv
# (320 MB more). Without it, these tests are skipped.
inspect: $(INSPECT)/.made

check: test gate
	$(MAKE) --no-print-directory --jobs 2 --output-sync=target TOGETHER=yes types lint generated
	@echo "make check passed. It ran: make test, the tests of the gate (one makes the demonstration), types, lint, generated files."
	@echo "Left out: make study (simulations, long measurements) and make bench (speed); each test that was skipped is named above."

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/ib lint

types: $(DEV)
	$(BIN)/mypy
	@# The plugin, with the types of Inspect, where that is installed (make inspect).
	test ! -e $(INSPECT)/.made || (cd plugins/inspect && ../../$(INSPECT)/bin/python -m mypy)

UNCHANGED = git diff --exit-code --stat -- docs data benchmark/CHANGES.md benchmark/PILOT.md benchmark/PRECISION.md \
  benchmark/RECALL.md benchmark/COVERAGE.md benchmark/JUDGE_ERRORS.md benchmark/pilot/summary.yaml benchmark/precision \
  benchmark/recall benchmark/schemas benchmark/VOICE.md

# Generates every generated file again; fails if one differs from the repository.
fresh: generate
	$(UNCHANGED)

# What `make check` runs of it: a test of the gate has compared the demonstration in data/ with a new one.
generated: $(DEV)
	$(BIN)/python -m tools.generate --without-demonstration
	$(UNCHANGED)

generate: $(DEV)
	$(BIN)/python -m tools.generate

# Neither is part of the gate. Their results are in benchmarks/RESULTS.md.
# What takes long because it repeats itself: scans killed and resumed, limits of dollars, hostile texts, large recordings,
# samples that people read, edits of a release, exams with planted errors.
study: $(DEV)
	$(BIN)/python -m benchmarks.live 10000
	$(BIN)/python -m benchmarks.limits
	$(BIN)/python -m benchmarks.texts
	$(BIN)/python -m benchmarks.votes
	$(BIN)/python -m benchmarks.edits
	$(BIN)/python -m benchmarks.killed
	$(BIN)/python -m benchmarks.means
	$(BIN)/python -m benchmarks.power
	$(BIN)/python -m benchmarks.many_logs
	$(BIN)/python -m benchmarks.corrected
	$(BIN)/python -m benchmarks.sampling
	$(BIN)/python -m benchmarks.exam
	$(BIN)/python -m benchmarks.draws
	$(BIN)/python -m tools.expected

# How fast it is: commands from the shell, and the site of a large field.
bench: $(DEV)
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.site

# A virtual environment with the locked requirements of the package.
$(RUN): requirements/run.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(LOCKED) -r requirements/build.txt
	@echo "Installing $$(grep -c '==' requirements/run.txt) packages into $(VENV), about 750 MB:"
	$(BIN)/pip install --progress-bar off $(LOCKED) -r requirements/run.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# The locked requirements of the tests and tools.
$(DEV): $(RUN) requirements/dev.txt
	$(BIN)/pip install --quiet $(LOCKED) -r requirements/dev.txt
	$(BIN)/pip check
	touch $@

$(SERVERS)/.made: requirements/servers.txt
	test -x $(SERVERS)/bin/python || $(PYTHON) -m venv $(SERVERS)
	$(SERVERS)/bin/pip install --quiet $(LOCKED) -r requirements/servers.txt
	$(SERVERS)/bin/pip check
	touch $@

# An environment that borrows .venv: what it has itself comes first.
define BORROW
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	$(1)/bin/python -c 'import pathlib, sys, sysconfig; own = sysconfig.get_path("purelib"); \
	  there = own.replace(sys.prefix, str(pathlib.Path("$(VENV)").absolute())); \
	  pathlib.Path(own, "borrowed.pth").write_text(f"import site; site.addsitedir({there!r})\n")'
	$(1)/bin/pip install --quiet $(LOCKED) -r $(2)
endef

$(ENGINES)/.made: $(DEV) requirements/engines.txt
	$(call BORROW,$(ENGINES),requirements/engines.txt)
	$(ENGINES)/bin/pip check
	touch $@

# Every Eval Ever asks for Python 3.12 and for 300 MB that its validator does not use: it is beside the others, alone.
$(INSPECT)/.made: $(DEV) requirements/inspect.txt requirements/every-eval-ever.txt plugins/inspect/pyproject.toml
	$(call BORROW,$(INSPECT),requirements/inspect.txt)
	$(INSPECT)/bin/pip install --quiet --no-deps --no-build-isolation --editable plugins/inspect
	$(INSPECT)/bin/pip check
	$(INSPECT)/bin/pip install --quiet $(LOCKED) --ignore-requires-python --upgrade --target $(INSPECT)/every-eval-ever \
	  -r requirements/every-eval-ever.txt
	touch $@

# Writes the lock files again, with hashes and without index addresses.
lock: $(DEV)
	$(BIN)/python -m tools.lock

clean:
	rm -rf $(VENV) $(SERVERS) $(ENGINES) $(INSPECT) build dist demo demo-live site results .mypy_cache .pytest_cache .ruff_cache
