# How good is it? Test errors of cv_mkl() and mkl() as they are beside what a user would take instead
# (bench/evidence-methods.R), on public data, over fixed splits. Each cell (set, split, method) is kept in a
# file of the folder `store`, with the version of its package in its name, so that a run goes on where one was
# cut off, and only cells of packages that have changed are measured again.
# usage: Rscript bench/evidence.R [splits=5] [rows=600] [sets=all, or names] [limit=120] [hours=2.5] [store=.build/evidence]
# limit: processor seconds of a cell; hours: processor time of a run, after which no further set is begun. Run it
# again to go on.
# stale after: model grid bench/column-sets.R bench/evidence-methods.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
source("bench/evidence-methods.R")
settings <- bench_arguments(splits = 5, rows = 600, sets = "all", limit = 120, hours = 2.5, store = ".build/evidence")
data_sets <- c(column_sets, more_column_sets, lapply(censored_sets, function(read) {
  function() {
    data <- read()
    list(x = data$x, y = survival::Surv(data$time, data$status))
  }
}))
if (!identical(settings$sets, "all")) data_sets <- data_sets[settings$sets]

# ---- splits --------------------------------------------------------------------------------------

# The fold of each sample; classes and events are spread evenly, numbers and times in their order.
fold_of <- function(y, folds, seed = NULL) {
  if (!is.null(seed)) set.seed(seed)
  kind <- if (is.factor(y)) y else if (inherits(y, "Surv")) y[, 2] else
    ceiling(rank(y, ties.method = "first") / folds)
  fold <- integer(length(kind))
  for (own in split(seq_along(kind), kind)) fold[own] <- sample(rep_len(sample(folds), length(own)))
  fold
}

# Factors as dummy variables.
numeric_columns <- function(view) {
  if (is.data.frame(view) && !all(vapply(view, is.numeric, NA))) {
    return(stats::model.matrix(~ ., view)[, -1, drop = FALSE])
  }
  view <- as.matrix(view)
  if (is.null(colnames(view))) colnames(view) <- paste0("V", seq_len(ncol(view)))
  view
}

# Two thirds of at most `rows` samples for training.
make_split <- function(data, number) {
  set.seed(number)
  y <- data$y
  n <- if (inherits(y, "Surv")) nrow(y) else length(y)
  used <- sort(sample.int(n, min(n, settings$rows)))
  if (is.integer(y)) y <- as.numeric(y)
  y <- y[used]
  if (is.factor(y)) y <- factor(y)
  train <- fold_of(y, 3) < 3
  x <- pick(data$x, used)
  views <- if (is.data.frame(x) || is.matrix(x)) list(x = x) else x
  wide <- lapply(views, numeric_columns)
  columns <- do.call(cbind, unname(wide))
  colnames(columns) <- make.names(colnames(columns), unique = TRUE)
  table <- do.call(cbind, unname(lapply(views, as.data.frame)))
  names(table) <- make.names(names(table), unique = TRUE)
  varies <- apply(columns[train, , drop = FALSE], 2, stats::sd) > 0
  kind <- if (is.factor(y)) "classes" else if (inherits(y, "Surv")) "censored" else "numbers"
  list(kind = kind, y = y[train], truth = y[!train], spread = if (kind == "numbers") stats::sd(y),
       x = pick(x, which(train)), new = pick(x, which(!train)),
       table = table[train, , drop = FALSE], new_table = table[!train, , drop = FALSE],
       columns = columns[train, varies], new_columns = columns[!train, varies],
       block = rep(names(views), vapply(wide, ncol, 0L))[varies])
}

# The share of wrong classes, the root mean square error over the standard deviation, or 1 - concordance.
loss_of <- function(split, predicted) {
  truth <- split$truth
  switch(split$kind, classes = mean(as.character(predicted) != as.character(truth)),
         numbers = sqrt(mean((predicted - truth)^2)) / split$spread,
         censored = 1 - survival::concordance(truth ~ predicted, reverse = TRUE)$concordance)
}

# ---- cells ---------------------------------------------------------------------------------------

# Of a package under development what is installed counts, not its number.
version_of <- function(package) {
  if (package != "manykernels") return(format(utils::packageVersion(package)))
  code <- system.file(c("R/manykernels.rdb", "libs/manykernels.so"), package = package)
  paste(substr(tools::md5sum(code), 1, 6), collapse = "")
}

# limit: of processor time; the other limit is for programs that R can't interrupt.
run_cell <- function(method, split, seed) {
  in_child({
    setTimeLimit(cpu = settings$limit, transient = TRUE)
    set.seed(seed)
    began <- proc.time()
    predicted <- suppressMessages(suppressWarnings(method$run(split)))
    spent <- proc.time() - began
    if (length(predicted) != nrow(split$new_columns) || anyNA(predicted)) stop("predictions are missing")
    c(loss = loss_of(split, predicted), seconds = sum(spent[c("user.self", "sys.self")]))
  }, 10 * settings$limit)
}

cell <- function(set, number, name, made) {
  method <- methods[[name]]
  word <- function(text) gsub("[^A-Za-z0-9]+", "_", text)
  file <- file.path(settings$store, sprintf("%s-%g-rows-split-%d-%s-%s.rds", word(set), settings$rows, number,
                                            word(name), version_of(method$package)))
  if (!file.exists(file)) {
    found <- run_cell(method, made, number)
    saveRDS(found, file)
    message(sprintf("%s, split %d, %s: %s", set, number, name, if (is_failure(found)) found$message else
      sprintf("%.4f, %.1f s", found[["loss"]], found[["seconds"]])))
  }
  readRDS(file)
}

dir.create(settings$store, recursive = TRUE, showWarnings = FALSE)
installed <- Filter(function(method) has_package(method$package), methods)
lacking <- unique(vapply(methods[setdiff(names(methods), names(installed))], `[[`, "", "package"))

# The first split of all sets comes before the second, and small sets before large ones, so that a run that was
# cut off has seen most sets.
has_time <- function() sum(proc.time()[-3]) < 3600 * settings$hours
cells <- list()
sets_read <- Filter(Negate(is_failure), lapply(data_sets, function(read) attempt(read())))
sets_read <- sets_read[order(vapply(sets_read, function(data) length(unlist(one_table(data$x))) * 1.0, 0))]
for (number in seq_len(settings$splits)) {
  for (set in names(sets_read)) {
    if (!has_time()) break
    made <- make_split(sets_read[[set]], number)
    for (name in names(installed)) {
      if (!methods[[name]]$fits(made)) next
      found <- cell(set, number, name, made)
      cells[[length(cells) + 1]] <- data.frame(
        set = set, split = number, method = name, kind = made$kind, n = nrow(made$table) + nrow(made$new_table),
        columns = ncol(made$table), views = length(unique(made$block)),
        share = nrow(made$new_table) / nrow(made$table), loss = if (is_failure(found)) NA else found[["loss"]],
        seconds = if (is_failure(found)) NA else found[["seconds"]],
        failure = if (is_failure(found)) strtrim(gsub("\\s+", " ", found$message), 100) else ""
      )
    }
  }
}
cells <- do.call(rbind, cells)

# ---- tables --------------------------------------------------------------------------------------

# Mean and standard error of the differences over splits, with the factor of Nadeau and Bengio (2003), since
# splits share samples: the plain standard error would be too small.
compare <- function(own, other) {
  both <- merge(own, other, by = "split", suffixes = c("", ".other"))
  both <- both[!is.na(both$loss) & !is.na(both$loss.other), ]
  difference <- both$loss - both$loss.other
  c(difference = mean(difference), se = sqrt((1 / nrow(both) + mean(both$share)) * stats::var(difference)))
}

# A difference counts from two standard errors on; where one can't be told it is even.
word_of <- function(found) {
  if (is.na(found[["se"]]) || abs(found[["difference"]]) <= 2 * found[["se"]] + 1e-12) return("even")
  if (found[["difference"]] > 0) "worse" else "better"
}

interval_text <- function(found) {
  sprintf("%+.3f (%+.3f to %+.3f)", found[["difference"]], found[["difference"]] - 2 * found[["se"]],
          found[["difference"]] + 2 * found[["se"]])
}

of_method <- function(cells, name) cells[cells$method == name, ]
own_names <- names(Filter(function(method) method$package == "manykernels", methods))
mean_by <- function(cells, column) tapply(cells[[column]], cells$method, mean)

# The best peer of a set is that of the least mean loss among those with a value in every split.
best_peer <- function(own) {
  means <- mean_by(own[!own$method %in% own_names, ], "loss")
  names(which.min(means))
}

kind_text <- c(classes = "error rate", numbers = "RMSE / sd", censored = "1 - concordance")

set_row <- function(own) {
  peer <- best_peer(own)
  found <- compare(of_method(own, "cv_mkl()"), of_method(own, peer))
  seconds <- mean_by(own, "seconds")
  data.frame(
    data = own$set[1], measure = kind_text[[own$kind[1]]], n = own$n[1],
    columns = paste0(own$columns[1], if (own$views[1] > 1) sprintf(" in %d views", own$views[1])),
    splits = length(unique(own$split)), `cv_mkl()` = sprintf("%.3f", mean_by(own, "loss")[["cv_mkl()"]]),
    `best peer` = peer, `its loss` = sprintf("%.3f", mean_by(own, "loss")[[peer]]),
    difference = interval_text(found), verdict = word_of(found),
    `seconds` = sprintf("%.1f", seconds[["cv_mkl()"]]), `of the peer` = sprintf("%.1f", seconds[[peer]]),
    check.names = FALSE
  )
}

peer_row <- function(name) {
  sets <- Filter(function(own) name %in% own$method && any(!is.na(of_method(own, name)$loss)), by_set)
  found <- lapply(sets, function(own) compare(of_method(own, "cv_mkl()"), of_method(own, name)))
  words <- factor(vapply(found, word_of, ""), c("better", "even", "worse"))
  lower <- vapply(found, `[[`, 0, "difference") < 0
  seconds <- rowSums(vapply(sets, function(own) mean_by(own, "seconds")[c("cv_mkl()", name)], numeric(2)))
  counts <- table(words)
  data.frame(peer = name, sets = length(sets), `lower mean loss of cv_mkl()` = sum(lower),
             `clearly better` = counts[["better"]], even = counts[["even"]],
             `clearly worse` = counts[["worse"]],
             `time of cv_mkl() / its` = sprintf("%.1f", seconds[1] / seconds[2]), check.names = FALSE)
}

loss_row <- function(own) {
  means <- mean_by(own, "loss")[used]
  text <- ifelse(is.na(means), "", sprintf("%.3f", means))
  data.frame(data = own$set[1], as.list(stats::setNames(text, used)), check.names = FALSE)
}

by_set <- split(cells, factor(cells$set, intersect(names(data_sets), cells$set)))
# A set counts where cv_mkl() and some peer have a value in every split.
whole <- vapply(by_set, function(own) {
  !anyNA(of_method(own, "cv_mkl()")$loss) && length(best_peer(own)) == 1
}, NA)
left_out <- names(by_set)[!whole]
by_set <- by_set[whole]
used <- intersect(names(installed), unlist(lapply(by_set, function(own) own$method[!is.na(own$loss)])))
rows <- do.call(rbind, lapply(by_set, set_row))

names_text <- function(text, names) if (length(names)) sprintf("%s %s.", text, toString(names)) else ""
section("Every set", sprintf(paste(
  "Means over %d splits of at most %d samples, two thirds for training. The best peer is chosen by these same",
  "losses, so the comparison favours it. In brackets two standard errors with the correction of Nadeau and",
  "Bengio (2003); the verdict is that of cv_mkl() by them. Seconds of processor time, on one thread.%s%s"),
  settings$splits, settings$rows,
  names_text(" Not installed:", lacking), names_text(" Without a value in every split:", left_out)), rows)
packages <- setdiff(unique(vapply(methods[used], `[[`, "", "package")), "manykernels")
versions <- vapply(packages, version_of, "")
section("Every peer", sprintf("Sets on which each has values, and what they say about cv_mkl(). Versions: %s.",
                              toString(paste(packages, versions))),
        do.call(rbind, lapply(setdiff(used, "cv_mkl()"), peer_row)))
section("Every loss", "Means over splits. Empty: the method does not fit the data, or failed in a split.",
        do.call(rbind, lapply(by_set, loss_row)))
failed <- unique(cells[nzchar(cells$failure), c("set", "method", "failure")])
if (nrow(failed)) section("Failures", "", failed)
report_bars(bar(sprintf("sets of %d with a clear loss to the best peer", nrow(rows)),
                sum(rows$verdict == "worse"), 2, unit = " sets"))
