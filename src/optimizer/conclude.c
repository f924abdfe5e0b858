/* The end of a fit: the certificate has the last word. */
#include "machine.h"

#include "optimizer/rescale.h"

#include <math.h>
#include <string.h>

static void copy_out(mk_machine *machine) {
  const mk_problem *problem = machine->problem;
  mk_solution *solution = machine->solution;
  const int *samples = mk_gram_samples(machine->gram);
  mk_machine_relax(machine);
  memcpy(solution->theta, machine->theta, machine->kernels * sizeof(double));
  memset(solution->alpha, 0, problem->n * problem->tasks * sizeof(double));
  for (size_t t = 0; t < problem->tasks; t++) {
    mk_svm_restore_sum(&machine->svm[t]); /* rounding lets it drift */
    for (size_t k = 0; k < machine->svm[t].n; k++)
      solution->alpha[t * problem->n + (size_t)samples[k]] = machine->svm[t].alpha[k];
  }
  solution->iterations = machine->iterations;
  solution->solves = machine->solves;
  solution->bytes =
      mk_gram_bytes(machine->gram) + machine->system.bytes + mk_set_bytes(problem->set);
}

static mk_status certify(mk_machine *machine) {
  mk_solution *solution = machine->solution;
  copy_out(machine);
  MK_TRY(mk_certify_solution(machine->problem, machine->control, solution));
  machine->lower = solution->dual;
  machine->best_upper = solution->primal;
  return mk_machine_record(machine);
}

/* Where the forms of the certificate are others than the machine's, rounding decides: 1 if weights
 * that are large because their kernels hardly take part have been made less so. */
static int blunt(mk_machine *machine) {
  mk_norm *norm = &machine->own.norm;
  const mk_solution *solution = machine->solution;
  size_t count = machine->kernels;
  double seen = mk_norm_regularizer(norm, count, machine->theta, machine->s);
  double true_size = mk_norm_regularizer(norm, count, solution->theta, solution->forms);
  double allowed = machine->control->tol * fabs(solution->primal);
  return true_size - seen > allowed && mk_norm_blunt(norm, count, MK_BLUNTER, machine->theta);
}

mk_status mk_machine_conclude(mk_machine *machine, mk_status begun, mk_solve_to solve, void *data) {
  double tol = machine->control->tol, goal = 0.9 * tol;
  mk_status status = begun;
  for (int attempt = 0;; attempt++) {
    if (status == MK_OK) status = solve(machine, goal, attempt, data);
    if (!mk_usable_end(status)) return status;
    MK_TRY(certify(machine));
    if (machine->solution->gap <= tol) return MK_OK;
    if (status == MK_STALLED && blunt(machine)) status = MK_OK;
    if (status != MK_OK) return status;
    if (attempt == 6 || machine->solution->rounding >= tol) return MK_STALLED;
    if (machine->unchecked) continue;
    /* see or aim closer and go on */
    if (mk_gram_is_single(machine->gram)) {
      MK_TRY(mk_machine_sharpen(machine));
      continue;
    }
    goal *= 0.3;
    machine->target *= 0.3;
    MK_TRY(mk_machine_refresh(machine));
  }
}
