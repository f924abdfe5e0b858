# One fit over several processes: blocks of the rows stay on workers, which make the passes over all rows.

no_blocks <- list(ask = NULL, close = function() NULL)

# list(ask, close) of a posed problem; ask(what, theta, rows, alpha) answers the core's questions (passes.c).
open_blocks <- function(problem) {
  control <- problem$settings$control
  if (is.null(control$cluster)) return(no_blocks)
  check_divisible(problem)
  restore <- plan_for(control$cluster)
  backend <- choose_backend()
  folder <- tempfile("blocks-")
  close <- function() {
    unlink(folder, recursive = TRUE)
    restore()
  }
  opened <- FALSE
  on.exit(if (!opened) close())
  check_workers(backend$workers)
  files <- write_blocks(problem, folder, backend$workers)
  log <- new_work_log()
  given_up <- FALSE
  opened <- TRUE
  list(
    ask = function(what, theta, rows, alpha) {
      if (!length(rows)) return(no_answer(what, problem, ncol(alpha)))
      given <- list(question = question_of(problem, what, theta, rows, alpha), files = files)
      shares <- do_work(length(files), backend, "run_shares", given, log,
                        give_up = function(lost, reason, values) {
                          given_up <<- TRUE
                          abort_lost(sprintf("block %d", lost), reason,
                                     " With `mkl_control(checkpoint = )` the same call goes on from what was done.")
                        })
      joined_shares(shares, what, rows, problem$data$n)
    },
    close = function() {
      close()
      if (!given_up) work_report(log, see = "")
    }
  )
}

# Sets the plan that `cluster` stands for; returns the function that restores the one before.
plan_for <- function(cluster) {
  need_package("future", "`cluster`")
  if (isTRUE(cluster)) return(function() NULL)
  tryCatch(set_plan(cluster), error = function(e) {
    mk_abort(sprintf("Make `cluster` again, as by parallel::makeCluster(%d): it can't be used (%s).",
                     length(cluster), loss_reason(e)), "lost_work", "cluster", cluster, parent = e)
  })
}

check_workers <- function(workers) {
  if (workers > 1 && is.finite(workers)) return(invisible())
  abort_unsupported("cluster", paste(
    "Start several workers first, such as future::plan(\"multisession\", workers = 2): `cluster` shares a fit",
    if (workers > 1) "between a given number of them." else "between them, and there is only this process."
  ), workers)
}

# Shares are computed from columns of the rows alone.
check_divisible <- function(problem) {
  kernels <- problem$data$kernels
  other <- !kernel_field(kernels, "type") %in% column_kinds() | is_partial(kernels, problem$data$views)
  if (any(other)) {
    abort_unsupported("cluster", sprintf(paste(
      "Leave out `cluster`, or kernel `%s`: workers share fits of kernels on columns that all rows have, of",
      "the types %s."), names(kernels)[other][1L], enumerate(column_kinds(), 10L)),
      problem$settings$control$cluster)
  }
  moved <- by_column(problem$constants) & kernel_field(kernels, "view") %in% moved_views(problem$data$views)
  if (any(moved)) {
    abort_unsupported("cluster", sprintf(paste(
      "Use `scale = TRUE` with `cluster`, or centre the columns of kernel `%s`: a linear kernel that is",
      "centred needs columns of mean 0 there."), names(kernels)[moved][1L]), problem$settings$control$cluster)
  }
}

# Linear kernels are centred by the means of columns, all others by means of rows.
by_column <- function(constants) constants$centre & lengths(constants$centre_list) == 0L

moved_views <- function(views) {
  moved <- vapply(plain_views(views), function(x) {
    any(abs(Matrix::colMeans(x)) > 1e-12 * sqrt(pmax(Matrix::colMeans(x^2), .Machine$double.xmin)))
  }, NA)
  names(views)[moved]
}

# ---- what travels --------------------------------------------------------------------------------

# A file for each block, with all that does not change during the fit.
write_blocks <- function(problem, folder, count) {
  dir.create(folder)
  control <- problem$settings$control
  same <- list(kernels = own_kernels(problem), offset = problem$settings$intercept,
               control = list(tol = control$tol, single = control$precision == "auto"))
  rows <- packs_of(seq_len(problem$data$n), rep(1, problem$data$n), count)
  files <- file.path(normalizePath(folder), sprintf("block-%d.rds", seq_along(rows)))
  for (k in seq_along(rows)) {
    block <- list(rows = rows[[k]], views = subset_views(problem$data$views, rows[[k]]),
                  constants = own_constants(problem, rows[[k]]))
    whole <- tryCatch({
      saveRDS(c(block, same), files[k], compress = FALSE)
      TRUE
    }, error = function(e) FALSE, warning = function(w) FALSE)
    if (!whole) abort_unwritable(files[k], "cluster")
  }
  files
}

own_kernels <- function(problem) {
  pick_kernels(problem$data$kernels, handle_kernels(problem$handle, problem$data$kernels))
}

own_constants <- function(problem, rows) {
  constants <- pick_constants(problem$constants, handle_kernels(problem$handle, problem$data$kernels), rows)
  constants$centre <- constants$centre & lengths(constants$centre_list) > 0L
  constants
}

question_of <- function(problem, what, theta, rows, alpha) {
  list(what = what, theta = theta, rows = rows, alpha = alpha, views = subset_views(problem$data$views, rows),
       constants = own_constants(problem, rows))
}

# ---- what comes back -----------------------------------------------------------------------------

# Shares are added in the order of their blocks, so the sums do not depend on who was first.
joined_shares <- function(shares, what, rows, n) {
  sum_of <- function(field, change = identity) {
    Reduce(`+`, lapply(shares, function(share) change(share[[field]])))
  }
  if (what == "forms") return(list(forms = sum_of("forms")))
  value <- matrix(0, n, ncol(shares[[1L]]$value))
  for (share in shares) value[share$others, ] <- share$value
  if (what == "response") return(list(value = value))
  slack <- value
  for (share in shares) slack[share$others, ] <- share$slack
  rounding <- length(shares) * .Machine$double.eps / 2 # of a sum of the shares
  value[rows, ] <- sum_of("inside")
  slack[rows, ] <- shares[[1L]]$inside_slack + rounding * sum_of("inside", abs)
  list(value = value, slack = slack, forms = sum_of("forms"),
       form_slack = shares[[1L]]$form_slack + rounding * sum_of("forms", abs), reach = shares[[1L]]$reach)
}

# Without alphas everything is 0.
no_answer <- function(what, problem, tasks) {
  none <- numeric(length(handle_kernels(problem$handle, problem$data$kernels)))
  value <- matrix(0, problem$data$n, tasks)
  list(value = value, slack = value, forms = none, form_slack = none, reach = none)
}
