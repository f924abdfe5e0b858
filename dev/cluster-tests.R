# Cross-validation on a Slurm of two nodes, for dev/cluster.sh: the numbers of one process, bit by bit, also
# where jobs are cancelled or killed, or the disk is full. usage: Rscript cluster-tests.R SMALL_DISK
small <- commandArgs(TRUE)[1]
library(manykernels)
rows <- seq(51, 150)
x <- as.matrix(iris[rows, 1:4])
y <- droplevels(iris$Species[rows])
flag <- file.path(getwd(), "flag")
master <- Sys.getpid()

# A kernel that, once, ends its worker by what the file `flag` says.
once <- eval(substitute(function(a, b) {
  if (Sys.getpid() != MASTER && file.exists(FLAG)) {
    how <- readLines(FLAG)
    unlink(FLAG)
    if (how == "kill") tools::pskill(Sys.getpid(), tools::SIGKILL)
    if (how == "cancel") system2("scancel", Sys.getenv("SLURM_JOB_ID"))
    Sys.sleep(300)
  }
  tcrossprod(a, b)
}, list(FLAG = flag, MASTER = master)))

run <- function(...) {
  set.seed(1)
  cv_mkl(x, y, c(function_kernel(once), gaussian_kernel(c(1, 4))), p = c(1, 2), C = c(0.1, 1, 10), folds = 4,
         control = mkl_control(progress = FALSE), ...)
}
numbers <- function(cv) {
  cv$results$seconds <- cv$by_fold$seconds <- NULL
  c(unclass(cv)[c("results", "by_fold", "best", "predictions", "resamples", "weights")],
    unclass(cv$fit)[c("theta", "alpha", "offset", "gap")])
}
passed <- failed <- 0
check <- function(what, true) {
  cat(if (isTRUE(true)) "passed" else "FAILED", what, "\n")
  if (isTRUE(true)) passed <<- passed + 1 else failed <<- failed + 1
}
reference <- numbers(run())
future::plan(future.batchtools::batchtools_slurm, template = "slurm.tmpl", workers = 2,
             resources = list(walltime = 600, memory = 500, ncpus = 1))

began <- Sys.time()
cv <- run()
check("numbers on Slurm are those of one process", identical(numbers(cv), reference))
check("two jobs were sent, none was lost", nrow(cv$work) == 2 && all(is.na(cv$work$lost)))
print(cv$work)
for (how in c("kill", "cancel")) {
  writeLines(how, flag)
  heard <- NULL
  cv <- withCallingHandlers(run(resume = if (how == "cancel") "store"), manykernels_message_lost_work = function(m) {
    heard <<- conditionMessage(m)
    invokeRestart("muffleMessage")
  })
  cat(heard)
  check(paste(how, "ends one job, and its work is done again"), identical(numbers(cv), reference) &&
          sum(!is.na(cv$work$lost)) == 1 && length(heard) == 1)
}
check("the file of `resume` stands alone at the end", identical(list.files(".", "^store"), "store"))
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
}
cat(sprintf("%d passed, %d failed\n", passed, failed))
quit(status = failed > 0)
