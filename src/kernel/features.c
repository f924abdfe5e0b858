/* Feature blocks: which kernels, which columns, and constants per column. */
#include "features.h"

#include "base/memory.h"
#include "base/threads.h"
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- choice ---- */

#define FEW 16  /* kernels that may have bases, if ... */
#define WIDE 16 /* ... they have more columns than this each */

static size_t all_columns(const mk_kernel_set *set) {
  size_t total = 0;
  for (size_t v = 0; v < set->views; v++) total += set->view[v].cols;
  return total;
}

/* A base costs memory for all pairs once and little per theta-step; weighted
 * columns cost nothing to keep and one product of all columns per step, and where
 * there are few of them and nothing else, values between samples are not needed at all. */
int mk_features_worthwhile(const mk_kernel_set *set, const char *chosen) {
  size_t count = 0, columns = 0;
  for (size_t m = 0; m < set->kernels; m++)
    if (chosen[m]) {
      count++;
      columns += mk_member_columns(set, m);
    }
  if (count == set->kernels && mk_columns_are_few(columns, set->n)) return 1;
  return count > FEW || (count > 0 && columns <= WIDE * count);
}

/* ---- moments of columns ---- */

#define LANES 8

static double dense_sum(const double *x, size_t n, double shift, int square) {
  double lane[LANES] = {0}, sum = 0.0;
  size_t i = 0;
  if (square)
    for (; i + LANES <= n; i += LANES)
      for (int k = 0; k < LANES; k++) lane[k] += (x[i + k] - shift) * (x[i + k] - shift);
  else
    for (; i + LANES <= n; i += LANES)
      for (int k = 0; k < LANES; k++) lane[k] += x[i + k];
  for (; i < n; i++) lane[0] += square ? (x[i] - shift) * (x[i] - shift) : x[i];
  for (int k = 0; k < LANES; k++) sum += lane[k];
  return sum;
}

/* Mean over the first `known` samples. */
static double column_mean(const mk_view *view, size_t j, size_t known) {
  if (view->x != NULL) return dense_sum(view->x + j * view->rows, known, 0.0, 0) / (double)known;
  double sum = 0.0;
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    if ((size_t)view->row[e] < known) sum += view->value[e];
  return sum / (double)known;
}

double mk_dense_mean(const mk_view *view, size_t j) {
  return view->x != NULL ? column_mean(view, j, view->rows) : 0.0;
}

static double farthest(const double *x, size_t n, double from) {
  double lane[LANES] = {0}, most = 0.0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) {
      double away = fabs(x[i + k] - from);
      lane[k] = away > lane[k] ? away : lane[k];
    }
  for (; i < n; i++) most = fmax(most, fabs(x[i] - from));
  for (int k = 0; k < LANES; k++) most = fmax(most, lane[k]);
  return most;
}

static void column_moments(const mk_view *view, size_t j, double *mean, double *spread,
                           double *most) {
  *mean = column_mean(view, j, view->rows);
  if (view->x != NULL) {
    *spread = dense_sum(view->x + j * view->rows, view->rows, *mean, 1);
    *most = farthest(view->x + j * view->rows, view->rows, *mean);
    return;
  }
  size_t from = (size_t)view->start[j], count = (size_t)view->start[j + 1] - from;
  *spread =
      dense_sum(view->value + from, count, *mean, 1) + (double)(view->rows - count) * *mean * *mean;
  *most = fmax(farthest(view->value + from, count, *mean), fabs(*mean));
}

/* ---- life ---- */

static mk_status list_columns(mk_features *features, const mk_kernel_set *set) {
  size_t total = 0;
  for (size_t k = 0; k < features->count; k++)
    total += mk_member_columns(set, (size_t)features->member[k]);
  features->start = MK_NEW(size_t, features->count + 1);
  features->column = MK_NEW(int, total + 1);
  if (features->start == NULL || features->column == NULL) return MK_NO_MEMORY;
  total = 0;
  for (size_t k = 0; k < features->count; k++) {
    size_t m = (size_t)features->member[k], columns = mk_member_columns(set, m);
    features->start[k] = total;
    for (size_t c = 0; c < columns; c++)
      features->column[total++] = (int)mk_member_column(set, m, c);
  }
  features->start[features->count] = total;
  return MK_OK;
}

static mk_status list_used(mk_features *features, const mk_kernel_set *set) {
  char *mark = MK_NEW0(char, features->slots + 1);
  if (mark == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < features->count; k++) {
    size_t from = features->from[set->member[features->member[k]].spec.view];
    for (size_t e = features->start[k]; e < features->start[k + 1]; e++)
      mark[from + (size_t)features->column[e]] = 1;
  }
  for (size_t j = 0; j < features->slots; j++) features->used_count += mark[j] != 0;
  features->used = MK_NEW(int, features->used_count + 1);
  size_t at = 0;
  for (size_t j = 0; features->used != NULL && j < features->slots; j++)
    if (mark[j]) features->used[at++] = (int)j;
  mk_free(mark);
  return features->used == NULL ? MK_NO_MEMORY : MK_OK;
}

typedef struct moments {
  mk_features *features;
  const mk_kernel_set *set;
} moments;

static mk_status find_moments(void *data, size_t u, int thread) {
  const moments *m = data;
  mk_features *features = m->features;
  size_t slot = (size_t)features->used[u], v = 0;
  (void)thread;
  while (slot >= features->from[v + 1]) v++;
  column_moments(&m->set->view[v], slot - features->from[v], &features->mean[slot],
                 &features->spread[slot], &features->most[slot]);
  return MK_OK;
}

mk_status mk_features_new(mk_features **out, const mk_kernel_set *set, const int *member,
                          size_t count, mk_team *team) {
  mk_features *features = *out = MK_NEW0(mk_features, 1);
  if (features == NULL) return MK_NO_MEMORY;
  features->count = count;
  features->member = member;
  features->slots = all_columns(set);
  if (features->slots > INT_MAX) return MK_TOO_LARGE;
  features->from = MK_NEW0(size_t, set->views + 1);
  features->mean = MK_NEW0(double, features->slots);
  features->spread = MK_NEW0(double, features->slots);
  features->most = MK_NEW0(double, features->slots);
  if (features->from == NULL || features->mean == NULL || features->spread == NULL ||
      features->most == NULL)
    return MK_NO_MEMORY;
  for (size_t v = 0; v < set->views; v++)
    features->from[v + 1] = features->from[v] + set->view[v].cols;
  MK_TRY(list_columns(features, set));
  MK_TRY(list_used(features, set));
  team = mk_team_worth(team, 4.0 * (double)features->used_count * (double)set->n);
  return mk_deal_out(features->used_count, team, find_moments, &(moments){features, set});
}

void mk_features_free(mk_features *features) {
  if (features == NULL) return;
  mk_free(features->start);
  mk_free(features->column);
  mk_free(features->from);
  mk_free(features->used);
  mk_free(features->mean);
  mk_free(features->spread);
  mk_free(features->most);
  mk_free(features->shift);
  mk_free(features);
}

size_t mk_features_bytes(const mk_features *features) {
  size_t doubles = features->slots * (3 + (features->shift != NULL));
  return doubles * sizeof(double) + (features->count + 1) * sizeof(size_t) +
         (features->start[features->count] + features->used_count) * sizeof(int);
}

int mk_family_explicit(const mk_kernel_set *set, size_t f) {
  return set->family[f].type == MK_FAMILY_FEATURES;
}
size_t mk_set_slots(const mk_kernel_set *set) {
  return set->features != NULL ? set->features->slots : 0;
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

/* ---- constants ---- */

int mk_is_linear(const mk_kernel_set *set, size_t m) {
  return set->member[m].spec.type == MK_LINEAR;
}

void mk_linear_moments(const mk_kernel_set *set, size_t m, double *trace, double *spread) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  int known = mk_family_explicit(set, member->family);
  size_t from = known ? set->features->from[member->spec.view] : 0;
  *trace = *spread = 0.0;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double centre, square, most;
    if (known) {
      centre = set->features->mean[from + j];
      square = set->features->spread[from + j];
    } else {
      column_moments(view, j, &centre, &square, &most);
    }
    *spread += square;
    *trace += square + (double)set->n * centre * centre;
  }
}

/* Row means of a linear kernel with a base, from the means of its columns. */
static mk_status centre_rows(mk_kernel_set *set, size_t m, double scale, size_t known) {
  const mk_view *view = &set->view[set->member[m].spec.view];
  double *row = MK_NEW0(double, set->n), total = 0.0;
  if (row == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double mean = column_mean(view, j, known);
    total += mean * mean;
    if (view->x != NULL)
      set->simd->axpy(set->n, mean, view->x + j * set->n, row);
    else
      for (int e = view->start[j]; e < view->start[j + 1]; e++)
        row[view->row[e]] += mean * view->value[e];
  }
  mk_status status = mk_set_normalization(set, m, scale, row, total, NULL);
  mk_free(row);
  return status;
}

static mk_status centre_columns(mk_kernel_set *set, size_t m, size_t known) {
  mk_features *features = set->features;
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t from = features->from[member->spec.view];
  if (features->shift == NULL) features->shift = MK_NEW0(double, features->slots);
  if (features->shift == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    features->shift[from + j] =
        known < set->n ? column_mean(view, j, known) : features->mean[from + j];
  }
  return MK_OK;
}

mk_status mk_linear_normalize(mk_kernel_set *set, size_t m, double scale, int centred,
                              size_t known) {
  mk_member *member = &set->member[m];
  int explicit = mk_family_explicit(set, member->family);
  if (centred && !explicit) return centre_rows(set, m, scale, known);
  member->centred = centred;
  MK_TRY(mk_set_normalization(set, m, scale, NULL, 0.0, NULL));
  return centred ? centre_columns(set, m, known) : MK_OK;
}

/* ---- weights ---- */

mk_status mk_slot_weights_new(mk_slot_weights *weights, const mk_kernel_set *set) {
  const mk_features *features = set->features;
  memset(weights, 0, sizeof *weights);
  weights->plain = MK_NEW0(double, features->slots);
  if (weights->plain == NULL) return MK_NO_MEMORY;
  if (features->shift == NULL) return MK_OK;
  weights->centred = MK_NEW0(double, features->slots);
  return weights->centred == NULL ? MK_NO_MEMORY : MK_OK;
}

void mk_slot_weights_clear(mk_slot_weights *weights) {
  mk_free(weights->plain);
  mk_free(weights->centred);
  memset(weights, 0, sizeof *weights);
}

void mk_slot_weights_fill(const mk_slot_weights *weights, const mk_kernel_set *set,
                          const double *theta) {
  const mk_features *features = set->features;
  memset(weights->plain, 0, features->slots * sizeof(double));
  if (weights->centred != NULL) memset(weights->centred, 0, features->slots * sizeof(double));
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
