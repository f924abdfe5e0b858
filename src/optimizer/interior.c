/* The optimality conditions of  min over alpha, max over theta  of
 *   theta's/2 - linear'alpha,  lower <= alpha <= upper, sum alpha_t = 0,
 *   theta >= 0, (sum theta^p - 1)/p <= 0,
 * with multipliers a (below) and c (above) of the box, x of theta >= 0, lambda
 * of the norm and b of the sums, are solved by Newton steps towards
 * complementarity mu -> 0 with Mehrotra's predictor and corrector. Eliminating
 * everything but alpha leaves K_theta + box + U D^-1 U', U = (K_m alpha). */
#include "interior.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/simd.h"
#include "theta/lp.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 80
#define ENOUGH 0.02     /* of the goal: landing on the bounds takes its share */
#define TO_BOUNDARY 0.995
#define INSIDE 1e-2     /* how far the start is kept from the bounds, of a typical alpha */

typedef struct interior {
  mk_machine *machine;
  const mk_simd *simd;
  size_t size, kernels, tasks, borders; /* size: variables of all tasks; borders: lambda and b */
  int moves_theta;         /* 0 for p = infinity */
  size_t *from;            /* tasks + 1: offsets into the variables */
  int *position;           /* size: candidate of each variable */
  double *below, *above;   /* size: multipliers of the box */
  double *x, *d, *v;       /* kernels: multiplier, curvature and norm gradient of theta */
  double lambda, *b;
  double *u;               /* size x kernels */
  double *system;          /* size x size */
  double *border;          /* borders x size: A^-1 G; and G */
  double *g;
  double *r1, *r2, *da, *dt; /* right-hand sides and steps */
  double *ca, *cb, *cx;    /* second-order corrections */
  double *dbelow, *dabove, *dx, *w;
  double *small;           /* borders x borders */
  void *block;             /* all of the above */
} interior;

/* ---- memory ---- */

static size_t count_variables(const mk_machine *machine) {
  size_t count = 0;
  for (size_t t = 0; t < machine->problem->tasks; t++)
    for (size_t i = 0; i < machine->svm[t].n; i++)
      count += machine->svm[t].upper[i] > machine->svm[t].lower[i];
  return count;
}

static double *take(double **next, size_t count) {
  double *start = *next;
  *next += count;
  return start;
}

static mk_status interior_new(interior *in, mk_machine *machine) {
  memset(in, 0, sizeof *in);
  size_t n = count_variables(machine), m = machine->kernels, tasks = machine->problem->tasks;
  size_t borders = tasks + 1;
  double bytes = 8.0 * ((double)n * (double)n + (double)n * (double)m);
  if (n < 2 || bytes > 0.5 * (double)machine->control->cache)
    return MK_STALLED;
  size_t total = n * n + n * m + n * (2 * borders + 8) + 7 * m + 3 * borders + borders * borders;
  double *next = MK_NEW0(double, total);
  in->block = next;
  in->from = MK_NEW0(size_t, tasks + 1);
  in->position = MK_NEW(int, n);
  if (next == NULL || in->from == NULL || in->position == NULL)
    return MK_NO_MEMORY;
  in->machine = machine;
  in->simd = mk_simd_best();
  in->size = n;
  in->kernels = m;
  in->tasks = tasks;
  in->borders = borders;
  in->moves_theta = !isinf(machine->problem->p);
  in->system = take(&next, n * n);
  in->u = take(&next, n * m);
  in->border = take(&next, n * borders);
  in->g = take(&next, n * borders);
  double **long_vector[] = {&in->below, &in->above, &in->r1, &in->da,
                            &in->ca,    &in->cb,    &in->dbelow, &in->dabove};
  for (int k = 0; k < 8; k++)
    *long_vector[k] = take(&next, n);
  double **kernel_vector[] = {&in->x, &in->d, &in->v, &in->r2, &in->dt, &in->cx, &in->dx};
  for (int k = 0; k < 7; k++)
    *kernel_vector[k] = take(&next, m);
  in->b = take(&next, borders);
  in->w = take(&next, 2 * borders);
  in->small = take(&next, borders * borders);
  size_t k = 0;
  for (size_t t = 0; t < tasks; t++) {
    for (size_t i = 0; i < machine->svm[t].n; i++)
      if (machine->svm[t].upper[i] > machine->svm[t].lower[i])
        in->position[k++] = (int)i;
    in->from[t + 1] = k;
  }
  return MK_OK;
}

static void interior_free(interior *in) {
  mk_free(in->block);
  mk_free(in->from);
  mk_free(in->position);
}

/* ---- start ---- */

/* Average size of the complementary products. */
static double complementarity(const interior *in) {
  double sum = 0.0;
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      sum += in->below[k] * (svm->alpha[i] - svm->lower[i]) + in->above[k] * (svm->upper[i] - svm->alpha[i]);
    }
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    sum += in->x[m] * in->machine->theta[m];
  return sum / (2.0 * (double)in->size + (in->moves_theta ? (double)in->kernels : 0.0));
}

static void start(interior *in) {
  mk_machine *machine = in->machine;
  double typical = 0.0, mean = exp(-log((double)in->kernels) / machine->problem->p);
  double pairs = 2.0 * (double)in->size + (double)in->kernels;
  double mu = fmax(mk_machine_gap(machine), 1e-3 * fabs(machine->upper)) / pairs;
  for (size_t t = 0; t < in->tasks; t++)
    for (size_t i = 0; i < machine->svm[t].n; i++)
      typical += fabs(machine->svm[t].alpha[i]);
  typical = fmax(typical / (double)in->size, 1e-300);
  for (size_t t = 0; t < in->tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    in->b[t] = svm->offset;
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double width = svm->upper[i] - svm->lower[i], away = fmin(INSIDE * width, 0.1 * typical);
      svm->alpha[i] = fmin(fmax(svm->alpha[i], svm->lower[i] + away), svm->upper[i] - away);
      in->below[k] = mu / (svm->alpha[i] - svm->lower[i]);
      in->above[k] = mu / (svm->upper[i] - svm->alpha[i]);
    }
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) {
    machine->theta[m] = 0.9 * machine->theta[m] + 0.1 * mean;
    in->x[m] = mu / machine->theta[m];
    in->lambda = fmax(in->lambda, 0.5 * machine->s[m]);
  }
}

/* ---- one Newton system ---- */

/* Rows, responses and forms at the current point. */
static mk_status evaluate(interior *in) {
  mk_machine *machine = in->machine;
  MK_TRY(mk_machine_refresh(machine));
  if (!in->moves_theta)
    return MK_OK;
  memset(machine->s, 0, in->kernels * sizeof(double));
  for (size_t t = 0; t < in->tasks; t++) {
    size_t from = in->from[t], count = in->from[t + 1] - from;
    double *u = in->u + from * in->kernels;
    MK_TRY(mk_gram_member_responses(machine->gram, machine->svm[t].alpha, in->position + from, count, u));
    for (size_t k = 0; k < count; k++)
      in->simd->axpy(in->kernels, machine->svm[t].alpha[in->position[from + k]], u + k * in->kernels,
                     machine->s);
  }
  return MK_OK;
}

/* v = theta^(p-1), d = lambda (p-1) theta^(p-2) + x/theta. */
static void theta_curvature(interior *in) {
  double p = in->machine->problem->p;
  for (size_t m = 0; m < in->kernels; m++) {
    double theta = in->machine->theta[m];
    in->v[m] = p == 1.0 ? 1.0 : pow(theta, p - 1.0);
    in->d[m] = in->x[m] / theta + (p == 1.0 ? 0.0 : in->lambda * (p - 1.0) * pow(theta, p - 2.0));
  }
}

static mk_status fill_system(interior *in) {
  mk_machine *machine = in->machine;
  mk_status status = MK_OK;
  size_t n = in->size, kernels = in->kernels;
  double *scaled = in->dt; /* free until the steps */
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double *out = in->system + k * n;
      const double *row = mk_gram_row(machine->gram, i, &status);
      if (row == NULL)
        return status;
      memset(out, 0, (k + 1) * sizeof(double));
      for (size_t l = in->from[t]; l <= k; l++)
        out[l] = row[in->position[l]];
      out[k] += in->below[k] / (svm->alpha[i] - svm->lower[i]) +
                in->above[k] / (svm->upper[i] - svm->alpha[i]);
      if (!in->moves_theta)
        continue;
      for (size_t m = 0; m < kernels; m++)
        scaled[m] = in->u[k * kernels + m] / in->d[m];
      for (size_t l = 0; l <= k; l++)
        out[l] += in->simd->dot(kernels, scaled, in->u + l * kernels);
    }
  }
  return MK_OK;
}

/* The factor, the borders G = [-U D^-1 v, task indicators] and A^-1 G. */
static mk_status factor(interior *in) {
  size_t n = in->size;
  double size = 0.0;
  MK_TRY(fill_system(in));
  for (size_t k = 0; k < n; k++)
    size = fmax(size, in->system[k * n + k]);
  memset(in->g, 0, n * in->borders * sizeof(double));
  for (size_t k = 0; in->moves_theta && k < n; k++)
    for (size_t m = 0; m < in->kernels; m++)
      in->g[k] -= in->u[k * in->kernels + m] * in->v[m] / in->d[m];
  for (size_t t = 0; t < in->tasks; t++)
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++)
      in->g[(t + 1) * n + k] = 1.0;
  MK_TRY(mk_cholesky(in->system, n, 1e-16 * size, in->machine->control->threads));
  memcpy(in->border, in->g, n * in->borders * sizeof(double));
  for (size_t j = 0; j < in->borders; j++) {
    mk_solve_lower(in->system, n, in->border + j * n, 1);
    mk_solve_upper(in->system, n, in->border + j * n, 1);
  }
  return MK_OK;
}

/* Gaussian elimination with pivoting; a zero pivot leaves its unknown at zero. */
static void solve_small(double *a, double *rhs, size_t n) {
  for (size_t c = 0; c < n; c++) {
    size_t best = c;
    for (size_t r = c + 1; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[best * n + c]))
        best = r;
    for (size_t k = 0; k < n && best != c; k++) {
      double swap = a[c * n + k];
      a[c * n + k] = a[best * n + k];
      a[best * n + k] = swap;
    }
    double swap = rhs[c];
    rhs[c] = rhs[best];
    rhs[best] = swap;
    if (a[c * n + c] == 0.0)
      continue;
    for (size_t r = c + 1; r < n; r++) {
      double factor = a[r * n + c] / a[c * n + c];
      for (size_t k = c; k < n; k++)
        a[r * n + k] -= factor * a[c * n + k];
      rhs[r] -= factor * rhs[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t k = c + 1; k < n; k++)
      rhs[c] -= a[c * n + k] * rhs[k];
    rhs[c] = a[c * n + c] == 0.0 ? 0.0 : rhs[c] / a[c * n + c];
  }
}

/* Right-hand sides for complementarity mu less the corrections; returns the
 * residual of the norm. r2 must hold s/2 - lambda v + x. */
static void right_hand_sides(interior *in, double mu) {
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double down = svm->alpha[i] - svm->lower[i], up = svm->upper[i] - svm->alpha[i];
      /* the multipliers of the residual and of the eliminated steps cancel */
      in->r1[k] = svm->gradient[i] - in->b[t] + (mu - in->ca[k]) / down - (mu - in->cb[k]) / up;
    }
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->r2[m] = 0.5 * in->machine->s[m] - in->lambda * in->v[m] +
                (mu - in->cx[m]) / in->machine->theta[m];
}

static double norm_residual(const interior *in) {
  double p = in->machine->problem->p, sum = 0.0;
  for (size_t m = 0; m < in->kernels; m++)
    sum += in->v[m] * in->machine->theta[m];
  return (sum - 1.0) / p;
}

/* The step for the right-hand sides at hand: da, dt, w = (d lambda, d b). */
static void solve_step(interior *in) {
  size_t n = in->size, borders = in->borders;
  double norm_rhs = 0.0, norm_square = 1.0; /* p = infinity: a dummy lambda */
  memcpy(in->da, in->r1, n * sizeof(double));
  if (in->moves_theta) {
    norm_square = 0.0;
    norm_rhs = -norm_residual(in);
    for (size_t m = 0; m < in->kernels; m++) {
      in->dt[m] = in->r2[m] / in->d[m];
      norm_rhs -= in->v[m] * in->dt[m];
      norm_square += in->v[m] * in->v[m] / in->d[m];
    }
    for (size_t k = 0; k < n; k++)
      in->da[k] -= in->simd->dot(in->kernels, in->u + k * in->kernels, in->dt);
  }
  mk_solve_lower(in->system, n, in->da, 1);
  mk_solve_upper(in->system, n, in->da, 1);
  for (size_t j = 0; j < borders; j++) {
    for (size_t l = 0; l < borders; l++)
      in->small[j * borders + l] = in->simd->dot(n, in->g + j * n, in->border + l * n);
    in->w[j] = in->simd->dot(n, in->g + j * n, in->da);
  }
  in->small[0] -= norm_square;
  in->w[0] += norm_rhs;
  for (size_t t = 0; t < in->tasks; t++)
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++)
      in->w[t + 1] += in->machine->svm[t].alpha[in->position[k]];
  solve_small(in->small, in->w, borders);
  for (size_t j = 0; j < borders; j++)
    in->simd->axpy(n, -in->w[j], in->border + j * n, in->da);
  if (!in->moves_theta)
    return;
  memset(in->dt, 0, in->kernels * sizeof(double));
  for (size_t k = 0; k < n; k++)
    in->simd->axpy(in->kernels, in->da[k], in->u + k * in->kernels, in->dt);
  for (size_t m = 0; m < in->kernels; m++)
    in->dt[m] = (in->dt[m] - in->v[m] * in->w[0] + in->r2[m]) / in->d[m];
}

/* Steps of the eliminated multipliers for complementarity mu. */
static void multiplier_steps(interior *in, double mu) {
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double down = svm->alpha[i] - svm->lower[i], up = svm->upper[i] - svm->alpha[i];
      in->dbelow[k] = (mu - in->ca[k] - in->below[k] * in->da[k]) / down - in->below[k];
      in->dabove[k] = (mu - in->cb[k] + in->above[k] * in->da[k]) / up - in->above[k];
    }
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->dx[m] = (mu - in->cx[m] - in->x[m] * in->dt[m]) / in->machine->theta[m] - in->x[m];
}

static double shorten(double step, double value, double change) {
  return change < 0.0 && value + step * change < 0.0 ? -value / change : step;
}

/* The longest common step that keeps everything non-negative. */
static double longest_step(const interior *in) {
  double step = 1.0;
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      step = shorten(step, svm->alpha[i] - svm->lower[i], in->da[k]);
      step = shorten(step, svm->upper[i] - svm->alpha[i], -in->da[k]);
      step = shorten(step, in->below[k], in->dbelow[k]);
      step = shorten(step, in->above[k], in->dabove[k]);
    }
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++) {
    step = shorten(step, in->machine->theta[m], in->dt[m]);
    step = shorten(step, in->x[m], in->dx[m]);
  }
  return step;
}

static void take_step(interior *in, double step) {
  for (size_t t = 0; t < in->tasks; t++)
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++)
      in->machine->svm[t].alpha[in->position[k]] += step * in->da[k];
  in->simd->axpy(in->size, step, in->dbelow, in->below);
  in->simd->axpy(in->size, step, in->dabove, in->above);
  in->simd->axpy(in->tasks, step, in->w + 1, in->b);
  if (!in->moves_theta)
    return;
  in->simd->axpy(in->kernels, step, in->dt, in->machine->theta);
  in->simd->axpy(in->kernels, step, in->dx, in->x);
  in->lambda += step * in->w[0];
}

/* Complementarity after a full affine step, and Mehrotra's corrections. */
static double predict_and_correct(interior *in) {
  double step = longest_step(in), before = complementarity(in);
  take_step(in, step);
  double after = complementarity(in);
  take_step(in, -step);
  for (size_t k = 0; k < in->size; k++) {
    in->ca[k] = in->da[k] * in->dbelow[k];
    in->cb[k] = -in->da[k] * in->dabove[k];
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    in->cx[m] = in->dt[m] * in->dx[m];
  double share = before > 0.0 ? after / before : 0.0;
  return before * fmin(1.0, fmax(1e-6, share * share * share));
}

static void clear_corrections(interior *in) {
  memset(in->ca, 0, in->size * sizeof(double));
  memset(in->cb, 0, in->size * sizeof(double));
  memset(in->cx, 0, in->kernels * sizeof(double));
}

/* What the residuals may still cost, beside the complementary products. */
static double residual_cost(const interior *in) {
  double cost = 0.0;
  for (size_t t = 0; t < in->tasks; t++) {
    const mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double residual = in->b[t] - svm->gradient[i] - in->below[k] + in->above[k];
      cost += fabs(residual) * fmin(svm->upper[i] - svm->lower[i], 10.0 * fabs(svm->alpha[i]));
    }
  }
  double worst = 0.0;
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    worst = fmax(worst, 0.5 * in->machine->s[m] - in->lambda * in->v[m] + in->x[m]);
  return cost + worst;
}

/* ---- end ---- */

/* Variables on whose bound the multiplier weighs more than the distance land on it. */
static void land(interior *in) {
  mk_machine *machine = in->machine;
  const double *diagonal = mk_gram_diagonal(machine->gram);
  for (size_t t = 0; t < in->tasks; t++) {
    mk_svm *svm = &machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      size_t i = (size_t)in->position[k];
      double down = svm->alpha[i] - svm->lower[i], up = svm->upper[i] - svm->alpha[i];
      if (down * diagonal[i] < in->below[k] && down < up)
        svm->alpha[i] = svm->lower[i];
      else if (up * diagonal[i] < in->above[k])
        svm->alpha[i] = svm->upper[i];
    }
    mk_svm_reset_bounds(svm);
    mk_svm_restore_sum(svm);
  }
  for (size_t m = 0; in->moves_theta && m < in->kernels; m++)
    if (machine->problem->p == 1.0 && machine->theta[m] * in->lambda < in->x[m])
      machine->theta[m] = 0.0;
  mk_lp_normalize(in->kernels, machine->problem->p, machine->theta);
}

static mk_status iterate(interior *in, double goal) {
  double pairs = 2.0 * (double)in->size + (double)in->kernels, last = INFINITY;
  int slow = 0;
  for (int k = 0; k < MAX_STEPS; k++) {
    MK_TRY(mk_check(in->machine->control));
    MK_TRY(evaluate(in));
    if (in->moves_theta)
      theta_curvature(in);
    double mu = complementarity(in), worth = pairs * mu + residual_cost(in);
    if (worth <= ENOUGH * goal * fabs(in->machine->upper))
      return MK_OK;
    slow = worth < 0.9 * last ? 0 : slow + 1;
    last = fmin(last, worth);
    if (slow > 6)
      return MK_OK;
    mk_status status = factor(in);
    if (status != MK_OK)
      return status == MK_STALLED ? MK_OK : status;
    clear_corrections(in);
    right_hand_sides(in, 0.0);
    solve_step(in);
    multiplier_steps(in, 0.0);
    double target = predict_and_correct(in);
    right_hand_sides(in, target);
    solve_step(in);
    multiplier_steps(in, target);
    double step = longest_step(in);
    if (!isfinite(step) || !isfinite(in->w[0]) || !isfinite(in->da[0]))
      return MK_OK;
    take_step(in, TO_BOUNDARY * step);
  }
  return MK_OK;
}

static mk_status settle(mk_machine *machine) {
  mk_alphas alphas = {machine->problem->tasks, machine->alpha};
  MK_TRY(mk_machine_refresh(machine));
  MK_TRY(mk_gram_forms(machine->gram, &alphas, machine->s));
  mk_machine_measure(machine);
  machine->iterations += 1.0;
  return MK_OK;
}

static void keep_alpha(interior *in, int restore) {
  for (size_t t = 0; t < in->tasks; t++) {
    mk_svm *svm = &in->machine->svm[t];
    for (size_t k = in->from[t]; k < in->from[t + 1]; k++) {
      double *alpha = &svm->alpha[in->position[k]];
      if (restore)
        *alpha = in->da[k];
      else
        in->da[k] = *alpha;
    }
    if (restore) {
      mk_svm_reset_bounds(svm);
      mk_svm_restore_sum(svm);
    }
  }
}

/* Lands on the bounds, or takes back as much of that as the goal demands:
 * alpha's landing, then theta's. The SVMs are not solved again: where alpha is
 * not unique only this one suits theta. */
static mk_status finish(interior *in, double goal) {
  mk_machine *machine = in->machine;
  keep_alpha(in, 0);
  memcpy(in->dt, machine->theta, in->kernels * sizeof(double));
  land(in);
  for (int attempt = 0; attempt < 3; attempt++) {
    if (attempt > 0)
      keep_alpha(in, 1);
    if (attempt > 1) {
      memcpy(machine->theta, in->dt, in->kernels * sizeof(double));
      mk_lp_normalize(in->kernels, machine->problem->p, machine->theta);
    }
    MK_TRY(settle(machine));
    if (mk_machine_gap(machine) <= goal * fabs(machine->upper))
      return MK_OK;
  }
  return MK_OK;
}

mk_status mk_interior(mk_machine *machine, double goal) {
  interior in;
  mk_status status = interior_new(&in, machine);
  if (status == MK_OK) {
    start(&in);
    status = iterate(&in, goal);
    if (status == MK_OK)
      status = finish(&in, goal);
    else
      land(&in); /* out of time or interrupted: a feasible point all the same */
  }
  interior_free(&in);
  return status;
}
