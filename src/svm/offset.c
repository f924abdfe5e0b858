/* The offset is an order statistic: with gradient g_i = y_i - f_i the hinge
 * loss of point i is upper_i (g_i - b)+ or -lower_i (b - g_i)+. */
#include "svm.h"

#include <math.h>

/* without branches: nobody can foretell them */
static int before(const double *gradient, int a, int b) {
  double x = gradient[a], y = gradient[b];
  return (x < y) | ((x == y) & (a < b));
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
  for (size_t i = n / 2; i-- > 0;) sift(gradient, order, i, n);
  for (size_t last = n; last-- > 1;) {
    int swap = order[0];
    order[0] = order[last];
    order[last] = swap;
    sift(gradient, order, 0, last);
  }
}

/* ---- the quantile ---- */

#define SHORT 32      /* so few are sorted at once */
#define NOTHING 1e-12 /* of the largest slope: rounding */

typedef struct quantile {
  size_t n;
  const double *gradient, *lower, *upper;
  int *order;
  size_t first, last; /* the part of the order that holds it: those before it are smaller, ... */
  double slope;       /* ... and have brought the slope here from its least */
  double slack;
} quantile;

static double width(const quantile *q, size_t at) {
  return q->upper[q->order[at]] - q->lower[q->order[at]];
}

static int middle_of(const double *gradient, int a, int b, int c) {
  if (before(gradient, b, a)) return middle_of(gradient, b, a, c);
  if (before(gradient, c, a)) return a;
  return before(gradient, c, b) ? c : b;
}

/* Those of the part that come before its pivot go to its front; their number. */
static size_t partition(const quantile *q, int *part, size_t n) {
  int pivot = middle_of(q->gradient, part[0], part[n / 2], part[n - 1]);
  size_t front = 0;
  for (size_t k = 0; k < n; k++) {
    int i = part[k], first = before(q->gradient, i, pivot);
    part[k] = part[front];
    part[front] = i;
    front += (size_t)first;
  }
  return front;
}

/* The part in which the slope changes sign shrinks, and is sorted. Of pivots there are no more than
 * twice the halvings: bad ones leave more to sort, not a worst case. */
static void find_part(quantile *q) {
  size_t tries = 0;
  for (size_t rest = q->n; rest > 0; rest /= 2) tries += 2;
  for (; q->last - q->first > SHORT && tries > 0; tries--) {
    size_t front = partition(q, q->order + q->first, q->last - q->first);
    double slope = q->slope;
    if (front == 0) break; /* there is no order */
    for (size_t at = q->first; at < q->first + front; at++) slope += width(q, at);
    if (slope >= -q->slack) {
      q->last = q->first + front;
    } else {
      q->first += front;
      q->slope = slope;
    }
  }
  sort_by_gradient(q->gradient, q->order + q->first, q->last - q->first);
}

/* The next breakpoint; where there is none the largest gradient. */
static double next_breakpoint(const quantile *q, size_t at) {
  double next = INFINITY, most = q->gradient[q->order[at]];
  for (size_t k = at + 1; k < q->n && !(k == q->last && isfinite(next)); k++) {
    double gradient = q->gradient[q->order[k]];
    if (width(q, k) > 0.0) next = fmin(next, gradient);
    most = fmax(most, gradient);
  }
  return isfinite(next) ? next : most;
}

/* The minimiser is an interval where the slope passes through 0 exactly; its middle is the most
 * central choice. */
static double find_quantile(quantile *q) {
  find_part(q);
  size_t at = q->first;
  for (;; at++) {
    q->slope += width(q, at);
    if (q->slope >= -q->slack || at + 1 == q->last) break;
  }
  double left = q->gradient[q->order[at]];
  return q->slope > q->slack ? left : 0.5 * (left + next_breakpoint(q, at));
}

double mk_best_offset(size_t n, const double *gradient, const double *lower, const double *upper,
                      int *order, double *offset) {
  quantile q = {.n = n, .gradient = gradient, .lower = lower, .upper = upper, .order = order};
  double loss = 0.0, scale = 0.0;
  for (size_t i = 0; i < n; i++) {
    order[i] = (int)i;
    q.slope -= upper[i]; /* left of all breakpoints */
    scale += upper[i] - lower[i];
  }
  q.last = n;
  q.slack = NOTHING * scale;
  double b = n > 0 ? find_quantile(&q) : 0.0;
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
