#!/bin/sh
# Static analysis of the C code: clang-tidy and gcc's analyser, cppcheck over the core, rules of
# protection over the glue. What they find and we looked at stands in dev/static-triage.txt, one
# finding a line with the reason why it is none; anything else fails.
# usage: dev/static.sh [cppcheck|tidy|analyzer|protect] ...
set -eu

out=.build/static
mkdir -p $out
core=$(find src -name '*.c' ! -path 'src/rglue/*' ! -path src/init.c | sort)
glue="$(echo src/rglue/*.c) src/init.c"
glue_flags=$(R CMD config --cppflags)
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
seconds_per_file=120

# Each writes "file: message" by line, without line numbers, which move.
run_cppcheck() {
  # shellcheck disable=SC2086 # a list
  cppcheck -q -j "$jobs" --enable=warning,performance,portability --std=c11 -DMK_NO_R -Isrc \
    --suppress=missingIncludeSystem --template='{file}: {message} [{id}]' --template-location='' $core 2>&1 || true
}

# each_file FILES COMMAND ...: the command with each file for {}. One that takes too long is a finding.
each_file() {
  files=$1
  shift
  # shellcheck disable=SC2016,SC2086 # the inner shell's; a list
  printf '%s\n' $files | xargs -I{} -P "$jobs" sh -c 'seconds=$0 file=$1; shift; status=0
    timeout "$seconds" "$@" 2>&1 || status=$?
    [ $status -ne 124 ] || echo "$file:1:1: warning: not done in $seconds s"' "$seconds_per_file" {} "$@"
}

run_tidy() {
  checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,bugprone-*,-bugprone-easily-swappable-parameters'
  checks="$checks,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result"
  checks="$checks,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-assignment-in-if-condition"
  {
    each_file "$core" clang-tidy --quiet --checks="$checks" {} -- -std=gnu11 -DMK_NO_R -Isrc
    # shellcheck disable=SC2086 # a list
    each_file "$glue" clang-tidy --quiet --checks="$checks" {} -- -std=gnu11 $glue_flags -Isrc
  } |
    sed -n "s|^$(pwd)/||; s/^\([^: ]*\):[0-9]*:[0-9]*: \(warning\|error\): /\1: /p"
}

run_analyzer() {
  gcc="gcc -std=gnu11 -O1 -fanalyzer -fdiagnostics-plain-output -S -o /dev/null -Isrc"
  # shellcheck disable=SC2086 # lists
  { each_file "$core" $gcc -DMK_NO_R {} && each_file "$glue" $gcc $glue_flags {}; } |
    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: warning: /\1: /p'
}

# Calls of R that allocate, as arguments of one another: the value of the first may be gone.
run_protect() {
  grep -nE '(SET_VECTOR_ELT|SET_STRING_ELT|Rf_setAttrib|Rf_cons|Rf_lcons|Rf_list[0-9])\(' src/rglue/*.c src/init.c |
    grep -E '(Rf_alloc|Rf_mk(Named|String)|Rf_ScalarReal|Rf_coerceVector|Rf_install|R_MakeExternalPtr)[A-Za-z]*\(.*(Rf_alloc|Rf_mk(Named|String)|Rf_Scalar|Rf_coerceVector|R_MakeExternalPtr)' |
    sed 's/^\([^:]*\):[0-9]*: */\1: two allocations in one call: /' || true
  # As many PROTECT as UNPROTECT count in each function with both.
  awk '
    FNR == 1 { depth = 0; taken = 0; given = 0; many = 0 }
    /^[A-Za-z].*\) \{$/ { name = $0; taken = given = many = 0; open = 1 }
    open { line = $0; while (match(line, /[^N]PROTECT\(/)) { taken++; line = substr(line, RSTART + RLENGTH) } }
    open && match($0, /UNPROTECT\([0-9]+\)/) { n = substr($0, RSTART + 10, RLENGTH - 11) + 0; if (n > given) given = n; many++ }
    /^}$/ { if (open && taken != given) printf "%s: %d PROTECT against UNPROTECT(%d): %s\n", FILENAME, taken, given, name; open = 0 }
  ' src/rglue/*.c src/init.c
}

passed=0
failed=0
for tool in ${*:-cppcheck tidy analyzer protect}; do
  run_"$tool" | LC_ALL=C sort | uniq -c | sed 's/^ *[0-9]* //' >$out/"$tool"
  new=$(grep -vxFf dev/static-triage.txt $out/"$tool" || true)
  found=$(wc -l <$out/"$tool")
  if [ -n "$new" ]; then
    failed=$((failed + 1))
    echo "$tool: findings that nobody has looked at:"
    echo "$new"
  else
    passed=$((passed + 1))
  fi
  echo "| static analysis by $tool: findings, not looked at | $found | $(echo "$new" | grep -c . || true) |"
done
echo "$passed $failed 0" >"${MK_RESULT:-/dev/null}"
[ $failed -eq 0 ]
