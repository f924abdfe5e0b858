#include "crossprod.h"

#include "blas.h"
#include "memory.h"
#include "product.h"
#include "threads.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>

#define LEAST_WORK 2e7 /* multiplications of a product that is worth the measurement */
#define PROBE 96       /* rows and columns of a product that a reference BLAS takes 1 ms for */
#define TRIAL 320      /* rows and columns of a product in which threads of a BLAS show */
#define NO_MATCH 3.0   /* factor of time above which a BLAS is taken for the reference one */
#define MARGIN 1.5     /* largest factor of a team's time at which BLAS is used */

/* Multiplies by BLAS. Rows of Z are columns to BLAS, and lower triangles are upper ones. */
static void by_blas(size_t n, size_t count, const double *z, double *c) {
  int rows = (int)n, depth = (int)count;
  const double one = 1.0;
  F77_CALL(dsyrk)("U", "T", &rows, &depth, &one, z, &depth, &one, c, &rows FCONE FCONE);
}

/* ---- the measurement ---- */

/* Returns the time of BLAS divided by that of one thread's tiles; the better of two runs each. */
static double compare_times(size_t size, double *z, double *c, double *work) {
  double best[2] = {INFINITY, INFINITY};
  for (size_t k = 0; k < size * size; k++) {
    z[k] = (double)(k % 7) - 3.0;
    c[k] = 0.0;
  }
  for (int run = 0; run < 4; run++) {
    double start = mk_seconds();
    if (run % 2)
      by_blas(size, size, z, c);
    else
      mk_product_add(size, size, z, NULL, work, NULL, c);
    best[run % 2] = fmin(best[run % 2], mk_seconds() - start);
  }
  return best[1] / fmax(best[0], MK_NANOSECOND);
}

static double time_products(void) {
  double *z = MK_NEW(double, TRIAL *TRIAL), *c = MK_NEW(double, TRIAL *TRIAL);
  double *work = MK_NEW(double, mk_product_work(TRIAL)), ratio = INFINITY;
  if (z != NULL && c != NULL && work != NULL) {
    ratio = compare_times(PROBE, z, c, work);
    if (ratio < NO_MATCH) ratio = compare_times(TRIAL, z, c, work);
  }
  mk_free(z);
  mk_free(c);
  mk_free(work);
  return ratio;
}

/* Returns the measured ratio. Threads that come here at once measure for themselves, and any of
 * their results will do. */
static double time_of_blas(void) {
  static _Atomic double ratio = 0.0; /* measured in this process; 0: not yet */
  double known = atomic_load(&ratio);
  if (known == 0.0) {
    known = time_products();
    atomic_store(&ratio, known);
  }
  return known;
}

int mk_blas_serves(mk_blas choice, double operations, const mk_team *team) {
  if (choice == MK_BLAS_NEVER || mk_threads_forked()) return 0;
  if (choice == MK_BLAS_ALWAYS) return 1;
  return operations >= LEAST_WORK && time_of_blas() * mk_team_size(team) <= MARGIN;
}

/* ---- the product ---- */

void mk_crossprod_add(mk_blas choice, size_t n, size_t count, const double *z, double *work,
                      mk_team *team, double *c) {
  double operations = 0.5 * (double)n * (double)n * (double)count;
  if (n == 0 || count == 0) return;
  if (n <= INT_MAX && count <= INT_MAX && mk_blas_serves(choice, operations, team))
    by_blas(n, count, z, c);
  else
    mk_product_add(n, count, z, NULL, work, team, c);
}
