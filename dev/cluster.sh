#!/usr/bin/env bash
# A real Slurm of two nodes (n1 and n2, one processor each) on this machine, reached by loopback alone, and
# the tests of dev/cluster-tests.R on it. Everything lives in a new folder and is taken down at the end,
# whatever happens. Needs root, as Slurm's and munge's daemons do.
# usage: dev/cluster.sh [LIBRARY]    the library that has the package
set -euo pipefail

library=${1:-.build/lib}
stop() { echo "cluster: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || stop "needs root: run it as root, or in a container"
for command in slurmctld slurmd slurmdbd munged mariadbd sbatch; do
  PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || stop "there is no $command; dev/setup.sh cluster installs it"
done
PATH=$PATH:/usr/sbin
port=${CLUSTER_PORT:-17001}
node=$(hostname -s)
dir=$(mktemp -d /tmp/cluster-XXXXXX)
library=$(cd "$library" && pwd)
munge_was_up=no
! munge -n >/dev/null 2>&1 || munge_was_up=yes

end() { if [ -s "$1" ]; then kill "$(cat "$1")" 2>/dev/null || true; fi; }
take_down() {
  status=$?
  [ "$status" = 0 ] || tail -n 5 "$dir"/log/*.log >&2 2>/dev/null || true
  scancel -u root >/dev/null 2>&1 || true
  end "$dir/ctld.pid"; end "$dir/slurmd-n1.pid"; end "$dir/slurmd-n2.pid"
  sleep 1
  end "$dir/dbd.pid"
  sleep 1
  end "$dir/db/db.pid"
  [ "$munge_was_up" = yes ] || end "$dir/munge/munged.pid"
  sleep 1
  ! mountpoint -q "$dir/small" || umount "$dir/small"
  rm -rf "$dir"
  exit "$status"
}
trap take_down EXIT
trap 'exit 130' INT TERM

mkdir -p "$dir"/{state,log,spool/n1,spool/n2,db,munge,small,work}
chmod 755 "$dir"
chown mysql: "$dir/db"
chown munge: "$dir/munge"
if [ "$munge_was_up" = no ]; then
  mkdir -p /run/munge
  chown munge: /run/munge
  [ -s /etc/munge/munge.key ] || { (umask 077; head -c 1024 /dev/urandom >/etc/munge/munge.key); chown munge: /etc/munge/munge.key; }
  su -s /bin/sh munge -c "/usr/sbin/munged --pid-file=$dir/munge/munged.pid --log-file=$dir/munge/log"
fi

# future.batchtools asks sacct, which needs the accounting daemon and its database.
mariadb-install-db --user=mysql --datadir="$dir/db" >"$dir/log/db-install.log" 2>&1
mariadbd --user=mysql --datadir="$dir/db" --socket="$dir/db/db.sock" --bind-address=127.0.0.1 --port=$((port + 2)) \
  --pid-file="$dir/db/db.pid" >"$dir/log/db.log" 2>&1 &
sql() { mariadb --socket="$dir/db/db.sock" -e "$1"; }
for _ in $(seq 60); do ! sql 'select 1' >/dev/null 2>&1 || break; sleep 1; done
sql "create database slurm_acct_db"
for from in 127.0.0.1 localhost; do
  sql "create user slurm@'$from' identified by 'local'; grant all on slurm_acct_db.* to slurm@'$from'"
done
cat >"$dir/slurmdbd.conf" <<CONF
AuthType=auth/munge
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((port + 3))
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$((port + 2))
StorageUser=slurm
StoragePass=local
LogFile=$dir/log/dbd.log
PidFile=$dir/dbd.pid
CONF
chmod 600 "$dir/slurmdbd.conf"
cat >"$dir/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$((port + 4))
AuthType=auth/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/ctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 3))
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
NodeName=n1 NodeHostname=$node NodeAddr=127.0.0.1 Port=$port CPUs=1 RealMemory=4000 State=UNKNOWN
NodeName=n2 NodeHostname=$node NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf USER=root
slurmdbd
for _ in $(seq 30); do ! sacctmgr -n list cluster >/dev/null 2>&1 || break; sleep 1; done
sacctmgr -i add cluster local >/dev/null 2>&1 || true
slurmctld
sleep 2
slurmd -N n1
slurmd -N n2
idle() { sinfo -h -t idle -o %D 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }
for _ in $(seq 60); do [ "$(idle)" != 2 ] || break; sleep 1; done
[ "$(idle)" = 2 ] || stop "the nodes did not start"
sinfo
mount -t tmpfs -o size=1m none "$dir/small" 2>/dev/null || echo "cluster: no small disk can be mounted; its test is skipped"

cp dev/cluster-slurm.tmpl "$dir/work/slurm.tmpl"
tests=$(pwd)/dev/cluster-tests.R
cd "$dir/work"
R_LIBS="$library${R_LIBS:+:$R_LIBS}" Rscript "$tests" "$dir/small"
