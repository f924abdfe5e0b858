#!/usr/bin/env bash
# Two nodes, each with a network, a host name and a library of its own, on this machine: R reaches them by ssh
# alone. The tests of dev/cluster-nodes.R run on plan(cluster) over them. Everything is taken down at the end,
# whatever happens. Needs root. Exit status 77: no such nodes can be made here.
# usage: dev/cluster-nodes.sh [LIBRARY]    the library that has the package
set -euo pipefail

library=$(cd "${1:-.build/lib}" && pwd)
tests=$(pwd)/dev
PATH=$PATH:/usr/sbin
skip() { echo "skipped nodes by ssh: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
for command in sshd ssh ssh-keygen ip unshare; do
  command -v $command >/dev/null || skip "there is no $command; dev/setup.sh cluster installs it"
done
dir=$(mktemp -d /tmp/nodes-XXXXXX)
tag=mk$$ # of the names of devices, at most 15 letters
nodes="n1 n2"

take_down() {
  status=$?
  for node in $nodes; do
    for pid in $(ip netns pids "$tag$node" 2>/dev/null || true); do kill -9 "$pid" 2>/dev/null || true; done
    ip netns del "$tag$node" 2>/dev/null || true
  done
  ip link del "$tag" 2>/dev/null || true
  rm -rf "$dir"
  exit "$status"
}
trap take_down EXIT
trap 'exit 130' INT TERM

mkdir -p /run/sshd "$dir/work"
ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/host"
cp "$dir/key.pub" "$dir/authorized"
chmod 600 "$dir/authorized"
ip link add "$tag" type bridge 2>/dev/null || skip "no bridge can be made here"
ip addr add 10.213.77.1/24 dev "$tag"
ip link set "$tag" up
number=1
for node in $nodes; do
  number=$((number + 1))
  ip netns add "$tag$node" 2>/dev/null || skip "no network namespace can be made here"
  ip link add "$tag$node" type veth peer name eth0 netns "$tag$node"
  ip link set "$tag$node" master "$tag" up
  ip -n "$tag$node" addr add "10.213.77.$number/24" dev eth0
  ip -n "$tag$node" link set eth0 up
  ip -n "$tag$node" link set lo up
  mkdir -p "$dir/$node/lib"
  cp -a "$library/manykernels" "$dir/$node/lib/"
  cat >"$dir/$node/sshd.conf" <<CONF
HostKey $dir/host
AuthorizedKeysFile $dir/authorized
PidFile $dir/$node/pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv R_LIBS=$dir/$node/lib:${R_LIBS:-} R_LIBS_USER=$dir/none
CONF
  ip netns exec "$tag$node" unshare --uts sh -c "hostname $node && exec /usr/sbin/sshd -f $dir/$node/sshd.conf" ||
    skip "sshd did not start"
  cat >>"$dir/ssh.conf" <<CONF
Host $node
HostName 10.213.77.$number
CONF
done
cat >>"$dir/ssh.conf" <<CONF
Host *
User root
IdentityFile $dir/key
IdentitiesOnly yes
UserKnownHostsFile $dir/known
StrictHostKeyChecking no
LogLevel ERROR
ServerAliveInterval 2
ServerAliveCountMax 2
CONF
for node in $nodes; do
  found=$(ssh -F "$dir/ssh.conf" "$node" hostname) || skip "ssh does not reach node $node"
  [ "$found" = "$node" ] || { echo "node $node calls itself $found" >&2; exit 1; }
done
cd "$dir/work"
R_LIBS="$library${R_LIBS:+:$R_LIBS}" Rscript "$tests/cluster-nodes.R" "$tests" "$dir" "${2:-}"
