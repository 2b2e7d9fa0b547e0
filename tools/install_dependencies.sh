#!/bin/sh
# Installs the Debian packages that building and testing need, where they are missing. With root or sudo on a Debian
# system it installs them; elsewhere it names them and stops.
set -eu

packages="g++ make cmake ninja-build pkg-config python3 python3-dev python3-venv
libtbb-dev libopenblas-dev libeigen3-dev libxgboost-dev nlohmann-json3-dev libcli11-dev libfast-float-dev zlib1g-dev
libzstd-dev libgtest-dev"
for extra in "$@"; do
  case "$extra" in
    lint) packages="$packages clang-14 clang-format-14 clang-tidy-14" ;;
    bench) packages="$packages libbenchmark-dev python3-venv" ;;
    fuzz) packages="$packages clang-14 libclang-rt-14-dev" ;;
    coverage) packages="$packages gcovr" ;;
    # The report in a browser. A node that is there already, of whatever origin, is taken.
    test)
      packages="$packages chromium fonts-dejavu-core"
      command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"
      ;;
    *) echo "install_dependencies.sh: unknown group '$extra'" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not Debian. Please install what corresponds to these Debian packages, then run cmake yourself:" $packages >&2
  exit 2
fi
missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "Please install these packages as root:$missing" >&2
  exit 2
fi
echo "Installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
