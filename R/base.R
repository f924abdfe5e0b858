# Small helpers of all files, which know nothing of kernels.

`%||%` <- function(a, b) if (is.null(a)) b else a

mean_known <- function(x) if (all(is.na(x))) NA_real_ else mean(x, na.rm = TRUE)

list_columns <- function(rows) do.call(rbind, lapply(rows, as.data.frame))

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

# The same random numbers on whatever process, and none of the session's used up.
with_seed <- function(seed, value) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, globalenv()))
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  value
}

stack_models <- function(object, f, ...) {
  tables <- Map(function(model, name) {
    table <- f(model, ...)
    cbind(model = rep(name, nrow(table)), table)
  }, object$models, names(object$models))
  out <- do.call(rbind, tables)
  rownames(out) <- NULL
  out
}
