/* Sums of sigma_i sigma_j over pairs of samples by their distance, for many sign vectors at once. A
 * Gaussian's form is the sum of its values at these distances with the sums as weights, whatever
 * the number of widths. Distances d fall in bins of u = 1 + d/sigma, sigma a quarter of the
 * narrowest width: each octave of u has 2^bits equal bins, and a Gaussian is evaluated at the
 * middle of a bin. Since |u dk/du| = (y + sigma/w) exp(-y) <= 0.48 with y = d/w, this changes no
 * value by more than 0.24 / 2^bits. */
#ifndef MK_DISTANCES_H
#define MK_DISTANCES_H

#include "base/simd.h"

/* The bins, which all threads share. */
typedef struct mk_distance_scale {
  double sigma;
  int bits;
  size_t bins;
} mk_distance_scale;

/* Returns bins for Gaussians from this width on and distances up to `farthest`. */
mk_distance_scale mk_distance_scale_for(double narrowest, double farthest);
double mk_distance_error(const mk_distance_scale *scale); /* error bound of any value */

/* The sums of one thread, for up to MK_SIGN_LANES sign vectors. */
typedef struct mk_distance_sums mk_distance_sums;
mk_distance_sums *mk_distance_sums_new(const mk_distance_scale *scale);
void mk_distance_sums_free(mk_distance_sums *sums);

/* Adds the pairs of a sample with `count` others; signs are bytes, 0 or 1. */
void mk_distance_sums_add(mk_distance_sums *sums, size_t count, const double *distance,
                          const unsigned char *row, const unsigned char *cols);
/* Adds `from` and leaves it undefined. */
void mk_distance_sums_merge(mk_distance_sums *into, mk_distance_sums *from);
/* Completes the sums. */
void mk_distance_sums_end(mk_distance_sums *sums);

/* Computes out[k * MK_SIGN_LANES + t] = sum over pairs of sigma_i sigma_j exp(-d / width[k]). */
void mk_distance_sums_read(const mk_distance_sums *sums, size_t count, const double *width,
                           double *out);

#endif
