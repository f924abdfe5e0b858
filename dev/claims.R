# What the texts claim in words about the package, line by line: where, the words as they stand there,
# and a condition over bench/results that must hold. `make stale` (dev/stale.R) evaluates them, and lists
# comparative sentences of README, DESCRIPTION, NEWS, help and vignettes that no line covers. Sentences
# whose comparison is computed (inline code, generated blocks) need no line.

# ---- conditions ----------------------------------------------------------------------------------

locally_linear <- function(set, column, program) {
  table <- results_table("locally-linear", paste("Locally linear models:", set))
  row_of(table, "program", program)[[column]]
}

vectors <- function(set, program) as.numeric(sub(" .*", "", locally_linear(set, "size", program)))

# 225 models of a set, in parts of the time of the same fits one by one.
grid_price <- function(set) {
  bars <- results_table("selection", "Bars")
  work <- sprintf("225 models on %s against one by one", set)
  as.numeric(sub("x.*", "", row_of(bars, "work", work)$measured))
}

# ---- claims --------------------------------------------------------------------------------------

claim("vignettes/articles/locally-linear.Rmd", "Fast prediction with locally linear models",
      all(vapply(c("a9a", "digits"), function(set) {
        locally_linear(set, "median", "mkl, mllkm") < locally_linear(set, "median", "mkl, Gaussian")
      }, NA)))
claim("vignettes/articles/locally-linear.Rmd", "There are often thousands of them",
      mean(results_table("growth", "Growth with rows")[["support vectors"]] > 2000) > 0.5)
claim("vignettes/articles/locally-linear.Rmd",
      "An equally accurate support vector machine with Gaussian kernels has many more vectors",
      vectors("a9a", "mkl, Gaussian") > 10 * vectors("a9a", "mkl, mllkm"))
claim("vignettes/articles/choosing.Rmd", "The more columns there are, the more this saves.",
      max(grid_price("TCGA, four views"), grid_price("TCGA, breast_tcga")) <
        min(grid_price("ionosphere"), grid_price("sonar"), grid_price("wdbc")))
claim("R/measures.R", "Whether a choice by it alone makes fewer errors differs from data to data.",
      {
        sets <- results_table("selection-accuracy", "What choosing")
        change <- (sets[["fixed grid"]] - sets[["by best mean"]])[!is.na(sets[["e1071, tuned"]])]
        any(change < 0) && any(change > 0)
      })
claim("vignettes/articles/sequences.Rmd",
      "The plain spectra of short windows hold little but a constant part, which a small p leaves out.",
      {
        alignments <- results_table("tss", "Alignments of the kernels, mouse")
        weights <- results_table("tss", "Weights of the kernels, mouse")
        spectra <- c("promoter", "exon")
        all(alignments$signal[match(spectra, alignments$kernel)] > 0.8,
            alignments$classes[match(spectra, alignments$kernel)] < 0.1,
            weights[["p = 1"]][match(spectra, weights$kernel)] < 0.05)
      })

claim("R/mkl.R", "with a smaller `tol`",
      with(results_table("accuracy", "Accuracy"),
           median[program == "gap 1e-5"] > median[program == "gap 1e-3"]))
claim("R/mkl.R", "grows with the number of support vectors",
      with(results_table("growth", "Growth with rows"), cor(log(time), log(`support vectors`)) > 0.9))

claim("vignettes/articles/reproducing.Rmd",
      "Differences between these ways are smaller than those between receptors",
      {
        # standard errors over receptors: of the area, and of its difference from the best single kernel
        rows <- strsplit(grep("+-", results_section("edges", "Local models"), fixed = TRUE, value = TRUE), "+- ",
                         fixed = TRUE)
        spread <- function(k) as.numeric(sub(" .*", "", vapply(rows, `[`, "", k)))
        all(spread(3) < spread(2))
      })

# ---- words that claim nothing about the package --------------------------------------------------

allowed("best partly by chance", "a fact of statistics: the largest of many noisy means")
allowed("how much worse", "names what a function computes")
allowed("class is rare", "of the user's data")
allowed("less than half of the largest class", "defines a rare class")
allowed("share of the largest class", "names what is printed")
allowed("where larger is better", "says in which direction a measure counts")
allowed("if larger is better, else", "says in which direction a measure counts")
allowed("are better when smaller", "says in which direction a measure counts")
allowed("Larger values are better", "says in which direction a measure counts")
allowed("whether larger values of it are better", "says in which direction a measure counts")
allowed("which p is best?", "a question")
allowed("a level slightly better than its present value", "defines the level method's step")
allowed("root mean square of the", "the name of a mean")
allowed("is better by more than the gap", "what a certificate proves")
allowed("found that p = 1 is worse than the plain sum at every size, that 1 < p < Inf is better",
        "of the paper")
allowed("and that p = 2 is best", "of the paper")
allowed("sparse weights are best only if the truth is sparse", "a theorem, shown above it")
