/* The offset is an order statistic: with gradient g_i = y_i - f_i the hinge
 * loss of point i is upper_i (g_i - b)+ or -lower_i (b - g_i)+. */
#include "svm.h"

#include <math.h>

static int before(const double *gradient, int a, int b) {
  return gradient[a] < gradient[b] || (gradient[a] == gradient[b] && a < b);
}

static void sift(const double *gradient, int *order, size_t root, size_t n) {
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= n) return;
    if (child + 1 < n && before(gradient, order[child], order[child + 1])) child++;
    if (!before(gradient, order[root], order[child])) return;
    int swap = order[root];
    order[root] = order[child];
    order[child] = swap;
    root = child;
  }
}

/* Heap sort: no worst case, no allocation, no context pointer for qsort. */
static void sort_by_gradient(const double *gradient, int *order, size_t n) {
  for (size_t i = 0; i < n; i++) order[i] = (int)i;
  for (size_t i = n / 2; i-- > 0;) sift(gradient, order, i, n);
  for (size_t last = n; last-- > 1;) {
    int swap = order[0];
    order[0] = order[last];
    order[last] = swap;
    sift(gradient, order, 0, last);
  }
}

double mk_best_offset(size_t n, const double *gradient, const double *lower, const double *upper,
                      int *order, double *offset) {
  double slope = 0.0, loss = 0.0;
  sort_by_gradient(gradient, order, n);
  for (size_t i = 0; i < n; i++) slope -= upper[i]; /* left of all breakpoints */
  /* the minimiser is an interval when the slope passes through 0 exactly; its middle is the most
   * central choice */
  size_t at = 0;
  double left = n > 0 ? gradient[order[0]] : 0.0, right = left;
  for (; at < n; at++) {
    size_t i = (size_t)order[at];
    slope += upper[i] - lower[i];
    if (slope >= 0.0) {
      left = right = gradient[i];
      break;
    }
  }
  double scale = 0.0;
  for (size_t i = 0; i < n; i++) scale += upper[i] - lower[i];
  if (at + 1 < n && slope <= 1e-12 * scale) {
    size_t next = at + 1;
    while (next + 1 < n && upper[order[next]] == lower[order[next]]) next++;
    right = gradient[order[next]];
  }
  double b = 0.5 * (left + right);
  for (size_t i = 0; i < n; i++)
    loss += gradient[i] > b ? upper[i] * (gradient[i] - b) : lower[i] * (gradient[i] - b);
  *offset = b;
  return loss;
}

void mk_svm_measure(mk_svm *svm) {
  mk_terms terms = mk_svm_terms(svm);
  svm->loss = mk_loss_total(&terms, svm->gradient, svm->order, &svm->offset);
  double gap = 0.0;
  for (size_t i = 0; i < svm->n; i++)
    gap += mk_loss_excess(&terms, i, svm->gradient[i] - svm->offset, svm->alpha[i]);
  svm->gap = gap;
}

double mk_svm_gain(const mk_svm *svm) {
  mk_terms terms = mk_svm_terms(svm);
  double sum = -mk_loss_total_penalty(&terms, svm->alpha);
  for (size_t i = 0; i < svm->n; i++) sum += svm->linear[i] * svm->alpha[i];
  return sum;
}
