#include "candidates.h"

#include "base/memory.h"
#include "kernel/features.h"

#define FIRST_CANDIDATES 600
#define MOST_FIRST 4000 /* where they stand for all samples, ... */
#define STANDING 1.15   /* ... as up to this p: theta of few samples alone is far from all's */
#define DOUBLINGS 2     /* of smaller samples that foretell theta for larger p, ... */
#define RISING 5000     /* rows that are all candidates where theta maximises: some mislead it */

static double reach(const mk_problem *problem, size_t task, size_t i) {
  size_t at = task * problem->n + i;
  return problem->upper[at] - problem->lower[at];
}

int mk_is_usable(const mk_problem *problem, size_t i) {
  for (size_t t = 0; t < problem->tasks; t++)
    if (reach(problem, t, i) > 0.0) return 1;
  return 0;
}

size_t mk_usable_count(const mk_problem *problem) {
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++) count += mk_is_usable(problem, i) != 0;
  return count;
}

static int of_class(const mk_problem *problem, size_t task, size_t i, double sign) {
  return (problem->linear[task * problem->n + i] > 0.0) == (sign > 0.0) &&
         reach(problem, task, i) > 0.0;
}

int mk_stand_for_all(const mk_problem *problem, const mk_start *start) {
  return problem->norm.p <= STANDING && !mk_norm_rises(&problem->norm) && problem->tasks == 1 &&
         start->alpha == NULL;
}

/* Theta of samples foretells that of all: where weights do not vanish, they go with powers of the
 * sample's size. */
static int foretells(const mk_problem *problem, const mk_start *start) {
  return problem->norm.p > STANDING && !mk_norm_is_fixed(&problem->norm) &&
         !mk_norm_rises(&problem->norm) && problem->tasks == 1 && start->alpha == NULL;
}

/* Of so many samples of a class; where they stand for all, the others may come at a leap. */
static size_t first_of_class(const mk_problem *problem, size_t have, const mk_start *start) {
  size_t least = FIRST_CANDIDATES / (2 * problem->tasks) + 1;
  size_t share = mk_smaller(have / (MK_LEAP + 1) + 1, MOST_FIRST / 2 + 1);
  size_t most = share > least ? share : least;
  if (foretells(problem, start)) return (most >> DOUBLINGS) + 1;
  return mk_stand_for_all(problem, start) ? most : least;
}

static size_t class_size(const mk_problem *problem, size_t task, double sign) {
  size_t have = 0;
  for (size_t i = 0; i < problem->n; i++) have += of_class(problem, task, i, sign);
  return have;
}

/* Evenly spaced samples of one sign of y and task, `wanted` of `have`: those that are not taken
 * (NULL: none is). */
static void choose_class(const mk_problem *problem, size_t task, double sign, size_t wanted,
                         size_t have, const char *taken, char *chosen) {
  size_t seen = 0;
  for (size_t i = 0; i < problem->n; i++) {
    if (!of_class(problem, task, i, sign) || (taken != NULL && taken[i])) continue;
    /* of `have` samples, those where the running share passes a whole number */
    if (have <= wanted || (seen + 1) * wanted / have > seen * wanted / have) chosen[i] = 1;
    seen++;
  }
}

/* Where candidates do not pay, or there is nothing to choose by. */
static int takes_all(const mk_machine *machine) {
  const mk_problem *problem = machine->problem;
  return !machine->control->candidate || problem->part != NULL || problem->n <= MK_ALL_AT_ONCE ||
         mk_gram_columns(machine->gram) != NULL || mk_loss_is_dense(&problem->loss) ||
         (mk_norm_rises(&problem->norm) && problem->n <= RISING);
}

mk_status mk_first_candidates(mk_machine *machine, const mk_start *start, size_t *count) {
  const mk_problem *problem = machine->problem;
  size_t n = problem->n;
  char *chosen = MK_NEW0(char, n);
  if (chosen == NULL) return MK_NO_MEMORY;
  int all = takes_all(machine);
  machine->doublings = !all && foretells(problem, start) ? DOUBLINGS : 0;
  for (size_t k = 0; k < 2 * problem->tasks && !all; k++) {
    double sign = k % 2 == 0 ? 1.0 : -1.0;
    size_t have = class_size(problem, k / 2, sign);
    choose_class(problem, k / 2, sign, first_of_class(problem, have, start), have, NULL, chosen);
  }
  *count = 0;
  for (size_t i = 0; i < n; i++) {
    int supported = 0;
    for (size_t t = 0; start->alpha != NULL && t < problem->tasks; t++)
      supported |= start->alpha[t * n + i] != 0.0;
    int fit = mk_is_usable(problem, i) || problem->part != NULL; /* which takes all or none */
    if (fit && (all || chosen[i] || supported)) machine->list[(*count)++] = (int)i;
  }
  mk_free(chosen);
  return MK_OK;
}

mk_status mk_next_candidates(mk_machine *machine, size_t *count) {
  const mk_problem *problem = machine->problem;
  size_t n = problem->n, candidates = mk_gram_count(machine->gram);
  char *taken = MK_NEW0(char, 2 * n);
  if (taken == NULL) return MK_NO_MEMORY;
  char *chosen = taken + n;
  for (size_t k = 0; k < candidates; k++) taken[mk_gram_samples(machine->gram)[k]] = 1;
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1.0 : -1.0;
    size_t have = class_size(problem, 0, sign), wanted = 0;
    for (size_t i = 0; i < n; i++) wanted += taken[i] && of_class(problem, 0, i, sign);
    choose_class(problem, 0, sign, wanted, have - wanted, taken, chosen);
  }
  *count = 0;
  for (size_t i = 0; i < n; i++)
    if (chosen[i]) machine->list[(*count)++] = (int)i;
  mk_free(taken);
  return MK_OK;
}
