# Paths over C, certified everywhere in the range, against single cold fits of the same problem. What
# "one fit" costs depends on its C: six are timed, at the powers of ten in the range, and the bar is
# for their mean. All on one thread.
# usage: Rscript bench/path.R [sets=digits10,noise,digits,mfeat,wide] [p=2,1] [n=2000] [tol=1e-3]
#   [runs=3]
# stale after: fit src/grid R/path.R R/path-engine.R R/path-bound.R

source("bench/work.R")
source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(sets = c("digits10", "noise", "digits", "mfeat", "wide"), p = c(2, 1),
                            n = 2000, tol = 1e-3, runs = 3)

gaussians <- function(data) gaussian_kernel(widths)
sets <- list(
  digits10 = list(text = "digits, 10 components, 50 Gaussians", kernels = gaussians,
                  read = function() read_digit_components(settings$n, 10)),
  noise = list(text = "noise, 5 columns, 50 Gaussians", kernels = gaussians,
               read = function() make_noise(settings$n)),
  digits = list(text = "digits, 784 columns, 50 Gaussians",
                kernels = function(data) gaussian_kernel(1.2^(20:69)),
                read = function() read_digits(settings$n)),
  mfeat = list(text = "mfeat, six views, default kernels",
               kernels = function(data) default_kernels(data$x), read = read_mfeat),
  wide = list(text = "wide views, 600 rows, default kernels",
              kernels = function(data) default_kernels(data$x), read = function() wide_views(600))
)

decades <- 10^(-2:3)

measure_set <- function(set, p) {
  data <- set$read()
  kernels <- set$kernels(data)
  control <- bench_control(threads = 1)
  programs <- c(
    list(path = function() {
      mkl_path(data$x, data$y, kernels, C = range(decades), p = p, tol = settings$tol,
               control = control)
    }),
    stats::setNames(lapply(decades, function(C) {
      function() {
        mkl(data$x, data$y, kernels, C = C, p = p,
            control = bench_control(threads = 1, tol = settings$tol))
      }
    }), paste("C =", decades))
  )
  turns <- in_turns(programs, settings$runs)
  path <- turns$values$path
  fits <- turns$median[-1]
  list(
    row = data.frame(
      data = set$text, p = round(p, 2), path = seconds_text(turns$median[["path"]]),
      points = nrow(path$points), `largest gap` = format(max(path$intervals$gap), digits = 2),
      `fits at C = 0.01 to 1000` = paste(signif(fits, 2), collapse = ", "),
      `x mean fit` = ratio_text(turns$median[["path"]] / mean(fits)),
      `x dearest` = ratio_text(turns$median[["path"]] / max(fits)), check.names = FALSE
    ),
    ratio = turns$median[["path"]] / mean(fits), certified = path$certified,
    fits = turns$values[-1]
  )
}

results <- list()
for (name in settings$sets) for (p in settings$p) {
  results <- c(results, list(measure_set(sets[[name]], p)))
}
section("Paths over C", sprintf(paste(
  "C from 0.01 to 1000, relative gap at most %g at every C; %s. Seconds on one thread; fits are cold,",
  "to the same gap."
), settings$tol, medians_text(settings$runs)), do.call(rbind, lapply(results, `[[`, "row")))
stopifnot(all(vapply(results, `[[`, NA, "certified")))
report_bars(bar(sprintf("certified path over C against a cold fit, n = %d", settings$n),
                max(vapply(results, `[[`, 0, "ratio")), 6, 3,
                fits = do.call(c, lapply(results, `[[`, "fits"))))
