/* Locally linear kernels by two numbers for each sample and kernel. */
#ifndef MK_LOCAL_H
#define MK_LOCAL_H

#include "kernel/samples.h"
#include "kernel/structure.h"

/* The locally linear kernels of a family, in slots by order of its members: with h_i = h(x_i) and
 * u_i = h_i |x_i - c|^2 / 2 the kernel is h_i u_j + u_i h_j - h_i h_j d_ij / 2. */
typedef struct mk_local {
  size_t count, padded; /* slots; from one sample's values to the next one's */
  int *member;          /* kernel numbers */
  double *h, *u;        /* n x padded by samples, zero beyond the slots */
} mk_local;

mk_status mk_local_build(mk_kernel_set *set, mk_family *family, mk_team *team);
/* out[c] = k_m between row and columns, unnormalised, from squared distances. */
void mk_local_plain(const mk_kernel_set *set, size_t m, int row, const mk_samples *others,
                    const double *base, double *out);
/* Kernels that go component by component become linear ones on views of their own; before
 * families are formed (local-columns.c). */
mk_status mk_local_columns(mk_kernel_set *set, size_t given_views);

#endif
