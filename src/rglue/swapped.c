/* Entry point for sums of kernel values over rows that take columns from other rows. Called by
 * R/importance-swaps.R. MATHEMATICS.md, section 1: f of such rows. */
#include "exact/swapped.h"
#include "rglue/arguments.h"
#include "rglue/call.h"

typedef struct swapping {
  mk_swapped swapped;
  const double *par; /* rows of 5: weight, rate (0: polynomial), degree, scale, offset */
  size_t kernels;
  double *out;
} swapping;

static mk_status swap(void *data) {
  swapping *work = data;
  const double *par = work->par;
  for (size_t m = 0; m < work->kernels; m++, par += 5)
    if (par[1] > 0.0)
      mk_swapped_gaussian(&work->swapped, par[0], par[1], work->out);
    else
      mk_swapped_polynomial(&work->swapped, par[0], (int)par[2], par[3], par[4], work->out);
  return MK_OK;
}

/* Returns the sums over the kernels, rows x repeats. `rest` and `part` are known x rows, `donor`
 * rows x repeats (from 1), `par` 5 x kernels. */
SEXP mk_r_swapped(SEXP rest, SEXP part, SEXP alpha, SEXP donor, SEXP par) {
  if (!Rf_isReal(part) || !Rf_isMatrix(part)) Rf_error("`part` must be a double matrix");
  size_t known = (size_t)Rf_nrows(part), rows = (size_t)Rf_ncols(part), repeats;
  if (known == 0 || rows == 0) Rf_error("`part` must not be empty");
  if (!Rf_isInteger(donor) || XLENGTH(donor) == 0 || (size_t)XLENGTH(donor) % rows != 0)
    Rf_error("`donor` must be integers, rows x repeats");
  repeats = (size_t)XLENGTH(donor) / rows;
  swapping work = {.swapped = {.known = known, .rows = rows, .repeats = repeats}};
  work.swapped.part = mk_arg_doubles(part, "part", XLENGTH(part));
  work.swapped.rest = mk_arg_doubles(rest, "rest", XLENGTH(part));
  work.swapped.alpha = mk_arg_doubles(alpha, "alpha", (R_xlen_t)known);
  work.swapped.donor = mk_arg_positions(donor, "donor", rows);
  work.par = mk_arg_columns(par, "par", 5, &work.kernels);
  for (size_t m = 0; m < work.kernels; m++)
    if (!(work.par[5 * m + 1] > 0.0) &&
        !(work.par[5 * m + 2] >= 1.0 && work.par[5 * m + 2] <= 100.0))
      Rf_error("`par` must have positive rates or degrees from 1 to 100");
  work.swapped.work = (double *)R_alloc(known * (rows + 1), sizeof(double));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)repeats));
  work.out = REAL(out);
  for (size_t i = 0; i < rows * repeats; i++) work.out[i] = 0.0;
  mk_run_alone(swap, &work);
  UNPROTECT(1);
  return out;
}
