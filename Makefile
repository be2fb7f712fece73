# Each target does its own set-up: python3 (3.11 to 3.13) with venv, git and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_TEST := $(VENV)/.ready-test
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test check docs bench browser clean help

help:
	@echo "make demo   the main job on the sample project, in the browser"
	@echo "make test   all tests (the browser's too where Chromium is installed)"
	@echo "make check  style and types"
	@echo "make docs   the command reference in docs/"
	@echo "make bench  speed and memory, as ratios"

demo: $(READY)
	@$(BIN)/labeler demo $(DEMO)

# What the browser's tests time suffers from company.
test: $(READY_TEST)
ifdef TESTS
	@$(BIN)/python -m pytest $(TESTS)
else
	@$(BIN)/python -m pytest tests --ignore tests/browser -n 2
	@$(BIN)/python -m pytest tests/browser -m "not timed" -n 2 --dist loadfile
	@$(BIN)/python -m pytest tests/browser -m timed
endif

check: $(READY_TEST)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict labeler

docs: $(READY)
	@$(BIN)/python docs/make_reference.py

bench: $(READY_TEST)
	@$(BIN)/python bench/run.py $(BENCH)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else f"Python 3.11 to 3.13 is needed, this is {v[0]}.{v[1]}: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV) || { echo "The venv module is missing (on Debian: apt-get install python3-venv)"; exit 1; }

$(READY): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing labeler into $(VENV) (once, about a minute)"
	@$(PIP) --constraint constraints.txt --editable .
	@touch $@

$(READY_TEST): $(READY) constraints-test.txt
	@echo "Installing the test tools into $(VENV) (once)"
	@$(PIP) --constraint constraints.txt --constraint constraints-test.txt --editable ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) build dist demo .hypothesis .mypy_cache .ruff_cache *.egg-info
