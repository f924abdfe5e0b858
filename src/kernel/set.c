/* Building a kernel set: kernels on the same view and features form a family. */
#include "base/memory.h"
#include "features.h"
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_euclidean(mk_kernel_type type) {
  return type == MK_LINEAR || type == MK_POLYNOMIAL || type == MK_GAUSSIAN ||
         type == MK_LOCALLY_LINEAR;
}

static int valid_local(const mk_kernel_spec *spec, const mk_view *view) {
  size_t depth = spec->features != NULL ? spec->feature_count : view->cols;
  if (spec->map < 1 || spec->map > MK_LOCAL_MAPS || spec->anchor == NULL) return 0;
  for (size_t k = 0; k < depth; k++)
    if (!isfinite(spec->anchor[k])) return 0;
  return isfinite(spec->gamma) && spec->gamma > 0;
}

static int valid_spec(const mk_kernel_spec *spec, const mk_view *views, size_t view_count) {
  if (spec->type == MK_PRECOMPUTED) return spec->matrix != NULL;
  if (spec->type == MK_FUNCTION) return spec->function != NULL;
  if (!is_euclidean(spec->type) || spec->view < 0 || (size_t)spec->view >= view_count) return 0;
  if (spec->features != NULL) {
    if (spec->feature_count == 0) return 0;
    for (size_t k = 0; k < spec->feature_count; k++)
      if (spec->features[k] < 0 || (size_t)spec->features[k] >= views[spec->view].cols ||
          (k > 0 && spec->features[k] <= spec->features[k - 1]))
        return 0;
  }
  if (spec->type == MK_GAUSSIAN) return isfinite(spec->width) && spec->width > 0;
  if (spec->type == MK_POLYNOMIAL)
    return spec->degree >= 1 && spec->degree <= 100 && spec->degree == floor(spec->degree) &&
           isfinite(spec->scale) && isfinite(spec->offset);
  if (spec->type == MK_LOCALLY_LINEAR) return valid_local(spec, &views[spec->view]);
  return 1;
}

/* ---- grouping ---- */

/* Families in the order of a sort: type, view, features; callbacks stand alone. */
static int family_rank(const mk_kernel_spec *spec) {
  return is_euclidean(spec->type) ? 0 : spec->type == MK_PRECOMPUTED ? 1 : 2;
}

static int compare_specs(const mk_kernel_spec *a, const mk_kernel_spec *b) {
  if (family_rank(a) != family_rank(b)) return family_rank(a) - family_rank(b);
  if (family_rank(a) != 0) return 0;
  if (a->view != b->view) return a->view - b->view;
  if (a->features == b->features && a->feature_count == b->feature_count) return 0;
  if (a->features == NULL || b->features == NULL) return a->features == NULL ? -1 : 1;
  if (a->feature_count != b->feature_count) return a->feature_count < b->feature_count ? -1 : 1;
  return memcmp(a->features, b->features, a->feature_count * sizeof(int));
}

typedef struct sortable {
  const mk_kernel_spec *spec;
  int kernel;
} sortable;

static int compare_sortables(const void *a, const void *b) {
  const sortable *x = a, *y = b;
  int order = compare_specs(x->spec, y->spec);
  return order != 0 ? order : x->kernel - y->kernel;
}

static int same_family(const mk_kernel_spec *a, const mk_kernel_spec *b) {
  return compare_specs(a, b) == 0 && family_rank(a) != 2;
}

static void start_family(mk_kernel_set *set, mk_family *family, size_t at, size_t *features) {
  const mk_kernel_spec *spec = &set->member[set->order[at]].spec;
  family->type = (mk_family_type)family_rank(spec);
  family->member = set->order + at;
  family->tabled = set->tabled + at;
  if (family->type != MK_FAMILY_EUCLIDEAN) return;
  family->view = &set->view[spec->view];
  family->feature_count = family->view->cols;
  if (spec->features != NULL) {
    family->feature_count = spec->feature_count;
    family->features = set->feature_store + *features;
    memcpy(set->feature_store + *features, spec->features, spec->feature_count * sizeof(int));
    *features += spec->feature_count;
  }
}

/* Sorts the specs of all kernels with mark[m] == wanted; returns their number. */
static size_t sort_specs(const mk_kernel_set *set, const char *mark, char wanted,
                         sortable *sorted) {
  size_t count = 0;
  for (size_t m = 0; m < set->kernels; m++)
    if (mark[m] == wanted) sorted[count++] = (sortable){&set->member[m].spec, (int)m};
  qsort(sorted, count, sizeof *sorted, compare_sortables);
  return count;
}

/* Marks the linear kernels that become feature blocks: those that share no
 * distances with kernels of other types and are not scaled by sample. */
static void choose_feature_blocks(const mk_kernel_set *set, sortable *sorted, char *chosen) {
  int others = 0;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    chosen[m] = is_euclidean(member->spec.type);
    others |= chosen[m] && member->spec.type != MK_LINEAR;
  }
  size_t count = others ? sort_specs(set, chosen, 1, sorted) : 0;
  for (size_t from = 0, to; from < count; from = to) {
    int alone = 1;
    for (to = from; to < count && same_family(sorted[from].spec, sorted[to].spec); to++)
      alone &= sorted[to].spec->type == MK_LINEAR;
    for (size_t k = from; k < to; k++) chosen[sorted[k].kernel] = (char)alone;
  }
  for (size_t m = 0; m < set->kernels; m++) chosen[m] &= !set->member[m].rooted;
  if (!mk_features_worthwhile(set, chosen)) memset(chosen, 0, set->kernels);
}

/* The chosen kernels, behind all others, as one family. */
static mk_status append_features(mk_kernel_set *set, const char *chosen, size_t from,
                                 mk_team *team) {
  if (from == set->kernels) return MK_OK;
  mk_family *family = &set->family[set->families - 1];
  size_t at = from;
  family->type = MK_FAMILY_FEATURES;
  family->member = set->order + from;
  family->tabled = set->tabled + from;
  family->count = set->kernels - from;
  for (size_t m = 0; m < set->kernels; m++)
    if (chosen[m]) {
      set->order[at++] = (int)m;
      set->member[m].family = set->families - 1;
    }
  MK_TRY(mk_features_new(&set->features, set, family->member, family->count, team));
  for (size_t k = 0; k < family->count; k++) {
    mk_kernel_spec *spec = &set->member[family->member[k]].spec;
    if (spec->features != NULL) spec->features = set->features->column + set->features->start[k];
  }
  return MK_OK;
}

static mk_status group_sorted(mk_kernel_set *set, sortable *sorted, char *chosen, mk_team *team) {
  size_t families = 0, features = 0;
  choose_feature_blocks(set, sorted, chosen);
  size_t kernels = sort_specs(set, chosen, 0, sorted);
  for (size_t k = 0; k < kernels; k++) {
    set->order[k] = sorted[k].kernel;
    if (k == 0 || !same_family(sorted[k - 1].spec, sorted[k].spec)) {
      families++;
      features += sorted[k].spec->features != NULL ? sorted[k].spec->feature_count : 0;
    }
  }
  set->families = families + (kernels < set->kernels);
  set->matrices = set->families;
  set->family = MK_NEW0(mk_family, set->families);
  set->feature_store = MK_NEW(int, features + 1);
  if (set->family == NULL || set->feature_store == NULL) return MK_NO_MEMORY;
  size_t f = 0;
  features = 0;
  for (size_t k = 0; k < kernels; k++) {
    if (k == 0 || !same_family(sorted[k - 1].spec, sorted[k].spec))
      start_family(set, &set->family[f++], k, &features);
    set->family[f - 1].count++;
    if (set->family[f - 1].type == MK_FAMILY_MATRICES) set->matrices = f - 1;
    set->member[set->order[k]].family = f - 1;
  }
  /* features were the caller's until here */
  for (size_t k = 0; k < kernels; k++) {
    mk_member *member = &set->member[set->order[k]];
    member->spec.features = set->family[member->family].features;
  }
  return append_features(set, chosen, kernels, team);
}

static mk_status group_families(mk_kernel_set *set, mk_team *team) {
  sortable *sorted = MK_NEW(sortable, set->kernels);
  char *chosen = MK_NEW0(char, set->kernels);
  mk_status status = MK_NO_MEMORY;
  if (sorted != NULL && chosen != NULL) status = group_sorted(set, sorted, chosen, team);
  mk_free(sorted);
  mk_free(chosen);
  return status;
}

/* ---- squared norms ---- */

/* out_i += weight * |x_i|^2 over the family's features, column by column, of
 * the data as they are or (dense) with the column means removed. */
static void add_squares(const mk_family *family, double weight, int centred, double *out) {
  const mk_view *view = family->view;
  for (size_t k = 0; k < family->feature_count; k++) {
    size_t j = mk_family_feature(family, k);
    if (view->x == NULL) {
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        out[view->row[e]] += weight * view->value[e] * view->value[e];
      continue;
    }
    const double *column = view->x + j * view->rows;
    double centre = centred ? mk_view_mean(view, j) : 0.0;
    for (size_t i = 0; i < view->rows; i++)
      out[i] += weight * (column[i] - centre) * (column[i] - centre);
  }
}

static int needs_products(const mk_kernel_set *set, const mk_family *family) {
  for (size_t k = 0; k < family->count; k++) {
    mk_kernel_type type = set->member[family->member[k]].spec.type;
    if (type == MK_LINEAR || type == MK_POLYNOMIAL) return 1;
  }
  return 0;
}

static mk_status prepare_norms(mk_kernel_set *set, mk_family *family) {
  const mk_view *view = family->view;
  if (needs_products(set, family)) {
    family->raw_half_square = MK_NEW0(double, set->n);
    if (family->raw_half_square == NULL) return MK_NO_MEMORY;
    add_squares(family, 0.5, 0, family->raw_half_square);
  }
  if (view->x != NULL && family->feature_count <= MK_FEW_FEATURES) return MK_OK;
  family->square = MK_NEW0(double, set->n);
  if (family->square == NULL) return MK_NO_MEMORY;
  add_squares(family, 1.0, 1, family->square);
  return MK_OK;
}

static mk_status copy_diagonal(mk_member *member, size_t n) {
  member->diagonal = MK_NEW(double, n);
  if (member->diagonal == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) member->diagonal[i] = member->spec.matrix[i * n + i];
  return MK_OK;
}

/* ---- life ---- */

static mk_status form_families(mk_kernel_set *set, mk_team *team) {
  for (size_t m = 0; m < set->kernels; m++) set->member[m].tabled = set->member[m].slot = -1;
  MK_TRY(group_families(set, team));
  for (size_t f = 0; f < set->families; f++) {
    if (set->family[f].type != MK_FAMILY_EUCLIDEAN) continue;
    MK_TRY(prepare_norms(set, &set->family[f]));
    if (!set->bare) MK_TRY(mk_table_build(set, &set->family[f]));
    MK_TRY(mk_local_build(set, &set->family[f], team));
  }
  return MK_OK;
}

static void free_families(mk_family *family, size_t count, int *feature_store,
                          mk_features *features) {
  for (size_t f = 0; family != NULL && f < count; f++) {
    mk_free(family[f].square);
    mk_free(family[f].raw_half_square);
    mk_geometry_free(&family[f]);
    mk_table_clear(&family[f]);
    mk_local_free(family[f].local);
  }
  mk_free(family);
  mk_free(feature_store);
  mk_features_free(features);
}

mk_status mk_set_separate(mk_kernel_set *set, const int *rooted, mk_team *team) {
  int moves = 0;
  for (size_t m = 0; m < set->kernels; m++) {
    set->member[m].rooted = rooted[m];
    moves |= rooted[m] && mk_family_explicit(set, set->member[m].family);
  }
  if (!moves) return MK_OK;
  mk_family *family = set->family;
  int *feature_store = set->feature_store;
  mk_features *features = set->features;
  size_t families = set->families;
  set->family = NULL;
  set->feature_store = NULL;
  set->features = NULL;
  mk_status status = form_families(set, team); /* the old lists of features serve until here */
  free_families(family, families, feature_store, features);
  return status;
}

static mk_status take_specs(mk_kernel_set *set, const mk_kernel_spec *specs) {
  for (size_t m = 0; m < set->kernels; m++) {
    if (!valid_spec(&specs[m], set->view, set->views)) return MK_BAD_ARGUMENT;
    set->member[m] = (mk_member){.spec = specs[m], .scale = 1.0};
    if (specs[m].type == MK_PRECOMPUTED) MK_TRY(copy_diagonal(&set->member[m], set->n));
  }
  return MK_OK;
}

static mk_status build(mk_kernel_set *set, const mk_kernel_spec *specs, mk_team *team) {
  for (size_t v = 0; v < set->views; v++) {
    if (set->view[v].rows != set->n) return MK_BAD_ARGUMENT;
    MK_TRY(mk_view_prepare(&set->view[v], team));
    if (set->view[v].x == NULL && set->view[v].cols > set->deepest)
      set->deepest = set->view[v].cols;
  }
  MK_TRY(take_specs(set, specs));
  MK_TRY(mk_local_columns(set, set->views));
  return form_families(set, team);
}

/* A half-built set is the caller's to free. */
static mk_status open_set(mk_kernel_set **out, size_t n, const mk_view *views, size_t view_count,
                          size_t kernel_count) {
  *out = NULL;
  if (n == 0 || kernel_count == 0 || n > 0x7fffffff || kernel_count > 0x7fffffff)
    return MK_BAD_ARGUMENT;
  mk_kernel_set *set = MK_NEW0(mk_kernel_set, 1);
  if (set == NULL) return MK_NO_MEMORY;
  *out = set;
  set->n = n;
  set->kernels = kernel_count;
  set->simd = mk_simd_best();
  set->view = MK_NEW0(mk_view, view_count + 1);
  if (set->view == NULL) return MK_NO_MEMORY;
  set->views = view_count;
  if (view_count > 0) memcpy(set->view, views, view_count * sizeof *views);
  set->member = MK_NEW0(mk_member, kernel_count);
  set->order = MK_NEW(int, kernel_count);
  set->tabled = MK_NEW(int, kernel_count);
  return set->member == NULL || set->order == NULL || set->tabled == NULL ? MK_NO_MEMORY : MK_OK;
}

mk_status mk_set_new(mk_kernel_set **out, size_t n, const mk_view *views, size_t view_count,
                     const mk_kernel_spec *specs, size_t kernel_count, mk_team *team) {
  MK_TRY(open_set(out, n, views, view_count, kernel_count));
  return build(*out, specs, team);
}

/* Linear kernels may have a base in the one set and be columns in the other. */
static mk_status copy_normalization(mk_kernel_set *set, size_t m, const mk_member *from) {
  if (from->spec.type == MK_LINEAR && from->root == NULL)
    return mk_linear_normalize(set, m, from->scale, from->centred || from->mean != NULL, set->n);
  return mk_set_normalization(set, m, from->scale, from->mean, from->total, from->root);
}

/* A set that reads the views of another one. */
static mk_status open_beside(mk_kernel_set **out, const mk_kernel_set *set, size_t kernel_count) {
  MK_TRY(open_set(out, set->n, NULL, 0, kernel_count));
  mk_kernel_set *beside = *out;
  mk_free(beside->view);
  beside->view = set->view;
  beside->views = set->views;
  beside->borrowed = 1;
  beside->lent = beside->views;
  beside->deepest = set->deepest;
  return MK_OK;
}

mk_status mk_set_beside(mk_kernel_set **out, const mk_kernel_set *set, const mk_kernel_spec *specs,
                        size_t kernel_count, int bare, mk_team *team) {
  MK_TRY(open_beside(out, set, kernel_count));
  (*out)->bare = bare;
  MK_TRY(take_specs(*out, specs));
  MK_TRY(mk_local_columns(*out, (*out)->views));
  return form_families(*out, team);
}

mk_status mk_set_subset(mk_kernel_set **out, const mk_kernel_set *set, const int *kernels,
                        size_t count, mk_team *team) {
  MK_TRY(open_beside(out, set, count));
  mk_kernel_set *subset = *out;
  for (size_t k = 0; k < count; k++) {
    const mk_member *from = &set->member[kernels[k]];
    subset->member[k] = (mk_member){.spec = from->spec, .scale = 1.0, .rooted = from->rooted};
    if (from->spec.type == MK_PRECOMPUTED) MK_TRY(copy_diagonal(&subset->member[k], set->n));
  }
  MK_TRY(form_families(subset, team));
  for (size_t k = 0; k < count; k++)
    MK_TRY(copy_normalization(subset, k, &set->member[kernels[k]]));
  return MK_OK;
}

void mk_set_free(mk_kernel_set *set) {
  if (set == NULL) return;
  for (size_t v = set->lent; v < set->views; v++) mk_view_clear(&set->view[v]);
  for (size_t m = 0; set->member != NULL && m < set->kernels; m++) {
    mk_free(set->member[m].mean);
    mk_free(set->member[m].root);
    mk_free(set->member[m].diagonal);
  }
  free_families(set->family, set->families, set->feature_store, set->features);
  if (!set->borrowed) mk_free(set->view);
  mk_free(set->member);
  mk_free(set->order);
  mk_free(set->tabled);
  mk_free(set);
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

double mk_set_scale(const mk_kernel_set *set, size_t m) {
  return set->member[m].scale;
}

size_t mk_set_bytes(const mk_kernel_set *set) {
  size_t bytes = set->kernels * (sizeof(mk_member) + 2 * sizeof(int));
  if (set->features != NULL) bytes += mk_features_bytes(set->features);
  for (size_t v = 0; v < set->views; v++) {
    if (set->view[v].row_start != NULL)
      bytes += set->view[v].row_start[set->n] * (sizeof(double) + sizeof(int));
    if (set->view[v].owned != NULL) bytes += set->n * set->view[v].cols * sizeof(double);
  }
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    bytes +=
        ((family->square != NULL) + (family->raw_half_square != NULL)) * set->n * sizeof(double);
    bytes += mk_geometry_bytes(family) + mk_table_bytes(family) + mk_local_bytes(family->local, set->n);
  }
  for (size_t m = 0; m < set->kernels; m++)
    bytes += ((set->member[m].mean != NULL) + (set->member[m].root != NULL) +
              (set->member[m].diagonal != NULL)) *
             set->n * sizeof(double);
  return bytes;
}

static mk_status copy_vector(double **to, const double *from, size_t n) {
  mk_free(*to);
  *to = NULL;
  if (from == NULL) return MK_OK;
  *to = MK_NEW(double, n);
  if (*to == NULL) return MK_NO_MEMORY;
  memcpy(*to, from, n * sizeof *from);
  return MK_OK;
}

mk_status mk_set_normalization(mk_kernel_set *set, size_t m, double scale, const double *mean,
                               double total, const double *root) {
  if (m >= set->kernels || !isfinite(scale) || scale <= 0 || !isfinite(total))
    return MK_BAD_ARGUMENT;
  mk_member *member = &set->member[m];
  member->scale = scale;
  member->total = total;
  MK_TRY(copy_vector(&member->mean, mean, set->n));
  return copy_vector(&member->root, root, set->n);
}

const double *mk_set_root(const mk_kernel_set *set, size_t m) {
  return set->member[m].root;
}
