/* Streams of kernels and the fit over them, against matrices by plain definition and the fit of all
 * kernels at once. */
#include "kernels.h"
#include "optimizer/optimizers.h"
#include "base/largest.h"
#include "sequential/sequential.h"
#include "sequential/source.h"
#include "team.h"

#define TASKS 2
#define COPIES 9 /* of the fixture's kernels, at other widths */
#define SIZE (COPIES * KERNELS)

static void test_largest(void) {
  double value[300];
  size_t place[300];
  data_fill(300, value);
  for (int i = 0; i < 40; i++) value[7 * i] = value[3]; /* equal ones come by place */
  for (size_t most = 0; most <= 300; most += 25) {
    size_t found = mk_largest(value, 300, -0.2, most, place), above = 0, wrong = 0;
    for (int i = 0; i < 300; i++) above += value[i] > -0.2;
    CHECK(found == (above < most ? above : most));
    for (size_t k = 0; k < found; k++) {
      size_t before = 0, own = place[k];
      for (size_t i = 0; i < 300; i++)
        before += value[i] > value[own] || (value[i] == value[own] && i < own);
      wrong += before != k;
    }
    CHECK(wrong == 0);
  }
}

/* ---- a source of the fixture's kernels ---- */

typedef struct factory {
  fixture *fx;
  mk_kernel_spec spec[SIZE];
  mk_scaling scaling;
  int centred;
  int fails; /* opens that succeed before one fails; below 0: none does */
  int open;  /* sets not closed yet */
} factory;

static mk_status open_set(void *self, const size_t *which, size_t count, const mk_control *control,
                          int selected, mk_kernel_set **set, mk_constants *constants) {
  factory *f = self;
  (void)selected;
  mk_kernel_spec spec[SIZE];
  if (f->fails == 0) return MK_CALLBACK;
  if (f->fails > 0) f->fails--;
  for (size_t k = 0; k < count; k++) {
    spec[k] = f->spec[which[k]];
    constants[k] = (mk_constants){.scaling = f->scaling, .centred = f->centred, .scale = 1.0};
  }
  f->open++;
  return mk_set_beside(set, f->fx->set, spec, count, control->team);
}

static void close_set(void *self, mk_kernel_set *set) {
  factory *f = self;
  f->open--;
  mk_set_free(set);
}

static factory *factory_new(mk_scaling scaling, int centred) {
  factory *f = MK_NEW0(factory, 1);
  f->fx = fixture_new();
  f->scaling = scaling;
  f->centred = centred;
  f->fails = -1;
  for (size_t k = 0; k < SIZE; k++) {
    f->spec[k] = f->fx->spec[k % KERNELS];
    f->spec[k].width *= pow(1.7, (double)(k / KERNELS));
    f->spec[k].offset += (double)(k / KERNELS);
  }
  return f;
}

static void factory_free(factory *f) {
  CHECK(f->open == 0);
  fixture_free(f->fx);
  mk_free(f);
}

static mk_source source_of(factory *f) {
  return (mk_source){.self = f,
                     .size = SIZE,
                     .samples = SAMPLES,
                     .serial = 1, /* the fixture counts calls */
                     .open = open_set,
                     .close = close_set};
}

static mk_control control_of(double tol) {
  return (mk_control){.tol = tol,
                      .max_time = INFINITY,
                      .max_iter = INFINITY,
                      .cache = MK_DEFAULT_CACHE,
                      .team = team,
                      .working_set = 1,
                      .start = mk_seconds()};
}

/* ---- strengths ---- */

/* Scale, centred values and all by definition; alpha'K alpha summed over tasks. */
static double plain_strength(const factory *f, size_t m, const double *alpha) {
  static double k[SAMPLES][SAMPLES];
  double mean[SAMPLES] = {0}, total = 0.0, trace = 0.0, all = 0.0, sum = 0.0;
  fixture own = *f->fx;
  own.spec[0] = f->spec[m];
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < SAMPLES; j++) {
      k[i][j] = plain_kernel(&own, 0, i, j);
      mean[i] += k[i][j] / SAMPLES;
      total += k[i][j] / SAMPLES / SAMPLES;
    }
  for (int i = 0; i < SAMPLES; i++) {
    for (int j = 0; f->centred && j < SAMPLES; j++) k[i][j] += total - mean[i] - mean[j];
    trace += k[i][i];
    for (int j = 0; j < SAMPLES; j++) all += k[i][j];
  }
  double scale = f->scaling == MK_SCALE_MULTIPLICATIVE
                     ? 1.0 / (trace / SAMPLES - all / SAMPLES / SAMPLES)
                 : f->scaling == MK_SCALE_TRACE ? 1.0 / trace
                                                : 1.0;
  for (int t = 0; t < TASKS; t++)
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES; j++) {
        double value = scale * k[i][j];
        if (f->scaling == MK_SCALE_SPHERICAL) value /= sqrt(k[i][i] * k[j][j]);
        sum += alpha[t * SAMPLES + i] * alpha[t * SAMPLES + j] * value;
      }
  return sum;
}

static void check_strengths(mk_scaling scaling, int centred, int balanced) {
  factory *f = factory_new(scaling, centred);
  mk_source source = source_of(f);
  mk_sourced *sourced;
  mk_stream stream;
  mk_control control = control_of(1e-3);
  double alpha[TASKS * SAMPLES], strength[SIZE], again[3];
  const size_t which[3] = {2, 50, SIZE - 1};
  data_fill(TASKS * SAMPLES, alpha);
  for (int t = 0; t < TASKS; t++) {
    double sum = 0.0;
    for (int i = 0; i < 20; i++) alpha[t * SAMPLES + 3 * i] = 0.0;
    for (int i = 0; i < SAMPLES; i++) sum += alpha[t * SAMPLES + i];
    if (balanced) alpha[t * SAMPLES + 1] -= sum;
  }
  CHECK(mk_sourced_new(&sourced, &source, &stream) == MK_OK);
  for (int turn = 0; turn < 2; turn++) { /* the second one recalls the scales */
    mk_scan scan = {.alpha = alpha, .tasks = TASKS, .count = SIZE, .strength = strength};
    CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
    scan = (mk_scan){.alpha = alpha, .tasks = TASKS, .which = which, .count = 3, .strength = again};
    CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
    double worst = 0.0;
    for (size_t m = 0; m < SIZE; m++) {
      double truth = plain_strength(f, m, alpha);
      worst = worse(worst, fabs(strength[m] - truth) / (1.0 + fabs(truth)));
    }
    CHECK_NEAR(worst, 0.0, 1e-10);
    for (int k = 0; k < 3; k++) CHECK_NEAR(again[k], strength[which[k]], 1e-10 * fabs(again[k]));
  }
  CHECK(mk_sourced_bad(sourced) == SIZE);
  mk_sourced_free(sourced);
  factory_free(f);
}

static void test_strengths(void) {
  const mk_scaling scaling[] = {MK_SCALE_NONE, MK_SCALE_MULTIPLICATIVE, MK_SCALE_TRACE};
  for (int k = 0; k < 3; k++)
    for (int how = 0; how < 4; how++) check_strengths(scaling[k], how & 1, how & 2);
}

/* Kernel 40 has this matrix; what a scan of all says, twice. */
static void check_matrix_of_40(const double *matrix, mk_status expected, size_t bad,
                               size_t constants) {
  factory *f = factory_new(MK_SCALE_MULTIPLICATIVE, 0);
  double alpha[SAMPLES], strength[SIZE];
  f->spec[40] = (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = matrix};
  mk_source source = source_of(f);
  mk_sourced *sourced;
  mk_stream stream;
  mk_control control = control_of(1e-3);
  data_fill(SAMPLES, alpha);
  mk_scan scan = {.alpha = alpha, .tasks = 1, .count = SIZE, .strength = strength};
  CHECK(mk_sourced_new(&sourced, &source, &stream) == MK_OK);
  for (int turn = 0; turn < 2; turn++)
    CHECK(stream.strengths(stream.self, &scan, &control) == expected);
  CHECK(mk_sourced_bad(sourced) == bad);
  CHECK(mk_sourced_constants(sourced) == constants);
  if (constants > 0) CHECK(mk_sourced_is_constant(sourced, 40) && strength[40] == 0.0);
  CHECK(!mk_sourced_is_constant(sourced, 39));
  if (expected == MK_OK) CHECK(strength[39] != 0.0); /* a scan that fails need not come to it */
  mk_sourced_free(sourced);
  factory_free(f);
}

static void test_kernels_without_scale(void) {
  double matrix[SAMPLES * SAMPLES];
  for (int i = 0; i < SAMPLES * SAMPLES; i++) matrix[i] = 3.0;
  check_matrix_of_40(matrix, MK_OK, SIZE, 1);
  /* variation that is there, but too small beside the values */
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < SAMPLES; j++) matrix[i * SAMPLES + j] = (1e8 + i) * (1e8 + j);
  check_matrix_of_40(matrix, MK_BAD_ARGUMENT, 40, 0);
}

/* ---- fits ---- */

typedef struct task_data {
  double linear[TASKS * SAMPLES], cost[TASKS * SAMPLES], shape[3 * TASKS * SAMPLES];
} task_data;

static mk_problem problem_of(task_data *data, size_t tasks) {
  for (size_t i = 0; i < tasks * SAMPLES; i++) {
    data->linear[i] = (i * 7 + i / SAMPLES) % 3 == 0 ? 1.0 : -1.0;
    data->cost[i] = 0.8;
  }
  mk_problem problem = {.n = SAMPLES,
                        .tasks = tasks,
                        .linear = data->linear,
                        .cost = data->cost,
                        .loss = {.type = MK_LOSS_HINGE},
                        .norm = mk_lp(1.0)};
  mk_problem_shape(&problem, data->shape);
  return problem;
}

/* spoil: NULL, or what becomes of the stream before. */
static mk_status learn_spoilt(factory *f, size_t tasks, const mk_sequential_settings *settings,
                              const mk_control *control, void (*spoil)(mk_stream *stream),
                              mk_sequential_solution *solution) {
  mk_source source = source_of(f);
  mk_sourced *sourced;
  mk_stream stream;
  task_data data;
  mk_problem problem = problem_of(&data, tasks);
  CHECK(mk_sourced_new(&sourced, &source, &stream) == MK_OK);
  if (spoil != NULL) spoil(&stream);
  mk_status status = mk_sequential(&stream, &problem, settings, control, solution);
  mk_sourced_free(sourced);
  return status;
}

static mk_status learn(factory *f, size_t tasks, const mk_sequential_settings *settings,
                       const mk_control *control, mk_sequential_solution *solution) {
  return learn_spoilt(f, tasks, settings, control, NULL, solution);
}

/* The dual value with all kernels in one set. */
static double learn_at_once(factory *f, size_t tasks, const mk_control *control) {
  mk_kernel_set *set;
  mk_constants constants[SIZE];
  size_t which[SIZE];
  task_data data;
  mk_problem problem = problem_of(&data, tasks);
  mk_solution solution;
  for (size_t k = 0; k < SIZE; k++) which[k] = k;
  CHECK(open_set(f, which, SIZE, control, 1, &set, constants) == MK_OK);
  CHECK(mk_normalize_fit(set, constants, NULL, control) == MK_OK);
  problem.set = set;
  CHECK(mk_solution_new(&solution, &problem) == MK_OK);
  CHECK(mk_optimize(MK_INTERLEAVED, &problem, control, NULL, &solution) == MK_OK);
  double dual = solution.dual;
  mk_solution_clear(&solution);
  close_set(f, set);
  return dual;
}

static void test_same_optimum(void) {
  const size_t insert[] = {0, 1, 5}, pool[] = {0, 10, 40};
  for (size_t tasks = 1; tasks <= TASKS; tasks++) {
    factory *f = factory_new(MK_SCALE_MULTIPLICATIVE, 0);
    mk_control control = control_of(1e-7);
    double dual = learn_at_once(f, tasks, &control);
    for (int k = 0; k < 3; k++) {
      mk_sequential_settings settings = {.insert = insert[k], .pool = pool[k]};
      mk_sequential_solution solution;
      control = control_of(1e-7);
      CHECK(learn(f, tasks, &settings, &control, &solution) == MK_OK);
      CHECK_NEAR(solution.fit.dual, dual, 2e-7 * dual);
      CHECK(solution.fit.gap <= 1e-7 && solution.fit.gap >= 0.0);
      CHECK(solution.complete);
      for (size_t m = 0; m < solution.count; m++)
        CHECK(solution.fit.theta[m] > 0.0 && solution.selected[m] < SIZE &&
              (m == 0 || solution.selected[m] > solution.selected[m - 1]));
      mk_sequential_clear(&solution);
    }
    factory_free(f);
  }
}

static void test_limits(void) {
  factory *f = factory_new(MK_SCALE_MULTIPLICATIVE, 0);
  mk_sequential_settings settings = {.insert = 1};
  mk_sequential_solution solution;
  mk_control control = control_of(1e-9);
  control.max_iter = 2;
  CHECK(learn(f, 1, &settings, &control, &solution) == MK_ITERATION_LIMIT);
  CHECK(solution.passes == 2 && solution.complete && solution.fit.gap > 0.0);
  mk_sequential_clear(&solution);
  control = control_of(1e-9);
  control.max_time = 1000.0;
  control.start -= 1010.0;
  CHECK(learn(f, 1, &settings, &control, &solution) == MK_TIME_LIMIT);
  CHECK(!solution.complete && solution.fit.dual == 0.0 && solution.count > 0);
  CHECK(solution.passes == 1 && solution.pass[0].scanned == 0.0 && solution.pass[0].gap == 1.0);
  mk_sequential_clear(&solution);
  control.start -= 1000.0; /* too late for any kernel */
  CHECK(learn(f, 1, &settings, &control, &solution) == MK_TIME_LIMIT);
  CHECK(solution.count == 0 && solution.passes == 0);
  mk_sequential_clear(&solution);
  factory_free(f);
}

static int stop(void *data) {
  return --*(int *)data < 0;
}

static void test_interrupts_and_failures(void) {
  factory *f = factory_new(MK_SCALE_MULTIPLICATIVE, 0);
  mk_sequential_settings settings = {0};
  mk_sequential_solution solution;
  for (int polls = 0; polls < 40; polls += 3) {
    int left = polls;
    mk_control control = control_of(1e-9);
    control.poll = stop;
    control.data = &left;
    CHECK(learn(f, 1, &settings, &control, &solution) == MK_INTERRUPTED);
    mk_sequential_clear(&solution);
  }
  for (int fails = 0; fails < 3; fails++) {
    mk_control control = control_of(1e-9);
    f->fails = fails;
    CHECK(learn(f, 1, &settings, &control, &solution) == MK_CALLBACK);
    mk_sequential_clear(&solution);
  }
  factory_free(f);
}

/* ---- hostile streams ---- */

static mk_status no_numbers(void *self, const mk_scan *scan, const mk_control *control) {
  (void)self;
  (void)control;
  for (size_t k = 0; k < scan->count; k++) scan->strength[k] = NAN;
  return MK_OK;
}

/* Strengths that are off, now less, now more, as rounding may make them. */
static mk_status (*true_strengths)(void *self, const mk_scan *scan, const mk_control *control);
static int scans;

static mk_status swinging(void *self, const mk_scan *scan, const mk_control *control) {
  mk_status status = true_strengths(self, scan, control);
  double factor = scans++ % 2 ? 1.02 : 1.01;
  for (size_t k = 0; k < scan->count; k++) scan->strength[k] *= factor;
  return status;
}

static void swing(mk_stream *stream) {
  true_strengths = stream->strengths;
  stream->strengths = swinging;
}

static void forget_numbers(mk_stream *stream) {
  stream->strengths = no_numbers;
}

static void empty(mk_stream *stream) {
  stream->size = 0;
}

static void test_hostile_streams(void) {
  void (*const spoil[])(mk_stream *) = {forget_numbers, empty, swing};
  const mk_status expected[] = {MK_NOT_FINITE, MK_BAD_ARGUMENT, MK_STALLED};
  factory *f = factory_new(MK_SCALE_MULTIPLICATIVE, 0);
  mk_sequential_settings settings = {0};
  mk_control control = control_of(1e-4);
  control.max_iter = 1000;
  for (int k = 0; k < 3; k++) {
    mk_sequential_solution solution;
    CHECK(learn_spoilt(f, 1, &settings, &control, spoil[k], &solution) == expected[k]);
    CHECK(solution.passes < 100);
    mk_sequential_clear(&solution);
  }
  factory_free(f);
}

int main(void) {
  RUN(test_largest);
  RUN(test_strengths);
  RUN(test_kernels_without_scale);
  RUN(test_same_optimum);
  RUN_TEAM(2, test_same_optimum);
  RUN(test_limits);
  RUN(test_interrupts_and_failures);
  RUN(test_hostile_streams);
  return REPORT();
}
