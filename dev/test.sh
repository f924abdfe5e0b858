#!/bin/sh
# The whole test: include rule, texts against results, C tests, R CMD check with examples and testthat
# inside it, the site, and a test of this test. Ends with "N passed, N failed, N skipped", the sum of what the
# stages counted: rules, C checks, R's checks, expectations, pages. A stage that fails, crashes, hangs
# or gives no count adds a failure, and so does one that runs fewer files or tests than tests/counts
# says. Continuous integration (CI set) takes the slow tests, vignettes, the site and a cluster, too, and
# checks a second time as CRAN does.
# usage: dev/test.sh [STAGE ...]    without names the set-up and all stages
set -eu

# Without tools there is nothing to begin with; the set-up installs them or says how.
tools=no
if [ $# -eq 0 ]; then
  if dev/setup.sh tools 2>/dev/null; then tools=yes; else dev/setup.sh test; fi
fi

NOT_CRAN=true
SECONDS_PER_PROGRAM=${SECONDS_PER_PROGRAM:-300}
export NOT_CRAN SECONDS_PER_PROGRAM
vignettes=--no-vignettes # the build has run them
if [ -n "${CI:-}" ]; then
  MANYKERNELS_SLOW=${MANYKERNELS_SLOW:-true}
  export MANYKERNELS_SLOW
else
  MANYKERNELS_FAULTS=${MANYKERNELS_FAULTS:-few}
  BUILD_OPTIONS=--no-build-vignettes
  vignettes=--ignore-vignettes
  export MANYKERNELS_FAULTS BUILD_OPTIONS
fi

passed=0
failed=0
skipped=0
results=$(pwd)/.build/results
check=.build/manykernels.Rcheck
rm -rf "$results"
mkdir -p "$results"
began=$(date +%s)

chosen=${*:-rooms texts c-tests reliability check vignettes testthat testthat-openblas site cluster check-cran selftest}
is_chosen() { case " $chosen " in *" $1 "*) ;; *) return 1 ;; esac; }

fail() {
  echo "$1" | tee -a "$results/failures"
  failed=$((failed + 1))
}

# tally NAME STATUS TIME: adds what a stage left in its file of results
# ("passed failed skipped [files tests]").
tally() {
  name=$1
  status=$2
  taken=$3
  line=$(cat "$results/$name" 2>/dev/null || true)
  if ! echo "$line" | grep -qxE '[0-9]+ [0-9]+ [0-9]+( [0-9]+ [0-9]+)?'; then
    echo "FAILED $name: gave no count (exit status $status)" >>"$results/failures"
    line="0 1 0"
  fi
  # shellcheck disable=SC2086 # numbers
  set -- $line
  if [ "$2" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$1" -eq 0 ]; }; then
    echo "FAILED $name: passed $1 and ended with exit status $status" >>"$results/failures"
    set -- "$1" 1 "$3" "${4:--}" "${5:--}"
  fi
  echo "-- $name: $1 passed, $2 failed, $3 skipped, $taken" | tee -a "$results/stages"
  echo "$name ${4:--} ${5:--}" >>"$results/counts"
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# run_stage NAME MINUTES COMMAND...: leaves its exit status and seconds in NAME.end, and its process in NAME.pid
# if it runs beside others.
run_stage() {
  end=$results/$1.end
  limit=""
  if command -v timeout >/dev/null 2>&1; then limit="timeout --kill-after=10 ${2}m"; fi
  MK_RESULT=$results/$1
  export MK_RESULT
  shift 2
  start=$(date +%s)
  status=0
  if [ -z "${beside:-}" ]; then
    $limit "$@" </dev/null || status=$?
  else
    $limit "$@" </dev/null &
    echo $! >"${end%.end}.pid"
    wait $! || status=$?
  fi
  echo "$status $(($(date +%s) - start))" >"$end"
}

# add_stage NAME
add_stage() {
  status=1
  seconds=0
  [ ! -f "$results/$1.end" ] || read -r status seconds <"$results/$1.end"
  tally "$1" "$status" "$seconds s"
}

# stage NAME MINUTES COMMAND...
stage() {
  is_chosen "$1" || return 0
  echo "== $1"
  run_stage "$@"
  add_stage "$1"
}

# begin NAME MINUTES COMMAND...: a stage that runs beside those that follow, until finish NAME.
begin() {
  is_chosen "$1" || return 0
  : >"$results/$1.log" # finish looks for it, maybe before the stage has written a line
  beside=yes run_stage "$@" >>"$results/$1.log" 2>&1 &
}

# finish NAME
finish() {
  [ -f "$results/$1.log" ] || return 0
  wait
  echo "== $1"
  cat "$results/$1.log"
  add_stage "$1"
}

# left_out NAME REASON: a stage that needs what is not there. In continuous integration it must be.
left_out() {
  is_chosen "$1" || return 0
  if [ -n "${CI:-}" ]; then fail "FAILED $1: left out, $2"; return 0; fi
  echo "$1: left out, $2" >>"$results/left-out"
  echo "$1 left out" >>"$results/counts"
  skipped=$((skipped + 1))
}

# Stages of tests/counts that did not run, or ran less than 98 % of what it says.
compare_counts() {
  awk -v chosen=" $chosen " '
    FNR == NR { files[$1] = $2; tests[$1] = $3; next }
    /^#/ || !NF || !index(chosen, " " $1 " ") { next }
    !($1 in files) { printf "FAILED %s: did not run, tests/counts has it\n", $1; next }
    files[$1] == "left" { next }
    $2 != "-" && files[$1] < 0.98 * $2 { printf "FAILED %s: %s files, tests/counts has %s\n", $1, files[$1], $2 }
    $3 != "-" && tests[$1] < 0.98 * $3 { printf "FAILED %s: %s tests, tests/counts has %s\n", $1, tests[$1], $3 }
  ' "$results/counts" tests/counts
}

# The C tests need nothing but tools, so they begin before the set-up, which waits for packages.
begin c-tests 30 dev/c-tests.sh
if [ $tools = yes ] && ! dev/setup.sh test; then
  kill "$(cat "$results/c-tests.pid")"
  exit 1
fi

stage texts 2 Rscript dev/stale.R texts

# Half of R's check is work for one processor, so short stages run beside it.
begin rooms 10 dev/rooms.sh
begin reliability 10 dev/reliability.sh short

# testthat runs once, inside the check; its counts are a stage of their own.
MANYKERNELS_TEST_RUNNER=$(pwd)/dev/testthat.R
MANYKERNELS_TEST_RESULT=$results/testthat
export MANYKERNELS_TEST_RUNNER MANYKERNELS_TEST_RESULT
stage check 60 dev/check.sh --no-manual $vignettes
if is_chosen check && is_chosen testthat; then
  cat $check/tests/testthat.Rout* 2>/dev/null | sed -n '/^ *slowest files/,/^ *$/p'
  tally testthat 0 "inside the check"
fi
finish rooms
finish c-tests
finish reliability
unset MANYKERNELS_TEST_RUNNER MANYKERNELS_TEST_RESULT
is_chosen check || stage testthat 60 Rscript dev/testthat.R $check

# What depends on the BLAS, once more with a quick one, where dev/setup.sh has unpacked it.
openblas=$(pwd)/.build/openblas/lib:$(R RHOME)/lib
if ! is_chosen testthat-openblas; then
  :
elif R_LD_LIBRARY_PATH=$openblas Rscript -e 'cat(extSoftVersion()[["BLAS"]])' | grep -q openblas; then
  stage testthat-openblas 15 env R_LD_LIBRARY_PATH="$openblas" Rscript dev/testthat.R $check \
    'wide|duality-gap|views|normalize|kernel-matrix|predict|fork'
else
  left_out testthat-openblas "there is no OpenBLAS in .build/openblas"
fi

# A cluster on this machine, mostly of waiting. It is no fault of continuous integration if it can't be had.
if ! is_chosen cluster; then
  :
elif [ -z "${CI:-}" ]; then
  left_out cluster "continuous integration, make test-all and make cluster have it"
elif [ "$(id -u)" = 0 ] && PATH=$PATH:/usr/sbin command -v slurmctld >/dev/null 2>&1; then
  begin cluster 10 dev/cluster-all.sh $check short
else
  (unset CI; left_out cluster "it needs root and Slurm; make test-all installs it for root")
  skipped=$((skipped + 1))
fi

# The test of this test, the site and the check as
# CRAN does take one processor each, so they run beside each other.
begin selftest 10 dev/selftest.sh
if ! is_chosen site; then
  :
elif [ -z "${CI:-}" ]; then
  left_out site "continuous integration, make test-all and make site have it"
elif Rscript -e 'quit(status = !requireNamespace("pkgdown", quietly = TRUE))' >/dev/null 2>&1; then
  begin site 15 Rscript dev/site.R $check quick
else
  left_out site "package pkgdown is not installed"
fi

[ -n "${CI:-}" ] || left_out vignettes "continuous integration, make test-all and make site build them"

# As others check it: testthat's own runner, without the tests that CRAN's machines have no time for.
if [ -n "${CI:-}" ]; then
  stage check-cran 30 env -u MANYKERNELS_SLOW NOT_CRAN=false CHECK_FOLDER=.build/cran \
    TARBALL="$(ls .build/manykernels_*.tar.gz)" dev/check.sh --no-manual
else
  left_out check-cran "continuous integration and make test-all have it"
fi
finish site
finish cluster
finish selftest

cat "$results/stages"
for file in "$results"/*.skipped "$results/left-out"; do
  [ ! -f "$file" ] || sed 's/^/skipped /' "$file"
done
compare_counts >"$results/fewer"
failed=$((failed + $(wc -l <"$results/fewer")))
cat "$results/fewer" >>"$results/failures"
cat "$results"/*.failures 2>/dev/null | sed 's/^\([^ ]\)/FAILED \1/' | head -n 60 || true
cat "$results/failures" 2>/dev/null || true
echo "== $((($(date +%s) - began + 30) / 60)) minutes"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
