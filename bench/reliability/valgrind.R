# A session that fits, predicts and certifies in all the ways there are, small, under valgrind: errors, and
# memory that is lost. Prints a line of bench/reliability.md.
# usage: Rscript bench/reliability/valgrind.R    (the package on R's library path)

drive <- function() {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]])
  log <- tempfile()
  output <- tempfile()
  # "possibly lost" is what the threads of libgomp's pool hold
  tool <- paste0("valgrind --leak-check=full --show-leak-kinds=definite,indirect ",
                 "--errors-for-leak-kinds=definite,indirect --log-file=", log)
  system2(file.path(R.home("bin"), "R"),
          c("--vanilla", "-d", shQuote(tool), "-f", shQuote(script), "--args", "child"),
          stdout = output, stderr = output)
  done <- any(readLines(output) == "done")
  found <- readLines(log)
  errors <- as.numeric(sub(".*ERROR SUMMARY: ([0-9]+) .*", "\\1", grep("ERROR SUMMARY", found, value = TRUE)))
  if (!done || errors > 0) writeLines(c(utils::tail(readLines(output)), found), stderr())
  cat(sprintf("| a session under valgrind: errors and blocks that are lost | 1 | %d |\n",
              if (done) as.integer(errors) else 1L))
  if (!done || errors > 0) quit(status = 1L)
}

session <- function() {
  suppressMessages(library(manykernels))
  quiet <- function(...) mkl_control(progress = FALSE, threads = 2, tol = 1e-2, ...)
  set.seed(1)
  n <- 36
  x <- matrix(rnorm(n * 3), n)
  y <- factor(rep(c("a", "b"), n / 2))
  kernels <- c(gaussian_kernel(1:2), linear_kernel())
  for (optimizer in c("interleaved", "wrapper", "newton", "cutting_plane", "level")) {
    mkl(x, y, kernels, p = 4 / 3, control = quiet(optimizer = optimizer))
  }
  mkl(x, y, kernels, p = 1, control = quiet(optimizer = "reduced_gradient"))
  fit <- mkl(x, y, kernels, control = quiet())
  predict(fit, x[1:5, ])
  duality_gap(fit, x, y)
  for (loss in list("squared", huber_loss(), epsilon_loss())) {
    mkl(x, x[, 1], kernels, loss = loss, control = quiet())
  }
  mkl(x, y, kernels, loss = "logistic", control = quiet())
  predict(mkl_gomp(x, x[, 1], kernels, control = quiet()), x[1:3, ])
  mkl_sequential(x, y, kernel_dictionary(gaussian_kernel(1:3)), control = quiet())
  predict(mllkm(x, y, control = quiet()), x[1:3, ])
  words <- vapply(1:n, function(i) paste(sample(c("A", "C", "G", "T"), 10, TRUE), collapse = ""), "")
  predict(mkl(words, y, spectrum_kernel(2), control = quiet()), words[1:3])
  mkl(words, y, weighted_degree_kernel(2), control = quiet())
  file <- tempfile()
  write_kernel(tcrossprod(x), file)
  mkl(y = y, kernels = precomputed_kernel(file = file), control = quiet())
  empirical_rademacher(gaussian_kernel(1:2), x, draws = 3, progress = FALSE)
  mkl_path(x, y, gaussian_kernel(1:2), C = c(0.5, 1), control = quiet())
  kernel_alignment(kernels, x, y)
}

if (identical(commandArgs(trailingOnly = TRUE), "child")) {
  suppressWarnings(session())
  cat("done\n")
} else {
  drive()
}
