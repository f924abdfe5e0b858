#!/bin/sh
# Which lines of the core the C tests run, by gcov, file by file; those below the goal are shown. The
# lines that no test runs are in .build/coverage/*.gcov.
# usage: dev/coverage.sh
set -eu

goal=95
build=.build/c-coverage
out=.build/coverage
find $build -name '*.gcda' -exec rm -f {} + 2>/dev/null || true
MANYKERNELS_FAULTS= dev/c-tests.sh coverage
rm -rf $out
mkdir -p $out
root=$(pwd)
ln -s ../../src $out/src # gcov looks for sources below the folder where it writes
(cd $out && find "$root/$build/src" -name '*.gcda' -exec gcov {} + >gcov.log 2>/dev/null)
cd $out
awk -F: -v goal=$goal '
  FNR == 1 { file = "" }
  /^ *-: *0:Source:/ { file = $4 }
  file !~ /^src\// { next }
  { count = $1; gsub(/[ *]/, "", count) }
  count == "-" { next }
  # lines of headers stand there once for each file that includes them
  { seen[file, $2 + 0] = 1; if (count !~ /^[#=]/) run[file, $2 + 0] = 1 }
  END {
    for (key in seen) {
      split(key, part, SUBSEP)
      lines[part[1]]++; all++
      if (key in run) { hit[part[1]]++; done++ } else print part[1] "," part[2] >"core.csv"
    }
    for (file in lines)
      if (100 * hit[file] < goal * lines[file])
        printf "%s: %.1f %% of %d lines\n", file, 100 * hit[file] / lines[file], lines[file]
    printf "| lines of the core, of which C tests do not run | %d | %d |\n", all, all - done
    printf "C tests run %.1f %% of the lines of the core\n", 100 * done / all
    exit !(all > 0 && 100 * done >= goal * all)
  }' ./*.gcov
