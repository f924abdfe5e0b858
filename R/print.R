#' @export
print.mkl_fit <- function(x, digits = 3, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  print_call(x)
  cat(sprintf("%s, %s\n", norm_text(x$penalty), loss_text(x)))
  if (was_read(x)) {
    cat("Part of a model that was read, without training rows: print the model itself.\n")
  } else print_rest(x, digits)
  invisible(x)
}

# Prints rows, certificate and weights after the problem.
print_rest <- function(x, digits) {
  if (has_models(x)) return(print_models(x, digits))
  cat(sprintf("%s; %s\n", rows_text(x), response_text(x)))
  cat(certificate_text(x), "\n\n", sep = "")
  print_top_weights(x, digits)
  cat(constant_text(x))
  cat("\n", support_text(x), "\n", sep = "")
  cat(sigmoid_text(list(x)), threshold_text(x, digits), sep = "")
  if (kind_of(x) == "classes") cat(lone_class_text(x$y, training_prediction(x)))
}

# A line on a threshold other than 0.
threshold_text <- function(x, digits) {
  if (is.null(x$threshold)) return("")
  sprintf("Decision values above %s predict \"%s\" (threshold)\n", format(x$threshold, digits = digits), x$levels[2])
}

# A line on predictions that are all of one class, and what may help.
lone_class_text <- function(truth, response) {
  found <- unique(as.character(response))
  if (!is.factor(truth) || length(found) != 1L || length(unique(truth)) < 2L) return("")
  sprintf(paste0("All rows are predicted as \"%s\". Try `class_weights = \"balanced\"`%s, or `loss = \"logistic\"`, ",
                 "to tell the other%s apart.\n"), found,
          if (nlevels(truth) == 2L) ", `threshold = \"balanced\"`" else "", if (nlevels(truth) > 2L) "s" else "")
}

# A line on the models whose probabilities rest on training rows, not on rows held out.
sigmoid_text <- function(models) {
  own <- vapply(models, function(model) isFALSE(model$probability$held_out), NA)
  if (!any(own)) return("")
  paste0("Probabilities", if (length(models) > 1) sprintf(" of %s", enumerate(names(models)[own])),
         " are from training rows alone: too few rows of a class\n")
}

print_models <- function(x, digits) {
  if (is.null(x$outputs)) {
    cat(sprintf("%s; %d classes by %s: %s\n", rows_text(x), length(x$levels),
                strategy_text[[x$strategy]], count_of(length(model_names(x)), "model")))
  } else {
    cat(sprintf("%s; %s\n", rows_text(x), several_text(x)), crossing_text(x), sep = "")
  }
  cat("\n")
  print(multiclass_table(x, digits), right = FALSE, row.names = FALSE)
  cat("\n")
  shown <- if (is.matrix(x$theta)) as.matrix(x$theta) else cbind(theta = x$theta)
  print_theta_columns(shown, digits)
  cat(constant_text(first_model(x)))
  cat(sigmoid_text(models_of(x)))
}

strategy_text <- list(
  ovr = "one level against the others", ovo = "pairs of levels",
  shared = "one level against the others, kernel weights shared"
)

# A call may hold the data themselves, as do.call() makes it.
print_call <- function(x, title = "Multiple kernel learning") {
  cat(title, "\n\nCall: ", sep = "")
  cat(call_lines(x$call), sep = "\n")
}

# Every argument on at most one line.
call_lines <- function(call) {
  short <- vapply(as.list(call)[-1], function(argument) {
    lines <- deparse(argument, width.cutoff = 60L, nlines = 2L)
    if (length(lines) > 1 || nchar(lines[1]) > 120) {
      paste0(trimws(strtrim(lines[1], 60), "right"), "...")
    } else {
      lines
    }
  }, "")
  name <- names(short) %||% rep("", length(short))
  arguments <- paste0(ifelse(nzchar(name), paste0(name, " = "), ""), short)
  strwrap_call(paste0(deparse(call[[1]])[1], "("), arguments)
}

# Arguments side by side as far as a line of 80 goes.
strwrap_call <- function(head, arguments) {
  lines <- head
  for (k in seq_along(arguments)) {
    text <- paste0(arguments[k], if (k < length(arguments)) "," else ")")
    last <- lines[length(lines)]
    joint <- paste0(last, if (k > 1) " ", text)
    if (k == 1 || nchar(joint) <= 74) lines[length(lines)] <- joint else
      lines <- c(lines, paste0("    ", text))
  }
  if (length(arguments)) lines else paste0(lines, ")")
}

rows_text <- function(x) {
  text <- count_of(NROW(x$decision %||% x$y), "row")
  left_out <- length(x$na.action)
  if (left_out) text <- sprintf("%s (%d left out: missing values)", text, left_out)
  text
}

response_text <- function(x) {
  switch(kind_of(x),
    classes = sprintf("classes \"%s\" and \"%s\" (positive)", x$levels[1], x$levels[2]),
    numbers = sprintf("response from %s to %s, %s", format(min(x$y), digits = 4),
                      format(max(x$y), digits = 4), if (x$loss == "quantile") {
                        sprintf("%s of them below the fitted quantile",
                                trimws(percent(share_below(x))))
                      } else {
                        paste("training RMSE", format(training_rmse(x), digits = 4))
                      }),
    times = sprintf("%s, %d censored; training concordance %s",
                    count_of(sum(side_of(x$y) == 0), "event"), sum(side_of(x$y) != 0),
                    format(training_concordance(x), digits = 4)),
    one_class = sprintf("one class: %d in, %d out", sum(x$decision >= 0), sum(x$decision < 0))
  )
}

training_concordance <- function(x) {
  concordance_measure(x$y, x$decision, x$weights %||% rep(1, length(x$decision)))
}

support_text <- function(x) {
  parts <- c(if (kind_of(x) == "classes") class_counts(x$y[x$support]),
             if (any(is.finite(loss_reach(loss_of(x), x$cost, x$alpha, side_of(x$y))))) {
               sprintf("%d at the bound", sum(at_bound(x)))
             })
  paste0(count_of(length(x$support), "support vector"),
         if (length(parts)) paste0(": ", paste(parts, collapse = ", ")))
}

certificate_text <- function(x) {
  state <- switch(x$status, converged = "within", "NOT within")
  reason <- switch(x$status, converged = "", paste0(" (", sub("_", " ", x$status), ")"))
  sprintf("Objective %s, relative duality gap %s: %s tol = %s%s", format(x$objective, digits = 6),
          format(x$gap, digits = 2), state, format(x$control$tol), reason)
}

class_counts <- function(y) {
  counts <- table(y)
  paste(sprintf("%d %s", as.integer(counts), names(counts)), collapse = ", ")
}

# The kernels with the largest weights, in falling order, without a table of all kernels.
print_top_weights <- function(x, digits) {
  top <- top_kernels(x$theta)
  table <- data.frame(kernel = names(top), weight = format(x$theta[top], digits = digits),
                      share = percent(norm_share(x$theta^2 * x$forms)[top]))
  cat(kernels_text(x$theta, top, "", ", share of the fitted function"))
  print(table, right = FALSE, row.names = FALSE)
}

print_theta_columns <- function(theta, digits, models = 6L) {
  largest <- stats::setNames(do.call(pmax, as.data.frame(theta)), rownames(theta))
  top <- top_kernels(largest)
  cat(kernels_text(largest, top, if (ncol(theta) > 1) " somewhere" else "",
                   if (ncol(theta) > 1) ", sorted by their largest weight" else ""))
  print(fixed_digits(theta[top, seq_len(min(ncol(theta), models)), drop = FALSE], digits),
        quote = FALSE, right = TRUE)
  if (ncol(theta) > models) cat(sprintf("... and %d more models\n", ncol(theta) - models))
}

# Positions, named by kernel, of at most `most` positive weights, the largest first.
top_kernels <- function(theta, most = 10L) {
  active <- which(theta > 0)
  utils::head(active[order(-theta[active])], most)
}

kernels_text <- function(theta, top, where, order = "") {
  active <- sum(theta > 0)
  sprintf("%s, %s with positive weight%s%s%s:\n", count_of(length(theta), "kernel"),
          format(active, big.mark = ","), where,
          if (active > length(top)) sprintf("; the %d largest", length(top)) else "", order)
}

# Numbers of one kind as text with the decimals that the largest needs; what is not there at all is 0.
fixed_digits <- function(x, digits) {
  largest <- max(abs(x[is.finite(x)]), 0)
  decimals <- if (largest > 0) max(0, digits - 1 - floor(log10(largest))) else 0
  x[] <- ifelse(x == 0, "0", formatC(x, digits = decimals, format = "f"))
  x
}

multiclass_table <- function(x, digits) {
  data.frame(
    model = model_names(x), objective = format(x$objective, digits = 6),
    gap = format(x$gap, digits = 2), status = sub("_", " ", x$status),
    `support vectors` = vapply(models_of(x), function(model) length(model$support), 0L),
    check.names = FALSE
  )
}

# ---- summary -------------------------------------------------------------------------------------

training_summary <- function(object) {
  if (!is.null(object$outputs)) return(output_summary(object))
  predicted <- training_prediction(object)
  switch(kind_of(object),
    classes = list(confusion = table(truth = object$y, predicted = predicted),
                   error = mean(object$y != predicted, na.rm = TRUE)),
    numbers = if (object$loss == "quantile") {
      list(confusion = NULL, error = training_pinball(object), below = share_below(object))
    } else {
      error <- training_rmse(object)
      spread <- mean((object$y - mean(object$y))^2)
      list(confusion = NULL, error = error,
           r_squared = if (spread > 0) 1 - error^2 / spread else NA_real_)
    },
    times = list(confusion = NULL, error = 1 - training_concordance(object)),
    one_class = list(
      confusion = table(predicted = factor(predicted, c(TRUE, FALSE), c("in", "out"))),
      error = mean(!predicted)
    )
  )
}

print_views <- function(views, what) {
  cat(sprintf("\n%s by view:\n", what))
  views$share <- percent(views$share)
  print(views, right = FALSE, row.names = FALSE)
}

print_confusion <- function(x, what = "error") {
  cat(sprintf("\nTraining rows, %s %s:\n", what, trimws(percent(x$error))))
  print(x$confusion)
}

optimiser_text <- function(fit) {
  chunks <- if (identical(fit$optimizer, "chunking")) "chunks, "
  sprintf("%sNormalisation: %s. Optimiser: %s%s, status %s.", scaling_text(fit$scaling),
          paste(fit$normalize, collapse = ", "), chunks %||% "", count_of(fit$iterations, "iteration"),
          sub("_", " ", fit$status))
}

# A sentence about standardised data; "" if there are none.
scaling_text <- function(scaling) {
  standard <- c(if (!all(vapply(scaling$views, is.null, NA))) "columns",
                if (!is.null(scaling$response)) "response")
  if (length(standard)) sprintf("Standardised: %s. ", paste(standard, collapse = ", ")) else ""
}

# Kernels, active kernels and share of the fitted function by view (and model).
view_shares <- function(weights) {
  out <- group_weights(weights, "view")
  first <- c("view", if (!is.null(out$model)) "model")
  out[c(first, "kernels", "active", "share")]
}
