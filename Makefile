# Two commands matter: `make demo` and `make test`. Both set everything up first.

VENV := .venv
BIN := $(VENV)/bin
# ROS tools find this package in the virtual environment, as if colcon had installed it there.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export AMENT_PREFIX_PATH := $(CURDIR)/$(VENV)$(if $(AMENT_PREFIX_PATH),:$(AMENT_PREFIX_PATH))
export PYTHONPATH := $(CURDIR)$(if $(PYTHONPATH),:$(PYTHONPATH))

TASK ?= find_object
SEED ?= 0
POLICIES ?= learned
VARIANT ?= scratch
PYTEST := python -m pytest
# Memory of one training step is kept for the next: some per cent faster than to ask for it again.
KEEP_MEMORY := glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=100000000000:glibc.malloc.top_pad=268435456

.PHONY: help
help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-22s %s\n", $$1, $$2}'

.PHONY: setup
setup:  ## Make .venv ready (every target below does this first)
	@scripts/setup.sh

.PHONY: demo
demo: setup  ## Run the whole stack in simulation until the task ends (TASK=, SEED=, POLICIES=scripted)
	@memvla demo --task $(TASK) --seed $(SEED) --policies $(POLICIES)

.PHONY: browser
browser:
	@scripts/setup_browser.sh

.PHONY: test
test: setup browser  ## Run the tests
	$(PYTEST) -n 2 --dist loadfile -m 'not system and not slow and not weights and not manual'
	$(PYTEST) -m 'system and not slow and not weights and not manual'

.PHONY: test-slow
test-slow: setup  ## Run the tests that take long
	$(PYTEST) -m slow --timeout 1800

.PHONY: replay-demo
replay-demo: setup  ## Record a simulated episode, replay it both ways, and open the report
	memvla replay-demo --task $(TASK) --seed $(SEED)

.PHONY: train
train: setup  ## Collect demonstrations and train one variant of docs/results.md (VARIANT=, SHIPPED=1), resumable
	GLIBC_TUNABLES=$(KEEP_MEMORY) memvla train-variant $(VARIANT) $(if $(SHIPPED),--shipped)

.PHONY: evaluate-quick
evaluate-quick: setup  ## Measure a part of docs/results.md anew with the shipped weights
	memvla evaluate --task find_object --high mem_vla_ros/weights/high_level --rollouts 20 --workers 2 --compare results/scratch

.PHONY: results
results: setup  ## Write docs/results.md, its figures and a report from results/
	memvla results

.PHONY: screenshots
screenshots: setup browser  ## Take the pictures of the inspector's page anew
	rm -rf build/screenshots && memvla demo record_to:=$(CURDIR)/build/screenshots
	python scripts/inspector_screenshots.py build/screenshots/*

.PHONY: lint
lint: setup  ## Check style and types
	ruff check .
	mypy

.PHONY: docs
docs: setup  ## Write the generated parts of docs/
	memvla docs

.PHONY: clean
clean:  ## Remove the virtual environment and build products
	rm -rf $(VENV) build install log *.egg-info ros2_lite/*.egg-info

.PHONY: bench-camera-delivery
bench-camera-delivery: setup  ## Benchmark, see benchmarks/camera_delivery.py
	python benchmarks/camera_delivery.py

.PHONY: bench-encoder
bench-encoder: setup  ## Benchmark, see benchmarks/encoder.py
	python benchmarks/encoder.py

.PHONY: bench-training
bench-training: setup  ## Benchmark, see benchmarks/training.py
	python benchmarks/training.py

.PHONY: bench-seams
bench-seams: setup  ## Benchmark, see benchmarks/seams.py
	python benchmarks/seams.py

.PHONY: bench-overhead
bench-overhead: setup  ## Benchmark, see benchmarks/overhead.py
	python benchmarks/overhead.py

.PHONY: bench-high-level
bench-high-level: setup  ## Benchmark, see benchmarks/high_level.py
	python benchmarks/high_level.py

.PHONY: bench-loop-rate
bench-loop-rate: setup  ## Benchmark, see benchmarks/loop_rate.py
	python benchmarks/loop_rate.py
