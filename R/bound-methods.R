# How bounds are printed: a title, their table, what it means, and the source.

#' @export
print.bound <- function(x, digits = 4, n = NULL, ...) {
  check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  text <- bound_text(x, digits)
  notes <- unlist(lapply(x$notes, wrapped_lines, "- "))
  print_short(paste0(text$title, "\n\n"), terms_table(text$table, digits, n), "\n",
              wrapped(c(text$before, x$source, text$after)),
              short_lines(notes, "line"), n = n)
  invisible(x)
}

bound_text <- function(x, digits) {
  with_values <- cbind(x$terms, value = x$value)
  switch(class(x)[1L],
    rademacher_bound = list(
      title = "Bound on the Rademacher complexity of multiple kernel learning", table = x$terms
    ),
    gomp_bound = list(
      title = "Bound on the excess risk (squared error) of a sum of s kernels' functions",
      table = cbind(value = x$value, x$terms) # in front, as not all columns may fit
    ),
    bound_by_norm = list(
      title = sprintf("Risk beyond the empirical one, M = %s, n = %s, R = %g", count_of(x$M, "kernel"),
                      count_of(x$n, "row"), x$R),
      table = with_values,
      before = paste0("smallest at ", paste(sprintf("p = %g (%s)", x$best, names(x$best)), collapse = ", "))
    ),
    empirical_rademacher = list(
      title = sprintf("Empirical Rademacher complexity, %s, %s, %s", count_of(x$n, "row"),
                      count_of(x$M, "kernel"), count_of(x$draws, "sign vector")),
      table = x$terms,
      after = if (any(x$terms$upper > x$terms$value)) {
        sprintf("upper: holds with probability %g over the signs", x$level)
      }
    ),
    risk_bound = risk_text(x, digits)
  )
}

risk_text <- function(x, digits) {
  shown <- x$terms[c("margin", "empirical", "complexity", "offset", "confidence")]
  shown$bound <- x$value
  vacuous <- if (all(x$value > 1)) "; vacuous: it is more than 1" else ""
  list(
    title = sprintf("Risk bound of a two-class fit, %s, %s", x$norm, count_of(x$n, "row")), table = shown,
    before = c(
      sprintf("with probability %g: P(y f(x) <= 0) <= %s%s", 1 - x$delta,
              paste(format(x$value, digits = digits), collapse = ", "), vacuous),
      sprintf("radius of the fit %.4g, complexity of the unit class %.4g", x$radius, x$rademacher)
    )
  )
}
