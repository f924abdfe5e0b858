#include "free-sample.h"

#include "base/memory.h"

#include <math.h>

#define NEAREST 32 /* others that a mean over those nearby is taken from, at most */

mk_status mk_free_sample_new(mk_free_sample *sample, size_t n) {
  sample->all = MK_NEW(int, n + 1);
  sample->at = MK_NEW(int, n + 1);
  sample->pivots.least = MK_NEW0(double, n + 1);
  sample->pivots.more = MK_NEW0(double, n + 1);
  int complete = sample->all != NULL && sample->at != NULL && sample->pivots.least != NULL &&
                 sample->pivots.more != NULL;
  return complete ? MK_OK : MK_NO_MEMORY;
}

void mk_free_sample_clear(mk_free_sample *sample) {
  mk_free(sample->all);
  mk_free(sample->at);
  mk_free(sample->pivots.least);
  mk_free(sample->pivots.more);
}

/* Of the k-th chosen. */
static size_t place_among_all(const mk_free_sample *sample, size_t k) {
  return k * sample->all_count / sample->count;
}

void mk_free_sample_choose(mk_free_sample *sample, const mk_svm *svm, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++)
    if (mk_svm_is_free(svm, i)) sample->all[count++] = (int)i;
  sample->all_count = count;
  sample->count = mk_smaller(most, count);
  sample->share = count > most ? (double)count / (double)most : 1.0;
  for (size_t k = 0; k < sample->count; k++) sample->at[k] = sample->all[k * count / sample->count];
}

/* Values in falling order. */
typedef struct ranking {
  double largest[NEAREST];
  size_t held, most;
} ranking;

static void insert(ranking *r, double value) {
  size_t place = r->held < r->most ? r->held++ : r->most - 1;
  for (; place > 0 && r->largest[place - 1] < value; place--)
    r->largest[place] = r->largest[place - 1];
  r->largest[place] = value;
}

/* The row's values at these positions; most are too small. */
static inline void rank_values(ranking *r, mk_row row, const int *list, size_t count) {
  double least = r->held < r->most ? -INFINITY : r->largest[r->most - 1];
  const float *narrow = row.at;
  const double *wide = row.at;
  for (size_t i = 0; i < count; i++) {
    double value = row.single ? (double)narrow[list[i]] : wide[list[i]];
    if (value <= least) continue;
    insert(r, value);
    if (r->held == r->most) least = r->largest[r->most - 1];
  }
}

/* Mean of the `most` largest of the row's values, at positions but for one. */
static double mean_largest(mk_row row, const int *list, size_t count, size_t skipped, size_t most) {
  ranking r = {.most = mk_smaller(most, NEAREST)};
  double sum = 0.0;
  rank_values(&r, row, list, skipped);
  rank_values(&r, row, list + skipped + 1, count - skipped - 1);
  for (size_t k = 0; k < r.held; k++) sum += r.largest[k];
  return sum / (double)r.held;
}

double mk_free_sample_diagonal(const mk_free_sample *sample, size_t k, mk_row row) {
  double own = mk_row_at(row, (size_t)sample->at[k]), share = sample->share;
  if (!(share > 1.0)) return own;
  size_t place = place_among_all(sample, k), others = (size_t)ceil(share - 1.0);
  double nearby = mean_largest(row, sample->all, sample->all_count, place, others);
  nearby = fmin(own, nearby);
  double mean = nearby + (own - nearby) / share;
  /* two of the chosen that are closer than others stand for the same variables */
  double closest = sample->count > 1 ? mean_largest(row, sample->at, sample->count, k, 1) : mean;
  double diagonal = fmin(own, fmax(mean, closest));
  sample->pivots.least[k] = (own - nearby) / share;
  sample->pivots.more[k] = fmax(own - diagonal, sample->pivots.least[k]);
  return diagonal;
}
