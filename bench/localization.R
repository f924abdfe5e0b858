# Where is a protein? The experiment of Kloft et al. (2011, table 1) and Sindhwani and Lozano (2011,
# figure 2) on the public successor of their data: motif kernels on parts of the sequence and Gaussians
# on profiles, models of one class each or with shared weights, over p, and matching pursuit beside
# the best single kernel and the sum of all.
# Full size, as in the paper, is rows=20000 splits=30 p=1,32/31,16/15,8/7,4/3,2,4,8,Inf: a day or more.
# The sizes below take 50 minutes of one core.
# usage: Rscript bench/localization.R [rows=600] [splits=5] [p=1,32/31,16/15,8/7,4/3,2,4,Inf]
#   [plant=1,0]
# stale after: model grid strings pursuit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(rows = 600, splits = 5, p = c(1, 32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, Inf),
                            plant = 1:0)

costs <- 2^(-2:5)
penalties <- 10^(-4:0)
letters20 <- strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]]

# As many rows of the largest class as the paper's data have, about. Proteins of the thylakoid lumen (luTP)
# are counted with the chloroplast's, as in the paper's four classes: they enter by a chloroplast transit
# peptide, and were not told apart in its data.
read_proteins <- function(plant) {
  table <- utils::read.delim(gzfile(file.path(shared_data, "targetp2", "targetp2.tsv.gz")))
  table <- table[table$plant == plant, ]
  table$class[table$class == "luTP"] <- "cTP"
  set.seed(1)
  rest <- which(table$class == "noTP")
  table <- table[c(which(table$class != "noTP"), sample(rest, round(length(rest) / 6))), ]
  table <- table[sample(nrow(table), min(settings$rows, nrow(table))), ]
  table <- table[table$class %in% names(which(table(table$class) >= 15)), ]
  list(x = list(sequence = table$seq, profile = profile_of(table$seq)), y = factor(table$class))
}

# Amino acid composition, hydrophobicity (Kyte and Doolittle) and charge along the first 60 positions.
hydrophobicity <- c(1.8, 2.5, -3.5, -3.5, 2.8, -0.4, -3.2, 4.5, -3.9, 3.8, 1.9, -3.5, -1.6, -3.5, -4.5,
                    -0.8, -0.7, 4.2, -0.9, -1.3)
charge <- stats::setNames(numeric(20), letters20)
charge[c("K", "R", "D", "E")] <- c(1, 1, -1, -1)
profile_of <- function(sequences) {
  words <- strsplit(sequences, "")
  composition <- t(vapply(words, function(w) tabulate(match(w, letters20), 20) / length(w), numeric(20)))
  colnames(composition) <- letters20
  along <- function(scale) {
    t(vapply(words, function(w) {
      values <- scale[match(w[1:60], letters20)]
      values[is.na(values)] <- 0
      colMeans(matrix(values, 6))
    }, numeric(10)))
  }
  water <- along(hydrophobicity)
  charges <- along(charge)
  colnames(water) <- paste0("hydrophobicity", 1:10)
  colnames(charges) <- paste0("charge", 1:10)
  cbind(composition, water, charges)
}

kernels <- c(
  on_view(protein_motif_kernels(), "sequence"),
  on_view(on_features(gaussian_kernel(c(10, 40)), list(
    composition = letters20, hydrophobicity = paste0("hydrophobicity", 1:10),
    charge = paste0("charge", 1:10)
  )), "profile")
)

pick_rows <- function(x, rows) list(sequence = x$sequence[rows], profile = x$profile[rows, ])

# One minus the mean correlation on a third of the rows; C by three folds of the others.
split_errors <- function(seed, data) {
  set.seed(seed)
  test <- sort(sample.int(length(data$y), round(length(data$y) / 3)))
  x <- pick_rows(data$x, -test)
  y <- data$y[-test]
  held <- pick_rows(data$x, test)
  error <- function(fit, ...) 1 - matthews(predict(fit, held, ...), data$y[test])
  by_norm <- function(strategy) {
    vapply(settings$p, function(p) {
      error(cv_mkl(x, y, kernels, p = p, C = costs, folds = 3, multiclass = strategy, measure = "mcc",
                   normalize = "spherical", control = bench_control()))
    }, 0)
  }
  pursuit <- function(...) {
    mkl_gomp(x, y, kernels, max_kernels = length(kernels), normalize = "spherical",
             control = bench_control(), ...)
  }
  chosen <- pursuit(lambda = penalties, folds = 3)
  last <- subset(chosen$tuning, kernels == max(kernels))
  all <- pursuit(lambda = last$lambda[which.min(last$error)])
  single <- cv_mkl(x, y, stats::setNames(lapply(seq_along(kernels), function(m) kernels[m]),
                                         names(kernels)),
                   p = Inf, C = c(1, 8), folds = 3, measure = "mcc", normalize = "spherical",
                   control = bench_control())
  errors <- c(own = by_norm("ovr"), shared = by_norm("shared"), pursuit = error(chosen),
              sum = error(all), single = error(single), taken = chosen$selected)
  message("split ", seed, ": ", paste(format(errors, digits = 4), collapse = " "))
  errors
}

run <- function(name, plant) {
  data <- read_proteins(plant)
  runs <- 100 * vapply(seq_len(settings$splits), split_errors, numeric(2 * length(settings$p) + 4), data)
  shown <- sprintf("%.1f +- %.1f", rowMeans(runs), apply(runs, 1, stats::sd) / sqrt(ncol(runs)))
  at <- seq_along(settings$p)
  data.frame(
    data = sprintf("%s, %d rows, %d classes", name, length(data$y), nlevels(data$y)),
    model = c(sprintf("own weights, p = %s", format(settings$p, digits = 3)),
              sprintf("shared weights, p = %s", format(settings$p, digits = 3)),
              sprintf("matching pursuit, %.0f of %d kernels",
                      mean(runs["taken", ]) / 100, length(kernels)),
              "least squares on the sum", "best single kernel"),
    `1 - mean correlation, %` = shown[c(at, length(at) + at, 2 * length(at) + 1:3)], check.names = FALSE
  )
}

section("One minus the mean Matthews correlation", sprintf(paste(
  "In percent, over the classes, on a third of the rows, and its standard error over %d splits. %d",
  "kernels: 64 on motifs (16 masks, 4 parts of the sequence), 6 Gaussians on profiles. C, the penalty,",
  "the length of the pursuit and the best single kernel are chosen by three folds of the other rows."),
  settings$splits, length(kernels)),
  do.call(rbind, lapply(settings$plant, function(plant) run(c("non-plant", "plant")[plant + 1], plant))))
