#!/usr/bin/env bash
# Cross-validation on what a cluster may have: a Slurm, nodes by ssh, and workers of other packages. What can't be
# had here is skipped in one line. Ends with "N passed, N failed, N skipped".
# usage: dev/cluster-all.sh [LIBRARY [short]]    short: some two minutes, mostly of waiting; all takes ten
set -u

library=$(cd "${1:-.build/lib}" && pwd)
how=${2:-}
here=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

packages() { cd "$dir" && R_LIBS="$library${R_LIBS:+:$R_LIBS}" Rscript "$here/dev/cluster-packages.R" "$here/dev"; }
# part NAME COMMAND...: exit status 77 means that it was skipped.
part() {
  name=$1
  shift
  "$@" 2>&1 </dev/null | tee -a "$dir/output"
  status=${PIPESTATUS[0]}
  [ "$status" = 0 ] || [ "$status" = 77 ] || echo "FAILED $name: exit status $status" | tee -a "$dir/output"
}
part Slurm dev/cluster.sh "$library" "$how"
part "nodes by ssh" dev/cluster-nodes.sh "$library" "$how"
part packages packages

count() { grep -c "^$1 " "$dir/output" || true; }
failed=$(count FAILED)
[ -z "${MK_RESULT:-}" ] || echo "$(count passed) $failed $(count skipped)" >"$MK_RESULT"
echo "$(count passed) passed, $failed failed, $(count skipped) skipped"
[ "$failed" = 0 ]
