#' Kernels of factors
#'
#' Compares rows of a data frame by its factors, which need no coding by hand:
#' \deqn{k(x, z) = \frac1d \sum_{j=1}^d k_j(x_j, z_j)}{k(x, z) = (1/d) sum_j k_j(x_j, z_j)} over the
#' \eqn{d} factors. For an **unordered** factor \eqn{k_j} is 1 for the same level and 0 for different
#' ones. For an **ordered** factor with \eqn{L} levels it is \eqn{1 - |r - s| / (L - 1)}{1 -
#' |r - s| / (L - 1)} for the ranks \eqn{r} and \eqn{s} of the levels.
#'
#' With a finite `alpha` rare levels count more. The same level of an unordered factor then has the
#' value \eqn{(1 - P^\alpha)^{1/\alpha}}{(1 - P^alpha)^(1/alpha)}, where \eqn{P} is the share of the
#' training rows that have this level. A small `alpha` is steep, and `alpha = Inf` gives 1 for each
#' level.
#'
#' @details Text is an unordered factor. Numbers and logical values are ignored: make them factors, or give
#' them to other kernels by [on_features()]. Data must be a data frame, alone or as a view, since the model
#' matrix of a formula has no factors. Without [on_view()] the kernel is made on each view that has factors.
#' [on_features()] takes the names of factors, and [per_feature()] makes one kernel for each factor.
#'
#' **Missing values and new levels**: a row with `NA`, or with a level that the training data did not have, is
#' unlike all rows in this factor: \eqn{k_j = 0}{k_j = 0}, even with itself. To make missing a level of its
#' own, use [addNA()] before. If another kernel uses the indicators of the factor, missing values and new
#' levels are errors. To avoid this, give other kernels another view, or columns by [on_features()].
#'
#' Fits treat these kernels as linear ones on indicators of levels (times a triangular factor for ordered
#' ones) and keep explicit weights for prediction. Their cost grows with rows times levels, not with pairs of
#' rows.
#'
#' @param alpha Positive numbers or `Inf`, without unit; one kernel for each.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; when the set is used with
#'   data, `manykernels_no_factors` for a view without factors and `manykernels_unknown_feature` for names
#'   that aren't those of factors.
#' @references L. A. Belanche and M. A. Villegas (2013). Kernel functions for categorical variables with
#'   application to problems in the life sciences. *Artificial Intelligence Research and Development*,
#'   IOS Press, 171-180 (the weights of rare levels).
#'
#'   J. C. Gower (1971). A general coefficient of similarity and some of its properties. *Biometrics* 27,
#'   857-871 (the mean over variables, and ranks).
#' @family kernels
#' @export
#' @examples
#' clinical <- data.frame(
#'   sex = factor(c("f", "m", "f", "m")),
#'   stage = factor(c("I", "III", "II", NA), levels = c("I", "II", "III"), ordered = TRUE)
#' )
#' kernel_matrix(categorical_kernel(), clinical)
#' kernel_matrix(per_feature(categorical_kernel()), clinical)
#'
#' # factors by their kernels, numbers by Gaussians
#' k <- c(categorical_kernel(), on_features(gaussian_kernel(2^(0:3)), "len"))
#' fit <- mkl(ToothGrowth[c("supp", "len")], ToothGrowth$dose, kernels = k)
#' kernel_weights(fit)
categorical_kernel <- function(alpha = Inf, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  alpha <- check_alpha(alpha)
  shown <- ifelse(is.finite(alpha), paste0("(alpha=", number_text(alpha), ")"), "")
  new_kernel_set(paste0("categorical", shown), "categorical", lapply(alpha, function(a) list(alpha = a)))
}

check_alpha <- function(alpha) {
  check_numbers(alpha, "alpha", lower = 0, lower_open = TRUE, allow_inf = TRUE)
}

# ---- data ----------------------------------------------------------------------------------------

view_factors <- function(views, name) {
  encoder <- attr(views, "encoders", exact = TRUE)[[name]]
  names(encoder)[lengths(encoder) > 0L]
}

# A matrix of kernels by views: whether the view has the factors that the kernel needs. It is TRUE everywhere
# if no view has factors, which is an error later on.
have_factors <- function(kernels, views) {
  factors <- vapply(names(views), function(name) length(view_factors(views, name)) > 0L, NA)
  needs <- kernel_field(kernels, "type") == "categorical" & any(factors)
  outer(!needs, factors, `|`)
}

# Codes missing values and new levels as rows of zeros in factors that only kernels of factors use.
let_be_absent <- function(encoder, view, kernels) {
  if (is.null(encoder) || !inherits(kernels, "kernel_set")) return(encoder)
  kernels <- leaf_kernels(kernels)
  type <- kernel_field(kernels, "type")
  readers <- type != "precomputed" & kernel_field(kernels, "view") %in% c(NA, view)
  features <- kernel_field(kernels, "features")[readers & type != "categorical"]
  if (!any(readers & type == "categorical")) return(encoder)
  alone <- all(vapply(features, is.character, NA))
  read <- unlist(features)
  encoder[] <- Map(function(levels, name) {
    if (length(levels)) attr(levels, "absent") <- alone && !any(paste0(name, levels) %in% read)
    levels
  }, encoder, names(encoder))
  encoder
}

# Resolves kernels of factors on data: features become the positions of the indicators, and parameters the
# number of indicators and the matrix R (kernel-quadratic.R) of each factor.
resolve_categorical <- function(kernels, views) {
  open <- which(kernel_field(kernels, "type") == "categorical")
  open <- Filter(function(m) !"roots" %in% names(kernel_field(kernels, "parameters")[[m]]), open)
  if (!length(open)) return(kernels)
  parts <- lapply(seq_along(names(kernels)), function(m) {
    if (m %in% open) factor_kernels(kernels[[m]], views) else pick_kernels(kernels, m)
  })
  do.call(c, parts)
}

factor_kernels <- function(kernel, views) {
  read <- read_factors(kernel, views)
  sets <- if (kernel$each) as.list(read) else list(read)
  name <- kernel$name
  if (kernel$each) name <- column_names(sub("[each]", "", name, fixed = TRUE), read)
  alpha <- kernel$parameters$alpha
  parts <- lapply(sets, factor_parts, alpha, kernel$view, views)
  new_kernel_set(name, "categorical", lapply(parts, `[[`, "parameters"), kernel$view,
                 lapply(parts, `[[`, "features"),
                 group = if (is.na(kernel$group)) vapply(sets, feature_label, "") else kernel$group,
                 normalize = list(kernel$normalize))
}

read_factors <- function(kernel, views) {
  factors <- view_factors(views, kernel$view)
  if (!length(factors)) {
    mk_abort(sprintf(paste(
      "Kernel `%s` compares factors, but the view `%s` has none: give a data frame with factors or",
      "text, not its model matrix."
    ), kernel$name, kernel$view), "no_factors", "kernels", kernel$view)
  }
  named <- kernel$features %||% factors
  unknown <- setdiff(named, factors)
  if (length(unknown)) {
    mk_abort(sprintf("Kernel `%s` selects factors by their names; the view `%s` has %s, not %s.",
                     kernel$name, kernel$view, enumerate(factors, 5L), enumerate(unknown)),
             "unknown_feature", "kernels", unknown)
  }
  intersect(factors, named)
}

factor_parts <- function(factors, alpha, view, views) {
  encoder <- attr(views, "encoders", exact = TRUE)[[view]]
  width <- attr(encoder, "width")
  last <- cumsum(width)
  at <- match(factors, names(encoder))
  rows <- rows_having(views, view, seq_len(view_rows(views)))
  columns <- Map(function(last, width) seq(last - width + 1L, last), last[at], width[at])
  roots <- Map(function(levels, columns) {
    share <- colMeans(views[[view]][rows, columns, drop = FALSE])
    level_root(length(levels), isTRUE(attr(levels, "ordered")), alpha, share) / sqrt(length(factors))
  }, encoder[at], columns)
  list(features = unlist(columns), parameters = list(alpha = alpha, roots = unname(roots)))
}

# R of the kernel matrix R R' between levels: a lower triangle, or a vector for a diagonal.
level_root <- function(count, ordered, alpha, share) {
  if (!ordered) return(if (is.finite(alpha)) sqrt((1 - share^alpha)^(1 / alpha)) else rep(1, count))
  rank <- seq_len(count)
  t(chol(1 - abs(outer(rank, rank, `-`)) / max(count - 1, 1)))
}

# TRUE for kernels whose levels are weighted by their shares of rows.
has_shares <- function(kernels) {
  if (any(is_product(kernels))) {
    return(vapply(seq_along(names(kernels)), function(m) {
      any(has_shares(if (is_product(kernels)[m]) product_parts(kernels, m) else pick_kernels(kernels, m)))
    }, NA))
  }
  kernel_field(kernels, "type") == "categorical" &
    vapply(kernel_field(kernels, "parameters"), function(own) is.finite(own$alpha %||% Inf), NA)
}

# Kernels on data, with the shares of some of their rows.
with_shares_of <- function(kernels, views, rows) {
  kernels <- modify_factors(kernels, with_shares_of, views, rows)
  parameters <- kernel_field(kernels, "parameters")
  resolved <- vapply(parameters, function(own) "roots" %in% names(own), NA)
  for (m in which(has_shares(kernels) & resolved & !is_product(kernels))) {
    values <- views[[kernel_field(kernels, "view")[m]]]
    features <- kernel_field(kernels, "features")[[m]]
    having <- rows_having(views, kernel_field(kernels, "view")[m], rows)
    own <- parameters[[m]]
    parameters[[m]]$roots <- for_factors(own, function(root, columns) {
      if (is.matrix(root)) return(root)
      share <- colSums(values[having, features[columns], drop = FALSE]) / max(length(having), 1L)
      level_root(length(share), FALSE, own$alpha, share) / sqrt(length(own$roots))
    })
  }
  modify_kernels(kernels, parameters = parameters)
}

# ---- x'Qz ----------------------------------------------------------------------------------------

# f(root, columns) of each factor; columns: positions among those that the kernel reads.
for_factors <- function(own, f) {
  width <- vapply(own$roots, NROW, 0L)
  Map(function(root, last, width) f(root, seq(last - width + 1L, last)), own$roots, cumsum(width), width)
}

categorical_columns <- function(own, x) {
  do.call(cbind, for_factors(own, function(root, columns) {
    x <- x[, columns, drop = FALSE]
    if (is.matrix(root)) x %*% root else x * rep(root, each = nrow(x))
  }))
}

categorical_product <- function(own, w) {
  unlist(for_factors(own, function(root, columns) {
    if (is.matrix(root)) drop(root %*% crossprod(root, w[columns])) else root^2 * w[columns]
  }))
}
