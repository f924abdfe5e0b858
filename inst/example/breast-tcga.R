# The main job, on the data set that comes with the package: breast tumours seen by two omics views,
# three subtypes to tell apart, a test set of further tumours.
# usage: Rscript breast-tcga.R [folder for the plots]

library(manykernels)

folder <- c(commandArgs(trailingOnly = TRUE), file.path(tempdir(), "example-plots"))[1]
show_title <- function(text) cat("\n", text, "\n", strrep("-", nchar(text)), "\n", sep = "")

views <- breast_tcga$train[c("mirna", "mrna")] # the test set has no proteins
subtype <- breast_tcga$subtype_train
kernels <- default_kernels(views)

show_title("Kernels: a linear one and seven Gaussians for each view")
print(kernels)

show_title("Fit: each subtype against the others")
fit <- mkl(views, subtype, kernels = kernels, p = 4 / 3, C = 1)
print(fit)

show_title("Kernel weights: the share of each view in each classifier")
weights <- kernel_weights(fit)
shares <- xtabs(share ~ model + view, weights)
print(round(100 * shares, 1))

show_title("Test set: subtypes of tumours that the fit has not seen")
predicted <- predict(fit, breast_tcga$test)
print(table(truth = breast_tcga$subtype_test, predicted))
correct <- sum(predicted == breast_tcga$subtype_test)
cat(sprintf("\n%d of %d right\n", correct, length(predicted)))

dir.create(folder, showWarnings = FALSE, recursive = TRUE)
draw <- function(which, width, height) {
  file <- file.path(folder, paste0(which, ".png"))
  png(file, width = width, height = height, units = "in", res = 120)
  on.exit(dev.off())
  plot(fit, which = which)
  basename(file)
}
files <- c(draw("weights", 8, 4.5), draw("convergence", 8, 3.5), draw("margins", 8, 3.5))
cat("\nPlots ", paste(files, collapse = ", "), " are in the folder\n", normalizePath(folder), "\n",
    sep = "")
