# Samples that lack a view: kept as neutral, or dropped? Test errors on tumours of the TCGA with 10 to
# 50 % of the samples without one of their views, over paired splits.
# usage: Rscript bench/missing-views.R [splits=20] [share=0.1,0.2,0.3,0.4,0.5] [part=random,protein]
# stale after: model R/missing-views.R bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(splits = 20, share = seq(0.1, 0.5, 0.1), part = c("random", "protein"))

fit <- function(x, y, missing_views = "error") {
  suppressMessages(mkl(x, y, missing_views = missing_views, control = bench_control()))
}

wrong <- function(fit, x, y) mean(predict(fit, x) != y)

# Rows without values in one view of a share of the samples, drawn at random.
with_holes <- function(x, share, views = names(x)) {
  n <- nrow(x[[1]])
  lacking <- sample.int(n, round(share * n))
  view <- sample(rep_len(views, length(lacking)))
  for (k in seq_along(lacking)) x[[view[k]]][lacking[k], ] <- NA
  x
}

# Columns' means in place of what is missing.
imputed <- function(x) {
  lapply(x, function(view) {
    gone <- is.na(view[, 1])
    view[gone, ] <- rep(colMeans(view[!gone, ]), each = sum(gone))
    view
  })
}

# Rows by method, a column for each of `splits` runs of errors(seed).
over_splits <- function(errors) vapply(seq_len(settings$splits), errors, errors(1))

difference_text <- function(difference) {
  sprintf("%+.4f (%.4f)", mean(difference), stats::sd(difference) / sqrt(length(difference)))
}

row_of <- function(share, errors) {
  means <- as.list(sprintf("%.4f", rowMeans(errors)))
  data.frame(missing = sprintf("%.0f %%", 100 * share), stats::setNames(means, rownames(errors)),
             `neutral - dropped` = difference_text(errors["neutral", ] - errors["dropped", ]),
             check.names = FALSE)
}

over_shares <- function(errors) {
  do.call(rbind, lapply(settings$share, function(share) {
    row_of(share, over_splits(function(seed) errors(share, seed)))
  }))
}

# ---- any view of training samples ----------------------------------------------------------------

random_errors <- function(data) {
  function(share, seed) {
    set.seed(seed)
    train <- sort(sample.int(length(data$y), round(length(data$y) / 2)))
    whole <- pick(data$x, train)
    y <- data$y[train]
    x <- with_holes(whole, share)
    test <- pick(data$x, -train)
    truth <- data$y[-train]
    neutral <- fit(x, y, "neutral")
    c(complete = wrong(fit(whole, y), test, truth), neutral = wrong(neutral, test, truth),
      `mean imputed` = wrong(fit(imputed(x), y), test, truth),
      dropped = wrong(fit(x, y, "drop"), test, truth),
      `neutral, new with holes` = wrong(neutral, with_holes(test, share), truth))
  }
}

if ("random" %in% settings$part) {
  sets <- list("four views (tcga_brca_tkde)" = read_tumours(),
               "three views (tcga_brca_mixomics)" = column_sets[["TCGA, breast_tcga"]]())
  for (name in names(sets)) {
    section(paste("Training samples without one view:", name), sprintf(paste(
      "Test error over %d splits into halves. A share of the training samples lacks one view, drawn",
      "at random; new samples are complete, and where it says so as many of them have holes. Fits with",
      "the defaults of mkl(); in brackets the standard error of the paired difference."),
      settings$splits), over_shares(random_errors(sets[[name]])))
  }
}

# ---- new samples without proteins ----------------------------------------------------------------

protein_errors <- function(share, seed) {
  set.seed(seed)
  x <- with_holes(breast_tcga$train, share, "protein")
  y <- breast_tcga$subtype_train
  has <- !is.na(x$protein[, 1])
  test <- function(fit) wrong(fit, breast_tcga$test, breast_tcga$subtype_test)
  two <- c("mirna", "mrna")
  c(neutral = test(fit(x, y, "neutral")), dropped = test(fit(pick(x, has), y[has], "neutral")),
    `two views` = test(fit(x[two], y)))
}

if ("protein" %in% settings$part) {
  section("New samples without proteins (tcga_brca_mixomics)", sprintf(paste(
    "Test error on its 70 test samples, none of which has proteins, over %d draws of the training",
    "samples that lack them, too. Neutral: all training samples; dropped: those with proteins alone,",
    "fitted so that new ones may lack them; two views: all samples, proteins left out."),
    settings$splits), over_shares(protein_errors))
}
