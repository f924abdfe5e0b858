/* Losses: each function against the definitions of MATHEMATICS.md, section 1, and the dual of every
 * loss over an explicit matrix, its gap taken from K itself. */
#include "base/memory.h"
#include "check.h"
#include "matrix.h"
#include "certificate/losses.h"
#include "svm/loss.h"
#include "svm/proximal.h"
#include "svm/smo.h"
#include "svm/solve.h"
#include "svm/state.h"

/* Huber's loss by its pieces: a loss of MK_LOSS_PIECES that has a definition here. Its only table
 * is that of a target above all others. */
static const double top = 1e9, knots[] = {-0.4, 0.0, 0.4}, areas[] = {0.08, 0.0, 0.08};
static const int start[] = {0, 3}, closed[] = {0, 0};
static const mk_pieces huber = {1, &top, start, knots, knots, areas, closed};

static const mk_loss all[] = {
    {MK_LOSS_HINGE, 0.0, 0, NULL},    {MK_LOSS_SQUARED_HINGE, 0.0, 0, NULL},
    {MK_LOSS_LOGISTIC, 0.0, 0, NULL}, {MK_LOSS_SQUARED, 0.0, 0, NULL},
    {MK_LOSS_EPSILON, 0.3, 0, NULL},  {MK_LOSS_EPSILON, 0.0, 0, NULL},
    {MK_LOSS_EPSILON, 0.2, 0, NULL},  {MK_LOSS_HUBER, 0.4, 0, NULL},
    {MK_LOSS_PIECES, 0.4, 0, &huber}, {MK_LOSS_ONE_CLASS, 0.0, 1, NULL}};
#define LOSSES (sizeof all / sizeof *all)

static int is_regression(const mk_loss *loss) {
  return loss->type == MK_LOSS_SQUARED || loss->type == MK_LOSS_EPSILON ||
         loss->type == MK_LOSS_HUBER || loss->type == MK_LOSS_PIECES;
}

/* What sample i costs where f is above its target, if it costs c below: quantile losses and
 * censored ones are these. One of the epsilon-insensitive losses has sides alike. */
static double cost_above(const mk_loss *loss, size_t i, double c) {
  if (loss->type != MK_LOSS_EPSILON || loss->parameter == 0.3) return c;
  return i % 4 == 1 ? 0.0 : i % 4 == 2 ? 0.3 * c : c;
}

static double some_target(const mk_loss *loss) {
  double y = data_next();
  if (is_regression(loss)) return 2.0 * y;
  return loss->type == MK_LOSS_ONE_CLASS || y > 0.2 ? 1.0 : -1.0;
}

/* ---- functions ---- */

/* V(f, y) as the papers print it */
static double plain_loss(const mk_loss *loss, double y, double f) {
  double r = fabs(y - f), e = loss->parameter;
  switch (loss->type) {
  case MK_LOSS_HINGE:
  case MK_LOSS_ONE_CLASS:
    return fmax(0.0, 1.0 - y * f);
  case MK_LOSS_SQUARED_HINGE:
    return 0.5 * pow(fmax(0.0, 1.0 - y * f), 2.0);
  case MK_LOSS_LOGISTIC:
    return log(1.0 + exp(-y * f));
  case MK_LOSS_SQUARED:
    return 0.5 * r * r;
  case MK_LOSS_EPSILON:
    return fmax(0.0, r - e);
  default:
    return r <= e ? 0.5 * r * r : e * r - 0.5 * e * e;
  }
}

typedef struct sample {
  mk_terms terms;
  double y, c, lower, upper, ridge, far;
} sample;

static void make_sample(const mk_loss *loss, sample *s) {
  s->y = some_target(loss);
  s->c = 0.2 + 2.0 * fabs(data_next());
  mk_loss_shape(loss, s->y, s->c, &s->lower, &s->upper, &s->ridge);
  s->terms = (mk_terms){*loss, 1, &s->y, &s->lower, &s->upper, &s->ridge};
  s->far = fmin(20.0, fmax(s->upper, -s->lower));
}

static double inside(const sample *s, double share) {
  double low = fmax(s->lower, -s->far), high = fmin(s->upper, s->far);
  return low + share * (high - low);
}

static void check_values(const sample *s, double f) {
  const mk_loss *loss = &s->terms.loss;
  double plain = s->c * plain_loss(loss, s->y, f), t = s->y - f, best = -INFINITY;
  CHECK_NEAR(mk_loss_value(&s->terms, 0, t), plain, 1e-12 * (1.0 + plain));
  CHECK_NEAR(mk_loss_at(loss, s->y, s->c, f), plain, 1e-12 * (1.0 + plain));
  for (int k = 0; k <= 2000; k++) {
    double a = inside(s, k / 2000.0), own = t * a - mk_loss_penalty(&s->terms, 0, a);
    double gain = mk_gain_at(loss, s->y, s->c, a);
    best = fmax(best, own);
    if (k % 100 > 0) continue;
    CHECK_NEAR(s->y * a - mk_loss_penalty(&s->terms, 0, a), gain, 1e-11 * (1.0 + fabs(gain)));
    CHECK_NEAR(mk_loss_excess(&s->terms, 0, t, a), plain - own, 1e-11 * (1.0 + plain));
  }
  CHECK(best <= plain + 1e-9 && best >= plain - 1e-3 * (1.0 + s->far));
}

static void check_slopes(const sample *s, double a) {
  double right, left, h = 1e-6 * (1.0 + fabs(a)), here = mk_loss_penalty(&s->terms, 0, a);
  mk_loss_slopes(&s->terms, 0, a, &right, &left);
  CHECK(left <= right);
  if (a + h < s->upper)
    CHECK_NEAR(right, (mk_loss_penalty(&s->terms, 0, a + h) - here) / h, 1e-4 * (1 + fabs(right)));
  if (a - h > s->lower)
    CHECK_NEAR(left, (here - mk_loss_penalty(&s->terms, 0, a - h)) / h, 1e-4 * (1 + fabs(left)));
}

/* The answer beats its neighbours; its rate is what differences say. */
static void check_answer(const sample *s, double t, double delta, double centre) {
  double rate, next, a = mk_loss_answer(&s->terms, 0, t, delta, centre, &rate), h = 1e-6;
  if (mk_loss_is_smooth(&s->terms.loss)) delta = delta > 0.0 ? delta : 0.0;
  int entropy = s->terms.loss.type == MK_LOSS_LOGISTIC;
  double own = entropy ? 0.0 : 0.5 * delta;
  double value = t * a - mk_loss_penalty(&s->terms, 0, a) - own * pow(a - centre, 2.0);
  CHECK(a >= s->lower && a <= s->upper);
  for (int k = 0; k < 2; k++) {
    double b = fmin(fmax(a + (k ? 1e-3 : -1e-3), s->lower), s->upper);
    double other = t * b - mk_loss_penalty(&s->terms, 0, b) - own * pow(b - centre, 2.0);
    CHECK(other <= value + 1e-12 * (1.0 + fabs(value)));
  }
  double above = (mk_loss_answer(&s->terms, 0, t + h, delta, centre, &next) - a) / h;
  double below = (a - mk_loss_answer(&s->terms, 0, t - h, delta, centre, &next)) / h;
  if (fabs(above - below) < 1e-3 * (1.0 + above)) CHECK_NEAR(rate, above, 1e-3 * (1.0 + above));
}

static void test_functions_are_what_the_papers_say(void) {
  sample s;
  for (size_t l = 0; l < LOSSES; l++)
    for (int round = 0; round < 20; round++) {
      make_sample(&all[l], &s);
      check_values(&s, 2.5 * data_next());
      check_slopes(&s, inside(&s, 0.5 + 0.49 * data_next()));
      if (all[l].type != MK_LOSS_LOGISTIC) check_slopes(&s, 0.0); /* infinite there */
      check_answer(&s, 3.0 * data_next(), 0.5, inside(&s, 0.3));
      if (mk_loss_is_smooth(&all[l])) check_answer(&s, 3.0 * data_next(), 0.0, 0.0);
    }
}

/* psi'' against second differences; where u is 0 or 1 that of the entropy ends, it is not negative.
 */
static void test_curvatures_are_second_derivatives(void) {
  sample s;
  for (size_t l = 0; l < LOSSES; l++)
    for (int round = 0; round < 20; round++) {
      make_sample(&all[l], &s);
      double a = inside(&s, 0.5 + 0.35 * data_next()), h = 1e-4 * s.c;
      if (fabs(a) < 2.0 * h) continue; /* a kink may be there */
      double second = (mk_loss_penalty(&s.terms, 0, a + h) - 2.0 * mk_loss_penalty(&s.terms, 0, a) +
                       mk_loss_penalty(&s.terms, 0, a - h)) /
                      (h * h);
      CHECK_NEAR(mk_loss_curvature(&s.terms, 0, a), second, 1e-4 * (1.0 + second));
      CHECK(mk_loss_curvature(&s.terms, 0, inside(&s, 0.0)) >= 0.0);
      CHECK(mk_loss_curvature(&s.terms, 0, inside(&s, 1.0)) >= 0.0);
    }
}

static void test_targets_that_losses_allow(void) {
  for (size_t l = 0; l < LOSSES; l++) {
    int regression = is_regression(&all[l]), one = all[l].type == MK_LOSS_ONE_CLASS;
    CHECK(mk_loss_allows(&all[l], 1.0));
    CHECK(mk_loss_allows(&all[l], -1.0) == !one);
    CHECK(mk_loss_allows(&all[l], 0.5) == regression);
    CHECK(mk_loss_allows(&all[l], -2.0) == regression);
    CHECK(!mk_loss_allows(&all[l], NAN) && !mk_loss_allows(&all[l], INFINITY));
  }
}

/* What a gain is made of: y alpha, what is taken off it, and for the entropy 4 c where it is not 0.
 */
static void test_sizes_of_gains_by_hand(void) {
  mk_loss hinge = {MK_LOSS_HINGE, 0.0, 0, NULL}, logistic = {MK_LOSS_LOGISTIC, 0.0, 0, NULL};
  mk_loss squared = {MK_LOSS_SQUARED, 0.0, 0, NULL};
  CHECK(mk_gain_size(&hinge, -1.0, 2.0, -0.5) == 0.5);
  CHECK(mk_gain_size(&hinge, 1.0, 2.0, 0.0) == 0.0);
  CHECK(mk_gain_size(&squared, 3.0, 2.0, -1.0) == 3.25);
  CHECK(mk_gain_size(&logistic, 1.0, 2.0, 0.0) == 0.0);
  /* u = 1/2: gain 2 log 2, along 1 */
  CHECK_NEAR(mk_gain_size(&logistic, 1.0, 2.0, 1.0), 1.0 + (2.0 * log(2.0) - 1.0) + 8.0, 1e-14);
}

/* Logistic loss of one class has no best offset: any that leaves next to nothing will do. */
static void test_offsets_of_one_class_cost_next_to_nothing(void) {
  for (int k = 0; k < 2; k++) {
    double sign = k ? -1.0 : 1.0, y[3], c[3] = {1.0, 2.0, 1.0}, f[3] = {0.0, 0.5, -0.25};
    for (int i = 0; i < 3; i++) y[i] = sign;
    mk_problem problem = {
        .n = 3, .tasks = 1, .linear = y, .cost = c, .loss = {MK_LOSS_LOGISTIC, 0.0, 0, NULL}};
    double b = mk_primal_offset(&problem, 0, f), loss = 0.0;
    for (int i = 0; i < 3; i++) loss += mk_loss_at(&problem.loss, y[i], c[i], f[i] + b);
    CHECK(sign * b > 0.0 && isfinite(b));
    CHECK(loss < 1e-11);
  }
}

static void test_extremes_are_finite(void) {
  sample s;
  for (size_t l = 0; l < LOSSES; l++)
    for (int k = 0; k < 6; k++) {
      double rate, t = (k % 2 ? 1.0 : -1.0) * pow(10.0, 1 + k);
      make_sample(&all[l], &s);
      double end = fmin(s.far, s.upper > 0.0 ? s.upper : -s.lower) * (s.upper > 0.0 ? 1.0 : -1.0);
      CHECK(isfinite(mk_loss_value(&s.terms, 0, t)));
      CHECK(mk_loss_excess(&s.terms, 0, t, end) >= -1e-14 * fabs(t * end));
      CHECK(mk_loss_excess(&s.terms, 0, t, 0.0) >= 0.0);
      CHECK(isfinite(mk_loss_excess(&s.terms, 0, t, end)));
      CHECK(isfinite(mk_loss_answer(&s.terms, 0, t, 1e-3, 0.0, &rate)) && rate >= 0.0);
      CHECK(isfinite(mk_loss_at(&all[l], s.y, s.c, t)));
    }
}

static void test_infeasible_alphas_are_worth_nothing(void) {
  for (size_t l = 0; l < LOSSES; l++) {
    double most = all[l].type == MK_LOSS_HUBER || all[l].type == MK_LOSS_PIECES
                      ? 2.0 * all[l].parameter
                      : 2.0;
    int bounded = all[l].type != MK_LOSS_SQUARED && all[l].type != MK_LOSS_SQUARED_HINGE;
    CHECK((mk_gain_at(&all[l], 1.0, 2.0, 1.001 * most) == -INFINITY) == bounded);
    CHECK((mk_gain_at(&all[l], 1.0, 2.0, -0.1) == -INFINITY) == !is_regression(&all[l]));
    CHECK(mk_gain_at(&all[l], 1.0, 0.0, 0.1) == -INFINITY);
    CHECK(mk_gain_at(&all[l], 1.0, 0.0, 0.0) == 0.0);
  }
}

static double problem_loss(const mk_problem *problem, int i, double f) {
  double y = problem->linear[i];
  return mk_loss_at(&problem->loss, y, mk_problem_cost(problem, 0, (size_t)i, f > y), f);
}

/* The two searches for the offset against a fine grid. */
static void test_offsets_are_best(void) {
  enum { N = 25 };
  double y[N], c[N], above[N], lower[N], upper[N], ridge[N], f[N], g[N], b;
  int order[N];
  for (size_t l = 0; l + 1 < LOSSES; l++)
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < N; i++) {
        y[i] = some_target(&all[l]);
        if (i < 2 && !is_regression(&all[l])) y[i] = i ? 1.0 : -1.0;
        c[i] = i == 5 ? 0.0 : 0.1 + fabs(data_next());
        f[i] = floor(3.0 * data_next()) / 2.0;
        g[i] = y[i] - f[i];
        mk_loss_shape(&all[l], y[i], c[i], lower + i, upper + i, ridge + i);
        above[i] = cost_above(&all[l], (size_t)i, c[i]);
        if (is_regression(&all[l]) && lower[i] > -INFINITY)
          lower[i] *= c[i] > 0.0 ? above[i] / c[i] : 1.0;
      }
      mk_terms terms = {all[l], N, y, lower, upper, ridge};
      mk_problem problem = {.n = N, .tasks = 1, .linear = y, .cost = c, .loss = all[l]};
      if (all[l].type == MK_LOSS_EPSILON) problem.cost_above = above;
      problem.lower = lower;
      problem.upper = upper;
      double found = mk_loss_total(&terms, g, order, &b), least = INFINITY;
      double other = mk_primal_offset(&problem, 0, f), at_other = 0.0;
      for (int i = 0; i < N; i++) at_other += problem_loss(&problem, i, f[i] + other);
      for (int k = -500; k <= 500; k++) {
        double sum = 0.0;
        for (int i = 0; i < N; i++) sum += problem_loss(&problem, i, f[i] + k / 100.0);
        least = fmin(least, sum);
      }
      CHECK(found <= least + 1e-10);
      CHECK(at_other <= least + 1e-10);
      CHECK_NEAR(found, at_other, 1e-9 * (1.0 + found));
    }
}

/* ---- duals ---- */

static mk_row matrix_row(void *data, size_t i, mk_status *status) {
  const matrix *a = data;
  *status = MK_OK;
  return (mk_row){a->k + i * a->padded, 0};
}

enum way { SOLVE, PROXIMAL, GRADUAL, WAYS };

static mk_status solve(mk_svm *svm, matrix *a, const mk_loss *loss, double c, double target,
                       enum way way) {
  CHECK(mk_svm_init(svm, a->n, loss) == MK_OK);
  svm->n = a->n;
  double *diagonal = MK_NEW0(double, a->padded);
  for (size_t i = 0; i < a->n; i++) {
    double own = i % 10 == 9 ? 0.0 : i % 3 ? c : 2.0 * c;
    diagonal[i] = a->k[i * a->padded + i];
    svm->linear[i] = svm->gradient[i] = some_target(loss);
    mk_loss_shape(loss, svm->linear[i], own, svm->lower + i, svm->upper + i, svm->ridge + i);
    if (loss->type == MK_LOSS_EPSILON) svm->lower[i] = -cost_above(loss, i, own);
  }
  mk_svm_reset_bounds(svm);
  mk_buffer system = {.at = NULL};
  mk_control control = {
      .tol = 1e-3, .max_time = INFINITY, .max_iter = INFINITY, .start = mk_seconds()};
  mk_svm_rows rows = {matrix_row, a, 0, 1e-14};
  mk_svm_task task = {svm, rows, diagonal, &control, &system, NULL};
  mk_status status;
  if (way == SOLVE) {
    status = mk_svm_solve(&task, target);
  } else {
    mk_svm_measure(svm);
    status = mk_svm_proximal(&task, 2.0, target, way == GRADUAL ? 3 : a->n);
  }
  mk_buffer_free(&system);
  mk_free(diagonal);
  return status;
}

static double own_cost(const mk_loss *loss, size_t i, double c, int above) {
  double own = i % 10 == 9 ? 0.0 : i % 3 ? c : 2.0 * c;
  return above ? cost_above(loss, i, own) : own;
}

static void check_gap(const mk_svm *svm, const matrix *a, double c, double target) {
  double upper = 0.0, lower = 0.0, square = 0.0, sum = 0.0, worst = 0.0, size = 0.0;
  for (size_t i = 0; i < a->n; i++) {
    double f = 0.0;
    for (size_t j = 0; j < a->n; j++) f += a->k[i * a->padded + j] * svm->alpha[j];
    double at = f + svm->offset, y = svm->linear[i], a_i = svm->alpha[i];
    upper += mk_loss_at(&svm->kind, y, own_cost(&svm->kind, i, c, at > y), at);
    lower += mk_gain_at(&svm->kind, y, own_cost(&svm->kind, i, c, a_i < 0.0), a_i);
    square += svm->alpha[i] * f;
    sum += svm->alpha[i];
    size += fabs(svm->alpha[i]);
    worst = worse(worst, fabs(svm->gradient[i] - (svm->linear[i] - f)));
  }
  CHECK(upper + square - lower <= target + 1e-9 * (1.0 + fabs(upper)));
  CHECK(upper + square - lower >= -1e-9 * (1.0 + fabs(upper)));
  CHECK_NEAR(worst, 0.0, 1e-10 * (1.0 + size));
  if (!svm->kind.no_offset) CHECK_NEAR(sum, 0.0, 1e-10 * (1.0 + size));
  if (svm->kind.no_offset) CHECK(svm->offset == 0.0);
}

static void test_duals_are_solved(void) {
  const double costs[] = {0.1, 1.0, 100.0}, widths[] = {0.01, 0.5, 50.0};
  for (size_t l = 0; l < 2 * LOSSES; l++)
    for (int k = 0; k < 9; k++)
      for (int way = 0; way < WAYS; way++) {
        mk_loss loss = all[l % LOSSES];
        size_t n = 40 + 7 * (size_t)k;
        loss.no_offset |= l >= LOSSES;
        if (way == GRADUAL && !mk_loss_is_dense(&loss)) continue;
        double c = costs[k % 3], target = 1e-6 * c * (double)n;
        matrix a = gaussian_matrix(n, widths[k / 3]);
        mk_svm svm;
        mk_status status = solve(&svm, &a, &loss, c, target, (enum way)way);
        CHECK(status == MK_OK);
        if (status != MK_OK)
          printf("    loss %d, offset %d, C %g, width %g, way %d: gap %g of %g\n", (int)loss.type,
                 !loss.no_offset, c, widths[k / 3], way, svm.gap, target);
        check_gap(&svm, &a, c, status == MK_OK ? target : svm.gap);
        mk_svm_clear(&svm);
        mk_free(a.k);
      }
}

/* Squared loss: alpha = (K + I/C)^-1 (y - b), one system. */
static void test_squared_loss_by_hand(void) {
  matrix a = {2, mk_padded(2), NULL, -1};
  mk_loss loss = {MK_LOSS_SQUARED, 0.0, 1, NULL};
  mk_svm svm;
  a.k = MK_NEW0(double, 2 * a.padded);
  a.k[0] = a.k[a.padded + 1] = 2.0;
  a.k[1] = a.k[a.padded] = 1.0;
  CHECK(solve(&svm, &a, &loss, 1.0, 1e-14, SOLVE) == MK_OK);
  /* costs 2 and 1: K + I/c = (2.5 1; 1 3) */
  double u = svm.linear[0], v = svm.linear[1];
  CHECK_NEAR(svm.alpha[0], (3.0 * u - v) / 6.5, 1e-13);
  CHECK_NEAR(svm.alpha[1], (2.5 * v - u) / 6.5, 1e-13);
  mk_svm_clear(&svm);
  mk_free(a.k);
}

#define NARROW ((size_t)100)

/* One whose rows are floats, and where it begins. */
typedef struct narrow {
  matrix a;
  float *row;
  double *diagonal;
  mk_svm svm;
  mk_control control;
} narrow;

static mk_row narrow_row(void *data, size_t i, mk_status *status) {
  const narrow *own = data;
  *status = MK_OK;
  return (mk_row){own->row + i * own->a.padded, 1};
}

static mk_svm_task narrow_begin(narrow *own, const mk_loss *loss, double y, double c) {
  size_t n = NARROW;
  mk_svm *svm = &own->svm;
  own->control = (mk_control){.max_time = INFINITY, .max_iter = INFINITY, .start = mk_seconds()};
  own->a = gaussian_matrix(n, 0.5);
  own->row = MK_NEW(float, n * own->a.padded);
  own->diagonal = MK_NEW0(double, own->a.padded);
  for (size_t k = 0; k < n * own->a.padded; k++) own->row[k] = (float)own->a.k[k];
  CHECK(mk_svm_init(svm, n, loss) == MK_OK);
  svm->n = n;
  for (size_t i = 0; i < n; i++) {
    own->diagonal[i] = 1.0;
    svm->linear[i] = svm->gradient[i] = y + some_target(loss);
    mk_loss_shape(loss, svm->linear[i], c, svm->lower + i, svm->upper + i, svm->ridge + i);
  }
  mk_svm_reset_bounds(svm);
  mk_svm_measure(svm);
  return (mk_svm_task){svm, {narrow_row, own, 1, 1e-7}, own->diagonal, &own->control, NULL, NULL};
}

static void narrow_clear(narrow *own) {
  mk_svm_clear(&own->svm);
  mk_free(own->diagonal);
  mk_free(own->row);
  mk_free(own->a.k);
}

/* Floats near 1e7 are whole numbers: what is left to do has to be seen from nearby. */
static void test_rows_of_floats_serve_targets_far_from_zero(void) {
  narrow own;
  double violation;
  mk_svm_task task = narrow_begin(&own, &(mk_loss){MK_LOSS_EPSILON, 0.1, 0, NULL}, 1e7, 1.0);
  for (double epsilon = 0.1; epsilon > 1e-5; epsilon *= 0.1) {
    CHECK(mk_smo_run(&task, epsilon, 1e5, &violation) == MK_OK);
    CHECK(violation <= epsilon);
    mk_svm_measure(&own.svm);
  }
  narrow_clear(&own);
}

static void test_ridges_beyond_floats_leave_gradients_finite(void) {
  narrow own;
  double violation;
  mk_svm_task task =
      narrow_begin(&own, &(mk_loss){MK_LOSS_SQUARED_HINGE, 0.0, 0, NULL}, 0.0, 1e-41);
  CHECK(mk_smo_run(&task, 1e-3, 1e3, &violation) == MK_OK);
  CHECK(isfinite(violation));
  for (size_t i = 0; i < NARROW; i++) CHECK(isfinite(own.svm.gradient[i]));
  narrow_clear(&own);
}

int main(void) {
  RUN(test_functions_are_what_the_papers_say);
  RUN(test_curvatures_are_second_derivatives);
  RUN(test_targets_that_losses_allow);
  RUN(test_sizes_of_gains_by_hand);
  RUN(test_offsets_of_one_class_cost_next_to_nothing);
  RUN(test_extremes_are_finite);
  RUN(test_infeasible_alphas_are_worth_nothing);
  RUN(test_offsets_are_best);
  RUN(test_duals_are_solved);
  RUN(test_squared_loss_by_hand);
  RUN(test_rows_of_floats_serve_targets_far_from_zero);
  RUN(test_ridges_beyond_floats_leave_gradients_finite);
  return REPORT();
}
