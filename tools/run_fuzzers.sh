#!/bin/sh
# run_fuzzers.sh BUILD_DIR [SECONDS]: runs each fuzzer for so long, from its corpus; finds stay in BUILD_DIR/fuzz. First the
# planted variants must fail, so that a clean run means something.
set -eu
fuzzers=$1/tests/fuzz
seconds=${2:-30}
corpus=$(dirname "$0")/../tests/fuzz/corpus
work=$1/fuzz
limits="-max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0"

for input in csv schema arrow safetensors result document estimate; do
  folder=$work/$input
  mkdir -p "$folder" "$work/planted"
  # shellcheck disable=SC2086
  if "$fuzzers/${input}_fuzz_planted" $limits -max_total_time=120 -artifact_prefix="$work/planted/" -dict="$corpus/planted.dict" \
      "$work/planted" "$corpus/$input" > "$work/planted.log" 2>&1; then
    echo "$input: the planted bug was not found, so this run proves nothing" >&2
    exit 1
  fi
  grep -q "heap-buffer-overflow" "$work/planted.log" || { cat "$work/planted.log" >&2; exit 1; }
  rm -rf "$work/planted"
  # The first folder receives what the fuzzer finds new.
  # shellcheck disable=SC2086
  "$fuzzers/${input}_fuzz" $limits -max_total_time="$seconds" -artifact_prefix="$work/$input-" "$folder" "$corpus/$input"
  echo "$input: planted bug found; nothing else in $seconds s, $(find "$folder" -type f | wc -l) new inputs kept in $folder"
done
