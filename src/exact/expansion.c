/* Sums over support vectors by exact kernel values: f and s of MATHEMATICS.md, section 1, for the
 * certificate (certificate/certificate.c), normalisation and predictions. Each family is expanded
 * by its features, its matrices or its pairs. */
#include "exact/expansion.h"

#include "exact/exact-features.h"
#include "exact/expansion-direct.h"
#include "exact/expansion-function.h"
#include "exact/expansion-local.h"
#include "exact/expansion-merge.h"
#include "exact/expansion-pairs.h"
#include "exact/expansion-rounding.h"
#include "exact/expansion-small.h"
#include "exact/pairs.h"
#include "kernel/geometry.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 0.4 /* share of the ordered pairs of all samples that counts as most of them */

/* ---- families ---- */

/* Expands all feature blocks at once, column by column. */
static mk_status expand_feature_blocks(const mk_expansion_job *job) {
  const mk_expansion *ask = job->ask;
  if (ask->theta == NULL && (ask->raw || ask->forms == NULL))
    return MK_OK; /* constants of normalisation need no feature blocks */
  size_t n = job->set->n;
  mk_pool pool = {NULL, 0, 0};
  mk_exact_ask features = {.set = job->set,
                           .theta = ask->theta,
                           .alpha = job->alpha,
                           .tasks = ask->tasks,
                           .level = ask->level,
                           .decision = MK_TAKE0(&pool, double, n * ask->tasks),
                           .forms = ask->forms,
                           .slack = MK_TAKE0(&pool, double, ask->tasks),
                           .form_slack = ask->form_slack,
                           .reach = ask->reach};
  mk_status status = mk_pool_status(&pool);
  if (status == MK_OK) status = mk_exact_features(&features, job->control);
  for (size_t i = 0; status == MK_OK && i < ask->count * ask->tasks; i++) {
    size_t t = i / ask->count, sample = (size_t)ask->sample[i % ask->count];
    if (ask->value_slack != NULL) ask->value_slack[i] += features.slack[t];
    if (ask->value != NULL) mk_add_value(ask, i, features.decision[t * n + sample]);
  }
  mk_pool_free(&pool);
  return status;
}

static int pairs_are_idle(const mk_expansion_job *job, const mk_family *family) {
  for (size_t k = 0; k < family->count; k++)
    if (!mk_is_idle(job, (size_t)family->member[k]) &&
        !mk_expands_by_features(job, (size_t)family->member[k]))
      return 0;
  return 1;
}

static int has_own_expansion(const mk_kernel_set *set, const mk_family *family) {
  return mk_family_is_function(family) && set->member[family->member[0]].spec.expand != NULL;
}

/* Expands by other ways than pairs, which only one process may do if several share the pairs. */
static mk_status expand_without_pairs(mk_expansion_job *job, const mk_family *family) {
  if (!mk_takes_block(job->control, 0)) return MK_OK;
  if (mk_family_has_matrices(family)) return mk_expand_matrices(job, family);
  if (mk_family_is_euclidean(family)) MK_TRY(mk_expand_features(job, family));
  if (family->local != NULL) MK_TRY(mk_expand_local(job, family));
  return has_own_expansion(job->set, family) && job->ask->support > 0 &&
                 !pairs_are_idle(job, family)
             ? mk_expand_function(job, family)
             : MK_OK;
}

static mk_status expand_family(mk_expansion_job *job, size_t f, mk_pairs *pairs) {
  const mk_family *family = &job->set->family[f];
  if (mk_family_has_blocks(family)) return MK_OK; /* feature blocks follow all at once */
  MK_TRY(expand_without_pairs(job, family));
  if (mk_family_has_matrices(family) || has_own_expansion(job->set, family)) return MK_OK;
  if (job->ask->support == 0 || pairs_are_idle(job, family)) return MK_OK;
  return mk_merge_suits(job, family) ? mk_expand_merged(job, f, pairs)
                                     : mk_expand_pairs(job, f, pairs);
}

/* Returns 1 if only forms of Gaussians are wanted, and of too few for pieces. */
static int is_small(const mk_expansion_job *job, const mk_family *family) {
  double widest;
  return mk_small_suits(job, family) && mk_narrowest_pieced(job, family, &widest) == 0.0;
}

/* Expands the small families together, then the others one after another. */
static mk_status expand_families(mk_expansion_job *job, mk_pairs *pairs) {
  size_t smalls = 0, *small = MK_TAKE(&job->pool, size_t, job->set->families);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t f = 0; f < job->set->families; f++) {
    if (is_small(job, &job->set->family[f]))
      small[smalls++] = f;
    else
      MK_TRY(expand_family(job, f, pairs));
  }
  return mk_expand_small(job, small, smalls);
}

/* ---- all ---- */

static void clear_values(double *out, size_t count) {
  if (out != NULL) memset(out, 0, count * sizeof *out);
}

static mk_status open_job(mk_expansion_job *job) {
  mk_expansion *ask = job->ask;
  size_t n = job->set->n, kernels = job->set->kernels, values = ask->count * ask->tasks;
  job->weight = MK_TAKE0(&job->pool, double, kernels);
  job->alpha = MK_TAKE0(&job->pool, double, n * ask->tasks);
  job->value_units = MK_TAKE0(&job->pool, double, kernels);
  job->form_units = MK_TAKE0(&job->pool, double, kernels);
  ask->rest = ask->value != NULL ? MK_TAKE0(&job->pool, double, values) : NULL;
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t m = 0; ask->theta != NULL && m < kernels; m++)
    job->weight[m] = ask->theta[m] * (ask->raw ? 1.0 : job->set->member[m].scale);
  for (size_t t = 0; t < ask->tasks; t++)
    for (size_t i = 0; i < ask->support; i++)
      job->alpha[t * n + (size_t)ask->sample[i]] = ask->alpha[t * ask->support + i];
  clear_values(ask->value, values);
  clear_values(ask->value_slack, values);
  clear_values(ask->forms, kernels);
  clear_values(ask->form_slack, kernels);
  clear_values(ask->reach, kernels);
  return MK_OK;
}

static mk_status expand_set(mk_expansion_job *job, mk_pairs *pairs) {
  MK_TRY(open_job(job));
  MK_TRY(mk_pairs_new(pairs, job->set, job->control->team));
  MK_TRY(expand_families(job, pairs));
  if (!job->ask->raw) MK_TRY(mk_expand_centring(job));
  job->largest = fmax(job->largest, mk_pairs_largest(pairs));
  if (job->set->features != NULL && mk_takes_block(job->control, 0))
    MK_TRY(expand_feature_blocks(job));
  return mk_expand_rounding(job);
}

static int visits_most_pairs(const mk_expansion *ask) {
  double n = (double)mk_set_samples(ask->set), support = (double)ask->support;
  double others = (double)ask->count - (ask->forms != NULL ? 0.5 : 1.0) * support;
  return support * others >= MOST_PAIRS * n * n;
}

mk_status mk_expand(mk_expansion *expansion, const mk_control *control) {
  mk_expansion_job job = {.ask = expansion, .control = control, .set = expansion->set};
  mk_pairs pairs = {.set = expansion->set};
  expansion->pieced = 0;
  mk_status status = visits_most_pairs(expansion) ? mk_geometry_need(job.set, control) : MK_OK;
  if (status == MK_OK) status = expand_set(&job, &pairs);
  /* each compensated sum is rounded once */
  size_t values = expansion->value != NULL ? expansion->count * expansion->tasks : 0;
  for (size_t i = 0; status == MK_OK && i < values; i++) {
    expansion->value[i] += expansion->rest[i];
    if (expansion->value_slack != NULL)
      expansion->value_slack[i] += MK_UNIT * fabs(expansion->value[i]);
  }
  expansion->rest = NULL;
  mk_pairs_free(&pairs);
  mk_pool_free(&job.pool);
  return status;
}
