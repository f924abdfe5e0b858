#include "oracle.h"

#include <string.h>

#define NEGLIGIBLE 1e-9 /* of the largest weight: none, at p = 1 */

/* Alphas that are not optimal give a bound all the same, and a cut. */
mk_answer mk_oracle_answer(const mk_machine *machine) {
  double forms = 0.0, value = machine->fixed_dual;
  for (size_t m = 0; m < machine->kernels; m++) forms += machine->theta[m] * machine->s[m];
  if (mk_norm_rises(&machine->problem->norm)) value = -value;
  return (mk_answer){.theta = machine->theta,
                     .s = machine->s,
                     .lower = value,
                     .upper = value + machine->svm_gap,
                     .linear = value + 0.5 * forms};
}

mk_status mk_oracle_ask(mk_machine *machine, const double *theta, double epsilon) {
  memcpy(machine->theta, theta, machine->kernels * sizeof *theta);
  mk_norm_prune(&machine->problem->norm, machine->kernels, NEGLIGIBLE, machine->theta);
  MK_TRY(mk_machine_refresh(machine));
  machine->target = epsilon;
  return mk_machine_solve(machine);
}
