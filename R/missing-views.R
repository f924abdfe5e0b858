# Samples that lack a view (rows of NA in all its columns, or names that only other views have): they are
# found, named, dropped, or kept at the mean.

#' Samples that lack a view
#'
#' In studies with several assays, samples may lack some of them. The argument `missing_views` of
#' [mkl()], [cv_mkl()], [mkl_path()], [mkl_gomp()], [mkl_sequential()], [default_kernels()] and
#' [kernel_matrix()] determines how such samples are treated. [mllkm()] uses one view. Other functions
#' need samples that have all views.
#'
#' @details A sample lacks a view if its row is `NA` in all columns of the view, or if another view has a row
#' of its name and this one has not. In the second case all views need row names. The samples are then those
#' of all views: first those of the first view in its order, then those that later views add. If the first
#' view lacks some samples, `y`, `weights` and the like must have names, too. For rows with only some missing
#' values see [imputation]. The samples of a `MultiAssayExperiment` have the order of its `colData`.
#'
#' * `"error"`, the default: samples that lack a view are an error that names some.
#' * `"drop"`: such samples are left out, with a message. Give `y`, `weights`, `folds` and `group` for all
#'   samples; row numbers in results count all samples, and [stats::na.action()] of the fit lists the dropped
#'   ones. The prediction of a new sample that lacks a view in use is `NA`.
#' * `"neutral"`: all samples stay. Kernels are centred. If a sample lacks a view, its row and column in
#'   the kernels of that view are 0, including the diagonal, so it has no influence there. The constants
#'   of columns ([scaling]) and of kernels ([normalize_kernels()]), widths of [default_kernels()]
#'   included, come from the samples that have the view; in folds whose training rows all lack it, its
#'   kernels have weight 0. New samples may lack any view, and `newdata`
#'   may lack whole views: the kernels of these views then add 0 to the decision values. The certificate
#'   is for this problem, and [duality_gap()] recomputes it from the same data.
#'
#' @section What "neutral" assumes:
#' A centred kernel has its origin at the mean, in the feature space, of the samples that have the view. A
#' sample without the view is placed there, as if the mean had been imputed. This is reasonable if views are
#' missing **at random**, that is, if a missing view is unrelated to the response. If patients lack an assay
#' because they were too ill for it, predictions are biased; an indicator of the missing assay as a column of
#' another view may then help. The weight of a view comes from the samples that have it.
#' `bench/results/missing-views.md` in the package's sources compares both ways on two sets of data.
#'
#' `"neutral"` implies centring, `normalize = c("centre", ...)`, of all kernels, since without it no
#' kernel has a neutral value. It is an error for one-class models, which separate samples from the
#' origin. Precomputed kernels have no view and must have all samples. Linear kernels of a view that
#' samples lack are evaluated between pairs of rows, like other kernels, not as weighted columns
#' ([per_feature()]). Fits keep all training rows of such views for prediction.
#'
#' @section Errors:
#' Class `manykernels_missing_views`: samples that lack a view under `"error"`, a view or a training set
#' of a fold in which no sample has it, samples without any view. Class `manykernels_sample_names`:
#' views that have no sample in common. Class `manykernels_duplicated_samples`: duplicated names. The
#' message about what was found has the class `manykernels_message_missing_views`.
#' @seealso [mkl()], [cv_mkl()], [predict.mkl()]
#' @examples
#' views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
#' y <- droplevels(iris$Species[51:150])
#' views$petal[c(1:10, 60:70), ] <- NA
#' fit <- mkl(views, y, kernels = gaussian_kernel(c(1, 4)), missing_views = "neutral")
#' fit$gap
#' duality_gap(fit, views, y)$gap
#' # new flowers without petals
#' predict(fit, views["sepal"])[1:3]
#' @name missing_views
NULL

missing_views_choices <- c("error", "drop", "neutral")

check_missing_views <- function(x) check_choice(x, missing_views_choices, "missing_views")

# Returns `missing_views` of a fit; models other than those of mkl() support "error" only.
missing_views_of <- function(object) object$missing_views %||% "error"

# Refuses "neutral" for models that separate samples from the origin, where it would place samples.
refuse_neutral <- function(settings, response) {
  if (!identical(settings$missing_views, "neutral") || !is.null(response)) return(invisible())
  abort_unsupported("missing_views", paste(
    "`missing_views = \"neutral\"` centres kernels, and one-class models separate samples from the",
    "centre: use \"drop\"."
  ), "neutral")
}

refuse_neutral_view <- function(missing_views) {
  if (missing_views != "neutral") return(invisible())
  abort_unsupported("missing_views", paste(
    "`missing_views = \"neutral\"` is not for `model = \"mllkm\"`, which uses one view: a sample",
    "without that view has no data."
  ), missing_views)
}

# Settings and kernels under "neutral": every kernel is centred.
centre_settings <- function(settings) {
  if (identical(settings$missing_views, "neutral")) settings$normalize <- centred(settings$normalize)
  settings
}

centre_kernels <- function(kernels, missing_views) {
  if (missing_views != "neutral" || is.null(kernels)) return(kernels)
  own <- kernel_field(kernels, "normalize")
  chosen <- lengths(own) > 0L
  own[chosen] <- lapply(own[chosen], centred)
  modify_kernels(kernels, normalize = own)
}

centred <- function(normalize) union("centre", normalize)

# ---- who has what --------------------------------------------------------------------------------

# Rows without any value.
lacking_rows <- function(x) {
  if (is.character(x) && is.null(dim(x))) return(unname(is.na(x)))
  none <- logical(NROW(x))
  table <- is.matrix(x) || is.data.frame(x) || inherits(x, "Matrix")
  if (!table || !anyNA(x)) return(none)
  gone <- is.na(x)
  sums <- if (is.matrix(gone)) rowSums(gone) else Matrix::rowSums(gone)
  unname(sums == ncol(gone))
}

# Views as they were given, each made clean by clean(view, k) without the rows that lack it, and brought
# together: list(views, has, assembled, joined), joined: by names, which differ. missing_views: NULL if rows of
# NA may stay; imputes: whether missing cells are filled, except in rows without any value.
gather_views <- function(x, argument, labels, missing_views, clean, imputes = FALSE) {
  apart <- !is.null(missing_views) && missing_views != "error"
  looks <- apart || (!is.null(missing_views) && (length(x) > 1L || any(imputes)))
  lacking <- if (looks) unname(lapply(x, lacking_rows)) else rep(list(FALSE), length(x))
  parts <- function() view_parts(x, labels, vapply(x, is.data.frame, NA))
  if (looks && !apart) refuse_lacking(lacking, x, parts, argument)
  views <- lapply(stats::setNames(seq_along(x), names(x)), function(k) {
    clean(if (any(lacking[[k]])) take_rows(x[[k]], which(!lacking[[k]])) else x[[k]], k)
  })
  place <- if (length(x) < 2L) list(rows = list(NULL)) else
    sample_places(parts(), names(x), argument, apart)
  has <- vector("list", length(x))
  for (k in seq_along(x)) {
    rows <- place$rows[[k]]
    names <- place$names %||% (if (is.null(rows)) row_names(x[[k]]) else row_names(x[[k]])[rows])
    placed <- place_rows(views[[k]], rows, lacking[[k]], names)
    views[[k]] <- placed$view
    has[k] <- list(placed$has)
  }
  list(views = views, has = stats::setNames(has, names(x)), assembled = isTRUE(place$assembled),
       joined = !is.null(place$names))
}

# For each view the row of each sample, NULL for its rows as they are: by the names of all samples
# where views have different ones and may.
sample_places <- function(parts, names, argument, apart) {
  bare <- vapply(parts, `[[`, 0L, "n") == 0L
  if (apart && any(bare) && !all(bare)) {
    place <- sample_places(parts[!bare], names[!bare], argument, apart)
    n <- if (is.null(place$names)) parts[!bare][[1L]]$n else length(place$names)
    place$rows <- replace(rep(list(rep(NA_integer_, n)), length(parts)), !bare, place$rows)
    return(place)
  }
  proper <- Filter(function(part) !is.null(part$names) && !is_row_numbers(part$names), parts)
  differ <- !all(vapply(proper, function(part) setequal(part$names, proper[[1L]]$names), NA))
  if (apart && !differ) refuse_nameless(parts, proper, argument)
  if (!apart || !differ) {
    check_same_rows(parts, names, argument)
    return(list(rows = order_parts(parts, argument)))
  }
  check_joinable(parts, argument)
  all <- Reduce(union, lapply(parts, `[[`, "names"))
  own <- parts[[1L]]$container$samples # the order of colData
  if (!is.null(own)) all <- intersect(own, all)
  list(rows = lapply(parts, function(part) match(all, part$names)), names = all,
       assembled = !identical(all, own) && length(all) > parts[[1L]]$n)
}

# Refuses views of different sizes without names, which can't be matched row by row.
refuse_nameless <- function(parts, proper, argument) {
  sizes <- unique(vapply(parts, `[[`, 0L, "n"))
  if (length(sizes) > 1L && length(proper) < length(parts)) {
    abort_nameless(setdiff(parts, proper)[[1L]], argument)
  }
}

abort_nameless <- function(part, argument) {
  mk_abort(sprintf("%s has no row names. Views with different samples are put together by these.",
                   capital(part$label)), c("sample_names", "dimension"), argument)
}

# Rows without names are matched by position, which needs equal numbers.
abort_repeated <- function(part, other, twice, argument) {
  if (part$n == other$n) abort_ambiguous(part, other, twice, argument)
  mk_abort(sprintf("Make the names of %s unique, by which views with different samples are put together: %s.",
                   part$label, paste(enumerate(twice), if (length(twice) == 1L) "appears" else "appear",
                                     "twice")),
           "duplicated_samples", argument, twice)
}

# Names by which samples of several views can be put together.
check_joinable <- function(parts, argument) {
  known <- sample_part(NULL, 0L, "x", "rows", "the views before it")
  for (k in seq_along(parts)) {
    part <- parts[[k]]
    if (is.null(part$names)) abort_nameless(part, argument)
    check_names(part, argument)
    twice <- part$names[duplicated(part$names)]
    if (length(twice)) abort_repeated(part, parts[[if (k == 1L) 2L else 1L]], unique(twice), argument)
    if (!is.null(known$names) && !length(intersect(part$names, known$names))) {
      abort_other_samples(part, parts[[1L]], argument)
    }
    if (is.null(part$container) && is.unsorted(match(part$names, known$names), na.rm = TRUE)) {
      inform_order(part, parts[[1L]], argument)
    }
    known$names <- union(known$names, part$names)
  }
}

# The rows of a clean view at the places of all samples, which have these names. Samples that lack it get a
# copy of a row that has it, so that every kernel has a value there.
place_rows <- function(view, rows, lacking, names) {
  if (!any(lacking) && !anyNA(rows)) return(list(view = take_rows(view, rows)))
  place <- replace(cumsum(!lacking), lacking, NA)
  if (!is.null(rows)) place <- place[rows]
  has <- !is.na(place)
  if (!any(has)) return(list(view = blank_view(length(has), view_columns(view)), has = has))
  out <- take_rows(view, replace(place, !has, 1L))
  if (!is.null(rownames(view))) rownames(out) <- names
  list(view = out, has = has)
}

# A view that no sample has; layout: as of one that some have.
blank_view <- function(n, layout) {
  if (isTRUE(layout$sequences)) return(new_sequences(raw(), numeric(n + 1)))
  matrix(0, n, layout$width, dimnames = list(NULL, layout$columns))
}

views_have <- function(views) attr(views, "has", exact = TRUE)

# Positions, among `rows`, of those that have a view; none in folds that lack it.
rows_having <- function(views, name, rows) {
  has <- views_have(views)[[name]]
  if (is.null(has)) return(rows)
  if (any(has)) return(if (is.null(rows)) which(has) else rows[has[rows]])
  mk_abort(sprintf("No training row has the view `%s`.", name), "missing_views", "x", name)
}

# TRUE for samples that have all views; views that every sample has are skipped.
complete_samples <- function(has, complete) Reduce(`&`, has[lengths(has) > 0L], complete)

# ---- what is said and done about it --------------------------------------------------------------

# Signals the error for rows of NA.
refuse_lacking <- function(lacking, x, parts, argument) {
  bad <- which(vapply(lacking, any, NA))
  if (!length(bad)) return(invisible())
  part <- parts()[[bad[1L]]]
  mk_abort(sprintf(
    "`%s` has no values in %s: %s. See `missing_views` of mkl() for samples that lack a view.",
    part$code, count_of(sum(lacking[[bad[1L]]]), "row"), sample_text(part, lacking[[bad[1L]]])
  ), c("missing_views", "missing_values"), argument, names(x)[bad])
}

# Labels of some samples of a part: names, or "row 3".
sample_text <- function(part, chosen) {
  if (!is.null(part$names)) return(enumerate(part$names[chosen]))
  paste(if (sum(chosen) == 1L) "row" else "rows", enumerate(which(chosen)))
}

# Handles training views that some samples lack: a message tells their number, and under "drop" the samples
# that stay are noted as `kept`.
settle_lacking <- function(views, argument, missing_views) {
  has <- views_have(views)
  has <- has[lengths(has) > 0L]
  if (!length(has)) return(views)
  bare <- names(has)[!vapply(has, any, NA)]
  if (length(bare)) {
    mk_abort(sprintf("No sample has the view `%s`.", bare[1L]), "missing_views", argument, bare)
  }
  samples <- sample_part(view_row_names(views), view_rows(views), argument, "rows")
  if (missing_views == "neutral") refuse_bare_samples(views, samples, argument)
  complete <- complete_samples(has, rep(TRUE, samples$n))
  inform_lacking(has, samples, complete, missing_views, argument)
  if (missing_views == "neutral") return(views)
  if (!any(complete)) {
    mk_abort("`missing_views = \"drop\"` leaves no sample: none has all views.", "missing_views",
             argument)
  }
  attr(views, "samples")$kept <- which(complete)
  structure(views, has = lapply(views_have(views), function(one) NULL))
}

refuse_bare_samples <- function(views, samples, argument) {
  bare <- !Reduce(`|`, lapply(views_have(views), function(one) one %||% TRUE))
  if (!any(bare)) return(invisible())
  mk_abort(sprintf("`%s` has %s without any view: %s. Leave %s out.", argument,
                   count_of(sum(bare), "sample"), sample_text(samples, bare),
                   if (sum(bare) == 1L) "it" else "them"), "missing_views", argument, which(bare))
}

lack_count <- function(n) sprintf("%d %s", n, if (n == 1L) "lacks" else "lack")

inform_lacking <- function(has, samples, complete, missing_views, argument) {
  each <- vapply(names(has), function(name) {
    lacks <- !has[[name]]
    sprintf("%s `%s` (%s)", lack_count(sum(lacks)), name, sample_text(samples, lacks))
  }, "")
  one <- sum(!complete) == 1L
  what <- if (missing_views == "drop") paste(if (one) "is" else "are", "dropped") else
    paste(if (one) "contributes" else "contribute", "nothing to that view's kernels")
  mk_inform(sprintf("Of %s %s a view and %s: %s.", count_of(samples$n, "sample"), lack_count(sum(!complete)), what,
                    paste(each, collapse = ", ")),
            "missing_views", argument, which(!complete))
}
