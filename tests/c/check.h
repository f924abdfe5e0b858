/* A harness that counts checks. A test program is
 *   static void test_sum(void) { CHECK(1 + 1 == 2); CHECK_NEAR(0.1 + 0.2, 0.3, 1e-15); }
 *   int main(void) { RUN(test_sum); return REPORT(); }
 * It ends with "N passed, N failed"; dev/c-tests.sh adds the programs up. */
#ifndef MK_TESTS_CHECK_H
#define MK_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int check_passed, check_failed;
static const char *check_test = "";

static inline void check_note(int ok, const char *what, const char *file, int line) {
  if (ok) {
    check_passed++;
  } else {
    check_failed++;
    printf("%s:%d: %s: FAILED: %s\n", file, line, check_test, what);
#ifdef MK_STOP_AT_FAILURE /* for dev/mutate.sh, which needs only the first failure */
    exit(1);
#endif
  }
}

static inline void check_near(double a, double b, double tol, const char *what, const char *file,
                              int line) {
  int ok = fabs(a - b) <= tol; /* false for NaN */
  check_note(ok, what, file, line);
  if (!ok) printf("    %.17g against %.17g, tolerance %g\n", a, b, tol);
}

#define CHECK(condition) check_note(!!(condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tol) check_near((a), (b), (tol), #a " ~ " #b, __FILE__, __LINE__)
#define RUN(test) (check_test = #test, test(), fflush(stdout))
#define REPORT() (printf("%d passed, %d failed\n", check_passed, check_failed), check_failed != 0)

#endif
