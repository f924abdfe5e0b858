/* Passes over the columns of feature blocks, which read memory once and in order. Called by
 * gram-columns.c, optimizer/column-generation.c and bound/. MATHEMATICS.md, section 3.4. */
#include "rows/feature-pass.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/geometry.h"
#include "kernel/structure.h"

#include <string.h>

#define VALUES_BETWEEN_CHECKS ((size_t)1 << 25) /* values between two checks of the limits */

typedef struct reading {
  const mk_kernel_set *set;
  const mk_pass *pass;
  double *total; /* tasks: sums of alpha */
  double *share; /* threads x tasks x n: responses; NULL for one thread */
  /* threads x tasks: what centred columns subtract from every response */
  double *centred;
  size_t start, width, threads; /* columns in progress; number of parts they are cut into */
} reading;

static double column_product(const mk_kernel_set *set, const mk_view *view, size_t j,
                             const double *alpha) {
  if (view->x != NULL) return set->simd->dot(view->rows, view->x + j * view->rows, alpha);
  double sum = 0.0;
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    sum += view->value[e] * alpha[view->row[e]];
  return sum;
}

static void add_column(const mk_kernel_set *set, const mk_view *view, size_t j, double weight,
                       double *out) {
  if (view->x != NULL) {
    set->simd->axpy(view->rows, weight, view->x + j * view->rows, out);
    return;
  }
  for (int e = view->start[j]; e < view->start[j + 1]; e++)
    out[view->row[e]] += weight * view->value[e];
}

static void add_response(const reading *r, const mk_view *view, size_t j, size_t id, int thread) {
  const mk_pass *pass = r->pass;
  const mk_column_weights *weights = pass->weights;
  double plain = weights->plain[id];
  double centred = weights->centred != NULL ? weights->centred[id] : 0.0;
  if (plain == 0.0 && centred == 0.0) return;
  for (size_t t = 0; t < pass->tasks; t++) {
    double g = pass->g[t][id], weight = plain * g;
    if (centred != 0.0) {
      double shift = r->set->features->shift[id];
      double moved = centred * (g - shift * r->total[t]);
      weight += moved;
      r->centred[(size_t)thread * pass->tasks + t] += moved * shift;
    }
    if (weight == 0.0) continue;
    double *out = r->share == NULL ? pass->response[t]
                                   : r->share + ((size_t)thread * pass->tasks + t) * r->set->n;
    add_column(r->set, view, j, weight, out);
  }
}

static mk_status read_columns(void *data, size_t k, int thread) {
  const reading *r = data;
  const mk_features *features = r->set->features;
  size_t from = r->start + r->width * k / r->threads;
  size_t to = r->start + r->width * (k + 1) / r->threads;
  size_t v = 0;
  for (size_t u = from; u < to; u++) {
    size_t id = (size_t)features->used[u];
    while (id >= features->from[v + 1]) v++;
    const mk_view *view = &r->set->view[v];
    size_t j = id - features->from[v];
    for (size_t t = 0; t < r->pass->tasks; t++)
      r->pass->g[t][id] = column_product(r->set, view, j, r->pass->alpha[t]);
    if (r->pass->weights != NULL) add_response(r, view, j, id, thread);
  }
  return MK_OK;
}

static mk_status read_all(reading *r, mk_team *team, const mk_control *control) {
  size_t count = r->set->features->used_count, step = VALUES_BETWEEN_CHECKS / r->set->n + 1;
  for (r->start = 0; r->start < count; r->start += step) {
    r->width = count - r->start < step ? count - r->start : step;
    MK_TRY(mk_check(control));
    MK_TRY(mk_deal_out(r->threads, team, read_columns, r));
  }
  return MK_OK;
}

static void merge_threads(const reading *r) {
  const mk_pass *pass = r->pass;
  size_t n = r->set->n;
  for (size_t t = 0; t < pass->tasks; t++)
    for (size_t k = 0; k < r->threads; k++) {
      size_t at = k * pass->tasks + t;
      double constant = r->centred[at];
      for (size_t i = 0; r->share != NULL && i < n; i++)
        pass->response[t][i] += r->share[at * n + i];
      for (size_t i = 0; constant != 0.0 && i < n; i++) pass->response[t][i] -= constant;
    }
}

mk_status mk_features_pass(const mk_kernel_set *set, const mk_pass *pass,
                           const mk_control *control) {
  size_t n = set->n;
  double values = (double)set->features->used_count * (double)(n * pass->tasks);
  mk_team *team = mk_team_worth(control->team, 4.0 * values);
  reading r = {.set = set, .pass = pass, .threads = (size_t)mk_team_size(team)};
  int shared = r.threads > 1 && pass->weights != NULL;
  r.total = MK_NEW0(double, pass->tasks);
  r.centred = MK_NEW0(double, r.threads * pass->tasks);
  if (shared) r.share = MK_NEW0(double, r.threads * pass->tasks * n);
  mk_status status = MK_NO_MEMORY;
  if (r.total != NULL && r.centred != NULL && (!shared || r.share != NULL)) {
    for (size_t t = 0; t < pass->tasks; t++) {
      for (size_t i = 0; i < n; i++) r.total[t] += pass->alpha[t][i];
      if (pass->weights != NULL) memset(pass->response[t], 0, n * sizeof(double));
    }
    status = read_all(&r, team, control);
    if (status == MK_OK && pass->weights != NULL) merge_threads(&r);
  }
  mk_free(r.total);
  mk_free(r.centred);
  mk_free(r.share);
  return status;
}

/* ---- kernel by kernel ---- */

static double sum_of(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

void mk_features_forms(const mk_kernel_set *set, const mk_pass *pass, double *s) {
  const mk_features *features = set->features;
  for (size_t k = 0; k < features->count; k++) s[features->member[k]] = 0.0;
  for (size_t t = 0; t < pass->tasks; t++) {
    double total = sum_of(pass->alpha[t], set->n);
    for (size_t k = 0; k < features->count; k++) {
      const mk_member *member = &set->member[features->member[k]];
      size_t from = features->from[member->spec.view];
      double sum = 0.0;
      for (size_t e = features->start[k]; e < features->start[k + 1]; e++) {
        size_t id = from + (size_t)features->column[e];
        double g = pass->g[t][id];
        if (member->centred) g -= features->shift[id] * total;
        sum += g * g;
      }
      s[features->member[k]] += member->scale * sum;
    }
  }
}

size_t mk_features_member(const mk_kernel_set *set, const mk_pass *pass, size_t k, double *out) {
  const mk_features *features = set->features;
  size_t m = (size_t)features->member[k];
  const mk_member *member = &set->member[m];
  const mk_view *view = &set->view[member->spec.view];
  size_t from = features->from[member->spec.view];
  double total = member->centred ? sum_of(pass->alpha[0], set->n) : 0.0, constant = 0.0;
  memset(out, 0, set->n * sizeof(double));
  for (size_t e = features->start[k]; e < features->start[k + 1]; e++) {
    size_t j = (size_t)features->column[e];
    double shift = member->centred ? features->shift[from + j] : 0.0;
    double weight = member->scale * (pass->g[0][from + j] - shift * total);
    add_column(set, view, j, weight, out);
    constant += weight * shift;
  }
  for (size_t i = 0; constant != 0.0 && i < set->n; i++) out[i] -= constant;
  return m;
}

/* ---- linear kernels beside others ---- */

/* Returns what centring subtracts from alpha'K_m alpha. */
static double centring_of(const mk_kernel_set *set, const mk_member *member, const double *alpha) {
  if (member->mean == NULL) return 0.0;
  double sum = sum_of(alpha, set->n);
  return sum * (2.0 * set->simd->dot(set->n, alpha, member->mean) - member->total * sum);
}

static int has_own_form(const mk_member *member) {
  return mk_member_is_linear(member) && member->root == NULL;
}

/* Returns alpha'XX'alpha from inner products of all pairs. */
static double square_of_pairs(const mk_kernel_set *set, const mk_geometry *pairs,
                              const double *alpha) {
  size_t n = set->n;
  double square = 2.0 * sum_of(alpha, n) * set->simd->dot(n, alpha, pairs->shift);
  for (size_t i = 0; i < n; i++)
    if (alpha[i] != 0.0) square += alpha[i] * set->simd->dot(n, alpha, pairs->product + i * n);
  return square;
}

/* Returns |X'alpha|^2 over the family's columns. */
static double square_of(const mk_kernel_set *set, const mk_family *family, const double *alpha) {
  const mk_geometry *pairs = family->geometry;
  if (pairs != NULL && pairs->product != NULL && pairs->serve_linear &&
      family->feature_count > set->n)
    return square_of_pairs(set, pairs, alpha);
  double square = 0.0;
  for (size_t k = 0; k < family->feature_count; k++) {
    double g = column_product(set, family->view, mk_family_feature(family, k), alpha);
    square += g * g;
  }
  return square;
}

static mk_status linear_forms_of(void *data, size_t f, int thread) {
  const mk_linear_ask *ask = data;
  const mk_kernel_set *set = ask->set;
  const mk_family *family = &set->family[f];
  int any = 0;
  (void)thread;
  for (size_t k = 0; k < family->count; k++) any |= has_own_form(&set->member[family->member[k]]);
  if (!mk_family_is_euclidean(family) || !any) return MK_OK;
  for (size_t t = 0; t < ask->tasks; t++) {
    double square = square_of(set, family, ask->alpha[t]);
    for (size_t k = 0; k < family->count; k++) {
      int m = family->member[k];
      const mk_member *member = &set->member[m];
      if (!has_own_form(member)) continue;
      double own = member->scale * (square - centring_of(set, member, ask->alpha[t]));
      ask->s[m] = t == 0 ? own : ask->s[m] + own;
    }
  }
  return MK_OK;
}

void mk_linear_forms(const mk_linear_ask *ask, mk_team *team) {
  mk_deal_out(ask->set->families, team, linear_forms_of, (void *)ask);
}

double mk_linear_form_values(const mk_kernel_set *set) {
  double values = 0.0;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (mk_family_is_euclidean(&set->family[member->family]) && has_own_form(member))
      values += (double)set->n * (double)mk_member_columns(set, m);
  }
  return values;
}
