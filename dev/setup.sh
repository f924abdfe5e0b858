#!/bin/sh
# Installs what a make target needs; quick and silent when all of it is there. Never asks.
# usage: dev/setup.sh [example|install|test|document|site|sanitize|static|reliability|bench|speed]
set -eu

what=${1:-test}
tools="build-essential r-base-dev"
packages="Matrix"
optional=""
commands=""
debian_tools=""
case $what in
  example) ;;
  install)
    packages="Matrix knitr rmarkdown"
    commands="pandoc" ;;
  test)
    packages="Matrix testthat=3.0.0 knitr rmarkdown kernlab e1071"
    # tests skip what is not there; mlr3 needs this checkmate and does not say so
    optional="ggplot2 cli progressr future future.apply batchtools future.batchtools BiocParallel
      generics survival igraph vdiffr caret Biostrings SummarizedExperiment MultiAssayExperiment
      recipes rsample parsnip workflows tune checkmate=2.2.0 mlr3 pkgdown"
    commands="pandoc qpdf" ;;
  document) packages="Matrix roxygen2" ;;
  site)
    packages="Matrix knitr rmarkdown pkgdown"
    # articles leave out what is not there
    optional="kernlab e1071 ggplot2 kernelshap DALEX"
    commands="pandoc" ;;
  sanitize)
    packages="Matrix testthat=3.0.0 kernlab e1071"
    commands="valgrind" ;;
  static)
    # compilers and checkers; what is not there is left out
    packages="Matrix"
    debian_tools="clang clang-tidy cppcheck musl-tools libc6-dev-i386" ;;
  reliability)
    packages="Matrix testthat=3.0.0 kernlab e1071"
    optional="covr"
    commands="valgrind"
    # the thread sanitizer is clang's, with its own OpenMP library
    debian_tools="clang clang-tidy cppcheck musl-tools libc6-dev-i386 libclang-rt-dev libomp-dev" ;;
  bench)
    packages="Matrix e1071"
    # peers; scripts leave out those that are not there
    optional="kernlab SparseM LiblineaR MASS survival survivalsvm penalized" ;;
  speed) packages="Matrix mlbench" ;; # mlbench: letters and satellite
  *) echo "setup: no such target: $what" >&2; exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A compiler that links BLAS and LAPACK, and R with its headers.
can_build() {
  command -v R >/dev/null 2>&1 && command -v make >/dev/null 2>&1 || return 1
  headers=$(R CMD config --cppflags 2>/dev/null) || return 1
  echo '#include <R.h>
int main(void) { return 0; }' >"$work/probe.c"
  # shellcheck disable=SC2086 # several flags
  ${CC:-cc} $headers "$work/probe.c" -llapack -lblas -lm -o "$work/probe" 2>/dev/null
}

# Those of the R packages (name or name=version) that are not there or too old.
missing_packages() {
  Rscript --vanilla - "$@" <<'EOF'
for (wanted in strsplit(commandArgs(trailingOnly = TRUE), "=")) {
  found <- suppressWarnings(tryCatch(packageVersion(wanted[1]), error = function(e) NULL))
  old <- !is.null(found) && length(wanted) == 2 && found < wanted[2]
  if (is.null(found) || old) cat(paste(wanted, collapse = "="), "")
}
EOF
}

missing_commands() {
  for name in "$@"; do
    command -v "$name" >/dev/null 2>&1 || printf '%s ' "$name"
  done
}

give_up() {
  {
    echo "setup: this machine lacks: $*"
    echo "setup: as root on Debian or Ubuntu, run the same command again and it installs them;"
    echo "setup: elsewhere install R >= 4.1, a C compiler, BLAS and LAPACK, and these yourself."
  } >&2
  exit 1
}

updated=no
apt_install() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then give_up "$@"; fi
  export DEBIAN_FRONTEND=noninteractive
  if [ $updated = no ]; then
    apt-get update -qq </dev/null || echo "setup: apt-get update failed, going on" >&2
    updated=yes
  fi
  echo "setup: installing $*"
  apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends "$@" \
    </dev/null >"$work/apt.log" 2>&1 && return 0
  tail -n 20 "$work/apt.log" >&2
  return 1
}

# What Debian does not have comes from CRAN, built from source.
cran_install() {
  echo "setup: installing from CRAN: $*"
  Rscript --vanilla - "$@" <<'EOF' >"$work/cran.log" 2>&1 || { tail -n 20 "$work/cran.log" >&2; return 1; }
if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}
install.packages(sub("=.*", "", commandArgs(trailingOnly = TRUE)), quiet = TRUE, Ncpus = parallel::detectCores())
EOF
}

# What stays missing of the named packages is in $lacking.
# shellcheck disable=SC2086 # lists of words
install_packages() {
  lacking=$(missing_packages "$@")
  if [ -n "$lacking" ]; then
    debian=$(for name in $lacking; do
      name=${name%%=*}
      case $name in BiocParallel | Biostrings | *Experiment) archive=bioc ;; *) archive=cran ;; esac
      printf 'r-%s-%s ' $archive "$(echo "$name" | tr '[:upper:]' '[:lower:]')"
    done)
    apt_install $debian || echo "setup: not all of these are in Debian, trying CRAN" >&2
    lacking=$(missing_packages "$@")
  fi
  if [ -n "$lacking" ]; then
    cran_install $lacking || true
    lacking=$(missing_packages "$@")
  fi
}

# A quick BLAS beside the system's, for the tests that run a second time: unpacked into
# .build/openblas, never installed, since that would change the BLAS of everything else.
unpack_openblas() {
  folder=$(pwd)/.build/openblas
  [ -e "$folder/lib/libblas.so.3" ] && return 0
  command -v dpkg >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 || return 1
  (cd "$work" && apt-get download libopenblas0-pthread libgfortran5 libquadmath0) \
    >"$work/openblas.log" 2>&1 || return 1
  rm -rf "$folder"
  mkdir -p "$folder/lib"
  for package in "$work"/*.deb; do dpkg -x "$package" "$folder" || return 1; done
  find "$folder/usr" -name '*.so*' -exec ln -sf '{}' "$folder/lib/" ';'
  [ -e "$folder/lib/libblas.so.3" ]
}

# shellcheck disable=SC2086 # lists of words from here on
{
  can_build || apt_install $tools || give_up $tools
  can_build || give_up "a working R and C compiler with BLAS and LAPACK"
  Rscript --vanilla -e 'if (getRversion() < "4.1") quit(status = 1)' || give_up "R >= 4.1"

  lacking=$(missing_commands $commands)
  [ -z "$lacking" ] || apt_install $lacking || give_up $lacking

  install_packages $packages
  [ -z "$lacking" ] || give_up "R packages: $lacking"
  if [ "$what" = test ]; then
    unpack_openblas || echo "setup: going on without OpenBLAS; tests run with R's own BLAS" >&2
  fi
  for name in $debian_tools; do
    dpkg -s "$name" >/dev/null 2>&1 || (apt_install "$name") ||
      echo "setup: going on without $name" >&2
  done
  for name in $(missing_packages $optional); do
    (install_packages "$name"; [ -z "$lacking" ]) || echo "setup: going on without $name" >&2
  done
}
