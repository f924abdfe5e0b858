/* k(x, z) = sum over k of min(x_k, z_k)^power, for histograms. */
#include "kernels.h"

#include <manykernels.h>

#include <math.h>
#include <stdlib.h>

static int intersect(void *data, size_t depth, const double *const *x, size_t x_count,
                     const double *const *z, size_t z_count, double *out) {
  const double power = *(const double *)data;
  for (size_t c = 0; c < z_count; c++)
    for (size_t r = 0; r < x_count; r++) {
      double sum = 0.0;
      for (size_t k = 0; k < depth; k++) {
        double least = x[r][k] < z[c][k] ? x[r][k] : z[c][k];
        if (least < 0.0) return 1; /* no histogram */
        sum += power == 1.0 ? least : pow(least, power);
      }
      out[r + c * x_count] = sum;
    }
  return 0;
}

SEXP intersection_pointer(SEXP power) {
  double *data = malloc(sizeof *data);
  if (data == NULL) Rf_error("not enough memory");
  *data = Rf_asReal(power);
  manykernels_kernel kernel = {.abi = MANYKERNELS_ABI,
                               .thread_safe = 1,
                               .values = intersect,
                               .data = data,
                               .destroy = free};
  return manykernels_kernel_pointer(&kernel, R_NilValue);
}
