# Transcription starts in the manner of Kloft et al. (2011, section 6.3): five kernels, of which the
# paper found three to be highly and two moderately informative: the signal at the start (weighted
# degree with shifts), the promoter before it and the first exon behind it (spectra), and two
# properties of the double helix at each step between neighbouring bases (linear kernels): twist angle
# and stacking energy. Areas under the ROC curve against the size of the training set for five norms,
# with the kernels' weights and alignments. Other data than the paper's: windows of 251 bases, mouse
# and Arabidopsis, one to two negatives for each start; C is chosen on a validation set.
# usage: Rscript bench/tss.R [n=125,250,500,1000] [repeats=10,8,5,3] [held=1500] [p=1,4/3,2,4,Inf]
#   [C=2^-2 .. as numbers] [figure=bench/results/tss.png]

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(n = c(125, 250, 500, 1000), repeats = c(10, 8, 5, 3), held = 1500,
                            p = c(1, 4 / 3, 2, 4, Inf), C = c(0.25, 1, 4, 16),
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
