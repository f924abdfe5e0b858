/* The values of all kernels between all samples, as floats, where samples are few: a lower
 * triangle by rows for each kernel. Whatever is asked of hundreds of kernels is one pass over them
 * at the pace of memory, without an exponential or a table. */
#ifndef MK_TRIANGLES_H
#define MK_TRIANGLES_H

#include "base/control.h"
#include "kernel/kernel.h"

typedef struct mk_triangles mk_triangles;

/* Bytes that they would take. */
double mk_triangles_bytes(const mk_kernel_set *set);
/* MK_NOT_FINITE: floats do not hold all kernels. */
mk_status mk_triangles_new(mk_triangles **triangles, const mk_kernel_set *set,
                           const mk_control *control);
void mk_triangles_free(mk_triangles *triangles);

/* Some kernels, by number: K = sum over k of weight_k K_list(k), n rows `ld` values apart; both
 * halves, zero beyond n. */
void mk_triangles_mix(const mk_triangles *triangles, const int *list, size_t count,
                      const double *weight, mk_team *team, double *rows, size_t ld);
/* u (count x n by rows): K_list(k) alpha; of samples without alpha only where `whole`, others are
 * in pieces. */
void mk_triangles_respond(const mk_triangles *triangles, const int *list, size_t count,
                          const double *alpha, int whole, mk_team *team, double *u);
/* s_m = sum over `tasks` alphas (n x tasks, by columns) of alpha'K_m alpha, all m. */
mk_status mk_triangles_forms(const mk_triangles *triangles, const double *alpha, size_t tasks,
                             mk_team *team, double *s);

/* Kernels that take part in a problem, by number; the others have no weight. */
typedef struct mk_some_kernels {
  const mk_kernel_set *set;
  const mk_triangles *triangles; /* of that set */
  const int *list;
  size_t count;
} mk_some_kernels;

#endif
