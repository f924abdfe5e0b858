#!/bin/sh
# What keeps the package reliable, tried and counted: bench/reliability.md. The short form takes half a
# minute, leaves the file alone and is what `make test` has beside its other stages, which refuse
# allocations, fuzz the boundary and damage objects at some places; all parts together take hours.
# Every part prints lines "| what | how many | failures |". They are kept in
# bench/reliability/results/PART.md as the part ends, and the file is put together from these anew, so
# a run that is cut loses its last part alone. A part that its time limit cuts counts as failed.
# usage: dev/reliability.sh [short|long|PART ...]
set -eu

parts="faults sanitizers races baseline serial memory portability current-r static coverage coverage-package
gctorture objects limits sizes boundary damaged model-files examples valgrind"
results=bench/reliability/results
logs=.build/reliability
mkdir -p $results $logs

# command PART: what it runs, after its time limit in minutes
command_of() {
  case $1 in
    faults) echo 180 env MANYKERNELS_FAULTS=all SECONDS_PER_PROGRAM=10000 dev/c-tests.sh plain faults ;;
    sanitizers) echo 180 dev/sanitize.sh ;;
    races) echo 120 env MANYKERNELS_FAULTS=few dev/c-tests.sh threads ;;
    baseline | serial) echo 60 dev/c-tests.sh "$1" ;;
    memory) echo 300 env MANYKERNELS_FAULTS=few dev/c-tests.sh valgrind ;;
    portability) echo 30 dev/portability.sh ;;
    current-r) echo 60 dev/current-r.sh ;;
    static) echo 60 dev/static.sh ;;
    coverage) echo 60 dev/coverage.sh ;;
    coverage-package) echo 240 Rscript dev/coverage.R . "${COVERAGE_MINUTES:-200}" ;;
    gctorture) echo 180 dev/gctorture.sh ;;
    objects) echo 120 env MANYKERNELS_SLOW=true NOT_CRAN=true Rscript dev/testthat.R .build/lib \
      "'^(determinism|exchange|check-object|hand-made|bad-input|kernel-file|function-kernels|kernel-native|max-time)\$'" ;;
    limits) echo 60 Rscript bench/limits.R full ;;
    sizes) echo 60 Rscript bench/sizes.R ;;
    boundary | damaged | model-files | examples | valgrind) echo 240 Rscript "bench/reliability/$1.R" ;;
    short-static) echo 5 dev/static.sh protect ;;
    short-portability) echo 5 dev/portability.sh quick ;;
    *) echo "reliability: no part is called $1; there are: $parts" >&2; return 2 ;;
  esac
}

# part PART: runs it, writes its table to $kept/PART.md
part() {
  line=$(command_of "$1")
  minutes=${line%% *}
  line=${line#* }
  echo "== $1"
  start=$(date +%s)
  status=0
  MK_RESULT=/dev/null timeout -k 60 "${minutes}m" sh -c "exec $line" </dev/null >"$logs/$1.log" 2>&1 || status=$?
  case $status in
    0) how="ends well" ;;
    124 | 137) how="is cut after $minutes minutes" ;;
    *) how="ends with status $status" ;;
  esac
  {
    echo "## $1"
    echo
    echo "$(date +%Y-%m-%d), commit $(git rev-parse --short HEAD 2>/dev/null)$(git diff --quiet HEAD -- src R tests 2>/dev/null || echo ', changed'):"
    echo
    echo "| what | how many | failures |"
    echo "| --- | ---: | ---: |"
    grep -h '^| ' "$logs/$1.log" || true
    echo "| \`dev/reliability.sh $1\` $how, $(($(date +%s) - start)) s | 1 | $((status != 0)) |"
  } >"$kept/$1.md"
  if [ $status -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -n 30 "$logs/$1.log"
    echo "reliability: $1 $how"
  fi
}

# All tables in the parts' order, below the head. Lines that no test runs are no failures.
assemble() {
  files=$(for name in $parts; do [ ! -f "$results/$name.md" ] || echo "$results/$name.md"; done)
  # shellcheck disable=SC2086 # a list
  {
    cat dev/reliability-head.md
    awk -F'|' '/^\|.*\|.*\|.*\|$/ && $3 + 0 > 0 && $2 !~ /^ lines of / { n += $3; f += $4 }
      END { printf "\nAltogether: %.0f tried, %.0f failed.\n", n, f }' $files
    for file in $files; do echo; cat "$file"; done
  } >bench/reliability.md
}

kept=$results
case ${1:-short} in
  short) kept=$logs; chosen="short-static short-portability" ;;
  long) chosen=$parts ;;
  *) chosen=$* ;;
esac
for name in $chosen; do command_of "$name" >/dev/null; done
# What the package's own parts load, and what covr reads.
R_LIBS="$(pwd)/.build/lib:${R_LIBS:-}"
export R_LIBS
case " $chosen " in *coverage-package*) dev/tarball.sh --no-build-vignettes --no-manual >/dev/null ;; esac
passed=0
failed=0
for name in $chosen; do
  part "$name"
  [ $kept = $logs ] || assemble
done
echo "reliability: $passed parts passed, $failed failed"
echo "$passed $failed 0" >"${MK_RESULT:-/dev/null}"
[ $failed -eq 0 ]
