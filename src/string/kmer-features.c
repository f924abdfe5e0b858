#include "string/kmer-features.h"

#define CHECK_EVERY 256 /* sequences between looks at the clock and for interrupts */

static mk_status count_one(mk_kmer_counter *counter, size_t sequence, const mk_control *control) {
  if (sequence % CHECK_EVERY == 0) MK_TRY(mk_check(control));
  return mk_kmer_count(counter, sequence);
}

mk_status mk_kmers_meet(mk_kmer_counter *counter, const mk_control *control) {
  for (size_t i = 0; i < counter->sequences->count; i++) MK_TRY(count_one(counter, i, control));
  return MK_OK;
}

mk_status mk_kmers_sizes(mk_kmer_counter *counter, size_t keys, size_t *size,
                         const mk_control *control) {
  for (size_t j = 0; j < keys; j++) size[j] = 0;
  for (size_t i = 0; i < counter->sequences->count; i++) {
    MK_TRY(count_one(counter, i, control));
    for (size_t k = 0; k < counter->met_count; k++)
      if (counter->met[k] < keys) size[counter->met[k]]++;
  }
  return MK_OK;
}

mk_status mk_kmers_fill(mk_kmer_counter *counter, size_t keys, int *next, int *row, double *value,
                        const mk_control *control) {
  for (size_t i = 0; i < counter->sequences->count; i++) {
    MK_TRY(count_one(counter, i, control));
    for (size_t k = 0; k < counter->met_count; k++) {
      size_t j = counter->met[k];
      if (j >= keys) continue;
      row[next[j]] = (int)i;
      value[next[j]++] = (double)counter->times[j];
    }
  }
  return MK_OK;
}

mk_status mk_kmers_sums(mk_kmer_counter *counter, size_t keys, const double *weight, double *out,
                        const mk_control *control) {
  for (size_t j = 0; j < keys; j++) out[j] = 0.0;
  for (size_t i = 0; i < counter->sequences->count; i++) {
    if (weight[i] == 0.0) continue;
    MK_TRY(count_one(counter, i, control));
    for (size_t k = 0; k < counter->met_count; k++) {
      size_t j = counter->met[k];
      if (j < keys) out[j] += weight[i] * counter->times[j];
    }
  }
  return MK_OK;
}

mk_status mk_kmers_scores(mk_kmer_counter *counter, size_t keys, const double *weight, size_t count,
                          double *out, double *square, const mk_control *control) {
  size_t n = counter->sequences->count;
  for (size_t i = 0; i < n; i++) {
    MK_TRY(count_one(counter, i, control));
    square[i] = 0.0;
    for (size_t t = 0; t < count; t++) out[t * n + i] = 0.0;
    for (size_t k = 0; k < counter->met_count; k++) {
      size_t j = counter->met[k];
      double times = counter->times[j];
      square[i] += times * times;
      for (size_t t = 0; j < keys && t < count; t++)
        out[t * n + i] += weight[t * keys + j] * times;
    }
  }
  return MK_OK;
}
