#!/bin/sh
# Proves the rules about who may include and call whom in src/ (the rooms, from the ground up) and R/:
#   1. R's headers appear only in src/rglue/, src/init.c and src/base/blas.h;
#   2. a room includes and calls only itself and what its row of the table below grants, and nothing
#      is granted that it does not use; who judges a fit (exact/, certificate/) uses no code of
#      who makes it (low-rank/, rows/, svm/, theta/, optimizer/). What a kernel set is made of
#      (kernel/structure.h) is seen in kernel/, exact/, low-rank/ and rows/ alone, through other headers, too;
#   3. no header and no symbol is called mkl*, those names belong to another library;
#   4. files form floors inside a room, too: none calls or includes another in a circle. Calls are
#      the symbols that an object file takes from another, entries of a table among them; without
#      R's headers the glue's are left out.
#   5. no function is defined twice in R/, where the second would silently take the first one's place;
#   6. the glue enters the core and returns to R by mk_run() alone: only src/rglue/call.c starts a team
#      and catches R's jumps, and mk_fail() elsewhere is given a constant, never a status of the core;
#   7. files of R/ form floors as well: none uses another in a circle (dev/r-calls.R says what a use is).
#      Skipped without Rscript or package codetools, as is
#   8. at most 20 files of tests and their helpers use what NAMESPACE does not export;
#   9. functions and files that src/MATHEMATICS.md names exist, and so do the R files that comments in src/
#      name and the sections of src/MATHEMATICS.md that comments cite;
#  10. a header declares functions of one file alone, which has its name: a.h, and a-internal.h, those of a.c.
#      theta/members.h is no interface, but what the table in norm.c is made of, one file for each norm;
#  11. the types of families (MK_FAMILY_*) and the flags of a kind (linear, gaussian, local) are read in
#      few files; others ask the functions of kernel/structure.h.
# Writes "passed failed skipped" to $MK_RESULT, one count for each rule; nothing into the tree.
# usage: dev/rooms.sh [folder that holds src/]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}"
exported=$(sed -n 's/^export(\(.*\))$/\1/p' NAMESPACE 2>/dev/null | tr '\n' ' ')
export exported
twice=$(cat R/*.R 2>/dev/null | sed -n 's/^\(`[^`]*`\|[A-Za-z.][A-Za-z0-9_.]*\) <- function.*/\1/p' | sort | uniq -d | tr '\n' ' ')
export twice
files=$(find src inst/include -name '*.[ch]' 2>/dev/null | sort)
[ -n "$files" ] || { echo "rooms: no C files under src/" >&2; exit 1; }

# Rule 9. Comments are read without their line breaks.
stray() {
  defined=$(sed -nE 's/^[A-Za-z_][A-Za-z0-9_ *]*[ *]([A-Za-z0-9_]+)\(.*/\1()/p; s/^([A-Za-z.][A-Za-z0-9_.]*) <- .*/\1()/p' $files R/*.R)
  grep -oE '`[A-Za-z0-9_.]+\(\)`' src/MATHEMATICS.md | tr -d '`' | sort -u | grep -vxF "$defined" || true
  for file in $(grep -oE '[A-Za-z-]+/[a-z0-9-]+\.[Rch]\b' src/MATHEMATICS.md; grep -ohE '\bR/[a-z0-9-]+\.R' $files); do
    [ -f "$file" ] || [ -f "src/$file" ] || echo "$file"
  done
  cat $files src/README.md R/*.R tests/c/*.[ch] tests/testthat/*.R | sed -E "s/^ *(#'?|\*)//" | tr -s '\n ' ' ' |
    grep -oE 'MATHEMATICS.md, sections? [0-9.]+((,| and| to) [0-9.]+)*' | grep -oE '[0-9]+(\.[0-9]+)?' | sort -u |
    while read -r section; do
      grep -qE "^##+ $section\.? " src/MATHEMATICS.md || echo "section $section"
    done
}
strays=$([ ! -f src/MATHEMATICS.md ] || stray | tr '\n' ' ')
export strays

# Objects of all sources for their symbols alone: no optimisation, no BLAS of R.
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
headers=$(R CMD config --cppflags 2>/dev/null || true)
[ -n "$headers" ] || echo "rooms: without R's headers the glue's calls are not seen"
# shellcheck disable=SC2016 # the inner shell's
for file in $files; do
  case $file in
    *.h) ;;
    src/rglue/* | src/init.c) [ -z "$headers" ] || echo "$file" ;;
    *) echo "$file" ;;
  esac
done | xargs -n 8 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
  for file; do
    object=$0/$file.o
    mkdir -p "${object%/*}"
    "${CC:-gcc}" -std=gnu11 -O0 -w -DMK_NO_R -Isrc '"$headers"' -c -o "$object" "$file" || exit 255
  done' "$objects"
# "user definer symbol" by line
calls=$objects/calls
find $objects -name '*.o' -exec nm -gA {} + | sed "s|^$objects/||" | awk '
{ sub(/\.o:/, " ") }
/ mk_/ && $(NF - 1) == "U" { user[++n] = $1; symbol[n] = $NF; next }
/ mk_/ { definer[$NF] = $1 }
END { for (i = 1; i <= n; i++) if (symbol[i] in definer) print user[i], definer[symbol[i]], symbol[i] }
' >"$calls"

# The same of R/.
r_calls=$objects/r-calls
: >"$r_calls"
skipped=0
if Rscript -e 'loadNamespace("codetools")' >/dev/null 2>&1; then
  tests=
  [ ! -d tests/testthat ] || tests=tests/testthat
  # shellcheck disable=SC2086 # one word or none
  Rscript "$here/r-calls.R" R $tests >"$r_calls"
else
  skipped=2
  echo "rooms: without Rscript and its package codetools uses among R files are not seen"
fi

# shellcheck disable=SC2016,SC2086 # the $ are awk's; file names have no spaces
awk '
function deny(rule, text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  broken[rule]++
}
# src/kernel/dense.c -> kernel; src/init.c -> init
function room_of(path,  part, n) {
  n = split(path, part, "/")
  if (part[1] == "inst") return "include"
  if (n == 2) { sub(/\.[ch]$/, "", part[2]); return part[2] }
  return part[2]
}
function normal(path) {
  while (match(path, /[^\/]+\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
  gsub(/\/\.\//, "/", path)
  return path
}
function find_header(name,  folder, path) {
  folder = FILENAME
  sub(/[^\/]*$/, "", folder)
  path = normal(folder name)
  if (path in known) return path
  path = normal("src/" name)
  return (path in known) ? path : ""
}
# 1 where a room may use a file; a grant is a room, or a file of one without its ending.
function may_enter(from, to, path,  row, n, i) {
  if (from == to || from == "rglue" || from == "init") return to != "init"
  n = split(allowed[from], row, " ")
  for (i = 1; i <= n; i++) if (row[i] == to || index(path, "src/" row[i] ".") == 1) {
    used[from, row[i]] = 1
    return 1
  }
  return 0
}
# 1 where a file includes kernel/structure.h, by way of other headers, too.
function sees_structure(file, depth,  next_files, n, i) {
  if (file == "src/kernel/structure.h") return 1
  n = depth < 20 ? split(includes_of[file], next_files, " ") : 0
  for (i = 1; i <= n; i++) if (sees_structure(next_files[i], depth + 1)) return 1
  return 0
}
function link(from, to, name) {
  if (!((from, to) in names)) uses[from] = uses[from] " " to
  names[from, to] = names[from, to] ", " name
}
# The shortest way from a file back to itself, written from the first of its files on. The shortest
# circles of all are told.
function find_circle(start,  queue, head, tail, before, next_files, n, i, file, way, why, least, steps, rule) {
  queue[tail = 1] = start
  for (head = 1; head <= tail && !(start in before); head++) {
    n = split(uses[queue[head]], next_files, " ")
    for (i = 1; i <= n; i++) if (!(next_files[i] in before)) {
      before[next_files[i]] = queue[head]
      queue[++tail] = next_files[i]
    }
  }
  if (!(start in before)) return
  least = file = start
  do {
    why = names[before[file], file] why
    way = " -> " file way
    file = before[file]
    if (file < least) least = file
    steps++
  } while (file != start)
  i = index(way, " -> " least)
  way = substr(way, i) substr(way, 1, i - 1)
  rule = least ~ /^R\// ? 7 : 4
  if (found[way]++ || (broken[rule]++ && steps > shortest[rule])) return
  if (steps < shortest[rule]) circles[rule] = ""
  shortest[rule] = steps
  circles[rule] = circles[rule] substr(way, 5) " -> " least " (" substr(why, 3) ")\n"
}
BEGIN {
  allowed["base"] = ""
  allowed["kernel"] = "base"
  allowed["string"] = "base"
  allowed["matrix"] = "base"
  allowed["exact"] = "base kernel"
  allowed["problem"] = "base kernel/set"
  allowed["certificate"] = "base kernel/set exact problem"
  allowed["normalize"] = "base kernel exact"
  allowed["cache"] = "base"
  allowed["svm"] = "base problem"
  allowed["theta"] = "base problem"
  allowed["low-rank"] = "base kernel exact"
  allowed["rows"] = "base kernel cache low-rank"
  allowed["chunking"] = "base kernel/set rows svm theta problem certificate"
  allowed["optimizer"] = "base kernel rows svm theta problem certificate chunking"
  allowed["rls"] = "base kernel exact rows"
  allowed["grid"] = "base kernel rows theta problem certificate optimizer"
  allowed["sequential"] = "base kernel exact normalize problem certificate optimizer"
  allowed["bound"] = "base kernel rows"
  allowed["rglue"] = "all"
  allowed["init"] = "all"
  allowed["include"] = ""
  r_header = "^(R|Rinternals|Rmath|Rdefines|Rconfig|Rversion|Rembedded|Rinterface|S)\\.h$|^R_ext/"
  reads_kinds = "^src/(kernel/(kind-[a-z-]+|set)\\.c|kernel/(kind|structure)\\.h|exact/exact\\.c|rglue/kernels\\.c)$"
  for (i = 3; i < ARGC; i++) known[ARGV[i]] = 1
}
FILENAME == calls {
  if (!may_enter(room_of($1), room_of($2), $2)) {
    print $1 " may not call " $3 "() of " $2
    broken[2]++
  }
  link($1, $2, $3)
  next
}
FILENAME == r_calls && /^tests/ {
  if (!index(" " ENVIRON["exported"], " " $3 " ")) inside[$1] = inside[$1] " " $3
  next
}
FILENAME == r_calls {
  if (!($1 in uses)) r_file[++r_files] = $1
  link($1, $2, $3)
  next
}
FNR == 1 {
  files++
  room = room_of(FILENAME)
  seen[room]++
  if (!(room in allowed)) deny(2, "src/" room " is no room of the house")
  if (FILENAME ~ /(^|\/)mkl[^\/]*$/) deny(3, "a file must not be called mkl*")
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
  quoted = substr(name, 1, 1) == "\""
  name = substr(name, 2)
  sub(/[>"].*$/, "", name)
  if (name ~ r_header) {
    if (room != "rglue" && room != "include" && FILENAME != "src/init.c" && FILENAME != "src/base/blas.h")
      deny(1, "R header " name " outside the glue")
  } else if (quoted) {
    path = find_header(name)
    if (path == "") deny(2, "no such header in src/: " name)
    else {
      if (!may_enter(room, room_of(path), path)) deny(2, room "/ may not include " path)
      link(FILENAME, path, path)
      includes_of[FILENAME] = includes_of[FILENAME] " " path
    }
  }
  includes++
}
room == "rglue" && FILENAME !~ /\/call\.c$/ {
  if (/(^|[^A-Za-z0-9_])(mk_team_run|R_[A-Za-z]*Unwind[A-Za-z]*|R_ToplevelExec|longjmp) *\(/)
    deny(6, "only call.c enters the core and catches jumps; others use mk_run()")
  if (/(^|[^A-Za-z0-9_])mk_fail\(/ && !/(^|[^A-Za-z0-9_])mk_fail\(MK_[A-Z_]+\)/ && !/ mk_fail\(mk_status status\);/)
    deny(6, "mk_fail() is for constants; what may fail in the core runs by mk_run()")
}
match($0, /^[a-z][A-Za-z0-9_ ]*[ *]mk_[a-z0-9_]+\(/) && !/^(static|typedef)/ && FILENAME != "src/theta/members.h" {
  name = substr($0, 1, RLENGTH - 1)
  sub(/.*[ *]/, "", name)
  if (FILENAME ~ /\.c$/) definer_of[name] = FILENAME
  else header_of[name] = FILENAME
}
/(^|[^A-Za-z0-9_])MK_FAMILY_[A-Z]|kind(_of\(.*\))?->(linear|gaussian|local)([^A-Za-z0-9_]|$)/ && FILENAME !~ reads_kinds {
  deny(11, "asks for a kind itself; kernel/structure.h has the questions")
}
/(^|[^A-Za-z0-9_])mkl_[A-Za-z0-9]/ { deny(3, "a name must not start with mkl_") }
END {
  for (i = 1; i <= r_files; i++) find_circle(r_file[i])
  for (i = 3; i < ARGC; i++) {
    find_circle(ARGV[i])
    if (room_of(ARGV[i]) !~ /^(kernel|exact|low-rank|rows)$/ && sees_structure(ARGV[i], 0)) {
      print ARGV[i] " sees kernel/structure.h"
      broken[2]++
    }
  }
  printf "%s%s", circles[4], circles[7]
  for (room in seen) {
    n = allowed[room] == "all" ? 0 : split(allowed[room], row, " ")
    for (i = 1; i <= n; i++) if (!((room, row[i]) in used)) {
      print room "/ is granted " row[i] " and does not use it"
      broken[2]++
    }
  }
  if (ENVIRON["twice"] != "") deny(5, "defined twice in R/: " ENVIRON["twice"])
  if (ENVIRON["strays"] != "") {
    print "named by src/MATHEMATICS.md or by comments, but nowhere: " ENVIRON["strays"]
    broken[9]++
  }
  for (name in header_of) {
    file = header_of[name]
    sub(/(-internal)?\.h$/, ".c", file)
    if (name in definer_of && definer_of[name] != file) {
      print header_of[name] " declares " name "() of " definer_of[name]
      broken[10]++
    }
  }
  for (file in inside) of_tests++
  if (of_tests > 20) {
    print "files of tests that use what is not exported, more than 20:"
    for (file in inside) print "  " file ":" inside[file]
    broken[8]++
  }
  for (i = 1; i <= 11; i++) failed += (broken[i] > 0)
  n = 0
  for (room in seen) n++
  printf "rooms: %d files in %d rooms, %d includes, %d of 11 rules broken\n", files, n, includes, failed
  printf "%d %d %d\n", 11 - failed - skipped, failed, skipped >result
  exit (failed > 0)
}
' result="${MK_RESULT:-/dev/null}" skipped="$skipped" calls="$calls" r_calls="$r_calls" "$calls" "$r_calls" $files
