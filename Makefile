# The commands of this project. `make demo` and `make test` are all that a newcomer needs.
BUILD := build
JOBS := $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

.PHONY: demo build test lint tidy format bench accuracy accuracy-full paper install sanitize fuzz coverage clean

demo: build
	@$(BUILD)/jsdiv simulate demo --seed 1 --out $(BUILD)/demo --force
	@echo
	$(BUILD)/jsdiv estimate $(BUILD)/demo/p.csv $(BUILD)/demo/q.csv

build:
	@tools/install_dependencies.sh
	@cmake --preset release > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }; rm -f $(BUILD).log
	@cmake --build $(BUILD) --target jsdiv_cli -j $(JOBS)

test: build
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

lint:
	@tools/install_dependencies.sh lint
	@clang-format-14 --dry-run --Werror $(SOURCES)

# Takes about as long as a build.
tidy:
	@tools/install_dependencies.sh lint
	@cmake --preset release > /dev/null
	tools/run_clang_tidy.sh $(BUILD)

format:
	@tools/install_dependencies.sh lint
	@clang-format-14 -i $(SOURCES)

bench: build
	@tools/install_dependencies.sh bench
	benchmarks/peers/run.sh $(BUILD)/jsdiv docs/performance.md

# 40 draws a setting, within an hour on two cores. Interrupted, it goes on where it stopped.
accuracy: build
	python3 benchmarks/accuracy/run.py $(BUILD)/jsdiv $(BUILD)/accuracy --draws 40
	python3 benchmarks/accuracy/report.py $(BUILD)/jsdiv $(BUILD)/accuracy docs/accuracy.md

accuracy-full: build
	python3 benchmarks/accuracy/run.py $(BUILD)/jsdiv $(BUILD)/accuracy --draws 400 --everyday-draws 300
	python3 benchmarks/accuracy/report.py $(BUILD)/jsdiv $(BUILD)/accuracy docs/accuracy.md

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

# Longer: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS := 30
fuzz:
	@tools/install_dependencies.sh fuzz
	cmake --preset fuzz > /dev/null && cmake --build --preset fuzz -j $(JOBS)
	tools/run_fuzzers.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

# Lines of our own code that the tests run; the report for each file is left in build/coverage.
coverage:
	@tools/install_dependencies.sh coverage
	cmake --preset coverage > /dev/null && cmake --build --preset coverage -j $(JOBS)
	ctest --test-dir $(BUILD)/coverage --output-on-failure
	gcovr --root . --filter src/ --filter include/ --filter cli/ --exclude-throw-branches --print-summary \
	  --html-details $(BUILD)/coverage/report.html $(BUILD)/coverage

install: build
	cmake --build $(BUILD) -j $(JOBS) --target jsdiv
	cmake --install $(BUILD)

clean:
	rm -rf $(BUILD)
