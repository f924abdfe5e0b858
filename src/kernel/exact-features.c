/* Feature blocks for the certificate: each column's product with alpha, its
 * share of every form and of the decision values, by plain loops in double.
 * Shares no code with the optimisers' passes. */
#include "base/memory.h"
#include "base/threads.h"
#include "features.h"
#include "internal.h"

typedef struct ledger {
  const mk_kernel_set *set;
  const double *alpha;
  size_t tasks;
  double *product;  /* slots x tasks: sum_i alpha_i x_ik */
  double *decision; /* of one thread: n x tasks */
} ledger;

static double product(const mk_view *view, size_t j, const double *alpha) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  if (view->x == NULL) {
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      a += alpha[view->row[e]] * view->value[e];
    return a;
  }
  const double *x = view->x + j * view->rows;
  size_t i = 0;
  for (; i + 4 <= view->rows; i += 4) {
    a += alpha[i] * x[i];
    b += alpha[i + 1] * x[i + 1];
    c += alpha[i + 2] * x[i + 2];
    d += alpha[i + 3] * x[i + 3];
  }
  for (; i < view->rows; i++) a += alpha[i] * x[i];
  return (a + b) + (c + d);
}

/* decision += weight * (column - shift) */
static void add_column(const mk_view *view, size_t j, double weight, double shift, double *out) {
  if (view->x != NULL) {
    const double *x = view->x + j * view->rows;
    for (size_t i = 0; i < view->rows; i++) out[i] += weight * (x[i] - shift);
    return;
  }
  for (size_t i = 0; shift != 0.0 && i < view->rows; i++) out[i] -= weight * shift;
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    out[view->row[e]] += weight * view->value[e];
}

/* Columns at positions start..start+width of the used ones, shared by threads. */
typedef struct stretch {
  ledger whole; /* its decision has a part for each thread */
  const mk_slot_weights *weights;
  const double *total;
  size_t start, width, threads;
} stretch;

static mk_status enter(void *data, size_t k, int thread) {
  const stretch *s = data;
  const mk_slot_weights *weights = s->weights;
  ledger own = s->whole, *l = &own;
  size_t from = s->start + s->width * k / s->threads;
  size_t to = s->start + s->width * (k + 1) / s->threads;
  l->decision += (size_t)thread * l->set->n * l->tasks;
  const mk_features *features = l->set->features;
  size_t n = l->set->n, v = 0;
  for (size_t u = from; u < to; u++) {
    size_t slot = (size_t)features->used[u];
    while (slot >= features->from[v + 1]) v++;
    const mk_view *view = &l->set->view[v];
    size_t j = slot - features->from[v];
    for (size_t t = 0; t < l->tasks; t++) {
      double g = product(view, j, l->alpha + t * n);
      l->product[slot * l->tasks + t] = g;
      if (weights->plain[slot] != 0.0)
        add_column(view, j, weights->plain[slot] * g, 0.0, l->decision + t * n);
      if (weights->centred != NULL && weights->centred[slot] != 0.0) {
        double shift = features->shift[slot];
        add_column(view, j, weights->centred[slot] * (g - shift * s->total[t]), shift,
                   l->decision + t * n);
      }
    }
  }
  return MK_OK;
}

static void add_forms(const ledger *l, const double *total, double *forms) {
  const mk_features *features = l->set->features;
  for (size_t k = 0; k < features->count; k++) {
    const mk_member *member = &l->set->member[features->member[k]];
    double sum = 0.0;
    for (size_t e = features->start[k]; e < features->start[k + 1]; e++) {
      size_t slot = features->from[member->spec.view] + (size_t)features->column[e];
      for (size_t t = 0; t < l->tasks; t++) {
        double g = l->product[slot * l->tasks + t];
        if (member->centred) g -= features->shift[slot] * total[t];
        sum += g * g;
      }
    }
    forms[features->member[k]] += member->scale * sum;
  }
}

#define STRETCH ((size_t)1 << 26) /* values between two looks at the clock */

mk_status mk_exact_features(const mk_kernel_set *set, const double *theta, const double *alpha,
                            size_t tasks, const mk_control *control, double *decision,
                            double *forms) {
  size_t n = set->n, used = set->features->used_count;
  double values = (double)used * (double)(n * tasks);
  mk_team *team = mk_team_worth(control->team, 4.0 * values);
  size_t threads = (size_t)mk_team_size(team), step = STRETCH / n + 1;
  mk_slot_weights weights = {NULL, NULL};
  mk_status status = mk_slot_weights_new(&weights, set);
  double *products = MK_NEW(double, set->features->slots *tasks);
  double *share = MK_NEW0(double, threads *n *tasks), *total = MK_NEW0(double, tasks);
  if (products == NULL || share == NULL || total == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK && theta != NULL) mk_slot_weights_fill(&weights, set, theta);
  for (size_t i = 0; status == MK_OK && i < n * tasks; i++) total[i / n] += alpha[i];
  stretch s = {{set, alpha, tasks, products, share}, &weights, total, 0, 0, threads};
  for (; status == MK_OK && s.start < used; s.start += step) {
    s.width = used - s.start < step ? used - s.start : step;
    status = mk_check(control);
    if (status == MK_OK) status = mk_deal_out(threads, team, enter, &s);
  }
  if (status == MK_OK) {
    ledger all = {set, alpha, tasks, products, NULL};
    if (forms != NULL) add_forms(&all, total, forms);
    for (size_t k = 0; k < threads; k++)
      for (size_t i = 0; i < n * tasks; i++) decision[i] += share[k * n * tasks + i];
  }
  mk_slot_weights_clear(&weights);
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
