/* The norms that bound theta. `theta` always means the weight of a kernel in the mixture. */
#ifndef MK_NORM_H
#define MK_NORM_H

typedef enum mk_norm_type {
  MK_NORM_LP = 0,    /* (sum d_m theta_m^p)^(1/p) */
  MK_NORM_QUADRATIC, /* sqrt(theta' E^-1 theta) */
  MK_NORM_BLOCK,     /* block norm of the w_m, q > 2: sum theta_m^-r >= 1, r = q/(q - 2) */
  MK_NORM_ELASTIC,   /* theta_m = t_m/((1 - lambda) + lambda t_m), sum t_m = 1 */
  MK_NORMS
} mk_norm_type;

/* A norm. {.p = p} is the plain lp norm; mk_norm_make() of theta/norm.h makes all others. */
typedef struct mk_norm {
  mk_norm_type type;
  double p;              /* exponent of the ball of the coordinates */
  double parameter;      /* q of a block norm, lambda of the elastic net */
  double least;          /* block norms: smallest coordinate 1/theta_m; others: 0 */
  const double *scale;   /* M: coordinates are t_m = scale_m theta_m; NULL: 1 */
  const double *e;       /* quadratic: E in the coordinates, with unit diagonal */
  const double *inverse; /* quadratic: the inverse of `e` */
  double *work;          /* scratch; NULL for the plain lp norm */
} mk_norm;

static inline mk_norm mk_lp(double p) {
  return (mk_norm){.p = p};
}

#endif
