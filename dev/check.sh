#!/bin/sh
# R CMD check of the tarball, built with its vignettes unless BUILD_OPTIONS say otherwise. Every check in R's log is counted: OK passes,
# WARNING, ERROR and NOTE fail, but notes pass with --as-cran, which always has one for new packages,
# and so does the note on suggested packages that are not installed, outside of continuous integration.
# What the options leave out is not counted. Leaves the installed package in manykernels.Rcheck of
# $CHECK_FOLDER (.build), writes counts to $MK_RESULT.
# usage: [TARBALL=file | BUILD_OPTIONS=options] [CHECK_FOLDER=folder] dev/check.sh [R CMD check options]
set -eu

MAKEFLAGS=-j2
# A machine without a network or without some suggested package can check as well.
_R_CHECK_FORCE_SUGGESTS_=false
_R_CHECK_SYSTEM_CLOCK_=0
_R_CHECK_CRAN_INCOMING_REMOTE_=false
# Debian's R compiles with debugging information, four fifths of the library, which R's check of the size
# counts.
mkdir -p .build
echo 'CFLAGS += -g0' >.build/Makevars
R_MAKEVARS_USER=$(pwd)/.build/Makevars
export R_MAKEVARS_USER
export MAKEFLAGS _R_CHECK_FORCE_SUGGESTS_ _R_CHECK_SYSTEM_CLOCK_ _R_CHECK_CRAN_INCOMING_REMOTE_

# shellcheck disable=SC2086 # a list
tarball=${TARBALL:-$(dev/tarball.sh ${BUILD_OPTIONS:-})}
folder=${CHECK_FOLDER:-.build}
rm -rf "$folder/manykernels.Rcheck"
mkdir -p "$folder"
status=0
R CMD check --output="$folder" "$@" "$tarball" >"$folder/check.log" 2>&1 || status=$?

log=$folder/manykernels.Rcheck/00check.log
if ! grep -q '^Status: ' "$log" 2>/dev/null; then
  cat "$folder/check.log"
  echo "check: R CMD check did not reach its end (exit status $status)" >&2
  exit 1
fi
count() { grep -cE "^(\*+ .*|[[:space:]]*(\[[^]]*\])?[[:space:]]*)[[:space:]]$1\$" "$log" || true; }
summary() { sed -n "s/^Status: .*\b\([0-9]\{1,\}\) $1s\{0,1\}.*/\1/p" "$log"; }
ok=$(count OK)
notes=$(summary NOTE)
warnings=$(summary WARNING)
errors=$(summary ERROR)
# Suggested packages that are not there: continuous integration has all but those that take an hour to compile.
allowed=$(grep -c '^\* checking package dependencies \.\.\. NOTE$' "$log" || true)
lacking=$(sed -n '/^\* checking package dependencies/,/^\* checking if/p' "$log" | grep -oE "[‘'][A-Za-z0-9.]+[’']" |
  grep -vE '^.(arrow|duckdb).$' || true)
[ -z "${CI:-}" ] || [ -z "$lacking" ] || allowed=0
case " $* " in *" --as-cran "*) allowed=${notes:-0} ;; esac
passed=$((ok + allowed))
failed=$((${warnings:-0} + ${errors:-0} + ${notes:-0} - allowed))
if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$ok" -eq 0 ]; }; then failed=1; fi

# Everything R said about what is not OK.
if [ "$failed" -gt 0 ] || [ "${notes:-0}" -gt 0 ]; then
  awk '/^\*/ { keep = /(NOTE|WARNING|ERROR)$/ } keep' "$log"
  sed -n '/^── \(Failure\|Error\)/,/^$/p' "$folder"/manykernels.Rcheck/tests/*.Rout.fail 2>/dev/null |
    head -n 60 >"${MK_RESULT:-.build/check}.failures" || true
  if grep -qE 'can be installed \.\.\. .*(WARNING|ERROR)$' "$log"; then
    tail -n 40 "$folder/manykernels.Rcheck/00install.out"
  fi
fi
echo "R CMD check $*: $ok OK, ${notes:-0} NOTE, ${warnings:-0} WARNING, ${errors:-0} ERROR"
echo "$passed $failed 0" >"${MK_RESULT:-/dev/null}"
[ "$failed" -eq 0 ]
