/* Sums of sigma_i sigma_j over pairs by their distance, shared by all Gaussians of a family. Called
 * by signs.c. MATHEMATICS.md, section 7.2. */
#include "distances.h"

#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

#define MOST_BITS 10
#define MOST_BINS 16384.0
#define MOST_OCTAVES 1000.0 /* distances beyond count as the end of that range */
#define MANTISSA_BITS 52
#define AT_ONCE 64 /* pairs counted between two flushes at most */
/* pairs in a bin above which it is flushed, since a byte counts to 255 */
#define FULL (255 - AT_ONCE)

struct mk_distance_sums {
  mk_distance_scale scale;
  unsigned char *few;   /* bins x MK_SIGN_LANES: pairs of unlike signs since the last flush */
  unsigned char *since; /* bins: pairs since the last flush */
  /* bins x MK_SIGN_LANES: pairs of like signs less pairs of unlike ones, where occupied */
  double *sum;
  double *distance; /* bins: distance at which Gaussians are evaluated */
  char *occupied;   /* bins: 1 if any pair fell in it */
  mk_pool memory;   /* owns the vectors above */
};

mk_distance_scale mk_distance_scale_for(double narrowest, double farthest) {
  mk_distance_scale scale = {.sigma = 0.25 * narrowest, .bits = MOST_BITS};
  double octaves = log2(1.0 + farthest / scale.sigma);
  octaves = octaves < MOST_OCTAVES ? octaves : MOST_OCTAVES;
  octaves = floor(octaves) + 1.0;
  while (octaves * exp2(scale.bits) > MOST_BINS) scale.bits--;
  scale.bins = (size_t)(octaves * exp2(scale.bits));
  return scale;
}

double mk_distance_error(const mk_distance_scale *scale) {
  return 0.24 * exp2(-scale->bits);
}

void mk_distance_sums_free(mk_distance_sums *sums) {
  if (sums == NULL) return;
  mk_pool_free(&sums->memory);
  mk_free(sums);
}

mk_distance_sums *mk_distance_sums_new(const mk_distance_scale *scale) {
  mk_distance_sums *sums = MK_NEW0(mk_distance_sums, 1);
  if (sums == NULL) return NULL;
  size_t bins = scale->bins, pieces = (size_t)1 << scale->bits;
  sums->scale = *scale;
  sums->few = MK_TAKE0(&sums->memory, unsigned char, bins *MK_SIGN_LANES);
  sums->since = MK_TAKE0(&sums->memory, unsigned char, bins);
  sums->sum = MK_TAKE(&sums->memory, double, bins *MK_SIGN_LANES);
  sums->distance = MK_TAKE(&sums->memory, double, bins);
  sums->occupied = MK_TAKE0(&sums->memory, char, bins);
  if (sums->memory.failed) {
    mk_distance_sums_free(sums);
    return NULL;
  }
  for (size_t k = 0; k < bins; k++) {
    double part = ((double)(k % pieces) + 0.5) / (double)pieces;
    sums->distance[k] = scale->sigma * (ldexp(1.0 + part, (int)(k / pieces)) - 1.0);
  }
  return sums;
}

/* Sets a bin to 0 at its first use, since most bins stay empty and the memory of their sums then
 * stays untouched. */
static double *occupied_bin(mk_distance_sums *sums, size_t bin) {
  double *sum = sums->sum + bin * MK_SIGN_LANES;
  if (!sums->occupied[bin]) memset(sum, 0, MK_SIGN_LANES * sizeof *sum);
  sums->occupied[bin] = 1;
  return sum;
}

static void flush_bin(mk_distance_sums *sums, size_t bin) {
  unsigned char *few = sums->few + bin * MK_SIGN_LANES;
  double *sum = occupied_bin(sums, bin), pairs = sums->since[bin];
  for (size_t t = 0; t < MK_SIGN_LANES; t++) sum[t] += pairs - 2.0 * few[t];
  memset(few, 0, MK_SIGN_LANES);
  sums->since[bin] = 0;
}

/* Finds bins from the exponent and first bits of the mantissa of u. */
static void find_bins(const mk_distance_scale *scale, size_t count, const double *distance,
                      int *bin) {
  double inverse = 1.0 / scale->sigma;
  int shift = MANTISSA_BITS - scale->bits, last = (int)scale->bins - 1;
  for (size_t c = 0; c < count; c++) {
    double u = 1.0 + distance[c] * inverse;
    long long bits;
    memcpy(&bits, &u, sizeof bits);
    bits = (bits - (1023LL << MANTISSA_BITS)) >> shift;
    bin[c] = bits < 0 ? 0 : bits < last ? (int)bits : last; /* also limits bins after an overflow */
  }
}

void mk_distance_sums_add(mk_distance_sums *sums, size_t count, const double *distance,
                          const unsigned char *row, const unsigned char *cols) {
  const mk_simd *simd = mk_simd_best();
  int bin[AT_ONCE];
  for (size_t from = 0; from < count; from += AT_ONCE) {
    size_t some = mk_smaller(count - from, AT_ONCE);
    find_bins(&sums->scale, some, distance + from, bin);
    simd->count_signs(some, bin, row, cols + from * MK_SIGN_LANES, sums->few);
    for (size_t c = 0; c < some; c++) sums->since[bin[c]]++;
    for (size_t c = 0; c < some; c++)
      if (sums->since[bin[c]] > FULL) flush_bin(sums, (size_t)bin[c]);
  }
}

void mk_distance_sums_end(mk_distance_sums *sums) {
  for (size_t k = 0; k < sums->scale.bins; k++)
    if (sums->since[k] > 0) flush_bin(sums, k);
}

void mk_distance_sums_merge(mk_distance_sums *into, mk_distance_sums *from) {
  mk_distance_sums_end(from);
  for (size_t k = 0; k < from->scale.bins; k++)
    if (from->occupied[k])
      mk_simd_best()->axpy(MK_SIGN_LANES, 1.0, from->sum + k * MK_SIGN_LANES,
                           occupied_bin(into, k));
}

/* Reads some bins at a time, so that they stay in the cache for all widths. */
void mk_distance_sums_read(const mk_distance_sums *sums, size_t count, const double *width,
                           double *out) {
  const mk_simd *simd = mk_simd_best();
  const void *row[AT_ONCE];
  double distance[AT_ONCE], value[AT_ONCE];
  memset(out, 0, count * MK_SIGN_LANES * sizeof *out);
  for (size_t bin = 0; bin < sums->scale.bins;) {
    size_t some = 0;
    for (; bin < sums->scale.bins && some < AT_ONCE; bin++) {
      if (!sums->occupied[bin]) continue;
      row[some] = sums->sum + bin * MK_SIGN_LANES;
      distance[some++] = sums->distance[bin];
    }
    for (size_t k = 0; k < count; k++) {
      simd->exp_decay(some, distance, 1.0 / width[k], value);
      simd->rows[0].combine(MK_SIGN_LANES, some, row, value, out + k * MK_SIGN_LANES);
    }
  }
}
