# Locally linear kernels: the constructor, and the anchors on data.

#' Locally linear kernels
#'
#' A linear kernel around an *anchor* c that fades with the distance from it: \eqn{k_c(x, z) =
#' \langle\phi_c(x), \phi_c(z)\rangle}{k_c(x, z) = <phi_c(x), phi_c(z)>} with \eqn{\phi_c(x) = h_c(x)(x
#' - c)}{phi_c(x) = h_c(x) (x - c)}. A linear function of \eqn{\phi_c}{phi_c} is linear near the anchor
#' and fades away from it. [mllkm()] chooses among thousands of them and predicts without kernels; this
#' function makes them for [mkl()].
#'
#' @param map How a row fades with its distance \eqn{r = \|x - c\|}{r = ||x - c||} from the anchor,
#'   one or several of
#'   * `"gaussian"`: \eqn{h = \exp(-\gamma r^2)}{h = exp(-gamma r^2)};
#'   * `"exponential"`: \eqn{h = \exp(-\gamma r)}{h = exp(-gamma r)};
#'   * `"linear"`: \eqn{h = \max(0, 1 - \gamma r)}{h = max(0, 1 - gamma r)}, 0 from
#'     \eqn{r = 1/\gamma}{r = 1/gamma} on;
#'   * `"squared"`: \eqn{h = \max(0, 1 - \gamma r^2)}{h = max(0, 1 - gamma r^2)}.
#' @param gamma Positive numbers, how fast it fades, per unit of distance (`"exponential"`, `"linear"`)
#'   or of squared distance. Every map is combined with every `gamma`.
#' @param componentwise Whether each component \eqn{x_k - c_k}{x_k - c_k} has an h of its own, of \eqn{r =
#'   |x_k - c_k|}{r = |x_k - c_k|}, `TRUE` or `FALSE`. This suits columns that are not correlated.
#' @param anchors A numeric matrix with one anchor in each row, or a numeric vector for one anchor, in
#'   the units of the data. Its columns are those of the data, by name where both have names. `NULL`:
#'   every row of the training data.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set]: for each anchor in turn, all combinations of `map` and `gamma`. Errors:
#'   class `manykernels_invalid_argument`; `manykernels_dimension` for data with another number of columns.
#' @references
#' Picard, D. Multiple locally linear kernel machines (section 3, equations 1 and 2, Table 1).
#' @family kernels
#' @seealso [mllkm()]
#' @examples
#' k <- locally_linear_kernel("gaussian", gamma = c(0.5, 2), anchors = iris[c(60, 110), 3:4])
#' k
#' x <- as.matrix(iris[51:150, 3:4])
#' fit <- mkl(x, droplevels(iris$Species[51:150]), k, p = 1, normalize = "none")
#' kernel_weights(fit)
#' @export
locally_linear_kernel <- function(map = "gaussian", gamma, componentwise = FALSE, anchors = NULL, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  grid <- map_grid(map, gamma, componentwise)
  points <- if (is.null(anchors)) list(NULL) else anchor_points(anchors)
  index <- rep(seq_len(nrow(grid)), length(points))
  of <- rep(seq_along(points), each = nrow(grid))
  row <- if (is.null(anchors)) NA_integer_ else of
  anchor_kernels(grid[index, , drop = FALSE], points[of], rep_len(row, length(of)))
}

# Every map with every gamma, as a data frame.
map_grid <- function(map, gamma, componentwise) {
  check_maps(map)
  if (missing(gamma)) mk_abort("`gamma` must be given.", "invalid_argument", "gamma")
  gamma <- check_numbers(gamma, "gamma", lower = 0, lower_open = TRUE)
  grid <- expand.grid(gamma = unique(gamma), map = unique(map), KEEP.OUT.ATTRS = FALSE,
                      stringsAsFactors = FALSE)
  grid$componentwise <- rep_len(check_flag(componentwise, "componentwise"), nrow(grid))
  grid[c("map", "gamma", "componentwise")]
}

# One numeric vector for each anchor, with the names of the columns.
anchor_points <- function(anchors) {
  anchors <- anchor_rows(anchors)
  anchors <- clean_view(anchors, "anchors", view_encoder(anchors, "anchors"))
  lapply(seq_len(nrow(anchors)), function(i) anchors[i, ])
}

# A table with one anchor in each row; a vector is one.
anchor_rows <- function(anchors) {
  if (is.numeric(anchors) && is.null(dim(anchors))) anchors <- t(anchors)
  if (!(is.numeric(anchors) || is.data.frame(anchors) || inherits(anchors, "Matrix"))) {
    abort_argument(anchors, "anchors", "a numeric matrix, one anchor in each row")
  }
  anchors
}

# grid: map, gamma and componentwise of each kernel; row: the number or name of its anchor.
anchor_kernels <- function(grid, points, row, view = NA_character_) {
  name <- sprintf("local(%s,gamma=%s%s)%s", grid$map, number_text(grid$gamma),
                  ifelse(grid$componentwise, ",componentwise", ""),
                  ifelse(is.na(row), "", paste0("@", row)))
  parameters <- lapply(seq_along(points), function(k) {
    list(map = grid$map[k], gamma = grid$gamma[k], componentwise = grid$componentwise[k],
         anchor = points[[k]], row = row[k])
  })
  new_kernel_set(name, "locally_linear", parameters, view = view)
}

local_parameters_text <- function(parameters) {
  paste0(parameters$map, ", gamma = ", number_text(parameters$gamma),
         if (parameters$componentwise) ", componentwise",
         if (!is.na(parameters$row)) paste0(", anchor ", parameters$row))
}

# ---- meeting data --------------------------------------------------------------------------------

# Resolves anchors on data: each becomes a vector with one number for each column of its kernel.
resolve_anchors <- function(kernels, views) {
  mine <- kernel_field(kernels, "type") == "locally_linear"
  if (!any(mine)) return(kernels)
  kernels <- anchors_from_rows(kernels, views, which(mine))
  mine <- which(kernel_field(kernels, "type") == "locally_linear")
  parameters <- kernel_field(kernels, "parameters")
  parameters[mine] <- lapply(mine, function(m) {
    view <- kernel_field(kernels, "view")[m]
    own <- parameters[[m]]
    own$anchor <- match_anchor(own$anchor, views[[view]], names(kernels)[m], view)
    own <- standard_anchor(own, views_scaling(views)[[view]], names(kernels)[m])
    features <- kernel_field(kernels, "features")[[m]]
    if (!is.null(features)) own$anchor <- own$anchor[features]
    own
  })
  modify_kernels(kernels, parameters = parameters)
}

# Standardises an anchor as its columns are; anchors in kernels of a fit are standardised already.
standard_anchor <- function(own, scaling, kernel) {
  moved <- isTRUE(own$standard)
  if (moved && is.null(scaling)) {
    mk_abort(sprintf("The anchor of kernel `%s` is in standard columns: `scale` must be TRUE.",
                     kernel), "invalid_argument", "scale", FALSE)
  }
  if (moved || is.null(scaling)) return(own)
  own$anchor <- as.vector(standardise(matrix(as.double(own$anchor), 1L), scaling))
  own$standard <- TRUE
  own
}

# A kernel without an anchor becomes one for each row that has its view.
anchors_from_rows <- function(kernels, views, mine) {
  parameters <- kernel_field(kernels, "parameters")
  open <- mine[vapply(parameters[mine], function(own) is.null(own$anchor), NA)]
  if (!length(open)) return(kernels)
  rows <- lapply(kernel_field(kernels, "view")[open], rows_having, views = views,
                 rows = seq_len(view_rows(views)))
  count <- rep(1L, length(kernels))
  count[open] <- lengths(rows)
  index <- rep(seq_along(count), count)
  out <- pick_kernels(kernels, index)
  new <- index %in% open
  row <- unlist(rows)
  parameters <- kernel_field(out, "parameters")
  view <- kernel_field(out, "view")
  standard <- !vapply(views_scaling(views), is.null, NA)
  parameters[new] <- Map(function(own, i, view) {
    own$anchor <- as.vector(views[[view]][i, ])
    own$standard <- standard[[view]]
    own$row <- i
    own
  }, parameters[new], row, view[new])
  name <- names(out)
  name[new] <- paste0(name[new], "@", row)
  modify_kernels(out, parameters = parameters, name = unique_names(name))
}

# Matches an anchor to columns by name if both have names.
match_anchor <- function(anchor, view, kernel, name) {
  if (!is.null(names(anchor)) && !is.null(colnames(view)) && !anyDuplicated(colnames(view))) {
    lacking <- setdiff(colnames(view), names(anchor))
    if (length(lacking)) {
      mk_abort(sprintf("The anchor of kernel `%s` lacks %s of the view `%s`: %s.", kernel,
                       count_of(length(lacking), "column"), name, enumerate(lacking)),
               "missing_columns", "anchors", lacking)
    }
    return(unname(anchor[colnames(view)]))
  }
  if (length(anchor) != ncol(view)) {
    mk_abort(sprintf("The anchor of kernel `%s` has %s, but the view `%s` has %s.", kernel,
                     count_of(length(anchor), "number"), name, count_of(ncol(view), "column")),
             "dimension", "anchors", length(anchor))
  }
  unname(anchor)
}
