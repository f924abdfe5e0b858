#!/bin/sh
# Proves the rules about who may include what in src/ (the rooms, from the ground up):
#   1. R's headers appear only in src/rglue/, src/init.c and src/base/blas.h;
#   2. a room includes only itself and the rooms in its row of the table below;
#   3. no header and no symbol is called mkl*, those names belong to another library.
# Writes "passed failed skipped" to $MK_RESULT, one count for each rule.
# usage: dev/rooms.sh [folder that holds src/]
set -eu

cd "${1:-.}"
files=$(find src inst/include -name '*.[ch]' 2>/dev/null | sort)
[ -n "$files" ] || { echo "rooms: no C files under src/" >&2; exit 1; }

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
function may_enter(from, to, path,  row, n, i) {
  if (from == to || from == "rglue" || from == "init") return to != "init"
  n = split(allowed[from], row, " ")
  for (i = 1; i <= n; i++) if (row[i] == to || "src/" row[i] == path) return 1
  return 0
}
BEGIN {
  allowed["base"] = ""
  allowed["kernel"] = "base"
  allowed["string"] = "base kernel/kernel.h"
  allowed["normalize"] = "base kernel"
  allowed["cache"] = "base"
  allowed["svm"] = "base cache"
  allowed["theta"] = "base"
  allowed["optimizer"] = "base kernel normalize cache svm theta"
  allowed["rls"] = "base kernel normalize"
  allowed["sequential"] = "base kernel normalize svm theta optimizer"
  allowed["bound"] = "base kernel"
  allowed["rglue"] = "all"
  allowed["init"] = "all"
  allowed["include"] = ""
  r_header = "^(R|Rinternals|Rmath|Rdefines|Rconfig|Rversion|Rembedded|Rinterface|S)\\.h$|^R_ext/"
  for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1
}
FNR == 1 {
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
    else if (!may_enter(room, room_of(path), path)) deny(2, room "/ may not include " path)
  }
  includes++
}
/(^|[^A-Za-z0-9_])mkl_[A-Za-z0-9]/ { deny(3, "a name must not start with mkl_") }
END {
  for (i = 1; i <= 3; i++) failed += (broken[i] > 0)
  n = 0
  for (room in seen) n++
  printf "rooms: %d files in %d rooms, %d includes, %d of 3 rules broken\n", ARGC - 1, n, includes, failed
  printf "%d %d 0\n", 3 - failed, failed >result
  exit (failed > 0)
}
' result="${MK_RESULT:-/dev/null}" $files
