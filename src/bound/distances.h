/* Sums of sigma_i sigma_j over pairs of samples by their distance, for many sign
 * vectors at once: a Gaussian's form is the sum of its values at these distances
 * with the sums as weights, however many widths there are. Distances d go to
 * bins of u = 1 + d/sigma, sigma a quarter of the narrowest width: each octave of u is cut into
 * 2^bits equal bins, and a Gaussian is taken at the middle of a bin. Since
 * |u dk/du| = (y + sigma/w) exp(-y) <= 0.48 with y = d/w, that changes no value by more than
 * 0.24 / 2^bits. */
#ifndef MK_DISTANCES_H
#define MK_DISTANCES_H

#include "base/control.h"
#include "base/simd.h"

/* One scale for all threads, ... */
typedef struct mk_distance_scale {
  double sigma;
  int bits;
  size_t bins;
} mk_distance_scale;

/* For Gaussians from this width on and distances up to `farthest`. */
mk_distance_scale mk_distance_scale_for(double narrowest, double farthest);
double mk_distance_error(const mk_distance_scale *scale); /* of any value */

/* ... and the sums of one thread, for up to MK_SIGN_LANES sign vectors. */
typedef struct mk_distance_sums mk_distance_sums;
mk_distance_sums *mk_distance_sums_new(const mk_distance_scale *scale);
void mk_distance_sums_free(mk_distance_sums *sums);

/* Pairs of a sample with `count` others; signs by bytes, 0 or 1. */
void mk_distance_sums_add(mk_distance_sums *sums, size_t count, const double *distance,
                          const unsigned char *row, const unsigned char *cols);
/* Adds and leaves `from` undefined. */
void mk_distance_sums_merge(mk_distance_sums *into, mk_distance_sums *from);
/* After which the sums are complete. */
void mk_distance_sums_end(mk_distance_sums *sums);

/* out[k * MK_SIGN_LANES + t] = sum over pairs of sigma_i sigma_j exp(-d / width[k]) */
void mk_distance_sums_read(const mk_distance_sums *sums, size_t count, const double *width,
                           double *out);

#endif
