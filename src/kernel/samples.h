/* Samples that values are asked for at: a list of them, or a run. */
#ifndef MK_SAMPLES_H
#define MK_SAMPLES_H

#include <stddef.h>

/* Those that a block of values has beside its rows. */
typedef struct mk_samples {
  const int *index; /* NULL: start, start + 1, ... */
  size_t start, count;
  const struct mk_packed *packed; /* may be NULL; else these are its samples from ... */
  size_t at;                      /* ... here on */
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

/* Some of them. */
static inline mk_samples mk_part(const mk_samples *samples, size_t from, size_t count) {
  mk_samples part = *samples;
  if (part.index != NULL) part.index += from;
  part.start += from;
  part.at += from;
  part.count = count;
  return part;
}

#endif
