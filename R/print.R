#' @export
print.mkl_fit <- function(x, digits = 3, n = NULL, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  sequential <- inherits(x, "mkl_sequential")
  title <- if (sequential) "Sequential multiple kernel learning" else "Multiple kernel learning"
  head <- c(call_text(x, title, n), sprintf("%s, %s\n", norm_text(x$penalty), loss_text(x)),
            if (sequential) dictionary_text(first_model(x)))
  if (was_read(x)) {
    cat(head, "Part of a model that was read, without training rows: print the model itself.\n", sep = "")
  } else do.call(print_short, c(list(head), fit_pieces(x, digits, n), list(n = n)))
  invisible(x)
}

dictionary_text <- function(x) {
  sprintf("Dictionary of %s, scanned %s\n", count_of(x$size, "kernel"),
          if (x$passes == 1) "once" else count_of(x$passes, "time"))
}

# Rows, certificate and weights, which come after the problem.
fit_pieces <- function(x, digits, n) {
  if (has_models(x)) return(models_pieces(x, digits, n))
  list(sprintf("%s; %s\n%s\n\n", rows_text(x), response_text(x), certificate_text(x)),
       weights_heading(x$theta, ", share of the fitted function"), weights_table(x, digits, n),
       constant_text(x),
       sprintf("\n%s\n", support_text(x)), sigmoid_text(list(x)), threshold_text(x, digits),
       if (kind_of(x) == "classes") lone_class_text(x$y, training_prediction(x), remedies_of(x)))
}

# A line on a threshold other than 0.
threshold_text <- function(x, digits) {
  if (is.null(x$threshold)) return("")
  sprintf("Decision values above %s predict \"%s\" (threshold)\n", format(x$threshold, digits = digits),
          x$levels[2])
}

# Remedies for predictions of a single class: TRUE for those that a fit has already.
remedies_of <- function(fit) {
  cost <- fit$cost / (fit$weights %||% 1)
  cost <- cost[is.finite(cost) & cost > 0]
  weighs <- length(cost) > 0L && max(cost) > (1 + 1e-8) * min(cost)
  c(class_weights = weighs, threshold = !is.null(fit$threshold), loss = identical(fit$loss, "logistic"))
}

# A line on predictions that are all of one class, and what may help. used: which remedies are in use already.
lone_class_text <- function(truth, response, used) {
  found <- unique(as.character(response))
  if (!is.factor(truth) || length(found) != 1L || length(unique(truth)) < 2L) return("")
  two <- nlevels(truth) == 2L
  remedies <- c("`class_weights = \"balanced\"`", "`threshold = \"balanced\"`",
                "`loss = \"logistic\"`")[!used & c(TRUE, two, TRUE)]
  paste0(sprintf("All rows are predicted as \"%s\".", found), if (length(remedies)) sprintf(
    " Try %s to tell the other%s apart.", sub("(.*, )(.*)", "\\1or \\2,", paste(remedies, collapse = ", ")),
    if (two) "" else "s"
  ), "\n")
}

# A line on the models whose probabilities rest on training rows, not on rows held out.
sigmoid_text <- function(models) {
  own <- vapply(models, function(model) isFALSE(model$probability$held_out), NA)
  if (!any(own)) return("")
  paste0("Probabilities", if (length(models) > 1) sprintf(" of %s", enumerate(names(models)[own])),
         " are from training rows alone: too few rows of a class\n")
}

models_pieces <- function(x, digits, n) {
  kind <- if (is.null(x$outputs)) classes_text(x) else paste0(several_text(x), "\n", crossing_text(x))
  shown <- if (is.matrix(x$theta)) as.matrix(x$theta) else cbind(theta = x$theta)
  several <- if (ncol(shown) > 1) c(" somewhere", ", sorted by their largest weight") else c("", "")
  list(sprintf("%s; %s\n", rows_text(x), kind),
       short_table(multiclass_table(x, digits), "model", n = n, row.names = FALSE), "\n",
       weights_heading(do.call(pmax, as.data.frame(shown)), several[2L], several[1L]),
       theta_table(shown, digits, n), constant_text(first_model(x)), sigmoid_text(models_of(x)))
}

classes_text <- function(x) {
  sprintf("%d classes by %s: %s\n", length(x$levels), strategy_text[[x$strategy]],
          count_of(length(model_names(x)), "model"))
}

strategy_text <- list(
  ovr = "one level against the others", ovo = "pairs of levels",
  shared = "one level against the others, kernel weights shared",
  joint = "one joint loss, kernel weights shared"
)

# A call may hold the data themselves, as do.call() makes it; where rows are counted, it has two lines at most.
call_text <- function(x, title, n = NULL) {
  lines <- call_lines(x$call)
  if (is.null(n) && length(lines) > 2L) lines <- c(lines[1L], paste(lines[2L], "...)"))
  paste0(c(title, "", paste("Call:", lines[1L]), lines[-1L]), "\n", collapse = "")
}

# Every argument on at most one line.
call_lines <- function(call) {
  short <- vapply(as.list(call)[-1], function(argument) {
    lines <- deparse(argument, width.cutoff = 60L, backtick = TRUE, nlines = 2L)
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
    classes = sides_text(x$levels),
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

sides_text <- function(levels) {
  levels <- shorten_apart(levels)
  sprintf("classes \"%s\" and \"%s\" (positive)", levels[1], levels[2])
}

training_concordance <- function(x) {
  concordance_measure(x$y, tied_values(x$decision), x$weights %||% rep(1, length(x$decision)))
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
  paste(sprintf("%d %s", as.integer(counts), shorten_apart(names(counts))), collapse = ", ")
}

# The kernels in falling order of their weights.
weights_table <- function(x, digits, n) {
  top <- top_kernels(x$theta, Inf)
  table <- data.frame(kernel = shorten_apart(names(top)), weight = format(x$theta[top], digits = digits),
                      share = percent(norm_share(x$theta^2 * x$forms)[top]))
  short_table(table, "kernel", n = n, row.names = FALSE)
}

theta_table <- function(theta, digits, n) {
  top <- top_kernels(stats::setNames(do.call(pmax, as.data.frame(theta)), rownames(theta)), Inf)
  table <- fixed_digits(theta[top, , drop = FALSE], digits)
  dimnames(table) <- list(shorten_apart(rownames(table), 30L), shorten_apart(colnames(table), 16L))
  short_table(table, "kernel", n = n)
}

# Positions, named by kernel, of at most `most` positive weights, the largest first.
top_kernels <- function(theta, most = 10L) {
  active <- which(theta > 0)
  utils::head(active[order(-theta[active])], most)
}

weights_heading <- function(theta, order = "", where = "") {
  sprintf("%s, %s with positive weight%s%s:\n", count_of(length(theta), "kernel"),
          format(sum(theta > 0), big.mark = ","), where, order)
}

# Numbers of one kind as text with the decimals that the largest needs; what is not there at all is 0.
fixed_digits <- function(x, digits) {
  largest <- max(abs(x[is.finite(x)]), 0)
  decimals <- if (largest > 0) max(0, digits - 1 - floor(log10(largest))) else 0
  # what is rounded to 0 has no sign
  x[] <- ifelse(x == 0, "0", sub("^-(0[.]?0*)$", "\\1", formatC(x, digits = decimals, format = "f")))
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
  views$share <- percent(views$share)
  print_short(sprintf("\n%s by view:\n", what), short_table(views, "view", n = Inf, row.names = FALSE), n = Inf)
}

print_confusion <- function(x, what = "error") {
  cat(sprintf("\nTraining rows, %s %s:\n", what, trimws(percent(x$error))))
  print(x$confusion)
}

# Two sentences, each in lines of its own.
optimiser_text <- function(fit) {
  chunks <- if (identical(fit$optimizer, "chunking")) "chunks, "
  c(sprintf("%sNormalisation: %s.", scaling_text(fit$scaling), paste(fit$normalize, collapse = ", ")),
    sprintf("Optimiser: %s%s, status %s.", chunks %||% "", count_of(fit$iterations, "iteration"),
            sub("_", " ", fit$status)))
}

# Sentences about standardised data and normal scores; "" if there are none. Views are named where only some are
# treated so.
scaling_text <- function(scaling) {
  scored <- vapply(scaling$views, function(view) !is.null(view$scores), NA)
  columns <- function(chosen) {
    if (any(chosen)) paste0("columns", if (!all(chosen)) paste(" of", enumerate(names(chosen)[chosen])))
  }
  standard <- c(columns(lengths(scaling$views) > 0L & !scored), if (!is.null(scaling$response)) "response")
  paste0("", if (length(standard)) sprintf("Standardised: %s. ", paste(standard, collapse = ", ")),
         if (any(scored)) sprintf("Normal scores: %s. ", columns(scored)))
}

# Kernels, active kernels and share of the fitted function by view (and model).
view_shares <- function(weights) {
  out <- group_weights(weights, "view")
  first <- c("view", if (!is.null(out$model)) "model")
  out[c(first, "kernels", "active", "share")]
}
