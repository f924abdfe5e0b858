/* Samples that values are asked for at: a list of them, or a run. */
#ifndef MK_SAMPLES_H
#define MK_SAMPLES_H

#include <stddef.h>

/* The columns of a block: a list of samples, or a run of them. */
typedef struct mk_columns {
  const int *index; /* NULL: start, start + 1, ... */
  size_t start, count;
  const struct mk_packed *packed; /* may be NULL; else these are its samples from ... */
  size_t at;                      /* ... here on */
} mk_columns;

static inline size_t mk_column(const mk_columns *columns, size_t k) {
  return columns->index != NULL ? (size_t)columns->index[k] : columns->start + k;
}

static inline mk_columns mk_span(size_t start, size_t count) {
  return (mk_columns){.start = start, .count = count};
}

static inline mk_columns mk_list(const int *index, size_t count) {
  return (mk_columns){.index = index, .count = count};
}

/* Part of a block's columns. */
static inline mk_columns mk_part(const mk_columns *columns, size_t from, size_t count) {
  mk_columns part = *columns;
  if (part.index != NULL) part.index += from;
  part.start += from;
  part.at += from;
  part.count = count;
  return part;
}

#endif
