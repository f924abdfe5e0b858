# Supervised reconstruction of a network, the stand-in for the metabolic networks of Kloft et al. (2011,
# section 6.4), whose kernels are not public: which drugs bind to which receptors (Yamanishi et al.
# 2008). Bipartite local models: for each receptor with enough known drugs a model of drugs, by one
# kernel, by norms over all kernels, and over all kernels and their products. Edge models: one model of
# pairs of a drug and a receptor. Area under the ROC curve of held drugs or edges.
# All matrices are made symmetric, and their negative eigenvalues cut off.
# usage: Rscript bench/edges.R [set=gpcr] [targets=20] [folds=5] [repeats=1] [C=1] [negatives=1]
#   negatives: unknown edges for each known one in edge models; 0: no edge models
# stale after: model

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(set = "gpcr", targets = 20, folds = 5, repeats = 1, C = 1, negatives = 1)
folder <- "../shared/data/drugtarget_yamanishi"
norms <- c(1, 4 / 3, 2, 4, Inf)
alone <- c("simcomp", "ecfp4", "maccs")

# ---- data ----------------------------------------------------------------------------------------

clipped <- function(K) {
  parts <- eigen((K + t(K)) / 2, symmetric = TRUE)
  kept <- parts$values > 0
  tcrossprod(sweep(parts$vectors[, kept], 2, sqrt(parts$values[kept]), `*`))
}

read_named <- function(name) {
  as.matrix(utils::read.table(file.path(folder, paste0(settings$set, name)), header = TRUE, sep = "\t",
                              row.names = 1, check.names = FALSE))
}

read_edges <- function() {
  files <- list.files(file.path(folder, "drug_kernels"), sprintf("^%s_DD", settings$set), full.names = TRUE)
  kernels <- lapply(files, function(file) clipped(as.matrix(utils::read.table(xzfile(file)))))
  names(kernels) <- sub("^.*_DD[.](.*)[.]txt[.]xz$", "\\1", files)
  list(edges = read_named("_admat_dgc.txt.gz"), drugs = kernels,
       targets = clipped(read_named("_simmat_dg.txt.gz")))
}

# Fold of each row, each with its share of the positives.
draw_folds <- function(y, seed) {
  set.seed(seed)
  fold <- integer(length(y))
  for (one in unique(y)) fold[y == one] <- sample(rep_len(seq_len(settings$folds), sum(y == one)))
  fold
}

area <- function(decision, y) ranking_measures(decision, factor(y, c(0, 1)))[["auROC"]]

# ---- ways to learn -------------------------------------------------------------------------------

products_of <- function(kernels) {
  do.call(c, c(list(kernels), utils::combn(length(kernels), 2, function(pair) {
    kernels[pair[1]] * kernels[pair[2]]
  }, simplify = FALSE)))
}

# Kernels and p by name; `products` for sets whose products are to be tried, too.
ways <- function(kernels, products) {
  several <- function(kernels, norms, label) {
    stats::setNames(lapply(norms, function(p) list(kernels = kernels, p = p)),
                    sprintf("%s, p = %s", label, c("1", "4/3", "2", "4", "Inf")[match(norms, c(1, 4 / 3, 2, 4, Inf))]))
  }
  singles <- lapply(stats::setNames(nm = intersect(alone, sub("^pair\\((.*),.*", "\\1", names(kernels)))),
                    function(name) list(kernels = kernels[grepl(name, names(kernels))], p = Inf))
  c(singles, several(kernels, norms, "all"),
    if (products) several(products_of(kernels), 1, "all and products"))
}

# out: by way a matrix with areas in the first row and gaps in the second.
show_ways <- function(title, text, out) {
  row_of_ways <- function(k) do.call(cbind, lapply(out, function(run) run[k, ]))
  areas <- row_of_ways(1)
  gaps <- row_of_ways(2)
  single <- areas[, colnames(areas) %in% alone, drop = FALSE]
  best <- single[, which.max(colMeans(single))]
  section(title, text, data.frame(
    kernels = colnames(areas), `area in percent` = apply(100 * areas, 2, mean_text, digits = 1),
    `less the best single kernel` = apply(100 * (areas - best), 2, mean_text, digits = 1),
    gap = format(apply(gaps, 2, max), digits = 2), row.names = NULL, check.names = FALSE
  ))
}

# ---- local models --------------------------------------------------------------------------------

# area, gap of the folds of one target.
local_model <- function(way, y, fold) {
  runs <- vapply(seq_len(settings$folds), function(k) {
    train <- which(fold != k)
    test <- which(fold == k)
    matrices <- lapply(way$matrices, function(K) K[train, train])
    kernels <- if (way$products) products_of(quiet(precomputed_kernel(matrices))) else
      quiet(precomputed_kernel(matrices))
    fit <- quiet(mkl(y = factor(y[train]), kernels = kernels, p = way$p, C = settings$C, control = bench_control()))
    new <- lapply(way$matrices, function(K) K[test, train])
    c(area(predict(fit, new, type = "decision"), y[test]), fit$gap)
  }, numeric(2))
  c(mean(runs[1, ]), max(runs[2, ]))
}

run_local <- function(data) {
  known <- rowSums(data$edges)
  targets <- utils::head(order(-known), settings$targets)
  plan <- ways(quiet(precomputed_kernel(data$drugs)), TRUE)
  plan <- lapply(stats::setNames(nm = names(plan)), function(name) {
    list(p = plan[[name]]$p, products = grepl("products", name),
         matrices = data$drugs[intersect(names(data$drugs), names(plan[[name]]$kernels))])
  })
  out <- lapply(plan, function(way) {
    vapply(targets, function(t) rowMeans(vapply(seq_len(settings$repeats), function(seed) {
      local_model(way, data$edges[t, ], draw_folds(data$edges[t, ], seed))
    }, numeric(2))), numeric(2))
  })
  show_ways("Local models", sprintf(paste(
    "The %d receptors with most known drugs (%d to %d of %d): for each a model of its drugs, %d kernels, %d",
    "folds, %d draws, C = %g. Mean over receptors and its standard error."
  ), length(targets), min(known[targets]), max(known[targets]), ncol(data$edges), length(data$drugs),
  settings$folds, settings$repeats, settings$C), out)
}

# ---- edge models ---------------------------------------------------------------------------------

run_edges <- function(data) {
  plan <- ways(quiet(pair_kernel(data$drugs, list(sequence = data$targets))), FALSE)
  draw <- function(seed) {
    set.seed(seed)
    known <- which(data$edges == 1, arr.ind = TRUE)
    unknown <- which(data$edges == 0, arr.ind = TRUE)
    unknown <- unknown[sample(nrow(unknown), settings$negatives * nrow(known)), ]
    list(x = unname(rbind(known, unknown)[, 2:1]), y = rep(c(1, 0), c(nrow(known), nrow(unknown))))
  }
  drawn <- lapply(seq_len(settings$repeats), draw)
  out <- lapply(plan, function(way) {
    vapply(seq_along(drawn), function(seed) {
      edges <- drawn[[seed]]
      fold <- draw_folds(edges$y, seed)
      runs <- vapply(seq_len(settings$folds), function(k) {
        train <- fold != k
        fit <- quiet(mkl(edges$x[train, ], factor(edges$y[train]), way$kernels, p = way$p, C = settings$C,
                         control = bench_control()))
        c(area(predict(fit, edges$x[!train, ], type = "decision"), edges$y[!train]), fit$gap)
      }, numeric(2))
      c(mean(runs[1, ]), max(runs[2, ]))
    }, numeric(2))
  })
  show_ways("Edge models", sprintf(paste(
    "One model of pairs by Kronecker kernels, of a drug kernel and the receptors' sequences: %d known edges",
    "and %d times as many unknown ones, %d folds of edges, %d draws, C = %g. Mean over draws and its standard error."
  ), sum(data$edges), settings$negatives, settings$folds, settings$repeats, settings$C), out)
}

data <- read_edges()
run_local(data)
if (settings$negatives) run_edges(data)
