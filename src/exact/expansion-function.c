/* Expansions of function kernels whose owner sums over support vectors without evaluating pairs.
 * Called by expansion.c. MATHEMATICS.md, section 1. */
#include "expansion-function.h"

#include "exact/expansion-direct.h"
#include "exact/expansion-units.h"

#include <math.h>

/* Sums of one kernel and task over support vectors, for the first `count` samples of the list. */
typedef struct summing {
  const mk_expansion_job *job;
  size_t m, task, count;
  double *weight; /* support: alphas, times the samples' roots if the kernel has roots */
  double *sum;    /* count */
} summing;

/* Computes sum_j alpha_j r_j r_i (k_ij - mean_i - mean_j + total) from sums of the plain kernel. */
static void divide_by_roots(const summing *work) {
  const mk_expansion *ask = work->job->ask;
  const mk_member *member = &work->job->set->member[work->m];
  mk_sum total = {0.0, 0.0}, product = {0.0, 0.0};
  for (size_t j = 0; member->mean != NULL && j < ask->support; j++) {
    mk_sum_add(&total, work->weight[j]);
    mk_sum_add_product(&product, work->weight[j], member->mean[ask->sample[j]]);
  }
  for (size_t i = 0; i < work->count; i++) {
    int sample = ask->sample[i];
    if (member->mean != NULL)
      work->sum[i] +=
          (member->total - member->mean[sample]) * mk_sum_total(&total) - mk_sum_total(&product);
    work->sum[i] *= member->root[sample];
  }
}

static mk_status sum_task(const summing *work) {
  const mk_expansion_job *job = work->job;
  const mk_expansion *ask = job->ask;
  const mk_member *member = &job->set->member[work->m];
  const double *alpha = ask->alpha + work->task * ask->support;
  int rooted = mk_is_rooted(job, work->m);
  for (size_t j = 0; j < ask->support; j++)
    work->weight[j] = alpha[j] * (rooted ? member->root[ask->sample[j]] : 1.0);
  MK_TRY(member->spec.expand(member->spec.function_data, ask->sample, ask->support, work->weight,
                             ask->sample, work->count, job->control, work->sum));
  if (rooted) divide_by_roots(work);
  for (size_t i = 0; i < work->count; i++)
    if (!isfinite(work->sum[i])) return MK_NOT_FINITE;
  for (size_t i = 0; job->weight[work->m] != 0.0 && i < work->count; i++)
    mk_add_value(ask, work->task * ask->count + i, job->weight[work->m] * work->sum[i]);
  if (mk_wants_form(job, work->m))
    ask->forms[work->m] += mk_long_dot(job->set->simd, ask->support, alpha, work->sum);
  return MK_OK;
}

/* Finds the largest diagonal value, which bounds all values by Cauchy and Schwarz. */
static mk_status find_largest(mk_expansion_job *job, const mk_kernel_spec *spec, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int *sample = &job->ask->sample[i];
    double value;
    if (spec->function(spec->function_data, sample, 1, sample, 1, &value) != 0) return MK_CALLBACK;
    job->largest = fmax(job->largest, fabs(value));
  }
  return MK_OK;
}

mk_status mk_expand_function(mk_expansion_job *job, const mk_family *family) {
  const mk_expansion *ask = job->ask;
  size_t m = (size_t)family->member[0];
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  mk_pool pool = {NULL, 0, 0};
  summing work = {.job = job, .m = m};
  work.count = job->weight[m] != 0.0 ? ask->count : ask->support;
  work.weight = MK_TAKE(&pool, double, ask->support);
  work.sum = MK_TAKE(&pool, double, work.count);
  mk_status status = mk_pool_status(&pool);
  for (; status == MK_OK && work.task < ask->tasks; work.task++) status = sum_task(&work);
  if (status == MK_OK) status = find_largest(job, spec, work.count);
  job->value_units[m] = job->form_units[m] =
      mk_value_units(job->set, m, 0.0) + (double)ask->support + spec->expand_units;
  mk_pool_free(&pool);
  return status;
}
