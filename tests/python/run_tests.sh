#!/bin/sh
# Builds the wheel by pyproject.toml, around the library that is built already, and tests it in two environments of its
# own: one with numpy alone, one with everything that is optional.
# usage: run_tests.sh PYTHON SOURCE LIBRARY COMMANDS_LIBRARY COMMAND WORK
set -eu
python=$1 source=$2 library=$3 commands=$4 command=$5 work=$6
mkdir -p "$work"

# Installs packages into an environment, once for each list of them.
environment() {
  name=$1; shift
  if [ "$(cat "$work/$name/packages" 2>/dev/null)" != "$*" ]; then
    rm -rf "${work:?}/$name"
    "$python" -m venv "$work/$name"
    "$work/$name/bin/pip" install -q --disable-pip-version-check "$@"
    echo "$*" > "$work/$name/packages"
  fi
}

environment build scikit-build-core nanobind
environment bare numpy pytest
environment full numpy pytest mypy ruff pandas polars pyarrow scikit-learn matplotlib tqdm "dask[dataframe,distributed]" \
  xgboost-cpu

rm -rf "$work/wheel"
"$work/build/bin/pip" wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$work/wheel" \
  --config-settings=build-dir="$work/module" --config-settings=cmake.define.JSDIV_LIBRARY="$library" \
  --config-settings=cmake.define.JSDIV_COMMANDS="$commands" "$source"
cd "$source/tests/python"
for name in bare full; do
  echo "== $name"
  "$work/$name/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$work"/wheel/*.whl
  JSDIV=$command JSDIV_WHEEL=$(echo "$work"/wheel/*.whl) "$work/$name/bin/python" -B -m pytest -q -p no:cacheprovider --durations=5 .
done
