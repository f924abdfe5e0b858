/* Squared distances and inner products of all pairs of samples, computed once for a family with
 * many more features than samples. One or two passes over its columns replace several passes by
 * each of normalisation, optimiser and certificate.
 *
 * Certificate and optimisers share these distances and products, which are in double precision and
 * depend on no weights, alphas or tolerances. Kernel values, sums over pairs, quadratic forms and
 * error bounds of the certificate are its own (exact/expansion.c). The blocks of kernel_matrix()
 * (exact/exact.c) do not read these distances, and tests compare the two. */
#include "kernel/geometry.h"

#include "base/crossprod.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/threads.h"
#include "kernel/structure.h"

#include <string.h>

/* least number of features per sample: pairs then take at most half the data's memory */
#define WIDE 4
/* with fewer features, computing a distance is as quick as reading it */
#define SHARED_FEATURES 160
#define DEPTH 480  /* features packed at a time */
#define ROWS 32    /* samples of a task */
#define COLUMNS 16 /* features of a task */
/* largest number of pairs per sample whose distances are summed from squared differences */
#define CLOSE_PAIRS_PER_SAMPLE 8
/* share of their squares below which a distance is rounding error */
#define LOST 1e-12
#define PROBED 16   /* every so many columns, one is searched for zeros */
#define FILLED 0.35 /* with fewer nonzero values, sparse lists or slices are quicker */
/* largest |centre|^2, as a multiple of the mean squared norm from it, that linear kernels
 * tolerate */
#define FAR 100.0

typedef struct building {
  const mk_family *family;
  mk_geometry *geometry;
  const int *row;      /* n samples; NULL: all */
  const double *scale; /* by column of the view: divisors for distances, or NULL */
  size_t n, from, depth;
  double mean[DEPTH], centre; /* means of the features in progress; squared norm of all means */
  double *z;                  /* n x depth by rows: the features in progress, centred */
  double *along;              /* n: inner products of the centred rows and the means */
} building;

static size_t column_of(const building *b, size_t k) {
  return mk_family_feature(b->family, b->from + k);
}

static mk_status find_means(void *data, size_t task, int thread) {
  building *b = data;
  (void)thread;
  for (size_t k = task * COLUMNS; k < mk_smaller((task + 1) * COLUMNS, b->depth); k++)
    b->mean[k] = mk_dense_mean(b->family->view, column_of(b, k));
  return MK_OK;
}

static mk_status pack_rows(void *data, size_t task, int thread) {
  building *b = data;
  size_t first = task * ROWS, last = mk_smaller(first + ROWS, b->n);
  (void)thread;
  for (size_t k = 0; k < b->depth; k++) {
    size_t j = column_of(b, k);
    const double *x = b->family->view->x + j * b->family->view->rows;
    double unit = b->scale != NULL ? 1.0 / b->scale[j] : 1.0;
    for (size_t i = first; i < last; i++)
      b->z[i * b->depth + k] = (x[b->row != NULL ? (size_t)b->row[i] : i] - b->mean[k]) * unit;
  }
  for (size_t i = first; i < last; i++)
    b->along[i] = mk_simd_best()->dot(b->depth, b->mean, b->z + i * b->depth);
  return MK_OK;
}

/* ---- passes ---- */

/* What a pass does with the packed features. */
typedef void (*take_features)(building *b, const mk_control *control, void *data);

static mk_status read_features(building *b, const mk_control *control, take_features take,
                               void *data) {
  size_t count = b->family->feature_count;
  for (b->from = 0; b->from < count; b->from += DEPTH) {
    b->depth = mk_smaller(count - b->from, DEPTH);
    MK_TRY(mk_check(control));
    MK_TRY(mk_deal_out((b->depth + COLUMNS - 1) / COLUMNS, control->team, find_means, b));
    MK_TRY(mk_deal_out((b->n + ROWS - 1) / ROWS, control->team, pack_rows, b));
    take(b, control, data);
  }
  return MK_OK;
}

/* Adds the packed features to the products; `data` is work space. */
static void add_products(building *b, const mk_control *control, void *data) {
  mk_geometry *geometry = b->geometry;
  const mk_simd *simd = mk_simd_best();
  double centre = simd->dot(b->depth, b->mean, b->mean);
  mk_crossprod_add(control->blas, b->n, b->depth, b->z, data, control->team, geometry->product);
  for (size_t i = 0; i < b->n; i++) geometry->shift[i] += b->along[i] + 0.5 * centre;
  b->centre += centre;
}

/* Pairs (i, j), i > j, that are close, one after another. */
typedef struct close_pairs {
  size_t count, most;
  int (*pair)[2];
} close_pairs;

static void add_differences(building *b, const mk_control *control, void *data) {
  const close_pairs *close = data;
  (void)control;
  for (size_t p = 0; p < close->count; p++) {
    size_t i = (size_t)close->pair[p][0], j = (size_t)close->pair[p][1];
    const double *x = b->z + i * b->depth, *z = b->z + j * b->depth;
    double sum = 0.0;
    for (size_t k = 0; k < b->depth; k++) sum += (x[k] - z[k]) * (x[k] - z[k]);
    b->geometry->distance[i * b->n + j] += sum;
  }
}

/* ---- one family ---- */

/* Turns products below the diagonal into distances and lists the close pairs. */
static void find_distances(mk_geometry *geometry, size_t n, close_pairs *close) {
  for (size_t i = 0; i < n; i++) geometry->square[i] = geometry->product[i * n + i];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      double both = geometry->square[i] + geometry->square[j];
      double *d = &geometry->distance[i * n + j];
      *d = both - 2.0 * geometry->product[i * n + j];
      if (*d > MK_NEAR_SHARE * both) continue;
      if (*d < LOST * both) *d = 0.0;
      if (close->count < close->most) {
        close->pair[close->count][0] = (int)i;
        close->pair[close->count][1] = (int)j;
      }
      close->count++;
    }
}

static void free_geometry(mk_geometry *geometry) {
  if (geometry == NULL) return;
  mk_free(geometry->distance);
  mk_free(geometry->product);
  mk_free(geometry->square);
  mk_free(geometry);
}

void mk_geometry_free(mk_family *family) {
  if (!family->borrowed) free_geometry(family->geometry);
  family->geometry = NULL;
}

size_t mk_geometry_bytes(const mk_family *family) {
  size_t n = family->view != NULL ? family->view->rows : 0;
  if (family->geometry == NULL || family->borrowed) return 0;
  return (n * (family->geometry->product != NULL ? n : 0) + n * (n + 2)) * sizeof(double);
}

static mk_status sum_close(building *b, close_pairs *close, const mk_control *control) {
  if (close->count == 0 || close->count > close->most) return MK_OK;
  for (size_t p = 0; p < close->count; p++)
    b->geometry->distance[(size_t)close->pair[p][0] * b->n + (size_t)close->pair[p][1]] = 0.0;
  return read_features(b, control, add_differences, close);
}

/* Computes all pairs. If too many of them are close, their distances keep their rounding errors. */
static mk_status fill_pairs(building *b, double *work, close_pairs *close,
                            const mk_control *control) {
  mk_geometry *geometry = b->geometry;
  double squares = 0.0;
  MK_TRY(read_features(b, control, add_products, work));
  find_distances(geometry, b->n, close);
  MK_TRY(sum_close(b, close, control));
  for (size_t i = 0; i < b->n; i++) squares += geometry->square[i];
  geometry->serve_linear = (double)b->n * b->centre <= FAR * squares;
  mk_product_mirror(b->n, geometry->distance);
  mk_product_mirror(b->n, geometry->product);
  return MK_OK;
}

static mk_status open_geometry(mk_geometry **out, size_t n) {
  mk_geometry *geometry = *out = MK_NEW0(mk_geometry, 1);
  if (geometry == NULL) return MK_NO_MEMORY;
  geometry->distance = MK_NEW0(double, n *n);
  geometry->product = MK_NEW0(double, n *n);
  geometry->square = MK_NEW0(double, 2 * n);
  geometry->shift = geometry->square + n;
  int complete =
      geometry->distance != NULL && geometry->product != NULL && geometry->square != NULL;
  return complete ? MK_OK : MK_NO_MEMORY;
}

/* Builds the geometry of the samples in b. The caller frees it. accurate is 0 if too many pairs are
 * close. */
static mk_status build_geometry(building *b, const mk_control *control, int *accurate) {
  close_pairs close = {.most = CLOSE_PAIRS_PER_SAMPLE * b->n,
                       .pair = mk_alloc(CLOSE_PAIRS_PER_SAMPLE * b->n, sizeof *close.pair)};
  double *work = MK_NEW(double, mk_product_work(b->n));
  mk_status status = open_geometry(&b->geometry, b->n);
  b->z = MK_NEW(double, b->n *(DEPTH + 1));
  b->along = b->z + b->n * DEPTH;
  if (close.pair == NULL || work == NULL || b->z == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK) status = fill_pairs(b, work, &close, control);
  *accurate = close.count <= close.most;
  mk_free(close.pair);
  mk_free(work);
  mk_free(b->z);
  return status;
}

static mk_status build_family(mk_family *family, const mk_control *control) {
  building b = {.family = family, .n = family->view->rows};
  int accurate;
  mk_status status = build_geometry(&b, control, &accurate);
  if (status != MK_OK || !accurate) {
    free_geometry(b.geometry);
    return status;
  }
  if (!family->products) {
    mk_free(b.geometry->product);
    b.geometry->product = NULL;
  }
  family->geometry = b.geometry;
  return MK_OK;
}

mk_status mk_view_distances(const mk_view *view, const int *row, size_t count, const double *scale,
                            const mk_control *control, double *out) {
  mk_family all = {.view = view, .feature_count = view->cols};
  building b = {.family = &all, .n = count, .row = row, .scale = scale};
  int accurate;
  mk_status status = build_geometry(&b, control, &accurate);
  if (status == MK_OK) memcpy(out, b.geometry->distance, count * count * sizeof *out);
  free_geometry(b.geometry);
  return status;
}

/* ---- all families ---- */

static int is_filled(const mk_family *family) {
  size_t filled = 0, seen = 0, n = family->view->rows;
  for (size_t k = 0; k < family->feature_count; k += PROBED) {
    const double *x = family->view->x + mk_family_feature(family, k) * n;
    for (size_t i = 0; i < n; i++) filled += x[i] != 0.0;
    seen += n;
  }
  return (double)filled >= FILLED * (double)seen;
}

static int can_have(const mk_family *family) {
  return mk_family_is_dense(family) && family->feature_count > MK_NOT_MANY_FEATURES;
}

/* Returns 1 if the pairs of all families on the view take at most half the memory of its
 * columns. */
static int is_wide(const mk_kernel_set *set, const mk_family *family) {
  size_t kept = 1;
  if (family->feature_count / WIDE < set->n || !is_filled(family)) return 0;
  for (size_t f = 0; f < set->families; f++)
    kept += set->family[f].view == family->view && set->family[f].geometry != NULL;
  return family->view->cols / WIDE / kept >= set->n;
}

/* Returns 1 if the family is worth it and its pairs fit in the rest of `bytes`. */
static int has_room(const mk_kernel_set *set, const mk_family *family, size_t bytes) {
  double need = 2.0 * (double)set->n * ((double)set->n + 1.0) * sizeof(double);
  for (size_t f = 0; f < set->families; f++) need += (double)mk_geometry_bytes(&set->family[f]);
  return family->feature_count >= SHARED_FEATURES && need <= (double)bytes;
}

static mk_status make_pairs(const mk_kernel_set *set, size_t bytes, const mk_control *control) {
  mk_control unlimited = mk_patient(control); /* a limit would leave the set without pairs */
  for (size_t f = 0; f < set->families; f++) {
    mk_family *family = &set->family[f];
    int asked = bytes > 0 ? 2 : 1;
    if (family->geometry != NULL || family->settled >= asked) continue;
    if (can_have(family) && (is_wide(set, family) || has_room(set, family, bytes)))
      MK_TRY(build_family(family, &unlimited));
    family->settled = asked;
  }
  return MK_OK;
}

mk_status mk_geometry_need(const mk_kernel_set *set, const mk_control *control) {
  return make_pairs(set, 0, control);
}

mk_status mk_set_keep_pairs(const mk_kernel_set *set, size_t bytes, const mk_control *control) {
  return make_pairs(set, bytes, control);
}

static int same_features(const mk_family *a, const mk_family *b) {
  size_t count = a->feature_count;
  if (a->view->x != b->view->x || b->feature_count != count) return 0;
  if (a->features == NULL || b->features == NULL) return a->features == b->features;
  return memcmp(a->features, b->features, count * sizeof *a->features) == 0;
}

size_t mk_set_borrow_pairs(mk_kernel_set *set, const mk_kernel_set *from) {
  size_t count = 0;
  for (size_t f = 0; f < set->families; f++) {
    mk_family *own = &set->family[f];
    for (size_t g = 0; g < from->families && own->geometry == NULL; g++) {
      const mk_family *other = &from->family[g];
      int serves = other->geometry != NULL && (!own->products || other->products);
      if (!serves || own->view == NULL || !same_features(own, other)) continue;
      own->geometry = other->geometry;
      own->borrowed = 1;
      count++;
    }
  }
  return count;
}

mk_status mk_kept_distances(const mk_kernel_set *set, size_t m, const int *row, size_t count,
                            const mk_control *control, double *out, int *kept) {
  MK_TRY(mk_geometry_need(set, control));
  const mk_geometry *pairs = set->family[set->member[m].family].geometry;
  *kept = pairs != NULL;
  for (size_t i = 0; *kept && i < count; i++)
    for (size_t j = 0; j < count; j++)
      out[i * count + j] = pairs->distance[(size_t)row[i] * set->n + (size_t)row[j]];
  return MK_OK;
}
