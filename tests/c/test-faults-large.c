/* Fits of more rows than the first working set has, or of thousands of columns, with failing
 * allocations, interrupts and time limits at some places: working sets that grow, rows of floats,
 * thin matrices, column generation. */
#include "fault-world.h"

#include "optimizer/optimizers.h"

#define ROWS 1100
#define COLS 6
#define MANY 2200

typedef struct large_case {
  size_t n, kernels;
  mk_kernel_type type;
  double p;
  size_t cache;
  int single;
  mk_loss_type loss;
} large_case;

static double *x, y[ROWS], cost[ROWS];

static mk_status large_trial(void *data, uint64_t *bits) {
  const large_case *l = data;
  static int feature[MANY];
  static mk_kernel_spec spec[MANY];
  static double shape[3 * ROWS];
  size_t cols = l->kernels > COLS ? l->kernels : COLS;
  const mk_view view = {.rows = l->n, .cols = cols, .x = x};
  for (size_t m = 0; m < l->kernels; m++) {
    feature[m] = (int)m;
    spec[m] = (mk_kernel_spec){.type = l->type, .view = 0, .width = 2.0 + (double)m};
    if (l->type == MK_LINEAR) {
      spec[m].features = &feature[m];
      spec[m].feature_count = 1;
    }
  }
  mk_control control = world_control(1e-3, l->cache);
  control.single = l->single;
  mk_kernel_set *set = NULL;
  mk_solution s = {.theta = NULL};
  mk_problem problem = {.n = l->n,
                        .tasks = 1,
                        .norm = mk_lp(l->p),
                        .linear = y,
                        .cost = cost,
                        .loss = {.type = l->loss}};
  mk_problem_shape(&problem, shape);
  mk_status status = mk_set_new(&set, l->n, &view, 1, spec, l->kernels, team);
  problem.set = set;
  if (status == MK_OK) status = mk_solution_new(&s, &problem);
  if (status == MK_OK) status = mk_optimize(MK_INTERLEAVED, &problem, &control, NULL, &s);
  if (mk_usable_end(status)) {
    note(bits, s.theta, l->kernels * sizeof *s.theta);
    note(bits, &s.gap, sizeof s.gap);
    if (!(s.gap >= 0.0)) fault_failed("large fit", "gap", 0, status);
  }
  mk_solution_clear(&s);
  mk_set_free(set);
  return status;
}

static void test_large(void) {
  large_case cases[] = {{ROWS, 3, MK_GAUSSIAN, 2.0, (size_t)1 << 26, 1, MK_LOSS_HINGE},
                        {ROWS, 3, MK_GAUSSIAN, 1.0, (size_t)1 << 20, 1, MK_LOSS_HINGE},
                        {ROWS, 5, MK_LINEAR, 1.0, (size_t)1 << 26, 0, MK_LOSS_HINGE},
                        {ROWS, 5, MK_LINEAR, 2.0, (size_t)1 << 26, 0, MK_LOSS_SQUARED},
                        {120, MANY, MK_LINEAR, 1.0, (size_t)1 << 26, 0, MK_LOSS_HINGE}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char name[100];
    snprintf(name, sizeof name, "%zu rows, %zu kernels, p = %g", cases[k].n, cases[k].kernels,
             cases[k].p);
    sweep(name, large_trial, &cases[k]);
  }
}

int main(void) {
  fault_places = fault_looks = 4;
  x = malloc(sizeof *x * (ROWS * COLS > 120 * MANY ? ROWS * COLS : 120 * MANY));
  data_fill(ROWS * COLS > 120 * MANY ? ROWS * COLS : 120 * MANY, x);
  for (int i = 0; i < ROWS; i++) {
    y[i] = x[i] + x[ROWS + i] > 0.0 ? 1.0 : -1.0;
    cost[i] = 1.0;
  }
  RUN_TEAM(1, test_large);
  free(x);
  faults_report("large fits");
  return REPORT();
}
