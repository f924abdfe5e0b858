/* Expansions without pairs: linear kernels by their feature weights w = X'alpha, and precomputed
 * matrices, read column by column; and the contribution of centring. Called by expansion.c and
 * means.c. MATHEMATICS.md, section 1. */
#include "expansion-direct.h"

#include "base/memory.h"
#include "base/threads.h"
#include "exact/exact-internal.h"
#include "exact/expansion-units.h"
#include "kernel/features.h"
#include "kernel/geometry.h"

#include <string.h>

#define CHUNK 1024      /* samples at a time */
#define FEATURES 64     /* weights at a time */
#define PART 64         /* terms of a sum without compensation */
#define FEW_SAMPLES 200 /* samples whose matrices one thread sums alone */

double mk_long_dot(const mk_simd *simd, size_t n, const double *x, const double *y) {
  mk_sum sum = {0.0, 0.0};
  for (size_t from = 0; from < n; from += PART)
    mk_sum_add(&sum, simd->dot(mk_smaller(n - from, PART), x + from, y + from));
  return mk_sum_total(&sum);
}

/* Adds sums, indexed by sample, to the expansion's values, indexed by place in its list. */
static void add_to_values(const mk_expansion *ask, size_t n, double weight, const double *sum) {
  for (size_t t = 0; t < ask->tasks; t++)
    for (size_t i = 0; i < ask->count; i++)
      mk_add_value(ask, t * ask->count + i, weight * sum[t * n + (size_t)ask->sample[i]]);
}

/* ---- linear ---- */

int mk_expands_by_features(const mk_expansion_job *job, size_t m) {
  const mk_member *member = &job->set->member[m];
  const mk_geometry *pairs = job->set->family[member->family].geometry;
  if (mk_member_is_linear(member) && pairs != NULL && pairs->serve_linear) return 0;
  return (mk_member_is_linear(member) || mk_member_is_local(member)) &&
         (job->ask->raw || member->root == NULL);
}

/* Returns 1 if kernel m is linear; locally linear kernels are expanded by expansion-local.c. */
static int is_linear(const mk_expansion_job *job, size_t m) {
  return mk_expands_by_features(job, m) && mk_is_linear(job->set, m);
}

/* Computes the product with about twice the working precision: if alpha is nearly orthogonal to the
 * columns, their kernel may have a very large weight. */
static double column_dot(const mk_view *view, size_t j, const double *alpha) {
  mk_sum sum = {0.0, 0.0};
  if (view->x == NULL) {
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      mk_sum_add_product(&sum, view->value[e], alpha[view->row[e]]);
    return mk_sum_total(&sum);
  }
  const double *x = view->x + j * view->rows;
  for (size_t i = 0; i < view->rows; i++)
    if (alpha[i] != 0.0) mk_sum_add_product(&sum, x[i], alpha[i]);
  return mk_sum_total(&sum);
}

/* A pass over the linear kernels of a family. */
typedef struct feature_pass {
  const mk_expansion_job *job;
  const mk_family *family;
  double *w, *sum; /* features x tasks: X'alpha; n x tasks by sample: (X - 1 centre') w */
  double *centre;  /* features: means of dense columns; values far from 0 would lose digits */
} feature_pass;

static mk_status weigh_features(void *data, size_t k, int thread) {
  const feature_pass *pass = data;
  const mk_expansion_job *job = pass->job;
  size_t tasks = job->ask->tasks, end = mk_smaller((k + 1) * FEATURES, pass->family->feature_count);
  (void)thread;
  for (size_t j = k * FEATURES; j < end; j++) {
    size_t column = mk_family_feature(pass->family, j);
    pass->centre[j] = mk_dense_mean(pass->family->view, column);
    for (size_t t = 0; t < tasks; t++)
      pass->w[j * tasks + t] = column_dot(pass->family->view, column, job->alpha + t * job->set->n);
  }
  return MK_OK;
}

static mk_status dense_values(void *data, size_t k, int thread) {
  const feature_pass *pass = data;
  const mk_expansion_job *job = pass->job;
  size_t tasks = job->ask->tasks, n = job->set->n, from = k * CHUNK;
  size_t count = mk_smaller(n - from, CHUNK);
  double z[CHUNK];
  (void)thread;
  for (size_t j = 0; j < pass->family->feature_count; j++) {
    const double *x = pass->family->view->x + mk_family_feature(pass->family, j) * n + from;
    for (size_t i = 0; i < count; i++) z[i] = x[i] - pass->centre[j];
    for (size_t t = 0; t < tasks; t++)
      job->set->simd->axpy(count, pass->w[j * tasks + t], z, pass->sum + t * n + from);
  }
  return MK_OK;
}

static void sparse_values(const feature_pass *pass) {
  const mk_view *view = pass->family->view;
  size_t tasks = pass->job->ask->tasks, n = pass->job->set->n;
  for (size_t k = 0; k < pass->family->feature_count; k++) {
    size_t j = mk_family_feature(pass->family, k);
    for (int e = view->start[j]; e < view->start[j + 1]; e++)
      for (size_t t = 0; t < tasks; t++)
        pass->sum[t * n + (size_t)view->row[e]] += pass->w[k * tasks + t] * view->value[e];
  }
}

/* Adds the contribution of the columns' centres to the values. */
static void add_constants(const feature_pass *pass, double weight) {
  const mk_expansion *ask = pass->job->ask;
  for (size_t t = 0; t < ask->tasks; t++) {
    mk_sum constant = {0.0, 0.0};
    for (size_t j = 0; j < pass->family->feature_count; j++)
      mk_sum_add(&constant, pass->centre[j] * pass->w[j * ask->tasks + t]);
    for (size_t i = 0; i < ask->count; i++)
      mk_add_value(ask, t * ask->count + i, weight * mk_sum_total(&constant));
  }
}

static void add_features(feature_pass *pass, double total) {
  const mk_expansion_job *job = pass->job;
  const mk_family *family = pass->family;
  size_t n = job->set->n, length = family->feature_count * job->ask->tasks;
  mk_team *team =
      mk_team_worth(job->control->team, 20.0 * (double)n * (double)family->feature_count);
  mk_deal_out((family->feature_count + FEATURES - 1) / FEATURES, team, weigh_features, pass);
  double square = job->set->simd->dot(length, pass->w, pass->w);
  for (size_t k = 0; job->ask->forms != NULL && k < family->count; k++)
    if (is_linear(job, (size_t)family->member[k])) job->ask->forms[family->member[k]] += square;
  if (total == 0.0) return;
  if (family->view->x != NULL)
    mk_deal_out((n + CHUNK - 1) / CHUNK, team, dense_values, pass);
  else
    sparse_values(pass);
  add_to_values(job->ask, n, total, pass->sum);
  add_constants(pass, total);
}

mk_status mk_expand_features(const mk_expansion_job *job, const mk_family *family) {
  size_t tasks = job->ask->tasks, n = job->set->n, length = family->feature_count * tasks;
  double total = 0.0;
  int any = 0;
  for (size_t k = 0; k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (!is_linear(job, m) || mk_is_idle(job, m)) continue;
    total += job->weight[m];
    any = 1;
  }
  if (!any) return MK_OK;
  feature_pass pass = {.job = job, .family = family};
  pass.w = MK_NEW(double, length);
  pass.sum = MK_NEW0(double, n *tasks);
  pass.centre = MK_NEW(double, family->feature_count);
  mk_status status =
      pass.w == NULL || pass.sum == NULL || pass.centre == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) add_features(&pass, total);
  for (size_t k = 0; k < family->count; k++)
    if (is_linear(job, (size_t)family->member[k]))
      job->value_units[family->member[k]] =
          mk_value_units(job->set, (size_t)family->member[k], 0.0);
  mk_free(pass.w);
  mk_free(pass.sum);
  mk_free(pass.centre);
  return status;
}

/* ---- precomputed ---- */

/* A pass over one matrix. Each thread has a share of the support vectors and its own sums. */
typedef struct matrix_pass {
  const mk_expansion_job *job;
  size_t m, shares;
  const int *all; /* 0, 1, ... n - 1 */
  double *sums;   /* by share: n x tasks values, indexed by sample */
  mk_sum *form;   /* by share: alpha'K_m alpha */
} matrix_pass;

/* Adds samples from .. from + count of one matrix column for all tasks; `block` is tasks x
 * CHUNK. */
static void add_column_part(const matrix_pass *pass, size_t share, size_t column, size_t from,
                            size_t count, const double *k, double *block) {
  const mk_expansion_job *job = pass->job;
  for (size_t t = 0; t < job->ask->tasks; t++) {
    const double *alpha = job->alpha + t * job->set->n;
    if (alpha[column] == 0.0) continue;
    double weight = job->weight[pass->m] * alpha[column];
    if (weight != 0.0) job->set->simd->axpy(count, weight, k, block + t * CHUNK);
    if (mk_wants_form(job, pass->m))
      mk_sum_add(&pass->form[share],
                 alpha[column] * mk_long_dot(job->set->simd, count, alpha + from, k));
  }
}

/* Adds samples from .. from + count of some support vectors' columns. The sums and their rounding
 * errors lie side by side. */
static void add_block(const matrix_pass *pass, size_t share, size_t first, size_t last, size_t from,
                      size_t count, double *block) {
  const mk_expansion_job *job = pass->job;
  const mk_member *member = &job->set->member[pass->m];
  int rooted = !job->ask->raw && member->root != NULL;
  size_t n = job->set->n, tasks = job->ask->tasks;
  double buffer[CHUNK], centred[CHUNK];
  memset(block, 0, tasks * CHUNK * sizeof *block);
  for (size_t s = first; s < last; s++) {
    size_t column = (size_t)job->ask->sample[s];
    mk_row values = mk_matrix_row(job->set, &member->spec, column, from);
    const double *k = mk_row_doubles(values, count, buffer);
    if (rooted) {
      memcpy(centred, k, count * sizeof *centred);
      mk_plain_centre(member, (int)column, count, pass->all + from, centred);
      k = centred;
    }
    add_column_part(pass, share, column, from, count, k, block);
  }
  for (size_t t = 0; t < tasks; t++) {
    double *sum = pass->sums + (2 * share * tasks + t) * n + from, *rest = sum + tasks * n;
    for (size_t i = 0; i < count; i++) mk_add_to(&sum[i], &rest[i], block[t * CHUNK + i]);
  }
}

static mk_status add_columns(void *data, size_t share, int thread) {
  const matrix_pass *pass = data;
  const mk_expansion_job *job = pass->job;
  size_t n = job->set->n, support = job->ask->support;
  size_t end = support * (share + 1) / pass->shares;
  double *block = MK_NEW(double, job->ask->tasks *CHUNK);
  (void)thread;
  if (block == NULL) return MK_NO_MEMORY;
  for (size_t s = support * share / pass->shares; s < end; s += MK_SUM_ROWS)
    for (size_t from = 0; from < n; from += CHUNK)
      add_block(pass, share, s, mk_smaller(s + MK_SUM_ROWS, end), from, mk_smaller(n - from, CHUNK),
                block);
  mk_free(block);
  return MK_OK;
}

mk_status mk_expand_matrices(const mk_expansion_job *job, const mk_family *family) {
  size_t n = job->set->n, length = n * job->ask->tasks;
  size_t shares = n > FEW_SAMPLES ? (size_t)mk_team_size(job->control->team) : 1;
  double *sums = MK_NEW0(double, 2 * length * shares);
  mk_sum *forms = MK_NEW(mk_sum, shares);
  int *all = MK_NEW(int, n);
  mk_status status = sums == NULL || forms == NULL || all == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t i = 0; status == MK_OK && i < n; i++) all[i] = (int)i;
  for (size_t k = 0; status == MK_OK && k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (mk_is_idle(job, m)) continue;
    memset(forms, 0, shares * sizeof *forms);
    if ((status = mk_check(job->control)) != MK_OK) break;
    matrix_pass pass = {job, m, shares, all, sums, forms};
    status = mk_deal_out(shares, job->control->team, add_columns, &pass);
    job->value_units[m] = job->form_units[m] = MK_SUM_UNITS;
    for (size_t s = 0; job->ask->forms != NULL && s < shares; s++)
      job->ask->forms[m] += mk_sum_total(&forms[s]);
  }
  for (size_t s = 0; status == MK_OK && job->ask->value != NULL && s < 2 * shares; s++)
    add_to_values(job->ask, n, 1.0, sums + s * length);
  mk_free(sums);
  mk_free(forms);
  mk_free(all);
  return status;
}

/* ---- centring and scale, where they need no pairs ---- */

double mk_alpha_sum(const mk_expansion_job *job, size_t task) {
  mk_sum sum = {0.0, 0.0};
  for (size_t i = 0; i < job->set->n; i++) mk_sum_add(&sum, job->alpha[task * job->set->n + i]);
  return mk_sum_total(&sum);
}

static void centre_values(const mk_expansion_job *job, size_t t, double sum, double product_sum,
                          double total, const double *shift) {
  const mk_expansion *ask = job->ask;
  for (size_t i = 0; i < ask->count; i++)
    mk_add_value(ask, t * ask->count + i, (total - shift[ask->sample[i]]) * sum - product_sum);
}

/* Adds sum_j alpha_j (k_ij - mean_i - mean_j + total), for all kernels without roots at once. */
mk_status mk_expand_centring(const mk_expansion_job *job) {
  const mk_expansion *ask = job->ask;
  const mk_simd *simd = job->set->simd;
  size_t n = job->set->n;
  double total = 0.0, *shift = MK_NEW0(double, n);
  int centred = 0;
  if (shift == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < job->set->kernels; m++) {
    const mk_member *member = &job->set->member[m];
    /* of several processes that share the pairs, one adds it */
    int alone = member->mean != NULL && member->root == NULL && mk_takes_block(job->control, 0);
    centred |= alone;
    if (alone && job->weight[m] != 0.0) {
      total += job->weight[m] * member->total;
      simd->axpy(n, job->weight[m], member->mean, shift);
    }
    if (ask->forms == NULL) continue;
    for (size_t t = 0; alone && t < ask->tasks; t++) {
      double sum = mk_alpha_sum(job, t),
             product = mk_long_dot(simd, n, job->alpha + t * n, member->mean);
      ask->forms[m] += sum * (sum * member->total - 2.0 * product);
    }
    ask->forms[m] *= member->scale;
  }
  for (size_t t = 0; centred && ask->value != NULL && t < ask->tasks; t++)
    centre_values(job, t, mk_alpha_sum(job, t), mk_long_dot(simd, n, job->alpha + t * n, shift),
                  total, shift);
  mk_free(shift);
  return MK_OK;
}
