/* An expansion in progress; for the files expansion*.c. */
#ifndef MK_EXPANSION_JOB_H
#define MK_EXPANSION_JOB_H

#include "base/pool.h"
#include "base/sum.h"
#include "exact/expansion.h"
#include "kernel/structure.h"

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

#endif
