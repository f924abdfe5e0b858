# Matching pursuit with the hinge and the logistic loss: the gradient of the loss chooses a kernel, and the
# optimiser of mkl() refits the chosen ones. The core has the path of the squared loss (gomp-path.R).

pursuit_losses <- c("squared", "hinge", "logistic")

check_pursuit_loss <- function(loss) {
  if (is.null(loss)) return("squared")
  check_choice(if (inherits(loss, "mkl_loss")) remade_loss(loss)$type else loss, pursuit_losses, "loss")
}

refuse_numbers <- function(loss, outputs) {
  if (loss == "squared" || !is.null(outputs$levels) || isTRUE(outputs$labels)) return(invisible())
  abort_unsupported("loss", sprintf(paste("`loss = \"%s\"` is for classes and labels, but `y` is a number to",
                                          "predict. Leave out `loss`, or set `type = \"classification\"`."),
                                    loss))
}

# A path over a handle's kernels, as the core's with the squared loss, with offsets (outputs x steps) and the
# certificates of the steps. problem: with the constants of its kernels; rows: those that take part; cost: C_i
# of each of them, rows x outputs; unit: the norm of a gradient over that of the function; candidates: as by
# handle_candidates(), or NULL.
pursue_gradients <- function(problem, settings, rows, cost, unit, candidates, tell) {
  began <- seconds_now()
  handle <- problem$handle
  numbers <- handle_kernels(handle, problem$data$kernels)
  target <- problem$response$target
  whole <- matrix(0, nrow(target), ncol(target))
  whole[rows, ] <- cost
  loss <- new_loss(settings$loss)
  last <- constant <- constant_fit(target, whole, loss, settings$intercept)
  taken <- integer()
  steps <- list()
  status <- "converged"
  while (length(taken) < min(settings$max_kernels, length(numbers))) {
    best <- next_kernel(handle, last$alpha, step_candidates(taken, candidates, length(numbers)), settings)
    if (!(unit * best$norm > settings$epsilon)) break
    last <- refit_kernels(problem, settings, loss, numbers[c(taken, best$kernel)], target, whole, last$alpha)
    if (last$status %in% c("time_limit", "interrupted")) {
      status <- last$status
      break
    }
    taken <- c(taken, best$kernel)
    last$gradient <- unit * best$norm
    last$seconds <- seconds_now() - began
    steps <- c(steps, list(last))
    if (!is.null(tell)) tell(length(taken), last$seconds, last$objective, last$gradient)
  }
  field <- function(name) vapply(steps, `[[`, 0, name)
  outputs <- seq_len(ncol(target))
  list(kernel = taken, improvement = field("gradient"), seconds = field("seconds"), status = status,
       alpha = matrix(as.double(unlist(lapply(steps, function(step) step$alpha[rows, ]))), length(rows)),
       constant = constant[c("offset", "objective")],
       offsets = matrix(vapply(steps, `[[`, numeric(length(outputs)), "offset"), length(outputs)),
       certificate = list(primal = field("primal"), dual = field("objective"), gap = field("gap")),
       memory = max(0, field("memory")), kept = 0L)
}

# The best constants, or 0, and dual variables that prove it. Of the many of the hinge loss with an offset these
# are in proportion to the cost on either side.
constant_fit <- function(target, cost, loss, intercept) {
  plus <- colSums(cost * (target > 0))
  minus <- colSums(cost * (target < 0))
  hinge <- loss$type == "hinge"
  own <- ifelse(target > 0, rep(plus, each = nrow(target)), rep(minus, each = nrow(target)))
  both <- if (hinge) pmax(plus, minus) else plus + minus
  share <- if (!intercept) if (hinge) 1 else 0.5 else
    ifelse(own > 0, rep(plus * minus / both, each = nrow(target)) / own, 0)
  offset <- if (!intercept) 0 * plus else if (hinge) sign(plus - minus) else
    pmin(pmax(log(plus / minus), log(.Machine$double.eps)), -log(.Machine$double.eps))
  losses <- loss_values(loss, rep(offset, each = nrow(target)), target)
  list(alpha = target * cost * share, offset = offset, objective = sum(cost * losses))
}

# The kernels of the handle that a step may take, as TRUE and FALSE.
step_candidates <- function(taken, candidates, count) {
  if (is.null(candidates)) return(!seq_len(count) %in% taken)
  drawn <- setdiff(candidates$drawn[, length(taken) + 1L], taken)
  seq_len(count) %in% utils::head(drawn, candidates$count)
}

# The kernel whose block of the gradient has the largest norm over all outputs, the first where several differ
# by less than 1e-10 of it; norms within the rounding errors are 0.
next_kernel <- function(handle, alpha, open, settings) {
  forms <- from_core(.Call(C_mk_forms, handle, alpha, open, TRUE, thread_count(settings$control)))
  norms <- ifelse(open & forms[, 1L] > forms[, 2L], sqrt(pmax(forms[, 1L], 0)), 0)
  best <- which(norms >= max(norms) * (1 - 1e-10) & open)[1L]
  list(kernel = best, norm = norms[best])
}

# The optimiser with p = Inf gives every kernel the weight 1: a support vector machine over their sum.
refit_kernels <- function(problem, settings, loss, chosen, target, cost, alpha) {
  settings[c("loss", "norm")] <- list(loss, lp_norm(Inf))
  settings$control$optimizer <- mkl_control()$optimizer
  own <- list(handle = sum_handle(problem$data, problem$constants, chosen, settings$control),
              data = problem$data["n"], settings = settings, response = problem$response$y)
  run_core(own, target, cost, list(theta = rep(1, length(chosen)), alpha = alpha, decision = NULL))
}

# The chosen kernels with the constants that they have among all.
sum_handle <- function(data, constants, chosen, control) {
  kernels <- pick_kernels(data$kernels, chosen)
  handle <- keep_values(kernel_handle(kernels, data$views, data$n, thread_count(control)), kernels, control)
  install_constants(handle, lapply(constants, `[`, chosen), data$n, TRUE, kernels, NULL)
  handle
}

# The certificate of the chosen step, from the kernels on the training data once more.
certify_pursuit <- function(object, data, target) {
  chosen <- object$order[seq_len(object$selected)]
  if (!length(chosen)) return(list(primal = object$primal, dual = object$objective, gap = object$gap))
  threads <- thread_count(object$control)
  handle <- normalized_kernels(pick_kernels(data$kernels, chosen), data$views, data$n, object$normalize,
                               threads)$handle
  found <- certify_pair(handle, rep(1, length(chosen)), as.matrix(unname(object$alpha)), target,
                        matrix(object$cost, nrow(target), ncol(target)), new_loss(object$loss),
                        object$intercept, lp_norm(Inf), threads)
  found[c("primal", "dual", "gap")]
}
