#!/bin/sh
# Installs what a make target needs; quick and silent when all of it is there. Never asks.
# Debian's packages come first, in one call; CRAN is the second choice. Where something can't be
# installed, one line says what is missing and what to do, and the exit status is 1. Optional
# packages that can't be had are named, and setup goes on. `tools` installs nothing: its status says whether
# what compiles the package is there.
# usage: dev/setup.sh [tools|example|install|test|document|site|cheatsheet|sanitize|static|reliability|cluster|bench|speed|fresh]
set -eu

what=${1:-test}
tools="build-essential r-base-dev"
packages="Matrix"
optional=""
commands=""
debian_tools=""
cran_optional=yes # optional packages that Debian does not have come from CRAN
megabytes=100 # what the target writes below the checkout
case $what in
  tools | example) ;;
  install)
    packages="Matrix knitr rmarkdown"
    commands="pandoc" ;;
  test)
    packages="Matrix testthat=3.0.0 knitr rmarkdown kernlab e1071"
    # Tests skip what is not there. mlr3 needs this checkmate and does not say so.
    optional="ggplot2 cli progressr future batchtools future.batchtools BiocParallel
      generics survival igraph vdiffr caret Biostrings SummarizedExperiment MultiAssayExperiment
      SingleCellExperiment recipes rsample parsnip workflows tune checkmate=2.2.0 mlr3
      pROC quadprog yardstick DALEX DBI dbplyr dplyr RSQLite HDF5Array float
      Biobase bit64 haven mlbench phyloseq withr"
    # Compiling packages takes minutes, so only continuous integration and `make test-all` do it. They
    # build the site, too.
    if [ -n "${CI:-}" ]; then optional="$optional pkgdown"; else cran_optional=no; fi
    commands="pandoc qpdf"
    megabytes=500 ;;
  document) packages="Matrix roxygen2" ;;
  site)
    packages="Matrix knitr rmarkdown pkgdown"
    # articles leave out what is not there
    optional="kernlab e1071 ggplot2 kernelshap DALEX"
    commands="pandoc" ;;
  cheatsheet)
    packages="Matrix knitr rmarkdown SummarizedExperiment dplyr dbplyr DBI RSQLite survival future mlr3 parsnip
      caret generics jsonlite"
    debian_tools="pandoc texlive-latex-recommended texlive-fonts-recommended" ;;
  sanitize)
    packages="Matrix testthat=3.0.0 kernlab e1071"
    commands="valgrind" ;;
  static)
    # compilers and checkers; what is not there is left out
    packages="Matrix"
    debian_tools="clang clang-tidy cppcheck musl-tools libc6-dev-i386 gcc-12-multilib gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user" ;;
  reliability)
    packages="Matrix testthat=3.0.0 kernlab e1071"
    optional="covr"
    commands="valgrind"
    # the thread sanitizer is clang's, with its own OpenMP library
    debian_tools="clang clang-tidy cppcheck musl-tools libc6-dev-i386 libclang-rt-dev libomp-dev" ;;
  bench)
    packages="Matrix e1071"
    # peers; scripts leave out those that are not there. survivalsvm needs quadprog and only suggests it.
    optional="kernlab SparseM LiblineaR MASS survival survivalsvm quadprog penalized glmnet ranger data.table xgboost
      blockForest multiview prioritylasso mlbench ISLR2 modeldata TH.data" ;;
  cluster)
    packages="Matrix future batchtools future.batchtools"
    optional="BiocParallel future.mirai crew"
    debian_tools="slurm-wlm slurmdbd munge mariadb-server openssh-server openssh-client iproute2" ;;
  speed) packages="Matrix mlbench e1071" ;; # mlbench: letters and satellite
  fresh)
    packages=""
    commands="git debootstrap time"
    megabytes=6000 ;;
  *) echo "setup: no such target: $what" >&2; exit 2 ;;
esac

# need_space FOLDER MEGABYTES
need_space() {
  free=$(($(df -Pk "$1" | awk 'NR == 2 { print $4 }') / 1024))
  [ "$free" -ge "$2" ] || {
    echo "setup: $free MB are free in $1, make $what needs some $2; free some and run the same command again" >&2
    exit 1
  }
}
mkdir -p .build 2>/dev/null || { echo "setup: no folder can be made in $(pwd); get a copy that you may write to" >&2; exit 1; }
need_space "$(pwd)/.build" $megabytes
need_space "${TMPDIR:-/tmp}" 50

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what is there -------------------------------------------------------------------------------

# What R needs to build a package that uses BLAS and LAPACK, and is not there.
missing_tools() {
  for name in make R Rscript; do
    command -v $name >/dev/null 2>&1 || { echo "$name"; return; }
  done
  compiler=$(R CMD config CC 2>/dev/null) || { echo "R's headers and build tools"; return; }
  command -v "${compiler%% *}" >/dev/null 2>&1 || { echo "the C compiler ${compiler%% *} in its PATH"; return; }
  echo '#include <R.h>
int main(void) { return 0; }' >"$work/probe.c"
  # shellcheck disable=SC2046,SC2086 # several flags
  $compiler $(R CMD config --cppflags 2>/dev/null) "$work/probe.c" -llapack -lblas -lm \
    -o "$work/probe" 2>/dev/null || echo "R's headers, BLAS or LAPACK"
}

# Those of the R packages (name or name=version) that are not there or too old.
missing_packages() {
  Rscript --vanilla - "$@" <<'END'
for (wanted in strsplit(commandArgs(trailingOnly = TRUE), "=")) {
  found <- suppressWarnings(tryCatch(packageVersion(wanted[1]), error = function(e) NULL))
  old <- !is.null(found) && length(wanted) == 2 && found < wanted[2]
  if (is.null(found) || old) cat(paste(wanted, collapse = "="), "")
}
END
}

if [ "$what" = tools ]; then
  [ -z "$(missing_tools)" ]
  exit
fi

missing_commands() {
  for name in "$@"; do
    command -v "$name" >/dev/null 2>&1 || [ -x "/usr/sbin/$name" ] || printf '%s ' "$name"
  done
}

# ---- installing ----------------------------------------------------------------------------------

export DEBIAN_FRONTEND=noninteractive
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# The Debian packages of R packages.
debian_names() {
  for name in "$@"; do
    name=${name%%=*}
    case $name in Biobase | BiocParallel | Biostrings | phyloseq | *Experiment | DelayedArray | HDF5Array) archive=bioc ;; *) archive=cran ;; esac
    printf 'r-%s-%s ' $archive "$(echo "$name" | tr '[:upper:]' '[:lower:]')"
  done
}

# give_up MISSING DEBIAN_PACKAGES: one line that says what to do, and the end.
give_up() {
  if [ -s "$work/apt.log" ]; then
    echo "setup: can't install $1: $(dev/reason.sh "$work/apt.log")" >&2
  elif [ -n "$2" ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: this machine lacks $1; as root, run: apt-get install $2" >&2
  else
    echo "setup: this machine lacks $1; install it and run the same command again" >&2
  fi
  exit 1
}

updated=no
# Once: the archive's lists, and what an installation that was cut off has left.
apt_update() {
  [ $updated = no ] || return 0
  updated=yes
  dpkg --configure -a </dev/null >"$work/update.log" 2>&1 || true
  apt-get -o Acquire::http::Timeout=20 update -qq </dev/null >>"$work/update.log" 2>&1 || true
}

# Installs Debian packages in one call; the log of one that failed is kept.
apt_install() {
  can_install || return 1
  apt_update
  echo "setup: installing $*"
  cat "$work/update.log" >"$work/apt.log"
  apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends "$@" \
    </dev/null >>"$work/apt.log" 2>&1 || return 1
  : >"$work/apt.log"
}

# Those of the Debian packages that the archive has and that are not installed.
in_archive() {
  apt-cache pkgnames 2>/dev/null | sort >"$work/archive"
  for name in "$@"; do
    if grep -qx "$name" "$work/archive" && ! dpkg -s "$name" >/dev/null 2>&1; then printf '%s ' "$name"; fi
  done
}

# Installs R packages from CRAN; what they depend on is Debian's where it is recent enough.
cran_install() {
  echo "setup: installing from CRAN: $*"
  cat >"$work/cran.R" <<'END'
arguments <- commandArgs(trailingOnly = TRUE)
wanted <- sub("=.*", "", arguments[-1])
if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
}
if (arguments[1] == "dependencies") {
  needed <- unlist(tools::package_dependencies(wanted, recursive = TRUE))
  cat(setdiff(needed, rownames(utils::installed.packages())))
} else {
  utils::install.packages(wanted, quiet = TRUE, Ncpus = parallel::detectCores())
  # Where this R is too old for a package's present version, its last one before that.
  former <- c(xgboost = "1.7.8.1")
  for (name in setdiff(intersect(wanted, names(former)), rownames(utils::available.packages()))) {
    file <- sprintf("Archive/%s/%s_%s.tar.gz", name, name, former[[name]])
    utils::install.packages(paste(utils::contrib.url(getOption("repos"), "source")[[1]], file, sep = "/"),
                            repos = NULL, type = "source", quiet = TRUE)
  }
}
END
  # shellcheck disable=SC2046 # lists
  if can_install; then
    needed=$(in_archive $(debian_names $(Rscript --vanilla "$work/cran.R" dependencies "$@" 2>/dev/null)))
    [ -z "$needed" ] || apt_install $needed || true
  fi
  Rscript --vanilla "$work/cran.R" install "$@" >"$work/cran.log" 2>&1 </dev/null
}

# install_packages yes|no PACKAGE...: what stays missing is in $lacking. yes: CRAN is asked, too.
# shellcheck disable=SC2046,SC2086 # lists of words
install_packages() {
  from_cran=$1
  shift
  lacking=$(missing_packages "$@")
  if [ -n "$lacking" ] && can_install; then
    apt_update
    available=$(in_archive $(debian_names $lacking))
    [ -z "$available" ] || apt_install $available || true
    lacking=$(missing_packages $lacking)
  fi
  # Nothing is installed for a user who is not root, not even into a library of that user.
  if [ -n "$lacking" ] && [ "$from_cran" = yes ] && [ "$(id -u)" = 0 ]; then
    cran_install $lacking || true
    lacking=$(missing_packages $lacking)
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

# ---- the target's needs --------------------------------------------------------------------------

: >"$work/apt.log"
: >"$work/update.log"
# shellcheck disable=SC2086 # lists of words from here on
{
  if [ -n "$packages" ]; then
    [ -z "$(missing_tools)" ] || apt_install $tools || give_up "$(missing_tools)" "$tools"
    missing=$(missing_tools)
    [ -z "$missing" ] || give_up "$missing" "$tools"
    needed_r=$(sed -n 's/.*R (>= \([0-9.]*\)).*/\1/p' DESCRIPTION)
    Rscript --vanilla -e "if (getRversion() < '$needed_r') quit(status = 1)" || {
      echo "setup: R is older than $needed_r; install a newer one (https://cran.r-project.org) and run the same command again" >&2
      exit 1
    }
  fi

  missing=$(missing_commands $commands)
  [ -z "$missing" ] || apt_install $missing || give_up "$missing" "$missing"

  install_packages yes $packages
  [ -z "$lacking" ] || give_up "the R packages $lacking" "$(debian_names $lacking)"
  for name in $debian_tools; do
    dpkg -s "$name" >/dev/null 2>&1 || apt_install "$name" || echo "setup: going on without $name" >&2
  done
  if [ "$what" = test ]; then
    unpack_openblas || echo "setup: going on without OpenBLAS; tests run with R's own BLAS" >&2
  fi
  install_packages $cran_optional $optional
  for name in $lacking; do
    echo "setup: going on without $(echo "$name" | sed 's/=/ >= /'); what needs it is left out" >&2
  done
  debian=$(in_archive $(debian_names $lacking))
  if [ -n "$debian" ] && ! can_install; then
    echo "setup: as root, this adds it: apt-get install $debian" >&2
  fi
}
