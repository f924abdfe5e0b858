/* Kernels of low rank: polynomials of one or two columns, kernels on a column of few values
 * (genotypes, answers), wide Gaussians, some matrices. With a pivoted Cholesky factor, K = Z Z',
 * such a kernel is a linear one on the columns of Z, and a set of low-rank and linear kernels is
 * one of columns alone. Called by gram.c; certificates and predictions read the kernels as they
 * are. MATHEMATICS.md, section 3.4. */
#include "low-rank/low-rank.h"

#include "base/memory.h"
#include "exact/exact.h"
#include "kernel/structure.h"
#include "kernel/features.h"

#include <math.h>
#include <string.h>

/* largest number of features of a kernel whose rank is tried, since its values cost next to
 * nothing */
#define MOST_FEATURES 4
#define MOST_RANK 16 /* largest rank */
/* share of the largest value that Z may miss; rows of floats miss more */
#define LOST_SHARE 1e-11
#define FIRST_SAMPLES 64 /* evenly spaced samples whose rank is tried first */
#define CHECKED_ROWS 8   /* rows of K - Z Z' that are checked: an indefinite K has no such factor */

/* The factors of all kernels, and work space. */
typedef struct factoring {
  const mk_kernel_set *set;
  mk_exact *exact;
  const int *sample; /* samples whose rows of Z are computed; `every` for all */
  int *every;
  size_t count;
  double *left;   /* count: diagonal of K - Z Z' */
  double *value;  /* n */
  double *column; /* count x width: columns of the kernels so far, with memory for `room` */
  size_t width, room, most;
  mk_pool memory;
} factoring;

/* ---- one kernel ---- */

/* Computes a normalised row between one of the samples and all of them. */
static mk_status read_row(const factoring *f, size_t m, size_t at, double *out) {
  for (size_t from = 0; from < f->count; from += MK_EXACT_COLS) {
    size_t count = mk_smaller(MK_EXACT_COLS, f->count - from);
    mk_samples others = mk_list(f->sample + from, count);
    MK_TRY(mk_exact_block(f->exact, f->set->member[m].family, f->sample + at, 1, &others));
    mk_exact_values(f->exact, m, 0, out + from);
  }
  return MK_OK;
}

static mk_status read_diagonal(const factoring *f, size_t m) {
  const mk_member *member = &f->set->member[m];
  MK_TRY(mk_exact_diagonal(f->set, m, NULL, f->value));
  for (size_t k = 0; k < f->count; k++) {
    size_t i = (size_t)f->sample[k];
    double root = member->root != NULL ? member->root[i] : 1.0;
    f->left[k] = f->value[i];
    if (member->mean != NULL) f->left[k] += member->total - 2.0 * member->mean[i];
    f->left[k] *= member->scale * root * root;
  }
  return MK_OK;
}

/* Subtracts z(at) Z' over the kernel's columns from `first` on. */
static void subtract_known(const factoring *f, size_t first, size_t at, double *row) {
  for (size_t k = first; k < f->width; k++) {
    const double *z = f->column + k * f->count;
    f->set->simd->axpy(f->count, -z[at], z, row);
  }
}

static size_t largest_left(const factoring *f) {
  size_t at = 0;
  for (size_t k = 1; k < f->count; k++)
    if (f->left[k] > f->left[at]) at = k;
  return at;
}

static mk_status grow_columns(factoring *f) {
  if (f->width < f->room) return MK_OK;
  size_t room = f->room == 0 ? MOST_RANK : 2 * f->room;
  double *column = mk_grown(f->column, f->room * f->count, room * f->count, sizeof *column);
  if (column == NULL) return MK_NO_MEMORY;
  f->column = column;
  f->room = room;
  return MK_OK;
}

static mk_status add_factor(factoring *f, size_t m, size_t first, size_t pivot) {
  MK_TRY(grow_columns(f));
  double *z = f->column + f->width * f->count, root = sqrt(f->left[pivot]);
  MK_TRY(read_row(f, m, pivot, z));
  subtract_known(f, first, pivot, z);
  for (size_t k = 0; k < f->count; k++) {
    z[k] = root > 0.0 ? z[k] / root : 0.0;
    f->left[k] -= z[k] * z[k];
  }
  f->width++;
  return MK_OK;
}

/* Checks that the diagonal and some rows of K are those of Z Z'. */
static mk_status check_rows(const factoring *f, size_t m, size_t first, double lost, int *low) {
  for (size_t k = 0; k < f->count; k++) *low &= f->left[k] >= -lost;
  for (size_t c = 0; c < CHECKED_ROWS && *low; c++) {
    size_t at = c * (f->count - 1) / (CHECKED_ROWS - 1);
    MK_TRY(read_row(f, m, at, f->value));
    subtract_known(f, first, at, f->value);
    for (size_t k = 0; k < f->count; k++) *low &= fabs(f->value[k]) <= lost;
  }
  return MK_OK;
}

/* Adds the columns of kernel m, at least one. *low is 0 if more columns would be needed than are
 * few. */
static mk_status factor_kernel(factoring *f, size_t m, int *low) {
  size_t first = f->width, pivot;
  MK_TRY(read_diagonal(f, m));
  double lost = LOST_SHARE * f->left[largest_left(f)];
  while (f->left[pivot = largest_left(f)] > lost || f->width == first) {
    *low = f->width < f->most && f->width - first < MOST_RANK;
    if (!*low) return MK_OK;
    MK_TRY(add_factor(f, m, first, pivot));
  }
  return check_rows(f, m, first, 2.0 * lost, low);
}

/* Copies the columns of a feature block. */
static mk_status copy_features(factoring *f, size_t m, int *low) {
  const mk_kernel_set *set = f->set;
  const mk_member *member = &set->member[m];
  for (size_t k = 0; k < mk_member_columns(set, m); k++, f->width++) {
    size_t j = mk_member_column(set, m, k), id = set->features->from[member->spec.view] + j;
    double shift = member->centred ? set->features->shift[id] : 0.0, size = sqrt(member->scale);
    *low = f->width < f->most;
    if (!*low) return MK_OK;
    MK_TRY(grow_columns(f));
    mk_view_column(&set->view[member->spec.view], j, f->value);
    for (size_t i = 0; i < f->count; i++)
      f->column[f->width * f->count + i] = size * (f->value[f->sample[i]] - shift);
  }
  return MK_OK;
}

/* ---- all kernels ---- */

static int is_candidate(const mk_kernel_set *set) {
  size_t others = 0;
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    if (mk_family_has_blocks(family)) continue;
    int euclidean = mk_family_is_euclidean(family) && family->feature_count <= MOST_FEATURES;
    if (!euclidean && !mk_family_has_matrices(family)) return 0;
    others += family->count;
  }
  return others > 0;
}

/* Factors all kernels; `start` gets the first column of each kernel, and the end. */
static mk_status factor_all(factoring *f, size_t *start, int *low) {
  *low = 1;
  f->width = f->room = 0;
  for (size_t m = 0; m < f->set->kernels && *low; m++) {
    int features = mk_family_explicit(f->set, f->set->member[m].family);
    start[m] = f->width;
    MK_TRY(features ? copy_features(f, m, low) : factor_kernel(f, m, low));
  }
  start[f->set->kernels] = f->width;
  return MK_OK;
}

/* Factors on some samples first, since that takes no time and most sets fail there. */
static mk_status factor_twice(factoring *f, size_t *start, int *low) {
  int some[FIRST_SAMPLES];
  size_t n = f->set->n;
  for (size_t k = 0; k < FIRST_SAMPLES; k++) some[k] = (int)(k * (n - 1) / (FIRST_SAMPLES - 1));
  f->sample = some;
  f->count = FIRST_SAMPLES;
  mk_status status = factor_all(f, start, low);
  mk_free(f->column);
  f->column = NULL;
  if (status != MK_OK || !*low) return status;
  f->sample = f->every;
  f->count = n;
  return factor_all(f, start, low);
}

/* Makes linear kernels on the columns, which the set then owns. */
static mk_status make_set(factoring *f, const size_t *start, mk_kernel_set **out, mk_team *team) {
  size_t kernels = f->set->kernels;
  mk_kernel_spec *spec = MK_TAKE0(&f->memory, mk_kernel_spec, kernels);
  int *feature = MK_TAKE(&f->memory, int, f->width);
  mk_view view = {.rows = f->set->n, .cols = f->width, .x = f->column};
  MK_TRY(mk_pool_status(&f->memory));
  for (size_t k = 0; k < f->width; k++) feature[k] = (int)k;
  for (size_t m = 0; m < kernels; m++)
    spec[m] = (mk_kernel_spec){.type = MK_LINEAR,
                               .features = feature + start[m],
                               .feature_count = start[m + 1] - start[m]};
  MK_TRY(mk_set_new(out, f->set->n, &view, 1, spec, kernels, team));
  (*out)->view[0].owned = f->column;
  f->column = NULL;
  return MK_OK;
}

mk_status mk_set_as_columns(mk_kernel_set **out, const mk_kernel_set *set, size_t bytes,
                            mk_team *team) {
  int low = 0;
  *out = NULL;
  if (!is_candidate(set) || !mk_columns_are_few(1, set->n)) return MK_OK;
  factoring f = {.set = set, .exact = mk_exact_new(set)};
  f.most = mk_smaller(set->n, bytes / sizeof(double) / set->n);
  while (f.most > 0 && !mk_columns_are_few(f.most, set->n)) f.most--;
  size_t *start = MK_TAKE(&f.memory, size_t, set->kernels + 1);
  f.left = MK_TAKE(&f.memory, double, set->n);
  f.value = MK_TAKE(&f.memory, double, set->n);
  f.every = MK_TAKE(&f.memory, int, set->n);
  mk_status status = f.exact == NULL ? MK_NO_MEMORY : mk_pool_status(&f.memory);
  for (size_t i = 0; status == MK_OK && i < set->n; i++) f.every[i] = (int)i;
  if (status == MK_OK) status = factor_twice(&f, start, &low);
  if (status == MK_OK && low) status = make_set(&f, start, out, team);
  mk_free(f.column);
  mk_exact_free(f.exact);
  mk_pool_free(&f.memory);
  return status;
}
