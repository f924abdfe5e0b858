/* Polynomial interpolation at the Chebyshev nodes (of the first kind) in [-1, 1]. */
#ifndef MK_CHEBYSHEV_H
#define MK_CHEBYSHEV_H

#define MK_CHEBYSHEV_MOST 32

typedef struct mk_chebyshev {
  int count;
  double node[MK_CHEBYSHEV_MOST], weight[MK_CHEBYSHEV_MOST]; /* weight: barycentric */
} mk_chebyshev;

/* At most MK_CHEBYSHEV_MOST nodes. */
void mk_chebyshev_init(mk_chebyshev *rule, int count);
/* The interpolating polynomial at z is the sum of share[j] times the value at node j. */
void mk_chebyshev_shares(const mk_chebyshev *rule, double z, double *share);

#endif
