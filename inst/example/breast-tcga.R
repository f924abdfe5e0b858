# The main job, on the data set that comes with the package: breast tumours seen by two omics views,
# three subtypes to tell apart, a test set of further tumours.
# usage: Rscript breast-tcga.R [folder for the plots]

library(manykernels)

folder <- c(commandArgs(trailingOnly = TRUE), file.path(tempdir(), "example-plots"))[1]
show_title <- function(text) cat("\n", text, "\n", strrep("-", nchar(text)), "\n", sep = "")

views <- breast_tcga$train[c("mirna", "mrna")] # the test set has no proteins
subtype <- breast_tcga$subtype_train

# Chooses the settings by cross-validation; each subtype against the others, a linear kernel and Gaussians for
# each view.
set.seed(1)
cv <- cv_mkl(views, subtype)

show_title("How accurate the chosen fit is on tumours that it has not seen")
test <- assess(cv, breast_tcga$test, breast_tcga$subtype_test)
print(test)
cat("\n")
print(test$confusion)

show_title("Which view the predictions need")
print(permutation_importance(cv, breast_tcga$test, breast_tcga$subtype_test))

show_title("Shares of the fitted function: each view in each classifier, per cent")
print(round(100 * xtabs(share ~ model + view, kernel_weights(cv)), 1))

show_title("The choice")
print(cv)

show_title("The fit to all training tumours")
print(cv$fit)

dir.create(folder, showWarnings = FALSE, recursive = TRUE)
draw <- function(which, width, height) {
  file <- file.path(folder, paste0(which, ".png"))
  png(file, width = width, height = height, units = "in", res = 80)
  on.exit(dev.off())
  plot(cv$fit, which = which)
  basename(file)
}
files <- c(draw("weights", 8, 4.5), draw("convergence", 8, 3.5), draw("margins", 8, 3.5))
cat("\nPlots ", paste(files, collapse = ", "), " are in the folder\n", normalizePath(folder), "\n",
    sep = "")
