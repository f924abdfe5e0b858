# The MNIST digits as the benchmarks use them: pixels in [0, 1], odd digits against even ones.

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

read_mnist <- function(n, folder = "../shared/data/mnist") {
  images <- read_idx(file.path(folder, "t10k-images-idx3-ubyte.gz"))
  labels <- read_idx(file.path(folder, "t10k-labels-idx1-ubyte.gz"))$values
  x <- matrix(images$values / 255, nrow = images$size[1], byrow = TRUE)
  stopifnot(n <= nrow(x), nrow(x) == length(labels))
  rows <- seq_len(n)
  list(
    x = x[rows, , drop = FALSE],
    y = factor(labels[rows] %% 2 == 1, levels = c(FALSE, TRUE), labels = c("even", "odd"))
  )
}
