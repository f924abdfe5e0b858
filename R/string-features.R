# Kernels of sequences with explicit features: how the core is to count them, the columns that it takes
# as linear kernels, and the weights of a fit's features, from which new sequences get their values.

has_features <- function(kernels) kernel_field(kernels, "type") %in% feature_types

# ---- what is counted -----------------------------------------------------------------------------

# letters: the alphabet, one string.
kmer_spec <- function(type, own, letters) {
  ends <- part_ends(own$part)
  list(
    masks = lapply(kmer_masks(type, own), function(mask) which(mask) - 1L),
    motifs = if (type == "motif") lapply(own$motifs, motif_sets, letters) else list(),
    mismatches = if (type == "mismatch") own$m else 0,
    complement = if (isTRUE(own$reverse_complement)) complement_of(letters),
    positional = isTRUE(own$position_specific), presence = isTRUE(own$presence),
    first = ends[1L], last = ends[2L]
  )
}

# Which letters of a window are read: logical vectors.
kmer_masks <- function(type, own) {
  switch(type,
    spectrum = , mismatch = list(rep(TRUE, own$k)),
    gapped = list(strsplit(own$pattern, "")[[1L]] == "1"),
    gappy_pair = lapply(0:own$m, function(gap) {
      c(rep(TRUE, own$k), logical(gap), rep(TRUE, own$k))
    }),
    motif = list()
  )
}

# Letters at the beginning and at the end; 0: all.
part_ends <- function(part) {
  size <- as.double(sub("^[a-z]+ ?", "", part))
  c(if (startsWith(part, "first")) size else 0, if (startsWith(part, "last")) size else 0)
}

complement_of <- function(letters) {
  own <- strsplit(letters, "")[[1L]]
  pairs <- if ("U" %in% own) c(A = "U", C = "G", G = "C", U = "A") else
    c(A = "T", C = "G", G = "C", T = "A")
  if (!setequal(own, names(pairs))) {
    mk_abort(sprintf("`reverse_complement` is for DNA and RNA, not for the alphabet %s.",
                     dQuote(letters, FALSE)), "invalid_argument", "reverse_complement", letters)
  }
  as.raw(match(pairs[own], own) - 1L)
}

# A logical matrix, letters by places of the motif.
motif_sets <- function(motif, letters) {
  known <- strsplit(letters, "")[[1L]]
  places <- regmatches(motif, gregexpr("\\[[^]]*\\]|.", motif))[[1L]]
  read <- strsplit(gsub("[][^]", "", places), "")
  foreign <- setdiff(unlist(read), c(known, "."))
  if (length(foreign)) {
    mk_abort(sprintf("Motif %s has letters that the alphabet %s has not: %s.", dQuote(motif, FALSE),
                     dQuote(letters, FALSE), enumerate(foreign)), "invalid_argument", "motifs", motif)
  }
  vapply(seq_along(places), function(i) {
    inside <- known %in% read[[i]]
    if (places[i] == ".") rep(TRUE, length(known)) else if (startsWith(places[i], "[^")) !inside else
      inside
  }, logical(length(known)))
}

# Keys of the core are whole numbers of doubles.
check_keys <- function(name, spec, letters, longest) {
  if (length(spec$masks) == 0L) return(invisible())
  positions <- if (spec$positional) max(longest, 1) else 1
  k <- length(spec$masks[[1L]])
  most <- floor(log(2^53 / length(spec$masks) / positions, nchar(letters)) + 1e-9)
  if (k <= most) return(invisible())
  mk_abort(sprintf(paste(
    "Kernel `%s` reads %d letters at once; for %d letters of the alphabet%s it can be %d at most.",
    "Longer matches are for weighted_degree_kernel()."
  ), name, k, nchar(letters), if (positions > 1) sprintf(" and %d positions", positions) else "",
  most), "too_long", "kernels", k)
}

# ---- an index of what a view has -----------------------------------------------------------------

# For each kernel: its alphabet, what is counted, and the keys of all that occurs. Kernels that differ in
# parts and presence share keys. sequences: of a view, as the core reads them, by alphabet.
string_index <- function(kernels, view) {
  own <- kernel_field(kernels, "parameters")
  letters <- vapply(own, `[[`, "", "alphabet")
  specs <- Map(kmer_spec, kernel_field(kernels, "type"), own, letters)
  Map(check_keys, names(kernels), specs, letters, max(sequence_lengths(view), 0))
  sequences <- encode_by(unique(letters), view)
  shared <- vapply(specs, function(spec) {
    text_key(spec[c("masks", "motifs", "mismatches", "complement", "positional")])
  }, "")
  group <- match(paste(letters, shared), unique(paste(letters, shared)))
  keys <- lapply(split(seq_along(specs), group), function(mine) {
    union_keys(specs[mine], sequences[[letters[mine[1L]]]])
  })
  list(letters = letters, specs = unname(specs), group = group, keys = unname(keys),
       sequences = sequences)
}

encode_by <- function(letters, view) {
  lapply(stats::setNames(nm = letters), function(own) core_sequences(view, own))
}

text_key <- function(x) paste(deparse(x, control = "digits17"), collapse = "")

union_keys <- function(specs, sequences) {
  if (length(specs[[1L]]$motifs)) return(seq_along(specs[[1L]]$motifs) - 1)
  parts <- !duplicated(lapply(specs, `[`, c("first", "last")))
  found <- lapply(specs[parts], function(spec) {
    from_core(.Call(C_mk_kmer_keys, sequences, spec))
  })
  sort(unique(unlist(found)))
}

# Names of features: letters where they are read, points elsewhere, and the position.
feature_names <- function(type, own, keys) {
  if (type == "motif") return(own$motifs[keys + 1])
  letters <- strsplit(own$alphabet, "")[[1L]]
  masks <- kmer_masks(type, own)
  k <- sum(masks[[1L]])
  code <- keys %% length(letters)^k
  prefix <- (keys - code) / length(letters)^k
  digits <- matrix("", length(keys), k)
  for (place in rev(seq_len(k))) {
    digit <- code %% length(letters)
    digits[, place] <- letters[digit + 1]
    code <- (code - digit) / length(letters)
  }
  which <- prefix %% length(masks) + 1
  text <- character(length(keys))
  for (m in seq_along(masks)) {
    mine <- which == m
    shown <- matrix(".", sum(mine), length(masks[[m]]))
    shown[, masks[[m]]] <- digits[mine, ]
    text[mine] <- do.call(paste0, asplit(shown, 2L))
  }
  if (isTRUE(own$position_specific)) paste0(text, "@", prefix %/% length(masks) + 1) else text
}

# ---- columns -------------------------------------------------------------------------------------

# Kernels whose rows are divided by their length when they are made; others are centred before, which
# is for the core to do.
has_unit_rows <- function(kernels, codes) {
  has_features(kernels) & (if (is.null(codes)) FALSE else is_spherical(codes) & !codes$centre)
}

# Views and kernels as the core reads them: kernels that have features read sparse views of their own,
# which those that count the same share.
with_feature_views <- function(kernels, views, unit) {
  views <- plain_views(views)
  view <- kernel_field(kernels, "view")
  for (name in unique(view[has_features(kernels)])) {
    mine <- which(kernel_field(kernels, "view") == name & has_features(kernels))
    made <- feature_views(pick_kernels(kernels, mine), views[[name]], unit[mine])
    names <- paste("features", length(views) + seq_along(made$views))
    view[mine] <- names[made$of]
    views <- c(views, stats::setNames(made$views, names))
  }
  list(views = views, kernels = modify_kernels(kernels, view = view))
}

# Counts of each kernel; that of kernel m is number of[m].
feature_views <- function(kernels, view, unit) {
  index <- string_index(kernels, view)
  key <- paste(index$group, unit, vapply(index$specs, text_key, ""))
  views <- lapply(which(!duplicated(key)), function(m) {
    count_columns(index$sequences[[index$letters[m]]], index$specs[[m]],
                  index$keys[[index$group[m]]], unit[m])
  })
  list(views = views, of = match(key, unique(key)))
}

# A sparse matrix as its parts, with one column at least.
count_columns <- function(sequences, spec, keys, unit) {
  n <- length(sequences$start) - 1L
  parts <- from_core(.Call(C_mk_kmer_columns, sequences, spec, keys))
  if (unit) {
    length <- inverse_roots(from_core(.Call(C_mk_kmer_scores, sequences, spec, keys,
                                            matrix(0, length(keys), 0L)))$square)
    parts$x <- parts$x * length[parts$i + 1L]
  }
  if (length(keys) == 0L) parts$p <- c(0L, 0L)
  c(list(dim = c(n, length(parts$p) - 1L)), parts)
}

# 1 over lengths; 0 for rows of zeros, which stay that. raw: squares before the mean was subtracted.
inverse_roots <- function(square, raw = square) {
  ifelse(square > 1e-12 * raw, 1 / sqrt(square), 0)
}

# ---- weights of a fit ----------------------------------------------------------------------------

# sum_m theta_m sum_j alpha_j k_m(x_j, z) over these kernels is sum_m (<w_m, z> - shift_m) r_m(z): r is 1
# or, under spherical scaling, one over the length of z. A list for each kernel; keys of no weight are
# left out.
string_parts <- function(kernels, views, alpha, size, codes) {
  view <- kernel_field(kernels, "view")
  parts <- vector("list", length(kernels))
  for (name in unique(view)) {
    mine <- which(view == name)
    own <- pick_kernels(kernels, mine)
    index <- string_index(own, views[[name]])
    parts[mine] <- lapply(seq_along(mine), function(m) {
      sequences <- index$sequences[[index$letters[m]]]
      weights <- feature_weights(sequences, index$specs[[m]], index$keys[[index$group[m]]], alpha,
                                 codes$centre[mine[m]], is_spherical(codes)[mine[m]])
      weights$weights <- weights$weights * size[mine[m]]
      weights$shift <- weights$shift * size[mine[m]]
      c(list(kernel = names(own)[m], view = name, letters = index$letters[m],
             spec = index$specs[[m]]), weights)
    })
  }
  parts
}

feature_weights <- function(sequences, spec, keys, alpha, centred, spherical) {
  sums <- function(weight) from_core(.Call(C_mk_kmer_sums, sequences, spec, keys, weight))
  n <- length(alpha)
  means <- if (centred) sums(rep(1 / n, n)) else numeric(length(keys))
  if (spherical) {
    found <- from_core(.Call(C_mk_kmer_scores, sequences, spec, keys, matrix(means)))
    alpha <- alpha * row_lengths(found$square, found$scores[, 1L], sum(means^2))
  }
  weights <- sums(alpha) - if (centred) sum(alpha) * means else 0
  kept <- which(weights != 0 | (spherical & means != 0))
  list(keys = keys[kept], weights = weights[kept], shift = sum(weights * means),
       means = if (spherical) means[kept], square = sum(means^2))
}

# One over the lengths of rows without their means: from their squares, their products with the means,
# and the square of these.
row_lengths <- function(square, product, means) inverse_roots(square - 2 * product + means, square)

# Values of new sequences.
decide_strings <- function(parts, views) {
  value <- 0
  encoded <- list()
  for (part in parts) {
    place <- paste(part$view, part$letters)
    encoded[[place]] <- encoded[[place]] %||% core_sequences(views[[part$view]], part$letters)
    value <- value + string_scores(encoded[[place]], part)
  }
  value
}

string_scores <- function(sequences, part) {
  found <- from_core(.Call(C_mk_kmer_scores, sequences, part$spec, part$keys,
                           cbind(part$weights, part$means)))
  value <- found$scores[, 1L] - part$shift
  if (is.null(part$means)) return(value)
  value * row_lengths(found$square, found$scores[, 2L], part$square)
}
