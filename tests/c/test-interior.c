/* The interior point method alone: from a rough fit to the wanted gap, for every kind of loss and
 * norm, by rows and by columns, in few steps. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "optimizer/fit-state.h"
#include "optimizer/interior.h"
#include "optimizer/interleaved.h"
#include "theta/norm.h"

#define MOST 600
#define FEW 50
#define KERNELS 6 /* and features */
#define TASKS 2
#define MOST_LOOKS 200 /* at the limits, some a step; 80 steps are allowed, 15 usual ... */
#define FEW_LOOKS 43   /* ... and 9 by columns at fixed weights */

static const double norms[] = {1.0, 4.0 / 3.0, 2.0, INFINITY};
#define NORMS (sizeof norms / sizeof *norms)

typedef struct setting {
  double x[MOST * KERNELS], y[MOST * TASKS], cost[MOST * TASKS], shape[3 * MOST * TASKS];
  int feature[KERNELS];
  mk_kernel_set *set;
  mk_problem problem;
  mk_control control;
  mk_solution solution;
  mk_fit_state fit;
  int looks;
} setting;

static int look(void *data) {
  ++*(int *)data;
  return 0;
}

/* Gaussians of all features, or linear kernels of one each. */
static setting *setting_new(size_t n, int linear, mk_loss loss, mk_norm norm, size_t tasks,
                            double cost) {
  setting *s = MK_NEW0(setting, 1);
  mk_kernel_spec spec[KERNELS] = {{.type = MK_GAUSSIAN}};
  data_fill(n * KERNELS, s->x);
  for (int m = 0; m < KERNELS; m++) {
    s->feature[m] = m;
    spec[m].type = linear ? MK_LINEAR : MK_GAUSSIAN;
    spec[m].width = 0.1 * pow(3.0, m);
    spec[m].features = linear ? &s->feature[m] : NULL;
    spec[m].feature_count = linear ? 1 : 0;
  }
  for (size_t i = 0; i < n * tasks; i++) {
    double score = s->x[i % n] - 0.5 * s->x[n + i % n] + 0.7 * data_next();
    int classes = loss.type == MK_LOSS_HINGE || loss.type == MK_LOSS_SQUARED_HINGE ||
                  loss.type == MK_LOSS_LOGISTIC;
    s->y[i] = !classes ? score : score > 0.0 ? 1.0 : -1.0;
    s->cost[i] = cost;
  }
  const mk_view view = {.rows = n, .cols = KERNELS, .x = s->x};
  CHECK(mk_set_new(&s->set, n, &view, 1, spec, KERNELS, NULL) == MK_OK);
  s->control = (mk_control){.tol = 1e-9,
                            .max_time = INFINITY,
                            .max_iter = INFINITY,
                            .cache = MK_DEFAULT_CACHE,
                            .poll = look,
                            .data = &s->looks,
                            .start = mk_seconds()};
  s->problem = (mk_problem){.set = s->set,
                            .n = n,
                            .tasks = tasks,
                            .norm = norm,
                            .loss = loss,
                            .linear = s->y,
                            .cost = s->cost};
  mk_problem_shape(&s->problem, s->shape);
  CHECK(mk_solution_new(&s->solution, &s->problem) == MK_OK);
  CHECK(mk_fit_new(&s->fit, &s->problem, &s->control, &s->solution) == MK_OK);
  CHECK(mk_fit_begin(&s->fit, &(mk_start){.theta = NULL}) == MK_OK);
  return s;
}

static void setting_free(setting *s) {
  mk_fit_clear(&s->fit);
  mk_solution_clear(&s->solution);
  mk_set_free(s->set);
  mk_free(s);
}

/* From SVMs that are solved roughly, at equal weights. */
static void check(size_t n, int linear, mk_loss loss, mk_norm norm, size_t tasks, double cost,
                  double goal) {
  setting *s = setting_new(n, linear, loss, norm, tasks, cost);
  CHECK((mk_gram_thin(s->fit.gram) != NULL) == linear);
  CHECK(mk_fit_solve(&s->fit, 1e-2 * s->fit.upper) == MK_OK);
  s->looks = 0;
  CHECK(mk_interior(&s->fit, goal) == MK_OK);
  CHECK(mk_fit_gap(&s->fit) <= goal * fabs(s->fit.upper));
  CHECK(s->looks <= (linear && isinf(norm.p) ? FEW_LOOKS : MOST_LOOKS));
  setting_free(s);
}

static void test_every_loss_and_norm_by_rows(void) {
  static const mk_loss losses[] = {{.type = MK_LOSS_HINGE},
                                   {.type = MK_LOSS_SQUARED_HINGE},
                                   {.type = MK_LOSS_LOGISTIC},
                                   {.type = MK_LOSS_SQUARED},
                                   {.type = MK_LOSS_EPSILON, .parameter = 0.1},
                                   {.type = MK_LOSS_HUBER, .parameter = 0.3},
                                   {.type = MK_LOSS_HINGE, .no_offset = 1},
                                   {.type = MK_LOSS_EPSILON, .parameter = 0.1, .no_offset = 1}};
  double *memory = MK_NEW(double, mk_norm_memory(MK_NORM_ELASTIC, KERNELS));
  mk_norm elastic;
  CHECK(mk_norm_make(&elastic, MK_NORM_ELASTIC, KERNELS, 0.3, NULL, memory) == MK_OK);
  for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
    for (size_t tasks = 1; tasks <= TASKS; tasks++) {
      for (size_t k = 0; k < NORMS; k++)
        check(FEW, 0, losses[l], mk_lp(norms[k]), tasks, 10.0, 1e-8);
      check(FEW, 0, losses[l], elastic, tasks, 10.0, 1e-8);
    }
  mk_free(memory);
}

/* Linear kernels of many samples, whose systems go by their columns. */
static void test_columns(void) {
  static const mk_loss losses[] = {{.type = MK_LOSS_HINGE},
                                   {.type = MK_LOSS_EPSILON, .parameter = 0.1},
                                   {.type = MK_LOSS_HINGE, .no_offset = 1},
                                   {.type = MK_LOSS_EPSILON, .parameter = 0.1, .no_offset = 1}};
  for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
    for (size_t k = 0; k < NORMS; k++)
      for (size_t tasks = 1; tasks <= TASKS; tasks++)
        check(MOST, 1, losses[l], mk_lp(norms[k]), tasks, 10.0, norms[k] == 1.0 ? 1e-5 : 1e-8);
}

/* With losses whose psi bends steps from this far may lead nowhere. Then the best pair so far comes
 * back, and a fit goes on from there. */
static void test_smooth_losses_by_columns_fall_back(void) {
  static const mk_loss losses[] = {{.type = MK_LOSS_SQUARED_HINGE},
                                   {.type = MK_LOSS_LOGISTIC},
                                   {.type = MK_LOSS_SQUARED},
                                   {.type = MK_LOSS_HUBER, .parameter = 0.3}};
  int led_nowhere = 0;
  for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
    for (size_t k = 0; k < NORMS; k++) {
      setting *s = setting_new(MOST, 1, losses[l], mk_lp(norms[k]), 1 + k % TASKS, 10.0);
      mk_solution solution;
      CHECK(mk_fit_solve(&s->fit, 1e-2 * s->fit.upper) == MK_OK);
      mk_fit_keep(&s->fit);
      double before = mk_fit_gap(&s->fit) / s->fit.upper;
      CHECK(mk_interior(&s->fit, 1e-8) == MK_OK);
      double gap = mk_fit_gap(&s->fit) / s->fit.upper;
      CHECK(gap <= fmax(1.001 * before, 1e-8));
      led_nowhere += gap > 1e-3;
      s->control.tol = 1e-6;
      CHECK(mk_solution_new(&solution, &s->problem) == MK_OK);
      CHECK(mk_interleaved(&s->problem, &s->control, &(mk_start){.theta = NULL}, &solution) ==
            MK_OK);
      CHECK(solution.gap <= 1e-6);
      mk_solution_clear(&solution);
      setting_free(s);
    }
  CHECK(led_nowhere > 0);
}

/* Variables near a bound land on it, unless that costs more than the goal allows. */
static void test_landing_costs_no_more_than_asked(void) {
  for (double goal = 1e-2; goal > 1e-10; goal *= 0.1)
    for (int k = 0; k < 8; k++)
      check(FEW, 0, (mk_loss){.type = MK_LOSS_HINGE}, mk_lp(1.0), 1 + k % 2, 1e3, goal);
}

int main(void) {
  RUN(test_every_loss_and_norm_by_rows);
  RUN(test_columns);
  RUN(test_smooth_losses_by_columns_fall_back);
  RUN(test_landing_costs_no_more_than_asked);
  return REPORT();
}
