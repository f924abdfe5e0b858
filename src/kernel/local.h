/* Locally linear kernels by two numbers per sample and kernel. */
#ifndef MK_LOCAL_H
#define MK_LOCAL_H

#include "kernel/samples.h"
#include "kernel/structure.h"

/* The locally linear kernels of a family, one slot each in the order of its members. With h_i =
 * h(x_i) and u_i = h_i |x_i - c|^2 / 2 the kernel is h_i u_j + u_i h_j - h_i h_j d_ij / 2. */
typedef struct mk_local {
  size_t count, padded; /* number of slots; stride from one sample's values to the next one's */
  int *member;          /* kernel numbers */
  double *h, *u;        /* n x padded by samples; 0 beyond the slots */
} mk_local;

mk_status mk_local_build(mk_kernel_set *set, mk_family *family, mk_team *team);
/* Computes k_m between a row and columns, as defined, from squared distances. */
void mk_local_plain(const mk_kernel_set *set, size_t m, int row, const mk_samples *others,
                    const double *base, double *out);

#endif
