# Donors of rows: random swaps that keep groups together and stay within strata.

# rows x repeats: the donor of each row's values. The rows (or groups) of a stratum are one random cycle:
# none keeps its own values, and every other one is as likely a donor.
draw_donors <- function(n, repeats, group = NULL, strata = NULL) {
  members <- unname(split(seq_len(n), strata %||% rep(1L, n)))
  donors <- matrix(seq_len(n), n, repeats)
  for (r in seq_len(repeats)) {
    for (rows in members) donors[rows, r] <- cycle_rows(rows, group[rows])
  }
  donors
}

# The rows of a group take those of another one in their order, again from the first where that is shorter.
cycle_rows <- function(rows, group) {
  own <- if (is.null(group)) as.list(rows) else unname(split(rows, group))
  order <- sample.int(length(own))
  from <- own
  from[order] <- own[c(order[-1L], order[1L])]
  if (is.null(group)) return(unlist(from))
  donors <- unlist(Map(rep_len, from, lengths(own)))
  donors[match(rows, unlist(own))]
}

# Blocks of rows that the jackknife leaves out one at a time; groups stay together.
draw_blocks <- function(n, group = NULL, most = 20L) {
  group <- group %||% seq_len(n)
  units <- max(group)
  sample(rep_len(seq_len(min(units, most)), units))[group]
}
