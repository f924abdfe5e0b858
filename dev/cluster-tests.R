# Cross-validation on a Slurm of two nodes, for dev/cluster.sh: the numbers of one process, bit by bit, also
# where jobs are lost, or the disk is full. usage: Rscript cluster-tests.R FOLDER SMALL_DISK [short]
arguments <- commandArgs(TRUE)
short <- "short" %in% arguments
small <- arguments[2]
library(manykernels)
source(file.path(arguments[1], "cluster-case.R"))
on_slurm <- function(walltime = 600) {
  future::plan(future.batchtools::batchtools_slurm, template = "slurm.tmpl", workers = 2,
               resources = list(walltime = walltime, memory = 600, ncpus = 1))
}
queued <- function() length(system2("squeue", "-h", stdout = TRUE))

on_slurm()
began <- Sys.time()
cv <- run()
check("numbers on Slurm are those of one process", identical(numbers(cv), reference))
check("two jobs were sent, none was lost", nrow(cv$work) == 2 && all(is.na(cv$work$lost)))
print(cv$work)
check_lost("cancel", "job was cancelled", resume = "store")
check("the file of `resume` stands alone at the end", identical(list.files(".", "^store"), "store"))

if (!short) {
  check_lost("kill", "process ended")
  check_lost("memory", "out of memory")
  on_slurm(walltime = 60)
  check_lost("time", "out of time", resume = "time")
  on_slurm()
  resume_nodes <- function() for (node in c("n1", "n2")) {
    suppressWarnings(system2("scontrol", c("update", paste0("nodename=", node), "state=resume"), stderr = FALSE))
  }
  check_lost("drain", "job was cancelled")
  resume_nodes()
  check_lost("down", "node failed|job was cancelled|process ended")
  resume_nodes()

  # Again and again: one line that names the units, the reason and the file, from which the call goes on.
  writeLines("kill 1000", flag)
  lines <- function(error) strsplit(conditionMessage(error), "\n")[[1]]
  error <- tryCatch(run(resume = "again"), error = identity)
  cat(conditionMessage(error), "\n")
  check("work that is always lost is an error of its class, in one line",
        inherits(error, "manykernels_lost_work") && length(lines(error)) == 1)
  check("it names units, reason and file", grepl("^Lost 4 times .*fold [0-9] \\(p = [12]\\).*process ended.*resume = \"[^\"]*again\"",
                                                 conditionMessage(error)))
  check("no jobs are left in the queue", queued() == 0)
  unlink(flag)
  check("the call goes on from the file", identical(numbers(run(resume = "again")), reference))

  # A call that is interrupted takes its jobs along.
  # R hears no interrupt while it waits for a command of the queue, so it is sent again.
  writeLines("wait 1000", flag)
  system(sprintf("sleep 20; for k in $(seq 20); do sleep 7; [ ! -e heard ] || exit 0; kill -INT %d; done", Sys.getpid()),
         wait = FALSE)
  stopped <- tryCatch(run(resume = "stopped"), interrupt = function(e) "interrupted")
  file.create("heard")
  check("a call can be interrupted", identical(stopped, "interrupted"))
  for (k in 1:30) if (queued() > 0) Sys.sleep(1)
  check("it takes its jobs out of the queue", queued() == 0)
  unlink(flag)
  check("it goes on later", identical(numbers(run(resume = "stopped")), reference))
}

if (have("BatchtoolsParam", "BiocParallel", "batchtools")) {
  param <- BiocParallel::BatchtoolsParam(
    workers = 2, cluster = "slurm", template = "slurm.tmpl",
    resources = list(walltime = 600, memory = 600, ncpus = 1)
  )
  check("numbers on BatchtoolsParam are those of one process", identical(numbers(run(BPPARAM = param)), reference))
  if (!short) check_lost("cancel", "job was cancelled|process ended", BPPARAM = param)
}
cat(sprintf("%.0f s for the runs on Slurm\n", as.numeric(Sys.time() - began, units = "secs")))

future::plan(future::sequential)
if (file.access(small, 2) == 0 && file.create(file.path(small, "own"))) {
  file <- file.path(small, "store")
  run(resume = file)
  whole <- readBin(file, "raw", file.size(file))
  suppressWarnings(writeBin(raw(2e6), file.path(small, "own"))) # until the disk is full
  failure <- tryCatch(run(resume = file.path(small, "other")), error = identity)
  check("a full disk is named", inherits(failure, "manykernels_resume") && grepl("can't be written", conditionMessage(failure)))
  check("a full disk keeps what was there", identical(readBin(file, "raw", file.size(file)), whole))
  check("a full disk holds no drafts", identical(sort(list.files(small)), c("own", "store")))
  check("the whole file is still read", identical(numbers(run(resume = file)), reference))
} else skip("full disk", "no small disk could be mounted")
finish()
