#!/bin/sh
# Builds the programs that the holder's tests run as agents: build.sh FOLDER.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
for source in *.c; do
  "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$folder/${source%.c}" "$source" &
done
wait
for source in *.c; do test -x "$folder/${source%.c}"; done
