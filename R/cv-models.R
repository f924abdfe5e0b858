# The models that a cross-validation can tune, one row each:
#   fit      the function that fits one of them,
#   values   which arguments make its grid,
#   grid     list(tuned, outer, inner) from a list of these arguments,
#   cell     what `fit` is given for one cell, from its value of `outer` and of `inner`,
#   kernels  whether its kernels are given to it (as are samples without a view),
#   shares   whether the core fits many cells over one set of kernels,
#   sigmoids whether it can have class probabilities,
#   refuse   an error for a response that it can't serve,
#   hints    what an argument of another name or package stands for.

cv_models <- list(
  mkl = list(
    fit = function() mkl.default, values = c("p", "C", "norm"), kernels = TRUE, shares = TRUE,
    sigmoids = TRUE,
    grid = function(values) {
      norms <- grid_norms(values$norm, values$p, "p" %in% values$given)
      names(norms) <- make.unique(vapply(norms, format, ""))
      list(tuned = c(if (is.null(values$norm)) "p" else "norm", "C"), outer = norms,
           inner = check_distinct(values$C, "C", lower = 0, lower_open = TRUE))
    },
    cell = function(outer, inner) list(norm = outer, C = inner),
    refuse = function(response, settings, samples) invisible(),
    hints = function() fit_hints
  ),
  mkl_gomp = list(
    fit = function() mkl_gomp.default, values = c("lambda", "max_kernels"), kernels = TRUE, shares = FALSE,
    sigmoids = FALSE,
    grid = function(values) {
      inner <- check_distinct(values$lambda, "lambda", lower = 0, lower_open = TRUE)
      if (is.null(values$max_kernels)) return(list(tuned = "lambda", outer = list(NULL), inner = inner))
      check_counts(values$max_kernels, "max_kernels")
      list(tuned = c("max_kernels", "lambda"), inner = inner,
           outer = as.list(check_distinct(values$max_kernels, "max_kernels")))
    },
    cell = function(outer, inner) list(lambda = inner, max_kernels = outer),
    refuse = function(response, settings, samples) {
      if (is_times(response)) gomp_response(response, samples)
    },
    hints = function() gomp_hints
  ),
  mllkm = list(
    fit = function() mllkm.default, values = c("gamma", "C"), kernels = FALSE, shares = FALSE,
    sigmoids = TRUE,
    grid = function(values) {
      inner <- check_distinct(values$C, "C", lower = 0, lower_open = TRUE)
      if (is.null(values$gamma)) return(list(tuned = "C", outer = list(NULL), inner = inner))
      list(tuned = c("gamma", "C"), inner = inner,
           outer = as.list(check_distinct(values$gamma, "gamma", lower = 0, lower_open = TRUE)))
    },
    cell = function(outer, inner) list(gamma = outer, C = inner),
    refuse = function(...) refuse_several_in("`model = \"mllkm\"`")(...),
    hints = function() mllkm_hints
  )
)

model_function <- function(model) cv_models[[model]]$fit()

grid_arguments <- unique(unlist(lapply(cv_models, `[[`, "values"), use.names = FALSE))

# values: the grid's arguments by name, with `given`, the names of those that the user gave.
cv_grid <- function(model, values) {
  wanted <- cv_models[[model]]$values
  odd <- setdiff(values$given, wanted)
  if (length(odd)) {
    hints <- cv_models[[model]]$hints()
    mk_abort(sprintf("`%s` is not for `model = \"%s\"`, whose grid is of %s%s.", odd[1], model,
                     enumerate(wanted), hint_text(hints, odd[1], values[[odd[1]]])), "invalid_argument", odd[1])
  }
  cv_models[[model]]$grid(values)
}

grid_norms <- function(norm, p, p_given) {
  if (is.null(norm)) {
    return(lapply(check_distinct(p, "p", lower = 1, allow_inf = TRUE), lp_norm))
  }
  if (p_given) {
    mk_abort("`p` and `norm` must not both be given.", "invalid_argument", "norm")
  }
  norms <- if (inherits(norm, "mkl_norm")) list(norm) else norm
  if (!is.list(norms) || !length(norms)) {
    abort_argument(norm, "norm", "a norm, such as elastic_net_norm(0.5), or a list of norms")
  }
  lapply(unname(norms), check_norm)
}
