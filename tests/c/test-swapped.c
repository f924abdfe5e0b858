/* Sums of kernel values of rows that take columns from other rows, against the definition. */
#include "check.h"
#include "data.h"
#include "exact/swapped.h"

#define KNOWN 13
#define ROWS 6
#define REPEATS 3

static double rest[KNOWN * ROWS], part[KNOWN * ROWS], alpha[KNOWN];
static int donor[ROWS * REPEATS];

/* Both kernels are added to what is there: Gaussians take distances, which are not negative. */
static void test_swapped_sums(void) {
  double work[KNOWN * (ROWS + 1)], out[ROWS * REPEATS], worst = 0.0;
  data_fill(KNOWN, alpha);
  for (int k = 0; k < KNOWN * ROWS; k++) {
    rest[k] = fabs(data_next());
    part[k] = fabs(data_next());
  }
  for (int k = 0; k < ROWS * REPEATS; k++) {
    donor[k] = (5 * k + 2) % ROWS;
    out[k] = 1.0;
  }
  mk_swapped s = {.known = KNOWN,
                  .rows = ROWS,
                  .repeats = REPEATS,
                  .rest = rest,
                  .part = part,
                  .alpha = alpha,
                  .donor = donor,
                  .work = work};
  mk_swapped_gaussian(&s, 0.7, 1.3, out);
  mk_swapped_polynomial(&s, 0.4, 3, 0.5, -0.2, out);
  for (int r = 0; r < REPEATS; r++)
    for (int i = 0; i < ROWS; i++) {
      double sum = 1.0;
      for (int k = 0; k < KNOWN; k++) {
        double both = rest[i * KNOWN + k] + part[donor[r * ROWS + i] * KNOWN + k];
        sum += alpha[k] * (0.7 * exp(-1.3 * both) + 0.4 * pow(0.5 * both - 0.2, 3.0));
      }
      worst = worse(worst, fabs(out[r * ROWS + i] - sum));
    }
  CHECK_NEAR(worst, 0.0, 1e-13);
}

int main(void) {
  RUN(test_swapped_sums);
  return REPORT();
}
