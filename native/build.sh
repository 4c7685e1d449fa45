#!/bin/sh
# Builds the holder: build.sh OUTPUT [--sanitize], or the attach client: build.sh OUTPUT --attach|--attach-sanitize.
# CC and CFLAGS as usual.
set -eu
mkdir -p "$(dirname "$1")"
output=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mode=${2:-}
cd "$(dirname "$0")"
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "cc is missing (apt-get install build-essential)" >&2; exit 3; }
flags="-std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror ${CFLAGS:-}"
temp="$output.$$.tmp"
trap 'rm -f "$temp"' EXIT
case "$mode" in
  --attach*) sources="attach/*.c buffer.c clock.c frame.c json.c" ;;
  *) sources="./*.c" ;;
esac
case "$mode" in
  *sanitize)
    # Linked in, because of two shared libraries only one would write to the log_path of the options.
    "$cc" $flags -g -fsanitize=address,undefined -fno-sanitize-recover=all -static-libasan -static-libubsan \
      -o "$temp" $sources
    ;;
  *)
    # A machine without a static libc gets a dynamic program.
    "$cc" $flags -s -static -o "$temp" $sources 2>/dev/null || "$cc" $flags -s -o "$temp" $sources
    ;;
esac
mv "$temp" "$output"
