#!/bin/sh
# clang-tidy over our own sources, as many at a time as there are cores. $1: a configured build directory.
set -eu
git ls-files 'src/*.cpp' 'cli/*.cpp' | grep -v -E 'parquet.cpp|/simd' | xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$1"
