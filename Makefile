# `make play` and `make test` are all a newcomer needs. They want Python 3.12 or newer and a package index.
PORT   ?= 8000
WORKERS ?= auto
VENV   := .venv
PYTHON := $(VENV)/bin/python
STAMP  := $(VENV)/installed

# Tried in this order, the version of .python-version first. Each is run: a name on PATH may be a shim with nothing behind it.
PYTHONS ?= python3.13 python3.14 python3.12 python3 python
SUITABLE = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))
FOUND    = $(firstword $(foreach name,$(PYTHONS),$(shell $(name) -c '$(SUITABLE)' >/dev/null 2>&1 && echo $(name))))
TOO_OLD  = Ouroboros needs Python 3.12 or newer with its venv module; none of these is: $(PYTHONS)

# The packages without Django, typed strictly: those of them that are there.
PURE = $(wildcard ouroboros_site/engine solitaire/rules solitaire/advisor tricks/rules tricks/bots tricks/pads/counting.py)

.PHONY: play test lint format install lock

play: install  ## serve the site on http://127.0.0.1:$(PORT)
	@$(PYTHON) manage.py serve --port $(PORT)

test: install  ## all tests; ARGS="tests/play -k undo" for some of them
	@$(PYTHON) -m pytest --numprocesses $(WORKERS) --maxprocesses 4 $(ARGS)

lint: install
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy $(PURE)
	$(PYTHON) -m djhtml --check --tabwidth 2 templates
	$(VENV)/bin/lint-imports --no-logo

format: install
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
	$(PYTHON) -m djhtml --tabwidth 2 templates

install: $(STAMP)
	@:

# Made anew whenever the lock changes, so that it never holds anything but what the lock says.
$(STAMP): requirements-dev.txt
	@echo "Installing the locked packages into $(VENV) (once, a minute or so)"
	@$(or $(FOUND),$(error $(TOO_OLD))) -m venv --clear $(VENV)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

# requirements.txt: what the site runs with. requirements-dev.txt: the same versions, and what tests and lint need.
LOCK = $(VENV)/bin/uv pip compile --quiet --no-config --universal --python-version 3.12 --generate-hashes \
       --custom-compile-command "make lock" $(UPGRADE) pyproject.toml
lock: install  ## writes the versions down anew; UPGRADE=--upgrade takes newer ones
	$(PYTHON) -m pip install --quiet uv
	$(LOCK) --output-file requirements.txt
	$(LOCK) --group dev --constraint requirements.txt --output-file requirements-dev.txt
