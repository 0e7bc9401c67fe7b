# Every target sets up what it needs on a fresh machine: a virtual environment, the package, its tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

.PHONY: demo test test-long lint bench docs clean

demo: $(VENV)/.demo
	@mkdir -p $(OUT)
	@$(BIN)/counterpoise race leduc_poker -a cfr,cfr+,dcfr,pcfr+ -n 2000 --plot $(OUT)/leduc.png
	@$(BIN)/counterpoise spot examples/spots/turn.toml --node r:0:c --grid --plot $(OUT)/turn_grid.png

test: lint
	$(BIN)/python -m tests.compile_kernels
	$(BIN)/pytest -n 2 --dist loadfile -m "not long"

test-long: $(VENV)/.dev
	$(BIN)/python -m tests.compile_kernels
	$(BIN)/pytest -n 2 --dist loadfile -m long

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

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

$(VENV)/.dev: $(VENV)/.demo
	@echo "Installing the development tools (once)"
	$(BIN)/python -m pip install --quiet --editable ".[dev,openspiel]"
	touch $@
