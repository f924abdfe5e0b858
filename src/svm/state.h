/* The state of one SVM: its memory, bounds of moves, offset and gap. */
#ifndef MK_SVM_STATE_H
#define MK_SVM_STATE_H

#include "svm/svm.h"

mk_status mk_svm_init(mk_svm *svm, size_t capacity, const mk_loss *loss);
void mk_svm_clear(mk_svm *svm);
/* Computes all bounds of moves, after alpha or the box were set from outside. */
void mk_svm_reset_bounds(mk_svm *svm);
/* Computes the bounds of moves of alpha_i, after it has moved. */
void mk_svm_set_bounds(mk_svm *svm, size_t i);

/* Restores the sum of alpha to 0 inside the box: by a move of one free variable if its box has
 * room, otherwise by moves of all that have room. Gradients are not updated. */
void mk_svm_restore_sum(mk_svm *svm);

/* Computes offset, loss and gap at the current gradient. */
void mk_svm_measure(mk_svm *svm);
double mk_svm_gain(const mk_svm *svm); /* returns linear'alpha - sum psi(alpha) */
size_t mk_svm_free_count(const mk_svm *svm);

#endif
