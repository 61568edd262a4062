#!/usr/bin/env bash
# Checks how the code is written.
#   tools/check.sh                  all of it
#   tools/check.sh format           clang-format, on every C++ file
#   tools/check.sh includes         who includes whom
#   tools/check.sh tidy [BUILD]     clang-tidy, on src/ and app/, with the compile commands of BUILD (build/dev)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cpp_files() { find . \( -name build -o -name .git \) -prune -o \( -name '*.cpp' -o -name '*.hpp' -o -name '*.inl' \) -print0 | sort -z; }

check_format() { cpp_files | xargs -0 clang-format --dry-run -Werror; }

check_includes() { python3 tools/check_includes.py; }

check_tidy() {
  local build=${1:-build/dev}
  [ -f "$build/compile_commands.json" ] || { echo "check.sh: no $build/compile_commands.json; run ./test first" >&2; exit 2; }
  # Without the precompiled headers, which are those of another compiler.
  local commands
  commands=$(mktemp -d)
  trap "rm -rf '$commands'" EXIT
  sed -E 's/ -Winvalid-pch//g; s/( -Xclang)? -include(-pch)?( -Xclang)? [^ ]*cmake_pch\.hxx(\.[a-z]+)?//g' \
    "$build/compile_commands.json" >"$commands/compile_commands.json"
  find src app -name '*.cpp' -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$commands" 2> >(grep -v 'warnings generated\|warnings treated' >&2)
}

case "${1:-all}" in
  format) check_format ;;
  includes) check_includes ;;
  tidy) check_tidy "${2:-}" ;;
  all) check_format && check_includes && check_tidy && echo "check.sh: format, includes and clang-tidy are clean" ;;
  *) sed -n '2,6p' "$0" >&2; exit 2 ;;
esac
