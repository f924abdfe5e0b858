# Kernels with explicit features of their own: kernels x'Qz (kernel-quadratic.R) and those that count words
# (word-features.R). In the core they are linear ones on columns that are made here.

# Kernels and plain views as the core takes them: each kernel with features of its own becomes a linear kernel
# on a view of its own, and a product of several views has a view without values that marks the samples with
# all of them. source: the views that these were made from.
with_made_columns <- function(kernels, views) {
  if (!any(kernel_field(kernels, "type") %in% c("product", made_types()))) {
    return(list(kernels = kernels, views = views))
  }
  joint <- which(is_product(kernels) & !kernel_field(kernels, "view") %in% names(views))
  source <- lapply(joint, function(m) unique(kernel_field(product_parts(kernels, m), "view")))
  names(source) <- paste0(made_mark, joint, recycle0 = TRUE)
  views[names(source)] <- lapply(joint, function(m) matrix(0, nrow(views[[1L]]), 1L))
  kernels <- modify_kernels(kernels, view = replace(kernel_field(kernels, "view"), joint, names(source)))
  mine <- which(kernel_field(kernels, "type") %in% made_types())
  if (!length(mine)) return(list(kernels = kernels, views = views, source = source))
  type <- kernel_field(kernels, "type")[mine]
  power <- vapply(kernel_field(kernels, "parameters")[mine], function(own) own$power %||% 1, 0)
  made <- lapply(mine, function(m) made_columns(kernels[[m]], views))
  names(made) <- paste0(made_mark, mine)
  source[names(made)] <- as.list(kernel_field(kernels, "view")[mine])
  kernels <- modify_kernels(
    kernels,
    type = replace(kernel_field(kernels, "type"), mine, ifelse(power == 1, "linear", "polynomial")),
    view = replace(kernel_field(kernels, "view"), mine, names(made)),
    features = replace(as.list(kernel_field(kernels, "features")), mine, list(NULL)),
    parameters = replace(kernel_field(kernels, "parameters"), mine, Map(made_parameters, type, power))
  )
  list(kernels = kernels, views = c(views, made), source = source)
}

made_mark <- "\r" # begins the names of views that are made, and no name of the user's

# Sequences without words have length 0, and their values stay 0 under spherical scaling.
made_parameters <- function(type, power) {
  if (power == 1) list(zero_rows = type %in% word_types) else list(degree = power, scale = 1, offset = 0)
}

made_columns <- function(kernel, views) {
  view <- views[[kernel$view]]
  if (kernel$type %in% word_types) return(word_matrix(kernel, view))
  quadratic_columns(kernel$type, kernel$parameters, view[, kernel$features, drop = FALSE])
}
