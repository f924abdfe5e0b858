# Data and reference solutions that live beside the repository, not in it: tests that need them are
# skipped where they are not.
shared_file <- function(...) {
  folders <- c(Sys.getenv("MANYKERNELS_SHARED"), "../../../shared")
  files <- file.path(folders[nzchar(folders)], ...)
  testthat::skip_if_not(any(file.exists(files)), paste("the shared folder's", file.path(...)))
  files[file.exists(files)][1]
}

skip_unless_slow <- function() {
  slow <- nzchar(Sys.getenv("MANYKERNELS_SLOW"))
  testthat::skip_if_not(slow, "a slow test (set MANYKERNELS_SLOW)")
}

# The UCI sets of the level-method papers: list(x, y), complete rows, no identifiers.
shared_uci <- function(name) {
  read <- function(file, ...) {
    utils::read.csv(shared_file("data", "uci_level", file), na.strings = c("?", "NA", ""), ...)
  }
  table <- switch(name,
    ionosphere = read("ionosphere.data", header = FALSE),
    sonar = read("sonar.all-data", header = FALSE),
    pima = read("pima.csv"),
    breast_w = read("breast_w.csv"),
    wpbc = read("wpbc.data", header = FALSE)[c(3:35, 2)]
  )
  table <- table[stats::complete.cases(table), ]
  x <- as.matrix(table[-ncol(table)])
  list(x = x[, apply(x, 2, stats::sd) > 0], y = factor(table[[ncol(table)]]))
}

# The first n MNIST digits, pixels in [0, 1], odd (the positive class) against even.
shared_mnist <- function(n) {
  bytes <- function(file, skip, count) {
    connection <- gzfile(shared_file("data", "mnist", file), "rb")
    on.exit(close(connection))
    readBin(connection, "raw", skip)
    readBin(connection, "integer", count, size = 1, signed = FALSE)
  }
  pixels <- bytes("t10k-images-idx3-ubyte.gz", 16, 784 * n)
  odd <- bytes("t10k-labels-idx1-ubyte.gz", 8, n) %% 2 == 1
  list(x = matrix(pixels / 255, n, byrow = TRUE), y = factor(odd, labels = c("even", "odd")))
}

# Two views of yeast genes (expression, phylogenetic profile), in one functional class or not.
shared_yeast <- function(n, class = 0) {
  file <- gzfile(shared_file("data", "yeast_elisseeff", "yeast_train.svm.gz"))
  on.exit(close(file))
  lines <- readLines(file, n)
  fields <- strsplit(trimws(lines), "[ \t]+")
  labels <- vapply(fields, function(f) if (grepl(":", f[1])) "" else f[1], "")
  x <- t(vapply(fields, function(f) {
    pairs <- strsplit(f[grepl(":", f)], ":")
    out <- numeric(103)
    out[as.integer(vapply(pairs, `[`, "", 1))] <- as.numeric(vapply(pairs, `[`, "", 2))
    out
  }, numeric(103)))
  member <- vapply(strsplit(labels, ","), function(l) class %in% as.integer(l), NA)
  list(x = list(expression = x[, 1:79], phylogeny = x[, 80:103]),
       y = factor(member, labels = c("no", "yes")))
}
