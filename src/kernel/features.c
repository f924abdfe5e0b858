/* Builds the feature blocks of a set: which kernels, which columns, and the columns' moments.
 * Called by set.c; mixture.c and the optimisers' passes read them. MATHEMATICS.md, section 1:
 * linear kernels by w = X'alpha. */
#include "kernel/features.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/structure.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- choice ---- */

/* up to so many kernels may have bases if they have more columns than LEAST_COLUMNS each */
#define MOST_BASES 16
#define LEAST_COLUMNS 16 /* columns of a kernel that is cheaper as a feature block */
#define LEAST_ROWS 500   /* with fewer rows, values between all samples are cheaper */
#define LEAST_ASPECT 3   /* least number of rows per column */
/* systems cost n columns^2, rows n^2: measured where both are equal */
#define SQUARE_PER_SAMPLE 330

static size_t all_columns(const mk_kernel_set *set) {
  size_t total = 0;
  for (size_t v = 0; v < set->views; v++) total += set->view[v].cols;
  return total;
}

int mk_columns_are_few(size_t columns, size_t n) {
  return n > LEAST_ROWS && columns <= n / LEAST_ASPECT &&
         (double)columns * (double)columns <= SQUARE_PER_SAMPLE * (double)n;
}

/* Returns 1 if feature blocks cost less than bases. A base needs memory for all pairs once and
 * little time per theta-step. Weighted columns need no memory, and one product of all columns per
 * step. With few columns and no other kernels, values between samples are not needed at all. */
int mk_features_worthwhile(const mk_kernel_set *set, const char *chosen) {
  size_t count = 0, columns = 0;
  for (size_t m = 0; m < set->kernels; m++)
    if (chosen[m]) {
      count++;
      columns += mk_member_columns(set, m);
    }
  if (count == set->kernels && mk_columns_are_few(columns, set->n)) return 1;
  return count > MOST_BASES || (count > 0 && columns <= LEAST_COLUMNS * count);
}

/* ---- building ---- */

/* Lists the columns of each kernel, and those that any kernel reads. */
static mk_status list_columns(mk_kernel_set *set) {
  mk_features *features = set->features;
  size_t total = 0;
  features->start = MK_TAKE0(&set->grouping, size_t, features->count + 1);
  MK_TRY(mk_pool_status(&set->grouping));
  for (size_t k = 0; k < features->count; k++)
    features->start[k + 1] = total += mk_member_columns(set, (size_t)features->member[k]);
  features->column = MK_TAKE(&set->grouping, int, total);
  features->used = MK_TAKE(&set->grouping, int, mk_smaller(total, features->ids));
  char *mark = MK_NEW0(char, features->ids + 1);
  mk_status status = mark == NULL ? MK_NO_MEMORY : mk_pool_status(&set->grouping);
  for (size_t k = 0; status == MK_OK && k < features->count; k++) {
    size_t m = (size_t)features->member[k], from = features->from[set->member[m].spec.view];
    int *column = features->column + features->start[k];
    for (size_t c = 0; c < mk_member_columns(set, m); c++) {
      column[c] = (int)mk_member_column(set, m, c);
      mark[from + (size_t)column[c]] = 1;
    }
  }
  for (size_t j = 0; status == MK_OK && j < features->ids; j++)
    if (mark[j]) features->used[features->used_count++] = (int)j;
  mk_free(mark);
  return status;
}

static mk_status find_moments(void *data, size_t u, int thread) {
  const mk_kernel_set *set = data;
  mk_features *features = set->features;
  size_t id = (size_t)features->used[u], j;
  const mk_view *view = mk_column_view(set, id, &j);
  (void)thread;
  mk_column_moments(view, j, &features->mean[id], &features->spread[id], &features->most[id]);
  return MK_OK;
}

mk_status mk_features_new(mk_kernel_set *set, const int *member, size_t count, mk_team *team) {
  mk_features *features = set->features = MK_TAKE0(&set->grouping, mk_features, 1);
  if (features == NULL) return MK_NO_MEMORY;
  features->count = count;
  features->member = member;
  features->ids = all_columns(set);
  if (features->ids > INT_MAX) return MK_TOO_LARGE;
  features->from = MK_TAKE0(&set->grouping, size_t, set->views + 1);
  features->view = MK_TAKE(&set->grouping, int, features->ids);
  features->mean = MK_TAKE0(&set->grouping, double, features->ids);
  features->spread = MK_TAKE0(&set->grouping, double, features->ids);
  features->most = MK_TAKE0(&set->grouping, double, features->ids);
  MK_TRY(mk_pool_status(&set->grouping));
  for (size_t v = 0; v < set->views; v++) {
    features->from[v + 1] = features->from[v] + set->view[v].cols;
    for (size_t s = features->from[v]; s < features->from[v + 1]; s++) features->view[s] = (int)v;
  }
  MK_TRY(list_columns(set));
  team = mk_team_worth(team, 4.0 * (double)features->used_count * (double)set->n);
  return mk_deal_out(features->used_count, team, find_moments, set);
}

/* ---- reading ---- */

int mk_family_explicit(const mk_kernel_set *set, size_t f) {
  return mk_family_has_blocks(&set->family[f]);
}
size_t mk_set_column_ids(const mk_kernel_set *set) {
  return set->features != NULL ? set->features->ids : 0;
}
int mk_set_explicit(const mk_kernel_set *set) {
  return set->features != NULL;
}
size_t mk_features_count(const mk_kernel_set *set) {
  return set->features != NULL ? set->features->count : 0;
}
size_t mk_features_columns(const mk_kernel_set *set) {
  return set->features != NULL ? set->features->start[set->features->count] : 0;
}

int mk_set_is_columns(const mk_kernel_set *set) {
  return set->features != NULL && set->families == 1;
}

size_t mk_features_width(const mk_kernel_set *set) {
  return set->features->used_count;
}

int mk_set_is_wide(const mk_kernel_set *set) {
  return mk_set_is_columns(set) && mk_features_width(set) > set->n / LEAST_ASPECT;
}

int mk_is_linear(const mk_kernel_set *set, size_t m) {
  return mk_member_is_linear(&set->member[m]);
}

size_t mk_linear_width(const mk_kernel_set *set, size_t m) {
  return mk_member_is_linear(&set->member[m]) ? mk_member_columns(set, m) : 0;
}

/* Returns the mean over the samples among the first `known` that have the view. */
static double known_mean(const double *column, const double *has, size_t known) {
  double sum = 0.0, count = 0.0;
  for (size_t i = 0; i < known; i++) {
    double weight = has != NULL ? has[i] : 1.0;
    sum += weight * column[i];
    count += weight;
  }
  return sum / count;
}

void mk_linear_column(const mk_kernel_set *set, size_t m, size_t k, size_t known, double *out) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t j = mk_member_column(set, m, k);
  double shift = 0.0, size = sqrt(member->scale);
  mk_view_column(view, j, out);
  if (member->centred || member->mean != NULL) shift = known_mean(out, view->has, known);
  for (size_t i = 0; i < set->n; i++) {
    double root = member->root != NULL ? member->root[i] : 1.0;
    out[i] = size * root * (out[i] - shift);
  }
}

/* ---- weights ---- */

mk_status mk_column_weights_new(mk_column_weights *weights, const mk_kernel_set *set) {
  const mk_features *features = set->features;
  memset(weights, 0, sizeof *weights);
  weights->plain = MK_NEW0(double, features->ids);
  if (weights->plain == NULL) return MK_NO_MEMORY;
  if (features->shift == NULL) return MK_OK;
  weights->centred = MK_NEW0(double, features->ids);
  return weights->centred == NULL ? MK_NO_MEMORY : MK_OK;
}

void mk_column_weights_clear(mk_column_weights *weights) {
  mk_free(weights->plain);
  mk_free(weights->centred);
  memset(weights, 0, sizeof *weights);
}

void mk_column_weights_fill(const mk_column_weights *weights, const mk_kernel_set *set,
                            const double *theta) {
  const mk_features *features = set->features;
  memset(weights->plain, 0, features->ids * sizeof(double));
  if (weights->centred != NULL) memset(weights->centred, 0, features->ids * sizeof(double));
  for (size_t k = 0; k < features->count; k++) {
    size_t m = (size_t)features->member[k];
    const mk_member *member = &set->member[m];
    double weight = theta[m] * member->scale;
    if (weight == 0.0) continue;
    double *out =
        (member->centred ? weights->centred : weights->plain) + features->from[member->spec.view];
    for (size_t e = features->start[k]; e < features->start[k + 1]; e++)
      out[features->column[e]] += weight;
  }
}
