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
  yeast <- shared_yeast_labels(n, class)
  list(x = yeast$x, y = factor(yeast$labels[, 1] == 1, labels = c("no", "yes")))
}

# The same with a column of 0 and 1 for each of several classes, by default all 14.
shared_yeast_labels <- function(n, classes = 0:13) {
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
  member <- vapply(strsplit(labels, ","), function(l) as.integer(classes %in% as.integer(l)),
                   integer(length(classes)))
  list(x = list(expression = x[, 1:79], phylogeny = x[, 80:103]),
       labels = matrix(member, ncol = length(classes), byrow = TRUE,
                       dimnames = list(NULL, paste0("class", classes))))
}

# Mice of two genotypes: gene expression and fatty acids.
shared_nutrimouse <- function() {
  read <- function(name) {
    utils::read.csv(gzfile(shared_file("data", "nutrimouse", paste0(name, ".csv.gz"))))
  }
  numbers <- function(table) as.matrix(table[vapply(table, is.numeric, NA)])
  list(x = lapply(c(gene = "gene", lipid = "lipid"), function(name) numbers(read(name))),
       y = factor(read("labels")$genotype))
}

# Binding intensities of RNA sequences (numbers), and how often words of 1, 2 and 3 letters occur.
shared_rna <- function(n) {
  file <- gzfile(shared_file("data", "rna_binding", "U1A_full_AB.txt.gz"))
  table <- utils::read.table(file, nrows = n)
  sequence <- chartr("U", "T", table[[2]])
  count <- function(k) {
    words <- do.call(paste0, expand.grid(rep(list(c("A", "C", "G", "T")), k)))
    vapply(stats::setNames(nm = words), function(word) {
      found <- gregexpr(sprintf("(?=%s)", word), sequence, perl = TRUE)
      vapply(found, function(at) sum(at > 0), 0)
    }, numeric(n))
  }
  list(x = list(letters = count(1), pairs = count(2), triples = count(3)), y = table[[1]])
}

# A folder on a disk of so many KB until the test ends; skips the test where none can be made.
small_disk <- function(size, env = parent.frame()) {
  skip_on_os(c("windows", "mac"))
  folder <- tempfile("disk-")
  dir.create(folder)
  run <- function(...) suppressWarnings(system2(..., stdout = FALSE, stderr = FALSE))
  options <- c("-t", "tmpfs", "-o", sprintf("size=%dk", size), "tmpfs", shQuote(folder))
  skip_if_not(nzchar(Sys.which("mount")) && run("mount", options) == 0, "a disk can be mounted")
  withr::defer(run("umount", shQuote(folder)), env)
  folder
}

# Fills the disk of a file.
fill_disk <- function(file) {
  filler <- base::file(file.path(dirname(file), "filler"), "wb")
  try(suppressWarnings({
    writeBin(raw(2^20), filler)
    close(filler)
  }), silent = TRUE)
}

# testthat 3.1.6 looks for conditions of class "messsage", so that its own function never fails.
expect_no_message <- function(object) expect_message(object, NA)
