# Figure 7 of Kloft et al. (2011, section 6.5): time against the number of rows (50 Gaussians, precomputed
# and on the fly) and against the number of kernels (1,000 rows), for every optimiser and for the plain SVM on
# the sum of all kernels, by norms, with the slopes of the lines on the log-log axes. Processor times on
# one thread, certificate included; the matrices of precomputed kernels are made beforehand. A method that
# takes more than `limit` seconds gets no larger size. Precomputed matrices stop at `memory` bytes.
# usage: Rscript bench/runtime.R [n=500,1000,2000,5000,10000,20000] [M=10,30,100,300,1000,3000,10000]
#          [p=1,4/3,2,4] [limit=60] [memory=8e9] [rows=1000] [figure=bench/results/runtime.png]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(500, 1000, 2000, 5000, 10000, 20000), M = c(10, 30, 100, 300, 1000, 3000, 10000),
                            p = c(1, 4 / 3, 2, 4), limit = 60, memory = 8e9, rows = 1000,
                            figure = "bench/results/runtime.png")
optimizers <- c("interleaved", "wrapper", "newton", "cutting_plane", "chunking", "reduced_gradient", "level")
only_sparse <- c("reduced_gradient", "level") # methods for p = 1 alone

cells <- expand.grid(p = settings$p, optimizer = optimizers, stringsAsFactors = FALSE)
cells <- cells[!(cells$optimizer %in% only_sparse & cells$p != 1), ]
cells <- rbind(cells, data.frame(p = Inf, optimizer = "interleaved"))
cells$name <- ifelse(is.infinite(cells$p), "plain SVM on the sum", paste0(cells$optimizer, ", p = ", round(cells$p, 2)))

# Seconds of a fit, NA if it did not get there.
seconds_of <- function(data, kernels, p, optimizer) {
  started <- proc.time()[["user.self"]]
  fit <- tryCatch(quiet(mkl(data$x, data$y, kernels, p = p, C = 1, normalize = "none", scale = FALSE,
                            control = bench_control(settings$limit, optimizer = optimizer, threads = 1))),
                  manykernels_error = function(e) NULL)
  if (is.null(fit) || fit$status != "converged") return(NA_real_)
  proc.time()[["user.self"]] - started
}

# A matrix of seconds, cells by sizes. data_of: data and kernels of a size; NULL where it is too large.
grow <- function(sizes, data_of) {
  out <- matrix(NA_real_, nrow(cells), length(sizes), dimnames = list(cells$name, sizes))
  going <- rep(TRUE, nrow(cells))
  for (k in seq_along(sizes)) {
    given <- data_of(sizes[k])
    if (is.null(given)) next
    for (j in which(going)) {
      out[j, k] <- seconds_of(given$data, given$kernels, cells$p[j], cells$optimizer[j])
      going[j] <- !is.na(out[j, k])
    }
  }
  out
}

on_the_fly <- function(n) list(data = read_digits(n), kernels = gaussian_kernel(widths))
precomputed <- function(n) {
  if (8 * n^2 * length(widths) > settings$memory) return(NULL)
  given <- make_matrices(n, length(widths))
  list(data = list(x = NULL, y = given$y), kernels = precomputed_kernel(given$x))
}
small <- read_digits(settings$rows)
by_kernels <- function(M) list(data = small, kernels = gaussian_kernel(1.2^seq(0, 49, length.out = M)))

# The exponent of growth between the last two sizes that were taken, and over all of them.
slope <- function(times, sizes) {
  known <- which(!is.na(times) & times > 0.005)
  if (length(known) < 2) return(NA)
  round(unname(stats::coef(stats::lm(log(times[known]) ~ log(sizes[known])))[2]), 2)
}

show_growth <- function(title, text, times, what) {
  sizes <- as.numeric(colnames(times))
  shown <- as.data.frame(ifelse(is.na(times), "-", sprintf("%.3f", times)), stringsAsFactors = FALSE)
  names(shown) <- paste(what, "=", format(sizes, big.mark = ",", trim = TRUE, scientific = FALSE))
  section(title, text, cbind(method = rownames(times), shown, slope = apply(times, 1, slope, sizes)))
}

flying <- grow(settings$n, on_the_fly)
stored <- grow(settings$n, precomputed)
kernels <- grow(settings$M, by_kernels)
text <- sprintf(paste("Seconds, odd against even digits, C = 1, relative gap 1e-3; -: more than %g s of elapsed time, too",
                      "large, or not for such kernels. The slope is that of the line through the logarithms."), settings$limit)
show_growth("Time against rows, on the fly", text, flying, "n")
show_growth("Time against rows, precomputed", text, stored, "n")
show_growth(sprintf("Time against kernels, %g rows", settings$rows), text, kernels, "M")

# ---- the figure ----------------------------------------------------------------------------------

draw_growth <- function(times, title, label) {
  sizes <- as.numeric(colnames(times))
  shown <- times[apply(!is.na(times), 1, any), , drop = FALSE]
  colour <- grDevices::hcl.colors(length(optimizers) + 1, "Dark 3")[match(
    sub(",.*", "", rownames(shown)), c(optimizers, "plain SVM on the sum"))]
  style <- match(sub(".*p = ", "", rownames(shown)), round(settings$p, 2), nomatch = 1)
  graphics::matplot(sizes, t(pmax(shown, 1e-3)), log = "xy", type = "b", pch = 16, cex = 0.6, lty = style, col = colour,
                    xlab = label, ylab = "processor time, s", main = title)
  graphics::legend("topleft", c(optimizers, "plain SVM", paste("p =", round(settings$p, 2))), bty = "n", cex = 0.7,
                   col = c(grDevices::hcl.colors(length(optimizers) + 1, "Dark 3"), rep("black", length(settings$p))),
                   lty = c(rep(1, length(optimizers) + 1), seq_along(settings$p)))
}

dir.create(dirname(settings$figure), recursive = TRUE, showWarnings = FALSE)
grDevices::png(settings$figure, 1300, 480, res = 90)
graphics::par(mfrow = c(1, 3), mar = c(4, 4, 2, 0.6), las = 1)
draw_growth(flying, "50 Gaussians on the fly", "rows")
draw_growth(stored, "50 Gaussians, precomputed", "rows")
draw_growth(kernels, sprintf("%g rows, on the fly", settings$rows), "kernels")
invisible(grDevices::dev.off())
cat(sprintf("Figure: [%s](%s)\n\n", basename(settings$figure), basename(settings$figure)))
