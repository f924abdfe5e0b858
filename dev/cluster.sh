#!/usr/bin/env bash
# A real Slurm of two nodes (n1 and n2, one processor each) on this machine, reached by loopback alone, and
# the tests of dev/cluster-tests.R on it. Everything lives in a new folder and is taken down at the end,
# whatever happens. Needs root, as Slurm's and munge's daemons do. Exit status 77: it can't be built here.
# usage: dev/cluster.sh [LIBRARY [short]]    the library that has the package
set -euo pipefail

library=${1:-.build/lib}
stop() { echo "cluster: $1" >&2; exit 1; }
skip() { echo "skipped Slurm: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root: run it as root, or in a container"
for command in slurmctld slurmd slurmdbd munged mariadbd sbatch; do
  PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || skip "there is no $command; dev/setup.sh cluster installs it"
done
PATH=$PATH:/usr/sbin
port=${CLUSTER_PORT:-$((17001 + $$ % 1000 * 10))}
node=$(hostname -s)
dir=$(mktemp -d /tmp/cluster-XXXXXX)
library=$(cd "$library" && pwd)
socket=$dir/munge/socket

end() { if [ -s "$1" ]; then kill "$(cat "$1")" 2>/dev/null || true; fi; }
take_down() {
  status=$?
  [ "$status" = 0 ] || [ "$status" = 77 ] || tail -n 5 "$dir"/log/*.log >&2 2>/dev/null || true
  scancel -u root >/dev/null 2>&1 || true
  for _ in $(seq 30); do [ -n "$(squeue -h 2>/dev/null)" ] || break; sleep 1; done # jobs end before their daemons
  end "$dir/ctld.pid"; end "$dir/slurmd-n1.pid"; end "$dir/slurmd-n2.pid"
  sleep 1
  end "$dir/dbd.pid"
  sleep 1
  end "$dir/db/db.pid"
  end "$dir/munge/munged.pid"
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
head -c 1024 /dev/urandom >"$dir/munge/key"
chown munge: "$dir/munge/key"
chmod 600 "$dir/munge/key"
su -s /bin/sh munge -c "/usr/sbin/munged --socket=$socket --key-file=$dir/munge/key --seed-file=$dir/munge/seed \
  --pid-file=$dir/munge/munged.pid --log-file=$dir/munge/log" || skip "munge does not start"

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
AuthInfo=socket=$socket
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
AuthInfo=socket=$socket
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
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherParams=OverMemoryKill
JobAcctGatherFrequency=task=2
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 3))
AccountingStoragePass=$socket
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
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
[ "$(idle)" = 2 ] || skip "its nodes do not start"
sinfo
mount -t tmpfs -o size=1m none "$dir/small" 2>/dev/null || echo "cluster: no small disk can be mounted; its test is skipped"

cp dev/cluster-slurm.tmpl "$dir/work/slurm.tmpl"
tests=$(pwd)/dev
cd "$dir/work"
R_LIBS="$library${R_LIBS:+:$R_LIBS}" Rscript "$tests/cluster-tests.R" "$tests" "$dir/small" "${2:-}"
left=$(find .future -name registry.rds 2>/dev/null | wc -l)
[ "$left" = 0 ] || stop "$left folders of jobs were left behind"
