#!/bin/sh
# Builds the package's tarball in .build/ from a copy of the sources, and prints its path.
# usage: dev/tarball.sh [R CMD build options]
set -eu

tarball=.build/manykernels_$(sed -n 's/^Version: *//p' DESCRIPTION).tar.gz
copy=.build/source/manykernels
rm -rf "$copy" "$tarball"
mkdir -p "$copy"
tar -cf - --exclude=./.git --exclude=./.build --exclude='*.o' --exclude='*.so' . |
  tar -xf - -C "$copy"
(cd .build && R CMD build "$@" source/manykernels) >.build/build.log 2>&1 ||
  { echo "tarball: R CMD build failed: $(dev/reason.sh .build/build.log)" >&2; exit 1; }
[ -f "$tarball" ] || { echo "tarball: $tarball was not built" >&2; exit 1; }
echo "$tarball"
