#include "rows/slices.h"

#include "base/memory.h"
#include "base/pool.h"

#include <string.h>

/* share of nonzero entries above which plain tiles are quicker */
#define MOST_NONZEROS 0.35

struct mk_slices {
  size_t n, count;        /* samples, slices */
  size_t *start;          /* count x (n + 1): entries of sample i in slice s */
  unsigned char *feature; /* the number of each entry's feature within its slice */
  mk_row value;
  double *square;
  mk_pool memory; /* owns all of the above */
};

/* ---- building ---- */

static size_t *start_of(const mk_slices *slices, size_t s) {
  return slices->start + s * (slices->n + 1);
}

/* Counts the entries of sample i in slice s, one place after `start`, and sums the counts up. */
static size_t count_entries(mk_slices *slices, const mk_view *view) {
  for (size_t j = 0; j < view->cols; j++) {
    const double *column = view->x + j * view->rows;
    size_t *count = start_of(slices, j / MK_SLICE_DEPTH) + 1;
    for (size_t i = 0; i < view->rows; i++) count[i] += column[i] != 0.0;
  }
  size_t places = slices->count * (slices->n + 1);
  for (size_t k = 1; k < places; k++) slices->start[k] += slices->start[k - 1];
  return slices->start[places - 1];
}

/* Writes the entries of each sample, by increasing feature. `next` is scratch of n values. */
static void place_entries(mk_slices *slices, const mk_view *view, size_t *next) {
  for (size_t j = 0; j < view->cols; j++) {
    const double *column = view->x + j * view->rows;
    size_t s = j / MK_SLICE_DEPTH, place = j % MK_SLICE_DEPTH;
    if (place == 0) memcpy(next, start_of(slices, s), slices->n * sizeof *next);
    for (size_t i = 0; i < view->rows; i++) {
      if (column[i] == 0.0) continue;
      size_t at = next[i]++;
      slices->feature[at] = (unsigned char)place;
      mk_row_set(slices->value, at, column[i]);
      slices->square[i] += column[i] * column[i];
    }
  }
}

static mk_status fill_slices(mk_slices *slices, const mk_view *view, size_t entries) {
  mk_pool *memory = &slices->memory;
  slices->feature = MK_TAKE(memory, unsigned char, entries + 1);
  slices->value.at = mk_pool_alloc(memory, entries + 1, mk_row_size(slices->value.single));
  slices->square = MK_TAKE0(memory, double, slices->n);
  size_t *next = MK_NEW(size_t, slices->n);
  mk_status status = next == NULL ? MK_NO_MEMORY : mk_pool_status(memory);
  if (status == MK_OK) place_entries(slices, view, next);
  mk_free(next);
  return status;
}

mk_status mk_slices_new(mk_slices **out, const mk_view *view, int single) {
  mk_slices *slices = *out = MK_NEW0(mk_slices, 1);
  if (slices == NULL) return MK_NO_MEMORY;
  slices->n = view->rows;
  slices->count = (view->cols + MK_SLICE_DEPTH - 1) / MK_SLICE_DEPTH;
  slices->value.single = single;
  slices->start = MK_TAKE0(&slices->memory, size_t, slices->count * (slices->n + 1));
  if (slices->start == NULL) return MK_NO_MEMORY;
  size_t entries = count_entries(slices, view);
  if ((double)entries <= MOST_NONZEROS * (double)view->rows * (double)view->cols)
    return fill_slices(slices, view, entries);
  mk_slices_free(slices);
  *out = NULL;
  return MK_OK;
}

void mk_slices_free(mk_slices *slices) {
  if (slices == NULL) return;
  mk_pool_free(&slices->memory);
  mk_free(slices);
}

size_t mk_slices_bytes(const mk_slices *slices) {
  return slices == NULL ? 0 : slices->memory.bytes;
}

const double *mk_slices_square(const mk_slices *slices) {
  return slices->square;
}

/* ---- products ---- */

#define PANELS 2 /* of MK_TILE_BYTES, used at the same time */

/* A product of samples in panels, zeros included, with the lists of other samples. */
typedef struct product {
  const mk_slices *slices;
  size_t width; /* samples of a panel */
  void *panels;
} product;

static size_t panel_values(const product *p) {
  return (size_t)MK_SLICE_DEPTH * p->width;
}

/* Writes one slice of PANELS x width samples, or of fewer, into the panels. */
static void spread_slice(const product *p, size_t s, const mk_samples *samples) {
  const size_t *start = start_of(p->slices, s);
  const unsigned char *feature = p->slices->feature;
  mk_row value = p->slices->value, out = {p->panels, value.single};
  mk_row_clear(out, PANELS * panel_values(p));
  for (size_t c = 0; c < samples->count; c++) {
    size_t i = mk_sample(samples, c), width = p->width;
    mk_row own = mk_row_from(out, c / width * panel_values(p) + c % width);
    if (value.single)
      for (size_t e = start[i]; e < start[i + 1]; e++)
        ((float *)own.at)[feature[e] * width] = ((const float *)value.at)[e];
    else
      for (size_t e = start[i]; e < start[i + 1]; e++)
        ((double *)own.at)[feature[e] * width] = ((const double *)value.at)[e];
  }
}

/* Adds to out[l * ld + c] one slice's products of listed samples with the `count` spread ones. */
static void add_slice(const product *p, size_t s, const mk_samples *listed, size_t count,
                      mk_row out, size_t ld) {
  const mk_row_loops *loops = &mk_simd_best()->rows[out.single];
  const size_t *start = start_of(p->slices, s);
  char rest[PANELS * MK_TILE_BYTES] __attribute__((aligned(64)));
  mk_row part = {rest, out.single};
  int whole = count == PANELS * p->width;
  for (size_t l = 0; l < listed->count; l++) {
    const size_t *range = start + mk_sample(listed, l);
    mk_row target = mk_row_from(out, l * ld);
    if (range[0] == range[1]) continue;
    if (!whole) memset(rest, 0, sizeof rest);
    loops->sparse_tile(1, range, p->slices->feature, p->slices->value.at, p->panels,
                       panel_values(p), whole ? target.at : rest, ld);
    if (!whole) mk_row_add(target, part, count);
  }
}

/* Computes out[l * ld + c], the products of the listed samples with those to be spread. */
static void multiply_samples(const product *p, const mk_samples *listed, const mk_samples *others,
                             mk_row out, size_t ld) {
  for (size_t l = 0; l < listed->count; l++) mk_row_clear(mk_row_from(out, l * ld), others->count);
  for (size_t c = 0; c < others->count; c += PANELS * p->width) {
    size_t count = mk_smaller(PANELS * p->width, others->count - c);
    mk_samples part = mk_part(others, c, count);
    for (size_t s = 0; s < p->slices->count; s++) {
      spread_slice(p, s, &part);
      add_slice(p, s, listed, count, mk_row_from(out, c), ld);
    }
  }
}

static void transpose(mk_row from, size_t rows, size_t cols, mk_row out, size_t ld) {
  for (size_t c = 0; c < cols; c++)
    if (out.single)
      for (size_t r = 0; r < rows; r++)
        ((float *)out.at)[c * ld + r] = ((const float *)from.at)[r * cols + c];
    else
      for (size_t r = 0; r < rows; r++)
        ((double *)out.at)[c * ld + r] = ((const double *)from.at)[r * cols + c];
}

/* Spreads the smaller side into panels, so that the samples of the larger side share this work. */
void mk_slices_products(const mk_slices *slices, const int *rows, size_t row_count,
                        const mk_samples *others, mk_row out, size_t ld, mk_slice_room room) {
  product p = {slices, MK_TILE_BYTES / mk_row_size(out.single), room.panels};
  mk_samples listed = mk_list(rows, row_count);
  if (row_count >= others->count) {
    multiply_samples(&p, &listed, others, out, ld);
    return;
  }
  for (size_t r = 0; r < row_count; r += PANELS * p.width)
    for (size_t c = 0; c < others->count; c += MK_SLICE_COLS) {
      mk_samples few = mk_part(&listed, r, mk_smaller(PANELS * p.width, row_count - r));
      mk_samples many = mk_part(others, c, mk_smaller(MK_SLICE_COLS, others->count - c));
      mk_row block = {room.block, out.single};
      multiply_samples(&p, &many, &few, block, few.count);
      transpose(block, many.count, few.count, mk_row_from(out, r * ld + c), ld);
    }
}
