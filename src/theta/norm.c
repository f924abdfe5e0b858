/* The table of norms, and what all of them share: coordinates, steps in coordinates, Newton models.
 * Called by the optimisers. MATHEMATICS.md, section 2.3. */
#include "theta/norm.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/sum.h"
#include "problem/quadratic.h"
#include "theta/lp.h"
#include "theta/members.h"

#include <math.h>
#include <string.h>

#define LOWEST_LEAST_COORDINATE                                                                    \
  1e-13 /* smallest least coordinate; with larger weights rows would have no correct digits */
#define HIGHEST_LEAST_COORDINATE 1e-3 /* largest least coordinate */
#define BOUND_SHARE 0.1               /* share of the sphere if all coordinates are at the bound */
/* last shift, as a share of the largest diagonal, for a Hessian that rounding made indefinite */
#define LARGEST_DIAGONAL_SHIFT 1e-2
#define LEAST_COORDINATE_MARGIN                                                                    \
  1.001 /* coordinates up to this multiple of the least one are at the bound */
/* share of a coordinate that a step keeps where weights are its inverse */
#define KEPT_COORDINATE 0.1

/* A row of the table. NULL: the coordinate is theta times the norm's scale, with the normalisation
 * and analytic step of the lp ball. */
typedef struct member {
  mk_place (*place)(const mk_norm *norm, double t);
  double (*coordinate)(const mk_norm *norm, double theta);
  void (*normalize)(const mk_norm *norm, size_t count, double *t);
  void (*step)(const mk_norm *norm, size_t count, const double *t, const double *s, double *next);
} member;

static const member members[MK_NORMS] = {
    [MK_NORM_QUADRATIC] = {.normalize = mk_quadratic_normalize, .step = mk_quadratic_step},
    [MK_NORM_BLOCK] = {.place = mk_block_place,
                       .coordinate = mk_block_coordinate,
                       .normalize = mk_block_normalize},
    [MK_NORM_ELASTIC] = {.place = mk_elastic_place, .coordinate = mk_elastic_coordinate},
};

/* ---- making ---- */

size_t mk_norm_memory(mk_norm_type type, size_t count) {
  size_t square = type == MK_NORM_QUADRATIC ? 3 * count * count + 6 * count : 0;
  return 4 * count + square; /* coordinates, forms in coordinates, one more vector, weights d */
}

static mk_status make_weights(mk_norm *norm, size_t count, const double *weights, double *scale) {
  if (weights == NULL || isinf(norm->p)) return MK_OK;
  for (size_t m = 0; m < count; m++) {
    if (!(weights[m] > 0.0) || !isfinite(weights[m])) return MK_BAD_ARGUMENT;
    scale[m] = pow(weights[m], 1.0 / norm->p);
    if (!(scale[m] > 0.0) || !isfinite(scale[m])) return MK_BAD_ARGUMENT;
  }
  norm->scale = scale;
  return MK_OK;
}

mk_status mk_norm_make(mk_norm *norm, mk_norm_type type, size_t count, double parameter,
                       const double *values, double *memory) {
  double x = parameter;
  *norm = (mk_norm){.type = type, .p = 1.0, .parameter = x, .work = memory};
  switch (type) {
  case MK_NORM_LP:
    if (!(x >= 1.0)) return MK_BAD_ARGUMENT;
    norm->p = x;
    return make_weights(norm, count, values, memory + 3 * count);
  case MK_NORM_QUADRATIC:
    norm->p = 2.0;
    return values == NULL ? MK_BAD_ARGUMENT : mk_quadratic_make(norm, count, values, memory);
  case MK_NORM_BLOCK:
    if (!(x >= 1.0)) return MK_BAD_ARGUMENT;
    norm->p = isinf(x) ? 1.0 : x / (x - 2.0);
    norm->least = MK_ROUNDED_WEIGHT; /* until mk_norm_bound() sets another */
    if (x <= 2.0) *norm = mk_lp(x == 2.0 ? INFINITY : x / (2.0 - x));
    return MK_OK;
  case MK_NORM_ELASTIC:
    if (!(x >= 0.0 && x <= 1.0)) return MK_BAD_ARGUMENT;
    if (x == 0.0 || x == 1.0) *norm = mk_lp(x == 0.0 ? 1.0 : INFINITY);
    return MK_OK;
  default:
    return MK_BAD_ARGUMENT;
  }
}

void mk_norm_bound(mk_norm *norm, size_t count, const double *start) {
  if (!(norm->least > 0.0)) return;
  double least = fmin(HIGHEST_LEAST_COORDINATE, BOUND_SHARE / (double)count);
  norm->least = LOWEST_LEAST_COORDINATE;
  for (size_t m = 0; start != NULL && m < count; m++)
    least = fmin(least, members[norm->type].coordinate(norm, start[m]));
  norm->least = least;
}

/* Returns 1 for coordinates at the bound, which the model of a step must hold there. */
static int is_held(const mk_norm *norm, double t) {
  return t <= LEAST_COORDINATE_MARGIN * norm->least;
}

/* Returns the price of the bound. With w = ||w_m||, the bound t_m = least raises the objective by
 * least w (max w - w)/2 to first order. */
static double price_of_least(const mk_norm *norm, size_t count, const double *theta,
                             const double *s) {
  double most = 0.0, sum = 0.0;
  for (size_t m = 0; m < count; m++) most = fmax(most, theta[m] * sqrt(fmax(s[m], 0.0)));
  for (size_t m = 0; m < count; m++) {
    double w = theta[m] * sqrt(fmax(s[m], 0.0));
    if (is_held(norm, members[norm->type].coordinate(norm, theta[m])))
      sum += norm->least * w * (most - w);
  }
  return sum;
}

void mk_norm_adapt(mk_norm *norm, size_t count, const double *theta, const double *s,
                   double bearable) {
  if (!(norm->least > 0.0)) return;
  double price = price_of_least(norm, count, theta, s);
  for (; price > bearable && norm->least > LOWEST_LEAST_COORDINATE; price *= 0.5)
    norm->least *= 0.5;
}

int mk_norm_is_plain(const mk_norm *norm) {
  return norm->type == MK_NORM_LP && norm->scale == NULL;
}

int mk_norm_is_fixed(const mk_norm *norm) {
  return isinf(norm->p);
}

int mk_norm_rises(const mk_norm *norm) {
  return norm->type == MK_NORM_BLOCK;
}

int mk_norm_is_sparse(const mk_norm *norm) {
  return norm->p <= MK_SPARSE_MAX_P && !mk_norm_rises(norm);
}

/* ---- coordinates ---- */

static double scale_of(const mk_norm *norm, size_t m) {
  return norm->scale != NULL ? norm->scale[m] : 1.0;
}

static mk_place place(const mk_norm *norm, size_t m, double t) {
  if (members[norm->type].place != NULL) return members[norm->type].place(norm, t);
  double scale = scale_of(norm, m);
  return (mk_place){t / scale, 1.0 / scale, 0.0};
}

static double coordinate(const mk_norm *norm, size_t m, double theta) {
  if (members[norm->type].coordinate != NULL) return members[norm->type].coordinate(norm, theta);
  return theta * scale_of(norm, m);
}

static void to_ball(const mk_norm *norm, size_t count, const double *theta, double *t) {
  for (size_t m = 0; m < count; m++) t[m] = coordinate(norm, m, theta[m]);
}

/* Computes theta from coordinates t; both may be the same memory. */
static void from_ball(const mk_norm *norm, size_t count, const double *t, double *theta) {
  for (size_t m = 0; m < count; m++) theta[m] = place(norm, m, t[m]).theta;
}

/* Computes forms in the coordinates: -2 times the derivatives of the SVM's value. */
static void forms_there(const mk_norm *norm, size_t count, const double *t, const double *s,
                        double *out) {
  for (size_t m = 0; m < count; m++) out[m] = s[m] * place(norm, m, t[m]).slope;
}

static void normalize_there(const mk_norm *norm, size_t count, double *t) {
  if (members[norm->type].normalize != NULL)
    members[norm->type].normalize(norm, count, t);
  else
    mk_lp_normalize(count, norm->p, t);
}

void mk_norm_start(const mk_norm *norm, size_t count, double *theta) {
  mk_lp_start(count, norm->p, theta);
  if (mk_norm_is_plain(norm)) return;
  normalize_there(norm, count, theta);
  from_ball(norm, count, theta, theta);
}

void mk_norm_normalize(const mk_norm *norm, size_t count, double *theta) {
  if (mk_norm_is_plain(norm)) {
    mk_lp_normalize(count, norm->p, theta);
    return;
  }
  to_ball(norm, count, theta, theta);
  normalize_there(norm, count, theta);
  from_ball(norm, count, theta, theta);
}

void mk_norm_between(const mk_norm *norm, size_t count, const double *from, const double *to,
                     double share, double *out) {
  for (size_t m = 0; m < count; m++) {
    double a = from[m], b = to[m];
    if (!mk_norm_rises(norm)) {
      out[m] = share > 1.0 && b < a ? b : a + share * (b - a);
      continue;
    }
    a = coordinate(norm, m, a);
    out[m] = place(norm, m, a + share * (coordinate(norm, m, b) - a)).theta;
  }
  mk_norm_normalize(norm, count, out);
}

void mk_norm_prune(const mk_norm *norm, size_t count, double share, double *theta) {
  double most = 0.0;
  if (norm->p != 1.0 || mk_norm_rises(norm)) return;
  for (size_t m = 0; m < count; m++) most = fmax(most, coordinate(norm, m, theta[m]));
  for (size_t m = 0; m < count; m++)
    if (coordinate(norm, m, theta[m]) < share * most) theta[m] = 0.0;
  mk_norm_normalize(norm, count, theta);
}

/* Returns theta's part of the gap. If theta minimises, the part is the difference from the dual's
 * term; if it maximises, from the primal's. */
double mk_norm_gap(const mk_norm *norm, double dual, double regularizer, double value) {
  return fmax(0.0, 0.5 * ((mk_norm_rises(norm) ? regularizer : dual) - value));
}

/* ---- steps ---- */

void mk_norm_step(const mk_norm *norm, size_t count, const double *theta, const double *s,
                  double *next) {
  if (mk_norm_is_plain(norm)) {
    mk_lp_step(count, norm->p, theta, s, next);
    return;
  }
  double *t = norm->work, *forms = norm->work + count;
  to_ball(norm, count, theta, t);
  forms_there(norm, count, t, s, forms);
  if (members[norm->type].step != NULL)
    members[norm->type].step(norm, count, t, forms, next);
  else
    mk_lp_step(count, norm->p, t, forms, next);
  if (norm->least > 0.0) normalize_there(norm, count, next);
  from_ball(norm, count, next, next);
}

/* ---- Newton ---- */

/* Changes the model for a theta that maximises: z := L' with LL' = diag(bend) - Z'Z, count x count.
 * The SVM's value is convex in the weights and concave in the coordinates. */
static mk_status turn_over(size_t count, size_t rank, const double *z, double *bend, mk_team *team,
                           double *out) {
  const mk_simd *simd = mk_simd_best();
  double *h = MK_NEW(double, count *count), most = 0.0;
  mk_status status = h == NULL ? MK_NO_MEMORY : MK_STALLED;
  for (size_t m = 0; m < count; m++) most = fmax(most, bend[m]);
  for (double share = MK_SUM_ROUNDING; status == MK_STALLED && share <= LARGEST_DIAGONAL_SHIFT;
       share *= MK_SHIFT_GROWTH * MK_SHIFT_GROWTH) {
    memset(h, 0, count * count * sizeof(double));
    for (size_t r = 0; r < rank; r++)
      for (size_t m = 0; m < count; m++)
        simd->axpy(m + 1, -z[r * count + m], z + r * count, h + m * count);
    for (size_t m = 0; m < count; m++) h[m * count + m] += bend[m];
    status = mk_cholesky(h, count, share * most, team);
  }
  memset(out, 0, count * count * sizeof(double));
  for (size_t m = 0; status == MK_OK && m < count; m++)
    for (size_t r = 0; r <= m; r++) out[r * count + m] = h[m * count + r];
  memset(bend, 0, count * sizeof(double));
  mk_free(h);
  return status;
}

/* Writes the model in coordinates into one block: t, s, bend and Z. */
static mk_status move_model(const mk_norm *norm, const mk_theta_model *model, double *block,
                            mk_theta_model *there) {
  size_t count = model->count, rank = model->rank;
  double *t = block, *s = t + count, *bend = s + count, *z = bend + count;
  to_ball(norm, count, model->theta, t);
  for (size_t m = 0; m < count; m++) {
    mk_place at = place(norm, m, t[m]);
    s[m] = fmax(model->s[m], 0.0) * at.slope;
    bend[m] = fmax(model->s[m], 0.0) * at.bend;
    double slope = is_held(norm, t[m]) ? 0.0 : at.slope;
    for (size_t r = 0; r < rank; r++) z[r * count + m] = model->z[r * count + m] * slope;
  }
  *there = *model;
  there->p = norm->p;
  there->theta = t;
  there->s = s;
  there->bend = bend;
  there->z = z;
  there->ball = norm->inverse;
  if (!mk_norm_rises(norm)) return MK_OK;
  there->rank = count;
  there->z = z + rank * count;
  return turn_over(count, rank, z, bend, model->team, z + rank * count);
}

mk_status mk_norm_newton(const mk_norm *norm, const mk_theta_model *model, double *next,
                         mk_promise *promise) {
  size_t count = model->count, rank = model->rank;
  mk_theta_model there = *model;
  there.p = norm->p;
  if (mk_norm_is_plain(norm)) return mk_theta_newton(&there, next, promise);
  size_t turned = mk_norm_rises(norm) ? count : 0;
  double *block = MK_NEW(double, count *(rank + turned + 3));
  if (block == NULL) return MK_NO_MEMORY;
  mk_status status = move_model(norm, model, block, &there);
  if (status == MK_OK) status = mk_theta_newton(&there, next, promise);
  if (status == MK_OK) {
    const double *t = there.theta;
    for (size_t m = 0; turned > 0 && m < count; m++)
      next[m] = fmax(next[m], KEPT_COORDINATE * t[m]);
    /* slope_beyond() assumes weights, not coordinates that turn over */
    if (turned > 0) promise->length = 1.0;
    normalize_there(norm, count, next);
    from_ball(norm, count, next, next);
  }
  mk_free(block);
  return status;
}

/* ---- interior points ---- */

int mk_norm_has_ball(const mk_norm *norm) {
  return norm->inverse == NULL;
}

void mk_norm_coordinates(const mk_norm *norm, size_t count, const double *theta, double *t) {
  to_ball(norm, count, theta, t);
}

void mk_norm_unfold(const mk_norm *norm, size_t count, const double *t, double *theta,
                    double *slope, double *bend) {
  for (size_t m = 0; m < count; m++) {
    mk_place at = place(norm, m, t[m]);
    theta[m] = at.theta;
    slope[m] = at.slope;
    bend[m] = at.bend;
  }
}
