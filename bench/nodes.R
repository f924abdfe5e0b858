# One fit over several processes (mkl_control(cluster = )), on paper: bytes and operations of a round of chunks
# against the number of nodes, for rows beyond one computer. Nothing is fitted. The rates are those of one core
# of the computer that the script was written on: workers visited `pass` pairs in a second, 20 Gaussian kernels
# on 10 columns in single precision, and `exact` pairs for the certificate.
# usage: Rscript bench/nodes.R [rows=1e7,1e8] [nodes=1,4,16,64,256,1024] [cores=16] [columns=10] [kernels=20]
#        [cache=1.6e10] [pass=1.1e9] [exact=3e8] [network=1.25e9]
# stale after: src/chunking R/blocks.R

source("bench/common.R")
s <- bench_arguments(rows = c(1e7, 1e8), nodes = 4^(0:5), cores = 16, columns = 10, kernels = 20, cache = 1.6e10,
                     pass = 1.1e9, exact = 3e8, network = 1.25e9)

# As chunk_size() in src/chunking/chunks.c, where half of three quarters of the budget holds the square.
chunk <- function(n) min(max(n / 6, 1000), sqrt(0.5 * 0.75 * s$cache / 8))

# Operations of a pair: differences, squares and their sum; table, polynomial of degree 7, weight and sum.
pair_operations <- 3 * s$columns + 2 * 7 + 4

round_of <- function(n, nodes) {
  changed <- chunk(n)
  to_each <- changed * (8 * s$columns + 8 + 4) + 8 * s$kernels
  back <- 8 * n
  seconds <- c(
    workers = changed * n / (nodes * s$cores * s$pass),
    network = (nodes * to_each + back) / s$network, # through the link of the calling session
    # the chunk's square, at most ten steps of two rows each for a sample, and some 40 passes over vectors
    session = changed^2 / (2 * s$cores * s$pass) + 20 * changed^2 / 4e9 + 40 * 8 * n / 1e10
  )
  data.frame(
    rows = n, nodes = nodes, changed = round(changed), `MB to each` = to_each / 1e6, `MB back` = back / 1e6,
    `Gflop of each` = changed * n / nodes * pair_operations / 1e9,
    `workers (s)` = seconds[["workers"]], `network (s)` = seconds[["network"]], `session (s)` = seconds[["session"]],
    limit = names(which.max(seconds)), `certificate (h)` = certificate_seconds(n, nodes) / 3600,
    `GB of each` = (n / nodes + 0.5 * n) * 8 * s$columns / 1e9, `GB of session` = n * 8 * (s$columns + 30) / 1e9,
    check.names = FALSE
  )
}

# Half of the rows are support vectors: all of them against the others, and the pairs among them.
certificate_seconds <- function(n, nodes) 0.375 * n^2 / (nodes * s$cores * s$exact)

table <- do.call(rbind, lapply(s$rows, function(n) do.call(rbind, lapply(s$nodes, round_of, n = n))))
numbers <- vapply(table, is.numeric, NA)
table[numbers] <- lapply(table[numbers], function(x) format(signif(x, 3), big.mark = ",", scientific = FALSE,
                                                            drop0trailing = TRUE, trim = TRUE))
section("A round of chunks over several nodes (a model, not a measurement)", sprintf(paste(
  "%g cores a node, %g columns, %g kernels, %g MB/s; `changed` is the largest number of dual variables of a round",
  "for `cache` = %g GB."), s$cores, s$columns, s$kernels, s$network / 1e6, s$cache / 1e9), table)
