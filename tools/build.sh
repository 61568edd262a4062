#!/usr/bin/env bash
# Brings build/PRESET up to date, and says nothing if it is.
#   tools/build.sh PRESET [ninja arguments]
set -euo pipefail
preset=$1
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/$preset

# One build at a time in a directory: a second call waits for the first.
mkdir -p "$build"
exec 9>"$build/.lock"
flock 9

# All cores, as far as memory goes: a compiler takes up to 2 GB, with Eigen and optimisation.
kilobytes=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
if read -r limit 2>/dev/null </sys/fs/cgroup/memory.max && [ "$limit" != max ] && [ $((limit / 1024)) -lt "$kilobytes" ]; then
  kilobytes=$((limit / 1024))
fi
jobs=$((kilobytes / 2000000))
cores=$(nproc)
jobs=$((jobs < 1 ? 1 : jobs > cores ? cores : jobs))

# Configure once, and again if the presets change, the sources have moved, or an engine to measure beside came or went;
# other changes Ninja sees by itself.
stamp=$build/.configured
peers=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' libfcl-dev libccd-dev libbullet-dev libode-dev libmujoco-dev 2>/dev/null |
  sed -n 's/^installed //p' | sort | tr '\n' ' ' || true)
state="$PWD with $peers"
if [ ! -f "$build/build.ninja" ] || [ ! -f "$stamp" ] || [ CMakePresets.json -nt "$stamp" ] || [ "$(<"$stamp")" != "$state" ]; then
  fresh=()
  if [ -f "$stamp" ] && [ "$(<"$stamp")" != "$state" ]; then fresh=(--fresh); fi
  echo "visviva: configuring $build" >&2
  cmake --preset "$preset" "${fresh[@]}" >"$build/configure.log" 2>&1 || {
    code=$?
    cat "$build/configure.log" >&2
    echo "visviva: configuring $build failed" >&2
    exit "$code"
  }
  echo "$state" >"$stamp"
fi

[[ $(ninja -C "$build" -n "$@" 2>&1) == *"no work to do"* ]] && exit 0
echo "visviva: building $build with $jobs jobs" >&2
ninja -C "$build" -j "$jobs" "$@" >&2 || {
  code=$?
  echo "visviva: building $build failed; the errors are above" >&2
  exit "$code"
}
