# The protocol of the level-method papers (Xu, Jin, King and Lyu 2009): ten Gaussians and polynomials of
# three degrees, on all columns and on each of them, of unit trace; p = 1, C = 100, relative gap 0.01,
# columns standardised by the training half.

# The paper's toolbox calls a Gaussian's sigma its width: exp(-|x - z|^2 / (2 sigma^2)).
level_kernels <- function() {
  some <- c(gaussian_kernel(2 * (2^(-3:6))^2), polynomial_kernel(1:3))
  c(some, per_feature(some))
}

# A random half to train on, and the others.
random_half <- function(data, seed) {
  set.seed(seed)
  rows <- sample(nrow(data$x), nrow(data$x) %/% 2)
  train <- scale(data$x[rows, ])
  varies <- colSums(!is.finite(train)) == 0
  test <- scale(data$x[-rows, ], attr(train, "scaled:center"), attr(train, "scaled:scale"))
  list(train = list(x = train[, varies], y = data$y[rows]),
       test = list(x = test[, varies], y = data$y[-rows]))
}
