# Everything below needs only python3 (3.11 or newer); the environment is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
APP_READY := $(VENV)/.app-ready

.PHONY: help app test shots lint format bench clean

help:  ## Show what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

define make_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Python 3.11 or newer is needed; say `make PYTHON=python3.12 ...` to choose one.'; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
endef

$(APP_READY): pyproject.toml
	$(make_venv)
	@echo 'Installing; most of the download is torch.'
	$(BIN)/python -m pip install --quiet --editable '.[llm]'
	touch $@

$(READY): pyproject.toml
	$(make_venv)
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	touch $@ $(APP_READY)

app: $(APP_READY)  ## Start the explorer (ARGS="--port 9000" for more)
	$(BIN)/nip-explorer $(ARGS)

test: $(READY)  ## Run all tests (PYTEST_ARGS="-k name" for some; NIP_FULL=1 for many more cases)
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

shots: $(READY)  ## Write screenshots of all pages to screenshots/
	$(BIN)/python -m pytest -n auto tests/browser

lint: $(READY)  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

format: $(READY)  ## Put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## Measure what we claim about speed; writes benchmarks/results/
	$(BIN)/python -m benchmarks

clean:  ## Remove the environment and what tools left behind
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
