#' Breast cancer subtypes from three omics views
#'
#' MicroRNA expression, gene expression and protein abundance of breast tumours of The Cancer Genome
#' Atlas, with the intrinsic subtype to predict. This is the example data set of the mixOmics package
#' (`breast.TCGA`), a selection of features and samples prepared there.
#'
#' @format A list with four elements:
#' \describe{
#'   \item{train}{list of three numeric matrices with the same 150 samples in rows: `mirna`
#'     (184 microRNAs), `mrna` (200 genes) and `protein` (142 proteins).}
#'   \item{test}{list of two numeric matrices with 70 further samples in rows, `mirna` and `mrna`,
#'     with the columns of the training views; proteins were not measured.}
#'   \item{subtype_train, subtype_test}{factors with the levels `Basal`, `Her2` and `LumA`: 45, 30
#'     and 75 training samples, 21, 14 and 35 test samples.}
#' } Values are on the (logarithmic) scale on which mixOmics distributes them, rounded to
#'   four digits; none are missing.
#'
#' @source Data set `breast.TCGA` of the R package mixOmics, GPL (>= 2), made from open-access data
#'   of The Cancer Genome Atlas.
#'
#' @references
#' The Cancer Genome Atlas Network (2012). Comprehensive molecular portraits of human breast
#' tumours. *Nature* **490**, 61--70.
#'
#' Rohart, F., Gautier, B., Singh, A. and Le Cao, K.-A. (2017). mixOmics: an R package for 'omics
#' feature selection and multiple data integration. *PLoS Computational Biology* **13**, e1005752.
#' @examples
#' lapply(breast_tcga$train, dim)
#' table(breast_tcga$subtype_train)
#'
#' views <- breast_tcga$train[c("mirna", "mrna")] # the views that the test set has too
#' fit <- mkl(views, breast_tcga$subtype_train, p = 4/3)
#' table(predict(fit, breast_tcga$test), breast_tcga$subtype_test)
"breast_tcga"

#' Promoters of E. coli
#'
#' 106 stretches of DNA of 57 letters, half of which are promoters: places where the transcription of a
#' gene begins. The known signals are TTGACA about 35 letters before the start and TATAAT about 10
#' before it, which are about positions 15 and 40 here.
#'
#' @format A data frame with `sequence`, text, and `class`, a factor with levels `other` and
#'   `promoter`.
#' @source C. Harley, R. Reynolds and M. Noordewier: *Molecular Biology (Promoter Gene Sequences)*, UCI
#'   Machine Learning Repository, CC BY 4.0.
#' @references
#' Towell, G., Shavlik, J. and Noordewier, M. (1990). Refinement of approximate domain theories by
#' knowledge-based artificial neural networks. *Proceedings of the Eighth National Conference on
#' Artificial Intelligence*, 861--866.
#' @examples
#' fit <- mkl(promoters$sequence, promoters$class, spectrum_kernel(1:4), C = 10)
#' fit
"promoters"
