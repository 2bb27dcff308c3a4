# Everything below needs only python3 (3.11 or newer); the environment is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What tests need. CI adds `ci`: heavy programs that judge our results from outside.
TEST_EXTRAS ?= test
# Tests start dozens of interpreters. Where bytecode is not written, each compiles our files again,
# which takes it three seconds.
COMPILED_ONCE := PYTHONDONTWRITEBYTECODE=

.PHONY: help app test shots lint format bench strengths baseline notebooks clean

help:  ## Show what there is
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

$(VENV)/.ready-app: pyproject.toml
	$(call install,llm)

$(VENV)/.ready-test-$(TEST_EXTRAS): pyproject.toml
	$(call install,$(TEST_EXTRAS))

$(VENV)/.ready-lint: pyproject.toml
	$(call install,lint)

app: $(VENV)/.ready-app  ## Start the explorer (ARGS="--port 9000" for more)
	$(BIN)/nip-explorer $(ARGS)

test: $(VENV)/.ready-test-$(TEST_EXTRAS)  ## Run the tests (PYTEST_ARGS="-k name" for some; NIP_FULL=1 for many more cases)
	$(COMPILED_ONCE) $(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

shots: $(VENV)/.ready-test-$(TEST_EXTRAS)  ## Write screenshots of all pages to screenshots/
	$(COMPILED_ONCE) NIP_FULL=1 $(BIN)/python -m pytest -n auto tests/browser

lint: $(VENV)/.ready-lint  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

format: $(VENV)/.ready-lint  ## Put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.ready-test-$(TEST_EXTRAS)  ## Measure what we claim about speed (ARGS=storage for some); writes benchmarks/results/
	$(BIN)/python -m benchmarks $(ARGS)

strengths: $(VENV)/.ready-app  ## Measure how strong scripted players are, minutes; writes explorer/strengths/strengths.json
	$(BIN)/nip-explorer strengths

baseline: $(VENV)/.ready-app  ## Play the baseline study again, ten minutes; writes explorer/studies/baseline/baseline.json
	$(BIN)/nip-explorer study baseline

notebooks: $(VENV)/.ready-test-$(TEST_EXTRAS)  ## Run the notebooks again; writes what they show into notebooks/
	$(BIN)/python -m tests.make_notebooks

clean:  ## Remove the environment and what tools left behind
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
