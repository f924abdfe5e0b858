#!/bin/sh
# Shows that two commits compile to the same machine code, as where comments change or files move: objects of the
# core and the glue without debug symbols and names of static functions, compared byte by byte, in whatever
# folders they are. Puts the commits after FROM down in bench/same-fits if so, for `make stale`.
# usage: dev/same-code.sh FROM TO
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# objects_of COMMIT: checksum and name of each object, sorted.
objects_of() {
  mkdir "$work/$1"
  git archive "$1" src inst/include | tar -x -C "$work/$1"
  (cd "$work/$1/src" && R CMD SHLIB -o manykernels.so init.c >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
  find "$work/$1/src" -name '*.o' | while read -r object; do
    strip --strip-unneeded "$object"
    echo "$(md5sum <"$object") $(basename "$object")"
  done | sort >"$work/$1.objects"
}
from=$(git rev-parse "$1")
to=$(git rev-parse "$2")
objects_of "$from"
objects_of "$to"
diff "$work/$from.objects" "$work/$to.objects" >"$work/diff" || {
  echo "same-code: differ: $(sed -n 's/^> .* //p' "$work/diff" | sort -u | tr '\n' ' ')"
  exit 1
}
echo "same-code: $(wc -l <"$work/$to.objects") objects are the same"
echo "$(git rev-parse --short "$from")..$(git rev-parse --short "$to") same code, $(date +%F)" >>bench/same-fits
