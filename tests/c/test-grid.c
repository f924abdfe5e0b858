/* Chains of fits: every cell is checked at its own cost, on one thread and on several. */
#include "judge.h"
#include "certificate/certificate.h"
#include "grid/grid.h"
#include "team.h"

#define CHAINS 3
#define SCALES 6

static const double scales[SCALES] = {0.01, 0.1, 1.0, 10.0, 1e3, 1e5};

/* Problems on one set: two norms of one task, and one of two; some samples don't count. */
typedef struct chains {
  task_data data;
  double cost[SAMPLES * TASKS];
  mk_problem problem[CHAINS];
  mk_cell cell[CHAINS * SCALES];
  mk_grid grid;
} chains;

static chains *chains_new(const fixture *fx, size_t count) {
  const double norms[CHAINS] = {1.0, 4.0 / 3.0, INFINITY};
  chains *c = MK_NEW0(chains, 1);
  make_tasks(fx, 1.0, &c->data);
  for (int i = 0; i < SAMPLES * TASKS; i++) c->cost[i] = i % 5 == 0 ? 0.0 : 0.5 + 0.1 * (i % 7);
  for (int k = 0; k < CHAINS; k++) {
    c->problem[k] = problem_of(fx, &c->data, k == 2 ? TASKS : 1, mk_lp(norms[k]));
    c->problem[k].lower = c->problem[k].upper = NULL; /* the cost decides */
    c->problem[k].cost = c->cost;
  }
  c->grid = (mk_grid){.problem = c->problem,
                      .problems = count,
                      .scale = scales,
                      .scales = SCALES,
                      .deadline = INFINITY,
                      .cell = c->cell};
  return c;
}

static void chains_free(chains *c) {
  mk_grid_clear(&c->grid);
  mk_free(c);
}

static mk_control grid_control(double tol, mk_team *on) {
  return (mk_control){.tol = tol,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .team = on,
                      .working_set = 1,
                      .start = mk_seconds()};
}

static void check_cell(const chains *c, const double *k, size_t chain, size_t scale, double tol) {
  const mk_cell *cell = &c->cell[chain * SCALES + scale];
  mk_problem problem = c->problem[chain];
  double lower[SAMPLES * TASKS], upper[SAMPLES * TASKS];
  for (size_t i = 0; i < SAMPLES * problem.tasks; i++) {
    double most = scales[scale] * c->cost[i];
    upper[i] = c->data.y[i] > 0 ? most : 0.0;
    lower[i] = c->data.y[i] > 0 ? 0.0 : -most;
    if (most == 0.0) CHECK(cell->solution.alpha[i] == 0.0);
  }
  problem.lower = lower;
  problem.upper = upper;
  CHECK(cell->status == MK_OK && cell->solution.theta != NULL && cell->seconds >= 0.0);
  const mk_solution *s = &cell->solution;
  judge seen = judge_fit(k, &problem, s->theta, s->alpha, s->offset);
  check_feasible(&problem, s);
  CHECK(seen.gap <= tol * 1.001 + 1e-12);
  CHECK(seen.gap <= s->gap + 1e-11);
  double allowed = 1e-9 + s->rounding;
  CHECK_NEAR(seen.gap, s->gap, allowed);
  CHECK_NEAR(seen.primal, s->primal, allowed * fabs(seen.primal));
}

/* Solutions that were taken over from the cost before. */
static int count_reused(const chains *c) {
  int reused = 0;
  for (size_t k = 0; k < CHAINS; k++)
    for (size_t j = 1; j < SCALES; j++) {
      const mk_solution *a = &c->cell[k * SCALES + j - 1].solution;
      const mk_solution *b = &c->cell[k * SCALES + j].solution;
      reused += memcmp(a->alpha, b->alpha, c->problem[k].tasks * SAMPLES * sizeof(double)) == 0;
    }
  return reused;
}

static void test_every_cell_is_certified(void) {
  const double tols[] = {1e-2, 1e-3, 1e-6};
  fixture *fx = fixture_new();
  double *k = plain_matrices(fx);
  int reused = 0;
  for (int t = 0; t < 3; t++) {
    chains *c = chains_new(fx, CHAINS);
    mk_control control = grid_control(tols[t], team);
    CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
    for (size_t chain = 0; chain < CHAINS; chain++)
      for (size_t j = 0; j < SCALES; j++) check_cell(c, k, chain, j, tols[t]);
    reused += count_reused(c);
    chains_free(c);
  }
  CHECK(reused > 0);
  mk_free(k);
  fixture_free(fx);
}

static void test_threads_change_nothing(void) {
  fixture *fx = fixture_new();
  chains *one = chains_new(fx, CHAINS), *many = chains_new(fx, CHAINS);
  many->data = one->data;
  mk_control control = grid_control(1e-4, NULL);
  CHECK(mk_fit_grid(&one->grid, &control) == MK_OK);
  control.team = team;
  CHECK(mk_fit_grid(&many->grid, &control) == MK_OK);
  for (size_t k = 0; k < CHAINS * SCALES; k++) {
    const mk_solution *a = &one->cell[k].solution, *b = &many->cell[k].solution;
    size_t size = SAMPLES * one->problem[k / SCALES].tasks;
    CHECK(memcmp(a->theta, b->theta, KERNELS * sizeof(double)) == 0);
    CHECK(memcmp(a->alpha, b->alpha, size * sizeof(double)) == 0);
    CHECK(memcmp(a->decision, b->decision, size * sizeof(double)) == 0);
    CHECK(a->gap == b->gap);
  }
  chains_free(one);
  chains_free(many);
  fixture_free(fx);
}

static void test_chains_go_on_where_they_were_left(void) {
  fixture *fx = fixture_new();
  chains *whole = chains_new(fx, CHAINS), *rest = chains_new(fx, CHAINS);
  mk_control control = grid_control(1e-4, team);
  mk_known known[2 * CHAINS];
  rest->data = whole->data;
  size_t done = 3, left = SCALES - done;
  CHECK(mk_fit_grid(&whole->grid, &control) == MK_OK);
  for (size_t k = 0; k < CHAINS; k++)
    for (size_t j = 0; j < 2; j++) {
      size_t scale = done - 1 - j;
      known[2 * k + j] = (mk_known){&whole->cell[k * SCALES + scale].solution, scales[scale]};
    }
  rest->grid.known = known;
  rest->grid.scale = scales + done;
  rest->grid.scales = left;
  CHECK(mk_fit_grid(&rest->grid, &control) == MK_OK);
  for (size_t k = 0; k < CHAINS; k++)
    for (size_t j = 0; j < left; j++) {
      const mk_solution *a = &whole->cell[k * SCALES + done + j].solution;
      const mk_solution *b = &rest->cell[k * left + j].solution;
      size_t size = SAMPLES * whole->problem[k].tasks;
      CHECK(memcmp(a->theta, b->theta, KERNELS * sizeof(double)) == 0);
      CHECK(memcmp(a->alpha, b->alpha, size * sizeof(double)) == 0);
      CHECK(a->gap == b->gap);
    }
  chains_free(whole);
  chains_free(rest);
  fixture_free(fx);
}

/* At other costs, from what is known at one: as the certificate finds it anew. */
static void test_certificates_move_to_other_costs(void) {
  fixture *fx = fixture_new();
  chains *c = chains_new(fx, CHAINS);
  mk_control control = grid_control(1e-3, NULL);
  CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
  for (size_t k = 0; k < CHAINS; k++)
    for (size_t j = 0; j + 1 < SCALES; j++) {
      mk_solution *s = &c->cell[k * SCALES + j].solution;
      mk_problem problem = c->problem[k];
      size_t size = SAMPLES * problem.tasks;
      double cost[SAMPLES * TASKS], shape[3 * SAMPLES * TASKS], offset[TASKS], forms[KERNELS];
      double decision[SAMPLES * TASKS];
      for (size_t i = 0; i < size; i++) cost[i] = scales[j + 1] * c->cost[i];
      problem.cost = cost;
      mk_problem_shape(&problem, shape);
      mk_certificate anew = {.offset = offset, .forms = forms, .decision = decision};
      CHECK(mk_recertify_solution(&problem, s) == MK_OK);
      CHECK(mk_certify(&problem, s->theta, s->alpha, &control, &anew) == MK_OK);
      CHECK_NEAR(s->dual, anew.dual, 1e-8 * (1.0 + fabs(anew.dual)));
      /* the offset is that of the cost before, which can't be better */
      CHECK(s->primal >= anew.primal * (1.0 - 1e-9));
      CHECK(s->gap >= anew.gap - 1e-9);
    }
  chains_free(c);
  fixture_free(fx);
}

static int stop_later(void *data) {
  return ++*(int *)data > 40;
}

static void test_interrupts_time_and_failing_functions(void) {
  fixture *fx = fixture_new();
  chains *c = chains_new(fx, CHAINS);
  int polls = 0;
  mk_control control = grid_control(1e-9, team);
  control.poll = stop_later;
  control.data = &polls;
  CHECK(mk_fit_grid(&c->grid, &control) == MK_INTERRUPTED);
  chains_free(c);

  c = chains_new(fx, CHAINS);
  control = grid_control(1e-3, team);
  c->grid.deadline = mk_seconds() - 1.0;
  CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
  for (int k = 0; k < CHAINS * SCALES; k++)
    CHECK(c->cell[k].status == MK_TIME_LIMIT && c->cell[k].solution.theta == NULL);
  chains_free(c);

  c = chains_new(fx, CHAINS);
  fx->broken = 1;
  CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
  for (int k = 0; k < CHAINS * SCALES; k++)
    CHECK(c->cell[k].status == MK_CALLBACK && c->cell[k].solution.theta == NULL);
  chains_free(c);
  fixture_free(fx);
}

typedef struct heard {
  double last;
  int calls, falls;
} heard;

static void hear(void *data, double done, double seconds, double objective, double gap) {
  heard *h = data;
  (void)seconds;
  (void)objective;
  (void)gap;
  h->falls += done <= h->last;
  h->last = done;
  h->calls++;
}

static void test_progress_counts_cells(void) {
  fixture *fx = fixture_new();
  chains *c = chains_new(fx, 2);
  heard h = {0};
  mk_control control = grid_control(1e-3, NULL);
  control.progress = hear;
  control.data = &h;
  CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
  CHECK(h.calls == 2 * SCALES && h.last == 2 * SCALES && h.falls == 0);
  chains_free(c);
  c = chains_new(fx, 0);
  CHECK(mk_fit_grid(&c->grid, &control) == MK_OK);
  chains_free(c);
  fixture_free(fx);
}

#define WIDE_COLS 400
#define WIDTHS 30

/* What a set makes of its views when first read is made once, before threads share it. */
static void test_threads_share_a_fresh_set(void) {
  double *x = MK_NEW(double, SAMPLES *WIDE_COLS), y[SAMPLES], cost[SAMPLES];
  mk_kernel_spec spec[WIDTHS];
  data_fill(SAMPLES * WIDE_COLS, x);
  mk_view view = {.rows = SAMPLES, .cols = WIDE_COLS, .x = x};
  for (int m = 0; m < WIDTHS; m++)
    spec[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .view = 0, .width = 50.0 * (1 + m)};
  for (int i = 0; i < SAMPLES; i++) {
    y[i] = x[i] > 0 ? 1.0 : -1.0;
    cost[i] = 1.0;
  }
  double first = NAN;
  for (int round = 0; round < 20; round++) {
    mk_kernel_set *set = NULL;
    mk_problem problem[4];
    mk_cell cell[4] = {{.seconds = 0.0}};
    CHECK(mk_set_new(&set, SAMPLES, &view, 1, spec, WIDTHS, NULL) == MK_OK);
    for (int k = 0; k < 4; k++)
      problem[k] = (mk_problem){
          .set = set, .n = SAMPLES, .tasks = 1, .norm = mk_lp(2.0), .linear = y, .cost = cost};
    mk_grid grid = {.problem = problem,
                    .problems = 4,
                    .scale = scales + 2,
                    .scales = 1,
                    .deadline = INFINITY,
                    .cell = cell};
    mk_control control = grid_control(1e-6, round == 0 ? NULL : team);
    CHECK(mk_fit_grid(&grid, &control) == MK_OK);
    if (round == 0) first = cell[0].solution.dual;
    for (int k = 0; k < 4; k++) CHECK(cell[k].status == MK_OK && cell[k].solution.dual == first);
    mk_grid_clear(&grid);
    mk_set_free(set);
  }
  mk_free(x);
}

int main(void) {
  RUN_TEAM(2, test_every_cell_is_certified);
  RUN_TEAM(3, test_threads_change_nothing);
  RUN_TEAM(2, test_threads_share_a_fresh_set);
  RUN_TEAM(2, test_chains_go_on_where_they_were_left);
  RUN_TEAM(2, test_certificates_move_to_other_costs);
  RUN_TEAM(2, test_interrupts_time_and_failing_functions);
  RUN_TEAM(1, test_progress_counts_cells);
  return REPORT();
}
