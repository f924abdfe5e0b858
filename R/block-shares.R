# What a worker does for a fit over several processes: it keeps a block of the rows, and computes its share of
# the passes over all rows.

# Blocks by their files, read when they are first asked for.
blocks_here <- new.env(parent = emptyenv())

block_here <- function(file) {
  if (is.null(blocks_here[[file]])) {
    earlier <- ls(blocks_here)
    rm(list = earlier[dirname(earlier) != dirname(file)], envir = blocks_here) # of another fit
    block <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) abort_unread_block(file))
    if (any(vapply(plain_views(block$views), isS4, NA))) loadNamespace("Matrix") # whose methods take rows
    blocks_here[[file]] <- block
  }
  blocks_here[[file]]
}

abort_unread_block <- function(file) {
  mk_abort(sprintf(paste("Start R on all computers with the environment variable TMPDIR set to a folder that",
                         "they share: the worker on %s can't read %s."), Sys.info()[["nodename"]], file),
           "unread_block", "cluster", file)
}

# The shares of some blocks, by their numbers, in a question of open_blocks().
run_shares <- function(pack, question, files) {
  list(outcomes = lapply(pack, function(k) share_of_block(question, block_here(files[k]), k, length(files))))
}

# Rows of the set: those with alphas, then those of the block that the question is about.
share_of_block <- function(question, block, part, parts) {
  others <- switch(question$what, response = block$rows, forms = integer(),
                   expansion = setdiff(block$rows, question$rows))
  own <- match(others, block$rows)
  views <- question$views
  constants <- question$constants
  if (length(own)) {
    views <- bind_views(views, subset_views(block$views, own))
    constants$centre_list <- Map(c, constants$centre_list,
                                 pick_constants(block$constants, TRUE, own)$centre_list)
  }
  n <- length(question$rows) + length(own)
  handle <- kernel_handle(block$kernels, views, n, 1L)
  install_constants(handle, constants, n, FALSE, block$kernels, list(argument = "x", number = seq_len(n)))
  share <- from_core(.Call(C_mk_share, handle, question$what, question$theta, question$alpha, block$offset,
                           c(block$control, part = part - 1, parts = parts), thread_count()))
  new <- length(question$rows) + seq_along(own)
  share[c("value", "slack")] <- lapply(share[c("value", "slack")], function(x) x[new, , drop = FALSE])
  c(share, list(others = others))
}
