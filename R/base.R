# Small helpers of all files that have nothing to do with kernels.

`%||%` <- function(a, b) if (is.null(a)) b else a

mean_known <- function(x) if (all(is.na(x))) NA_real_ else mean(x, na.rm = TRUE)

rounding_of <- function(value, slack = 0) if (is.finite(value)) max(1e-12, slack) * abs(value) else 0

list_columns <- function(rows) do.call(rbind, lapply(rows, as.data.frame))

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

# Evaluates `value` with the same random numbers in any process, without using up those of the session.
with_seed <- function(seed, value) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, globalenv()))
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  value
}

