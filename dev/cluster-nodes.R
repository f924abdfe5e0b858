# Cross-validation on plan(cluster) over two nodes by ssh, for dev/cluster-nodes.sh: the numbers of one process,
# bit by bit, also where a worker is killed or a node lacks
# the package.
# usage: Rscript cluster-nodes.R FOLDER NODES [short]
arguments <- commandArgs(TRUE)
short <- "short" %in% arguments
library(manykernels)
source(file.path(arguments[1], "cluster-case.R"))
by_ssh <- function() {
  future::plan(future::cluster, workers = c("n1", "n2"), homogeneous = FALSE,
               rshopts = c("-F", file.path(arguments[2], "ssh.conf")))
}
if (!have("nodes by ssh", "future", "parallelly")) finish()

by_ssh()
there <- function(code) {
  vapply(c(1, 2), function(k) as.character(parallel::clusterCall(future::plan("backend")$workers[k], eval, code)[[1]]), "")
}
check("workers run on nodes of their own names", identical(there(quote(Sys.info()[["nodename"]])), c("n1", "n2")))
check("they have the package in libraries of their own",
      identical(there(quote(dirname(find.package("manykernels")))), file.path(arguments[2], c("n1", "n2"), "lib")))
check("numbers on two nodes by ssh are those of one process", identical(numbers(run()), reference))
check_lost("kill", "process ended")
if (!short) {
  future::plan(future::sequential)
  unlink(file.path(arguments[2], "n2", "lib", "manykernels"), recursive = TRUE)
  by_ssh()
  error <- tryCatch(run(), error = identity)
  cat(conditionMessage(error), "\n")
  check("a node without the package is named", inherits(error, "manykernels_missing_package"))
}
finish()
