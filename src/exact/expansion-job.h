/* An expansion in progress, and the ways to expand a family; for the files expansion*.c. */
#ifndef MK_EXPANSION_JOB_H
#define MK_EXPANSION_JOB_H

#include "base/pool.h"
#include "base/sum.h"
#include "exact/expansion.h"
#include "exact/pairs.h"

typedef struct mk_expansion_job {
  mk_expansion *ask;
  const mk_control *control;
  const mk_kernel_set *set;
  double *weight;                   /* M: theta_m scale_m; 0 without theta */
  double *alpha;                    /* n x tasks by sample; 0 except at support vectors */
  double *value_units, *form_units; /* M each: roundings of a term of values, of forms */
  double largest;                   /* largest absolute value of function kernels */
  mk_pool pool;
} mk_expansion_job;

double mk_alpha_sum(const mk_expansion_job *job, size_t task);

/* Adds x to a value. */
static inline void mk_add_value(const mk_expansion *ask, size_t at, double x) {
  mk_add_to(&ask->value[at], &ask->rest[at], x);
}

static inline int mk_is_rooted(const mk_expansion_job *job, size_t m) {
  return !job->ask->raw && job->set->member[m].root != NULL;
}

static inline int mk_wants_form(const mk_expansion_job *job, size_t m) {
  return job->ask->forms != NULL && (job->ask->wanted == NULL || job->ask->wanted[m]);
}

/* Returns 1 if neither values nor form of kernel m are needed. */
static inline int mk_is_idle(const mk_expansion_job *job, size_t m) {
  return job->weight[m] == 0.0 && !mk_wants_form(job, m);
}

/* Returns 1 if kernel m is expanded by explicit feature weights. */
int mk_expands_by_features(const mk_expansion_job *job, size_t m);
mk_status mk_expand_features(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_local(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_matrices(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_function(mk_expansion_job *job, const mk_family *family);
/* Adds centring for kernels without roots and scales the forms, after all families are summed. */
mk_status mk_expand_centring(const mk_expansion_job *job);

/* ---- expansion-small.c: forms alone of few Gaussians on few features ---- */

int mk_small_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_small(const mk_expansion_job *job, const size_t *family, size_t count);

/* ---- expansion-pairs.c: pair by pair ---- */

/* Returns the smallest width that is evaluated by pieces, and *widest; 0 if it is cheaper to
 * evaluate kernels one by one. */
double mk_narrowest_pieced(const mk_expansion_job *job, const mk_family *family, double *widest);
mk_status mk_expand_pairs(mk_expansion_job *job, size_t f, mk_pairs *pairs);

/* ---- expansion-merge.c: pair by pair, with equal samples as one ---- */

int mk_merge_suits(const mk_expansion_job *job, const mk_family *family);
mk_status mk_expand_merged(mk_expansion_job *job, size_t f, mk_pairs *pairs);

#endif
