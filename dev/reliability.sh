#!/bin/sh
# What keeps the package reliable, tried and counted: bench/reliability.md. The short form takes half a
# minute, leaves the file alone and is what `make test` has beside its other stages, which refuse
# allocations, fuzz the boundary and damage objects at some places; the long one takes hours and
# writes the file.
# Every script prints lines "| what | how many | failures |" that are collected here.
# usage: dev/reliability.sh [short|long]
set -eu

form=${1:-short}
out=.build/reliability
rm -rf $out
mkdir -p $out
failed=0
parts=0

# part NAME COMMAND...
part() {
  name=$1
  shift
  echo "== $name"
  start=$(date +%s)
  parts=$((parts + 1))
  status=0
  MK_RESULT=/dev/null "$@" </dev/null >"$out/$name.log" 2>&1 || status=$?
  {
    echo
    echo "## $name"
    echo
    echo "| what | how many | failures |"
    echo "| --- | ---: | ---: |"
    grep -h '^| ' "$out/$name.log" || true
    echo "| \`$*\` ends well, $(($(date +%s) - start)) s | 1 | $((status != 0)) |"
  } >>$out/table.md
  if [ $status -ne 0 ]; then
    failed=$((failed + 1))
    tail -n 30 "$out/$name.log"
  fi
}

# Commands that a machine may lack.
has() { command -v "$1" >/dev/null 2>&1; }

if [ "$form" = short ]; then
  part protection dev/static.sh protect
  part portability dev/portability.sh quick
else
  MANYKERNELS_FAULTS=all
  export MANYKERNELS_FAULTS
  part faults dev/c-tests.sh plain faults
  unset MANYKERNELS_FAULTS
  part sanitizers dev/sanitize.sh
  part races dev/c-tests.sh threads
  part baseline dev/c-tests.sh baseline
  part serial dev/c-tests.sh serial
  part portability dev/portability.sh
  part protection dev/static.sh protect
  if has cppcheck; then part cppcheck dev/static.sh cppcheck; fi
  if has clang-tidy; then part clang-tidy dev/static.sh tidy; fi
  part analyzer dev/static.sh analyzer
  part coverage dev/coverage.sh
  if Rscript -e 'quit(status = !requireNamespace("covr", quietly = TRUE))' >/dev/null 2>&1; then
    dev/tarball.sh --no-build-vignettes --no-manual >/dev/null
    part coverage-package Rscript dev/coverage.R
  fi
  part gctorture dev/gctorture.sh
  R_LIBS="$(pwd)/.build/lib:${R_LIBS:-}"
  export R_LIBS
  MANYKERNELS_SLOW=true
  NOT_CRAN=true
  export MANYKERNELS_SLOW NOT_CRAN
  part objects Rscript dev/testthat.R .build/lib \
    '^(determinism|exchange|validate|hand-made|bad-input|kernel-file|function-kernels|native-kernel|max-time)$'
  part limits Rscript bench/limits.R full
  part sizes Rscript bench/sizes.R
  for script in bench/reliability/*.R; do # of the boundary, damaged objects, the examples
    [ ! -f "$script" ] || part "$(basename "$script" .R)" Rscript "$script"
  done
fi

total=$(awk -F'|' '/^\|.*\|.*\|.*\|$/ && $3 + 0 > 0 { n += $3; f += $4 } END { printf "%.0f tried, %.0f failed\n", n, f }' $out/table.md)
echo "reliability: $total in $parts parts"
if [ "$form" = long ]; then
  {
    cat dev/reliability-head.md
    echo
    echo "Altogether: $total."
    cat $out/table.md
  } >bench/reliability.md
fi
echo "$((parts - failed)) $failed 0" >"${MK_RESULT:-/dev/null}"
[ $failed -eq 0 ]
