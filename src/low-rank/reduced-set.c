/* A reduced set: f projected onto the kernels of few samples, which are chosen one after another.
 * Each step adds the sample whose kernel brings the projection closest to f, by |residual|^2 over
 * the squared distance of its kernel from those chosen (Mueller and Schaback 2009; f/P-greedy).
 * A pivoted Cholesky factor Z Z' of the mixture's kernel matrix has a column for each step. Called
 * by rglue/reduced-set.c. MATHEMATICS.md, section 3.4. */
#include "low-rank/reduced-set.h"

#include "base/cholesky.h"
#include "base/pool.h"
#include "base/threads.h"
#include "exact/exact.h"
#include "exact/expansion.h"
#include "kernel/features.h"
#include "kernel/structure.h"

#include <math.h>
#include <string.h>

#define COLUMNS_AT_ONCE 32 /* columns of Z that are allocated together */
/* share of k(x, x) below which what is left of a kernel is rounding error */
#define LEFT_SHARE 1e-10

/* One thread's work space. */
typedef struct bench {
  mk_exact *exact;
  const void **row; /* most: a block of each column of Z */
  double value[MK_EXACT_COLS];
} bench;

/* The sample of a block that gains most. */
typedef struct choice {
  size_t sample;
  double gain;
} choice;

typedef struct reducing {
  mk_reduced_set *ask;
  mk_pool pool;
  size_t n, blocks;
  double form;      /* |f - g|^2 */
  double *residual; /* n: f - g at the samples */
  double *left;     /* n: diagonal of K - Z Z' */
  double least;     /* smallest value of `left` that is more than rounding errors */
  double **column;  /* most: columns of Z, each of n values */
  double *own;      /* most: minus the row of Z of the sample that is added */
  double *part;     /* most: coordinates of g in the columns */
  choice *choice;   /* blocks */
  size_t pivot;
  bench *bench;
} reducing;

/* ---- f and the diagonal ---- */

/* Computes f at all samples, and |f|^2. */
static mk_status evaluate_samples(reducing *job, const mk_control *control) {
  const mk_reduced_set *ask = job->ask;
  size_t kernels = mk_set_kernels(ask->set);
  int *sample = MK_TAKE(&job->pool, int, job->n);
  double *forms = MK_TAKE(&job->pool, double, kernels);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t i = 0; i < job->n; i++) sample[i] = (int)i;
  mk_expansion expansion = {.set = ask->set,
                            .sample = sample,
                            .support = job->n,
                            .count = job->n,
                            .tasks = 1,
                            .alpha = ask->alpha,
                            .theta = ask->theta,
                            .value = job->residual,
                            .forms = forms};
  MK_TRY(mk_expand(&expansion, control));
  for (size_t m = 0; m < kernels; m++) job->form += ask->theta[m] * forms[m];
  return MK_OK;
}

static mk_status add_diagonals(reducing *job, const mk_control *control) {
  const mk_kernel_set *set = job->ask->set;
  double *own = MK_TAKE(&job->pool, double, job->n), most = 0.0;
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t m = 0; m < set->kernels; m++) {
    if (job->ask->theta[m] == 0.0) continue;
    MK_TRY(mk_exact_diagonal(set, m, control, own));
    const mk_member *member = &set->member[m];
    for (size_t i = 0; i < job->n; i++) {
      double root = member->root != NULL ? member->root[i] : 1.0;
      if (member->mean != NULL) own[i] += member->total - 2.0 * member->mean[i];
      job->left[i] += job->ask->theta[m] * member->scale * root * root * own[i];
    }
  }
  for (size_t i = 0; i < job->n; i++) most = fmax(most, job->left[i]);
  job->least = LEFT_SHARE * most;
  return MK_OK;
}

/* ---- steps ---- */

static choice best_in_block(const reducing *job, size_t from, size_t width) {
  choice best = {from, 0.0};
  for (size_t i = from; i < from + width; i++) {
    double gain =
        job->left[i] > job->least ? job->residual[i] * job->residual[i] / job->left[i] : 0.0;
    if (gain > best.gain) best = (choice){i, gain};
  }
  return best;
}

/* Computes the mixture's kernel of the pivot and a block of samples. */
static mk_status pivot_values(const reducing *job, bench *bench, size_t from, size_t width,
                              double *out) {
  const mk_kernel_set *set = job->ask->set;
  mk_samples others = mk_span(from, width);
  int pivot = (int)job->pivot;
  memset(out, 0, width * sizeof *out);
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    MK_TRY(mk_exact_block(bench->exact, f, &pivot, 1, &others));
    for (size_t k = 0; k < family->count; k++) {
      size_t m = (size_t)family->member[k];
      if (job->ask->theta[m] == 0.0) continue;
      mk_exact_values(bench->exact, m, 0, bench->value);
      set->simd->axpy(width, job->ask->theta[m], bench->value, out);
    }
  }
  return MK_OK;
}

/* Computes a block of the next column of Z, and takes its part off the residual. */
static mk_status add_to_block(void *data, size_t b, int thread) {
  reducing *job = data;
  bench *bench = &job->bench[thread];
  size_t from = b * MK_EXACT_COLS, width = mk_smaller(job->n - from, MK_EXACT_COLS);
  size_t count = job->ask->count;
  double *z = job->column[count] + from, gain = job->part[count],
         root = sqrt(job->left[job->pivot]);
  MK_TRY(pivot_values(job, bench, from, width, z));
  for (size_t k = 0; k < count; k++) bench->row[k] = job->column[k] + from;
  job->ask->set->simd->rows[0].combine(width, count, bench->row, job->own, z);
  for (size_t i = 0; i < width; i++) z[i] /= root;
  job->ask->set->simd->axpy(width, -gain, z, job->residual + from);
  return MK_OK;
}

/* Takes the new column off the diagonal, which the tasks above read at the pivot. */
static mk_status finish_block(void *data, size_t b, int thread) {
  reducing *job = data;
  (void)thread;
  size_t from = b * MK_EXACT_COLS, width = mk_smaller(job->n - from, MK_EXACT_COLS);
  const double *z = job->ask->count > 0 ? job->column[job->ask->count - 1] + from : NULL;
  for (size_t i = 0; z != NULL && i < width; i++) job->left[from + i] -= z[i] * z[i];
  job->choice[b] = best_in_block(job, from, width);
  return MK_OK;
}

static choice best_of_all(const reducing *job) {
  choice best = job->choice[0];
  for (size_t b = 1; b < job->blocks; b++)
    if (job->choice[b].gain > best.gain) best = job->choice[b];
  return best;
}

static mk_status grow_columns(reducing *job) {
  size_t count = job->ask->count;
  if (count % COLUMNS_AT_ONCE > 0) return MK_OK;
  size_t more = mk_smaller(COLUMNS_AT_ONCE, job->ask->most - count);
  double *fresh = MK_TAKE(&job->pool, double, more * job->n);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t k = 0; k < more; k++) job->column[count + k] = fresh + k * job->n;
  return MK_OK;
}

static mk_status add_sample(reducing *job, choice best, mk_team *team, const mk_control *control) {
  mk_reduced_set *ask = job->ask;
  MK_TRY(grow_columns(job));
  job->pivot = best.sample;
  job->part[ask->count] = job->residual[best.sample] / sqrt(job->left[best.sample]);
  for (size_t k = 0; k < ask->count; k++) job->own[k] = -job->column[k][best.sample];
  MK_TRY(mk_for_each(job->blocks, team, control, add_to_block, job));
  job->form -= best.gain;
  ask->sample[ask->count++] = (int)best.sample;
  job->left[best.sample] = 0.0; /* never again */
  return mk_deal_out(job->blocks, team, finish_block, job);
}

/* Solves L'beta = part, where L are the chosen rows of Z. */
static mk_status find_coefficients(reducing *job) {
  mk_reduced_set *ask = job->ask;
  double *factor = MK_TAKE0(&job->pool, double, ask->count * ask->count);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t i = 0; i < ask->count; i++)
    for (size_t k = 0; k <= i; k++) factor[i * ask->count + k] = job->column[k][ask->sample[i]];
  memcpy(ask->beta, job->part, ask->count * sizeof *ask->beta);
  mk_solve_upper(factor, ask->count, ask->beta);
  return MK_OK;
}

/* ---- all ---- */

static mk_status open_job(reducing *job, size_t threads) {
  size_t most = job->ask->most;
  job->n = mk_set_samples(job->ask->set);
  job->blocks = (job->n + MK_EXACT_COLS - 1) / MK_EXACT_COLS;
  job->residual = MK_TAKE0(&job->pool, double, job->n);
  job->left = MK_TAKE0(&job->pool, double, job->n);
  job->column = MK_TAKE(&job->pool, double *, most);
  job->own = MK_TAKE(&job->pool, double, most);
  job->part = MK_TAKE(&job->pool, double, most);
  job->choice = MK_TAKE(&job->pool, choice, job->blocks);
  job->bench = MK_TAKE0(&job->pool, bench, threads);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t t = 0; t < threads; t++) {
    job->bench[t].row = MK_TAKE(&job->pool, const void *, most);
    if ((job->bench[t].exact = mk_exact_new(job->ask->set)) == NULL) return MK_NO_MEMORY;
  }
  return mk_pool_status(&job->pool);
}

static mk_status choose_samples(reducing *job, mk_team *team, const mk_control *control) {
  MK_TRY(evaluate_samples(job, control));
  MK_TRY(add_diagonals(job, control));
  MK_TRY(mk_deal_out(job->blocks, team, finish_block, job));
  while (job->form > job->ask->goal && job->ask->count < job->ask->most) {
    choice best = best_of_all(job);
    if (best.gain <= 0.0) break;
    MK_TRY(add_sample(job, best, team, control));
  }
  return find_coefficients(job);
}

mk_status mk_reduce(mk_reduced_set *reduced, const mk_control *control) {
  reducing job = {.ask = reduced};
  mk_team *team = control->team;
  for (size_t f = 0; f < mk_set_families(reduced->set); f++) {
    if (mk_family_serial(reduced->set, f)) team = NULL;
    if (mk_family_explicit(reduced->set, f)) return MK_BAD_ARGUMENT;
  }
  size_t threads = (size_t)mk_team_size(team);
  reduced->count = 0;
  mk_status status = open_job(&job, threads);
  if (status == MK_OK) status = choose_samples(&job, team, control);
  for (size_t t = 0; job.bench != NULL && t < threads; t++) mk_exact_free(job.bench[t].exact);
  mk_pool_free(&job.pool);
  return status;
}
