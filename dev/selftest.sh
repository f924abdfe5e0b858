#!/bin/sh
# Proves that a test run can't lose a test: runs dev/test.sh on a copy of the tree that has one sound
# test, then with tests in it that go wrong in every way that once went unseen. Each must count as one
# failure and be named. A circle of R files must break a rule of the rooms. Needs the package in
# .build/manykernels.Rcheck and the objects of the C tests.
# Writes "passed failed skipped" to $MK_RESULT.
set -eu

copy=.build/selftest
here=$(pwd)
result=${MK_RESULT:-/dev/null}
passed=0
failed=0
rm -rf $copy
mkdir -p $copy/.build/c-plain $copy/tests/testthat $copy/tests/c
cp -pR dev src R inst DESCRIPTION $copy
cp -p tests/c/Makefile tests/c/check.h $copy/tests/c
cp -pR .build/c-plain/src .build/c-plain/flags $copy/.build/c-plain
ln -s "$here/.build/manykernels.Rcheck" $copy/.build

# ---- what is injected ----------------------------------------------------------------------------

r_test() { printf 'test_that("%s", {\n  %s\n})\n' "$1" "$2" >"$copy/tests/testthat/test-$1.R"; }
c_test() {
  printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  %s\n  return 0;\n}\n' "$2" >"$copy/tests/c/test-$1.c"
}

sound_tests() {
  rm -rf $copy/tests/testthat/* $copy/tests/c/test-*.c
  r_test sound 'expect_true(TRUE)'
  c_test sound 'printf("1 passed, 0 failed\n");'
  printf 'c-tests 1 1\ntestthat 1 1\n' >$copy/tests/counts
}

broken_tests() {
  r_test r-interrupts 'stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))'
  r_test r-quits 'quit(status = 0)'
  r_test r-kills-its-process 'tools::pskill(Sys.getpid(), tools::SIGKILL)'
  r_test r-hangs 'repeat NULL'
  r_test r-expects-nothing 'TRUE'
  r_test r-fails 'expect_true(FALSE)'
  c_test c-aborts 'abort();'
  c_test c-hangs 'for (;;) ;'
  c_test c-prints-no-count 'printf("all passed\n");'
  c_test c-fails 'printf("1 passed, 1 failed\n"); return 1;'
  # Waiting is found out after ten times as long, which a short run has no time for.
  [ -z "${CI:-}" ] || r_test r-waits 'Sys.sleep(600)'
}
broken="r-interrupts r-quits r-kills-its-process r-hangs r-expects-nothing r-fails c-aborts c-hangs c-prints-no-count c-fails"
[ -z "${CI:-}" ] || broken="$broken r-waits"

# ---- runs ----------------------------------------------------------------------------------------

# run STAGE...: its output in $log, its exit status in $status.
run() {
  log=$here/.build/selftest.log
  status=0
  (cd $copy && env -u MK_RESULT SECONDS_PER_PROGRAM=2 SECONDS_PER_FILE=8 MANYKERNELS_SHARED=/nowhere dev/test.sh "$@") \
    >"$log" 2>&1 </dev/null || status=$?
}

# expect NAME CONDITION...
expect() {
  name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED selftest: $name"
    tail -n 25 "$log"
  fi
}
is_red() { [ $status -ne 0 ] && tail -n 1 "$log" | grep -qE ", $1 failed, "; }
names() { grep -qE "^FAILED .*$1" "$log"; }

sound_tests
run c-tests testthat
expect "sound tests pass" tail -n 1 "$log"
expect "sound tests are green" [ $status -eq 0 ]

broken_tests
run c-tests testthat
# shellcheck disable=SC2086 # a list
set -- $broken
expect "each broken test is a failure of its own" is_red $#
for test in $broken; do expect "$test is named" names "$test"; done

# Tests that are gone: a file fewer than the last landed run had, a stage without a count, no stage.
sound_tests
printf 'c-tests 1 1\ntestthat 2 2\n' >$copy/tests/counts
run c-tests testthat
expect "a vanished file makes the run red" is_red 2
expect "a vanished file's stage is named" names "testthat: 1 files, tests/counts has 2"
printf '#!/bin/sh\nexit 0\n' >$copy/dev/rooms.sh
printf 'rooms - -\n' >$copy/tests/counts
run rooms
expect "a stage without a count makes the run red" is_red 1
expect "a stage without a count is named" names "rooms: gave no count"

# A circle of R files, one of which passes the other's function on.
mkdir -p $copy/circle/src/base $copy/circle/R
: >$copy/circle/src/base/status.c
printf 'first <- function(x) lapply(x, last)\n' >$copy/circle/R/first.R
printf 'last <- function(x = first()) x\n' >$copy/circle/R/last.R
status=0
dev/rooms.sh $copy/circle >"$log" 2>&1 || status=$?
expect "a circle of R files breaks a rule" [ $status -ne 0 ]
expect "a circle of R files is told" grep -q "^R/first.R -> R/last.R -> R/first.R " "$log"

rm -rf $copy
echo "selftest: $passed passed, $failed failed"
echo "$passed $failed 0" >"$result"
[ $failed -eq 0 ]
