# The importance of positions of sequences, which plot(fit, "profile") draws.

# For kernels with positions, the squared norm of a fit's function, alpha'K_theta alpha, is a sum over the
# positions at which matches begin. A position's part is the weighted difference of the decision value that it
# adds between the support vectors of both classes: it is large where letters separate classes. value: parts
# as shares of all positions, by model. Kernels with mismatches have no such parts and are left out.
position_profile <- function(object) {
  models <- models_of(object)
  rows <- Map(function(model, name) {
    parts <- model_profile(model)
    if (length(parts)) cbind(model = name, parts)
  }, models, names(models) %||% "")
  do.call(rbind, unname(rows))
}

# A data frame with view, position and value, or NULL.
model_profile <- function(model) {
  kernels <- model$kernels
  mine <- which(model$theta > 0 & kernel_field(kernels, "type") %in% names(profile_parts))
  parts <- lapply(mine, function(m) profile_parts[[kernels[[m]]$type]](model, m))
  view <- rep(kernel_field(kernels, "view")[mine], lengths(parts))
  position <- unlist(lapply(lengths(parts), seq_len))
  if (!length(position)) return(NULL)
  value <- unlist(parts)
  out <- stats::aggregate(list(value = value / sum(value)), list(position = position, view = view), sum)
  out[c("view", "position", "value")]
}

# theta alpha'K alpha of kernel m by position, K normalised but not centred.
degree_profile <- function(model, m) {
  kernel <- model$kernels[[m]]
  if (isTRUE(kernel$parameters$mismatch > 0L)) return(numeric())
  rows <- model$data$rows
  alpha <- model$alpha[rows]
  pointer <- core_matches(kernel, model$data$views)
  if (is_spherical(model$constants)[m]) {
    self <- from_core(.Call(C_mk_degree_profile, pointer, NULL, thread_count(model$control)))
    alpha <- alpha / sqrt(centre_diagonal(self, model$constants, m,
                                          model$constants$centre_list[[m]][rows]))
  }
  parts <- from_core(.Call(C_mk_degree_profile, pointer, as.double(alpha),
                           thread_count(model$control)))
  model$theta[[m]] * model$constants$scale[m] * parts
}

# Profile of kernels with words at positions: the squared weights of the words.
word_profile <- function(model, m) {
  if (!isTRUE(model$kernels[[m]]$parameters$position_specific)) return(numeric())
  if (!m %in% word_kernels_of(model)) return(numeric())
  weights <- word_weights(model, m)
  at <- as.integer(sub(":.*", "", names(weights)))
  squares <- weights^2 / (model$theta[[m]] * model$constants$scale[m])
  vapply(seq_len(max(at, 0L)), function(position) sum(squares[at == position]), 0)
}

# Profile functions by type of kernel, each of a fit and a kernel's number.
profile_parts <- list(weighted_degree = degree_profile, distance_spectrum = degree_profile,
                      spectrum = word_profile, gapped = word_profile, gappy_pair = word_profile)
