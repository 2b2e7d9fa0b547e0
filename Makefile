# The commands of this project. `make demo` and `make test` are all that a newcomer needs.
BUILD := build
JOBS := $(shell nproc)
CMAKE_FLAGS :=
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

.PHONY: demo build test dask-campaign lint tidy tidy-changed format docs bench accuracy accuracy-full population paper install sanitize sanitize-fast fuzz faults mutants sbom coverage clean

demo: build
	@$(BUILD)/jsdiv simulate demo --seed 1 --out $(BUILD)/demo --force
	@echo
	$(BUILD)/jsdiv estimate $(BUILD)/demo/p.csv $(BUILD)/demo/q.csv --html $(BUILD)/demo/report.html --force
	@echo
	@echo "The report, for any browser: $(BUILD)/demo/report.html"

build:
	@tools/install_dependencies.sh
	@cmake --preset release $(CMAKE_FLAGS) > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }; rm -f $(BUILD).log
	@cmake --build $(BUILD) --target jsdiv_cli -j $(JOBS)

test: build
	@tools/install_dependencies.sh test
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

lint:
	@tools/install_dependencies.sh lint
	@clang-format-14 --dry-run --Werror $(SOURCES)

# All of our own sources; takes about as long as a build.
tidy:
	@tools/install_dependencies.sh lint
	@cmake --preset release > /dev/null
	tools/run_clang_tidy.sh $(BUILD)

# The files of the last five commits, at most 20 of them.
tidy-changed:
	@tools/install_dependencies.sh lint
	@cmake --preset release > /dev/null
	tools/run_clang_tidy.sh $(BUILD) changed

format:
	@tools/install_dependencies.sh lint
	@clang-format-14 -i $(SOURCES)

# The tables of options in docs/cli.md.
docs: build
	@cmake --build $(BUILD) -j $(JOBS) --target documents
	@python3 tools/option_docs.py $(BUILD)/documents/options.md docs/cli.md

bench: build
	@tools/install_dependencies.sh bench
	benchmarks/peers/run.sh $(BUILD)/jsdiv docs/performance.md

# 40 draws a setting, some hours on two cores; interrupted, it goes on where it stopped. Shorter:
# make accuracy ACCURACY="--draws 5 --cpu-minutes 30 --groups paper split". Real tables are read from ../shared/data.
# POPULATION_VERSION names new draws among the kept runs of the population.
ACCURACY := --draws 40
POPULATION_VERSION :=
accuracy: build
	python3 benchmarks/accuracy/run.py $(BUILD)/jsdiv $(BUILD)/accuracy $(ACCURACY)
	python3 benchmarks/accuracy/report.py $(BUILD)/jsdiv $(BUILD)/accuracy docs/accuracy.md $(POPULATION_VERSION)

accuracy-full: build
	python3 benchmarks/accuracy/run.py $(BUILD)/jsdiv $(BUILD)/accuracy --draws 400 --null-draws 300 --everyday-draws 300 --pair-draws 40
	python3 benchmarks/accuracy/report.py $(BUILD)/jsdiv $(BUILD)/accuracy docs/accuracy.md $(POPULATION_VERSION)

# The interval's model, and docs/coverage.md, from the kept runs of the population; needs numpy. Runs are added by
# benchmarks/population/run.py and compact.py.
population:
	python3 benchmarks/population/fit.py
	clang-format-14 -i src/uncertainty/population_model.cpp
	python3 benchmarks/population/report.py docs/coverage.md

# The paper's experiments, all families and seeds (PAPER_DATA: its real tables). Goes on where it was cut short. Then the
# tables of docs/paper.md and docs/guide.md.
PAPER_RUNS := $(BUILD)/paper
PAPER_DATA := ../shared/data
paper: build
	@for name in dependence imbalance dimension finite sample-size; do \
	  $(BUILD)/jsdiv bench $$name --out $(PAPER_RUNS)/$$name > /dev/null || exit $$?; done
	@if test -d $(PAPER_DATA); then for name in real-high real-low; do \
	  $(BUILD)/jsdiv bench $$name --data $(PAPER_DATA) --out $(PAPER_RUNS)/$$name > /dev/null || exit $$?; done; \
	  else echo "no $(PAPER_DATA): the experiments on real tables are left out"; fi
	@python3 tools/paper_docs.py guide $(PAPER_RUNS)
	@cmake --build $(BUILD) --target jsdiv_cli -j $(JOBS)
	@python3 tools/paper_docs.py docs $(PAPER_RUNS) $(BUILD)/jsdiv

sanitize:
	@tools/install_dependencies.sh
	cmake --preset asan-ubsan && cmake --build --preset asan-ubsan -j $(JOBS)
	ctest --test-dir $(BUILD)/asan-ubsan --output-on-failure
	cmake --preset tsan && cmake --build --preset tsan -j $(JOBS)
	ctest --test-dir $(BUILD)/tsan --output-on-failure

# Tests of seven stages under AddressSanitizer and UBSan, the corpus of CSV files among them; part of CI. Nothing else is
# compiled, and nothing optimised: compiling is most of the time, and takes 1.6 times as long with -O1.
sanitize-fast:
	@tools/install_dependencies.sh
	@cmake --preset sanitize-fast > /dev/null
	cmake --build $(BUILD)/sanitize-fast -j $(JOBS)
	ctest --test-dir $(BUILD)/sanitize-fast --output-on-failure -j $(JOBS)

# Longer: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS := 30
fuzz:
	@tools/install_dependencies.sh fuzz
	cmake --preset fuzz > /dev/null && cmake --build --preset fuzz -j $(JOBS)
	tools/run_fuzzers.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

# Lines and branches of core, encode, measure, uncertainty and protocol that the tests of C++ and of the command line run.
coverage:
	@tools/install_dependencies.sh coverage
	cmake --preset coverage > /dev/null && cmake --build --preset coverage -j $(JOBS)
	ctest --test-dir $(BUILD)/coverage --output-on-failure -E "^(install|python|browser|faults)$$"
	python3 tools/coverage.py $(BUILD)/coverage

# Kills, signals, limits, full disks, changing files; about an hour. A short form is part of `make test`.
faults: build
	python3 tools/faults.py $(BUILD)/jsdiv

# Changes one operator or constant at a time and looks whether a test notices; some minutes for 50 of them.
MUTANTS := --sample 200
mutants:
	@tools/install_dependencies.sh
	python3 tools/mutants.py $(MUTANTS)

# jsdiv.dask beside one machine: values, CPU time, a killed worker; for sizes DASK_ROWS. In the environment that `make test`
# has made.
DASK_ROWS := 20000 200000
dask-campaign: build
	$(BUILD)/python/full/bin/python benchmarks/dask/campaign.py --rows $(DASK_ROWS)

# The parts of the built program with versions and licences, as CycloneDX JSON.
sbom: build
	python3 tools/sbom.py $(BUILD)/jsdiv $(BUILD)/sbom.json

install: build
	cmake --build $(BUILD) -j $(JOBS) --target jsdiv documents
	cmake --install $(BUILD)

clean:
	rm -rf $(BUILD)
