/* The dual of the multi-class hinge loss (Crammer and Singer 2001) over n points and T classes:
 *   maximise  sum_i alpha_(i, y_i) - sum_r alpha_r'K alpha_r / 2,
 *   alpha_ir <= c_i where r = y_i, alpha_ir <= 0 elsewhere, sum_r alpha_ir = 0.
 * The state is one mk_svm for each class, whose linear terms are 1 for its own points and 0 for the
 * others. The class of a point is the one with a positive upper bound. MATHEMATICS.md, section
 * 3.1. */
#ifndef MK_JOINT_H
#define MK_JOINT_H

#include "svm/svm.h"

typedef struct mk_joint_task {
  mk_svm *svm; /* classes */
  size_t classes;
  mk_svm_rows rows;
  const double *diagonal; /* K_ii */
  const mk_control *control;
} mk_joint_task;

/* Computes the sum of the losses, and primal - dual at the fixed kernel, a sum of non-negative
 * terms, at the present gradients. */
void mk_joint_measure(const mk_svm *svm, size_t classes, double *loss, double *gap);

/* Solves until gap <= target (absolute). MK_STALLED: rounding allows no further progress. */
mk_status mk_joint_solve(const mk_joint_task *task, double target);

#endif
