# The fingerprint of a call: `call` has a digest for each part of it except the values of data, and `totals`
# has sums of these values, since another machine may round the data a little differently.
plan_fingerprint <- function(plan, run) {
  control <- plan$settings$control
  data <- c(plain_views(plan$raw), given_kernel_values(plan$raw, plan$kernels))
  text <- vapply(data, is_text, NA)
  decisive <- list(
    data = list(data[text], lapply(data[!text], function(values) list(dim(values), colnames(values)))),
    kernels = if (!is.null(plan$kernels)) as.list(unclass(without_matrices(plan$kernels))),
    response = plan$response, weights = plan$weights,
    grid = plan[c("outer", "inner", "set", "sets", "model", "search", "scales")],
    folds = run[c("folds", "repeats", "group", "nested", "sample_size")],
    settings = list(plan$arguments, plan$settings[setdiff(names(plan$settings), "control")],
                    control[setdiff(names(control), c("threads", "progress", "max_time"))])
  )
  list(call = vapply(rapply(decisive, function_text, "function", how = "replace"), object_digest, ""),
       totals = lapply(data[!text], column_totals))
}

# Names of the parts in which two calls differ.
differing_parts <- function(known, own) {
  parts <- names(own$call)[own$call != known$call[names(own$call)]]
  if (length(parts) || all(as.logical(Map(same_totals, known$totals, own$totals)))) parts else "data"
}

# Text of a function, equal before and after it was compiled and for another copy of its file.
function_text <- function(f) deparse(f, control = "digits17")

# Matrices of kernels that are in no file, and some values of functions, as the same text can mean
# different functions.
given_kernel_values <- function(views, kernels) {
  if (is.null(kernels)) return(NULL)
  parameters <- kernel_field(kernels, "parameters")
  precomputed <- kernel_field(kernels, "type") == "precomputed"
  in_memory <- precomputed & vapply(parameters, function(own) is.null(own$file), NA)
  c(lapply(parameters[in_memory], precomputed_values), function_values(views, kernels))
}

# Sums of the columns, in which every row counts, and how large they would be without signs.
column_totals <- function(values) {
  values[is.na(values)] <- 0
  weight <- sqrt(seq_len(nrow(values)))
  list(sum = as.vector(Matrix::crossprod(values, weight)),
       size = as.vector(Matrix::crossprod(abs(values), weight)))
}

same_totals <- function(known, own) all(abs(known$sum - own$sum) <= SAME_TOTAL * own$size)

SAME_TOTAL <- 1e-10 # relative; rounding is a thousand times less

digest_rows <- 20L # of a function's values

function_values <- function(views, kernels) {
  kernels <- leaf_kernels(kernels)
  kernels <- pick_kernels(kernels, kernel_field(kernels, "type") == "function")
  if (!length(kernels)) return(NULL)
  kernels <- kernels |> resolve_views(views) |> resolve_features(views)
  rows <- seq_len(min(digest_rows, view_rows(views)))
  lapply(seq_along(kernels), function(m) core_function(kernels[[m]], views)(rows, rows))
}
