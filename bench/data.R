# Data of the benchmarks, from the folder beside the repository. All are lists of x and y.

shared_data <- "../shared/data"

# ---- digits --------------------------------------------------------------------------------------

read_idx <- function(file) {
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  magic <- readBin(connection, "raw", 4)
  stopifnot(magic[3] == 8) # unsigned bytes
  size <- readBin(connection, "integer", as.integer(magic[4]), size = 4, endian = "big")
  values <- readBin(connection, "integer", prod(size), size = 1, signed = FALSE)
  stopifnot(length(values) == prod(size))
  list(size = size, values = values)
}

# The first n of the 10,000 MNIST test digits, pixels in [0, 1]: odd digits against even ones.
# Beyond them come the same digits moved by one pixel down, up, right and left: 50,000 in all.
read_digits <- function(n, folder = file.path(shared_data, "mnist")) {
  images <- read_idx(file.path(folder, "t10k-images-idx3-ubyte.gz"))
  labels <- read_idx(file.path(folder, "t10k-labels-idx1-ubyte.gz"))$values
  count <- length(labels)
  stopifnot(n <= 5 * count, images$size[1] == count)
  x <- matrix(0, n, prod(images$size[2:3]))
  plain <- matrix(images$values / 255, nrow = count, byrow = TRUE)
  moves <- list(c(0, 0), c(1, 0), c(-1, 0), c(0, 1), c(0, -1))
  for (k in seq_len(ceiling(n / count))) {
    rows <- seq_len(min(count, n - (k - 1) * count))
    at <- moved_pixels(images$size[2:3], moves[[k]])
    x[(k - 1) * count + rows, at$to] <- plain[rows, at$from]
  }
  odd <- rep_len(labels, n) %% 2 == 1
  list(x = x, y = factor(odd, levels = c(FALSE, TRUE), labels = c("even", "odd")))
}

# Which pixels (stored by rows) go where when an image moves by (down, right); the rest is empty.
moved_pixels <- function(size, by) {
  pixel <- matrix(seq_len(prod(size)), size[1], size[2], byrow = TRUE)
  inside <- function(size, by) seq_len(size)[seq_len(size) + by >= 1 & seq_len(size) + by <= size]
  down <- inside(size[1], by[1])
  right <- inside(size[2], by[2])
  list(from = as.vector(pixel[down, right]), to = as.vector(pixel[down + by[1], right + by[2]]))
}

# The digits' first d principal components: real data of low dimension.
read_digit_components <- function(n, d) {
  digits <- read_digits(n)
  centred <- sweep(digits$x, 2, colMeans(digits$x))
  axes <- eigen(crossprod(centred), symmetric = TRUE)$vectors[, seq_len(d), drop = FALSE]
  list(x = centred %*% axes, y = digits$y)
}

# ---- made data -----------------------------------------------------------------------------------

# A ball in the first two of d Gaussian features; `flipped` is the share of wrong labels.
make_noise <- function(n, d = 5, flipped = 0.1) {
  set.seed(1)
  x <- matrix(rnorm(n * d), n)
  y <- rowSums(x[, 1:2]^2) > 1.5
  wrong <- runif(n) < flipped
  y[wrong] <- !y[wrong]
  list(x = x, y = factor(y))
}

# Two clouds of d features that overlap.
make_clouds <- function(n, d) {
  set.seed(2)
  y <- rep(c(FALSE, TRUE), length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, 1:3] <- x[, 1:3] + ifelse(y, 0.8, -0.8)
  list(x = x, y = factor(y))
}

# Two clouds of d features, their centres so far apart.
make_pair <- function(n, d, apart) {
  set.seed(11)
  y <- rep(c(FALSE, TRUE), length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, 1] <- x[, 1] + ifelse(y, 0.5, -0.5) * apart
  list(x = x, y = factor(y))
}

# Clouds of d features, one for each class, their centres drawn so far apart.
make_classes <- function(n, d, classes, apart) {
  set.seed(14)
  y <- rep_len(seq_len(classes), n)
  centres <- matrix(rnorm(classes * d, sd = apart / sqrt(2 * d)), classes)
  list(x = centres[y, ] + rnorm(n * d), y = factor(paste0("class", y)))
}

# Half the rows are in a ball of d features.
make_ball <- function(n, d) {
  set.seed(12)
  x <- matrix(rnorm(n * d), n)
  list(x = x, y = factor(rowSums(x^2) > stats::qchisq(0.5, d)))
}

# Either side of a plane, with noise.
make_sides <- function(n, d) {
  set.seed(13)
  x <- matrix(rnorm(n * d), n)
  list(x = x, y = factor(rowSums(x) / sqrt(d) + 0.5 * rnorm(n) > 0))
}

# n x M normal deviates, made in place, 50 of them with a signal.
make_wide <- function(n, M) {
  set.seed(3)
  x <- rnorm(n * M)
  dim(x) <- c(n, M)
  signal <- rowSums(x[, seq_len(min(50, M)), drop = FALSE])
  list(x = x, y = factor(signal + sqrt(min(50, M)) / 2 * rnorm(n) > 0))
}

# Kernel matrices of the first n digits, Gaussian with the widths that all benchmarks span.
make_matrices <- function(n, kernels) {
  digits <- read_digits(n)
  distance <- as.matrix(stats::dist(digits$x))^2
  dimnames(distance) <- NULL
  x <- lapply(1.2^seq(0, 49, length.out = kernels), function(width) exp(-distance / width))
  list(x = stats::setNames(x, paste0("k", seq_len(kernels))), y = digits$y)
}

# ---- real data -----------------------------------------------------------------------------------

# The eight sets of the level method's paper: complete rows, no identifiers, constant columns
# dropped. Votes are 1 and -1, missing ones 0.
read_level_set <- function(name) {
  file <- c(ionosphere = "ionosphere.data", sonar = "sonar.all-data", wdbc = "wdbc.data",
            wpbc = "wpbc.data", pima = "pima.csv", heart = "heart_statlog.csv", vote = "vote.csv",
            breast = "breast_w.csv")[[name]]
  table <- utils::read.csv(file.path(shared_data, "uci_level", file),
                           header = grepl("csv$", file), na.strings = c("?", "NA", ""))
  table <- switch(name, wdbc = table[c(3:32, 2)], wpbc = table[c(3:35, 2)], table)
  last <- ncol(table)
  if (name == "vote") {
    table[-last] <- lapply(table[-last], function(v) ifelse(is.na(v), 0, ifelse(v == "y", 1, -1)))
  }
  table <- table[stats::complete.cases(table), ]
  x <- as.matrix(table[-last])
  list(x = x[, apply(x, 2, stats::sd) > 0], y = factor(table[[last]]))
}

# Sparse 0/1 features; columns that no row has are dropped.
read_a9a <- function(n) {
  connection <- xzfile(file.path(shared_data, "a9a", "a9a.libsvm.xz"), "r")
  on.exit(close(connection))
  lines <- strsplit(trimws(readLines(connection, n)), " ")
  features <- lapply(lines, function(line) as.integer(sub(":.*", "", line[-1])))
  x <- Matrix::sparseMatrix(rep(seq_along(features), lengths(features)), unlist(features), x = 1,
                            dims = c(length(lines), 123))
  list(x = x[, Matrix::colSums(x) > 0], y = factor(vapply(lines, `[`, "", 1)))
}

# Each of 60 bases as four 0/1 features; splice sites of either kind against none.
read_splice <- function() {
  table <- utils::read.delim(file.path(shared_data, "uci_splice", "splice.tsv"))
  bases <- do.call(rbind, strsplit(table$seq, ""))
  x <- do.call(cbind, lapply(c("A", "C", "G", "T"), function(base) bases == base))
  storage.mode(x) <- "double"
  list(x = x, y = factor(table$class != "N"))
}

# Six views of written digits, each column with unit variance; odd digits against even ones.
read_mfeat <- function() {
  folder <- file.path(shared_data, "mfeat")
  views <- c("fou", "fac", "kar", "pix", "zer", "mor")
  x <- lapply(stats::setNames(nm = views), function(view) {
    table <- utils::read.csv(file.path(folder, paste0("mfeat-", view, ".csv.gz")), header = FALSE)
    scale(as.matrix(table))
  })
  digit <- scan(file.path(folder, "labels.txt"), quiet = TRUE)
  list(x = x, y = factor(digit %% 2 == 1))
}

# The first n of 20,000 pictures of capital letters by 16 numbers each, columns standardised: the first
# half of the alphabet against the second.
read_letters <- function(n) {
  table <- package_data("LetterRecognition", "mlbench")[seq_len(n), ]
  list(x = scale(as.matrix(table[-1])), y = factor(table$lettr %in% LETTERS[1:13]))
}

# 6,435 places seen from a satellite, 36 columns, standardised: the three kinds of grey soil against
# red soil, cotton and stubble.
read_satellite <- function() {
  table <- package_data("Satellite", "mlbench")
  last <- ncol(table)
  list(x = scale(as.matrix(table[-last])), y = factor(grepl("grey", table[[last]])))
}

package_data <- function(name, package) {
  environment <- new.env()
  utils::data(list = name, package = package, envir = environment)
  environment[[name]]
}
