#!/bin/sh
# Prints one line that says why a command failed and what to do, as far as its log tells; otherwise the
# log's end comes first. usage: dev/reason.sh LOG
set -eu

says() { grep -qiE "$1" "$log"; }

log=$1
if says 'no space left|enough free space|disk quota|cannot allocate memory for|write error'; then
  echo "the disk is full; free some space and run the same command again"
elif says 'could not get lock|unable to acquire the dpkg'; then
  echo "another package manager is at work; wait until it ends and run the same command again"
elif says 'could not resolve|temporary failure|unable to connect|could not connect|connection (refused|timed out|failed)|cannot open url|failed to fetch|unable to locate package|no installation candidate'; then
  echo "the package archive does not answer or lacks it; connect this machine to one and run the same command again"
else
  tail -n 20 "$log" >&2
  echo "see the lines above"
fi
