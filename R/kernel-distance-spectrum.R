# Spectrum kernels that weigh k-mers by their distance: spectrum_kernel() with `distance_weight`.

distance_weightings <- c("linear", "exponential", "gaussian", "swd")

# One kernel for each k and width.
distance_spectrum <- function(k, distance_weight, width, alphabet) {
  distance_weight <- check_choice(distance_weight, distance_weightings, "distance_weight")
  alphabet <- check_alphabet(alphabet)
  k <- check_counts(k, "k")
  if (distance_weight == "swd") {
    if (!is.null(width)) {
      mk_abort("Leave out `width`: the distance weights \"swd\" have none.", "invalid_argument", "width",
               width)
    }
    own <- list(k = k, width = list(NULL))
  } else {
    own <- recycle_parameters(k = k, width = check_numbers(width, "width", 0, lower_open = TRUE))
  }
  parameters <- Map(function(k, width) {
    list(k = k, distance_weight = distance_weight, width = width, alphabet = alphabet)
  }, own$k, own$width)
  name <- sprintf("spectrum(k=%d,distance=%s%s)", own$k, distance_weight,
                  if (distance_weight == "swd") "" else paste0(",width=", number_text(own$width)))
  new_kernel_set(name, "distance_spectrum", unname(parameters))
}
