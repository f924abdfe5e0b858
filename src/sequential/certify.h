/* The certificate of weights over few kernels of a dictionary, of which all others have none. */
#ifndef MK_SEQUENTIAL_CERTIFY_H
#define MK_SEQUENTIAL_CERTIFY_H

#include "sequential/sequential.h"

#include <math.h>

/* Kernels of positive weight, by rising number, and alpha. */
typedef struct mk_weighted {
  const size_t *kernel;
  size_t count;
  const double *theta, *alpha; /* theta of sum 1 */
} mk_weighted;

/* Makes the solution over these kernels, whatever it was before; *gain: its dual value without the
 * term in the strengths. Dual and gap are still to be settled. */
mk_status mk_certify_selected(const mk_stream *stream, const mk_problem *problem,
                              const mk_weighted *weighted, const mk_control *control,
                              mk_sequential_solution *solution, double *gain);
/* Dual and gap where no kernel of the dictionary is stronger than `largest`. */
void mk_settle(mk_sequential_solution *solution, double gain, double largest);

/* Both, with a scan of all kernels. */
mk_status mk_sequential_certify(const mk_stream *stream, const mk_problem *problem,
                                const mk_weighted *weighted, const mk_control *control,
                                mk_sequential_solution *solution);

#endif
