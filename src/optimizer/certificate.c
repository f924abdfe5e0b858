#include "certificate.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- decision values and quadratic forms, block by block ---- */

typedef struct evaluation {
  const mk_problem *problem;
  const mk_simd *simd;
  const double *theta, *alpha;
  double *decision;
  int *order; /* samples, support vectors first */
  size_t support;
  mk_exact **exact; /* one per thread */
  double *forms;    /* threads x M */
  double *buffer;   /* threads x 2 x tasks x MK_EXACT_COLS */
} evaluation;

/* A chunk of columns with its alphas and decision values side by side. */
typedef struct chunk {
  const int *cols;
  size_t count, inside;     /* inside: how many of them, from the front, are support vectors */
  double *alpha, *decision; /* tasks x MK_EXACT_COLS */
} chunk;

static int is_support(const mk_problem *problem, const double *alpha, size_t i) {
  for (size_t t = 0; t < problem->tasks; t++)
    if (alpha[t * problem->n + i] != 0.0) return 1;
  return 0;
}

static void order_samples(evaluation *e) {
  size_t n = e->problem->n, front = 0, back = n;
  for (size_t i = 0; i < n; i++)
    if (is_support(e->problem, e->alpha, i)) e->order[front++] = (int)i;
  e->support = front;
  for (size_t i = n; i-- > 0;)
    if (!is_support(e->problem, e->alpha, i)) e->order[--back] = (int)i;
}

/* Adds one row of kernel m to the decision values of a chunk and, over the
 * support vectors in it, to the quadratic form. */
static void add_values(const evaluation *e, size_t m, int row, const chunk *part,
                       const double *value, double *form) {
  for (size_t t = 0; t < e->problem->tasks; t++) {
    const double *alpha = part->alpha + t * MK_EXACT_COLS;
    double *decision = part->decision + t * MK_EXACT_COLS;
    double own = e->alpha[t * e->problem->n + (size_t)row], weight = own * e->theta[m];
    if (weight != 0.0) e->simd->axpy(part->count, weight, value, decision);
    if (own != 0.0 && part->inside > 0) *form += own * e->simd->dot(part->inside, alpha, value);
  }
}

static mk_status evaluate_rows(const evaluation *e, const chunk *part, const int *rows,
                               size_t count, int thread) {
  const mk_kernel_set *set = e->problem->set;
  mk_exact *exact = e->exact[thread];
  double *forms = e->forms + (size_t)thread * mk_set_kernels(set);
  mk_columns columns = mk_list(part->cols, part->count);
  double value[MK_EXACT_COLS];
  for (size_t f = 0; f < mk_set_families(set); f++) {
    int taken = 0;
    for (size_t k = 0; k < mk_exact_family_size(set, f); k++) {
      size_t m = mk_exact_family_member(set, f, k);
      if (e->theta[m] == 0.0 && part->inside == 0) continue;
      if (!taken) MK_TRY(mk_exact_block(exact, f, rows, count, &columns));
      taken = 1;
      for (size_t r = 0; r < count; r++) {
        mk_exact_values(exact, m, r, value);
        add_values(e, m, rows[r], part, value, &forms[m]);
      }
    }
  }
  return MK_OK;
}

static mk_status evaluate_chunk(const evaluation *e, size_t from, size_t count, int thread) {
  size_t n = e->problem->n, tasks = e->problem->tasks;
  chunk part = {.cols = e->order + from, .count = count};
  part.inside = from >= e->support ? 0 : e->support - from < count ? e->support - from : count;
  part.alpha = e->buffer + (size_t)thread * 2 * tasks * MK_EXACT_COLS;
  part.decision = part.alpha + tasks * MK_EXACT_COLS;
  for (size_t t = 0; t < tasks; t++)
    for (size_t c = 0; c < count; c++) {
      part.alpha[t * MK_EXACT_COLS + c] = e->alpha[t * n + (size_t)part.cols[c]];
      part.decision[t * MK_EXACT_COLS + c] = 0.0;
    }
  for (size_t r = 0; r < e->support; r += MK_EXACT_ROWS) {
    size_t height = e->support - r < MK_EXACT_ROWS ? e->support - r : MK_EXACT_ROWS;
    MK_TRY(evaluate_rows(e, &part, e->order + r, height, thread));
  }
  for (size_t t = 0; t < tasks; t++)
    for (size_t c = 0; c < count; c++)
      e->decision[t * n + (size_t)part.cols[c]] = part.decision[t * MK_EXACT_COLS + c];
  return MK_OK;
}

static mk_status evaluate_all(evaluation *e, const mk_control *control) {
  size_t n = e->problem->n;
  int threads = mk_exact_serial(e->problem->set) ? 1 : control->threads;
  size_t width = (n + (size_t)threads - 1) / (size_t)threads;
  width = width < MK_EXACT_COLS ? width : MK_EXACT_COLS;
  mk_status status = MK_OK;
  for (size_t start = 0; start < n; start += width * (size_t)threads) {
    MK_TRY(mk_check(control));
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
#endif
    for (int t = 0; t < threads; t++) {
      size_t from = start + (size_t)t * width;
      if (from >= n) continue;
      mk_status done = evaluate_chunk(e, from, n - from < width ? n - from : width, t);
      if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        status = done;
      }
    }
    if (status != MK_OK) return status;
  }
  return MK_OK;
}

static mk_status evaluate(evaluation *e, const mk_control *control, double *forms) {
  size_t kernels = mk_set_kernels(e->problem->set), threads = (size_t)control->threads;
  mk_status status = MK_OK;
  e->order = MK_NEW(int, e->problem->n);
  e->exact = MK_NEW0(mk_exact *, threads);
  e->forms = MK_NEW0(double, kernels *threads);
  e->buffer = MK_NEW(double, threads * 2 * e->problem->tasks * MK_EXACT_COLS);
  if (e->order == NULL || e->exact == NULL || e->forms == NULL || e->buffer == NULL)
    status = MK_NO_MEMORY;
  for (size_t t = 0; status == MK_OK && t < threads; t++)
    if ((e->exact[t] = mk_exact_new(e->problem->set)) == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK) {
    memset(e->decision, 0, e->problem->n * e->problem->tasks * sizeof(double));
    order_samples(e);
    status = evaluate_all(e, control);
    for (size_t m = 0; m < kernels; m++) {
      forms[m] = 0.0;
      for (size_t t = 0; t < threads; t++) forms[m] += e->forms[t * kernels + m];
    }
  }
  for (size_t t = 0; e->exact != NULL && t < threads; t++) mk_exact_free(e->exact[t]);
  mk_free(e->exact);
  mk_free(e->order);
  mk_free(e->forms);
  mk_free(e->buffer);
  return status;
}

/* ---- the two sides ---- */

typedef struct breakpoint {
  double at, weight;
} breakpoint;

static int compare_breakpoints(const void *a, const void *b) {
  double x = ((const breakpoint *)a)->at, y = ((const breakpoint *)b)->at;
  return (x > y) - (x < y);
}

static double hinge_loss(const mk_problem *problem, size_t task, const double *f, double b) {
  size_t from = task * problem->n;
  double loss = 0.0;
  for (size_t i = 0; i < problem->n; i++) {
    double y = problem->linear[from + i];
    double c = y > 0 ? problem->upper[from + i] : -problem->lower[from + i];
    loss += c * fmax(0.0, 1.0 - y * (f[i] + b));
  }
  return loss;
}

/* sum c_i max(0, 1 - y_i (f_i + b)) is piecewise linear in b with a kink at
 * y_i - f_i: walk the kinks until the slope turns non-negative; of a flat
 * bottom take the middle. */
static double best_offset(const mk_problem *problem, size_t task, const double *f,
                          breakpoint *kink) {
  size_t n = problem->n, from = task * n, count = 0;
  double slope = 0.0, total = 0.0;
  for (size_t i = 0; i < n; i++) {
    double y = problem->linear[from + i];
    double c = y > 0 ? problem->upper[from + i] : -problem->lower[from + i];
    if (!(c > 0.0)) continue;
    kink[count++] = (breakpoint){y - f[i], c};
    slope -= y > 0 ? c : 0.0;
    total += c;
  }
  if (count == 0) return 0.0;
  qsort(kink, count, sizeof *kink, compare_breakpoints);
  for (size_t k = 0; k < count; k++) {
    slope += kink[k].weight;
    if (slope > 1e-12 * total) return kink[k].at;
    if (slope >= -1e-12 * total && k + 1 < count) return 0.5 * (kink[k].at + kink[k + 1].at);
  }
  return kink[count - 1].at;
}

/* ||s||_{p*} and (sum (theta sqrt s)^q)^(2/q), written out here once more: the
 * certificate trusts nothing that moved the iterates. */
static double dual_norm(const double *s, size_t count, double p) {
  double most = 0.0, sum = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, s[m]);
  if (p == 1.0 || most <= 0.0) return most;
  double power = isinf(p) ? 1.0 : p / (p - 1.0);
  for (size_t m = 0; m < count; m++) sum += pow(fmax(s[m], 0.0) / most, power);
  return most * pow(sum, 1.0 / power);
}

static double squared_block_norm(const double *theta, const double *s, size_t count, double p) {
  double q = isinf(p) ? 2.0 : 2.0 * p / (p + 1.0), most = 0.0, sum = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, theta[m] * sqrt(fmax(s[m], 0.0)));
  for (size_t m = 0; most > 0.0 && m < count; m++)
    sum += pow(theta[m] * sqrt(fmax(s[m], 0.0)) / most, q);
  return most > 0.0 ? most * most * pow(sum, 2.0 / q) : 0.0;
}

mk_status mk_certify(const mk_problem *problem, const double *theta, const double *alpha,
                     const mk_control *control, mk_certificate *certificate) {
  size_t n = problem->n, kernels = mk_set_kernels(problem->set);
  evaluation e = {.problem = problem,
                  .simd = mk_exact_simd(problem->set),
                  .theta = theta,
                  .alpha = alpha,
                  .decision = certificate->decision};
  MK_TRY(evaluate(&e, control, certificate->forms));
  breakpoint *kink = MK_NEW(breakpoint, n);
  if (kink == NULL) return MK_NO_MEMORY;
  double loss = 0.0, gain = 0.0;
  for (size_t t = 0; t < problem->tasks; t++) {
    double *f = certificate->decision + t * n;
    double b = best_offset(problem, t, f, kink);
    loss += hinge_loss(problem, t, f, b);
    certificate->offset[t] = b;
    for (size_t i = 0; i < n; i++) {
      gain += problem->linear[t * n + i] * alpha[t * n + i];
      f[i] += b;
    }
  }
  mk_free(kink);
  const double *s = certificate->forms;
  certificate->primal = loss + 0.5 * squared_block_norm(theta, s, kernels, problem->p);
  certificate->dual = gain - 0.5 * dual_norm(s, kernels, problem->p);
  certificate->gap =
      (certificate->primal - certificate->dual) / fmax(fabs(certificate->primal), 1e-300);
  return isfinite(certificate->gap) ? MK_OK : MK_NOT_FINITE;
}
