#!/bin/sh
# Builds a bare Debian of this machine's release below .build/fresh and runs the README's two commands on
# the committed tree there. Nothing of this machine is in it but its mirror and its certificate
# authorities. For root on Debian. Prints time and memory of each command, and ends with the closing
# line of `make test`; with several forms, with the sum of theirs, where each thing tried counts one.
#   debian   Debian's packages alone: CRAN does not answer
#   cran     with everything that CRAN adds (make test-all) and a clang that has no OpenMP
#   user     not root; R, compiler and packages are there (in a copy of the root of `debian`)
#   broken   no rights, no archive, no compiler, a full disk, too old an R: each ends in one clear line,
#            and the next try on a sound machine passes
# usage: dev/fresh.sh [FORM ...]
set -eu

chosen=${*:-debian cran user broken}
fresh=$(pwd)/.build/fresh
logs=$fresh/logs
passed=0
failed=0
skipped=0

give_up() { echo "fresh: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || give_up "debootstrap and chroot need root; run it as root"
command -v debootstrap >/dev/null || give_up "there is no debootstrap; on Debian: apt-get install debootstrap"
mkdir -p "$logs"
: >"$fresh/summary"
git diff --quiet HEAD || echo "fresh: uncommitted changes are not tried"

say() { echo "$1" | tee -a "$fresh/summary"; }

# ---- roots ---------------------------------------------------------------------------------------

# Debian's archives as apt knows them on this machine: address, release, component.
archives() {
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk '$4 == "Debian" { print $1, $2, $3 }' | sort -u
}

# The bare root, with make, which the README asks for.
build_base() {
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mirror=$(archives | awk -v release="$release" '$2 == release { print $1; exit }')
  [ -n "$mirror" ] || give_up "apt names no mirror of Debian $release; run apt-get update"
  rm -rf "$fresh/base"
  debootstrap --variant=minbase "$release" "$fresh/base" "$mirror" >"$logs/base" 2>&1 ||
    give_up "debootstrap failed: $(dev/reason.sh "$logs/base")"
  archives | sed 's/^/deb /' >"$fresh/base/etc/apt/sources.list"
  cp /etc/resolv.conf "$fresh/base/etc/resolv.conf"
  # As Debian's installer does: the machine knows its own name.
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$fresh/base/etc/hosts"
  # In both places, as the package of authorities rewrites the first from the second.
  mkdir -p "$fresh/base/etc/ssl/certs" "$fresh/base/usr/local/share/ca-certificates"
  cp /etc/ssl/certs/ca-certificates.crt "$fresh/base/etc/ssl/certs/"
  cp /etc/ssl/certs/ca-certificates.crt "$fresh/base/usr/local/share/ca-certificates/machine.crt"
  dev/enter.sh "$fresh/base" root / sh -c "apt-get update -qq && apt-get install -qq -y --no-install-recommends make" \
    >>"$logs/base" 2>&1 || give_up "make can't be installed: $(dev/reason.sh "$logs/base")"
}

# new_root NAME FROM: a copy of a root with the committed tree in it.
new_root() {
  rm -rf "${fresh:?}/$1"
  cp -a "$fresh/$2" "$fresh/$1"
  rm -rf "$fresh/$1/root/manykernels"
  git clone -q --depth 1 "file://$(pwd)" "$fresh/$1/root/manykernels"
}

# run ROOT USER TARGET [VARIABLE=value ...]: its output in $log, its exit status in $status.
run() {
  root=$1
  user=$2
  target=$3
  log=$logs/$root-$user-$target
  folder=/root/manykernels
  [ "$user" = root ] || folder=/home/$user/manykernels
  shift 3
  status=0
  command time -o "$log.time" -f '%e %M' dev/enter.sh "$fresh/$root" "$user" "$folder" env "$@" make "$target" \
    >"$log" 2>&1 || status=$?
}

# add CLOSING_LINE
add() {
  counts=$(echo "$1" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
  [ -n "$counts" ] || return 0
  # shellcheck disable=SC2086 # three numbers
  set -- $counts
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# passes FORM ROOT USER TARGET...: each must end well.
passes() {
  form=$1
  root=$2
  user=$3
  shift 3
  for target in "$@"; do
    run "$root" "$user" "$target"
    cost=$(awk 'END { printf "%d s, largest process %d MB", $1, $2 / 1024 }' "$log.time")
    [ $status -eq 0 ] || tail -n 40 "$log"
    say "fresh, $form: make $target: exit status $status, $cost"
    case $target in test*) add "$(grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$log" | tail -n 1)" ;; *) [ $status -ne 0 ] || add "1 passed, 0 failed, 0 skipped" ;; esac
    [ $status -eq 0 ] || failed=$((failed + 1))
  done
}

# refuses WHAT WORDS: the last run must have failed with one line of the project's own that has these words.
refuses() {
  line=$(grep -E '^(setup|install|tarball): ' "$log" | grep -v 'setup: installing' || true)
  if [ $status -ne 0 ] && [ "$(echo "$line" | wc -l)" -eq 1 ] && echo "$line" | grep -q "$2"; then
    passed=$((passed + 1))
    say "fresh, broken: $1: $line"
  else
    failed=$((failed + 1))
    tail -n 20 "$log"
    say "fresh, broken: $1: FAILED, exit status $status: $line"
  fi
}

# ---- forms ---------------------------------------------------------------------------------------

no_cran() { echo "127.0.0.1 cloud.r-project.org cran.r-project.org" >>"$fresh/$1/etc/hosts"; }

try_debian() {
  new_root debian base
  no_cran debian
  passes debian debian root example test
}

try_cran() {
  new_root cran base
  dev/enter.sh "$fresh/cran" root / apt-get install -qq -y --no-install-recommends clang >"$logs/clang" 2>&1 ||
    give_up "clang can't be installed: $(dev/reason.sh "$logs/clang")"
  passes cran cran root example test-all
}

try_user() {
  [ -d "$fresh/debian" ] || give_up "the form user needs the root of the form debian"
  new_root user debian
  dev/enter.sh "$fresh/user" root / useradd --create-home somebody
  mv "$fresh/user/root/manykernels" "$fresh/user/home/somebody/"
  dev/enter.sh "$fresh/user" root / chown -R somebody /home/somebody
  installed() { dev/enter.sh "$fresh/user" root / sh -c "dpkg -l; ls /usr/local/lib/R/site-library /usr/lib/R/site-library"; }
  installed >"$logs/user-before"
  passes user user somebody example test
  installed | cmp -s - "$logs/user-before" || { failed=$((failed + 1)); say "fresh, user: FAILED: something was installed"; }
}

try_broken() {
  [ -d "$fresh/debian" ] || give_up "the form broken needs the root of the form debian"
  # A bare machine: nothing of R is there.
  new_root broken base
  dev/enter.sh "$fresh/broken" root / sh -c "useradd somebody && mkdir -p /home/somebody"
  cp -a "$fresh/broken/root/manykernels" "$fresh/broken/home/somebody/"
  dev/enter.sh "$fresh/broken" root / chown -R somebody /home/somebody
  run broken somebody example
  refuses "not root" "apt-get install"
  echo "deb http://127.0.0.1:9/debian nowhere main" >"$fresh/broken/etc/apt/sources.list"
  rm -rf "$fresh/broken/var/lib/apt/lists"
  run broken root example
  refuses "an archive that does not answer" "archive does not answer"
  cp "$fresh/base/etc/apt/sources.list" "$fresh/broken/etc/apt/"
  FULL_DISK=/var/cache/apt/archives run broken root example
  refuses "a full disk for packages" "disk is full"
  passes "broken, then sound" broken root example

  # A machine with everything.
  new_root broken debian
  mkdir "$fresh/broken/no-compiler"
  for file in "$fresh"/broken/usr/bin/*; do
    case $(basename "$file") in *cc | *cc-[0-9]* | c[89]9* | clang*) ;; *) ln -s "/usr/bin/$(basename "$file")" "$fresh/broken/no-compiler/" ;; esac
  done
  run broken root example PATH=/no-compiler:/usr/sbin
  refuses "no compiler" "C compiler"
  FULL_DISK=/root/manykernels/.build run broken root test
  refuses "a full disk" "free"
  sed -i 's/R (>= [0-9.]*)/R (>= 99.0)/' "$fresh/broken/root/manykernels/DESCRIPTION"
  run broken root example
  refuses "too old an R" "R is older than 99.0"
  git -C "$fresh/broken/root/manykernels" checkout -q DESCRIPTION
  passes "broken, then sound" broken root example
}

for form in $chosen; do
  case $form in debian | cran | user | broken) ;; *) give_up "there is no form $form; there are debian, cran, user and broken" ;; esac
done
build_base
for form in $chosen; do "try_$form"; done
cat "$fresh/summary"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
