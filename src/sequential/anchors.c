#include "anchors.h"

#include "base/memory.h"
#include "base/sum.h"
#include "base/threads.h"
#include "kernel/expansion.h"
#include "kernel/points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

mk_status mk_anchors_new(mk_anchors *anchors, const mk_view *view, const double *given,
                         size_t count, const mk_anchor_map *map, size_t maps, mk_team *team) {
  *anchors = (mk_anchors){.view = *view, .count = count, .maps = maps, .map = map};
  anchors->view.row_start = NULL;
  anchors->view.row_col = NULL;
  anchors->view.row_value = anchors->view.owned = NULL;
  if (count == 0 || maps == 0 || (given == NULL && count != view->rows)) return MK_BAD_ARGUMENT;
  if (count > SIZE_MAX / maps) return MK_TOO_LARGE;
  MK_TRY(mk_view_prepare(&anchors->view, team));
  anchors->point = MK_NEW0(double, count * view->cols);
  anchors->centre = MK_NEW0(double, view->cols);
  if (anchors->point == NULL || anchors->centre == NULL) return MK_NO_MEMORY;
  mk_sample_block all = {&anchors->view, NULL, view->cols, NULL, count};
  for (size_t a = 0; a < count; a++) {
    if (given == NULL) mk_block_pack(&all, a, 1, 1, anchors->point + a * view->cols);
    for (size_t j = 0; given != NULL && j < view->cols; j++)
      anchors->point[a * view->cols + j] = given[j * count + a];
  }
  mk_points_middle(anchors->point, count, view->cols, anchors->centre);
  return MK_OK;
}

void mk_anchors_clear(mk_anchors *anchors) {
  mk_view_clear(&anchors->view);
  mk_free(anchors->point);
  mk_free(anchors->centre);
  anchors->point = anchors->centre = NULL;
}

/* ---- strengths ---- */

#define ANCHORS ((size_t)64)   /* of a batch; a multiple of MK_TILE_COLS */
#define KERNELS ((size_t)8192) /* of a batch at most: limits are looked at in between */

/* A kernel that is asked for, and its place in the list. */
typedef struct wanted {
  size_t kernel, place;
} wanted;

/* The same in a batch: its map, and its anchor's place among those of the batch. */
typedef struct seat {
  wanted own;
  size_t map, at;
} seat;

/* The support vectors, and what is asked about them. */
typedef struct summing {
  const mk_anchors *anchors;
  const mk_control *control;
  size_t support, tasks, depth;
  int *sample;
  double *alpha; /* tasks x support */
  double *row;   /* the vectors in panels of MK_TILE_ROWS, for distances; ... */
  double *col;   /* ... in panels of MK_TILE_COLS features, from the centre; ... */
  double *each;  /* ... feature by feature, where maps go component by component; else NULL */
  wanted *list;  /* by kernel */
  size_t count, *batch, batches; /* batch: where each begins in the list */
  double *work;                  /* by thread */
  size_t work_size;
  double *strength, *vector; /* by place; either may be NULL */
  int exact;                 /* strengths are to be no smaller than the true ones */
  double *length;            /* of each vector, from the centre; exact strengths only */
} summing;

/* One thread's work space. */
typedef struct bench {
  double *point;    /* ANCHORS x depth, in panels */
  double *distance; /* support x ANCHORS */
  double *panel;    /* support x MK_TILE_ROWS: h */
  double *weighted; /* the same times alpha */
  double *vector;   /* MK_TILE_ROWS x depth, padded */
} bench;

static size_t padded_depth(size_t depth) {
  return (depth + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
}

static size_t padded_support(size_t support) {
  return (support + MK_TILE_ROWS - 1) / MK_TILE_ROWS * MK_TILE_ROWS;
}

static bench bench_of(const summing *s, int thread) {
  size_t support = padded_support(s->support);
  bench b = {.point = s->work + (size_t)thread * s->work_size};
  b.distance = b.point + ANCHORS * s->depth;
  b.panel = b.distance + support * ANCHORS;
  b.weighted = b.panel + support * MK_TILE_ROWS;
  b.vector = b.weighted + support * MK_TILE_ROWS;
  return b;
}

static size_t bench_size(const summing *s) {
  size_t support = padded_support(s->support);
  return ANCHORS * s->depth + support * (ANCHORS + 2 * MK_TILE_ROWS) +
         MK_TILE_ROWS * padded_depth(s->depth) + MK_LANES;
}

static const double *point_of(const summing *s, size_t kernel) {
  return s->anchors->point + kernel / s->anchors->maps * s->depth;
}

/* The error of a vector whose terms have this sum of squares (kernel/expansion-rounding.c). */
static double rounding_of(const summing *s, double square) {
  double units = MK_SUM_UNITS + (double)(s->support + 4 * s->depth);
  return MK_SURE * sqrt(units * square) * MK_UNIT;
}

/* Of a kernel of a global map, whose values lie `apart` in h. */
static double global_rounding(const summing *s, mk_local_map map, size_t kernel,
                              const double *alpha, const double *h, size_t apart) {
  const double *c = point_of(s, kernel), *centre = s->anchors->centre;
  double anchor = 0.0, square = 0.0;
  if (!s->exact) return 0.0;
  for (size_t j = 0; j < s->depth; j++) anchor += (c[j] - centre[j]) * (c[j] - centre[j]);
  for (size_t k = 0; k < s->support; k++) {
    double term = alpha[k] * mk_local_error(map, h[k * apart]) * (s->length[k] + sqrt(anchor));
    square += term * term;
  }
  return rounding_of(s, square);
}

/* v of one kernel and task is done, but for an error of e: `sum` of alpha h belongs to the
 * anchor. */
static void take(const summing *s, size_t place, size_t kernel, double *v, double sum, double e) {
  const double *c = point_of(s, kernel), *centre = s->anchors->centre;
  double square = 0.0;
  for (size_t j = 0; j < s->depth; j++) {
    if (sum != 0.0) v[j] -= sum * (c[j] - centre[j]);
    square += v[j] * v[j];
  }
  if (s->strength != NULL) s->strength[place] += square + 2.0 * sqrt(square) * e + e * e;
  if (s->vector != NULL) memcpy(s->vector + place * s->depth, v, s->depth * sizeof *v);
}

/* Up to MK_TILE_ROWS kernels of one global map. */
static void sum_global(const summing *s, bench *b, const mk_anchor_map *map, const seat *one,
                       size_t count) {
  size_t n = s->support, wide = padded_depth(s->depth);
  for (size_t k = 0; k < n; k++)
    for (size_t r = 0; r < MK_TILE_ROWS; r++)
      b->panel[k * MK_TILE_ROWS + r] = b->distance[k * ANCHORS + one[r < count ? r : 0].at];
  mk_local_values(map->map, map->gamma, n * MK_TILE_ROWS, b->panel, b->panel);
  for (size_t t = 0; t < s->tasks; t++) {
    double sum[MK_TILE_ROWS] = {0};
    for (size_t k = 0; k < n; k++)
      for (size_t r = 0; r < MK_TILE_ROWS; r++) {
        double value = s->alpha[t * n + k] * b->panel[k * MK_TILE_ROWS + r];
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
      take(s, one[r].own.place, one[r].own.kernel, b->vector + r * wide, sum[r],
           global_rounding(s, map->map, one[r].own.kernel, s->alpha + t * n, b->panel + r,
                           MK_TILE_ROWS));
  }
}

/* One kernel that goes component by component. */
static void sum_each(const summing *s, bench *b, const mk_anchor_map *map, const wanted *one) {
  size_t n = s->support;
  const double *c = point_of(s, one->kernel);
  double *shift = b->panel, *h = b->weighted;
  for (size_t t = 0; t < s->tasks; t++) {
    const double *alpha = s->alpha + t * n;
    double square = 0.0;
    for (size_t j = 0; j < s->depth; j++) {
      const double *x = s->each + j * n;
      for (size_t k = 0; k < n; k++) {
        shift[k] = x[k] - c[j];
        h[k] = shift[k] * shift[k];
      }
      mk_local_values(map->map, map->gamma, n, h, h);
      for (size_t k = 0; s->exact && k < n; k++) {
        double term = alpha[k] * mk_local_error(map->map, h[k]) * shift[k];
        square += term * term;
      }
      for (size_t k = 0; k < n; k++) h[k] *= shift[k];
      b->vector[j] = mk_simd_best()->dot(n, alpha, h);
    }
    take(s, one->place, one->kernel, b->vector, 0.0, rounding_of(s, square));
  }
}

static void measure(const summing *s, bench *b, const double *const *point, size_t count) {
  for (size_t c = 0; c < count; c += MK_TILE_COLS)
    mk_points_pack(point + c, mk_smaller(count - c, MK_TILE_COLS), s->depth, MK_TILE_COLS,
                   b->point + c * s->depth);
  for (size_t k = 0; k < s->support; k += MK_TILE_ROWS)
    for (size_t c = 0; c < count; c += MK_TILE_COLS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      mk_simd_best()->distance_tile(s->depth, s->row + k * s->depth, b->point + c * s->depth, tile);
      for (size_t r = 0; r < MK_TILE_ROWS; r++)
        memcpy(b->distance + (k + r) * ANCHORS + c, tile + r * MK_TILE_COLS,
               MK_TILE_COLS * sizeof *tile);
    }
}

/* The kernels of a batch that have the map of the first one; returns how many. */
static size_t sum_map(const summing *s, bench *b, const seat *list, size_t count) {
  const mk_anchor_map *map = &s->anchors->map[list->map];
  size_t same = 1;
  while (same < count && list[same].map == list->map) same++;
  for (size_t k = 0; map->componentwise && k < same; k++) sum_each(s, b, map, &list[k].own);
  for (size_t k = 0; !map->componentwise && k < same; k += MK_TILE_ROWS)
    sum_global(s, b, map, list + k, mk_smaller(same - k, MK_TILE_ROWS));
  return same;
}

static int by_map(const void *a, const void *b) {
  const seat *x = a, *y = b;
  if (x->map != y->map) return x->map < y->map ? -1 : 1;
  return (x->own.kernel > y->own.kernel) - (x->own.kernel < y->own.kernel);
}

static mk_status sum_batch(void *data, size_t k, int thread) {
  const summing *s = data;
  const wanted *list = s->list + s->batch[k];
  size_t count = s->batch[k + 1] - s->batch[k], points = 0, maps = s->anchors->maps;
  bench b = bench_of(s, thread);
  const double *point[ANCHORS];
  seat *sorted = MK_NEW(seat, count);
  if (sorted == NULL) return MK_NO_MEMORY;
  int global = 0;
  for (size_t i = 0; i < count; i++) {
    const double *own = point_of(s, list[i].kernel);
    if (points == 0 || point[points - 1] != own) point[points++] = own;
    sorted[i] = (seat){list[i], list[i].kernel % maps, points - 1};
    global |= !s->anchors->map[sorted[i].map].componentwise;
  }
  if (global) measure(s, &b, point, points);
  qsort(sorted, count, sizeof *sorted, by_map);
  for (size_t i = 0; i < count;) i += sum_map(s, &b, sorted + i, count - i);
  mk_free(sorted);
  return MK_OK;
}

/* ---- the support vectors ---- */

static void list_support(summing *s, const double *alpha) {
  size_t n = s->anchors->view.rows;
  for (size_t i = 0; i < n; i++) {
    int any = 0;
    for (size_t t = 0; t < s->tasks; t++) any |= alpha[t * n + i] != 0.0;
    if (any) s->sample[s->support++] = (int)i;
  }
  for (size_t t = 0; t < s->tasks; t++)
    for (size_t k = 0; k < s->support; k++)
      s->alpha[t * s->support + k] = alpha[t * n + (size_t)s->sample[k]];
}

#define RUN ((size_t)64) /* vectors packed at a time; a multiple of MK_TILE_ROWS */

static mk_status pack_rows(void *data, size_t p, int thread) {
  const summing *s = data;
  mk_sample_block block = {&s->anchors->view, NULL, s->depth, s->sample, s->support};
  size_t from = p * RUN, n = s->support, height = mk_smaller(n - from, RUN);
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
      if (s->each != NULL) s->each[j * n + k] = value;
    }
  }
  mk_free(x);
  return MK_OK;
}

static int by_kernel(const void *a, const void *b) {
  const wanted *x = a, *y = b;
  return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* Batches have up to ANCHORS anchors and KERNELS kernels. */
static void cut(summing *s) {
  size_t points = 0, first = 0, last = SIZE_MAX;
  s->batches = 0;
  for (size_t k = 0; k < s->count; k++) {
    size_t anchor = s->list[k].kernel / s->anchors->maps;
    int full = k - first == KERNELS || (anchor != last && points == ANCHORS);
    if (k == 0 || full) {
      s->batch[s->batches++] = first = k;
      points = 0;
    }
    if (points == 0 || anchor != last) points++;
    last = anchor;
  }
  s->batch[s->batches] = s->count;
}

static mk_status prepare(summing *s, const mk_scan *scan) {
  size_t n = s->anchors->view.rows;
  s->depth = s->anchors->view.cols;
  s->tasks = scan->tasks;
  s->count = scan->count;
  s->sample = MK_NEW(int, n);
  s->alpha = MK_NEW(double, n * s->tasks);
  s->list = MK_NEW(wanted, s->count + 1);
  s->batch = MK_NEW(size_t, s->count + 2);
  if (s->sample == NULL || s->alpha == NULL || s->list == NULL || s->batch == NULL)
    return MK_NO_MEMORY;
  list_support(s, scan->alpha);
  for (size_t k = 0; k < s->count; k++) s->list[k] = (wanted){mk_scan_kernel(scan, k), k};
  if (scan->which != NULL) qsort(s->list, s->count, sizeof *s->list, by_kernel);
  cut(s);
  s->row = MK_NEW0(double, padded_support(s->support) * s->depth);
  s->col = MK_NEW0(double, s->support *padded_depth(s->depth) + 1);
  int each = 0;
  for (size_t g = 0; g < s->anchors->maps; g++) each |= s->anchors->map[g].componentwise;
  if (each) s->each = MK_NEW(double, s->support * s->depth + 1);
  if (s->exact) s->length = MK_NEW(double, s->support + 1);
  if (s->row == NULL || s->col == NULL || (each && s->each == NULL) ||
      (s->exact && s->length == NULL))
    return MK_NO_MEMORY;
  return MK_OK;
}

static void find_lengths(const summing *s) {
  for (size_t k = 0; k < s->support; k++) {
    double square = 0.0;
    for (size_t j = 0; j < s->depth; j++) {
      size_t panel = j / MK_TILE_COLS * MK_TILE_COLS;
      double value = s->col[panel * s->support + k * MK_TILE_COLS + j - panel];
      square += value * value;
    }
    s->length[k] = sqrt(square);
  }
}

static mk_status sum_all(summing *s) {
  double work = (double)s->support * (double)s->depth * (double)s->count;
  mk_team *team = mk_team_worth(s->control->team, 4.0 * work);
  MK_TRY(mk_deal_out((s->support + RUN - 1) / RUN, team, pack_rows, s));
  if (s->exact) find_lengths(s);
  s->work_size = mk_padded(bench_size(s));
  s->work = MK_NEW0(double, s->work_size *(size_t)mk_team_size(team));
  if (s->work == NULL) return MK_NO_MEMORY;
  return mk_for_each(s->batches, team, s->control, sum_batch, s);
}

static mk_status sum(const mk_anchors *anchors, const mk_scan *scan, const mk_control *control,
                     double *vector) {
  summing s = {.anchors = anchors, .control = control, .vector = vector};
  s.strength = scan->strength;
  s.exact = scan->exact;
  mk_status status = prepare(&s, scan);
  if (scan->strength != NULL) memset(scan->strength, 0, scan->count * sizeof(double));
  if (vector != NULL) memset(vector, 0, scan->count * anchors->view.cols * sizeof(double));
  if (status == MK_OK && s.support > 0) status = sum_all(&s);
  mk_free(s.sample);
  mk_free(s.alpha);
  mk_free(s.row);
  mk_free(s.col);
  mk_free(s.each);
  mk_free(s.length);
  mk_free(s.list);
  mk_free(s.batch);
  mk_free(s.work);
  return status;
}

/* Always in double precision and apart from what optimisers do, which is by kernel values. */
static mk_status strengths(void *self, const mk_scan *scan, const mk_control *control) {
  return sum(self, scan, control, NULL);
}

mk_status mk_anchors_vectors(const mk_anchors *anchors, const size_t *which, size_t count,
                             const double *alpha, const mk_control *control, double *out) {
  mk_scan scan = {.alpha = alpha, .tasks = 1, .which = which, .count = count};
  return sum(anchors, &scan, control, out);
}

/* ---- sets ---- */

static mk_kernel_spec spec_of(const mk_anchors *anchors, size_t kernel) {
  const mk_anchor_map *map = &anchors->map[kernel % anchors->maps];
  return (mk_kernel_spec){.type = MK_LOCALLY_LINEAR,
                          .view = 0,
                          .map = map->map,
                          .gamma = map->gamma,
                          .componentwise = map->componentwise,
                          .anchor = anchors->point + kernel / anchors->maps * anchors->view.cols};
}

static mk_status select_kernels(void *self, const size_t *which, size_t count,
                                const mk_control *control, mk_kernel_set **set) {
  const mk_anchors *anchors = self;
  mk_view view = anchors->view; /* the set makes its own rows of a sparse one */
  view.row_start = NULL;
  view.row_col = NULL;
  view.row_value = NULL;
  *set = NULL;
  double columns = 0.0; /* that the set will make */
  for (size_t k = 0; k < count; k++)
    if (anchors->map[which[k] % anchors->maps].componentwise) columns += (double)view.cols;
  double bytes = columns * (double)view.rows * sizeof(double);
  if (control->cache > 0 && bytes > (double)control->cache) return MK_TOO_LARGE;
  mk_kernel_spec *spec = MK_NEW(mk_kernel_spec, count);
  if (spec == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) spec[k] = spec_of(anchors, which[k]);
  mk_status status = mk_set_new(set, view.rows, &view, 1, spec, count, control->team);
  mk_free(spec);
  return status;
}

static void release(void *self, mk_kernel_set *set) {
  (void)self;
  mk_set_free(set);
}

mk_stream mk_anchors_stream(mk_anchors *anchors) {
  return (mk_stream){.self = anchors,
                     .size = anchors->count * anchors->maps,
                     .samples = anchors->view.rows,
                     .certified = 1,
                     .strengths = strengths,
                     .select = select_kernels,
                     .release = release};
}
