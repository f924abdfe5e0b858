# Wide views: what fits with default kernels cost beside the inner products of all rows, which every
# method on kernels needs, and beside another build of the package. The bar depends on R's BLAS:
# with a quick one a fit takes at most four times the three tcrossprod(), with the reference BLAS no
# longer than the other build.
# usage: Rscript bench/wide.R [n=600] [runs=5] [p=1,4/3,2] [old=FOLDER]
# old: a library folder with the other build. OpenBLAS without installing it: unpack its package and
# put the folder of its libblas.so.3 first in R_LD_LIBRARY_PATH.

source("bench/work.R")
source("bench/common.R")
settings <- bench_arguments(n = 600, runs = 5, p = c(1, 4 / 3, 2), old = "")

data <- wide_views(settings$n)
control <- bench_control()
fit <- mkl(data$x, data$y, default_kernels(data$x), control = control)
programs <- c(list(
  "three tcrossprod()" = function() lapply(data$x, tcrossprod),
  "default_kernels()" = function() default_kernels(data$x)
), stats::setNames(lapply(settings$p, function(p) {
  function() mkl(data$x, data$y, default_kernels(data$x), p = p, control = control)
}), sprintf("mkl(), p = %s", round(settings$p, 2))), list(
  "duality_gap()" = function() duality_gap(fit, data$x, data$y)
))

# The same programs in a session of the other build: seconds, runs x programs.
in_old_build <- function(library) {
  results <- tempfile(fileext = ".rds")
  on.exit(unlink(results))
  script <- bquote({
    library(manykernels, lib.loc = .(library))
    source("bench/work.R")
    source("bench/measure.R")
    data <- wide_views(.(settings$n))
    control <- mkl_control(progress = FALSE)
    fit <- mkl(data$x, data$y, default_kernels(data$x), control = control)
    programs <- c(list(function() default_kernels(data$x)), lapply(.(settings$p), function(p) {
      function() mkl(data$x, data$y, default_kernels(data$x), p = p, control = control)
    }), list(function() duality_gap(fit, data$x, data$y)))
    saveRDS(in_turns(programs, .(settings$runs))$median, .(results))
  })
  file <- tempfile(fileext = ".R")
  writeLines(deparse(script), file)
  system2(file.path(R.home("bin"), "Rscript"), file, stdout = FALSE)
  unlink(file)
  c(NA, readRDS(results))
}

turns <- in_turns(programs, settings$runs)
products <- turns$median[[1]]
table <- data.frame(program = names(programs), seconds = signif(turns$median, 3),
                    `times tcrossprod` = signif(turns$median / products, 3), check.names = FALSE)
old <- if (nzchar(settings$old)) in_old_build(normalizePath(settings$old))
if (!is.null(old)) {
  table$`other build` <- signif(old, 3)
  table$ratio <- signif(turns$median / old, 3)
}
columns <- paste(format(vapply(data$x, ncol, 0L), big.mark = ",", trim = TRUE), collapse = ", ")
section("Wide views", sprintf(
  "%d rows, views of %s columns, default kernels, C = 1, gap 1e-3; %s. BLAS: %s.", settings$n,
  columns, medians_text(settings$runs), basename(extSoftVersion()[["BLAS"]])
), table)
fits <- grepl("^mkl", names(programs))
worst <- max(turns$median[fits])
report_bars(bar(sprintf("mkl() on wide views against their tcrossprod(), n = %d", settings$n),
                worst / products, 4, 3, fits = turns$values[fits]))
if (!is.null(old)) {
  report_bars(bar(sprintf("mkl() on wide views against the other build, n = %d", settings$n),
                  max((turns$median / old)[fits]), 1, 0.5, fits = turns$values[fits]))
}
