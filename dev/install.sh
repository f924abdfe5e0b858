#!/bin/sh
# Installs the package into a library, .build/lib unless told; does nothing when the library's
# copy is newer than every source file.
# usage: dev/install.sh [library]
set -eu

library=${1:-.build/lib}
stamp=$library/manykernels/DESCRIPTION
sources="DESCRIPTION NAMESPACE R src data inst man"

# shellcheck disable=SC2086 # a list of folders
if [ -f "$stamp" ] && [ -z "$(find $sources -type f ! -name '*.o' ! -name '*.so' -newer "$stamp" 2>/dev/null)" ]; then
  exit 0
fi
mkdir -p "$library"
tarball=$(dev/tarball.sh --no-build-vignettes --no-manual)
MAKEFLAGS=-j2 R CMD INSTALL --no-docs --library="$library" "$tarball" >.build/install.log 2>&1 ||
  { echo "install: R CMD INSTALL failed: $(dev/reason.sh .build/install.log)" >&2; exit 1; }
# R keeps the tarball's dates; the stamp is when it was installed.
touch "$stamp"
