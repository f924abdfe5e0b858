/* Forms of Gaussians on few dense features over few support vectors. A pair takes a handful of
 * operations, fewer than packing samples for expansion-pairs.c. Families are spread over the
 * threads. Called by expansion.c. MATHEMATICS.md, section 1. */
#include "expansion-small.h"

#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"
#include "exact/expansion-units.h"

#include <string.h>

#define MOST_FEATURES 32
#define MOST_DIFFERENCES 64 /* kernels times features: each kernel forms its own distances */
#define MOST_SUPPORT 4096
#define LANE_SHARE 0.5 /* largest share of a row's terms that one lane adds up */

/* The data that all families share. */
typedef struct small {
  const mk_expansion_job *job;
  const size_t *family; /* family numbers */
  size_t apart;         /* stride from one feature's values to the next one's */
  double **packed;      /* by thread: features x `apart`, and the weights of a row */
} small;

int mk_small_suits(const mk_expansion_job *job, const mk_family *family) {
  size_t wanted = 0;
  if (job->ask->value != NULL || job->ask->forms == NULL || job->ask->support > MOST_SUPPORT ||
      !mk_family_is_dense(family) || family->feature_count > MOST_FEATURES ||
      family->feature_count == 1)
    return 0;
  for (size_t k = 0; k < family->count; k++) {
    const mk_member *member = &job->set->member[family->member[k]];
    if (!mk_wants_form(job, (size_t)family->member[k])) continue;
    if (!mk_member_is_gaussian(member) || (!job->ask->raw && member->root != NULL)) return 0;
    wanted++;
  }
  return wanted * family->feature_count <= MOST_DIFFERENCES;
}

static void pack_support(const small *all, const mk_family *family, double *packed) {
  const mk_expansion *ask = all->job->ask;
  for (size_t k = 0; k < family->feature_count; k++) {
    const double *x = family->view->x + mk_family_feature(family, k) * family->view->rows;
    for (size_t s = 0; s < ask->support; s++) packed[k * all->apart + s] = x[ask->sample[s]];
  }
}

/* Returns the sum over tasks and pairs of alpha_i alpha_j exp(-d_ij / width). */
static double gaussian_form(const small *all, size_t features, double width, const double *packed,
                            double *weight) {
  const mk_expansion *ask = all->job->ask;
  const mk_simd *simd = all->job->set->simd;
  mk_sum sum = {0.0, 0.0};
  double own[MOST_FEATURES];
  for (size_t i = 0; i < ask->support; i++) {
    size_t rest = ask->support - i - 1;
    memset(weight, 0, (rest + MK_READ_AHEAD) * sizeof *weight);
    for (size_t t = 0; t < ask->tasks; t++) {
      const double *alpha = ask->alpha + t * ask->support;
      mk_sum_add(&sum, alpha[i] * alpha[i]);
      simd->axpy(rest, 2.0 * alpha[i], alpha + i + 1, weight);
    }
    for (size_t k = 0; k < features; k++) own[k] = packed[k * all->apart + i];
    mk_sum_add(&sum, simd->gaussian_dot(rest, features, own, packed + i + 1, all->apart,
                                        1.0 / width, weight));
  }
  return mk_sum_total(&sum);
}

static mk_status add_family(void *data, size_t f, int thread) {
  const small *all = data;
  const mk_expansion_job *job = all->job;
  const mk_family *family = &job->set->family[all->family[f]];
  double *packed = all->packed[thread], *weight = packed + MOST_FEATURES * all->apart;
  pack_support(all, family, packed);
  for (size_t k = 0; k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (!mk_wants_form(job, m)) continue;
    job->ask->forms[m] +=
        gaussian_form(all, family->feature_count, job->set->member[m].spec.width, packed, weight);
    job->form_units[m] = mk_value_units(job->set, m, 0.0) + LANE_SHARE * (double)job->ask->support;
  }
  return MK_OK;
}

mk_status mk_expand_small(const mk_expansion_job *job, const size_t *family, size_t count) {
  size_t threads = (size_t)mk_team_size(job->control->team);
  small all = {.job = job, .family = family, .apart = job->ask->support + MK_READ_AHEAD};
  if (count == 0) return MK_OK;
  all.packed = MK_NEW0(double *, threads);
  mk_status status = all.packed == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t t = 0; status == MK_OK && t < threads; t++) {
    all.packed[t] = MK_NEW0(double, (MOST_FEATURES + 1) * all.apart);
    if (all.packed[t] == NULL) status = MK_NO_MEMORY;
  }
  if (status == MK_OK)
    status = mk_for_each(count, job->control->team, job->control, add_family, &all);
  for (size_t t = 0; all.packed != NULL && t < threads; t++) mk_free(all.packed[t]);
  mk_free(all.packed);
  return status;
}
