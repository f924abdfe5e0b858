#!/bin/sh
# The glue with a collection of garbage at every few allocations: what is not protected is gone.
# usage: dev/gctorture.sh [step [calls, such as fit,gomp]]
set -eu

dev/install.sh
R_LIBS="$(pwd)/.build/lib:${R_LIBS:-}" Rscript dev/gctorture.R "${1:-7}" ${2:+"$2"}
