/* How theta moves between SVM solves (mathematics section 2). */
#include "machine.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "theta/lp.h"
#include "theta/newton.h"

#include <math.h>
#include <string.h>

#define ENOUGH 0.5   /* an analytic step should leave at most this share of the theta gap */
#define JITTER 100.0 /* units of the rows, of the diagonal: keeps singular kernels factorable */
#define HALVINGS 5

static mk_status analytic_move(mk_machine *machine) {
  double before = machine->theta_gap;
  mk_lp_step(machine->kernels, machine->problem->p, machine->theta, machine->s, machine->trial);
  MK_TRY(mk_machine_use_theta(machine, machine->trial));
  if (machine->theta_gap > ENOUGH * before) machine->use_newton = 1;
  return MK_OK;
}

/* ---- Newton ---- */

static size_t free_variables(const mk_svm *svm, int *list) {
  size_t count = 0;
  for (size_t i = 0; i < svm->n; i++)
    if (mk_svm_is_free(svm, i)) list[count++] = (int)i;
  return count;
}

/* u (count x M by rows) becomes Z with Z'Z = u' Pi u: the factor of the free
 * rows is applied and their common shift projected out. */
static mk_status project(mk_machine *machine, const int *list, size_t count, double *u) {
  size_t kernels = machine->kernels;
  double *a = MK_NEW(double, count *count), *ones = MK_NEW(double, count);
  mk_status status = a == NULL || ones == NULL ? MK_NO_MEMORY : MK_OK;
  const double *diagonal = mk_gram_diagonal(machine->gram);
  double size = 0.0, square = 0.0, jitter = JITTER * mk_gram_unit(machine->gram);
  for (size_t k = 0; status == MK_OK && k < count; k++) {
    mk_row row = mk_gram_row(machine->gram, (size_t)list[k], &status);
    if (row.at != NULL) mk_row_pick(row, list, k + 1, a + k * count);
    size = fmax(size, diagonal[list[k]]);
    ones[k] = 1.0;
  }
  if (status == MK_OK) status = mk_cholesky(a, count, jitter * size, machine->control->threads);
  if (status == MK_OK) {
    mk_solve_lower(a, count, u, kernels);
    mk_solve_lower(a, count, ones, 1);
    memset(machine->trial, 0, kernels * sizeof(double));
    for (size_t k = 0; k < count; k++) square += ones[k] * ones[k];
    for (size_t k = 0; k < count; k++)
      for (size_t m = 0; m < kernels; m++)
        machine->trial[m] += ones[k] / square * u[k * kernels + m];
    for (size_t k = 0; k < count; k++)
      for (size_t m = 0; m < kernels; m++) u[k * kernels + m] -= ones[k] * machine->trial[m];
  }
  mk_free(a);
  mk_free(ones);
  return status;
}

/* The Newton point in machine->trial; MK_STALLED when it is not to be had. */
static mk_status newton_point(mk_machine *machine) {
  size_t tasks = machine->problem->tasks, total = 0, largest = 0, at = 0;
  for (size_t t = 0; t < tasks; t++) {
    size_t count = mk_svm_free_count(&machine->svm[t]);
    total += count;
    largest = count > largest ? count : largest;
  }
  /* the factor and the responses share the memory budget with the rows */
  double bytes =
      8.0 * ((double)largest * (double)largest + (double)total * (double)machine->kernels);
  if (bytes > mk_system_budget(machine->control)) return MK_STALLED;
  int *list = MK_NEW(int, mk_gram_count(machine->gram));
  double *z = MK_NEW(double, total * machine->kernels + 1);
  mk_status status = list == NULL || z == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t t = 0; status == MK_OK && t < tasks; t++) {
    size_t count = free_variables(&machine->svm[t], list);
    if (count < 2) continue;
    status = mk_gram_member_responses(machine->gram, machine->alpha[t], list, count,
                                      z + at * machine->kernels);
    if (status == MK_OK) status = project(machine, list, count, z + at * machine->kernels);
    at += count;
  }
  if (status == MK_OK)
    status = mk_theta_newton(machine->kernels, machine->problem->p, machine->theta, machine->s, z,
                             at, machine->trial);
  mk_free(list);
  mk_free(z);
  return status;
}

/* Tries theta + step (newton - theta), halving until the value of the SVM at
 * theta does not rise; back to theta and an analytic step otherwise. */
static mk_status newton_move(mk_machine *machine, double *point) {
  size_t kernels = machine->kernels;
  double p = machine->problem->p, value = machine->fixed_dual, gap = machine->theta_gap;
  double slack = machine->svm_gap + 1e-14 * fabs(value);
  memcpy(machine->kept, machine->theta, kernels * sizeof(double));
  double step = 1.0;
  for (int k = 0; k < HALVINGS; k++, step *= 0.5) {
    for (size_t m = 0; m < kernels; m++)
      machine->trial[m] = machine->kept[m] + step * (point[m] - machine->kept[m]);
    mk_lp_normalize(kernels, p, machine->trial);
    MK_TRY(mk_machine_use_theta(machine, machine->trial));
    if (machine->fixed_dual <= value + slack || machine->theta_gap < 0.5 * gap) return MK_OK;
  }
  machine->use_newton = 0;
  MK_TRY(mk_machine_use_theta(machine, machine->kept));
  return analytic_move(machine);
}

mk_status mk_machine_move_theta(mk_machine *machine) {
  if (!machine->use_newton) return analytic_move(machine);
  mk_status status = newton_point(machine);
  if (status == MK_STALLED) return analytic_move(machine);
  if (status != MK_OK) return status;
  double *point = MK_NEW(double, machine->kernels);
  if (point == NULL) return MK_NO_MEMORY;
  memcpy(point, machine->trial, machine->kernels * sizeof *point);
  status = newton_move(machine, point);
  mk_free(point);
  return status;
}
