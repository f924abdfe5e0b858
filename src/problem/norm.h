/* The norms that bound theta. `theta` is the weight that a kernel has in the mixture, whatever the
 * norm. */
#ifndef MK_NORM_H
#define MK_NORM_H

typedef enum mk_norm_type {
  MK_NORM_LP = 0,    /* (sum d_m theta_m^p)^(1/p) */
  MK_NORM_QUADRATIC, /* sqrt(theta' E^-1 theta) */
  MK_NORM_BLOCK,     /* the block norm of the w_m, q > 2: sum theta_m^-r >= 1, r = q/(q - 2) */
  MK_NORM_ELASTIC,   /* theta_m = t_m/((1 - lambda) + lambda t_m), sum t_m = 1 */
  MK_NORMS
} mk_norm_type;

/* {.p = p} is the plain lp norm; the others come from theta/norm.h. */
typedef struct mk_norm {
  mk_norm_type type;
  double p;              /* of the ball of the coordinates */
  double parameter;      /* q or lambda */
  double least;          /* coordinate, where weights are its inverse; else 0 */
  const double *scale;   /* t_m = scale_m theta_m; NULL: 1 */
  const double *e;       /* quadratic, in coordinates: E, of unit diagonal, ... */
  const double *inverse; /* ... and E^-1 */
  double *work;          /* scratch; plain lp needs none */
} mk_norm;

static inline mk_norm mk_lp(double p) {
  return (mk_norm){.p = p};
}

#endif
