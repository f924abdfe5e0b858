# Sums of kernel weights by view or feature set, for fits of many kernels: every kernel is in some bar.

# The most that may be left out of a plot of kernels one by one, as a part of the sum of weights.
most_left_out <- 0.1

# Kernels one by one as long as they show nearly all; then sums by the finest sets there are.
suitable_sums <- function(x, most) {
  weights <- fit_weights(x)
  if (is_uniform(first_model(x))) return("view")
  size <- sort(tapply(weights$theta, weights$kernel, max), decreasing = TRUE)
  if (sum(size[-seq_len(min(most, length(size)))]) <= most_left_out * sum(size)) return("kernel")
  sets <- fit_weights(x, by = "set")
  views <- length(unique(sets$view))
  if (nrow(unique(sets[c("view", "set")])) > views) "set" else if (views > 1L) "view" else "kernel"
}

# TRUE if p = Inf makes all kernels alike, of several views with several kernels each.
is_uniform <- function(model) {
  views <- kernel_field(model$kernels, "view")
  is.numeric(model$p) && is.infinite(model$p) && length(unique(views)) > 1L &&
    length(views) > length(unique(views))
}

# A row for each view, or for each of the `most` largest sets and one for all smaller ones of a view:
# views and sets by falling size, columns kernel (a key), label, rest (whether of smaller sets).
sum_bars <- function(table, value, most) {
  table$place <- match(table$view, unique(table$view)) # which decides on its colour
  table$label <- if (is.null(table$set)) table$view else table$set
  whole <- table$label == ALL_COLUMNS & length(unique(table$view)) > 1L
  table$label[whole] <- table$view[whole]
  table$kernel <- paste(table$view, table$label, sep = "\r")
  size <- sort(tapply(table[[value]], table$kernel, max), decreasing = TRUE)
  table <- join_smaller(table, names(size)[-seq_len(min(most, length(size)))])
  by_view <- tapply(table$share, table$view, sum)
  size <- tapply(table[[value]], table$kernel, max)
  table[order(-by_view[table$view], table$rest, -size[table$kernel]), ]
}

# Small sets of a view become one row (of each model), unless it is just one set.
join_smaller <- function(table, small) {
  view_of <- sub("\r.*", "", small)
  several <- names(which(table(view_of) > 1L))
  small <- small[view_of %in% several]
  table$rest <- table$kernel %in% small
  if (!length(small)) return(table)
  counts <- table(view_of)
  joined <- table[table$rest, ]
  keys <- joined[c(if (!is.null(table$model)) "model", "view", "place")]
  key <- do.call(paste, c(keys, sep = "\r"))
  sums <- rowsum(joined[c("kernels", "active", "theta", "share")], factor(key, unique(key)))
  out <- cbind(keys[!duplicated(key), , drop = FALSE], sums)
  out$label <- sprintf("%d smaller sets", counts[out$view])
  out$kernel <- paste(out$view, "", sep = "\r")
  out$rest <- TRUE
  rbind(table[!table$rest, names(out)], out)
}

# The rows of a plot of such sums, with the table beside them; headings where views have sets.
sum_rows <- function(table, head) {
  first <- table[!duplicated(table$kernel), ]
  views <- unique(first$view)
  group <- factor(first$view, views[order(unique(first$place))])
  headed <- length(views) > 1L && length(views) < nrow(first)
  rows <- stack_rows(group, if (headed) views else rep("", length(views)), head)
  rows$colour[first$rest] <- lighten(rows$colour[first$rest], 0.5)
  c(list(kernel = first$kernel, set = first$label, rest = rep("", nrow(first))), rows,
    list(beside = sprintf("%.1f %%  %d of %d", 100 * first$share, first$active, first$kernels),
         left_out = 0L, zeros = 0L, left_share = 0))
}

# The table: each bar's share of the fitted function, and how many of its kernels have weight.
draw_beside <- function(rows, beside) {
  if (is.null(beside)) return(invisible())
  if (row_inches(rows) < 0.75 * line_inches()) return(invisible())
  left <- graphics::par("usr")[2] + graphics::xinch(line_inches(0.4))
  graphics::text(left, rows$y, beside, adj = c(0, 0.5), cex = 0.75, col = ink$soft, xpd = NA)
  graphics::text(left, graphics::par("usr")[4], beside_title, adj = c(0, -0.3), cex = 0.75, col = ink$soft, xpd = NA)
}

beside_title <- "share, active kernels"
