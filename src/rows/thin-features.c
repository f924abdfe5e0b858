/* Feature blocks as a thin matrix Z with K = Z Z'. Called by gram-columns.c. MATHEMATICS.md,
 * section 3.4. */
#include "rows/thin-features.h"

#include "base/memory.h"
#include "kernel/structure.h"

#include <math.h>
#include <string.h>

#define DENSE_SHARE 0.2 /* share of entries above which rows are better dense */

int mk_set_is_thin(const mk_kernel_set *set, int offset) {
  return mk_set_is_columns(set) && (offset || set->features->shift == NULL) &&
         mk_columns_are_few(mk_features_width(set), set->n);
}

/* Returns the number of entries of all samples' rows, or of all values if dense rows are better. */
static size_t count_entries(const mk_kernel_set *set) {
  size_t all = set->n * set->features->used_count, total = 0, j;
  for (size_t u = 0; u < set->features->used_count; u++) {
    const mk_view *view = mk_column_view(set, (size_t)set->features->used[u], &j);
    if (view->x != NULL) return all;
    total += (size_t)(view->start[j + 1] - view->start[j]);
  }
  return (double)total > DENSE_SHARE * (double)all ? all : total;
}

size_t mk_features_thin_bytes(const mk_kernel_set *set) {
  size_t all = set->n * set->features->used_count, entries = count_entries(set);
  if (entries == all) return all * sizeof(double);
  return entries * (sizeof(double) + sizeof(int)) + set->n * sizeof(size_t);
}

/* ---- filling ---- */

typedef struct filling {
  const mk_kernel_set *set;
  const int *samples;
  int *entry; /* by column id: its place among the used ones, or -1 */
  mk_thin *z;
} filling;

/* Writes the entries of a row in sparse views: into the dense row, or as entries from `at` on.
 * Returns their end. */
static size_t fill_row(const filling *f, size_t k, size_t at) {
  const mk_kernel_set *set = f->set;
  size_t i = (size_t)f->samples[k];
  for (size_t v = 0; v < set->views; v++) {
    const mk_view *view = &set->view[v];
    if (view->x != NULL) continue;
    for (size_t e = view->row_start[i]; e < view->row_start[i + 1]; e++) {
      int entry = f->entry[set->features->from[v] + (size_t)view->row_col[e]];
      if (entry < 0) continue;
      if (f->z->column == NULL) {
        f->z->value[k * f->z->count + (size_t)entry] = view->row_value[e];
        continue;
      }
      f->z->column[at] = entry;
      f->z->value[at++] = view->row_value[e];
    }
  }
  return at;
}

static void fill_dense(const filling *f) {
  const mk_kernel_set *set = f->set;
  mk_thin *z = f->z;
  size_t j;
  for (size_t u = 0; u < z->count; u++) {
    const mk_view *view = mk_column_view(set, (size_t)set->features->used[u], &j);
    const double *x = view->x != NULL ? view->x + j * set->n : NULL;
    double *out = z->value + u;
    for (size_t k = 0; k < z->rows; k++) out[k * z->count] = x != NULL ? x[f->samples[k]] : 0.0;
  }
  for (size_t k = 0; k < z->rows; k++) fill_row(f, k, 0);
}

static void fill_sparse(const filling *f) {
  size_t at = 0;
  for (size_t k = 0; k < f->z->rows; k++) f->z->start[k + 1] = at = fill_row(f, k, at);
}

mk_status mk_features_thin(const mk_kernel_set *set, const int *samples, size_t count, int offset,
                           mk_thin *z) {
  const mk_features *features = set->features;
  size_t entries = count_entries(set), all = set->n * features->used_count;
  filling f = {.set = set, .samples = samples, .z = z};
  f.entry = MK_NEW(int, features->ids + 1);
  mk_status status =
      mk_thin_new(z, count, features->used_count, entries < all ? entries : MK_DENSE);
  if (f.entry == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK) {
    for (size_t j = 0; j < features->ids; j++) f.entry[j] = -1;
    for (size_t u = 0; u < features->used_count; u++) f.entry[features->used[u]] = (int)u;
    (z->column != NULL ? fill_sparse : fill_dense)(&f);
    if (offset) mk_thin_centre(z);
  }
  mk_free(f.entry);
  return status;
}

void mk_features_root(const mk_kernel_set *set, const mk_column_weights *weights, mk_thin *z) {
  for (size_t u = 0; u < z->count; u++) {
    size_t id = (size_t)set->features->used[u];
    double centred = weights->centred != NULL ? weights->centred[id] : 0.0;
    z->root[u] = sqrt(weights->plain[id] + centred);
  }
}
