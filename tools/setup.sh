#!/usr/bin/env bash
# Installs what visviva needs and this machine lacks, by apt (Debian 12). A machine that has it all is left alone.
#   tools/setup.sh --run     what building and running the program takes
#   tools/setup.sh --test    that, and what the tests and tools/check.sh take
#   tools/setup.sh --peers [--yes]   the engines that benchmarks measure beside ours; asks first, unless told yes
set -euo pipefail

packages=(g++ cmake ninja-build git ca-certificates
  libeigen3-dev libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libqhull-dev voro++-dev libhdf5-dev libtinygltf-dev libboost-dev zlib1g-dev)
case "${1:---test}" in
  --run) ;;
  --test) packages+=(libgtest-dev librapidcheck-dev libbenchmark-dev python3
    libfcl-dev libccd-dev libbullet-dev libode-dev libmujoco-dev
    clang-14 libclang-rt-14-dev clang-tidy clang-format chromium) ;;
  --peers) packages=(libfcl-dev libccd-dev libbullet-dev libode-dev libmujoco-dev) ;;
  *) sed -n '2,5p' "$0" >&2; exit 2 ;;
esac

# The page of reports is made by node and npm, of which a machine may have others than Debian's.
if [ "${1:-}" != --peers ]; then
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
fi

say() { echo "visviva: $*" >&2; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is not Debian, so nothing is installed. Needed are the counterparts of: ${packages[*]}"
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "${1:-}" = --peers ] && [ "${2:-}" != --yes ]; then
  answer=n
  if [ -t 0 ] && [ -t 2 ]; then
    read -r -p "visviva: install ${missing[*]} by apt, to measure beside them? [y/N] " answer
  else
    say "not installed, so not measured beside: ${missing[*]} (--yes installs them)"
  fi
  case "$answer" in y | Y | yes) ;; *) exit 0 ;; esac
fi

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "these packages are missing, and installing them takes root or sudo. As root, run:"
    say "  apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 "$@" </dev/null >"$log" 2>&1 || {
    code=$?
    tail -n 30 "$log" >&2
    say "apt-get $1 failed with code $code"
    exit 1
  }
}
say "installing ${#missing[@]} packages by apt (once; some minutes): ${missing[*]}"
# sudo asks for a password on the terminal; ask before the output goes to the log.
[ ${#as_root[@]} -eq 0 ] || sudo -v || { say "sudo was refused"; exit 1; }
apt update
apt install -y --no-install-recommends "${missing[@]}"
say "installed"
