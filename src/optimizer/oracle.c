#include "oracle.h"

#define LEAST                                                                                      \
  1e-3 /* of the accuracy wanted: alphas that follow theta to this have nothing to learn */

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

void mk_oracle_aim(mk_machine *machine, double epsilon) {
  machine->target = epsilon;
  machine->floor = LEAST * epsilon;
}

mk_status mk_oracle_ask(mk_machine *machine, const double *theta, double epsilon) {
  mk_oracle_aim(machine, epsilon);
  return mk_machine_use_theta(machine, theta);
}
