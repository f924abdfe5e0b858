#!/bin/sh
# Builds and runs the C tests, JOBS (2) programs at a time, and writes "passed failed skipped programs checks" to $MK_RESULT.
# A program that takes more processor time than SECONDS_PER_PROGRAM (half an hour), or ten times as long
# by the clock, is a failure. For MANYKERNELS_FAULTS (all, few) see tests/c/faults.h.
# usage: dev/c-tests.sh [plain|sanitize|valgrind|threads|baseline|serial|short|narrow|swapped|coverage] [programs' names]
#   sanitize, valgrind: with blocks of the exact size, so that a byte too far is seen
#   threads: races, by clang and its OpenMP library, which tells the sanitizer who waits for whom
#   baseline: without vector code for the processor at hand; serial: without OpenMP
#   short: where a long double is a double, as on ARM; narrow: for 32 bits, by gcc-12-multilib, and by qemu-user
#   where the system runs no 32-bit programs
#   swapped: for s390x, whose numbers begin with their highest byte, by gcc-s390x-linux-gnu and qemu-user
#   coverage: leaves line counts, for dev/coverage.sh
set -eu

mode=${1:-plain}
only=${2:-}
openmp=-fopenmp
build=.build/c-plain
flags="-O2 -g"
runner=""
case $mode in
  plain) ;;
  sanitize)
    build=.build/c-sanitize
    flags="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
    flags="$flags -DMK_EXACT_BLOCKS" ;;
  valgrind)
    build=.build/c-valgrind
    flags="-O1 -g -DMK_EXACT_BLOCKS"
    # "Possibly lost" is what the threads of libgomp's pool hold until the program ends.
    runner="valgrind --quiet --error-exitcode=1 --leak-check=full"
    runner="$runner --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect" ;;
  threads)
    build=.build/c-threads
    flags="-O1 -g -fsanitize=thread"
    CC=$(command -v clang || find /usr/bin -name 'clang-[0-9]*' | sort | tail -n 1)
    [ -n "$CC" ] || { echo "c-tests: there is no clang" >&2; exit 1; }
    LD_LIBRARY_PATH=$(dirname "$(find /usr/lib/llvm* -name libarcher.so | tail -n 1)")
    LDFLAGS="-L$LD_LIBRARY_PATH"
    TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66"
    export CC LDFLAGS LD_LIBRARY_PATH TSAN_OPTIONS ;;
  baseline)
    build=.build/c-baseline
    flags="-O2 -g -DMK_BASELINE_ONLY" ;;
  serial)
    build=.build/c-serial
    openmp="-Wno-unknown-pragmas" ;;
  short)
    build=.build/c-short
    flags="-O2 -g -mlong-double-64" ;;
  narrow)
    build=.build/c-narrow
    # Registers of the 387 hold more digits than a double, which tests of exact values don't expect.
    flags="-O2 -g -m32 -msse2 -mfpmath=sse -Wno-psabi"
    LIBS="tests/c/plain/blas.c -lm"
    export LIBS
    program=$(mktemp)
    echo 'int main(void) { return 0; }' | ${CC:-gcc} -m32 -x c -o "$program" -
    if ! "$program" 2>/dev/null; then
      runner=qemu-i386
      openmp="-Wno-unknown-pragmas" # as below
    fi
    rm "$program" ;;
  swapped)
    build=.build/c-swapped
    flags="-O2 -g"
    openmp="-Wno-unknown-pragmas" # threads that wait for each other take all of an emulator's time
    # Not static: faults-*.c refuse memory to the package, not to the C library.
    runner="qemu-s390x -L /usr/s390x-linux-gnu"
    CC=s390x-linux-gnu-gcc
    LIBS="tests/c/plain/blas.c -lm"
    export CC LIBS ;;
  coverage)
    build=.build/c-coverage
    flags="-O0 -g --coverage" ;;
  *) echo "c-tests: no such mode: $mode" >&2; exit 2 ;;
esac

seconds_per_program=${SECONDS_PER_PROGRAM:-1800}
result=${MK_RESULT:-/dev/null}
mkdir -p .build
programs=$(make -s -f tests/c/Makefile BUILD=$build list | tr ' ' '\n' | grep "/test-[^/]*$only[^/]*$")
[ -n "$programs" ] || { echo "c-tests: there is no tests/c/test*.c" >&2; exit 1; }
[ -n "$only" ] && targets=$programs || targets=programs
# shellcheck disable=SC2086 # a list
make -s -j"${JOBS:-2}" -f tests/c/Makefile BUILD=$build CFLAGS="$flags" OPENMP="$openmp" $targets
# What a program prints goes to program.log, its exit status to program.status.
# shellcheck disable=SC2016 # the inner shell's
echo "$programs" | xargs -P "${JOBS:-2}" -I program sh -c '
  status=0
  ulimit -t "$1"
  timeout $((10 * $1)) $2 "$0" >"$0.log" 2>&1 </dev/null || status=$?
  echo $status >"$0.status"' program "$seconds_per_program" "$runner"

# failure PROGRAM WHAT
failure() {
  echo "FAILED $1: $2"
  [ "$result" = /dev/null ] || echo "$1: $2" >>"$result.failures"
}

passed=0
failed=0
count=0
for program in $programs; do
  count=$((count + 1))
  log=$program.log
  status=$(cat "$program.status")
  counts=$(sed -n 's/^\([0-9]\{1,\}\) passed, \([0-9]\{1,\}\) failed$/\1 \2/p' "$log" | tail -n 1)
  p=${counts%% *}
  f=${counts##* }
  # A crash, a sanitizer's report, no count or a count of nothing is a failure of its own.
  if [ -z "$counts" ] || [ "$((p + f))" -eq 0 ]; then
    p=0
    f=1
    how="gave no count (exit status $status)"
    case $status in 124 | 137 | 152) how="took more than $seconds_per_program s" ;; esac
    failure "$(basename "$program")" "$how"
  elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
    f=1
    failure "$(basename "$program")" "ended with exit status $status"
  elif [ "$f" -gt 0 ]; then
    failure "$(basename "$program")" "$f of $((p + f)) checks"
  fi
  if [ "$f" -gt 0 ]; then cat "$log"; fi
  echo "$(basename "$program"): $p of $((p + f)) checks passed"
  grep '^| ' "$log" || true # for bench/reliability.md
  passed=$((passed + p))
  failed=$((failed + f))
done
echo "| checks of the C tests${only:+ ($only)}, $mode | $((passed + failed)) | $failed |"
echo "$passed $failed 0 $count $((passed + failed))" >"$result"
[ "$failed" -eq 0 ]
