/* Strengths and vectors v of locally linear kernels, without any kernel value. Called by anchors.c
 * for scans and by rglue/local.c for the explicit model. MATHEMATICS.md, section 6.2. */
#include "anchor-sums.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/sum.h"
#include "base/threads.h"
#include "exact/expansion.h"
#include "kernel/points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ANCHORS ((size_t)64)   /* anchors of a batch; a multiple of MK_TILE_COLS */
#define KERNELS ((size_t)8192) /* most kernels of a batch; limits are checked between batches */
#define RUN ((size_t)64)       /* support vectors packed at a time; a multiple of MK_TILE_ROWS */

/* A kernel of a batch: its place in the scan, its map, and the place of its anchor in the batch. */
typedef struct seat {
  size_t place, kernel, map, at;
} seat;

/* The support vectors, and the request. */
typedef struct summing {
  const mk_anchors *anchors;
  const mk_control *control;
  const mk_scan *scan;
  mk_support support;
  size_t depth;
  double *row;    /* support vectors in panels of MK_TILE_ROWS, for distances */
  double *col;    /* support vectors in panels of MK_TILE_COLS features, from the centre */
  double *each;   /* support vectors feature by feature, for componentwise maps; else NULL */
  double *length; /* support: distance of each vector from the centre */
  size_t *batch, batches; /* batch: place in the scan where each batch begins */
  double *work;           /* by thread */
  size_t work_size;
  mk_pool memory; /* owns the vectors above */
  double *vector; /* vectors by place; NULL if only strengths are wanted */
} summing;

/* One thread's work space. */
typedef struct bench {
  double *point;    /* ANCHORS x depth, in panels */
  double *distance; /* support x ANCHORS */
  double *panel;    /* support x MK_TILE_ROWS: h */
  double *weighted; /* h times alpha */
  double *vector;   /* MK_TILE_ROWS x depth, padded */
} bench;

static size_t padded_depth(size_t depth) {
  return (depth + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
}

static size_t padded_support(const summing *s) {
  return (s->support.count + MK_TILE_ROWS - 1) / MK_TILE_ROWS * MK_TILE_ROWS;
}

static bench bench_of(const summing *s, int thread) {
  size_t support = padded_support(s);
  bench b = {.point = s->work + (size_t)thread * s->work_size};
  b.distance = b.point + ANCHORS * s->depth;
  b.panel = b.distance + support * ANCHORS;
  b.weighted = b.panel + support * MK_TILE_ROWS;
  b.vector = b.weighted + support * MK_TILE_ROWS;
  return b;
}

static size_t bench_size(const summing *s) {
  size_t support = padded_support(s);
  return ANCHORS * s->depth + support * (ANCHORS + 2 * MK_TILE_ROWS) +
         MK_TILE_ROWS * padded_depth(s->depth) + MK_LANES;
}

static const double *point_of(const summing *s, size_t kernel) {
  return s->anchors->point + kernel / s->anchors->maps * s->depth;
}

/* Returns the error of a vector whose terms have this sum of squares (see
 * exact/expansion-rounding.c). */
static double rounding_of(const summing *s, double square) {
  double units = MK_SUM_UNITS + (double)(s->support.count + 4 * s->depth);
  return MK_SURE * sqrt(units * square) * MK_UNIT;
}

/* Returns the error of a kernel with a global map, whose values of h are `apart` from each
 * other. */
static double global_rounding(const summing *s, mk_local_map map, size_t kernel,
                              const double *alpha, const double *h, size_t apart) {
  const double *c = point_of(s, kernel), *centre = s->anchors->centre;
  double anchor = 0.0, square = 0.0;
  if (!s->scan->exact) return 0.0;
  for (size_t j = 0; j < s->depth; j++) anchor += (c[j] - centre[j]) * (c[j] - centre[j]);
  for (size_t k = 0; k < s->support.count; k++) {
    double term = alpha[k] * mk_local_error(map, h[k * apart]) * (s->length[k] + sqrt(anchor));
    square += term * term;
  }
  return rounding_of(s, square);
}

/* Completes v of one kernel and task, whose error is at most e; `sum`, the sum of alpha h, is
 * multiplied by the anchor. */
static void complete_vector(const summing *s, size_t place, size_t kernel, double *v, double sum,
                            double e) {
  const double *c = point_of(s, kernel), *centre = s->anchors->centre;
  double square = 0.0;
  for (size_t j = 0; j < s->depth; j++) {
    if (sum != 0.0) v[j] -= sum * (c[j] - centre[j]);
    square += v[j] * v[j];
  }
  if (s->scan->strength != NULL)
    s->scan->strength[place] += square + 2.0 * sqrt(square) * e + e * e;
  if (s->vector != NULL) memcpy(s->vector + place * s->depth, v, s->depth * sizeof *v);
}

/* Sums up to MK_TILE_ROWS kernels of one global map. */
static void sum_global(const summing *s, bench *b, const mk_anchor_map *map, const seat *one,
                       size_t count) {
  size_t n = s->support.count, wide = padded_depth(s->depth);
  for (size_t k = 0; k < n; k++)
    for (size_t r = 0; r < MK_TILE_ROWS; r++)
      b->panel[k * MK_TILE_ROWS + r] = b->distance[k * ANCHORS + one[r < count ? r : 0].at];
  mk_local_values(map->map, map->gamma, n * MK_TILE_ROWS, b->panel, b->panel);
  for (size_t t = 0; t < s->scan->tasks; t++) {
    double sum[MK_TILE_ROWS] = {0};
    for (size_t k = 0; k < n; k++)
      for (size_t r = 0; r < MK_TILE_ROWS; r++) {
        double value = s->support.alpha[t * n + k] * b->panel[k * MK_TILE_ROWS + r];
        b->weighted[k * MK_TILE_ROWS + r] = value;
        sum[r] += value;
      }
    for (size_t j = 0; j < s->depth; j += MK_TILE_COLS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      mk_simd_best()->dot_tile(n, b->weighted, s->col + j * n, tile);
      for (size_t r = 0; r < count; r++)
        memcpy(b->vector + r * wide + j, tile + r * MK_TILE_COLS, MK_TILE_COLS * sizeof *tile);
    }
    for (size_t r = 0; r < count; r++)
      complete_vector(s, one[r].place, one[r].kernel, b->vector + r * wide, sum[r],
                      global_rounding(s, map->map, one[r].kernel, s->support.alpha + t * n,
                                      b->panel + r, MK_TILE_ROWS));
  }
}

/* Sums one componentwise kernel. */
static void sum_each(const summing *s, bench *b, const mk_anchor_map *map, const seat *one) {
  size_t n = s->support.count;
  const double *c = point_of(s, one->kernel);
  double *shift = b->panel, *h = b->weighted;
  for (size_t t = 0; t < s->scan->tasks; t++) {
    const double *alpha = s->support.alpha + t * n;
    double square = 0.0;
    for (size_t j = 0; j < s->depth; j++) {
      const double *x = s->each + j * n;
      for (size_t k = 0; k < n; k++) {
        shift[k] = x[k] - c[j];
        h[k] = shift[k] * shift[k];
      }
      mk_local_values(map->map, map->gamma, n, h, h);
      for (size_t k = 0; s->scan->exact && k < n; k++) {
        double term = alpha[k] * mk_local_error(map->map, h[k]) * shift[k];
        square += term * term;
      }
      for (size_t k = 0; k < n; k++) h[k] *= shift[k];
      b->vector[j] = mk_simd_best()->dot(n, alpha, h);
    }
    complete_vector(s, one->place, one->kernel, b->vector, 0.0, rounding_of(s, square));
  }
}

static void find_distances(const summing *s, bench *b, const double *const *point, size_t count) {
  for (size_t c = 0; c < count; c += MK_TILE_COLS)
    mk_points_pack(point + c, mk_smaller(count - c, MK_TILE_COLS), s->depth, MK_TILE_COLS,
                   b->point + c * s->depth);
  for (size_t k = 0; k < s->support.count; k += MK_TILE_ROWS)
    for (size_t c = 0; c < count; c += MK_TILE_COLS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      mk_simd_best()->distance_tile(s->depth, s->row + k * s->depth, b->point + c * s->depth, tile);
      for (size_t r = 0; r < MK_TILE_ROWS; r++)
        memcpy(b->distance + (k + r) * ANCHORS + c, tile + r * MK_TILE_COLS,
               MK_TILE_COLS * sizeof *tile);
    }
}

/* Sums the kernels of a batch that have the map of the first one; returns their number. */
static size_t sum_map(const summing *s, bench *b, const seat *list, size_t count) {
  const mk_anchor_map *map = &s->anchors->map[list->map];
  size_t same = 1;
  while (same < count && list[same].map == list->map) same++;
  for (size_t k = 0; map->componentwise && k < same; k++) sum_each(s, b, map, &list[k]);
  for (size_t k = 0; !map->componentwise && k < same; k += MK_TILE_ROWS)
    sum_global(s, b, map, list + k, mk_smaller(same - k, MK_TILE_ROWS));
  return same;
}

static int by_map(const void *a, const void *b) {
  const seat *x = a, *y = b;
  if (x->map != y->map) return x->map < y->map ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static mk_status sum_batch(void *data, size_t k, int thread) {
  const summing *s = data;
  size_t first = s->batch[k], count = s->batch[k + 1] - first, points = 0;
  bench b = bench_of(s, thread);
  const double *point[ANCHORS];
  seat *sorted = MK_NEW(seat, count);
  if (sorted == NULL) return MK_NO_MEMORY;
  int global = 0;
  for (size_t i = 0; i < count; i++) {
    size_t kernel = mk_scan_kernel(s->scan, first + i), map = kernel % s->anchors->maps;
    const double *own = point_of(s, kernel);
    if (points == 0 || point[points - 1] != own) point[points++] = own;
    sorted[i] = (seat){first + i, kernel, map, points - 1};
    global |= !s->anchors->map[map].componentwise;
  }
  if (global) find_distances(s, &b, point, points);
  qsort(sorted, count, sizeof *sorted, by_map);
  for (size_t i = 0; i < count;) i += sum_map(s, &b, sorted + i, count - i);
  mk_free(sorted);
  return MK_OK;
}

/* ---- the support vectors ---- */

static mk_status pack_rows(void *data, size_t p, int thread) {
  const summing *s = data;
  mk_sample_block block = {&s->anchors->view, NULL, s->depth, s->support.sample, s->support.count};
  size_t from = p * RUN, n = s->support.count, height = mk_smaller(n - from, RUN);
  double *x = MK_NEW(double, RUN * s->depth);
  (void)thread;
  if (x == NULL) return MK_NO_MEMORY;
  mk_block_pack(&block, from, height, RUN, x);
  for (size_t j = 0; j < s->depth; j++) {
    size_t panel = j / MK_TILE_COLS * MK_TILE_COLS;
    double centre = s->anchors->centre[j], *col = s->col + panel * n + j - panel;
    for (size_t k = from; k < from + height; k++) {
      double value = x[j * RUN + k - from];
      size_t strip = k / MK_TILE_ROWS * MK_TILE_ROWS;
      s->row[strip * s->depth + j * MK_TILE_ROWS + k - strip] = value;
      col[k * MK_TILE_COLS] = value - centre;
      s->length[k] += (value - centre) * (value - centre);
      if (s->each != NULL) s->each[j * n + k] = value;
    }
  }
  for (size_t k = from; k < from + height; k++) s->length[k] = sqrt(s->length[k]);
  mk_free(x);
  return MK_OK;
}

/* Cuts the scan into batches of at most ANCHORS anchors and KERNELS kernels. */
static void cut_batches(summing *s) {
  size_t points = 0, first = 0, last = SIZE_MAX;
  s->batches = 0;
  for (size_t k = 0; k < s->scan->count; k++) {
    size_t anchor = mk_scan_kernel(s->scan, k) / s->anchors->maps;
    int full = k - first == KERNELS || (anchor != last && points == ANCHORS);
    if (k == 0 || full) {
      s->batch[s->batches++] = first = k;
      points = 0;
    }
    if (points == 0 || anchor != last) points++;
    last = anchor;
  }
  s->batch[s->batches] = s->scan->count;
}

static mk_status open_summing(summing *s) {
  size_t n = s->support.count, depth = s->depth;
  s->batch = MK_TAKE(&s->memory, size_t, s->scan->count + 2);
  s->row = MK_TAKE0(&s->memory, double, padded_support(s) * depth);
  s->col = MK_TAKE0(&s->memory, double, n *padded_depth(depth));
  s->length = MK_TAKE0(&s->memory, double, n);
  int each = 0;
  for (size_t g = 0; g < s->anchors->maps; g++) each |= s->anchors->map[g].componentwise;
  if (each) s->each = MK_TAKE(&s->memory, double, n *depth);
  MK_TRY(mk_pool_status(&s->memory));
  cut_batches(s);
  return MK_OK;
}

static mk_status sum_all(summing *s) {
  size_t n = s->support.count;
  mk_team *team = s->control->team;
  team = mk_team_worth(team, 4.0 * (double)n * (double)s->depth * (double)s->scan->count);
  MK_TRY(open_summing(s));
  MK_TRY(mk_deal_out((n + RUN - 1) / RUN, team, pack_rows, s));
  s->work_size = mk_padded(bench_size(s));
  s->work = MK_TAKE0(&s->memory, double, s->work_size *(size_t)mk_team_size(team));
  if (s->work == NULL) return MK_NO_MEMORY;
  return mk_for_each(s->batches, team, s->control, sum_batch, s);
}

mk_status mk_anchors_sum(const mk_anchors *anchors, const mk_scan *scan, const mk_control *control,
                         double *vector) {
  summing s = {.anchors = anchors, .control = control, .scan = scan, .vector = vector};
  s.depth = anchors->view.cols;
  if (scan->strength != NULL) memset(scan->strength, 0, scan->count * sizeof(double));
  if (vector != NULL) memset(vector, 0, scan->count * s.depth * sizeof(double));
  mk_status status = mk_support_new(&s.support, scan->alpha, anchors->view.rows, scan->tasks);
  if (status == MK_OK && s.support.count > 0) status = sum_all(&s);
  mk_support_clear(&s.support);
  mk_pool_free(&s.memory);
  return status;
}

mk_status mk_anchors_vectors(const mk_anchors *anchors, const size_t *which, size_t count,
                             const double *alpha, const mk_control *control, double *out) {
  mk_scan scan = {.alpha = alpha, .tasks = 1, .which = which, .count = count};
  return mk_anchors_sum(anchors, &scan, control, out);
}
