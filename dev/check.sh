#!/bin/sh
# R CMD check of the tarball, built with its vignettes. Every check in R's log is counted: OK and
# NOTE pass (notes are shown), WARNING and ERROR fail; what the options leave out is not counted.
# Leaves the installed package in .build/manykernels.Rcheck, writes counts to $MK_RESULT.
# usage: dev/check.sh [R CMD check options]
set -eu

MAKEFLAGS=-j2
# A machine without a network or without some suggested package can check as well.
_R_CHECK_FORCE_SUGGESTS_=false
_R_CHECK_SYSTEM_CLOCK_=0
_R_CHECK_CRAN_INCOMING_REMOTE_=false
export MAKEFLAGS _R_CHECK_FORCE_SUGGESTS_ _R_CHECK_SYSTEM_CLOCK_ _R_CHECK_CRAN_INCOMING_REMOTE_

rm -rf .build/manykernels.Rcheck
tarball=$(dev/tarball.sh)
status=0
(cd .build && R CMD check "$@" "$(basename "$tarball")") >.build/check.log 2>&1 || status=$?

log=.build/manykernels.Rcheck/00check.log
if ! grep -q '^Status: ' "$log" 2>/dev/null; then
  cat .build/check.log
  echo "check: R CMD check did not reach its end (exit status $status)" >&2
  exit 1
fi
count() { grep -cE "^(\*+ .*|[[:space:]]*(\[[^]]*\])?[[:space:]]*)[[:space:]]$1\$" "$log" || true; }
summary() { sed -n "s/^Status: .*\b\([0-9]\{1,\}\) $1s\{0,1\}.*/\1/p" "$log"; }
ok=$(count OK)
notes=$(summary NOTE)
warnings=$(summary WARNING)
errors=$(summary ERROR)
passed=$((ok + ${notes:-0}))
failed=$((${warnings:-0} + ${errors:-0}))
if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$ok" -eq 0 ]; }; then failed=1; fi

# Everything R said about what is not OK.
if [ "$failed" -gt 0 ] || [ "${notes:-0}" -gt 0 ]; then
  awk '/^\*/ { keep = /(NOTE|WARNING|ERROR)$/ } keep' "$log"
  if grep -qE 'can be installed \.\.\. .*(WARNING|ERROR)$' "$log"; then
    tail -n 40 .build/manykernels.Rcheck/00install.out
  fi
fi
echo "R CMD check $*: $ok OK, ${notes:-0} NOTE, ${warnings:-0} WARNING, ${errors:-0} ERROR"
echo "$passed $failed 0" >"${MK_RESULT:-/dev/null}"
[ "$failed" -eq 0 ]
