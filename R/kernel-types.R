# Types of kernels, and the core's kinds that they become.

# The core's kinds of kernels in the order of their numbers, and the names of their parameters. Other types of
# R are function kernels or linear ones in the core.
core_kinds <- function() .Call(C_mk_kinds)

# Kinds of kernels that are functions of columns: all of the core but those of values, functions and anchors.
column_kinds <- function() setdiff(core_kinds()$name, c("precomputed", "function", "locally_linear"))

match_types <- c("weighted_degree", "distance_spectrum")

word_types <- c("spectrum", "mismatch", "gapped", "gappy_pair", "motif")

# Kernels x'Qz, linear ones on columns that kernel-quadratic.R makes.
quadratic_types <- c("categorical", "network")

# Kernels that compare columns as they are: their views are not standardised.
as_given_types <- c("tanimoto", "pair")

sequence_types <- c(match_types, word_types)

kernel_types <- function() c(core_kinds()$name, quadratic_types, sequence_types, "product", "pair")

made_types <- function() c(quadratic_types, word_types)

reads_sequences <- function(kernels) kernel_field(kernels, "type") %in% sequence_types
