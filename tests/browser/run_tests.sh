#!/bin/sh
# Opens reports of the built command in Chromium, driven by playwright-core, which is kept in the build folder.
# Exit 77: skipped, since something is not there.
# usage: run_tests.sh COMMAND WORK
set -eu
command=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "SKIPPED: $1" >&2
  exit 77
}
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$chromium" ] || skip "no Chromium; tools/install_dependencies.sh test installs it"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm; tools/install_dependencies.sh test installs them"
mkdir -p "$work"
if [ ! -d "$work/node_modules/playwright-core" ]; then
  (cd "$work" && npm install --silent --no-audit --no-fund --no-save playwright-core@1) || skip "npm cannot get playwright-core"
fi
exec env JSDIV="$command" CHROMIUM="$chromium" PLAYWRIGHT="$work/node_modules/playwright-core" SCREENSHOTS="$work/screenshots" \
  node --test "$here/report.test.cjs"
