#include "problem.h"

#include <string.h>

static mk_loss parse_loss(SEXP loss) {
  mk_loss out = {.type = (mk_loss_type)mk_arg_int(mk_list_get(loss, "type", "loss"), "loss$type", 0,
                                                  MK_LOSSES - 1)};
  out.parameter =
      mk_arg_number(mk_list_get(loss, "parameter", "loss"), "loss$parameter", 0.0, R_PosInf);
  out.no_offset = !mk_arg_flag(mk_list_get(loss, "offset", "loss"), "loss$offset");
  if (!mk_loss_is_valid(&out)) Rf_error("`loss` must have a parameter in its range");
  return out;
}

mk_problem mk_arg_problem(size_t samples, SEXP y, SEXP cost, SEXP loss) {
  mk_problem problem = {.n = samples, .loss = parse_loss(loss)};
  R_xlen_t n = (R_xlen_t)problem.n;
  if (!Rf_isReal(y) || XLENGTH(y) == 0 || XLENGTH(y) % n != 0)
    Rf_error("`y` must be a double matrix with %.0f rows", (double)n);
  R_xlen_t size = XLENGTH(y);
  problem.tasks = (size_t)(size / n);
  problem.linear = mk_arg_doubles(y, "y", size);
  problem.cost = mk_arg_doubles(cost, "cost", size);
  for (R_xlen_t i = 0; i < size; i++) {
    if (!mk_loss_allows(&problem.loss, problem.linear[i]))
      Rf_error("`y` must hold targets of the loss: 1 or -1 for classes, 1 for one class");
    if (problem.cost[i] < 0.0) Rf_error("`cost` must not be negative");
  }
  mk_problem_shape(&problem, (double *)R_alloc(3 * (size_t)size, sizeof(double)));
  return problem;
}

const double *mk_arg_theta(SEXP theta, size_t kernels) {
  const double *value = mk_arg_doubles(theta, "theta", (R_xlen_t)kernels);
  for (size_t m = 0; m < kernels; m++)
    if (value[m] < 0.0) Rf_error("`theta` must not be negative");
  return value;
}

SEXP mk_doubles(const double *from, size_t count) {
  SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
  if (count > 0) memcpy(REAL(out), from, count * sizeof(double));
  return out;
}

SEXP mk_matrix(const double *from, size_t rows, size_t cols) {
  SEXP out = Rf_allocMatrix(REALSXP, (int)rows, (int)cols);
  memcpy(REAL(out), from, rows * cols * sizeof(double));
  return out;
}

int mk_status_code(mk_status status) {
  return status == MK_OK ? 0 : status == MK_TIME_LIMIT ? 1 : status == MK_ITERATION_LIMIT ? 2 : 4;
}
