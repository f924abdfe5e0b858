# Wide views: what fits with default kernels cost beside the inner products of all rows, which every
# method on kernels needs, and beside another build of the package. The bar depends on R's BLAS:
# with a quick one a fit takes at most four times the three tcrossprod(), with the reference BLAS no
# longer than the other build. Data of a fit, and what it takes beside them.
# usage: Rscript bench/wide.R [n=600] [runs=5] [p=1,4/3,2] [old=FOLDER]
# old: a library folder with the other build. OpenBLAS without installing it: unpack its package and
# put the folder of its libblas.so.3 first in R_LD_LIBRARY_PATH, as dev/setup.sh and dev/test.sh do.
# stale after: fit bench/work.R

source("bench/work.R")
source("bench/common.R")
settings <- bench_arguments(n = 600, runs = 5, p = c(1, 4 / 3, 2), old = "")

# Functions without arguments, by name; both builds run them.
wide_programs <- function(data, norms) {
  control <- mkl_control(progress = FALSE)
  kernels <- default_kernels(data$x)
  fit <- mkl(data$x, data$y, kernels, control = control)
  with_norms <- function(text, fit_norm) {
    stats::setNames(lapply(norms, function(p) function() fit_norm(p)),
                    sprintf("%s, p = %s", text, round(norms, 2)))
  }
  c(list("three tcrossprod()" = function() lapply(data$x, tcrossprod)),
    with_norms("mkl(x, y)", function(p) mkl(data$x, data$y, p = p, control = control)),
    with_norms("mkl(x, y, default_kernels(x))", function(p) {
      mkl(data$x, data$y, default_kernels(data$x), p = p, control = control)
    }),
    list("default_kernels(x)" = function() default_kernels(data$x),
         "mkl(x, y, kernels)" = function() mkl(data$x, data$y, kernels, control = control),
         "duality_gap()" = function() duality_gap(fit, data$x, data$y)))
}

# Medians of the same programs in a session of the other build, which measures no products.
in_old_build <- function(library) {
  results <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  on.exit(unlink(c(results, script)))
  writeLines(deparse(bquote({
    library(manykernels, lib.loc = .(library))
    source("bench/work.R")
    source("bench/measure.R")
    programs <- (.(wide_programs))(wide_views(.(settings$n)), .(settings$p))
    saveRDS(in_turns(programs[-1], .(settings$runs))$median, .(results))
  })), script)
  system2(file.path(R.home("bin"), "Rscript"), script, stdout = FALSE)
  c(NA, readRDS(results))
}

data <- wide_views(settings$n)
blas <- normalizePath(extSoftVersion()[["BLAS"]])
size <- sum(vapply(data$x, object.size, 0)) / 2^20
taken <- measured(function() mkl(data$x, data$y, control = bench_control()))
programs <- wide_programs(data, settings$p)
turns <- in_turns(programs, settings$runs)
products <- turns$median[[1]]
table <- data.frame(program = names(programs), seconds = signif(turns$median, 3),
                    `times tcrossprod()` = signif(turns$median / products, 3), check.names = FALSE)
if (nzchar(settings$old)) {
  old <- in_old_build(normalizePath(settings$old))
  table$`other build` <- signif(old, 3)
  table$ratio <- signif(turns$median / old, 3)
}
columns <- paste(format(vapply(data$x, ncol, 0L), big.mark = ",", trim = TRUE), collapse = ", ")
section("Wide views", sprintf(
  paste("%d rows, views of %s columns, default kernels, C = 1, gap 1e-3; %s. BLAS: %s. The data take",
        "%.0f MB, and a fit %.0f MB at most beside them, of which it keeps its standard columns."),
  settings$n, columns, medians_text(settings$runs),
  file.path(basename(dirname(blas)), basename(blas)), size, taken$megabytes
), table)
is_default <- grepl("^mkl.*p = ", names(programs))
fits <- turns$values[is_default]
worst <- max(turns$median[is_default])
report_bars(
  bar(sprintf("mkl() on wide views against their tcrossprod(), n = %d", settings$n),
      worst / products, 4, 3, fits = fits),
  if (nzchar(settings$old)) {
    bar(sprintf("mkl() on wide views against the other build, n = %d", settings$n),
        max((turns$median / old)[is_default]), 1, 0.5, fits = fits)
  }
)
