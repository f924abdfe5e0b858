/* Builds kernel sets: kernels on the same view and features form a family. Every fit and prediction
 * begins here (rglue/set.c, sequential/). MATHEMATICS.md, section 4.1. */
#include "kernel/set.h"

#include "base/memory.h"
#include "kernel/constants.h"
#include "kernel/features.h"
#include "kernel/functions.h"
#include "kernel/geometry.h"
#include "kernel/kinds.h"
#include "kernel/local-columns.h"
#include "kernel/local.h"
#include "kernel/norms.h"
#include "kernel/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int valid_spec(const mk_kernel_spec *spec, const mk_view *views, size_t view_count) {
  const mk_kind *kind = mk_kind_of(spec->type);
  if (kind == NULL) return 0;
  if (kind->base != MK_FAMILY_EUCLIDEAN) return kind->valid(spec, NULL);
  if (spec->view < 0 || (size_t)spec->view >= view_count) return 0;
  if (spec->features != NULL) {
    if (spec->feature_count == 0) return 0;
    for (size_t k = 0; k < spec->feature_count; k++)
      if (spec->features[k] < 0 || (size_t)spec->features[k] >= views[spec->view].cols ||
          (k > 0 && spec->features[k] <= spec->features[k - 1]))
        return 0;
  }
  return kind->valid == NULL || kind->valid(spec, &views[spec->view]);
}

/* ---- grouping ---- */

typedef struct sortable {
  const mk_kernel_spec *spec;
  mk_family_type type;
  int kernel;
} sortable;

/* Compares families by type, view and features. */
static int compare_families(const sortable *x, const sortable *y) {
  const mk_kernel_spec *a = x->spec, *b = y->spec;
  if (x->type != y->type) return x->type < y->type ? -1 : 1;
  if (x->type != MK_FAMILY_EUCLIDEAN) return 0;
  if (a->view != b->view) return a->view - b->view;
  if (a->features == b->features && a->feature_count == b->feature_count) return 0;
  if (a->features == NULL || b->features == NULL) return a->features == NULL ? -1 : 1;
  if (a->feature_count != b->feature_count) return a->feature_count < b->feature_count ? -1 : 1;
  return memcmp(a->features, b->features, a->feature_count * sizeof(int));
}

static int compare_sortables(const void *a, const void *b) {
  const sortable *x = a, *y = b;
  int order = compare_families(x, y);
  return order != 0 ? order : x->kernel - y->kernel;
}

/* Returns the end of the family that begins at `from`. Each function kernel is a family of its
 * own. */
static size_t family_end(const sortable *sorted, size_t from, size_t count) {
  size_t to = from + 1;
  if (sorted[from].type == MK_FAMILY_CALLBACK) return to;
  while (to < count && compare_families(&sorted[from], &sorted[to]) == 0) to++;
  return to;
}

/* Makes one family of feature blocks out of the linear kernels that share no distances with kernels
 * of other types and are not scaled by sample. */
static void choose_feature_blocks(const mk_kernel_set *set, sortable *sorted, char *chosen) {
  for (size_t from = 0, to; from < set->kernels; from = to) {
    int linear = 1;
    to = family_end(sorted, from, set->kernels);
    for (size_t k = from; k < to; k++)
      linear &= mk_member_is_linear(&set->member[sorted[k].kernel]);
    for (size_t k = from; k < to; k++)
      chosen[sorted[k].kernel] = (char)(linear && !set->member[sorted[k].kernel].rooted);
  }
  if (!mk_features_worthwhile(set, chosen)) return;
  for (size_t k = 0; k < set->kernels; k++)
    if (chosen[sorted[k].kernel]) sorted[k].type = MK_FAMILY_FEATURES;
  qsort(sorted, set->kernels, sizeof *sorted, compare_sortables);
}

/* Fills family f with kernels from .. to of the sorted list. */
static void fill_family(mk_kernel_set *set, size_t f, const sortable *sorted, size_t from,
                        size_t to, int **features) {
  const mk_kernel_spec *spec = sorted[from].spec;
  mk_family *family = &set->family[f];
  *family = (mk_family){.type = sorted[from].type, .member = set->order + from, .count = to - from};
  if (mk_family_has_matrices(family)) set->matrices = f;
  if (mk_family_is_euclidean(family)) {
    family->view = &set->view[spec->view];
    family->feature_count = spec->features != NULL ? spec->feature_count : family->view->cols;
    if (spec->features != NULL) {
      family->features = *features;
      memcpy(*features, spec->features, spec->feature_count * sizeof(int));
      *features += spec->feature_count;
    }
  }
  for (size_t k = from; k < to; k++) {
    mk_member *member = &set->member[sorted[k].kernel];
    set->order[k] = sorted[k].kernel;
    member->family = f;
    family->products |= member->kind->base == MK_FAMILY_EUCLIDEAN && member->kind->products;
  }
}

/* Copies the features, which belonged to the caller until here. */
static mk_status own_features(mk_kernel_set *set, mk_team *team) {
  const mk_family *last = &set->family[set->families - 1];
  if (mk_family_has_blocks(last)) MK_TRY(mk_features_new(set, last->member, last->count, team));
  for (size_t f = 0; f < set->families; f++)
    for (size_t k = 0; k < set->family[f].count; k++) {
      mk_kernel_spec *spec = &set->member[set->family[f].member[k]].spec;
      if (!mk_family_has_blocks(&set->family[f]))
        spec->features = set->family[f].features;
      else if (spec->features != NULL)
        spec->features = set->features->column + set->features->start[k];
    }
  return MK_OK;
}

static mk_status group_families(mk_kernel_set *set, sortable *sorted, char *chosen, mk_team *team) {
  size_t columns = 0, families = 0;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    sorted[m] = (sortable){&member->spec, member->kind->base, (int)m};
  }
  qsort(sorted, set->kernels, sizeof *sorted, compare_sortables);
  choose_feature_blocks(set, sorted, chosen);
  for (size_t k = 0; k < set->kernels; k = family_end(sorted, k, set->kernels)) {
    families++;
    if (sorted[k].type == MK_FAMILY_EUCLIDEAN && sorted[k].spec->features != NULL)
      columns += sorted[k].spec->feature_count;
  }
  int *features = MK_TAKE(&set->grouping, int, columns);
  set->family = MK_TAKE(&set->grouping, mk_family, families);
  MK_TRY(mk_pool_status(&set->grouping));
  set->families = 0;
  set->matrices = families;
  for (size_t from = 0, to; from < set->kernels; from = to) {
    to = family_end(sorted, from, set->kernels);
    fill_family(set, set->families++, sorted, from, to, &features);
  }
  return own_features(set, team);
}

/* ---- life ---- */

static mk_status form_families(mk_kernel_set *set, mk_team *team) {
  mk_pool pool = {NULL, 0, 0};
  sortable *sorted = MK_TAKE(&pool, sortable, set->kernels);
  char *chosen = MK_TAKE0(&pool, char, set->kernels);
  mk_status status = mk_pool_status(&pool);
  for (size_t m = 0; m < set->kernels; m++) {
    set->member[m].kind = mk_kind_of(set->member[m].spec.type);
    set->member[m].tabled = set->member[m].slot = -1;
  }
  if (status == MK_OK) status = group_families(set, sorted, chosen, team);
  mk_pool_free(&pool);
  for (size_t f = 0; status == MK_OK && f < set->families; f++) {
    if (!mk_family_is_euclidean(&set->family[f])) continue;
    MK_TRY(mk_local_build(set, &set->family[f], team));
    MK_TRY(mk_squares_build(set, &set->family[f]));
  }
  return status;
}

static void free_families(mk_family *family, size_t count, mk_pool *grouping) {
  for (size_t f = 0; f < count; f++) {
    mk_geometry_free(&family[f]);
    mk_pool_free(&family[f].pool);
  }
  mk_pool_free(grouping);
}

mk_status mk_set_separate(mk_kernel_set *set, const int *rooted, mk_team *team) {
  int moves = 0;
  for (size_t m = 0; m < set->kernels; m++) {
    set->member[m].rooted = rooted[m];
    moves |= rooted[m] && mk_family_explicit(set, set->member[m].family);
  }
  if (!moves) return MK_OK;
  mk_family *family = set->family;
  mk_pool grouping = set->grouping;
  size_t families = set->families;
  set->families = 0;
  set->features = NULL;
  set->grouping = (mk_pool){NULL, 0, 0};
  mk_status status = form_families(set, team); /* the old lists of features are needed until here */
  free_families(family, families, &grouping);
  return status;
}

/* Allocates the diagonal of kernel m; that of a function is not known yet. */
static mk_status open_diagonal(mk_kernel_set *set, size_t m) {
  mk_member *member = &set->member[m];
  mk_family_type base = mk_kind_of(member->spec.type)->base;
  if (base == MK_FAMILY_EUCLIDEAN) return MK_OK;
  member->diagonal = MK_TAKE(&set->pool, double, set->n);
  MK_TRY(mk_pool_status(&set->pool));
  for (size_t i = 0; i < set->n; i++)
    member->diagonal[i] =
        base == MK_FAMILY_CALLBACK ? NAN : mk_row_at(mk_matrix_row(set, &member->spec, i, i), 0);
  return MK_OK;
}

static mk_status take_specs(mk_kernel_set *set, const mk_kernel_spec *specs, mk_team *team) {
  for (size_t m = 0; m < set->kernels; m++) {
    if (!valid_spec(&specs[m], set->view, set->views)) return MK_BAD_ARGUMENT;
    set->member[m] = (mk_member){.spec = specs[m], .kind = mk_kind_of(specs[m].type), .scale = 1.0};
    MK_TRY(open_diagonal(set, m));
  }
  MK_TRY(mk_local_columns(set, set->views));
  return form_families(set, team);
}

/* Builds a set. The caller frees the set, even if it is half-built. */
static mk_status open_set(mk_kernel_set **out, size_t n, size_t view_count, size_t kernel_count) {
  *out = NULL;
  if (n == 0 || kernel_count == 0 || n > 0x7fffffff || kernel_count > 0x7fffffff)
    return MK_BAD_ARGUMENT;
  mk_kernel_set *set = *out = MK_NEW0(mk_kernel_set, 1);
  if (set == NULL) return MK_NO_MEMORY;
  set->n = n;
  set->kernels = kernel_count;
  set->simd = mk_simd_best();
  set->views = view_count;
  set->member = MK_TAKE0(&set->pool, mk_member, kernel_count);
  set->order = MK_TAKE(&set->pool, int, kernel_count);
  return mk_pool_status(&set->pool);
}

mk_status mk_set_new(mk_kernel_set **out, size_t n, const mk_view *views, size_t view_count,
                     const mk_kernel_spec *specs, size_t kernel_count, mk_team *team) {
  MK_TRY(open_set(out, n, view_count, kernel_count));
  mk_kernel_set *set = *out;
  set->view = MK_TAKE0(&set->pool, mk_view, view_count);
  MK_TRY(mk_pool_status(&set->pool));
  for (size_t v = 0; v < view_count; v++) set->view[v] = views[v];
  for (size_t v = 0; v < view_count; v++) {
    if (views[v].rows != n) return MK_BAD_ARGUMENT;
    MK_TRY(mk_view_prepare(&set->view[v], team));
    if (views[v].x == NULL && views[v].cols > set->deepest) set->deepest = views[v].cols;
  }
  return take_specs(set, specs, team);
}

/* Copies a kernel's normalisation. A linear kernel may have a base in one set and be a feature
 * block in the other. */
static mk_status copy_normalization(mk_kernel_set *set, size_t m, const mk_member *from) {
  if (mk_member_is_linear(from) && from->root == NULL)
    return mk_linear_normalize(set, m, from->scale, from->centred || from->mean != NULL, set->n,
                               NULL);
  return mk_set_normalization(set, m, from->scale, from->mean, from->total, from->root);
}

/* Builds a set that reads the views of another one. */
static mk_status open_beside(mk_kernel_set **out, const mk_kernel_set *set, size_t kernel_count) {
  MK_TRY(open_set(out, set->n, set->views, kernel_count));
  (*out)->view = set->view;
  (*out)->lent = set->views;
  (*out)->deepest = set->deepest;
  return MK_OK;
}

mk_status mk_set_beside(mk_kernel_set **out, const mk_kernel_set *set, const mk_kernel_spec *specs,
                        size_t kernel_count, mk_team *team) {
  MK_TRY(open_beside(out, set, kernel_count));
  return take_specs(*out, specs, team);
}

mk_status mk_set_subset(mk_kernel_set **out, const mk_kernel_set *set, const int *kernels,
                        size_t count, mk_team *team) {
  MK_TRY(open_beside(out, set, count));
  mk_kernel_set *subset = *out;
  for (size_t k = 0; k < count; k++) {
    const mk_member *from = &set->member[kernels[k]];
    subset->member[k] = (mk_member){.spec = from->spec, .scale = 1.0, .rooted = from->rooted};
    MK_TRY(open_diagonal(subset, k));
    subset->member[k].value = from->value;
    subset->member[k].value_lent = 1;
    if (mk_member_is_function(from))
      memcpy(subset->member[k].diagonal, from->diagonal, set->n * sizeof(double));
  }
  MK_TRY(form_families(subset, team));
  for (size_t k = 0; k < count; k++)
    MK_TRY(copy_normalization(subset, k, &set->member[kernels[k]]));
  return MK_OK;
}

void mk_set_free(mk_kernel_set *set) {
  if (set == NULL) return;
  for (size_t v = set->lent; set->view != NULL && v < set->views; v++) mk_view_clear(&set->view[v]);
  for (size_t m = 0; set->member != NULL && m < set->kernels; m++) {
    mk_free(set->member[m].mean);
    mk_free(set->member[m].root);
    if (!set->member[m].value_lent) mk_free(set->member[m].value);
  }
  free_families(set->family, set->families, &set->grouping);
  mk_pool_free(&set->pool);
  mk_free(set);
}

mk_status mk_set_width(mk_kernel_set *set, size_t m, double width) {
  mk_kernel_spec spec = set->member[m].spec;
  spec.width = width;
  if (!mk_member_is_gaussian(&set->member[m]) || set->member[m].tabled >= 0 ||
      !valid_spec(&spec, set->view, set->views))
    return MK_BAD_ARGUMENT;
  set->member[m].spec = spec;
  return MK_OK;
}

int mk_family_has_base(const mk_kernel_set *set, size_t f) {
  return !mk_family_has_matrices(&set->family[f]) && !mk_family_has_blocks(&set->family[f]);
}

int mk_family_serial(const mk_kernel_set *set, size_t f) {
  const mk_family *family = &set->family[f];
  return mk_family_is_function(family) && !set->member[family->member[0]].spec.thread_safe;
}

/* The roots of a Gaussian that is not centred are all 1, so they change nothing. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width) {
  const mk_member *member = &set->member[m];
  *width = member->spec.width;
  return mk_member_is_gaussian(member) && member->mean == NULL;
}

int mk_set_calls_back(const mk_kernel_set *set) {
  for (size_t f = 0; f < set->families; f++)
    if (mk_family_serial(set, f)) return 1;
  return 0;
}

int mk_set_has_quick_pairs(const mk_kernel_set *set) {
  int pairs = 0;
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    if (mk_family_has_blocks(family)) continue;
    if (!mk_family_is_euclidean(family) || family->view->x == NULL ||
        family->feature_count > MK_NOT_MANY_FEATURES)
      return 0;
    pairs = 1;
  }
  return pairs;
}

size_t mk_set_samples(const mk_kernel_set *set) {
  return set->n;
}
size_t mk_set_kernels(const mk_kernel_set *set) {
  return set->kernels;
}
size_t mk_set_views(const mk_kernel_set *set) {
  return set->views;
}
size_t mk_set_view_columns(const mk_kernel_set *set, size_t view) {
  return set->view[view].cols;
}
size_t mk_set_families(const mk_kernel_set *set) {
  return set->families;
}
size_t mk_family_size(const mk_kernel_set *set, size_t f) {
  return set->family[f].count;
}
size_t mk_family_member(const mk_kernel_set *set, size_t f, size_t k) {
  return (size_t)set->family[f].member[k];
}
size_t mk_family_of(const mk_kernel_set *set, size_t m) {
  return set->member[m].family;
}

size_t mk_set_bytes(const mk_kernel_set *set) {
  size_t bytes = set->pool.bytes + set->grouping.bytes, vectors = 0;
  for (size_t f = 0; f < set->families; f++)
    bytes += set->family[f].pool.bytes + mk_geometry_bytes(&set->family[f]);
  for (size_t v = 0; v < set->views; v++) {
    if (set->view[v].row_start != NULL)
      bytes += set->view[v].row_start[set->n] * (sizeof(double) + sizeof(int));
    if (set->view[v].owned != NULL) vectors += set->view[v].cols;
  }
  for (size_t m = 0; m < set->kernels; m++)
    vectors += (size_t)(set->member[m].mean != NULL) + (size_t)(set->member[m].root != NULL);
  return bytes + vectors * set->n * sizeof(double) + mk_set_value_bytes(set);
}
