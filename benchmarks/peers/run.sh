#!/bin/sh
# The published tool and jsdiv on the same data in one go. $1: the jsdiv binary, $2: the Markdown file to write; further
# arguments go to compare.py. The tool's packages go into a virtual environment beside the build.
set -eu
binary=$1
report=$2
shift 2
here=$(dirname "$0")
venv=$(dirname "$binary")/peers-venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q -r "$here/requirements.txt"
fi
"$venv/bin/python" "$here/compare.py" "$binary" "$report" "$@"
