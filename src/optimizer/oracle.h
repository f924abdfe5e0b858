/* The one question that all optimisers with two loops ask: what is this theta worth? The SVMs are
 * solved for it, warm from their alphas, on the rows that the machine has. */
#ifndef MK_ORACLE_H
#define MK_ORACLE_H

#include "optimizer/machine.h"
#include "theta/rule.h"

/* What the machine's pair says; valid until the next question. */
mk_answer mk_oracle_answer(const mk_machine *machine);
/* Machines are solved to `epsilon` (absolute), and in any case better than they are. */
void mk_oracle_aim(mk_machine *machine, double epsilon);
/* J(theta) to an accuracy of `epsilon` (absolute). MK_STALLED: rounding allows less; the answer
 * is good all the same. */
mk_status mk_oracle_ask(mk_machine *machine, const double *theta, double epsilon);

#endif
