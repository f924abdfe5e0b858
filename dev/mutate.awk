# All mutants of C sources: one change of one operator, sign, bound or constant each. Relies on the
# layout that clang-format gives: a binary operator stands between blanks, a unary one does not.
# Writes "group kind key file line column length new" separated by tabs. The key is a hash of the seed,
# the file's name, the line's text and the change: a mutant keeps it where other code changes and where
# its file moves to another room of the group.
# usage: awk -v seed=1 -v groups='kernel=kernel,rows svm=svm' -f dev/mutate.awk src/*/*.c

BEGIN {
  modulus = 2147483647
  for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i
  n = split(groups, part, " ")
  for (i = 1; i <= n; i++) {
    split(part[i], side, "=")
    m = split(side[2], room, ",")
    for (k = 1; k <= m; k++) group_of[room[k]] = side[1]
  }
  swap("add", " + ", " - ")
  swap("multiply", " * ", " / ")
  swap("assign", " += ", " -= ")
  swap("assign", " *= ", " /= ")
  swap("bound", " < ", " <= ")
  swap("bound", " > ", " >= ")
  swap("equal", " == ", " != ")
  swap("step", "++", "--")
  swap("logic", " && ", " || ")
  swap("extreme", "fmin(", "fmax(")
  change("extreme", "mk_smaller(", "mk_larger(")
}

function change(kind, from, to) { old[++changes] = from; new[changes] = to; kinds[changes] = kind }
function swap(kind, a, b) { change(kind, a, b); change(kind, b, a) }

function hash(text,  h, i) {
  h = 1 + seed
  for (i = 1; i <= length(text); i++) h = (h * 16807 + code[substr(text, i, 1)]) % modulus
  for (i = 0; i < 3; i++) h = (h * 16807 + 12345) % modulus
  return h
}

function put(kind, column, width, to,  text) {
  text = $0
  sub(/^ +/, "", text)
  text = name "|" text "|" column - start "|" to
  text = text "|" seen[text]++
  print group "\t" kind "\t" hash(text) "\t" FILENAME "\t" FNR "\t" column "\t" width "\t" to
}

# What the pattern finds, without its last character, goes.
function off_by_one(pattern,  from) {
  for (from = 1; match(substr(plain, from), pattern); from += RSTART)
    put("one more", from + RSTART - 1, RLENGTH - 1, "")
}

# The minus before an operand goes.
function signs(pattern,  from) {
  for (from = 1; match(substr(plain, from), pattern); from += RSTART + RLENGTH - 2)
    put("sign", from + RSTART + RLENGTH - 3, 1, "")
}

# 0 becomes 1, other whole numbers one more, fractions twice as much. Numbers with an exponent are
# tolerances, of which no test should know the exact value.
function constants(  from, number, before, after, to) {
  for (from = 1; match(substr(plain, from), /[0-9][0-9.]*/); from += RSTART + RLENGTH - 1) {
    number = substr(plain, from + RSTART - 1, RLENGTH)
    before = substr(plain, from + RSTART - 2, 1)
    after = substr(plain, from + RSTART - 1 + RLENGTH, 1)
    if (before ~ /[A-Za-z0-9_.]/ || after ~ /[A-Za-z0-9_]/) continue
    if (number !~ /\./) to = number + 1
    else to = number + 0 == 0 ? "1.0" : "2 * " number
    put("constant", from + RSTART - 1, RLENGTH, to)
  }
}

# The line with blanks for comments and for what stands between quotes.
function strip(line,  out, i, two, c) {
  out = ""
  for (i = 1; i <= length(line); i++) {
    two = substr(line, i, 2)
    c = substr(line, i, 1)
    if (inside && two == "*/") { inside = 0; i++; out = out "  "; continue }
    if (!inside && two == "/*") { inside = 1; i++; out = out "  "; continue }
    if (!inside && c == "\"") quoted = !quoted
    out = out (inside || quoted || c == "\"" ? " " : c)
  }
  quoted = 0
  return out
}

FNR == 1 {
  inside = 0
  n = split(FILENAME, path, "/")
  name = path[n]
  group = group_of[path[n - 1]]
  delete seen
}
group == "" { next }
{
  directive = continued || /^ *#/
  continued = directive && /\\$/
  plain = strip($0)
  if (directive || plain ~ /^ *$/) next
  match(plain, /[^ ]/)
  start = RSTART
  for (i = 1; i <= changes; i++)
    for (from = 1; (at = index(substr(plain, from), old[i])) > 0; from += at)
      put(kinds[i], from + at - 1, length(old[i]), new[i])
  off_by_one(" [+-] 1[^0-9.eu]")
  signs("([(=,?:] ?|return )-[A-Za-z0-9(]")
  constants()
}
