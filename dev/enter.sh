#!/bin/sh
# Runs a command in a root directory, in mount and process namespaces of its own and without any
# variable of this machine. For root on Linux.
# usage: [FULL_DISK=folder] dev/enter.sh ROOT USER FOLDER COMMAND...    FULL_DISK: a disk of 50 MB there
set -eu

# shellcheck disable=SC2016 # the inner shells'
exec unshare --mount --pid --fork --kill-child sh -c '
  root=$1; user=$2; folder=$3; shift 3
  mount --bind "$root" "$root" # as on a machine, where / is a mount that others can be made from
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  [ -z "${FULL_DISK:-}" ] || mount -t tmpfs -o size=50m tmpfs "$root$FULL_DISK"
  home=/root
  [ "$user" = root ] || home=/home/$user
  exec chroot --userspec="$user" "$root" env -i HOME="$home" USER="$user" TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "cd \"\$0\" && exec \"\$@\"" "$folder" "$@"
' sh "$@" </dev/null
