/* A range of kernel or base values in single or double precision. The owner of the memory chooses
 * the precision. Readers use these functions or the loops of simd.h, and compute in double in
 * either case. */
#ifndef MK_ROW_H
#define MK_ROW_H

#include "base/simd.h"

#include <string.h>

typedef struct mk_row {
  void *at;   /* floats or doubles; NULL for none */
  int single; /* 1 if floats */
} mk_row;

static inline size_t mk_row_size(int single) {
  return single ? sizeof(float) : sizeof(double);
}

static inline double mk_row_at(mk_row row, size_t k) {
  return row.single ? (double)((const float *)row.at)[k] : ((const double *)row.at)[k];
}

static inline void mk_row_set(mk_row row, size_t k, double value) {
  if (row.single)
    ((float *)row.at)[k] = (float)value;
  else
    ((double *)row.at)[k] = value;
}

static inline mk_row mk_row_from(mk_row row, size_t k) {
  if (row.at != NULL) row.at = (char *)row.at + k * mk_row_size(row.single);
  return row;
}

static inline void mk_row_clear(mk_row row, size_t count) {
  memset(row.at, 0, count * mk_row_size(row.single));
}

/* Computes out[c] = row[at[c]], in the same precision. */
static inline void mk_row_gather(mk_row row, const int *at, size_t count, mk_row out) {
  if (row.single)
    for (size_t c = 0; c < count; c++) ((float *)out.at)[c] = ((const float *)row.at)[at[c]];
  else
    for (size_t c = 0; c < count; c++) ((double *)out.at)[c] = ((const double *)row.at)[at[c]];
}

/* Returns the values as doubles: the row itself if it has doubles, else `buffer` with them. */
static inline const double *mk_row_doubles(mk_row row, size_t count, double *buffer) {
  if (!row.single) return row.at;
  for (size_t c = 0; c < count; c++) buffer[c] = ((const float *)row.at)[c];
  return buffer;
}

/* Computes row[c] += other[c], in the same precision. */
static inline void mk_row_add(mk_row row, mk_row other, size_t count) {
  if (row.single)
    for (size_t c = 0; c < count; c++) ((float *)row.at)[c] += ((const float *)other.at)[c];
  else
    for (size_t c = 0; c < count; c++) ((double *)row.at)[c] += ((const double *)other.at)[c];
}

/* Computes row[c] = value[c]. */
static inline void mk_row_store(mk_row row, const double *value, size_t count) {
  if (row.single)
    for (size_t c = 0; c < count; c++) ((float *)row.at)[c] = (float)value[c];
  else
    memcpy(row.at, value, count * sizeof *value);
}

#endif
