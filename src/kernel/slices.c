#include "slices.h"

#include "base/memory.h"
#include "internal.h"

#include <string.h>

#define DENSE_SHARE 0.35   /* nonzeros of all entries from which on plain tiles are quicker */
#define FEWEST_FEATURES 32 /* dense views have differences where they are not many */

struct mk_slices {
  size_t n, count;        /* samples, slices */
  int single;             /* values are floats */
  size_t *start;          /* count x (n + 1): entries of sample i in slice s */
  unsigned char *feature; /* of each entry, within its slice */
  mk_row value;
  double *square;
  const mk_simd *simd;
};

/* ---- building ---- */

/* Calls visit for every nonzero entry, features in increasing order within a sample. */
typedef void (*visitor)(mk_slices *slices, size_t *next, size_t i, size_t j, double value);

static void visit_entries(mk_slices *slices, const mk_view *view, size_t *next, visitor visit) {
  for (size_t j = 0; j < view->cols; j++) {
    if (view->x == NULL) {
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        if (view->value[e] != 0.0) visit(slices, next, (size_t)view->row[e], j, view->value[e]);
      continue;
    }
    const double *column = view->x + j * view->rows;
    for (size_t i = 0; i < view->rows; i++)
      if (column[i] != 0.0) visit(slices, next, i, j, column[i]);
  }
}

static size_t slot(const mk_slices *slices, size_t i, size_t j) {
  return j / MK_SLICE_DEPTH * (slices->n + 1) + i;
}

static void count_entry(mk_slices *slices, size_t *next, size_t i, size_t j, double value) {
  (void)value;
  (void)next;
  slices->start[slot(slices, i, j) + 1]++;
}

static void place_entry(mk_slices *slices, size_t *next, size_t i, size_t j, double value) {
  size_t at = next[slot(slices, i, j)]++;
  slices->feature[at] = (unsigned char)(j % MK_SLICE_DEPTH);
  mk_row_store(mk_row_from(slices->value, at), &value, 1);
  slices->square[i] += value * value;
}

static size_t count_nonzeros(const mk_view *view) {
  if (view->x == NULL) return (size_t)view->start[view->cols];
  size_t count = 0;
  for (size_t k = 0, size = view->rows * view->cols; k < size; k++) count += view->x[k] != 0.0;
  return count;
}

static mk_status fill(mk_slices *slices, const mk_view *view, size_t entries) {
  size_t slots = slices->count * (slices->n + 1);
  size_t *next = MK_NEW(size_t, slots);
  slices->start = MK_NEW0(size_t, slots);
  slices->feature = MK_NEW(unsigned char, entries + 1);
  slices->value.at = mk_alloc(entries + 1, mk_row_size(slices->single));
  slices->square = MK_NEW0(double, slices->n);
  mk_status status = MK_NO_MEMORY;
  if (next != NULL && slices->start != NULL && slices->feature != NULL &&
      slices->value.at != NULL && slices->square != NULL) {
    visit_entries(slices, view, NULL, count_entry);
    for (size_t k = 1; k < slots; k++) slices->start[k] += slices->start[k - 1];
    memcpy(next, slices->start, slots * sizeof *next);
    visit_entries(slices, view, next, place_entry);
    status = MK_OK;
  }
  mk_free(next);
  return status;
}

mk_status mk_slices_new(mk_slices **out, const mk_view *view, int single) {
  *out = NULL;
  if (view->cols < FEWEST_FEATURES) return MK_OK;
  if (view->x != NULL && view->cols <= MK_NOT_MANY_FEATURES) return MK_OK;
  size_t entries = count_nonzeros(view);
  if ((double)entries > DENSE_SHARE * (double)view->rows * (double)view->cols) return MK_OK;
  mk_slices *slices = MK_NEW0(mk_slices, 1);
  *out = slices;
  if (slices == NULL) return MK_NO_MEMORY;
  slices->n = view->rows;
  slices->count = (view->cols + MK_SLICE_DEPTH - 1) / MK_SLICE_DEPTH;
  slices->single = slices->value.single = single;
  slices->simd = mk_simd_best();
  return fill(slices, view, entries);
}

void mk_slices_free(mk_slices *slices) {
  if (slices == NULL) return;
  mk_free(slices->start);
  mk_free(slices->feature);
  mk_free(slices->value.at);
  mk_free(slices->square);
  mk_free(slices);
}

size_t mk_slices_bytes(const mk_slices *slices) {
  size_t slots = slices->count * (slices->n + 1), entries = slices->start[slots - 1];
  return slots * sizeof(size_t) + entries * (1 + mk_row_size(slices->single)) +
         slices->n * sizeof(double);
}

const double *mk_slices_square(const mk_slices *slices) {
  return slices->square;
}

/* ---- products ---- */

/* One slice of some columns as two panels, zeros and all. */
static void spread(const mk_slices *slices, size_t s, const mk_columns *columns, size_t width,
                   void *panels) {
  size_t apart = (size_t)MK_SLICE_DEPTH * width;
  memset(panels, 0, 2 * (size_t)MK_SLICE_DEPTH * MK_TILE_BYTES);
  for (size_t c = 0; c < columns->count; c++) {
    const size_t *range = slices->start + s * (slices->n + 1) + mk_column(columns, c);
    for (size_t e = range[0]; e < range[1]; e++) {
      size_t at = c / width * apart + slices->feature[e] * width + c % width;
      if (slices->single)
        ((float *)panels)[at] = ((const float *)slices->value.at)[e];
      else
        ((double *)panels)[at] = ((const double *)slices->value.at)[e];
    }
  }
}

/* Adds one slice's products of all rows with two panels of columns. */
static void add_slice(const mk_slices *slices, size_t s, const int *rows, size_t row_count,
                      size_t count, size_t width, mk_row out, size_t ld, const void *panels) {
  const mk_row_loops *loops = &slices->simd->rows[slices->single];
  char rest[2 * MK_TILE_BYTES] __attribute__((aligned(64)));
  mk_row part = {rest, slices->single};
  for (size_t r = 0; r < row_count; r++) {
    const size_t *range = slices->start + s * (slices->n + 1) + (size_t)rows[r];
    mk_row target = mk_row_from(out, r * ld);
    void *at = count == 2 * width ? target.at : rest;
    if (range[0] == range[1]) continue;
    if (at == rest) memset(rest, 0, sizeof rest);
    loops->sparse_tile(1, range, slices->feature, slices->value.at, panels,
                       (size_t)MK_SLICE_DEPTH * width, at, ld);
    if (at == rest) mk_row_add(target, part, count);
  }
}

void mk_slices_products(const mk_slices *slices, const int *rows, size_t row_count,
                        const mk_columns *columns, mk_row out, size_t ld, void *panels) {
  size_t width = MK_TILE_BYTES / mk_row_size(slices->single);
  for (size_t r = 0; r < row_count; r++) mk_row_clear(mk_row_from(out, r * ld), columns->count);
  for (size_t c = 0; c < columns->count; c += 2 * width) {
    size_t count = columns->count - c < 2 * width ? columns->count - c : 2 * width;
    mk_columns part = mk_part(columns, c, count);
    for (size_t s = 0; s < slices->count; s++) {
      spread(slices, s, &part, width, panels);
      add_slice(slices, s, rows, row_count, count, width, mk_row_from(out, c), ld, panels);
    }
  }
}
