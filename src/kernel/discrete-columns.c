/* Kernels of single columns that take few values (genotypes, answers, classes as numbers): K
 * between the values is small, and with its pivoted Cholesky factor L'L such a kernel is a linear
 * one on the columns L_k(x_i). A set of these and of linear kernels is one of columns alone
 * (mathematics.md, 1). Called by optimizer/gram.c; certificates and predictions read the kernels as
 * they are. */
#include "base/memory.h"
#include "exact.h"
#include "features.h"
#include "internal.h"

#include <math.h>
#include <string.h>

#define MOST_VALUES 16   /* of a column, whose kernels may take as many columns each */
#define LOST_SHARE 1e-11 /* of the largest value, that a factor may miss: floats miss more */

/* What a family's column takes, each with a sample that has it. */
typedef struct levels {
  size_t count;
  double value[MOST_VALUES];
  int sample[MOST_VALUES];
} levels;

/* A kernel's factor: rank x MOST_VALUES. */
typedef struct factor {
  size_t rank;
  double row[MOST_VALUES * MOST_VALUES];
} factor;

typedef struct building {
  const mk_kernel_set *set;
  levels *level;   /* by family; count 0 for feature blocks */
  factor *factor;  /* by kernel */
  mk_exact *exact;
  mk_pool memory;
} building;

/* ---- which kernels ---- */

static size_t place_of(const levels *l, double value) {
  size_t k = 0;
  while (k < l->count && l->value[k] != value) k++;
  return k;
}

static int takes_few_values(const mk_family *family, levels *l) {
  const mk_view *view = family->view;
  const double *x = view->x + mk_family_feature(family, 0) * view->rows;
  for (size_t i = 0; i < view->rows; i++) {
    size_t k = place_of(l, x[i]);
    if (k < l->count) continue;
    if (k == MOST_VALUES) return 0;
    l->value[k] = x[i];
    l->sample[k] = (int)i;
    l->count++;
  }
  return 1;
}

/* All kernels but feature blocks are of one dense column that all samples have. */
static int is_candidate(const mk_kernel_set *set) {
  size_t others = 0;
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    if (family->type == MK_FAMILY_FEATURES) continue;
    if (family->type != MK_FAMILY_EUCLIDEAN || family->feature_count != 1) return 0;
    if (family->view->x == NULL || family->view->has != NULL) return 0;
    others++;
  }
  return others > 0 && mk_columns_are_few(others, set->n);
}

/* ---- factors ---- */

/* Where the diagonal is largest. */
static size_t largest_at(const double *K, size_t count) {
  size_t at = 0;
  for (size_t k = 1; k < count; k++)
    if (K[k * count + k] > K[at * count + at]) at = k;
  return at;
}

/* 1: the rows are K's factor but for rounding. */
static int factor_values(const double *K, size_t count, factor *out) {
  double left[MOST_VALUES * MOST_VALUES];
  size_t pivot = largest_at(K, count);
  double least = LOST_SHARE * K[pivot * count + pivot];
  memcpy(left, K, count * count * sizeof *K);
  for (out->rank = 0; out->rank < count; out->rank++, pivot = largest_at(left, count)) {
    double *row = out->row + out->rank * MOST_VALUES, value = left[pivot * count + pivot];
    if (!(value > least)) break;
    for (size_t k = 0; k < count; k++) row[k] = left[pivot * count + k] / sqrt(value);
    for (size_t j = 0; j < count; j++)
      for (size_t k = 0; k < count; k++) left[j * count + k] -= row[j] * row[k];
  }
  for (size_t k = 0; k < count * count; k++)
    if (!(fabs(left[k]) <= least)) return 0;
  return 1;
}

static mk_status factor_family(building *b, size_t f, size_t *columns, int *whole) {
  const mk_family *family = &b->set->family[f];
  levels *l = &b->level[f];
  double K[MOST_VALUES * MOST_VALUES];
  *whole = takes_few_values(family, l);
  if (!*whole) return MK_OK;
  mk_columns list = mk_list(l->sample, l->count);
  MK_TRY(mk_exact_block(b->exact, f, l->sample, l->count, &list));
  for (size_t k = 0; k < family->count && *whole; k++) {
    factor *made = &b->factor[family->member[k]];
    for (size_t r = 0; r < l->count; r++)
      mk_exact_values(b->exact, (size_t)family->member[k], r, K + r * l->count);
    *whole = factor_values(K, l->count, made);
    *columns += made->rank;
  }
  return MK_OK;
}

/* How many columns all kernels have; *whole: they are columns alone. */
static mk_status factor_all(building *b, size_t *columns, int *whole) {
  *whole = 1;
  for (size_t f = 0; f < b->set->families && *whole; f++) {
    const mk_family *family = &b->set->family[f];
    if (family->type != MK_FAMILY_FEATURES) {
      MK_TRY(factor_family(b, f, columns, whole));
      continue;
    }
    for (size_t k = 0; k < family->count; k++)
      *columns += mk_member_columns(b->set, (size_t)family->member[k]);
  }
  return MK_OK;
}

/* ---- columns ---- */

static void fill_feature(const mk_kernel_set *set, size_t m, size_t k, double *out) {
  const mk_member *member = &set->member[m];
  size_t j = mk_member_column(set, m, k), slot = set->features->from[member->spec.view] + j;
  double shift = member->centred ? set->features->shift[slot] : 0.0, size = sqrt(member->scale);
  mk_view_column(&set->view[member->spec.view], j, out);
  for (size_t i = 0; i < set->n; i++) out[i] = size * (out[i] - shift);
}

/* Those of kernel m from `out` on; how many. */
static size_t fill_columns(const building *b, size_t m, double *out) {
  const mk_kernel_set *set = b->set;
  size_t f = set->member[m].family, n = set->n;
  const levels *l = &b->level[f];
  if (set->family[f].type == MK_FAMILY_FEATURES) {
    for (size_t k = 0; k < mk_member_columns(set, m); k++) fill_feature(set, m, k, out + k * n);
    return mk_member_columns(set, m);
  }
  const double *x = set->family[f].view->x + mk_family_feature(&set->family[f], 0) * n;
  for (size_t i = 0; i < n; i++) {
    size_t at = place_of(l, x[i]);
    for (size_t k = 0; k < b->factor[m].rank; k++)
      out[k * n + i] = b->factor[m].row[k * MOST_VALUES + at];
  }
  return b->factor[m].rank;
}

/* A set of linear kernels on one view, which it owns. */
static mk_status make_set(const building *b, size_t columns, mk_kernel_set **out, mk_team *team) {
  size_t n = b->set->n, kernels = b->set->kernels, at = 0;
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, kernels);
  int *feature = MK_NEW(int, columns);
  double *x = MK_NEW(double, n *columns);
  mk_view view = {.rows = n, .cols = columns, .x = x};
  mk_status status = spec == NULL || feature == NULL || x == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t m = 0; status == MK_OK && m < kernels; m++) {
    size_t count = fill_columns(b, m, x + at * n);
    spec[m] = (mk_kernel_spec){.type = MK_LINEAR, .features = feature + at, .feature_count = count};
    for (size_t k = 0; k < count; k++, at++) feature[at] = (int)at;
  }
  if (status == MK_OK) status = mk_set_new(out, n, &view, 1, spec, kernels, team);
  if (status == MK_OK)
    (*out)->view[0].owned = x;
  else
    mk_free(x);
  mk_free(spec);
  mk_free(feature);
  return status;
}

mk_status mk_set_as_columns(mk_kernel_set **out, const mk_kernel_set *set, size_t bytes,
                            mk_team *team) {
  size_t columns = 0;
  int whole = 0;
  *out = NULL;
  if (!is_candidate(set)) return MK_OK;
  building b = {.set = set, .exact = mk_exact_new(set)};
  b.level = MK_TAKE0(&b.memory, levels, set->families);
  b.factor = MK_TAKE(&b.memory, factor, set->kernels);
  mk_status status = b.exact == NULL ? MK_NO_MEMORY : mk_pool_status(&b.memory);
  if (status == MK_OK) status = factor_all(&b, &columns, &whole);
  if (status == MK_OK && whole && columns > 0 && mk_columns_are_few(columns, set->n) &&
      columns <= bytes / sizeof(double) / set->n)
    status = make_set(&b, columns, out, team);
  mk_exact_free(b.exact);
  mk_pool_free(&b.memory);
  return status;
}
