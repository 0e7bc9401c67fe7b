# Every target sets up what it needs on a fresh machine: a virtual environment, the package, its tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out
AXE := $(VENV)/axe/package/axe.min.js

# Matrices of networks are small: a second thread of BLAS would spin more than it computes.
export OPENBLAS_NUM_THREADS := 1
# Tests start many processes, each of which would compile all sources to bytecode where a shell forbids keeping it.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-long lint kernels bench docs site clean browser screens notebooks

demo: $(VENV)/.demo
	@mkdir -p $(OUT)
	@$(BIN)/counterpoise race leduc_poker -a cfr,cfr+,dcfr,pcfr+ -n 2000 --plot $(OUT)/leduc.png
	@$(BIN)/counterpoise spot examples/spots/turn.toml --node r:0:c --grid --plot $(OUT)/turn_grid.png

test: $(VENV)/.dev browser
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint kernels
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"

test-long: kernels browser
	$(BIN)/pytest -n 2 --dist loadfile -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

kernels: $(VENV)/.dev
	$(BIN)/python -m tests.compile_kernels

# What the tests of pages need beside Python; without it they are skipped, and say so.
browser: $(VENV)/.dev
	@command -v chromium >/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium for the tests of pages (once)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	  else echo "Tests of pages are skipped: install Chromium, for example with apt-get install chromium"; fi
	@test -f $(AXE) || \
	  if command -v npm >/dev/null; then \
	    mkdir -p $(VENV)/axe && cd $(VENV)/axe && npm pack --silent axe-core@4 >/dev/null && tar -xzf axe-core-*.tgz; \
	  else echo "Tests of accessibility are skipped: install npm"; fi

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py

screens: $(VENV)/.dev browser
	$(BIN)/pytest tests/web/browser
	$(BIN)/python docs/screens.py

# Runs examples/notebooks anew and keeps what they show.
notebooks: $(VENV)/.dev
	$(BIN)/python examples/notebooks/execute.py

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py
	@$(MAKE) --no-print-directory site

# The site alone, strictly: a link or a name that leads nowhere fails. It reads the sources and compiles nothing.
site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "The site is in $(OUT)/site: open $(OUT)/site/index.html"

clean:
	rm -rf $(VENV) $(OUT) build *.egg-info src/*.egg-info

$(VENV)/.venv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/.demo: $(VENV)/.venv pyproject.toml
	@echo "Installing Counterpoise into $(VENV) (once)"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.bench: $(VENV)/.demo
	@echo "Installing the peers to compare with (once)"
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	touch $@

$(VENV)/.docs: $(VENV)/.demo
	@echo "Installing what builds the site (once)"
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)/.dev: $(VENV)/.demo
	@echo "Installing the development tools (once)"
	$(BIN)/python -m pip install --quiet --editable ".[dev,cluster,deep,openspiel,web]"
	touch $@
