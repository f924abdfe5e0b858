/* Packs samples for tiles: chooses features and centre, and makes panels or lists. Called by
 * tiles.c. MATHEMATICS.md, section 4.1. */
#include "tiles-pack.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

#define LIST_DEPTH 96     /* two panels of so many features fit into the first-level cache */
#define LIST_DENSITY 0.35 /* share of nonzero entries above which panels are faster */

/* ---- survey ---- */

static const double *feature_column(const mk_tiles *tiles, size_t k) {
  const mk_view *view = tiles->family->view;
  return view->x + mk_family_feature(tiles->family, k) * view->rows;
}

/* Finds the mean of feature k, or its only value, and returns 1 if it varies. */
static int find_centre(mk_tiles *tiles, size_t k, const int *samples, size_t *filled) {
  const double *x = feature_column(tiles, k);
  size_t count = tiles->row.count;
  double first = x[samples[0]], sum = 0.0;
  int varies = 0;
  for (size_t i = 0; i < count; i++) {
    double value = x[samples[i]];
    varies |= value != first;
    *filled += value != 0.0;
    sum += value / (double)count;
  }
  tiles->centre[k] = varies ? sum : first;
  return varies;
}

typedef struct survey {
  mk_tiles *tiles;
  const int *samples;
  size_t *filled;
} survey;

static mk_status survey_feature(void *data, size_t k, int thread) {
  const survey *s = data;
  (void)thread;
  s->tiles->place[k] = find_centre(s->tiles, k, s->samples, &s->filled[k]);
  return MK_OK;
}

static mk_status survey_sparse(mk_tiles *tiles, const int *samples, size_t *filled) {
  const mk_view *view = tiles->family->view;
  tiles->feature = MK_TAKE(&tiles->memory, int, view->cols + 1);
  if (tiles->feature == NULL) return MK_NO_MEMORY;
  for (size_t j = 0; j < view->cols; j++) tiles->feature[j] = -1;
  for (size_t k = 0; k < tiles->family->feature_count; k++)
    tiles->feature[mk_family_feature(tiles->family, k)] = (int)k;
  for (size_t i = 0; i < tiles->row.count; i++) {
    size_t row = (size_t)samples[i];
    for (size_t e = view->row_start[row]; e < view->row_start[row + 1]; e++)
      if (tiles->feature[view->row_col[e]] >= 0) filled[tiles->feature[view->row_col[e]]]++;
  }
  return MK_OK;
}

mk_status mk_tiles_survey(mk_tiles *tiles, const int *samples, int distances, mk_team *team) {
  size_t features = tiles->family->feature_count, entries = 0, used = 0;
  int sparse = tiles->family->view->x == NULL;
  size_t *filled = MK_NEW0(size_t, features);
  if (filled == NULL) return MK_NO_MEMORY;
  mk_status status = MK_OK;
  if (sparse)
    status = survey_sparse(tiles, samples, filled);
  else
    status = mk_deal_out(features, team, survey_feature, &(survey){tiles, samples, filled});
  for (size_t k = 0; k < features; k++) {
    entries += filled[k];
    used += filled[k] > 0;
  }
  tiles->how = MK_BY_PANELS;
  tiles->depth = MK_EXACT_DEPTH;
  if (!sparse && features <= FEW_FEATURES) {
    tiles->how = MK_BY_DIFFERENCES;
  } else if (sparse || (double)entries < LIST_DENSITY * (double)used * (double)tiles->row.count) {
    tiles->how = MK_BY_LISTS;
    tiles->depth = LIST_DEPTH;
  }
  for (size_t k = 0; k < features; k++) {
    if (tiles->how != MK_BY_PANELS || !distances) { /* columns are packed as they are */
      tiles->centre[k] = 0.0;
      tiles->place[k] = filled[k] > 0 || tiles->how == MK_BY_DIFFERENCES;
    }
    tiles->half_centre += 0.5 * tiles->centre[k] * tiles->centre[k];
    tiles->place[k] = tiles->place[k] ? (int)tiles->kept++ : -1;
  }
  mk_free(filled);
  return status;
}

/* ---- panels ---- */

mk_status mk_side_new(mk_side *side, size_t count, size_t width, size_t features) {
  side->count = count;
  side->width = width;
  side->padded = (count + width - 1) / width * width;
  side->packed = MK_NEW(double, side->padded *(features + 1));
  side->square = MK_NEW0(double, 3 * side->padded);
  if (side->packed == NULL || side->square == NULL) return MK_NO_MEMORY;
  side->rest = side->square + side->padded;
  side->shift = side->rest + side->padded;
  return MK_OK;
}

void mk_side_free(mk_side *side) {
  mk_free(side->packed);
  mk_free(side->square);
}

/* Returns the place of feature `place` of the samples from `start` on. */
static double *feature_at(const mk_tiles *tiles, const mk_side *side, int place, size_t start) {
  size_t at = (size_t)place, slice = at / tiles->depth * tiles->depth;
  return mk_panel(tiles, side, slice, start) + (at - slice) * side->width;
}

/* Packs feature k of samples start .. stop and adds it to their norms. */
static void pack_feature(const mk_tiles *tiles, mk_side *side, size_t k, const int *samples,
                         size_t start, size_t stop) {
  const double *x = feature_column(tiles, k);
  double centre = tiles->centre[k], *out = NULL;
  size_t step = 0, width = side->width, end = stop < side->count ? stop : side->count;
  if (tiles->place[k] >= 0) {
    out = feature_at(tiles, side, tiles->place[k], start);
    step = width * mk_slice_depth(tiles, (size_t)tiles->place[k] / tiles->depth * tiles->depth);
  }
  for (size_t first = start; first < stop; first += width) {
    size_t many = end < first ? 0 : end - first < width ? end - first : width;
    for (size_t i = first; i < first + many; i++) {
      double value = x[samples[i]] - centre, square = value * value;
      side->square[i] += square;
      side->shift[i] += centre * value;
      if (out != NULL)
        out[i - first] = value;
      else
        side->rest[i] += square;
    }
    if (out == NULL) continue;
    for (size_t i = many; i < width; i++) out[i] = 0.0;
    out += step;
  }
}

/* Packs rows of a sparse view, whose centre is 0. */
static void pack_sparse(const mk_tiles *tiles, mk_side *side, const int *samples, size_t start,
                        size_t stop) {
  const mk_view *view = tiles->family->view;
  for (size_t slice = 0; slice < tiles->kept; slice += tiles->depth)
    memset(mk_panel(tiles, side, slice, start), 0,
           (stop - start) * mk_slice_depth(tiles, slice) * sizeof(double));
  for (size_t i = start; i < stop && i < side->count; i++) {
    size_t row = (size_t)samples[i], first = i / side->width * side->width;
    for (size_t e = view->row_start[row]; e < view->row_start[row + 1]; e++) {
      int k = tiles->feature[view->row_col[e]];
      double value = view->row_value[e];
      if (k < 0) continue;
      side->square[i] += value * value;
      if (tiles->place[k] >= 0)
        feature_at(tiles, side, tiles->place[k], first)[i - first] = value;
      else
        side->rest[i] += value * value;
    }
  }
}

void mk_side_pack(const mk_tiles *tiles, mk_side *side, const int *samples, size_t start,
                  size_t stop) {
  for (size_t i = start; i < stop; i++) {
    side->square[i] = side->rest[i] = 0.0;
    side->shift[i] = tiles->half_centre;
  }
  if (tiles->family->view->x == NULL) {
    pack_sparse(tiles, side, samples, start, stop);
    return;
  }
  for (size_t k = 0; k < tiles->family->feature_count; k++)
    pack_feature(tiles, side, k, samples, start, stop);
}

/* ---- lists ---- */

/* A function to call for every nonzero entry of rows start .. stop, features in order within a
 * row. */
typedef void (*entry_function)(mk_tiles *tiles, size_t i, int place, double value);

static void each_entry(mk_tiles *tiles, const int *samples, size_t start, size_t stop,
                       entry_function take) {
  const mk_view *view = tiles->family->view;
  for (size_t k = 0; view->x != NULL && k < tiles->family->feature_count; k++) {
    if (tiles->place[k] < 0) continue;
    const double *x = feature_column(tiles, k);
    for (size_t i = start; i < stop; i++)
      if (x[samples[i]] != 0.0) take(tiles, i, tiles->place[k], x[samples[i]]);
  }
  for (size_t i = start; view->x == NULL && i < stop; i++) {
    size_t row = (size_t)samples[i];
    for (size_t e = view->row_start[row]; e < view->row_start[row + 1]; e++) {
      int k = tiles->feature[view->row_col[e]];
      if (k >= 0) take(tiles, i, tiles->place[k], view->row_value[e]);
    }
  }
}

static size_t *list_start(mk_tiles *tiles, int place, size_t i) {
  return &tiles->start[(size_t)place / tiles->depth * (tiles->row.padded + 1) + i];
}

static void count_entry(mk_tiles *tiles, size_t i, int place, double value) {
  ++*list_start(tiles, place, i);
  tiles->row.square[i] += value * value;
}

/* Adds an entry; start[i + 1] moves forward while row i fills. */
static void put_entry(mk_tiles *tiles, size_t i, int place, double value) {
  size_t at = (*list_start(tiles, place, i))++;
  tiles->index[at] = (unsigned char)((size_t)place % tiles->depth);
  tiles->value[at] = value;
}

/* The entries of all samples, listed strip by strip. */
typedef struct listing {
  mk_tiles *tiles;
  const int *samples;
  entry_function take;
} listing;

static mk_status list_entries(void *data, size_t k, int thread) {
  const listing *list = data;
  size_t start = k * MK_STRIP_ROWS;
  (void)thread;
  each_entry(list->tiles, list->samples, start,
             mk_smaller(start + MK_STRIP_ROWS, list->tiles->row.count), list->take);
  return MK_OK;
}

mk_status mk_tiles_list(mk_tiles *tiles, const int *samples, mk_team *team) {
  size_t stride = tiles->row.padded + 1, total = 0;
  size_t slices = (tiles->kept + tiles->depth - 1) / tiles->depth;
  size_t strips = (tiles->row.count + MK_STRIP_ROWS - 1) / MK_STRIP_ROWS;
  listing list = {tiles, samples, count_entry};
  tiles->start = MK_TAKE0(&tiles->memory, size_t, slices * stride + 1);
  if (tiles->start == NULL) return MK_NO_MEMORY;
  MK_TRY(mk_deal_out(strips, team, list_entries, &list));
  for (size_t k = 0; k < slices * stride; k++) { /* counts become offsets */
    size_t count = tiles->start[k];
    tiles->start[k] = total;
    total += count;
  }
  tiles->index = MK_TAKE(&tiles->memory, unsigned char, total + 1);
  tiles->value = MK_TAKE(&tiles->memory, double, total + 1);
  if (tiles->index == NULL || tiles->value == NULL) return MK_NO_MEMORY;
  list.take = put_entry;
  MK_TRY(mk_deal_out(strips, team, list_entries, &list));
  for (size_t k = slices * stride; k-- > 1;) tiles->start[k] = tiles->start[k - 1]; /* ends back */
  tiles->start[0] = 0;
  return MK_OK;
}
