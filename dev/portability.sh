#!/bin/sh
# The core by other compilers and settings than the usual ones, as far as they are installed:
#   every file with all warnings on, by gcc and clang, as C11, C17 and C23, with and without OpenMP,
#   without vector code of its own, for 32 bits, on another C library, for Windows, for macOS (where
#   MACOS_HEADERS has -isystem folders of its C library);
#   no entry points of R that are not part of its API, nothing internal of other packages;
#   the C tests where a long double is a double, for 32 bits, and for numbers that begin with their highest byte.
# Writes "passed failed skipped" to $MK_RESULT and a line for bench/reliability.md to the output.
# usage: dev/portability.sh [quick]    quick: the oldest standard by gcc, the newest by clang, without the C tests
set -eu

form=${1:-whole}
out=.build/portability
rm -rf $out
mkdir -p $out
core=$(find src -name '*.c' ! -path 'src/rglue/*' ! -path src/init.c | sort)
all="-Wall -Wextra -Wconversion -pedantic -Werror -DMK_NO_R -Isrc"
passed=0
failed=0
skipped=0

# compiler standard flags...: every file of the core compiles without a warning
compiles() {
  compiler=$1
  standard=$2
  shift 2
  name="$compiler $standard $*"
  # A compiler may take -fopenmp and lack its header, as Debian's clang does without libomp-dev.
  if ! printf '#include <stdio.h>\n#ifdef _OPENMP\n#include <omp.h>\n#endif\n' | $compiler -std="$standard" "$@" -x c -fsyntax-only - 2>/dev/null; then
    echo "left out, not to be had here: $name"
    skipped=$((skipped + 1))
    return
  fi
  log=$out/$(echo "$name" | tr ' =/' '___').log
  # shellcheck disable=SC2086 # lists
  if echo $core | xargs -n 8 -P "$(getconf _NPROCESSORS_ONLN)" $compiler -std="$standard" "$@" $all -fsyntax-only 2>"$log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "NOT clean: $name"
    grep -E 'error|warning' "$log" | head -n 20
  fi
}

clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | tail -n 1 || true)
compiles gcc c11
compiles "${clang:-clang}" gnu2x -fopenmp
if [ "$form" = whole ]; then
  for compiler in gcc ${clang:-clang}; do
    for standard in gnu11 gnu17 gnu2x; do compiles "$compiler" $standard; done
    compiles "$compiler" gnu11 -fopenmp
  done
  compiles gcc c2x
  compiles gcc gnu11 -m32 -Wno-psabi # functions that return vectors are static
  compiles gcc gnu11 -DMK_BASELINE_ONLY
  compiles musl-gcc gnu11
  compiles x86_64-w64-mingw32-gcc gnu11 -fopenmp -Wno-float-conversion # isfinite() there narrows
  # shellcheck disable=SC2086 # a list
  compiles "${clang:-clang}" gnu11 -target arm64-apple-macos11 -nostdlibinc ${MACOS_HEADERS:-}
fi

# links COMPILER...: it makes a program, so it has a C library for what it compiles for
links() {
  echo 'int main(void) { return 0; }' | "$@" -x c -o $out/program - 2>/dev/null
}

# c_tests MODE LACKING: the C tests in a mode of dev/c-tests.sh; LACKING names what is not there
c_tests() {
  if [ -n "$2" ]; then
    echo "left out, not to be had here: C tests, $1 ($2)"
    skipped=$((skipped + 1))
  elif dev/c-tests.sh "$1" >$out/c-tests-"$1".log 2>&1; then
    passed=$((passed + 1))
    tail -n 1 $out/c-tests-"$1".log
  else
    failed=$((failed + 1))
    grep -E '^FAILED|error' $out/c-tests-"$1".log | head -n 20
  fi
}

if [ "$form" = whole ]; then
  lacking=""
  links gcc -mlong-double-64 || lacking="gcc -mlong-double-64"
  c_tests short "$lacking"
  lacking=""
  if links gcc -m32; then
    $out/program 2>/dev/null || command -v qemu-i386 >/dev/null ||
      lacking="a system that runs 32-bit programs, or package qemu-user"
  else
    lacking="gcc -m32: package gcc-12-multilib"
  fi
  c_tests narrow "$lacking"
  lacking=""
  links s390x-linux-gnu-gcc || lacking="packages gcc-s390x-linux-gnu and libc6-dev-s390x-cross"
  command -v qemu-s390x >/dev/null || lacking="${lacking:+$lacking, }package qemu-user"
  c_tests swapped "$lacking"
fi

# What is not in R's API, as far as headers and `Writing R Extensions` tell.
banned='SET_TYPEOF|SETLENGTH|SET_TRUELENGTH|SET_GROWABLE|ATTRIB\(|SET_ATTRIB|OBJECT\(|IS_S4_OBJECT|STRING_PTR\(|VECTOR_PTR|R_nchar|Rf_findVar|FRAME\(|ENCLOS\(|HASHTAB|BODY\(|FORMALS\(|CLOENV|R_InputHandlers|LEVELS\(|NAMED\(|R_BaseEnvName|PRVALUE|SYMVALUE|R_PromiseExpr|Rf_isFrame\(|Rf_GetOption\('
if grep -rnE "$banned" src/rglue src/init.c src/base/blas.h inst/include; then
  failed=$((failed + 1))
else
  passed=$((passed + 1))
fi
if grep -rnE 'manykernels:::|[^a-z]tools:::|base:::|stats:::|utils:::' R; then
  failed=$((failed + 1))
else
  passed=$((passed + 1))
fi
echo "| compilers and standards without a warning, rules of R's API | $((passed + failed)) | $failed |"
echo "$passed $failed $skipped" >"${MK_RESULT:-/dev/null}"
[ $failed -eq 0 ]
