/* Samples that agree in a family's only feature count as one, with the sum of
 * their alphas: pixels, counts and codes have few values. */
#include "base/memory.h"
#include "expansion-internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  double value;
  int place; /* in the expansion's list: support vectors come first */
} entry;

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

int mk_merge_suits(const mk_expansion_job *job, const mk_family *family) {
  if (family->type != MK_FAMILY_EUCLIDEAN || family->view->x == NULL) return 0;
  for (size_t k = 0; k < family->count; k++)
    if (!job->ask->raw && job->set->member[family->member[k]].root != NULL) return 0;
  return family->feature_count == 1;
}

/* Whether a group begins at entry k. Where values of support vectors are not computed, the other
 * samples of the same value are a group of their own. */
static int group_begins(const entry *sorted, size_t k, const mk_expansion *whole) {
  if (k == 0 || sorted[k].value != sorted[k - 1].value) return 1;
  return whole->forms == NULL && (size_t)sorted[k].place >= whole->support &&
         (size_t)sorted[k - 1].place < whole->support;
}

/* Groups of equal values, numbered with those of support vectors first. */
static void number_groups(const entry *sorted, mk_merged *merged) {
  const mk_expansion *whole = merged->whole;
  for (int inside = 1; inside >= 0; inside--) {
    int open = 0; /* the group at hand is of this kind */
    for (size_t k = 0; k < whole->count; k++) {
      if (group_begins(sorted, k, whole)) {
        open = ((size_t)sorted[k].place < whole->support) == inside;
        if (open) merged->sample[merged->part.count++] = whole->sample[sorted[k].place];
      }
      if (open) merged->group[sorted[k].place] = (int)merged->part.count - 1;
    }
    if (inside) merged->part.support = merged->part.count;
  }
}

static mk_status fill(mk_merged *merged, const mk_family *family) {
  const mk_expansion *whole = merged->whole;
  const double *x = family->view->x + mk_family_feature(family, 0) * family->view->rows;
  entry *sorted = MK_NEW(entry, whole->count);
  merged->sample = MK_NEW(int, whole->count);
  merged->group = MK_NEW(int, whole->count);
  if (sorted == NULL || merged->sample == NULL || merged->group == NULL) {
    mk_free(sorted);
    return MK_NO_MEMORY;
  }
  for (size_t k = 0; k < whole->count; k++) sorted[k] = (entry){x[whole->sample[k]], (int)k};
  qsort(sorted, whole->count, sizeof *sorted, compare_entries);
  number_groups(sorted, merged);
  mk_free(sorted);
  size_t length = merged->part.support * whole->tasks;
  merged->alpha = MK_NEW0(double, 2 * length);
  if (merged->alpha == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < whole->tasks; t++)
    for (size_t k = 0; k < whole->support; k++) {
      double *alpha = merged->alpha + t * merged->part.support + (size_t)merged->group[k];
      mk_add_to(alpha, alpha + length, whole->alpha[t * whole->support + k]);
    }
  for (size_t k = 0; k < length; k++) merged->alpha[k] += merged->alpha[length + k];
  if (whole->value == NULL) return MK_OK;
  merged->value = MK_NEW0(double, 2 * merged->part.count * whole->tasks);
  return merged->value != NULL ? MK_OK : MK_NO_MEMORY;
}

mk_status mk_merge(mk_merged *merged, mk_expansion *whole, const mk_family *family) {
  *merged = (mk_merged){.whole = whole, .part = *whole};
  merged->part.support = merged->part.count = 0;
  MK_TRY(fill(merged, family));
  merged->part.sample = merged->sample;
  merged->part.alpha = merged->alpha;
  merged->part.value = merged->value;
  merged->part.rest = merged->value + merged->part.count * whole->tasks;
  return MK_OK;
}

int mk_merge_pays(const mk_merged *merged) {
  return (double)merged->part.support * (double)merged->part.count <
         0.5 * (double)merged->whole->support * (double)merged->whole->count;
}

void mk_merge_spread(const mk_merged *merged) {
  const mk_expansion *whole = merged->whole, *part = &merged->part;
  for (size_t t = 0; whole->value != NULL && t < whole->tasks; t++)
    for (size_t k = 0; k < whole->count; k++) {
      size_t at = t * part->count + (size_t)merged->group[k];
      mk_add_value(whole, t * whole->count + k, part->value[at]);
      mk_add_value(whole, t * whole->count + k, part->rest[at]);
    }
}

void mk_merge_clear(mk_merged *merged) {
  mk_free(merged->sample);
  mk_free(merged->group);
  mk_free(merged->alpha);
  mk_free(merged->value);
}
