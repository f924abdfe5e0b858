/* Certificates of weights over a few kernels of a dictionary. */
#ifndef MK_SEQUENTIAL_CERTIFY_H
#define MK_SEQUENTIAL_CERTIFY_H

#include "sequential/sequential.h"

/* Kernels of positive weight, by rising number, their weights, and alpha. */
typedef struct mk_weighted {
  const size_t *kernel;
  size_t count;
  const double *theta, *alpha; /* theta sums to 1 */
} mk_weighted;

/* Makes the solution over these kernels and replaces its contents. *gain is its dual value without
 * the term in the strengths. mk_settle() must set its dual value and gap. */
mk_status mk_certify_selected(const mk_stream *stream, const mk_problem *problem,
                              const mk_weighted *weighted, const mk_control *control,
                              mk_sequential_solution *solution, double *gain);
/* Sets dual value and gap, given the largest strength in the dictionary. */
void mk_settle(mk_sequential_solution *solution, double gain, double largest);

/* Certifies and settles, with a scan of all kernels. */
mk_status mk_sequential_certify(const mk_stream *stream, const mk_problem *problem,
                                const mk_weighted *weighted, const mk_control *control,
                                mk_sequential_solution *solution);

#endif
