#include "working-set.h"

#include "base/memory.h"
#include "svm/loss.h"

#include <math.h>
#include <stdlib.h>

/* samples of the first working set; theta from fewer is poor, and so many take milliseconds */
#define FIRST_WORKING_SET 600
/* distance from a loss, in standard deviations of the responses, at which samples join */
#define NEAR_VIOLATION 0.1
/* share of the working set below which all remaining samples join, to save evaluations */
#define LAST_SAMPLES_SHARE 0.1

/* ---- the first ---- */

static double box_width(const mk_problem *problem, size_t task, size_t i) {
  size_t at = task * problem->n + i;
  return problem->upper[at] - problem->lower[at];
}

static int is_usable(const mk_problem *problem, size_t i) {
  for (size_t t = 0; t < problem->tasks; t++)
    if (box_width(problem, t, i) > 0.0) return 1;
  return 0;
}

size_t mk_usable_count(const mk_problem *problem) {
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++) count += is_usable(problem, i) != 0;
  return count;
}

static int of_class(const mk_problem *problem, size_t task, size_t i, int positive) {
  return (problem->linear[task * problem->n + i] > 0.0) == positive &&
         box_width(problem, task, i) > 0.0;
}

/* Chooses evenly spaced samples of one sign of y: those at which the running share passes a whole
 * number. */
static void choose_class(const mk_problem *problem, size_t task, int positive, char *chosen) {
  size_t wanted = FIRST_WORKING_SET / (2 * problem->tasks) + 1, have = 0, seen = 0;
  for (size_t i = 0; i < problem->n; i++) have += of_class(problem, task, i, positive) != 0;
  for (size_t i = 0; i < problem->n; i++) {
    if (!of_class(problem, task, i, positive)) continue;
    if (have <= wanted || (seen + 1) * wanted / have > seen * wanted / have) chosen[i] = 1;
    seen++;
  }
}

static int takes_all(const mk_problem *problem, const mk_control *control, int warm) {
  if (!control->working_set) return 1;
  if (problem->n <= MK_SMALL_PROBLEM && !warm) return 1;
  return mk_loss_is_dense(&problem->loss); /* every sample is a support vector */
}

static int is_support_vector(const mk_problem *problem, const double *alpha, size_t i) {
  for (size_t t = 0; alpha != NULL && t < problem->tasks; t++)
    if (alpha[t * problem->n + i] != 0.0) return 1;
  return 0;
}

/* Returns 1 if sample i has a loss at a decision value within the start's error. */
static int has_loss(const mk_problem *problem, const mk_start *start, size_t i) {
  double error = start->decision_error;
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    double gradient = terms.linear[i] - start->decision[t * problem->n + i];
    if (mk_loss_value(&terms, i, gradient + error) > 0.0) return 1;
    if (mk_loss_value(&terms, i, gradient - error) > 0.0) return 1;
  }
  return 0;
}

/* Marks support vectors of the start and samples that may have a loss there; returns their
 * number. */
static size_t choose_known(const mk_problem *problem, const mk_start *start, int warm,
                           char *chosen) {
  size_t count = 0;
  for (size_t i = 0; i < problem->n; i++) {
    chosen[i] =
        is_support_vector(problem, start->alpha, i) || (warm && has_loss(problem, start, i));
    count += chosen[i] != 0;
  }
  return count;
}

/* Chooses the first working set. Support vectors of a start matter more than other samples; support
 * vectors of a solution nearby, with the samples that will have a loss, are nearly all that
 * matter. */
mk_status mk_first_working_set(const mk_problem *problem, const mk_control *control,
                               const mk_start *start, int cheap, int *list, size_t *count) {
  int warm = start->decision != NULL;
  int all = cheap || takes_all(problem, control, warm);
  char *chosen = MK_NEW0(char, problem->n);
  if (chosen == NULL) return MK_NO_MEMORY;
  size_t known = choose_known(problem, start, warm, chosen);
  int sampled = !all && known < (warm ? 1 : FIRST_WORKING_SET);
  for (size_t t = 0; t < problem->tasks && sampled; t++)
    for (int positive = 0; positive < 2; positive++) choose_class(problem, t, positive, chosen);
  *count = 0;
  for (size_t i = 0; i < problem->n; i++)
    if (is_usable(problem, i) && (all || chosen[i])) list[(*count)++] = (int)i;
  mk_free(chosen);
  return MK_OK;
}

/* ---- violators ---- */

typedef struct violator {
  double loss;
  int sample;
} violator;

static int compare_violators(const void *a, const void *b) {
  const violator *x = a, *y = b;
  if (x->loss != y->loss) return x->loss < y->loss ? 1 : -1;
  return x->sample - y->sample;
}

/* Returns the standard deviation of the responses, which is the scale of decision values. */
static double response_spread(const mk_problem *problem) {
  size_t count = problem->tasks * problem->n;
  double mean = 0.0, square = 0.0;
  for (size_t k = 0; k < count; k++) mean += problem->linear[k] / (double)count;
  for (size_t k = 0; k < count; k++) {
    double off = problem->linear[k] - mean;
    square += off * off / (double)count;
  }
  return sqrt(square);
}

/* Returns the largest loss in any task that sample i, whose alpha is 0, can have if decision values
 * err by at most `error`. */
static double worst_loss(const mk_problem *problem, double *const *decision, size_t i,
                         double error) {
  double most = 0.0;
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_terms terms = mk_problem_terms(problem, t);
    double gradient = terms.linear[i] - decision[t][i];
    most = fmax(most, mk_loss_value(&terms, i, gradient + error));
    if (error > 0.0) most = fmax(most, mk_loss_value(&terms, i, gradient - error));
  }
  return most;
}

/* Finds violators. Decision values move when samples join, so samples that nearly have a loss join
 * with the violators, and so do the last few samples. */
mk_status mk_find_violators(const mk_problem *problem, const int *outside, size_t others,
                            double *const *decision, int *list, size_t *count) {
  size_t usable = 0, found = 0, inside = problem->n - others;
  double near = NEAR_VIOLATION * response_spread(problem);
  int any = 0;
  violator *violators = MK_NEW(violator, others + 1);
  if (violators == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < others; k++) {
    size_t i = (size_t)outside[k];
    if (!is_usable(problem, i)) continue;
    double loss = worst_loss(problem, decision, i, near);
    violators[usable++] = (violator){loss, outside[k]};
    found += loss > 0.0;
    any |= worst_loss(problem, decision, i, 0.0) > 0.0;
  }
  qsort(violators, usable, sizeof *violators, compare_violators);
  size_t joining = mk_smaller(found, inside), left = usable - joining;
  int few = (double)left <= LAST_SAMPLES_SHARE * (double)(inside + joining);
  *count = !any ? 0 : few ? usable : joining;
  for (size_t k = 0; k < *count; k++) list[k] = violators[k].sample;
  mk_free(violators);
  return MK_OK;
}
