/* How far Newton steps of theta go. */
#ifndef MK_STEP_LENGTH_H
#define MK_STEP_LENGTH_H

#include "optimizer/machine.h"

/* *length: of the way from theta to the Newton point, in (0, 1]. 1 but for p = 1, where the gap is
 * of the same order as what is wrong with theta: there the value's third derivative counts too. */
mk_status mk_step_length(mk_machine *machine, const double *point, double *length);

#endif
