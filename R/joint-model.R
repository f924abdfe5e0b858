# Predictions of many models at once. Pairs of classes share their support vectors: each row's kernel
# values are computed once, for all models that it is a support vector of.

# The joint form has no short cuts for mixtures of Gaussians; it is quicker if a row is a support vector of
# this many models on average.
least_shared <- 8

# The models of a fit as one, whose fields `each` are those that differ; NULL where models are to be
# decided one by one.
joint_model <- function(object) {
  packed <- unclass(object)[["models"]]
  if (!is_packed(packed) || is.null(packed$kept)) return(NULL)
  count <- length(packed$names)
  alpha <- few_values(packed$parts$alpha, count)
  if (length(alpha$at) < least_shared * length(packed$kept$rows)) return(NULL)
  joint <- first_model(object)
  theta <- value_columns(packed$parts$theta, count)
  joint$theta <- stats::setNames(rowSums(theta), names(joint$theta))
  joint$data[c("views", "rows", "columns")] <- packed$kept[c("views", "rows", "columns")]
  if (!is_joint_kind(joint)) return(NULL)
  joint$data$every_row <- any(value_columns(packed_field(packed$parts$data, "every_row"), count))
  linear <- unpack_each(packed_field(packed$parts$data, "linear"), count)
  joint$data["linear"] <- list(joint_linear(linear))
  joint$each <- list(theta = theta, alpha = alpha, linear = linear,
                     offset = value_columns(packed$parts$offset, count)[1L, ],
                     scaling = unpack_each(packed_field(packed$parts$scaling, "response"), count))
  joint
}

# Excludes locally linear models, precomputed kernels and kernels of sequences.
is_joint_kind <- function(joint) {
  type <- kernel_field(joint$kernels, "type")[joint$theta > 0]
  !inherits(joint, "mllkm") && !any(type %in% c("precomputed", sequence_types))
}

# The columns that any model's linear kernels read, by view.
joint_linear <- function(linear) {
  columns <- unlist(unname(lapply(linear, `[[`, "columns")), recursive = FALSE)
  views <- unique(unlist(lapply(linear, function(own) names(own$weights))))
  if (!length(views)) return(NULL)
  list(columns = lapply(stats::setNames(nm = views), function(view) {
    own <- columns[names(columns) == view]
    if (all(lengths(own) > 0L)) sort(unique(unlist(own)))
  }))
}

# Values other than 0, `few`, with their positions `at` and the end of each model's.
few_values <- function(packed, count) {
  packed <- undressed(packed)
  if (!is.null(packed$few) && packed$fill %in% 0) return(packed[c("few", "at", "end")])
  values <- unpack_each(packed, count)
  at <- lapply(values, function(one) which(one != 0, useNames = FALSE))
  list(few = unlist(Map(`[`, values, at), use.names = FALSE), at = unlist(at), end = cumsum(lengths(at)))
}

# Decision values, rows by models.
decide_joint <- function(joint, rows) {
  each <- joint$each
  value <- matrix(each$offset, rows$n, length(each$offset), byrow = TRUE)
  for (k in which(lengths(each$linear) > 0L)) {
    value[, k] <- value[, k] + decide_linear(each$linear[[k]], rows$views)
  }
  evaluated <- which(is_evaluated(joint$kernels, joint$constants, joint$theta > 0))
  if (length(evaluated)) value <- value + decide_together(joint, rows, evaluated)
  for (k in which(lengths(each$scaling) > 0L)) {
    value[, k] <- response_units(value[, k], each$scaling[[k]])
  }
  value
}

# The sum over kernels `which` by the core, for all models in one pass.
decide_together <- function(joint, rows, which) {
  each <- joint$each
  from_core(.Call(C_mk_predict_models, rows_handle(joint, rows, which),
                  each$theta[which, , drop = FALSE], c(0L, as.integer(each$alpha$end)),
                  match(each$alpha$at, joint$data$rows), as.double(each$alpha$few),
                  length(joint$data$rows), thread_count(joint$control)))
}
