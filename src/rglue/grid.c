/* Entry point for fits over a grid of costs. Called by R/cv-engine.R. MATHEMATICS.md, sections 1 to
 * 3. */
#include "base/memory.h"
#include "grid/grid.h"
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/kernels.h"
#include "rglue/problem.h"
#include "rglue/results.h"

/* ---- arguments ---- */

static mk_problem parse_chain(SEXP chain, SEXP loss) {
  const mk_kernel_set *set = mk_arg_set(mk_list_get(chain, "set", "chains"));
  mk_problem problem = mk_arg_problem(mk_set_samples(set), mk_list_get(chain, "y", "chains"),
                                      mk_list_get(chain, "cost", "chains"), loss);
  problem.set = set;
  problem.norm = mk_arg_norm(mk_list_get(chain, "norm", "chains"), mk_set_kernels(set));
  return problem;
}

static const mk_problem *parse_chains(SEXP chains, SEXP loss) {
  mk_arg_list(chains, "chains", -1);
  size_t count = (size_t)XLENGTH(chains);
  mk_problem *out = (mk_problem *)R_alloc(count + 1, sizeof *out);
  for (size_t k = 0; k < count; k++) out[k] = parse_chain(VECTOR_ELT(chains, (R_xlen_t)k), loss);
  return out;
}

/* Returns a solution's vector in R's memory, which the core never writes to. */
static double *read_only(SEXP list, const char *field, size_t length) {
  return (double *)mk_arg_doubles(mk_list_get(list, field, "known"), field, (R_xlen_t)length);
}

static mk_known parse_solution(SEXP own, const mk_problem *problem) {
  size_t kernels = mk_set_kernels(problem->set), size = problem->n * problem->tasks;
  mk_solution *out = (mk_solution *)R_alloc(1, sizeof *out);
  *out = (mk_solution){.theta = (double *)mk_arg_theta(mk_list_get(own, "theta", "known"), kernels),
                       .alpha = read_only(own, "alpha", size),
                       .offset = read_only(own, "offset", problem->tasks),
                       .forms = read_only(own, "forms", kernels),
                       .decision = read_only(own, "decision", size),
                       .slack = read_only(own, "slack", size + 2 * kernels),
                       .primal = mk_list_number(own, "primal", "known", R_NegInf, R_PosInf),
                       .dual = mk_list_number(own, "objective", "known", R_NegInf, R_PosInf),
                       .gap = mk_list_number(own, "gap", "known", R_NegInf, R_PosInf)};
  return (mk_known){out, mk_list_number(own, "scale", "known", 0.0, R_PosInf)};
}

/* Parses the known solutions: for each chain a list of at most two at smaller costs, the last one
 * first. */
static const mk_known *parse_known(SEXP chains, const mk_problem *problem, double least) {
  size_t count = (size_t)XLENGTH(chains);
  mk_known *out = (mk_known *)R_alloc(2 * count + 1, sizeof *out);
  for (size_t k = 0; k < count; k++) {
    SEXP known = mk_list_get(VECTOR_ELT(chains, (R_xlen_t)k), "known", "chains");
    mk_arg_list(known, "known", -1);
    if (XLENGTH(known) > 2) Rf_error("`known` must have at most two solutions");
    double above = least;
    for (R_xlen_t j = 0; j < 2; j++) {
      mk_known *own = &out[2 * k + (size_t)j];
      *own = (mk_known){NULL, 1.0};
      if (j >= XLENGTH(known)) continue;
      *own = parse_solution(VECTOR_ELT(known, j), &problem[k]);
      if (!(own->scale > 0.0 && own->scale < above))
        Rf_error("`known` must be at smaller `scales`");
      above = own->scale;
    }
  }
  return out;
}

static const double *parse_scales(SEXP scales) {
  const double *scale = mk_arg_doubles(scales, "scales", -1);
  for (R_xlen_t j = 0; j < XLENGTH(scales); j++)
    if (scale[j] <= (j > 0 ? scale[j - 1] : 0.0)) Rf_error("`scales` must be positive and rise");
  return scale;
}

/* ---- results ---- */

static SEXP wrap_cell(const mk_problem *problem, const mk_cell *cell) {
  size_t kernels = mk_set_kernels(problem->set);
  const mk_item more[] = {
      MK_VECTOR("slack", cell->solution.slack, problem->n * problem->tasks + 2 * kernels),
      MK_NUMBER("seconds", cell->seconds),
      MK_NUMBER("late", cell->solution.late),
      {NULL}};
  if (cell->solution.theta != NULL)
    return mk_wrap_solution(problem, kernels, &cell->solution, cell->status, more);
  int late = cell->status == MK_TIME_LIMIT;
  SEXP message = late ? R_NilValue : Rf_mkString(mk_status_message(cell->status));
  PROTECT(message);
  SEXP out = mk_wrap(
      (const mk_item[]){MK_VALUE("message", message), MK_NUMBER("seconds", cell->seconds), {NULL}});
  UNPROTECT(1);
  return out;
}

static SEXP wrap_cells(const mk_grid *grid) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)grid->problems));
  for (size_t k = 0; k < grid->problems; k++) {
    SEXP row = Rf_allocVector(VECSXP, (R_xlen_t)grid->scales);
    SET_VECTOR_ELT(out, (R_xlen_t)k, row);
    for (size_t j = 0; j < grid->scales; j++)
      SET_VECTOR_ELT(row, (R_xlen_t)j,
                     wrap_cell(&grid->problem[k], &grid->cell[k * grid->scales + j]));
  }
  UNPROTECT(1);
  return out;
}

/* ---- the grid ---- */

static void clear_grid(void *object) {
  mk_grid *grid = object;
  mk_grid_clear(grid);
  mk_free(grid->cell);
}

typedef struct gridding {
  mk_grid *grid;
  mk_control control;
} gridding;

static mk_status fit_grid(void *data) {
  gridding *work = data;
  return mk_fit_grid(work->grid, &work->control);
}

static mk_optimizer parse_optimizer(SEXP control, const mk_grid *grid) {
  mk_optimizer optimizer = MK_INTERLEAVED;
  for (size_t k = 0; k < grid->problems; k++)
    optimizer = mk_arg_optimizer(control, &grid->problem[k].norm);
  return optimizer;
}

/* Returns the number of threads, at most one per chain. */
static int parse_threads(SEXP control, const mk_grid *grid) {
  int threads = mk_arg_threads(mk_list_get(control, "threads", "control"));
  return (size_t)threads < grid->problems || grid->problems == 0 ? threads : (int)grid->problems;
}

/* Fits a grid. `chains` is a list of list(set, y, cost, norm, known), `limit` the seconds for all
 * fits. */
SEXP mk_r_fit_grid(SEXP chains, SEXP loss, SEXP scales, SEXP control, SEXP limit, SEXP progress) {
  SEXP owner = PROTECT(mk_own(sizeof(mk_grid), clear_grid, R_NilValue, R_NilValue));
  mk_grid *grid = mk_owned(owner);
  gridding work = {.grid = grid, .control = mk_arg_control(control, progress)};
  *grid = (mk_grid){.problem = parse_chains(chains, loss),
                    .problems = (size_t)XLENGTH(chains),
                    .scale = parse_scales(scales),
                    .scales = (size_t)XLENGTH(scales)};
  grid->known = parse_known(chains, grid->problem, grid->scales > 0 ? grid->scale[0] : R_PosInf);
  grid->optimizer = parse_optimizer(control, grid);
  grid->deadline = work.control.start + mk_arg_number(limit, "limit", 0.0, R_PosInf);
  grid->cell = mk_calloc(grid->problems * grid->scales + 1, sizeof *grid->cell);
  if (grid->cell == NULL) mk_fail(MK_NO_MEMORY);
  mk_run(parse_threads(control, grid), &work.control.team, fit_grid, &work);
  SEXP out = PROTECT(wrap_cells(grid));
  mk_release(owner);
  UNPROTECT(2);
  return out;
}
