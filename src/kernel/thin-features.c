/* Feature blocks as a thin matrix, for methods that take K by its columns. Where some kernels are
 * centred and others are not, every column comes twice. */
#include "base/memory.h"
#include "features.h"
#include "internal.h"

#include <math.h>
#include <string.h>

#define LEAST_ROWS 1000  /* fewer: values between all samples are cheaper */
#define ROWS 8           /* for each column */
#define MOST_COLUMNS 2000
#define SPARSE 0.2       /* share of entries above which rows are better dense */

int mk_columns_are_few(size_t columns, size_t n) {
  return n > LEAST_ROWS && columns <= MOST_COLUMNS && columns <= n / ROWS;
}

/* Which sorts of kernels there are: plain[0], centred[1]. */
static void find_sorts(const mk_kernel_set *set, int *sort) {
  sort[0] = sort[1] = 0;
  for (size_t k = 0; k < set->features->count; k++)
    sort[set->member[set->features->member[k]].centred] = 1;
}

size_t mk_features_width(const mk_kernel_set *set) {
  int sort[2];
  find_sorts(set, sort);
  return set->features->used_count * (size_t)(sort[0] + sort[1]);
}

int mk_set_is_thin(const mk_kernel_set *set) {
  return set->features != NULL && set->families == 1 &&
         mk_columns_are_few(mk_features_width(set), set->n);
}

/* The view of a used slot, which increase, and the column there. */
static const mk_view *find_column(const mk_kernel_set *set, size_t slot, size_t *v, size_t *j) {
  while (slot >= set->features->from[*v + 1]) ++*v;
  *j = slot - set->features->from[*v];
  return &set->view[*v];
}

/* Values that are not zero by their storing; `most` for dense views. */
static size_t count_entries(const mk_kernel_set *set, size_t sorts, size_t most) {
  size_t total = 0, v = 0, j;
  for (size_t u = 0; u < set->features->used_count; u++) {
    const mk_view *view = find_column(set, (size_t)set->features->used[u], &v, &j);
    if (view->x != NULL) return most;
    total += sorts * (size_t)(view->start[j + 1] - view->start[j]);
  }
  return (double)total > SPARSE * (double)most ? most : total;
}

double mk_features_thin_bytes(const mk_kernel_set *set) {
  int sort[2];
  find_sorts(set, sort);
  size_t all = set->n * mk_features_width(set);
  size_t entries = count_entries(set, (size_t)(sort[0] + sort[1]), all);
  double value = sizeof(double) + (entries < all ? sizeof(int) : 0);
  return (double)entries * value + (double)set->n * sizeof(size_t);
}

/* ---- filling ---- */

typedef struct filling {
  const mk_kernel_set *set;
  const int *samples;
  int *entry; /* of each slot, its place among the used ones or -1 */
  int sort[2];
  mk_thin *z;
} filling;

static double shift_of(const filling *f, int centred, size_t slot) {
  return centred ? f->set->features->shift[slot] : 0.0;
}

/* A sparse row's entries of one sort, from column `first` on, into a row of Z: one by one behind
 * `at`, or where they belong. Returns the new end. */
static size_t fill_row(const filling *f, size_t k, size_t first, size_t at) {
  const mk_kernel_set *set = f->set;
  size_t i = (size_t)f->samples[k];
  for (size_t v = 0; v < set->views; v++) {
    const mk_view *view = &set->view[v];
    for (size_t e = view->x != NULL ? 0 : view->row_start[i];
         view->x == NULL && e < view->row_start[i + 1]; e++) {
      int entry = f->entry[set->features->from[v] + (size_t)view->row_col[e]];
      if (entry < 0) continue;
      size_t column = first + (size_t)entry;
      if (f->z->column == NULL) {
        f->z->value[k * f->z->count + column] += view->row_value[e];
        continue;
      }
      f->z->column[at] = (int)column;
      f->z->value[at++] = view->row_value[e];
    }
  }
  return at;
}

/* Dense: shifts are taken off the values. */
static void fill_columns(const filling *f, int centred, size_t first) {
  const mk_kernel_set *set = f->set;
  mk_thin *z = f->z;
  size_t v = 0, j;
  for (size_t u = 0; u < set->features->used_count; u++) {
    size_t slot = (size_t)set->features->used[u];
    const mk_view *view = find_column(set, slot, &v, &j);
    const double *x = view->x != NULL ? view->x + j * set->n : NULL;
    double shift = shift_of(f, centred, slot), *out = z->value + first + u;
    for (size_t k = 0; k < z->rows; k++)
      out[k * z->count] = (x != NULL ? x[f->samples[k]] : 0.0) - shift;
  }
}

static void fill(const filling *f) {
  const mk_features *features = f->set->features;
  mk_thin *z = f->z;
  size_t width = features->used_count, at = 0;
  for (int centred = 0, first = 0; centred < 2; first += f->sort[centred++] * (int)width) {
    if (!f->sort[centred]) continue;
    if (z->column == NULL) fill_columns(f, centred, (size_t)first);
    for (size_t u = 0; z->column != NULL && u < width; u++)
      z->shift[(size_t)first + u] = shift_of(f, centred, (size_t)features->used[u]);
  }
  for (size_t k = 0; k < z->rows; k++) {
    for (int centred = 0, first = 0; centred < 2; first += f->sort[centred++] * (int)width)
      if (f->sort[centred]) at = fill_row(f, k, (size_t)first, at);
    if (z->column != NULL) z->start[k + 1] = at;
  }
}

mk_status mk_features_thin(const mk_kernel_set *set, const int *samples, size_t count, mk_thin *z) {
  const mk_features *features = set->features;
  filling f = {.set = set, .samples = samples, .z = z};
  find_sorts(set, f.sort);
  size_t sorts = (size_t)(f.sort[0] + f.sort[1]), width = sorts * features->used_count;
  f.entry = MK_NEW(int, features->slots + 1);
  mk_status status = mk_thin_new(z, count, width, count_entries(set, sorts, count * width));
  if (f.entry == NULL) status = MK_NO_MEMORY;
  for (size_t j = 0; status == MK_OK && j < features->slots; j++) f.entry[j] = -1;
  for (size_t u = 0; status == MK_OK && u < features->used_count; u++)
    f.entry[features->used[u]] = (int)u;
  if (status == MK_OK) fill(&f);
  mk_free(f.entry);
  return status;
}

void mk_features_root(const mk_kernel_set *set, const mk_slot_weights *weights, mk_thin *z) {
  const mk_features *features = set->features;
  int sort[2];
  size_t at = 0;
  find_sorts(set, sort);
  for (size_t u = 0; sort[0] && u < features->used_count; u++)
    z->root[at++] = sqrt(weights->plain[features->used[u]]);
  for (size_t u = 0; sort[1] && u < features->used_count; u++)
    z->root[at++] = sqrt(weights->centred[features->used[u]]);
}
