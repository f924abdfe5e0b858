# Shows that a change of the code changes no number: about 200 small fits of every kind, their
# certificates, recomputed gaps and predictions, one digest each of the bytes of all their numbers.
# One thread and fixed seeds, so digests of one machine can be compared. Seconds, bytes and facts of
# files are left out.
# usage: Rscript dev/same-fits.R LIBRARY           prints the digests
#        Rscript dev/same-fits.R LIBRARY FILE      compares with the file; writes it if there is none
#        Rscript dev/same-fits.R LIBRARY LIBRARY   compares with the package in another library
#        Rscript dev/same-fits.R OLD NEW FROM..TO  the same, and if no number differs puts the commits from one
#                                                  to the other down in bench/same-fits, for `make stale`
# Names the fits that differ and ends with status 1 if there are any.

# ---- the data ------------------------------------------------------------------------------------

make_data <- function() {
  set.seed(51)
  normal <- function(n, d) matrix(rnorm(n * d), n, dimnames = list(NULL, paste0("v", seq_len(d))))
  x <- normal(90, 5)
  z <- normal(25, 5)
  score <- x[, 1]^2 + x[, 2] - 0.5 * x[, 3] + 0.4 * rnorm(90)
  letters4 <- function(n, size) {
    vapply(seq_len(n), function(i) paste(sample(c("A", "C", "G", "T"), size, TRUE), collapse = ""), "")
  }
  strings <- letters4(60, 30)
  plane <- normal(1300, 2)
  large <- normal(1200, 8)
  wide <- normal(40, 2500)
  bits <- matrix(as.double(rbinom(60 * 30, 1, 0.3)), 60, dimnames = list(NULL, paste0("b", 1:30)))
  sparse <- Matrix::rsparsematrix(80, 40, 0.15)
  colnames(sparse) <- paste0("s", 1:40)
  ring <- matrix(0, 5, 5, dimnames = list(colnames(x), colnames(x)))
  ring[cbind(1:5, c(2:5, 1))] <- 1
  factors <- data.frame(a = factor(sample(letters[1:4], 70, TRUE)), b = factor(sample(LETTERS[1:3], 70, TRUE)))
  list(
    x = x, z = z, y = factor(score > 0.7), r = score, y3 = cut(score, 3, labels = c("a", "b", "c")),
    weights = runif(90, 0.5, 2), outputs = cbind(u = score, v = x[, 4] + 0.1 * rnorm(90)),
    labels = cbind(u = score > 0.7, v = x[, 4] > 0),
    times = cbind(exp(score), exp(score + ifelse(runif(90) < 0.3, Inf, 0))),
    repeated = x[c(1:60, 1:30), ], pieces = round(x, 1),
    strings = strings, string_y = factor(grepl("ACG|TTG", strings)), new_strings = letters4(15, 30),
    plane = plane, plane_y = factor(plane[, 1]^2 + plane[, 2]^2 + 0.3 * rnorm(1300) > 1.2),
    large = large, large_y = factor(large[, 1] * large[, 2] + large[, 3] + 0.5 * rnorm(1200) > 0),
    wide = wide, wide_y = factor(rowSums(wide[, 1:20]) + rnorm(40) > 0), new_wide = normal(10, 2500),
    bits = bits, bits_y = factor(bits[, 1] + bits[, 2] > bits[, 3]),
    sparse = sparse, sparse_y = factor(as.vector(sparse[, 1] + sparse[, 2] + 0.2 * rnorm(80) > 0)),
    ring = ring + t(ring), factors = factors, factors_y = factor(factors$a %in% c("a", "b")),
    two_views = list(one = x[, 1:3], two = bits[rep(1:60, length.out = 90), 1:6])
  )
}

# ---- the fits ------------------------------------------------------------------------------------

# Kernels of every kind for numbers.
kernels_of_numbers <- function(d) {
  laplace <- function(X, Z) exp(-abs(outer(X[, 1], Z[, 1], `-`)))
  list(
    gaussian = gaussian_kernel(2^(-1:4)), one_gaussian = gaussian_kernel(3), linear = linear_kernel(),
    polynomial = polynomial_kernel(1:3), scaled_polynomial = polynomial_kernel(2, c(0.1, 1), 0),
    mixed = c(gaussian_kernel(c(1, 8)), linear_kernel(), polynomial_kernel(2)),
    each_linear = per_feature(linear_kernel()), each_gaussian = per_feature(gaussian_kernel(c(1, 4))),
    subsets = on_features(c(gaussian_kernel(c(1, 4)), polynomial_kernel(2)), list(c(1, 3), c(2, 3, 4), 5)),
    tanimoto = c(tanimoto_kernel(), gaussian_kernel(4)),
    functions = c(function_kernel(laplace, "laplace"), gaussian_kernel(c(2, 4))),
    local = locally_linear_kernel(c("gaussian", "exponential", "linear", "squared"), 0.2, anchors = 0.1 + d$x[1:4, ]),
    componentwise = locally_linear_kernel("gaussian", c(0.2, 1), componentwise = TRUE, anchors = 0.1 + d$x[1:3, ]),
    local_mixed = c(locally_linear_kernel("gaussian", 0.1, anchors = 0.1 + d$x[1:3, ]), gaussian_kernel(4),
                    polynomial_kernel(2)),
    diffusion = diffusion_kernel(d$ring, c(0.5, 1), nodes = "features"),
    everything = c(gaussian_kernel(c(1, 8)), polynomial_kernel(2), per_feature(linear_kernel()),
                   tanimoto_kernel(), per_feature(gaussian_kernel(2)), function_kernel(laplace, "laplace"),
                   locally_linear_kernel("exponential", 0.2, anchors = 0.1 + d$x[1:2, ]))
  )
}

quiet <- function(...) mkl_control(progress = FALSE, threads = 1, ...)

# Functions without arguments, by name.
make_cases <- function(d) {
  cases <- list()
  add <- function(name, run) cases[[name]] <<- run
  # A fit, its gap from the data, and predictions.
  seen <- function(fit, x, y, z) {
    list(fit, gap = duality_gap(fit, x, y), new = predict(fit, z, type = "decision"))
  }
  fits <- function(x, y, kernels, z, ..., tol = 1e-4, optimizer = "interleaved", precision = "auto") {
    force(list(x, y, kernels, z, tol, optimizer, precision))
    more <- list(...)
    function() {
      control <- quiet(tol = tol, optimizer = optimizer, precision = precision)
      fit <- do.call(mkl, c(list(x, y, kernels, control = control), more))
      seen(fit, x, y, z)
    }
  }
  numbers <- kernels_of_numbers(d)
  for (k in names(numbers)) {
    add(paste(k, "classes, p = 2"), fits(d$x, d$y, numbers[[k]], d$z))
    add(paste(k, "regression, p = 1"), fits(d$x, d$r, numbers[[k]], d$z, p = 1, C = 4))
    add(paste(k, "double, spherical, p = 4/3"),
        fits(d$x, d$y, numbers[[k]], d$z, p = 4 / 3, normalize = c("centre", "spherical"), precision = "double"))
    local({
      kernels <- numbers[[k]]
      add(paste(k, "matrix and alignment"), function() {
        list(kernel_matrix(kernels, d$x, d$z), kernel_matrix(kernels, d$x, normalize = "multiplicative"),
             if (length(kernels) > 1) kernel_alignment(kernels, d$x, d$y, centre = TRUE))
      })
    })
  }
  for (how in list("none", "trace", "multiplicative", "spherical", "centre", c("centre", "trace"))) {
    for (p in c(1, 2)) {
      add(paste0("normalize ", paste(how, collapse = "+"), ", p = ", p),
          fits(d$x, d$y, c(numbers$mixed, numbers$each_linear), d$z, p = p, normalize = how))
    }
    add(paste("normalize local", paste(how, collapse = "+")),
        fits(d$x, d$y, numbers$local[1:2], d$z, normalize = how))
  }
  for (loss in c("hinge", "squared_hinge", "logistic")) for (offset in c(TRUE, FALSE)) {
    add(paste("loss", loss, offset), fits(d$x, d$y, numbers$mixed, d$z, loss = loss, intercept = offset))
  }
  for (loss in list("squared", huber_loss(0.5), epsilon_loss(0.2), quantile_loss(0.3))) {
    for (offset in c(TRUE, FALSE)) {
      type <- if (is.list(loss)) loss$type else loss
      add(paste("loss", type, offset), fits(d$x, d$r, numbers$mixed, d$z, loss = loss, intercept = offset))
    }
  }
  add("one class", function() {
    fit <- mkl(d$x, kernels = gaussian_kernel(c(2, 8)), C = 0.1, control = quiet())
    list(fit, duality_gap(fit, d$x), predict(fit, d$z, type = "decision"))
  })
  add("quantiles", fits(d$x, d$r, numbers$gaussian, d$z, loss = quantile_loss(c(0.2, 0.8))))
  add("censored", function() {
    fit <- mkl(d$x, survival::Surv(d$times[, 1], is.finite(d$times[, 2])), numbers$gaussian, control = quiet())
    list(fit, predict(fit, d$z))
  })
  norms <- list(weighted = lp_norm(1.5, c(1, 2, 3, 4)), quadratic = quadratic_norm(diag(4) + 0.2),
                block = block_norm(2), block_4 = block_norm(4), elastic = elastic_net_norm(0.3),
                one = lp_norm(1), infinite = lp_norm(Inf))
  for (norm in names(norms)) {
    add(paste("norm", norm), fits(d$x, d$y, numbers$mixed, d$z, norm = norms[[norm]]))
    add(paste("norm", norm, "regression"), fits(d$x, d$r, numbers$mixed, d$z, norm = norms[[norm]], C = 8))
  }
  for (optimizer in c("wrapper", "newton", "cutting_plane", "level", "reduced_gradient")) {
    for (p in if (optimizer == "reduced_gradient") 1 else c(4 / 3, 2)) {
      add(paste0("optimizer ", optimizer, ", p = ", p),
          fits(d$x, d$y, numbers$mixed, d$z, p = p, optimizer = optimizer, normalize = "trace", tol = 1e-3))
    }
  }
  for (how in c("ovr", "ovo", "shared")) for (p in c(1, 2)) {
    add(paste0("classes ", how, ", p = ", p), fits(d$x, d$y3, numbers$mixed, d$z, multiclass = how, p = p))
  }
  add("weights", fits(d$x, d$y, numbers$mixed, d$z, weights = d$weights, class_weights = c("FALSE" = 1, "TRUE" = 3)))
  add("probability", function() {
    set.seed(1)
    fit <- mkl(d$x, d$y, numbers$mixed, control = quiet(probability = TRUE))
    list(fit, predict(fit, d$z, type = "prob"))
  })
  add("outputs", fits(d$x, d$outputs, numbers$mixed, d$z))
  add("labels", fits(d$x, d$labels, numbers$mixed, d$z))
  add("two views", fits(d$two_views, d$y, NULL, lapply(d$two_views, function(v) v[1:9, ])))
  add("tight", fits(d$x, d$y, numbers$mixed, d$z, C = 1e4, tol = 1e-8))
  add("interior point", fits(d$x, d$y, gaussian_kernel(2^(2:12)), d$z, C = 1e5, p = 1, tol = 1e-9))
  add("equal rows", fits(d$repeated, d$y, numbers$gaussian, d$z))
  add("few values", fits(d$pieces, d$y, numbers$each_gaussian, d$z))
  add("start", function() {
    first <- mkl(d$x, d$y, numbers$mixed, C = 1, control = quiet())
    seen(mkl(d$x, d$y, numbers$mixed, C = 2, control = quiet(start = first)), d$x, d$y, d$z)
  })
  # Precomputed kernels, in memory and in files.
  K <- kernel_matrix(numbers$mixed, d$x)
  D <- as.matrix(dist(d$x))
  for (p in c(1, 2)) {
    local({
      p <- p
      add(paste("precomputed, p =", p), function() {
        fit <- mkl(y = d$y, kernels = precomputed_kernel(K), p = p, control = quiet())
        list(fit, duality_gap(fit, precomputed_kernel(K), d$y), predict(fit, lapply(K, function(k) k[1:7, ]), type = "decision"))
      })
      for (precision in c("double", "single")) local({
        precision <- precision
        add(paste("file", precision, "p =", p), function() {
          files <- vapply(names(K), function(k) tempfile(fileext = ".kernel"), "")
          Map(write_kernel, K, files, precision)
          on.exit(unlink(files))
          fit <- suppressWarnings(mkl(y = d$y, kernels = precomputed_kernel(file = files), p = p, control = quiet()))
          list(fit, duality_gap(fit, precomputed_kernel(file = files), d$y))
        })
      })
    })
  }
  add("distances", function() mkl(y = d$y, kernels = gaussian_kernel(c(1, 4), distance = as.dist(D)), control = quiet()))
  add("scores", function() suppressWarnings(mkl(y = d$y, kernels = score_kernel(-D, "clip"), control = quiet())))
  add("low-rank matrix", function() {
    mkl(y = d$y, kernels = precomputed_kernel(list(a = tcrossprod(d$x[, 1:2]), b = tcrossprod(d$x[, 3]))),
        control = quiet())
  })
  add("graph", function() {
    A <- (D < stats::quantile(D, 0.1)) * 1
    diag(A) <- 0
    mkl(y = d$y, kernels = c(diffusion_kernel(A, 1), laplacian_kernel(A, 1), random_walk_kernel(A)), control = quiet())
  })
  strings <- list(
    spectrum = spectrum_kernel(1:3), presence = spectrum_kernel(3, presence = TRUE), mismatch = mismatch_kernel(3, 1),
    gapped = gapped_kernel("1001"), gappy_pair = gappy_pair_kernel(1, 2), motif = motif_kernel(c("A[CG]G", "T.C")),
    weighted_degree = weighted_degree_kernel(c(2, 4)), shifted = weighted_degree_kernel(3, shift = 2),
    all = c(spectrum_kernel(2:3), weighted_degree_kernel(3), mismatch_kernel(3, 1))
  )
  for (k in names(strings)) {
    add(paste("strings", k, "p = 2"), fits(d$strings, d$string_y, strings[[k]], d$new_strings))
    add(paste("strings", k, "p = 1"),
        fits(d$strings, d$string_y, strings[[k]], d$new_strings, p = 1, normalize = "spherical"))
  }
  # Sparse, binary and categorical data.
  for (k in c("gaussian", "linear", "polynomial", "each_linear", "mixed")) for (p in c(1, 2)) {
    add(paste0("sparse ", k, ", p = ", p),
        fits(d$sparse, d$sparse_y, numbers[[k]], d$sparse[1:9, ], p = p, scale = FALSE))
  }
  add("bits", fits(d$bits, d$bits_y, c(tanimoto_kernel(), linear_kernel(), gaussian_kernel(8)), d$bits[1:9, ]))
  add("factors", fits(d$factors, d$factors_y, per_feature(categorical_kernel(c(1, Inf))), d$factors[1:9, ]))
  # Few features, many rows, many columns.
  new_plane <- d$plane[1:50, ] + 0.01
  for (k in c("gaussian", "mixed", "each_linear", "polynomial", "each_gaussian", "tanimoto")) {
    add(paste("plane", k), fits(d$plane, d$plane_y, numbers[[k]], new_plane, tol = 1e-3))
  }
  add("plane regression", fits(d$plane, d$plane[, 1]^2, numbers$polynomial, new_plane, tol = 1e-3))
  add("plane shared", fits(d$plane, cut(d$plane[, 1], c(-9, -0.5, 0.5, 9)), numbers$gaussian, new_plane,
                           multiclass = "shared", tol = 1e-3))
  new_large <- d$large[1:50, ] + 0.01
  for (k in c("gaussian", "mixed", "each_linear")) for (p in c(1, 2)) {
    add(paste0("large ", k, ", p = ", p), fits(d$large, d$large_y, numbers[[k]], new_large, p = p, tol = 1e-3))
  }
  add("large double", fits(d$large, d$large_y, numbers$mixed, new_large, tol = 1e-3, precision = "double"))
  add("large cutting plane", fits(d$large[1:300, ], d$large_y[1:300], numbers$gaussian, new_large, tol = 1e-2,
                                  optimizer = "cutting_plane"))
  genes <- split(seq_len(2500), rep(1:50, each = 50))
  for (k in c("linear", "mixed", "gaussian", "each_linear", "tanimoto")) {
    add(paste("wide", k), fits(d$wide, d$wide_y, numbers[[k]], d$new_wide))
  }
  for (p in c(1, 2)) {
    add(paste("wide sets linear, p =", p),
        fits(d$wide, d$wide_y, on_features(linear_kernel(), genes), d$new_wide, p = p))
    add(paste("wide sets Gaussian, p =", p),
        fits(d$wide, d$wide_y, on_features(gaussian_kernel(c(50, 200)), genes), d$new_wide, p = p))
  }
  add("wide each linear, p = 1", fits(d$wide, d$wide_y, per_feature(linear_kernel()), d$new_wide, p = 1))
  # The other models.
  for (k in c("gaussian", "each_linear", "everything", "local")) local({
    kernels <- numbers[[k]]
    add(paste("gomp", k), function() {
      fit <- mkl_gomp(d$x, d$y, kernels, max_kernels = 3, control = quiet())
      list(fit, predict(fit, d$z, type = "decision"), duality_gap(fit, d$x, d$y))
    })
    add(paste("gomp regression", k), function() {
      fit <- mkl_gomp(d$x, d$r, kernels, max_kernels = 3, normalize = c("centre", "multiplicative"), control = quiet())
      list(fit, predict(fit, d$z))
    })
    add(paste("gomp folds", k), function() {
      fit <- mkl_gomp(d$x, d$y, kernels, lambda = c(0.1, 1), max_kernels = 3, folds = rep(1:3, 30), control = quiet())
      list(fit, fit$tuning)
    })
    add(paste("sequential", k), function() {
      seen(mkl_sequential(d$x, d$y, kernels, scale = FALSE, control = quiet(tol = 1e-4)), d$x, d$y, d$z)
    })
    add(paste("sequential regression", k), function() {
      mkl_sequential(d$x, d$r, kernels, normalize = "trace", scale = FALSE, control = quiet(tol = 1e-4))
    })
    add(paste("path", k), function() {
      path <- mkl_path(d$x, d$y, kernels, C = c(0.1, 10), p = if (k == "local") 1 else 2, tol = 0.05, control = quiet())
      list(path, predict(path, d$z, C = 1.5, type = "decision"))
    })
  })
  for (map in c("gaussian", "exponential", "linear", "squared")) local({
    map <- map
    for (componentwise in c(FALSE, TRUE)) local({
      componentwise <- componentwise
      add(paste("mllkm", map, componentwise), function() {
        seen(mllkm(d$x, d$y, map, c(0.1, 0.5), componentwise = componentwise, control = quiet()), d$x, d$y, d$z)
      })
    })
  })
  add("mllkm classes", function() seen(mllkm(d$x, d$y3, control = quiet()), d$x, d$y3, d$z))
  add("mllkm sdca", function() {
    set.seed(2)
    mllkm(d$x, d$y, intercept = FALSE, solver = "sdca", control = quiet())
  })
  add("mllkm sparse", function() mllkm(d$sparse, d$sparse_y, scale = FALSE, control = quiet()))
  add("path of p", function() mkl_path(d$x, d$r, numbers$mixed, C = 1, p = c(1, 2), tol = 0.05, control = quiet()))
  add("cv default", function() {
    set.seed(3)
    cv <- cv_mkl(d$x, d$y, control = quiet(probability = TRUE))
    list(cv$results, cv$predictions, cv$fit, cv$estimate)
  })
  add("assess and importance", function() {
    set.seed(3)
    fit <- mkl(d$x, d$y, control = quiet())
    list(assess(fit, d$z, factor(d$z[, 1] > 0), draws = 50), permutation_importance(fit, d$z, d$z[, 1] > 0, repeats = 3))
  })
  for (model in c("mkl", "mkl_gomp", "mllkm")) local({
    model <- model
    add(paste("cv", model), function() {
      set.seed(3)
      more <- if (model == "mkl") list(p = c(1, 2), C = c(0.5, 2)) else if (model == "mllkm") list(C = c(0.5, 2)) else
        list(lambda = c(0.01, 0.1))
      if (model != "mllkm") more$kernels <- numbers$mixed
      cv <- do.call(cv_mkl, c(list(d$x, d$y, folds = 3, model = model, control = quiet()), more))
      list(cv$results, cv$predictions, cv$fit)
    })
  })
  add("rademacher", function() {
    set.seed(4)
    lapply(numbers[c("mixed", "each_linear", "local", "tanimoto")], function(k) {
      empirical_rademacher(k, d$x, draws = 50, progress = FALSE)$value
    })
  })
  add("recovery", function() gomp_recovery(numbers$mixed, d$x, good = 1:2))
  cases
}

# ---- digests -------------------------------------------------------------------------------------

# All numbers of an object, in order; what depends on the clock or on memory is left out.
left_out <- c("seconds", "time", "bytes", "memory", "threads", "version", "call", "control", "file")
numbers_of <- function(x) {
  if (is.function(x) || is.environment(x) || is.language(x)) return(NULL)
  if (is.factor(x) || is.logical(x)) x <- as.integer(x)
  if (isS4(x)) return(numbers_of(lapply(stats::setNames(nm = methods::slotNames(x)), methods::slot, object = x)))
  if (is.numeric(x)) return(as.vector(unclass(x), "double"))
  if (!is.list(x)) return(NULL)
  if (inherits(x, "mkl_multiclass")) x <- replace(unclass(x), "models", list(x$models)) # whole models
  x <- unclass(x)
  keep <- if (is.null(names(x))) rep(TRUE, length(x)) else !names(x) %in% left_out
  unlist(lapply(x[keep], numbers_of), use.names = FALSE)
}

digest_of <- function(run) {
  value <- withCallingHandlers(
    tryCatch(numbers_of(run()), error = function(e) conditionMessage(e)),
    message = function(m) invokeRestart("muffleMessage"), warning = function(w) invokeRestart("muffleWarning")
  )
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(serialize(value, NULL, version = 2), file)
  note <- if (is.character(value)) paste("error:", gsub("\\s+", " ", value)) else paste(length(value), "numbers")
  c(digest = unname(tools::md5sum(file)), note = note)
}

# Fits with the package of a library; one line for each.
run_all <- function(library) {
  library(manykernels, lib.loc = library)
  options(manykernels.threads = 1)
  cases <- make_cases(make_data())
  out <- vapply(cases, digest_of, c(digest = "", note = ""))
  data.frame(digest = out["digest", ], name = names(cases), note = out["note", ], row.names = NULL)
}

read_digests <- function(file) utils::read.delim(file, colClasses = "character", quote = "")

# In a process of its own, since a process can load one copy of the package only.
digests_of <- function(library) {
  file <- tempfile()
  self <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(c(self, "--run", library, file)),
                    env = c("OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"))
  if (status != 0) stop("the fits with ", library, " did not end")
  read_digests(file)
}

write_digests <- function(digests, file) {
  utils::write.table(digests, file, sep = "\t", quote = FALSE, row.names = FALSE)
}

compare <- function(new, old) {
  both <- merge(new, old, by = "name", all = TRUE, suffixes = c("", ".old"), sort = FALSE)
  differ <- is.na(both$digest) | is.na(both$digest.old) | both$digest != both$digest.old
  cat(sprintf("differs: %s (%s; was %s)\n", both$name[differ], both$note[differ], both$note.old[differ]), sep = "")
  failed <- sum(startsWith(new$note, "error"))
  cat(sprintf("same-fits: %d of %d the same%s\n", sum(!differ), nrow(both),
              if (failed) sprintf(" (%d of them end in errors)", failed) else ""))
  any(differ)
}

# Puts commits that changed no number down.
record <- function(range, cases) {
  ends <- strsplit(range, "..", fixed = TRUE)[[1]]
  commit <- function(name) system2("git", c("rev-parse", "--short", name), stdout = TRUE)
  line <- sprintf("%s..%s %d fits, %s", commit(ends[1]), commit(ends[2]), cases, Sys.Date())
  cat(line, "\n", sep = "", file = "bench/same-fits", append = TRUE)
}

given <- commandArgs(trailingOnly = TRUE)
if (identical(given[1], "--run")) {
  write_digests(run_all(given[2]), given[3])
} else if (length(given) == 1) {
  write_digests(digests_of(given[1]), stdout())
} else if (length(given) == 3) {
  digests <- digests_of(given[2])
  differ <- compare(digests, digests_of(given[1]))
  if (!differ) record(given[3], nrow(digests))
  quit(status = differ)
} else if (length(given) == 2) {
  digests <- digests_of(given[1])
  if (dir.exists(given[2])) {
    quit(status = compare(digests, digests_of(given[2])))
  } else if (file.exists(given[2])) {
    quit(status = compare(digests, read_digests(given[2])))
  }
  write_digests(digests, given[2])
} else {
  stop("usage: Rscript dev/same-fits.R LIBRARY [FILE or LIBRARY]")
}
