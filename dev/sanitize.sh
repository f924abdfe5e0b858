#!/bin/sh
# Memory and undefined behaviour: the C tests under gcc's sanitizers and under valgrind, then the
# testthat suite on a package compiled with both sanitizers. All builds have blocks of the exact size
# (MK_EXACT_BLOCKS, src/base/memory.c); the package's ends where it calls R on another thread than
# R's (MK_WATCH_R, src/rglue/call.c). Last, a sample of dev/mutate.sh: tests that notice nothing prove
# nothing here either. All parts run, whatever fails.
set -eu

failed=0
ASAN_OPTIONS=detect_leaks=1
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS
echo "== C tests, address and undefined-behaviour sanitizers"
dev/c-tests.sh sanitize || failed=1
echo "== C tests, valgrind"
dev/c-tests.sh valgrind || failed=1

echo "== testthat, address and undefined-behaviour sanitizers"
library=.build/lib-sanitize
mkdir -p .build
cat >.build/Makevars.sanitize <<'EOF'
CFLAGS = -O1 -g -fno-omit-frame-pointer -Wall -fsanitize=address,undefined -fno-sanitize-recover=all -DMK_EXACT_BLOCKS -DMK_WATCH_R
LDFLAGS = -fsanitize=address,undefined
EOF
R_MAKEVARS_USER=$(pwd)/.build/Makevars.sanitize
export R_MAKEVARS_USER
# R itself is not instrumented: it keeps its memory to the end, and loads the runtime late.
ASAN_OPTIONS=detect_leaks=0
preload=$(${CC:-cc} -print-file-name=libasan.so)
rm -rf $library
mkdir -p $library
tarball=$(dev/tarball.sh --no-build-vignettes --no-manual)
# Loading it needs the runtime first, so it is loaded below, not here.
# It is byte-compiled as users have it: R's own compiler, at work during a fit, would swallow its time limit.
MAKEFLAGS=-j2 R CMD INSTALL --no-docs --no-test-load \
  --library=$library "$tarball" \
  >.build/install-sanitize.log 2>&1 || { cat .build/install-sanitize.log >&2; exit 1; }
MK_RESULT=$(pwd)/.build/sanitize-count
rm -f "$MK_RESULT"
export MK_RESULT
NOT_CRAN=true MANYKERNELS_SLOW=true SECONDS_PER_FILE=7200 LD_PRELOAD=$preload Rscript dev/testthat.R $library || failed=1
[ -s "$MK_RESULT" ] || failed=1

echo "== a sample of mutants"
env -u R_MAKEVARS_USER -u ASAN_OPTIONS dev/mutate.sh 300 1 sample || failed=1
if [ $failed -ne 0 ]; then echo "sanitize: NOT clean"; exit 1; fi
echo "sanitize: clean"
