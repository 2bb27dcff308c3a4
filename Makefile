# Everything below needs only python3 (3.11 or newer); the environment is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What tests and checks need. CI adds `ci` to the tests, heavy programs that judge our results from
# outside, and installs all at once.
TEST_EXTRAS ?= test
LINT_EXTRAS ?= lint
# Tests start dozens of interpreters. Where bytecode is not written, each compiles our files again,
# which takes it three seconds.
COMPILED_ONCE := PYTHONDONTWRITEBYTECODE=

# With CHANGED=1, only tests run that have reached a changed block of code. The first such run has no
# notes yet, so it runs all.
ifdef CHANGED
TEST_EXTRAS := $(TEST_EXTRAS),changed
# The test that is left out follows calls itself.
REACHING := --testmon --deselect tests/explorer/play/test_way_of_an_answer.py
endif

.PHONY: help app test costs shots texts lint lint-python lint-js format bench baseline docs links pythons notebooks lock clean

# The formatter and the type checker of JavaScript come from npm, pinned.
JS := $(VENV)/js/node_modules/.bin

help:  ## List these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# $(call install,extras): install this folder with extras, and note that they are there.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Python 3.11 or newer is needed; say `make PYTHON=python3.12 ...` to choose one.'; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'Installing; most of the download is torch.'
	index=$$($(BIN)/python .make/torch_index.py) && \
		$(BIN)/python -m pip install --quiet $$index --editable '.[$(1)]'
	touch $@
endef

# Notes are named by what was installed.
$(VENV)/.ready-%: pyproject.toml
	$(call install,$*)

app: $(VENV)/.ready-llm  ## Start the explorer (ARGS="--port 9000" for its options)
	$(BIN)/nip-explorer $(ARGS)

test: $(VENV)/.ready-$(TEST_EXTRAS)  ## Run the quick tests (PYTEST_ARGS="-k name" for some, CHANGED=1 for those of changed code; NIP_FULL=1 for all)
	$(COMPILED_ONCE) $(BIN)/python -m pytest -n auto $(REACHING) $(PYTEST_ARGS)

costs: $(VENV)/.ready-$(TEST_EXTRAS)  ## Measure what tests cost and list dear ones (ARGS=file for some of them)
	$(COMPILED_ONCE) $(BIN)/python -m tests.costs $(ARGS)

shots: $(VENV)/.ready-$(TEST_EXTRAS)  ## Write screenshots of all pages to screenshots/
	$(COMPILED_ONCE) NIP_FULL=1 $(BIN)/python -m pytest -n auto tests/browser

texts: $(VENV)/.ready-$(TEST_EXTRAS)  ## List every text of the interface by page, for reading (ARGS=play for one page)
	$(BIN)/python -m tests.interface_texts $(ARGS)

lint: lint-python lint-js  ## Check style and types, and the list of flaky tests

lint-python: $(VENV)/.ready-$(LINT_EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/python -m tests.flaky

$(VENV)/js/.ready: .make/js/package.json .make/js/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is needed to check JavaScript (Debian: apt install npm).'; exit 1; }
	mkdir -p $(@D) && cp $^ $(@D) && cd $(@D) && npm ci --no-audit --no-fund --silent
	touch $@

lint-js: $(VENV)/js/.ready
	$(JS)/biome format --config-path=.make/js explorer
	$(JS)/tsc -p .make/js

format: $(VENV)/.ready-$(LINT_EXTRAS) $(VENV)/js/.ready  ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(JS)/biome format --config-path=.make/js --write explorer

bench: $(VENV)/.ready-$(TEST_EXTRAS)  ## Measure speed (ARGS=storage for some of it); writes benchmarks/results/
	$(BIN)/python -m benchmarks $(ARGS)

baseline: $(VENV)/.ready-llm  ## Play the baseline again (fifteen minutes); writes its tables into explorer/studies/
	$(BIN)/nip-explorer study baseline

docs: $(VENV)/.ready-docs  ## Build the documentation in build/docs/html/
	$(BIN)/python -m docs._ext.build $(ARGS)

links: $(VENV)/.ready-docs  ## Check the links of the built documentation to other servers (needs a network)
	$(BIN)/python -m docs._ext.links $(ARGS)

pythons: $(VENV)/.ready-$(TEST_EXTRAS)  ## Install the package with each Python that it is for, and try it
	$(BIN)/python -m tests.other_pythons

notebooks: $(VENV)/.ready-$(TEST_EXTRAS)  ## Run the notebooks again; writes their outputs into notebooks/
	$(BIN)/python -m tests.make_notebooks

lock: $(VENV)/.ready-$(LINT_EXTRAS)  ## List what the container image installs, with hashes, in deploy/requirements.txt
	$(BIN)/python .make/lock.py

clean:  ## Remove the environment and the caches of tools
	rm -rf $(VENV) .testmondata* .pytest_cache .ruff_cache .hypothesis
