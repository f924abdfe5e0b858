/* Expansions of a family with one feature, where samples of equal value count as one, with the sum
 * of their alphas: pixels, counts and codes have few values. Called by expansion.c, calls
 * expansion-pairs.c. MATHEMATICS.md, section 1. */
#include "expansion-merge.h"

#include "exact/expansion-job.h"
#include "exact/expansion-pairs.h"

#include <stdlib.h>

typedef struct entry {
  double value;
  int place; /* in the expansion's list, where support vectors come first */
} entry;

/* The expansion with one sample per group of equal ones. Its forms are those of the whole. */
typedef struct merged {
  mk_expansion part;
  const mk_expansion *whole;
  int *group; /* group of each place in the whole expansion */
  mk_pool pool;
} merged;

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

int mk_merge_suits(const mk_expansion_job *job, const mk_family *family) {
  if (!mk_family_is_euclidean(family) || family->view->x == NULL) return 0;
  for (size_t k = 0; k < family->count; k++)
    if (mk_is_rooted(job, (size_t)family->member[k])) return 0;
  return family->feature_count == 1;
}

/* Returns 1 if a group begins at entry k. If no values of support vectors are needed, samples of
 * the same value that are not support vectors form a group of their own. */
static int group_begins(const entry *sorted, size_t k, const mk_expansion *whole) {
  if (k == 0 || sorted[k].value != sorted[k - 1].value) return 1;
  return whole->forms == NULL && (size_t)sorted[k].place >= whole->support &&
         (size_t)sorted[k - 1].place < whole->support;
}

/* Numbers the groups of equal values, those with support vectors first. */
static void number_groups(const entry *sorted, merged *merged, int *sample) {
  const mk_expansion *whole = merged->whole;
  for (int inside = 1; inside >= 0; inside--) {
    int open = 0; /* 1 if the present group is numbered in this pass */
    for (size_t k = 0; k < whole->count; k++) {
      if (group_begins(sorted, k, whole)) {
        open = ((size_t)sorted[k].place < whole->support) == inside;
        if (open) sample[merged->part.count++] = whole->sample[sorted[k].place];
      }
      if (open) merged->group[sorted[k].place] = (int)merged->part.count - 1;
    }
    if (inside) merged->part.support = merged->part.count;
  }
}

static mk_status group_samples(merged *merged, const mk_family *family) {
  const mk_expansion *whole = merged->whole;
  const double *x = family->view->x + mk_family_feature(family, 0) * family->view->rows;
  entry *sorted = MK_TAKE(&merged->pool, entry, whole->count);
  int *sample = MK_TAKE(&merged->pool, int, whole->count);
  merged->group = MK_TAKE(&merged->pool, int, whole->count);
  MK_TRY(mk_pool_status(&merged->pool));
  for (size_t k = 0; k < whole->count; k++) sorted[k] = (entry){x[whole->sample[k]], (int)k};
  qsort(sorted, whole->count, sizeof *sorted, compare_entries);
  merged->part.support = merged->part.count = 0;
  number_groups(sorted, merged, sample);
  merged->part.sample = sample;
  return MK_OK;
}

static int merging_pays(const merged *merged) {
  return (double)merged->part.support * (double)merged->part.count <
         0.5 * (double)merged->whole->support * (double)merged->whole->count;
}

/* Sums the alphas by group and allocates the groups' values. */
static mk_status sum_groups(merged *merged) {
  const mk_expansion *whole = merged->whole;
  mk_expansion *part = &merged->part;
  size_t length = part->support * whole->tasks, values = part->count * whole->tasks;
  double *alpha = MK_TAKE0(&merged->pool, double, length);
  double *rest = MK_TAKE0(&merged->pool, double, length);
  if (whole->value != NULL) {
    part->value = MK_TAKE0(&merged->pool, double, values);
    part->rest = MK_TAKE0(&merged->pool, double, values);
  }
  MK_TRY(mk_pool_status(&merged->pool));
  for (size_t t = 0; t < whole->tasks; t++)
    for (size_t k = 0; k < whole->support; k++) {
      size_t at = t * part->support + (size_t)merged->group[k];
      mk_add_to(&alpha[at], &rest[at], whole->alpha[t * whole->support + k]);
    }
  for (size_t k = 0; k < length; k++) alpha[k] += rest[k];
  part->alpha = alpha;
  return MK_OK;
}

/* Copies each group's values to its samples. */
static void spread_values(const merged *merged) {
  const mk_expansion *whole = merged->whole, *part = &merged->part;
  for (size_t t = 0; whole->value != NULL && t < whole->tasks; t++)
    for (size_t k = 0; k < whole->count; k++) {
      size_t at = t * part->count + (size_t)merged->group[k];
      mk_add_value(whole, t * whole->count + k, part->value[at]);
      mk_add_value(whole, t * whole->count + k, part->rest[at]);
    }
}

mk_status mk_expand_merged(mk_expansion_job *job, size_t f, mk_pairs *pairs) {
  mk_expansion *whole = job->ask;
  merged merged = {.whole = whole, .part = *whole};
  mk_status status = group_samples(&merged, &job->set->family[f]);
  if (status == MK_OK && merging_pays(&merged)) {
    status = sum_groups(&merged);
    job->ask = &merged.part;
  }
  if (status == MK_OK) status = mk_expand_pairs(job, f, pairs);
  job->ask = whole;
  if (status == MK_OK && merged.part.alpha != whole->alpha) {
    spread_values(&merged);
    whole->pieced = merged.part.pieced;
  }
  mk_pool_free(&merged.pool);
  return status;
}
