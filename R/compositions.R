#' Compositional counts
#'
#' How to make kernels for counts of species, cell types or words in samples of different depth. Such counts
#' show shares, not amounts.
#'
#' @details
#' Shares sum to 1, so a rise of one pushes all others down. The centred log-ratio
#' \deqn{clr(x)_j = \log x_j - \frac1d \sum_k \log x_k}{clr(x)_j = log x_j - mean_k log x_k} removes
#' this effect. It depends only on ratios, and the depth of a sample cancels. Distances between
#' transformed rows are Aitchison distances. Use [linear_kernel()] or [gaussian_kernel()] on the
#' transformed rows, with `scale = FALSE` if parts with large variation are to count more, as in
#' Aitchison's distance.
#'
#' * Add a pseudocount to zeros first, such as 0.5; the packages compositions, robCompositions and
#'   zCompositions have more careful ways.
#' * Each row is transformed separately, so new rows need nothing from the training rows. Transform them
#'   in the same way before [predict()][predict.mkl()].
#' * Use the same columns in training and prediction, since the mean is over all of them.
#' * If only presence matters, [tanimoto_kernel()] on `counts > 0` is the Jaccard index of samples.
#' * To use both, make them views of one fit: `list(clr = clr(counts), presence = (counts > 0) * 1)`.
#'
#' @references J. Aitchison (1986). *The Statistical Analysis of Compositional Data*. Chapman &
#' Hall.
#' @seealso [scaling]
#' @name compositional_counts
#' @examples
#' clr <- function(counts, pseudocount = 0.5) {
#'   logs <- log(counts + pseudocount)
#'   logs - rowMeans(logs)
#' }
#' set.seed(1)
#' depth <- rpois(60, 2000)
#' share <- prop.table(matrix(rgamma(60 * 12, 1), 60), 1)
#' share[1:30, 1] <- share[1:30, 1] * 3
#' counts <- t(sapply(1:60, function(i) rmultinom(1, depth[i], share[i, ])))
#' y <- rep(c("case", "control"), each = 30)
#' fit <- mkl(list(clr = clr(counts), presence = (counts > 0) * 1), y, scale = FALSE,
#'            kernels = c(on_view(gaussian_kernel(c(10, 40)), "clr"),
#'                        on_view(tanimoto_kernel(), "presence")))
#' kernel_weights(fit)[c("kernel", "theta")]
NULL
