# A report of a fit for a supplement: an R Markdown template, and the tables that it shows.

#' A report of a fit
#'
#' Writes one HTML file (or another format of R Markdown) for the supplement of a paper. It shows the data,
#' the kernels, the choice of `C` and `p`, errors with intervals, the importance of views, the weights by view
#' with their stability over the resamples, the certificate of each model, and the session. `newdata` adds the
#' measures on a test set, and `data` the [sample_map()]. To change the document, start from its R Markdown
#' template, "Report of a multiple kernel learning fit"; see `rmarkdown::draft()` in the examples. An existing
#' file is replaced.
#'
#' Packages \pkg{report} and \pkg{fabletools} have a function `report()`, too. With one of them attached,
#' write `manykernels::report()`.
#'
#' @param object A fit of [mkl()], [mkl_sequential()], [mkl_gomp()] or [mllkm()], or, for the choice,
#'   the stability and errors on new data, a result of [cv_mkl()].
#' @param file The file to write, one string with an extension. By default it is `report.html` in R's temporary
#'   folder, which is deleted at the end of the session.
#' @param data The training data, in the form that [duality_gap()] takes as `x`, to recompute the
#'   certificate and to draw the [sample_map()]. `NULL`: the report shows the certificate of the fit.
#' @param importance A result of [permutation_importance()] for the fit, which the report shows, or a list of
#'   several (by view, by feature). `NULL`: the report explains how to compute it.
#' @param format By default the format of the extension of `file` (HTML without one). A format of
#'   package rmarkdown, such as `"html_document"`, `"pdf_document"` or `"word_document"`, or of another one,
#'   as in `"bookdown::html_document2"`.
#' @param quiet Whether to hide the output of pandoc and knitr: `TRUE` or `FALSE`.
#' @param newdata,y,group A test set: new rows, their response and their groups, as in [assess()], for a
#'   section on the measures, the confusion matrix and the curves on these. `NULL`: no such section. With a
#'   formula `y` may be left out. Intervals by the bootstrap use random numbers: set a seed for the same.
#' @param ... Not used; anything given is an error.
#' @return The path of the file that was written.
#' @section Errors:
#' Class `manykernels_missing_package` without package rmarkdown, without pandoc, and for a PDF without LaTeX or what
#' it lacks; `manykernels_invalid_argument` for a folder that does not exist, an unknown format, and one that
#' contradicts the ending of `file`; `manykernels_report` where R Markdown fails and where `file` can't be written,
#' as on a full disk (an old file stays then); `manykernels_mismatch` for an `importance` of another fit; and those
#' of [assess()].
#' @seealso [assess()], [summary.mkl()], [mkl-tidiers], [plot.mkl()]
#' @references
#' Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* **22**, 209--212 (the intervals of training
#' errors).
#' @examples
#' train <- seq(51, 150, by = 2)
#' y <- droplevels(iris$Species[51:150])
#' set.seed(1)
#' cv <- cv_mkl(iris[train, 1:4], y[train - 50], kernels = gaussian_kernel(c(0.5, 2, 8)), p = c(1, 2),
#'              C = c(0.1, 1))
#' \dontrun{
#' report(cv, "fit.html", newdata = iris[train + 1, 1:4], y = y[train - 49])
#' # the template, to be changed
#' rmarkdown::draft("fit.Rmd", "mkl-report", package = "manykernels", edit = FALSE)
#' }
#' @export
report <- function(object, file = file.path(tempdir(), "report.html"), data = NULL, format = "html_document",
                   quiet = TRUE, newdata = NULL, y, group = NULL, importance = NULL, ...) {
  check_dots_empty(...)
  if (!inherits(object, c("mkl", "mkl_multiclass", "cv_mkl"))) {
    abort_argument(object, "object", "a fit or a result of cv_mkl()")
  }
  check_object(object)
  importance <- check_importances(importance, fit_within(object))
  target <- store_file(file, "file")
  quiet <- check_flag(quiet, "quiet")
  need_package("rmarkdown", "report()")
  format <- if (missing(format)) format_of_file(file) else check_format(format, file)
  if (format %in% c("pdf_document", "rmarkdown::pdf_document") && !has_latex()) abort_latex(file, "it")
  if (!is.null(data)) training_data(fit_within(object), data, "data")
  check_test_set(newdata, c(y = !missing(y), group = !is.null(group)))
  test <- if (!is.null(newdata)) assess(object, newdata, y, group = group)
  if (!rmarkdown::pandoc_available()) {
    mk_abort("report() needs pandoc, which was not found.", "missing_package", "file")
  }
  template <- system.file("rmarkdown/templates/mkl-report/skeleton/skeleton.Rmd",
                          package = "manykernels")
  folder <- tempfile("report-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  draft <- tempfile("draft", folder, ".Rmd")
  file.copy(template, draft)
  written <- tryCatch(
    rmarkdown::render(draft, format, basename(target),
                      params = list(fit = object, data = data, test = test, importance = importance,
                                    map = report_map(object, data, newdata, if (!missing(y)) y)),
                      envir = new.env(parent = globalenv()), quiet = quiet),
    error = function(e) {
      if (inherits(e, "manykernels_error")) stop(e)
      if (grepl("latex", conditionMessage(e), ignore.case = TRUE)) {
        abort_latex(file, sprintf("what it lacks (%s)", latex_reason(folder, e)))
      }
      text <- if (format == "html_document") {
        "See all messages by `quiet = FALSE`: no report was written (%s)."
      } else {
        "Give `file` the ending .html, or see all messages by `quiet = FALSE`: no report was written (%s)."
      }
      mk_abort(sprintf(text, conditionMessage(e)), "report", "file", file, parent = e)
    }
  )
  put_report(written, file.path(dirname(target), basename(written)))
}

# Moves a report with its folder of pictures, which formats such as Markdown have.
put_report <- function(written, target) {
  pictures <- paste0(tools::file_path_sans_ext(written), "_files")
  whole <- !dir.exists(pictures) || file.copy(pictures, dirname(target), recursive = TRUE)
  if (!whole || !replace_file(target, written)) abort_unwritable(target, "file", "report")
  target
}

# Text as R Markdown shows it, whatever names it has: marks become character references, line breaks spaces.
literal_text <- function(x) {
  x <- gsub("[[:space:]]+", " ", as.character(x))
  known <- !is.na(x)
  marks <- gregexpr("[[:punct:]]", x[known])
  regmatches(x[known], marks) <- lapply(regmatches(x[known], marks), function(own) {
    sprintf("&#%d;", vapply(own, utf8ToInt, 0L))
  })
  x
}

# A table with its texts and names made literal, and p-values as in print().
literal_table <- function(table) {
  p <- intersect(names(table), c("p_value", "p_adjusted"))
  table[p] <- lapply(table[p], format.pval, digits = 2L, eps = 0.001)
  text <- vapply(table, function(column) is.character(column) || is.factor(column), NA)
  table[text] <- lapply(table[text], literal_text)
  stats::setNames(table, literal_text(names(table)))
}

has_latex <- function() any(nzchar(Sys.which(c("pdflatex", "xelatex", "lualatex", "tectonic"))))

abort_latex <- function(file, needed) {
  mk_abort(sprintf(paste("Give `file` the ending .html or .docx, or install LaTeX, on Debian and Ubuntu the",
                         "packages texlive-latex-recommended and lmodern, elsewhere",
                         "`tinytex::install_tinytex()`: PDF needs %s."), needed), "missing_package", "file",
           file)
}

# What the logs of LaTeX give as the first error.
latex_reason <- function(folder, error) {
  logs <- list.files(folder, "[.]log$", full.names = TRUE)
  lines <- grep("^! ", unlist(lapply(logs, readLines, warn = FALSE)), value = TRUE)
  if (length(lines)) gsub("^! (LaTeX Error: )?|[.]$", "", lines[1L]) else conditionMessage(error)
}

# The samples in the plane; NULL without the training data, and where the fit has no such map.
report_map <- function(object, data, newdata, y) {
  if (is.null(data)) return(NULL)
  tryCatch(sample_map(object, data, newdata, y), manykernels_unsupported = function(e) NULL)
}

# A list of results of permutation_importance() for the fit.
check_importances <- function(importance, object) {
  if (inherits(importance, "permutation_importance")) importance <- list(importance)
  for (one in importance) {
    check_class(one, "permutation_importance", "importance", "made by permutation_importance()")
  }
  lapply(importance, check_object, argument = "importance")
  lapply(importance, check_importance_of, object)
  importance
}

# What an importance tells of its fit must be true of this one: the kind of response, the classes, the units.
check_importance_of <- function(importance, object) {
  refuse <- function(difference) {
    mk_abort(sprintf("`importance` must be that of the fit, but %s.", difference), "mismatch", "importance")
  }
  same_names <- function(what, own, of_fit) {
    more <- setdiff(own, of_fit)
    fewer <- setdiff(of_fit, own)
    if (length(more)) refuse(sprintf("it has the %s %s, which the fit lacks", what, enumerate(more)))
    if (length(fewer)) refuse(sprintf("it lacks the %s %s of the fit", what, enumerate(fewer)))
  }
  kinds <- c(importance$kind %||% fit_measure_kind(object), fit_measure_kind(object))
  if (kinds[1L] != kinds[2L]) {
    refuse(sprintf("it is for %s, and the fit for %s", kind_text(kinds[1L]), kind_text(kinds[2L])))
  }
  if (!is.null(importance$levels)) same_names("class", importance$levels, object$levels)
  labels <- importance_labels(object, importance$by)
  if (is.null(labels)) return(invisible())
  columns <- rev(intersect(unit_columns(importance$importance), names(labels)))
  full <- function(table) do.call(paste, c(as.list(unname(table[columns])), sep = ":"))
  same_names(importance$by, full(importance$importance), full(labels))
}

# The R Markdown format that the file's extension stands for; HTML where there is no extension.
format_of_file <- function(file) {
  extension <- file_ending(file)
  if (!nzchar(extension)) return("html_document")
  known <- file_formats
  if (!extension %in% names(known)) {
    abort_argument(file, "file", sprintf("a name that ends in %s; `format` writes others",
                                         paste0(".", names(known), collapse = ", ")))
  }
  known[[extension]]
}

file_formats <- c(html = "html_document", htm = "html_document", docx = "word_document", pdf = "pdf_document",
                  md = "md_document", odt = "odt_document", rtf = "rtf_document")

# A format of R Markdown, by its name or as package::name, that doesn't contradict the ending of the file.
check_format <- function(format, file) {
  format <- check_string(format, "format")
  parts <- strsplit(format, "::", fixed = TRUE)[[1L]]
  if (length(parts) == 2L) need_package(parts[1L], dQuote(format, FALSE))
  name <- parts[length(parts)]
  home <- if (length(parts) == 2L) asNamespace(parts[1L]) else asNamespace("rmarkdown")
  if (length(parts) > 2L || !exists(name, home, mode = "function")) {
    likely <- file_formats[match(tolower(sub("_.*", "", name)), c(names(file_formats), "word"))]
    abort_argument(format, "format", sprintf(
      "a format of package rmarkdown, such as \"%s\", or package::format",
      if (is.na(likely)) "html_document" else likely
    ))
  }
  ending <- file_ending(file)
  if (name %in% file_formats && ending %in% names(file_formats) && name != file_formats[[ending]]) {
    mk_abort(sprintf(paste("Leave `format` out, or let `file` end in .%s; `%s` and `format = \"%s\"` contradict",
                           "each other."),
                     names(file_formats)[match(name, file_formats)], basename(file), format),
             "invalid_argument", "format", format)
  }
  format
}

# Tables and sentences for the template.
report_facts <- function(object) {
  chosen <- inherits(object, "cv_mkl")
  fit <- fit_within(object)
  summary <- summary(fit)
  c(
    list(
      data = report_data(fit), kernels = report_kernels(fit), views = summary$views,
      normalisation = report_scaling(fit), certificate = report_certificate(fit),
      models = report_models(fit), has_weights = any(unlist(coef(fit)) > 0),
      confusion = summary$confusion, held_out = if (chosen) held_out_confusion(object),
      held_out_caption = if (chosen) held_out_caption(object),
      errors_caption = sprintf("How good the predictions are, with intervals of %g %% where there are any.",
                               100 * ESTIMATE_LEVEL),
      two_classes = chosen && is.factor(object$predictions$truth) &&
        nlevels(object$predictions$truth) == 2L,
      call = fit$call, errors = report_errors(fit, summary, if (chosen) object)
    ),
    if (chosen) report_choice(object)
  )
}

report_data <- function(fit) {
  layout <- unclass(layout_of(fit))
  parts <- c(if (length(layout)) sprintf("%s: %s", names(layout), vapply(layout, function(view) {
    count_of(view$width, "column")
  }, "")), sprintf("%d precomputed kernels", precomputed_count(fit))[precomputed_count(fit) > 0])
  data.frame(what = c("training rows", rep("view", length(parts)), "response", "model"),
             value = c(rows_text(fit), parts, report_response(fit), report_model(fit)))
}

report_model <- function(fit) {
  if (inherits(fit, "mkl_gomp")) {
    return(sprintf("group matching pursuit, %s, lambda = %s", format(new_loss(fit$loss)),
                   format(fit$lambda, digits = 3)))
  }
  if (inherits(fit, "mllkm")) return(paste("locally linear,", loss_text(fit)))
  paste(norm_text(fit$penalty), loss_text(fit), sep = ", ")
}

report_response <- function(fit) {
  y <- fit$y
  if (is.null(y)) return("none (one class)")
  if (is.factor(y)) return(class_counts(y))
  if (is_labels(y)) {
    counts <- vapply(colSums(y), count_of, "", "row")
    return(paste("labels:", listed(sprintf("%s in %s", colnames(y), counts))))
  }
  if (is_times(y)) {
    return(sprintf("%s, %d censored", count_of(sum(side_of(y) == 0), "event"), sum(side_of(y) != 0)))
  }
  span <- function(y) sprintf("from %s to %s", format(min(y), digits = 4), format(max(y), digits = 4))
  if (is.matrix(y)) {
    return(paste("numbers:", listed(paste(colnames(y), apply(y, 2, span)))))
  }
  paste("numbers", span(y))
}

precomputed_count <- function(fit) {
  kernels <- fit$kernels %||% first_model(fit)$kernels
  sum(kernel_field(kernels, "type") == "precomputed")
}

# Families of kernels by view. Models of mllkm() have kernels of their own.
report_kernels <- function(fit) {
  sets <- lapply(models_of(fit), `[[`, "kernels")
  specs <- unique(do.call(rbind, lapply(unname(sets), as.data.frame)))
  keys <- data.frame(view = view_label(specs), type = specs$type)
  key <- paste(keys$view, keys$type, sep = "\r")
  families <- split(specs, factor(key, unique(key)))
  keys <- keys[!duplicated(key), , drop = FALSE]
  keys$kernels <- vapply(families, nrow, 0L)
  keys$columns <- vapply(families, function(own) {
    sets <- unique(own$features)
    if (length(sets) == 1L) sets else count_of(length(sets), "set")
  }, "")
  keys$parameters <- vapply(families, function(own) {
    known <- unique(own$parameters[nzchar(own$parameters)])
    shown <- utils::head(known, 8L)
    paste0(paste(shown, collapse = "; "), if (length(known) > 8L) sprintf("; and %d more",
                                                                        length(known) - 8L))
  }, "")
  keys
}

report_scaling <- function(fit) {
  sprintf("%sNormalisation of the kernels: %s.", scaling_text(fit$scaling),
          paste(fit$normalize, collapse = ", "))
}

report_certificate <- function(fit) {
  sprintf(paste(
    "The relative duality gap bounds how far a model is from the optimum. It was computed from the",
    "kernels in double precision, apart from the optimiser. The largest one is %s, %s the tolerance",
    "of %s."
  ), format(max(fit$gap), digits = 2),
  if (max(fit$gap) <= fit$control$tol) "within" else "NOT within", format(fit$control$tol))
}

report_models <- function(fit) {
  models <- if (has_models(fit)) models_of(fit) else list(model = fit)
  data.frame(
    model = names(models), primal = vapply(models, `[[`, 0, "primal"),
    dual = vapply(models, `[[`, 0, "objective"),
    gap = vapply(models, `[[`, 0, "gap"), status = vapply(models, `[[`, "", "status"),
    `support vectors` = vapply(models, function(model) length(model$support), 0L),
    check.names = FALSE
  )
}

# The training error with Wilson's interval for classes, the measures on rows held out, and what to expect
# on new samples.
report_errors <- function(fit, summary, cv) {
  n <- stats::nobs(fit)
  share <- is.factor(fit$y) || is.null(fit$y)
  interval <- if (share) unlist(wilson_interval(summary$error, n)) else c(NA, NA)
  estimate <- if (kind_of(fit) == "times") 1 - summary$error else summary$error
  out <- data.frame(rows = "training", measure = error_name(fit), estimate = estimate,
                    lower = interval[1], upper = interval[2])
  rbind(out, held_out_errors(cv))
}

# Names the `error` of a summary. For times the report shows the concordance instead.
error_name <- function(fit) {
  if (is_labels(fit$y)) return("share of wrong labels")
  if (inherits(fit, "mkl_gomp")) return(if (is.factor(fit$y)) "error" else "mean squared error")
  if (first_model(fit)$loss == "quantile") return("pinball loss")
  switch(kind_of(fit), classes = "error", times = "concordance",
         one_class = "proportion outside", numbers = "root mean squared error")
}

# Rows held out of the chosen cell by true and predicted class; NULL for other responses. Each repeat
# of the folds counts its rows once more.
held_out_confusion <- function(cv) {
  if (is.factor(cv$predictions$truth)) table(truth = cv$predictions$truth, predicted = cv$predictions$response)
}

# The caption of held_out_confusion() says which rows its table counts, and how often.
held_out_caption <- function(cv) {
  times <- unique(tabulate(cv$predictions$row, cv$n))
  paste0("Rows held out, by the chosen cell", if (!all(times <= 1L)) {
    if (length(times) > 1L) ", each as often as it was held out" else
      sprintf(", each once in each of the %d repeats", times)
  })
}

held_out_errors <- function(cv) {
  if (is.null(cv)) return(NULL)
  row <- function(rows, measure, estimate, lower, upper) {
    data.frame(rows = rows, measure = gsub("_", " ", measure, fixed = TRUE), estimate = estimate, lower = lower,
               upper = upper)
  }
  measures <- vapply(cv$measures, `[[`, "", "name")
  nested <- cv$nested$estimate
  rbind(
    row("held out, mean of the chosen cell", measures, unlist(cv$results[cv$best_row, measures]), NA_real_,
        NA_real_),
    if (!is.null(cv$estimate)) {
      row("new samples, expected", cv$estimate$measure, cv$estimate$estimate, cv$estimate$lower,
          cv$estimate$upper)
    },
    if (!is.null(nested)) {
      limits <- vapply(cv$measures, measure_range, c(0, 0))
      row("held out, nested (choice included)", nested$measure, nested$mean,
          pmax(nested$mean - 2 * nested$se, limits[1L, ]), pmin(nested$mean + 2 * nested$se, limits[2L, ]))
    }
  )
}

# The sentence on the estimate for new samples.
report_estimate_text <- function(cv) {
  if (is.null(cv$estimate)) return(NULL)
  sprintf(paste(
    "What to expect on new samples: a fit that is chosen in the same way probably has a value in the interval",
    "(about %g of 100 such intervals contain the value).%s"
  ), 100 * ESTIMATE_LEVEL, if (nrow(cv$results) == 1L) "" else sprintf(paste(
    " The cell was chosen among %d by the held-out rows, so its mean is optimistic. Therefore each of many",
    "bootstrap draws of the samples chose a cell, which was measured on the samples not drawn."
  ), nrow(cv$results)))
}

# The rows of a test set and how its intervals were made, as sentences.
report_test_text <- function(test) {
  paste0("Predictions of ", assessment_title(test),
         sprintf(". Of many such test sets, %g %% have intervals that cover the true value.", 100 * test$level),
         paste0(" ", assessment_notes(test), ".", recycle0 = TRUE, collapse = ""))
}

# The captions of the plots of a test set, and their texts for readers who can't see them.
report_test_figures <- function(test) {
  if (is.null(test) || !has_curves(test)) return(NULL)
  which <- default_plots(test)
  curves <- if (length(unique(test$roc$class)) > 1L) "ROC curves" else "ROC curve"
  captions <- c(roc = paste(curves, "of the new rows."),
                calibration = "Calibration of the probabilities of the new rows.",
                predictions = "The response of the new rows against its prediction.")
  texts <- c(roc = paste(curves, "of the predictions of new rows, with the area below"),
             calibration = "Observed shares of a class among new rows against its predicted probabilities",
             predictions = "Responses of new rows against their predictions, as dots")
  list(captions = unname(captions[which]), texts = unname(texts[which]))
}

# The measures, and of several classes, responses or quantiles those of each.
report_test_table <- function(test) {
  table <- test$measures
  if (!is.null(test$parts)) {
    of <- if (test$kind == "classification") "all" else "mean"
    table <- rbind(cbind(of = of, table), stats::setNames(test$parts, c("of", names(table))))
  }
  replace(table, "measure", gsub("_", " ", table$measure, fixed = TRUE))
}

# The best cells of the grid.
report_cells <- function(cv) {
  cells <- summary(cv)$top[shown_columns(cv)]
  cells[] <- lapply(cells, function(column) if (is.numeric(column)) signif(column, 3L) else column)
  names(cells)[match(c("se", "kernels", "support"), names(cells))] <-
    c("standard error", "active kernels", "support vectors")
  names(cells) <- sub("margin_loss", "margin loss", names(cells), fixed = TRUE)
  cells
}

report_choice <- function(cv) {
  stability <- if (cv$model != "mllkm") {
    tryCatch(kernel_stability(cv), manykernels_unsupported = function(e) NULL)
  }
  list(
    choice = sprintf("Cross-validation of %s by %s, %s. Chosen: %s (%s).",
                     count_of(nrow(cv$results), "cell"), gsub("_", " ", cv$measure),
                     resamples_text(cv), best_text(cv, 3), rule_text(cv$rule)),
    cells = report_cells(cv), estimate_text = report_estimate_text(cv),
    stability = stability$views,
    stability_text = if (!is.null(stability)) {
      sprintf("Weights over %s; intervals hold %g %% of them.", count_of(stability$resamples, "resample"),
              100 * stability$level)
    }
  )
}
