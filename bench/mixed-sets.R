# What a mixed set costs beside its parts: Gaussians, polynomials and a linear kernel per column on
# the same rows, and kernels of different kinds on different views, against the sum of fits with
# each kind alone.
# usage: Rscript bench/mixed-sets.R [n=3000] [runs=3]
# stale after: fit

source("bench/work.R")
source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 3000, runs = 3)

one_view <- list(
  Gaussians = gaussian_kernel(57 * 2^(-3:4)),
  polynomials = polynomial_kernel(2:4, scale = 1 / 57),
  `a linear kernel per column` = per_feature(linear_kernel())
)
several_views <- list(
  `fou, Gaussians` = on_view(gaussian_kernel(2^(4:9)), "fou"),
  `fac, polynomials` = on_view(polynomial_kernel(1:3, 1 / 216), "fac"),
  `kar, linear` = on_view(linear_kernel(), "kar"),
  `zer, a linear kernel per column` = on_view(per_feature(linear_kernel()), "zer"),
  `mor, Gaussians` = on_view(gaussian_kernel(2^(1:4)), "mor")
)

compare <- function(name, data, parts, p) {
  fit <- function(kernels) {
    force(kernels)
    function() mkl(data$x, data$y, kernels, p = p, scale = FALSE, control = bench_control())
  }
  programs <- c(list("all kernels" = fit(do.call(c, unname(parts)))), lapply(parts, fit))
  turns <- in_turns(programs, settings$runs)
  section(sprintf("%s, p = %s", name, round(p, 2)),
          sprintf("%d rows; %s.", length(data$y), medians_text(settings$runs)), time_table(turns))
  bar(sprintf("%s, p = %s, against the sum of the parts", name, round(p, 2)),
      turns$median[[1]] / sum(unlist(turns$median[-1])), 1.5, 1.5, fits = turns$values[1])
}

works <- list("mixed set" = list(components(settings$n), one_view),
              "mixed set, skewed columns" = list(skewed(settings$n), one_view),
              "views of different kinds" = list(read_mfeat(), several_views))
rows <- lapply(names(works), function(name) {
  lapply(norms, function(p) compare(name, works[[name]][[1]], works[[name]][[2]], p))
})
report_bars(do.call(rbind, unlist(rows, recursive = FALSE)))
