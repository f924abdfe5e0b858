#!/bin/sh
# The whole test: include rule, C tests, R CMD check (with examples and vignettes), testthat on the
# package that the check installed, the site. Ends with "N passed, N failed, N skipped", the sum of
# what the stages counted: rules, C checks, R's checks, expectations, pages. A stage that fails,
# crashes, hangs or gives no count adds a failure.
set -eu

NOT_CRAN=true
export NOT_CRAN
# Continuous integration takes the slow tests too.
if [ -n "${CI:-}" ]; then MANYKERNELS_SLOW=${MANYKERNELS_SLOW:-true}; export MANYKERNELS_SLOW; fi

passed=0
failed=0
skipped=0
results=.build/results
rm -rf $results
mkdir -p $results

# stage NAME MINUTES COMMAND...
stage() {
  name=$1
  limit=""
  if command -v timeout >/dev/null 2>&1; then limit="timeout --kill-after=10 ${2}m"; fi
  shift 2
  echo "== $name"
  MK_RESULT=$(pwd)/$results/$name
  export MK_RESULT
  start=$(date +%s)
  status=0
  $limit "$@" </dev/null || status=$?
  line=$(cat "$MK_RESULT" 2>/dev/null || true)
  if ! echo "$line" | grep -qxE '[0-9]+ [0-9]+ [0-9]+'; then
    echo "stage $name gave no count (exit status $status)"
    line="0 1 0"
  fi
  # shellcheck disable=SC2086 # three numbers
  set -- $line
  p=$1; f=$2; s=$3
  if [ "$f" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$p" -eq 0 ]; }; then
    echo "stage $name passed $p and ended with exit status $status"
    f=1
  fi
  echo "-- $name: $p passed, $f failed, $s skipped, $(($(date +%s) - start)) s" | tee -a $results/stages
  passed=$((passed + p))
  failed=$((failed + f))
  skipped=$((skipped + s))
}

stage rooms 1 dev/rooms.sh
stage c-tests 10 dev/c-tests.sh
stage reliability 5 dev/reliability.sh short
stage check 25 dev/check.sh --no-manual --no-tests --no-vignettes
stage testthat 45 Rscript dev/testthat.R .build/manykernels.Rcheck
# What depends on the BLAS, once more with a quick one, where dev/setup.sh has unpacked it.
openblas=$(pwd)/.build/openblas/lib:$(R RHOME)/lib
if R_LD_LIBRARY_PATH=$openblas Rscript -e 'cat(extSoftVersion()[["BLAS"]])' | grep -q openblas; then
  stage testthat-openblas 15 env R_LD_LIBRARY_PATH="$openblas" Rscript dev/testthat.R \
    .build/manykernels.Rcheck 'wide|duality-gap|views|normalize|kernel-matrix|predict|fork'
else
  echo "-- testthat-openblas: left out, there is no OpenBLAS in .build/openblas"
fi
# Optional: without the vignettes, which the check has built.
if Rscript -e 'quit(status = !requireNamespace("pkgdown", quietly = TRUE))' >/dev/null 2>&1; then
  stage site 15 Rscript dev/site.R .build/manykernels.Rcheck quick
else
  echo "-- site: left out, package pkgdown is not installed"
fi
cat $results/stages
cat $results/*.failures 2>/dev/null | head -50 || true
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
