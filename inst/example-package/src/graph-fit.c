/* A fit without R between it and its kernels: powers 1 to POWERS of the cosine between graphs,
 * k(G, H) / sqrt(k(G, G) k(H, H)), 0 where a graph has no edge. */
#include "kernels.h"

#include <manykernels.h>

#include <math.h>
#include <string.h>

#define POWERS 3

typedef struct cosine {
  const graphs *all;
  double power;
} cosine;

static double value(const cosine *kernel, size_t g, size_t h) {
  double own = common_edges(kernel->all, g, g), other = common_edges(kernel->all, h, h);
  if (own == 0.0 || other == 0.0) return 0.0;
  return pow(common_edges(kernel->all, g, h) / sqrt(own * other), kernel->power);
}

static int fill(void *data, const int *rows, size_t row_count, const int *cols, size_t col_count,
                double *out) {
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++)
      out[r + c * row_count] = value(data, (size_t)rows[r], (size_t)cols[c]);
  return 0;
}

/* Providers in memory that R frees after the .Call. */
static manykernels_problem describe(SEXP pointer, size_t samples, SEXP threads) {
  manykernels_provider *provider = (void *)R_alloc(POWERS, sizeof *provider);
  cosine *kernel = (void *)R_alloc(POWERS, sizeof *kernel);
  for (int m = 0; m < POWERS; m++) {
    kernel[m] = (cosine){graphs_of(pointer), m + 1.0};
    provider[m] = (manykernels_provider){.thread_safe = 1, .rows = fill, .data = &kernel[m]};
  }
  return (manykernels_problem){.abi = MANYKERNELS_ABI,
                               .samples = samples,
                               .kernels = POWERS,
                               .provider = provider,
                               .threads = Rf_asInteger(threads)};
}

SEXP fit_graphs(SEXP pointer, SEXP y, SEXP cost, SEXP p, SEXP threads) {
  const char *names[] = {"theta", "alpha", "offset", "objective", "primal", "gap", "converged", ""};
  size_t samples = (size_t)XLENGTH(y);
  manykernels_problem problem = describe(pointer, samples, threads);
  double *all_cost = (double *)R_alloc(samples, sizeof *all_cost);
  for (size_t i = 0; i < samples; i++) all_cost[i] = Rf_asReal(cost);
  problem.y = REAL(y);
  problem.cost = all_cost;
  problem.loss = MANYKERNELS_HINGE;
  problem.p = Rf_asReal(p);
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, POWERS));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)samples));
  manykernels_solution solution = {.theta = REAL(VECTOR_ELT(out, 0)),
                                   .alpha = REAL(VECTOR_ELT(out, 1))};
  manykernels_fit(&problem, &solution);
  const double number[] = {solution.offset, solution.objective, solution.primal, solution.gap};
  for (int k = 0; k < 4; k++) SET_VECTOR_ELT(out, 2 + k, Rf_ScalarReal(number[k]));
  SET_VECTOR_ELT(out, 6, Rf_ScalarLogical(solution.converged));
  UNPROTECT(1);
  return out;
}

/* Graphs of the collection that came after those of the fit. */
SEXP predict_graphs(SEXP pointer, SEXP fit, SEXP threads) {
  size_t samples = (size_t)XLENGTH(VECTOR_ELT(fit, 1));
  size_t count = count_graphs(graphs_of(pointer)) - samples;
  manykernels_problem problem = describe(pointer, samples, threads);
  manykernels_solution solution = {.theta = REAL(VECTOR_ELT(fit, 0)),
                                   .alpha = REAL(VECTOR_ELT(fit, 1)),
                                   .offset = Rf_asReal(VECTOR_ELT(fit, 2))};
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  manykernels_predict(&problem, &solution, count, REAL(out));
  UNPROTECT(1);
  return out;
}
