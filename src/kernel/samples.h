/* Lists and ranges of samples. */
#ifndef MK_SAMPLES_H
#define MK_SAMPLES_H

#include <stddef.h>

/* The other samples of a block of values. */
typedef struct mk_samples {
  const int *index; /* NULL: samples start, start + 1, ... */
  size_t start, count;
  const struct mk_packed *packed; /* NULL, or the packed samples of which these are a part */
  size_t at;                      /* place of the first sample in `packed` */
} mk_samples;

static inline size_t mk_sample(const mk_samples *samples, size_t k) {
  return samples->index != NULL ? (size_t)samples->index[k] : samples->start + k;
}

static inline mk_samples mk_span(size_t start, size_t count) {
  return (mk_samples){.start = start, .count = count};
}

static inline mk_samples mk_list(const int *index, size_t count) {
  return (mk_samples){.index = index, .count = count};
}

/* Returns a part of the samples. */
static inline mk_samples mk_part(const mk_samples *samples, size_t from, size_t count) {
  mk_samples part = *samples;
  if (part.index != NULL) part.index += from;
  part.start += from;
  part.at += from;
  part.count = count;
  return part;
}

#endif
