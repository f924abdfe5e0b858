#!/bin/sh
# R CMD check --as-cran by the R and the compiler of a newer Debian, in a root of its own below .build,
# with the committed sources. For root on Debian, with debootstrap.
# Writes a line for bench/reliability.md to the output.
# usage: dev/current-r.sh [release]
set -eu

release=${1:-trixie}
root=$(pwd)/.build/$release
packages="r-base-dev r-cran-matrix r-cran-testthat r-cran-knitr r-cran-rmarkdown r-cran-kernlab r-cran-e1071
r-cran-ggplot2 r-cran-cli r-cran-generics r-cran-survival r-cran-future r-cran-progressr pandoc qpdf ghostscript"
command -v debootstrap >/dev/null || apt-get install -y -q debootstrap
[ -d "$root/package" ] || debootstrap --variant=minbase "$release" "$root"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"

mount -t proc proc "$root/proc"
trap 'umount "$root/proc" "$root/shared"' EXIT
mkdir -p "$root/shared"
mount --bind ../shared "$root/shared"
chroot "$root" apt-get update -q
# shellcheck disable=SC2086 # a list
chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages

rm -rf "$root/package"
mkdir "$root/package"
git archive HEAD | tar -xf - -C "$root/package"
version=$(chroot "$root" Rscript -e 'cat(as.character(getRversion()))')
status=0
chroot "$root" env LC_ALL=C.UTF-8 NOT_CRAN=true MANYKERNELS_SHARED=/shared MK_RESULT=/package/count \
  sh -c 'cd /package && dev/check.sh --as-cran --no-manual' || status=$?
read -r passed failed _ <"$root/package/count"
echo "| checks of \`R CMD check --as-cran\` by R $version | $((passed + failed)) | $failed |"
exit $status
