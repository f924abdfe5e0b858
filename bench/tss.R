# Transcription starts in the manner of Kloft et al. (2011, section 6.3): five kernels, of which the
# paper found three to be highly and two moderately informative: the signal at the start (weighted
# degree with shifts), the promoter before it and the first exon behind it (spectra), and two
# properties of the double helix at each step between neighbouring bases (linear kernels): twist angle
# and stacking energy. Areas under the ROC curve against the size of the training set for five norms,
# with the kernels' weights and alignments. Other data than the paper's: windows of 251 bases, mouse
# and Arabidopsis, one to two negatives for each start; C is chosen on a validation set.
# The paper's training sets go up to 60,000 windows of 2,001 bases, 17 times our data.
# usage: Rscript bench/tss.R [n=125,250,500,1000] [repeats=8,6,4,3] [held=1000] [p=1,4/3,2,4,Inf]
#   [C=0.25,1,4] [species=mouse,arabidopsis] [figure=bench/results/tss.png]
# stale after: model strings

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(n = c(125, 250, 500, 1000), repeats = c(8, 6, 4, 3), held = 1000,
                            p = c(1, 4 / 3, 2, 4, Inf), C = c(0.25, 1, 4),
                            species = c("mouse", "arabidopsis"), figure = "bench/results/tss.png")

# ---- views ---------------------------------------------------------------------------------------

# Of the step from one base to the next: twist in degrees (Olson et al. 1998, protein-DNA crystals)
# and free energy of the stacked pair in kcal/mol (SantaLucia 1998). A step read along the other
# strand is the same step.
steps <- c("AA", "AC", "AG", "AT", "CA", "CC", "CG", "GA", "GC", "TA")
twist <- c(35.1, 31.5, 31.9, 29.3, 37.3, 32.9, 36.1, 36.3, 33.6, 37.8)
energy <- -c(1.00, 1.44, 1.28, 0.88, 1.45, 1.84, 2.17, 1.30, 2.24, 0.58)

other_strand <- function(step) {
  letters <- strsplit(chartr("ACGT", "TGCA", step), "")
  vapply(letters, function(two) paste(rev(two), collapse = ""), "")
}

# A row for each sequence, means over windows of `width` steps; unknown steps count as the mean.
step_profile <- function(x, values, width = 11) {
  known <- c(stats::setNames(values, steps), stats::setNames(values, other_strand(steps)))
  bases <- do.call(rbind, strsplit(x, ""))
  last <- ncol(bases)
  profile <- matrix(known[paste0(bases[, -last], bases[, -1])], nrow(bases))
  profile[is.na(profile)] <- mean(values)
  smooth <- apply(profile, 1, stats::filter, rep(1 / width, width))
  t(smooth[(width + 1) / 2 + seq(0, last - 1 - width, by = 3), ])
}

# The transcript begins at base 201.
views_of <- function(x) {
  list(signal = substr(x, 131, 251), promoter = substr(x, 1, 200), exon = substr(x, 201, 251),
       angles = step_profile(x, twist), energies = step_profile(x, energy))
}

kernels <- c(on_view(weighted_degree_kernel(degree = 10, shift = 8), "signal"),
             on_view(spectrum_kernel(4), "promoter"), on_view(spectrum_kernel(4), "exon"),
             on_view(linear_kernel(), c("angles", "energies")))
kernel_names <- c("signal", "promoter", "exon", "angles", "energies")

# ---- fits ----------------------------------------------------------------------------------------

fit_rows <- function(data, rows, p, C, kernels) {
  quiet(mkl(pick_views(data$x, rows), data$y[rows], kernels, p = p, C = C, normalize = "spherical",
            control = bench_control()))
}

pick_views <- function(x, rows) lapply(x, function(view) {
  if (is.matrix(view)) view[rows, , drop = FALSE] else view[rows]
})

area <- function(fit, data, rows) {
  decision <- predict(fit, pick_views(data$x, rows), type = "decision")
  ranking_measures(decision, data$y[rows])[["auROC"]]
}

# The fit of the C that is best on the validation rows: its area on the test rows, weights, C.
tuned_run <- function(data, parts, p, kernels) {
  fits <- lapply(settings$C, function(C) fit_rows(data, parts$train, p, C, kernels))
  scores <- vapply(fits, area, 0, data, parts$validation)
  fit <- fits[[which.max(scores)]]
  list(area = area(fit, data, parts$test), theta = fit$theta, C = fit$C, gap = max(fit$gap))
}

# Validation and test rows are the same for all; training sets of one size are disjoint while the
# pool lasts.
draw_parts <- function(data, n, k) {
  set.seed(1)
  order <- sample(length(data$y))
  held <- settings$held
  pool <- order[-seq_len(2 * held)]
  from <- (k - 1) * n
  train <- if (from + n <= length(pool)) pool[from + seq_len(n)] else {
    set.seed(k)
    sample(pool, n)
  }
  list(train = train, validation = order[seq_len(held)], test = order[held + seq_len(held)])
}

# Columns are repeats, rows are ways: norms first, then single kernels.
run_size <- function(data, n, repeats) {
  ways <- c(lapply(settings$p, function(p) list(p = p, kernels = kernels)),
            lapply(seq_along(kernels), function(m) list(p = Inf, kernels = kernels[m])))
  lapply(seq_len(repeats), function(k) {
    parts <- draw_parts(data, n, k)
    lapply(ways, function(way) tuned_run(data, parts, way$p, way$kernels))
  })
}

read_data <- function(species) {
  data <- read_promoters(species)
  list(x = views_of(data$x), y = data$y)
}

# ---- what came out -------------------------------------------------------------------------------

norm_names <- paste("p =", round(settings$p, 2))
way_names <- c(norm_names, paste(kernel_names, "alone"))

# ways x repeats
areas_of <- function(runs) {
  vapply(runs, function(run) vapply(run, `[[`, 0, "area"), 0 * seq_along(way_names))
}

# kernels x norms: means over repeats, scaled to sum 1
weights_of <- function(runs) {
  weights <- vapply(runs, function(run) {
    vapply(run[seq_along(settings$p)], function(one) one$theta / sum(one$theta),
           0 * seq_along(kernels))
  }, matrix(0, length(kernels), length(settings$p)))
  apply(weights, 1:2, mean)
}

show_species <- function(species, all, data) {
  areas <- lapply(all, areas_of)
  cells <- lapply(areas, function(a) apply(100 * a, 1, mean_text, digits = 2))
  table <- data.frame(way_names, cells)
  names(table) <- c("area under ROC, percent", paste("n =", settings$n))
  section(sprintf("Starts of transcripts, %s", species), sprintf(paste(
    "%d test windows, C of %s by %d others; repeats %s; mean and standard error over training sets.",
    "Largest gap of a fit %s."
  ), settings$held, paste(settings$C, collapse = ", "), settings$held,
  paste(settings$repeats, collapse = ", "),
  format(max(vapply(unlist(unlist(all, FALSE), FALSE), `[[`, 0, "gap")), digits = 2)), table)
  weights <- weights_of(all[[length(all)]])
  section(sprintf("Weights of the kernels, %s, n = %d", species, utils::tail(settings$n, 1)), "",
          data.frame(kernel = kernel_names, stats::setNames(data.frame(format(round(weights, 3))),
                                                            norm_names), check.names = FALSE))
  alignment <- align_views(data)
  section(sprintf("Alignments of the kernels, %s", species), sprintf(paste(
    "Plain, of spherically normalised kernels on %d training windows; the last column is the",
    "alignment with the classes."), utils::tail(settings$n, 1)), alignment)
  list(areas = areas, weights = weights)
}

align_views <- function(data) {
  rows <- draw_parts(data, utils::tail(settings$n, 1), 1)$train
  found <- kernel_alignment(kernels, pick_views(data$x, rows), data$y[rows],
                            normalize = "spherical", scale = TRUE)
  values <- format(round(cbind(unclass(found)[, seq_along(kernel_names)],
                               attr(found, "response")), 2))
  data.frame(kernel = kernel_names,
             matrix(values, length(kernel_names), dimnames = list(NULL, c(kernel_names, "classes"))),
             check.names = FALSE)
}

# What the paper found (its section 6.3; areas of single kernels at n = 2000), and what is here.
compare_paper <- function(shown) {
  paper <- c(signal = 89, promoter = 86, exon = 84, angles = 55, energies = 74)
  single <- vapply(shown, function(one) {
    rowMeans(utils::tail(one$areas, 1)[[1]])[length(settings$p) + seq_along(kernel_names)]
  }, 0 * paper)
  section("Single kernels beside the paper's", sprintf(
    "Percent; the paper's at n = 2000, here at n = %d.", utils::tail(settings$n, 1)
  ), data.frame(kernel = kernel_names, paper = paper, round(100 * single, 1), row.names = NULL))
  claims <- vapply(shown, function(one) {
    mean <- vapply(one$areas, function(a) rowMeans(a)[seq_along(settings$p)], 0 * settings$p)
    sum <- mean[nrow(mean), ]
    between <- apply(mean[-c(1, nrow(mean)), , drop = FALSE], 2, max)
    c(format(sum(mean[1, ] < sum)), format(sum(between > sum)),
      paste(norm_names[apply(mean, 2, which.max)], collapse = ", "))
  }, character(3))
  section("What the paper says, and what is found here", "", data.frame(
    `the paper` = c("p = 1 is worse than the plain sum at every n",
                    "some 1 < p < Inf is better than the plain sum up to n = 20,000",
                    "p = 2 is best"),
    claims, check.names = FALSE, row.names = NULL
  ))
  cat(sprintf("Numbers are sizes (of %d) at which the sentence holds for the means; the last row names the best p by n.\n\n",
              length(settings$n)))
}

# ---- the figure ----------------------------------------------------------------------------------

colours <- c("#D55E00", "#E69F00", "#009E73", "#0072B2", "#000000")

draw_areas <- function(shown, title) {
  of <- function(f) 100 * vapply(shown$areas, function(a) {
    apply(a[seq_along(settings$p), , drop = FALSE], 1, f)
  }, 0 * settings$p)
  mean <- of(mean)
  error <- of(function(v) stats::sd(v) / sqrt(length(v)))
  graphics::matplot(settings$n, t(mean), type = "b", log = "x", lty = 1, pch = seq_along(settings$p),
                    col = colours, xlab = "training windows", ylab = "area under ROC, percent",
                    main = title, ylim = range(mean - error, mean + error))
  graphics::segments(rep(settings$n, each = nrow(mean)), mean - error, y1 = mean + error,
                     col = rep(colours, length(settings$n)))
  graphics::legend("bottomright", norm_names, col = colours, pch = seq_along(settings$p), lty = 1,
                   bty = "n")
}

draw_weights <- function(shown) {
  graphics::barplot(t(shown$weights), beside = TRUE, names.arg = kernel_names, col = colours,
                    ylab = "share of the weights", cex.names = 0.9)
}

draw_figure <- function(shown, file) {
  dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
  grDevices::png(file, 1000, 420 * length(shown), res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(length(shown), 2), mar = c(4.2, 4.2, 2.2, 0.8), las = 1,
                mgp = c(2.6, 0.6, 0))
  for (species in names(shown)) {
    draw_areas(shown[[species]], species)
    draw_weights(shown[[species]])
  }
}

shown <- lapply(stats::setNames(nm = settings$species), function(species) {
  data <- read_data(species)
  show_species(species, Map(function(n, repeats) run_size(data, n, repeats), settings$n,
                            rep_len(settings$repeats, length(settings$n))), data)
})
compare_paper(shown)
draw_figure(shown, settings$figure)
cat(sprintf("Figure: [%s](%s)\n\n", basename(settings$figure), basename(settings$figure)))
