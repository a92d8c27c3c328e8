# For a newcomer: `make demo` and `make test`. Each installs what it needs into .venv.
# `make check` runs the whole gate: lint, types, tests, and that generated files are fresh.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev
SERVERS := .venv-servers
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: install demo test servers check lint types fresh generate bench lock clean

install: $(RUN)

demo: $(RUN)
	$(BIN)/ib demo --out demo

# One process for each core; the tests of a file stay in one process.
test: $(DEV)
	$(BIN)/python -m pytest --numprocesses logical --maxprocesses 8 --dist loadfile

# Servers of others for tests/providers, in an environment of their own (750 MB). Without it, these tests are skipped.
servers: $(SERVERS)/.made

check: lint types test fresh

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/ib lint

types: $(DEV)
	$(BIN)/mypy

# Generates every generated file again; fails if one differs from the repository.
fresh: generate
	git diff --exit-code --stat -- docs data benchmark/CHANGES.md benchmark/PILOT.md benchmark/PRECISION.md benchmark/RECALL.md \
	  benchmark/COVERAGE.md benchmark/JUDGE_ERRORS.md benchmark/pilot/summary.yaml benchmark/precision benchmark/recall \
	  benchmark/schemas

generate: $(DEV)
	$(BIN)/python -m tools.generate

bench: $(DEV)
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.live 10000
	$(BIN)/python -m benchmarks.limits
	$(BIN)/python -m benchmarks.site

# A virtual environment with the locked requirements of the package.
$(RUN): requirements/run.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/build.txt
	$(BIN)/pip install --quiet --require-hashes -r requirements/run.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# The locked requirements of the tests and tools.
$(DEV): $(RUN) requirements/dev.txt
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	touch $@

$(SERVERS)/.made: requirements/servers.txt
	test -x $(SERVERS)/bin/python || $(PYTHON) -m venv $(SERVERS)
	$(SERVERS)/bin/pip install --quiet --require-hashes -r requirements/servers.txt
	touch $@

# Writes the lock files again, with hashes and without index addresses.
lock: $(DEV)
	$(BIN)/python -m tools.lock

clean:
	rm -rf $(VENV) $(SERVERS) build dist demo site results .mypy_cache .pytest_cache .ruff_cache
