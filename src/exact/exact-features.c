/* Exact products, forms and decision values of feature blocks, column by column, by plain loops in
 * double precision. Called by exact.c and expansion.c. MATHEMATICS.md, section 1. */
#include "exact/exact-features.h"

#include "base/memory.h"
#include "base/sum.h"
#include "base/threads.h"
#include "kernel/features.h"
#include "kernel/structure.h"

#include <math.h>

#define PART ((size_t)32) /* terms of a sum without compensation, in four lanes */
#define UNITS 16.0        /* roundings of a term of such a sum */

typedef struct ledger {
  const mk_kernel_set *set;
  const double *alpha;
  size_t tasks;
  double *product;  /* ids x tasks: sum_i alpha_i x_ik, where dense columns are centred */
  double *decision; /* n x tasks, of one thread */
} ledger;

/* Returns the centre that is subtracted from a column before products, since values far from 0
 * would lose digits. */
static double centre_of(const mk_kernel_set *set, const mk_view *view, size_t id) {
  return view->x != NULL ? set->features->mean[id] : 0.0;
}

static double part_product(const double *x, double centre, const double *alpha, size_t count) {
  double lane[4] = {0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; k++) lane[k] += alpha[i + k] * (x[i + k] - centre);
  for (; i < count; i++) lane[0] += alpha[i] * (x[i] - centre);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double column_product(const mk_view *view, size_t j, double centre, const double *alpha) {
  mk_sum sum = {0.0, 0.0};
  if (view->x == NULL) {
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      mk_sum_add(&sum, alpha[view->row[e]] * view->value[e]);
    return mk_sum_total(&sum);
  }
  const double *x = view->x + j * view->rows;
  for (size_t i = 0; i < view->rows; i += PART)
    mk_sum_add(&sum, part_product(x + i, centre, alpha + i, mk_smaller(view->rows - i, PART)));
  return mk_sum_total(&sum);
}

/* Computes decision += weight * (column - shift). */
static void add_shifted(const mk_view *view, size_t j, double weight, double shift, double *out) {
  if (view->x != NULL) {
    const double *x = view->x + j * view->rows;
    for (size_t i = 0; i < view->rows; i++) out[i] += weight * (x[i] - shift);
    return;
  }
  for (size_t i = 0; shift != 0.0 && i < view->rows; i++) out[i] -= weight * shift;
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    out[view->row[e]] += weight * view->value[e];
}

/* The used columns start .. start + width, which the threads share. */
typedef struct stretch {
  ledger whole; /* its decision has one part per thread */
  const mk_column_weights *weights;
  const double *total;
  size_t start, width, threads;
} stretch;

static mk_status enter_columns(void *data, size_t k, int thread) {
  const stretch *s = data;
  const mk_column_weights *weights = s->weights;
  ledger own = s->whole, *l = &own;
  size_t from = s->start + s->width * k / s->threads;
  size_t to = s->start + s->width * (k + 1) / s->threads;
  l->decision += (size_t)thread * l->set->n * l->tasks;
  const mk_features *features = l->set->features;
  size_t n = l->set->n, v = 0;
  for (size_t u = from; u < to; u++) {
    size_t id = (size_t)features->used[u];
    while (id >= features->from[v + 1]) v++;
    const mk_view *view = &l->set->view[v];
    size_t j = id - features->from[v];
    double centre = centre_of(l->set, view, id);
    for (size_t t = 0; t < l->tasks; t++) {
      double g = column_product(view, j, centre, l->alpha + t * n);
      l->product[id * l->tasks + t] = g;
      g += centre * s->total[t];
      if (weights->plain[id] != 0.0)
        add_shifted(view, j, weights->plain[id] * g, 0.0, l->decision + t * n);
      if (weights->centred != NULL && weights->centred[id] != 0.0) {
        double shift = features->shift[id];
        add_shifted(view, j, weights->centred[id] * (g - shift * s->total[t]), shift,
                    l->decision + t * n);
      }
    }
  }
  return MK_OK;
}

/* ---- bounds of rounding errors: see expansion-rounding.c ---- */

/* Returns the error bound of a column's product, since sum_i |alpha_i| |x_ik - centre| is at most
 * |alpha| |x_k|. */
static double product_slack(const ledger *l, size_t id, const mk_view *view, double length,
                            double total) {
  const mk_features *features = l->set->features;
  double mean = features->mean[id], square = features->spread[id];
  if (view->x == NULL) square += (double)l->set->n * mean * mean;
  return MK_UNIT * (UNITS * length * sqrt(square) + 2.0 * fabs(mean * total));
}

static void add_slack(const ledger *l, const mk_column_weights *weights, const double *total,
                      const double *length, int level, double *slack) {
  const mk_features *features = l->set->features;
  double chain = (double)features->used_count + UNITS;
  for (size_t u = 0, v = 0; u < features->used_count; u++) {
    size_t id = (size_t)features->used[u];
    while (id >= features->from[v + 1]) v++;
    const mk_view *view = &l->set->view[v];
    double most = features->most[id], mean = fabs(features->mean[id]);
    for (size_t t = 0; t < l->tasks; t++) {
      double e = product_slack(l, id, view, length[t], total[t]);
      double g = fabs(l->product[id * l->tasks + t]) + mean * fabs(total[t]);
      double each = e + chain * MK_UNIT * g;
      if (level) each += (most + mean) * fabs(total[t]);
      slack[t] += weights->plain[id] * (most + mean) * each;
      if (weights->centred != NULL) slack[t] += weights->centred[id] * most * each;
    }
  }
}

static void add_forms(const ledger *l, const double *total, const double *length,
                      const mk_exact_ask *ask) {
  const mk_features *features = l->set->features;
  for (size_t k = 0; k < features->count; k++) {
    size_t m = (size_t)features->member[k];
    const mk_member *member = &l->set->member[m];
    const mk_view *view = &l->set->view[member->spec.view];
    mk_sum sum = {0.0, 0.0};
    double slack = 0.0, reach = 0.0;
    for (size_t e = features->start[k]; e < features->start[k + 1]; e++) {
      size_t id = features->from[member->spec.view] + (size_t)features->column[e];
      double centre = centre_of(l->set, view, id);
      if (member->centred) centre -= features->shift[id];
      for (size_t t = 0; t < l->tasks; t++) {
        double g = l->product[id * l->tasks + t] + centre * total[t];
        double error = product_slack(l, id, view, length[t], total[t]);
        double mean = features->mean[id];
        reach += length[t] * length[t] * (features->spread[id] + (double)l->set->n * mean * mean);
        mk_sum_add(&sum, g * g);
        slack += 2.0 * fabs(g) * error + error * error + UNITS * MK_UNIT * g * g;
      }
    }
    ask->forms[m] += member->scale * mk_sum_total(&sum);
    if (ask->form_slack != NULL) ask->form_slack[m] += member->scale * slack;
    if (ask->reach != NULL) ask->reach[m] += sqrt((double)l->tasks * member->scale * reach);
  }
}

#define VALUES_BETWEEN_CHECKS ((size_t)1 << 26) /* values between two checks of the limits */

/* Computes the sum and the length of each task's alphas. */
static void measure_alphas(const mk_exact_ask *ask, double *total, double *length) {
  size_t n = ask->set->n;
  for (size_t t = 0; t < ask->tasks; t++) {
    mk_sum sum = {0.0, 0.0};
    double square = 0.0;
    for (size_t i = t * n; i < (t + 1) * n; i++) {
      mk_sum_add(&sum, ask->alpha[i]);
      square += ask->alpha[i] * ask->alpha[i];
    }
    total[t] = mk_sum_total(&sum);
    length[t] = sqrt(square);
  }
}

mk_status mk_exact_features(const mk_exact_ask *ask, const mk_control *control) {
  const mk_kernel_set *set = ask->set;
  size_t n = set->n, used = set->features->used_count, tasks = ask->tasks;
  double values = (double)used * (double)(n * tasks);
  mk_team *team = mk_team_worth(control->team, 4.0 * values);
  size_t threads = (size_t)mk_team_size(team), step = VALUES_BETWEEN_CHECKS / n + 1;
  mk_column_weights weights = {NULL, NULL};
  mk_status status = mk_column_weights_new(&weights, set);
  double *products = MK_NEW(double, set->features->ids *tasks);
  double *share = MK_NEW0(double, threads *n *tasks), *total = MK_NEW0(double, 2 * tasks);
  double *length = total != NULL ? total + tasks : NULL;
  if (products == NULL || share == NULL || total == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK && ask->theta != NULL) mk_column_weights_fill(&weights, set, ask->theta);
  if (status == MK_OK) measure_alphas(ask, total, length);
  stretch s = {{set, ask->alpha, tasks, products, share}, &weights, total, 0, 0, threads};
  for (; status == MK_OK && s.start < used; s.start += step) {
    s.width = used - s.start < step ? used - s.start : step;
    status = mk_check(control);
    if (status == MK_OK) status = mk_deal_out(threads, team, enter_columns, &s);
  }
  if (status == MK_OK) {
    ledger all = {set, ask->alpha, tasks, products, NULL};
    if (ask->forms != NULL) add_forms(&all, total, length, ask);
    add_slack(&all, &weights, total, length, ask->level, ask->slack);
    for (size_t k = 0; k < threads; k++)
      for (size_t i = 0; i < n * tasks; i++) ask->decision[i] += share[k * n * tasks + i];
  }
  mk_column_weights_clear(&weights);
  mk_free(products);
  mk_free(share);
  mk_free(total);
  return status;
}

/* ---- values ---- */

static double view_value(const mk_view *view, size_t i, size_t j) {
  if (view->x != NULL) return view->x[j * view->rows + i];
  size_t low = view->row_start[i], high = view->row_start[i + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((size_t)view->row_col[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low < view->row_start[i + 1] && (size_t)view->row_col[low] == j ? view->row_value[low]
                                                                         : 0.0;
}

void mk_exact_feature_row(const mk_kernel_set *set, size_t m, int row, const int *cols,
                          size_t count, double *out) {
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t from = set->features->from[member->spec.view];
  for (size_t c = 0; c < count; c++) out[c] = 0.0;
  for (size_t k = 0; k < mk_member_columns(set, m); k++) {
    size_t j = mk_member_column(set, m, k);
    double shift = member->centred ? set->features->shift[from + j] : 0.0;
    double own = view_value(view, (size_t)row, j) - shift;
    for (size_t c = 0; c < count; c++)
      out[c] += own * (view_value(view, (size_t)cols[c], j) - shift);
  }
}
