# Cross-validation on workers of packages future.mirai and crew, for dev/cluster.sh: the numbers of one process,
# bit by bit. What is not installed is skipped. usage: Rscript cluster-packages.R FOLDER
library(manykernels)
Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
source(file.path(commandArgs(TRUE)[1], "cluster-case.R"))

if (have("mirai", "future", "future.mirai", "mirai")) {
  future::plan(future.mirai::mirai_multisession, workers = 2)
  check("numbers on mirai_multisession are those of one process", identical(numbers(run()), reference))
  check_lost("kill", "process ended")
  future::plan(future::sequential)
  mirai::daemons(2)
  future::plan(future.mirai::mirai_cluster)
  check("numbers on mirai_cluster are those of one process", identical(numbers(run()), reference))
  future::plan(future::sequential)
  mirai::daemons(0)
}

# crew's workers get whole calls. Folds are given, as its workers have random numbers of another kind.
if (have("crew", "crew")) {
  one <- function(p, x, y, folds) {
    manykernels::cv_mkl(x, y, manykernels::gaussian_kernel(c(1, 4)), p = p, C = c(0.1, 1, 10), folds = folds,
                        control = manykernels::mkl_control(progress = FALSE, threads = 1))
  }
  folds <- rep_len(1:4, nrow(x))
  workers <- crew::crew_controller_local(workers = 2)
  workers$start()
  for (p in 1:2) {
    workers$push(one(p, x, y, folds), name = paste(p), data = list(one = one, p = p, x = x, y = y, folds = folds))
  }
  found <- list()
  until <- Sys.time() + 120
  while (length(found) < 2 && Sys.time() < until) {
    workers$wait("one", seconds_timeout = 5)
    back <- workers$pop()
    if (!is.null(back)) found[[back$name]] <- if (is.na(back$error)) back$result[[1]] else back$error
  }
  workers$terminate()
  same <- vapply(names(found), function(p) {
    is.list(found[[p]]) && identical(numbers(found[[p]]), numbers(one(as.numeric(p), x, y, folds)))
  }, NA)
  if (length(same) < 2 || !all(same)) print(found)
  check("numbers of two calls on crew's workers are those of one process", length(same) == 2 && all(same))
}
finish()
