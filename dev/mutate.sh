#!/bin/sh
# Mutants of the core: changes one operator, sign, bound or constant of a C file at a time (see
# mutate.awk), and looks whether a test fails. A mutant meets the tests that run its line, quick ones
# first: C programs, some files of tests/testthat, and the C programs once more under the address
# sanitizer. What survives is dead code, which goes, or lacks a test, or is equivalent to the original.
# dev/mutants-triage.txt says which of the last two, and why; a survivor that is not there is a failure.
# The draw is the same for the same seed: N mutants take the groups of rooms and the kinds of change in
# turn. `record` writes dev/mutants.md. What is built stays in .build/mutants.
# `sample` is for dev/sanitize.sh: 20 of the N, with every commit other ones. The test that noticed a
# mutant when dev/mutants.md was written comes first, and the triage has the word before other tests,
# so that a sample takes some minutes; which tests run which lines is found out where a mutant is new.
# usage: dev/mutate.sh [N [SEED [record|sample]]]
set -eu

wanted=${1:-300}
seed=${2:-1}
how=${3:-}
# Rooms that take turns. Those that share a turn do so by commas.
groups="kernel=kernel,exact,low-rank,rows,matrix certificate=certificate,problem optimizer=optimizer svm=svm theta=theta"
# Files of tests/testthat: those that find most by the second.
r_files="normalize wide precomputed duality-gap"
# Tests that take longer are left out.
seconds_per_test=${SECONDS_PER_TEST:-30}
sampled=${SAMPLED:-20}
cc=${CC:-cc}
work=.build/mutants
triage=dev/mutants-triage.txt
flags="-O1 -fPIC -DMK_STOP_AT_FAILURE"
exact_flags="$flags -DMK_EXACT_BLOCKS -fsanitize=address"
MANYKERNELS_FAULTS=few
OMP_WAIT_POLICY=passive
R_LIBS=$(pwd)/$work/lib
export MANYKERNELS_FAULTS OMP_WAIT_POLICY R_LIBS
ulimit -c 0

# ---- builds --------------------------------------------------------------------------------------

core_objects() { find "$1/src" -name '*.o' ! -path '*/rglue/*' ! -name init.o | LC_ALL=C sort; }

# The core as a library that all C programs share, so that a mutant is linked once. Programs that
# refuse memory have one of their own, where the calls that they wrap are left open.
faults=$(sed -n 's/^FAULTS := *//p' tests/c/Makefile)
wraps=""
for name in $faults; do wraps="$wraps -Wl,--wrap=$name"; done

# link core|faults|exact|package OBJECT...: a library of these objects of the core
# shellcheck disable=SC2086 # lists of words from here on
link() {
  library=$1
  shift
  case $library in
    core) $cc -shared -fopenmp -o $work/bin/libcore.so "$@" -llapack -lblas -lm ;;
    faults) $cc -shared -fopenmp $wraps -o $work/bin/libfaults.so "$@" -llapack -lblas -lm ;;
    exact) $cc -shared -fopenmp -fsanitize=address -o $work/bin/exact/libcore.so "$@" -llapack -lblas -lm ;;
    package)
      $cc -shared -fopenmp $coverage -o $work/lib/manykernels/libs/manykernels.so $work/glue/*.o "$@" \
        -L"$(R RHOME)/lib" -lR -llapack -lblas -lm ;;
  esac
}

# objects MADE FLAGS: the core and the programs as objects
objects() {
  make -s -j"${JOBS:-2}" -f tests/c/Makefile BUILD="$work/$1" CFLAGS="$2" programs
}

build_core() {
  mkdir -p $work/bin $work/mutant
  objects plain "$flags"
  for library in core faults; do link $library $(core_objects $work/plain); done
  for object in $work/plain/tests/c/test-*.o; do
    name=$(basename "$object" .o)
    case $name in
      test-faults-*) $cc -fopenmp -rdynamic $wraps -o "$work/bin/$name" "$object" -L$work/bin -lfaults -lm ;;
      *) $cc -fopenmp -o "$work/bin/$name" "$object" -L$work/bin -lcore -lm ;;
    esac
  done
}

build_exact() {
  mkdir -p $work/bin/exact $work/mutant/exact
  objects exact "$exact_flags"
  link exact $(core_objects $work/exact)
  for object in $work/exact/tests/c/test-*.o; do
    name=$(basename "$object" .o)
    case $name in
      test-faults-*) ;;
      *)
        $cc -fopenmp -fsanitize=address -o "$work/bin/exact/$name" "$object" -L$work/bin/exact -lcore -lm ;;
    esac
  done
}

build_package() {
  mkdir -p $work/glue $work/lib
  for glue in src/rglue/*.c src/init.c; do
    object=$work/glue/$(basename "$glue" .c).o
    [ "$object" -nt "$glue" ] && [ -z "$(find src -name '*.h' -newer "$object")" ] ||
      $cc -std=gnu11 -fopenmp -w -O1 -fPIC $(R CMD config --cppflags) -Isrc -c -o "$object" "$glue"
  done
  dev/install.sh
  rm -rf $work/lib/manykernels $work/testthat
  cp -R .build/lib/manykernels $work/lib
  cp -R tests/testthat $work/testthat
}

# need core|faults|exact|package: builds what tests of this library need, once a run
need() {
  built=$1
  [ "$built" != faults ] || built=core
  case $ready in *" $built "*) return ;; esac
  "build_$built" >&2
  ready="$ready$built "
}

# ---- tests ---------------------------------------------------------------------------------------

# run LIBRARY TEST SECONDS: a file of testthat (package) or a C program, with a limit of processor time
run() {
  (
    ulimit -t "$3"
    [ "$1" = exact ] || ulimit -v 8000000
    limit="timeout $((20 * $3))"
    case $1 in
      package)
        cd $work/testthat
        exec $limit Rscript -e 'library(testthat); library(manykernels)' \
          -e "test_file('test-$2.R', package = 'manykernels', load_package = 'installed', reporter = 'stop',
                        stop_on_failure = TRUE)" ;;
      coverage) exec $limit "$work/coverage/tests/c/$2" ;;
      exact) LD_LIBRARY_PATH=$work/bin/exact exec $limit "$work/bin/exact/$2" ;;
      *) LD_LIBRARY_PATH=$work/bin exec $limit "$work/bin/$2" ;;
    esac
  ) >$work/log 2>&1 </dev/null
}

# "test seconds file line" for each line of the rooms that a test runs. gcov gives a statement's first
# line a count; its other lines take that.
lines_of() {
  find $work/coverage/src -name '*.gcda' | xargs gcov -t 2>/dev/null | awk -F: -v test="$1" -v seconds="$2" '
    $3 == "0" || $2 + 0 == 0 { if ($3 == "Source") file = $4; status = 0; next }
    { count = $1; gsub(/[ *]/, "", count) }
    count != "-" { status = count !~ /^[#=]/ }
    status && file ~ /^src\/.*\.c$/ { print test "\t" seconds "\t" file "\t" $2 + 0 }'
}

# note_reach LIBRARY TEST: adds its lines to the table, with the processor time it takes
note_reach() {
  find $work/coverage -name '*.gcda' -exec rm -f {} +
  seconds=$( (run "$1" "$2" 300 || echo failed; times) | awk '
    /failed/ { print "failed"; exit }
    NR == 2 { split($0, t, /[ms ]+/); print 60 * (t[1] + t[3]) + t[2] + t[4] }')
  [ "$seconds" != failed ] || { cat $work/log >&2; echo "mutate: $2 fails without a mutant" >&2; exit 1; }
  lines_of "$2" "$seconds" >>$work/reach.new
}

# Who runs which line; kept until a source or a test changes.
reach() {
  [ ! -f $work/reach ] || [ -n "$(find src tests -type f ! -name '*.o' -newer $work/reach)" ] || return 0
  objects coverage "$flags --coverage"
  need package
  : >$work/reach.new
  for test in $(cd $work/bin && echo test-*); do note_reach coverage "$test"; done
  coverage=--coverage
  link package $(core_objects $work/coverage)
  coverage=""
  for test in $r_files; do note_reach package "$test"; done
  mv $work/reach.new $work/reach
}

# ---- mutants -------------------------------------------------------------------------------------

# The first N mutants: by rank within their group and kind. Of these a sample has every N/20th, the
# first of which goes by the commit.
draw() {
  awk -v seed="$seed" -v groups="$groups" -f dev/mutate.awk src/*/*.c | LC_ALL=C sort -t "$tab" -k1,2 -k3,3n |
    awk -F "$tab" -v OFS="$tab" '{ print ++rank[$1, $2], $0 }' | LC_ALL=C sort -t "$tab" -k1,1n -k4,4n |
    head -n "$wanted" |
    awk -v sample="$([ "$how" != sample ] || echo 1)" -v wanted="$wanted" -v sampled=$sampled -v commit="$commit" '
      BEGIN { step = sample && wanted > sampled ? int(wanted / sampled) : 1 } NR % step == commit % step'
}

# mutate FILE LINE COLUMN LENGTH NEW: the mutant's source
mutate() {
  awk -v line="$2" -v column="$3" -v width="$4" -v new="$5" '
    FNR == line { $0 = substr($0, 1, column - 1) new substr($0, column + width) } { print }' "$1"
}

# compile FILE FLAGS...: the mutant. The compiler puts a file's name in the object, so both have the same.
compile() {
  source=$1
  shift
  $cc -std=gnu11 -fopenmp -w "$@" -DMK_NO_R -iquote "$(dirname "$source")" -Isrc \
    '-Dmk_larger(a,b)=((a)>(b)?(a):(b))' -c "$mutant" 2>/dev/null
}

# The tests that run a line, "seconds library test": the quick ones first, then what the sanitizer is for.
tests_of() {
  awk -F "$tab" -v file="$1" -v line="$2" -v most="$seconds_per_test" '
    $3 != file || $4 != line || $2 > most { next }
    $1 !~ /^test-/ { print 0, $2, "package", $1; next }
    $1 ~ /^test-faults-/ { print 0, $2, "faults", $1; next }
    { print 0, $2, "core", $1; print 1, $2, "exact", $1 }' $work/reach | sort -k1,1n -k2,2n
}

# The test that noticed a mutant when dev/mutants.md was written, in the form of tests_of().
known_test() {
  file=$(basename "$1") original=$2 mutated=$3 awk '
    { gsub(/\\\|/, "\001") }
    split($0, part, / \| /) != 4 { next }
    {
      gsub(/\001/, "|", part[2])
      gsub(/\001/, "|", part[3])
      sub(/ \|$/, "", part[4])
      sub(/:[0-9]+$/, "", part[1])
      sub(/.*\//, "", part[1])
    }
    part[1] != ENVIRON["file"] || part[2] != "`" ENVIRON["original"] "`" { next }
    part[3] != "`" ENVIRON["mutated"] "`" || part[4] ~ /^(same code|does not compile|equivalent|open|SURVIVED)/ { next }
    {
      library = part[4] ~ /address sanitizer$/ ? "exact" : part[4] ~ /^test-faults-/ ? "faults" : part[4] ~ /^test-/ ? "core" : "package"
      sub(/ does not end.*|,.*/, "", part[4])
      print 0, 10, library, part[4]
      exit
    }' dev/mutants.md
}

# try FILE: runs the tests in $work/tests and says what became of the mutant
try() {
  object=$work/mutant/object.o
  compile "$1" $flags -o $object || { echo "does not compile"; return; }
  if cmp -s $object "$work/plain/${1%.c}.o"; then echo "same code"; return; fi
  [ -s $work/tests ] || { echo "SURVIVED: no test runs it"; return; }
  linked=""
  while read -r _ seconds library test <&3; do
    case $linked in
      *"$library"*) ;;
      *) link_mutant "$1" "$library" ;;
    esac
    linked="$linked $library"
    status=0
    run "$library" "$test" "$(awk -v s="$seconds" 'BEGIN { print int(3 * s + 5) }')" || status=$?
    case $status in
      0) continue ;;
      124 | 137 | 152) test="$test does not end" ;;
    esac
    [ "$library" != exact ] || test="$test, address sanitizer"
    echo "$test"
    return
  done 3<$work/tests
  echo SURVIVED
}

# link_mutant FILE LIBRARY: the library with the mutant in the place of its original
link_mutant() {
  made=plain
  mutated=$object
  if [ "$2" = exact ]; then
    made=exact
    mutated=$work/mutant/exact/object.o
    compile "$1" $exact_flags -o $mutated
  fi
  link "$2" $mutated $(core_objects $work/$made | grep -vx "$work/$made/${1%.c}.o")
}

# ---- the run -------------------------------------------------------------------------------------

# A survivor's verdict, "equivalent: ..." or "open: ...": the comment above its line in the triage.
verdict() {
  awk -v wanted="$1: $2" '
    /^#/ { reason = (inside ? reason " " : "") substr($0, 3); inside = 1; next }
    { inside = 0 }
    $0 == wanted { print reason; exit }' $triage
}

without_indent() { sed -n "${2}p" "$1" | sed 's/^ *//'; }

# meet FILE: builds what the tests in $work/tests need, and sets `outcome`
meet() {
  for library in core $(cut -d' ' -f3 $work/tests | sort -u); do need "$library"; done
  outcome=$(try "$1" 2>/dev/null)
}

# Tests that fail without a mutant prove nothing.
check_known_tests() {
  while IFS=$tab read -r _ _ _ _ file line column width new <&4; do
    mutate "$file" "$line" "$column" "$width" "$new" >$work/mutant/source
    known_test "$file" "$(without_indent "$file" "$line")" "$(without_indent $work/mutant/source "$line")"
  done 4<$work/drawn | sort -u >$work/tests
  while read -r _ seconds library test <&3; do
    need "$library"
    run "$library" "$test" $((3 * seconds + 5)) || { cat $work/log >&2; echo "mutate: $test fails without a mutant" >&2; exit 1; }
  done 3<$work/tests
}

is_alive() { case $outcome in SURVIVED*) ;; *) return 1 ;; esac }

# judge FILE LINE ORIGINAL MUTANT: sets `outcome`
judge() {
  reason=$(verdict "$(basename "$1")" "$4")
  outcome=SURVIVED
  if [ "$how" = sample ]; then
    known_test "$1" "$3" "$4" >$work/tests
    meet "$1"
    if is_alive && [ -n "$reason" ]; then outcome=$reason; fi
  fi
  is_alive || return 0
  reach
  tests_of "$1" "$2" >$work/tests
  meet "$1"
  if is_alive; then outcome=${reason:-$outcome}; fi
}

# The table of all mutants in Markdown.
record() {
  echo "# Mutants of the core"
  echo
  echo "Written by \`make mutants N=$wanted SEED=$seed\`; see dev/mutate.sh. $summary"
  echo
  echo "| file and line | original | mutant | what became of it |"
  echo "| --- | --- | --- | --- |"
  sed 's/|/\\|/g' $work/results | awk -F "$tab" '{ printf "| %s:%s | `%s` | `%s` | %s |\n", $1, $2, $3, $4, $5 }'
}

tab=$(printf '\t')
coverage=""
ready=" "
commit=$((0x$(git rev-parse --short=6 HEAD 2>/dev/null || echo 0)))
need core
draw >$work/drawn
[ "$how" != sample ] || check_known_tests
: >$work/results
while IFS=$tab read -r _ _ _ _ file line column width new <&4; do
  mutant=$work/mutant/$(basename "$file")
  mutate "$file" "$line" "$column" "$width" "$new" >"$mutant"
  original=$(without_indent "$file" "$line")
  changed=$(without_indent "$mutant" "$line")
  judge "$file" "$line" "$original" "$changed"
  printf '%s\t%s\t%s\t%s\t%s\n' "$file" "$line" "$original" "$changed" "$outcome" | tee -a $work/results
done 4<$work/drawn
summary=$(awk -F "$tab" '
  $5 ~ /^SURVIVED|^open/ { alive++; next }
  $5 ~ /^equivalent|^same code/ { same++; next }
  $5 == "does not compile" { broken++; next }
  { killed++ }
  END { printf "%d mutants: %d killed, %d equivalent, %d do not compile, %d survived.", NR, killed, same, broken, alive }' \
  $work/results)
echo "mutate: $summary"
[ "$how" != record ] || record >dev/mutants.md
! grep -q "${tab}SURVIVED" $work/results
