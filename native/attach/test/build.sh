#!/bin/sh
# Builds `split`, which the tests of the attach client run: build.sh FOLDER.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
sources="split.c ../csi.c ../filter.c ../key_code.c ../keys.c ../modes.c ../queries.c ../../buffer.c"
flags="-std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -o $folder/split"
watched="-fsanitize=address,undefined -fno-sanitize-recover=all"
# Watched where the compiler can.
"${CC:-cc}" $flags $watched $sources 2>/dev/null || "${CC:-cc}" $flags $sources
