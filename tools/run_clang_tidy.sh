#!/bin/sh
# clang-tidy over our own sources, as many at a time as there are cores.
# usage: run_clang_tidy.sh BUILD [changed]     BUILD: a configured build directory; changed: only what the last commits touched
set -eu
commits=5
most_files=20
own() { grep -E '^(src|cli)/.*\.cpp$' | grep -v -E 'arrow_module.cpp|/simd' || true; }
if [ "${2:-}" = changed ]; then
  # A shallow clone may hold fewer commits: then those that it holds.
  while [ "$commits" -gt 0 ] && ! git rev-parse -q --verify "HEAD~$commits" > /dev/null; do commits=$((commits - 1)); done
  [ "$commits" -gt 0 ] || { echo "clang-tidy: one commit only, nothing to compare with"; exit 0; }
  files=$(git diff --name-only --diff-filter=AMR "HEAD~$commits" | own | head -n "$most_files")
else
  files=$(git ls-files | own)
fi
[ -n "$files" ] || exit 0
echo "$files" | xargs -P "$(nproc)" -n 1 clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p "$1"
