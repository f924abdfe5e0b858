# Kernels k(x, z) = x'Qz with a positive semidefinite Q = R R' that is never formed. Each type of kernel has
# two functions: Q w for the weights of columns, by which a fit predicts, and X R for the columns of a linear
# kernel, which the core uses.

# Q w
quadratic_product <- function(type, own, w) {
  switch(type, categorical = categorical_product(own, w), network = smooth_weights(own$network, w))
}

# X R
quadratic_columns <- function(type, own, x) {
  switch(type, categorical = categorical_columns(own, x), network = smooth_columns(own$network, x))
}

# The core puts kernels on sets of columns itself, but makes no columns.
refuse_on_sets <- function(kernels) {
  first <- match(TRUE, kernel_field(kernels, "type") %in% made_types())
  if (is.na(first)) return(invisible())
  abort_unsupported("dictionary", sprintf(paste(
    "Kernel `%s` can't be put on the `sets` of a dictionary, but a function can return it:",
    "`kernel_dictionary(function(i) k[i], size = length(k))`."
  ), names(kernels)[first]))
}
