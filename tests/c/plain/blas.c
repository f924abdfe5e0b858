/* The two routines of BLAS and LAPACK that the core calls, in plain C, for processors whose libraries are
 * not installed. Slow; the reference is netlib's. */
#include <math.h>

void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *beta, double *c,
            const int *ldc);
void dsterf_(const int *n, double *d, double *e, int *info);

void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *beta, double *c,
            const int *ldc) {
  int across = *transposed == 'N' || *transposed == 'n';
  int lower = *triangle == 'L' || *triangle == 'l';
  for (int j = 0; j < *n; j++) {
    for (int i = lower ? j : 0; i < (lower ? *n : j + 1); i++) {
      double sum = 0;
      for (int l = 0; l < *k; l++) {
        sum += across ? a[i + (long)l * *lda] * a[j + (long)l * *lda]
                      : a[l + (long)i * *lda] * a[l + (long)j * *lda];
      }
      double *at = &c[i + (long)j * *ldc];
      *at = *alpha * sum + (*beta == 0 ? 0 : *beta * *at);
    }
  }
}

/* Implicit QL steps on a symmetric tridiagonal matrix; d becomes its eigenvalues in rising order. */
void dsterf_(const int *n, double *d, double *e, int *info) {
  *info = 0;
  for (int l = 0; l < *n; l++) {
    for (int step = 0;; step++) {
      int m = l;
      while (m < *n - 1 && fabs(e[m]) > 1e-16 * (fabs(d[m]) + fabs(d[m + 1]))) m++;
      if (m == l) break;
      if (step == 60) {
        *info = 1;
        return;
      }
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      g = d[m] - d[l] + e[l] / (g + copysign(hypot(g, 1), g));
      double s = 1, c = 1, p = 0;
      int i = m - 1;
      for (; i >= l; i--) {
        double f = s * e[i], b = c * e[i], r = hypot(f, g);
        if (i < m - 1) e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
      }
      if (i >= l) {
        if (m < *n - 1) e[m] = 0;
        continue;
      }
      d[l] -= p;
      e[l] = g;
      if (m < *n - 1) e[m] = 0;
    }
  }
  for (int i = 1; i < *n; i++) {
    double value = d[i];
    int j = i;
    for (; j > 0 && d[j - 1] > value; j--) d[j] = d[j - 1];
    d[j] = value;
  }
}
