/* Fits with failing allocations, interrupts and time limits (faults.h): all optimisers, norms,
 * losses and ways of storing rows. A fit that ends with a solution must have its true gap. */
#include "fault-world.h"

#include "certificate/certificate.h"
#include "exact/predict.h"
#include "optimizer/optimizers.h"
#include "low-rank/reduced-set.h"
#include "theta/norm.h"
#include "exact/predict-models.h"

#define ENOUGH ((size_t)1 << 26)

typedef struct fit_case {
  world_kind kind;
  mk_optimizer optimizer;
  mk_norm norm;
  mk_loss loss;
  size_t tasks, cache;
  double tol;
  int trace;
} fit_case;

static int is_regression(const mk_loss *loss) {
  return loss->type == MK_LOSS_SQUARED || loss->type == MK_LOSS_EPSILON ||
         loss->type == MK_LOSS_HUBER;
}

/* Whatever happened, the gap is what the certificate finds. */
static void check_truth(const mk_problem *problem, const mk_control *control,
                        const mk_solution *s) {
  double offset[TASKS], forms[MOST_KERNELS], decision[N * TASKS];
  mk_certificate c = {.offset = offset, .forms = forms, .decision = decision};
  struct faults kept = faults_pause();
  mk_status status = mk_certify(problem, s->theta, s->alpha, control, &c);
  if (status != MK_OK || !(fabs(c.gap - s->gap) <= 1e-9 * (1.0 + c.gap)))
    fault_failed("a gap that is not true", mk_status_message(status), (long)(1e6 * s->gap), status);
  faults_resume(&kept);
}

/* Two models at once, the second with half of the support vectors: the first one's values again. */
static mk_status predict_pair(const mk_problem *problem, const mk_control *control,
                              const mk_solution *s, const double *value) {
  int start[3] = {0, N / 2, N / 2 + N / 4}, sample[N / 2 + N / 4];
  double alpha[N / 2 + N / 4], theta[2 * MOST_KERNELS], both[N];
  size_t kernels = mk_set_kernels(problem->set);
  for (int e = 0; e < start[2]; e++) {
    sample[e] = e % (N / 2);
    alpha[e] = s->alpha[sample[e]];
  }
  for (size_t m = 0; m < 2 * kernels; m++) theta[m] = s->theta[m % kernels];
  mk_models models = {2, theta, start, sample, alpha};
  MK_TRY(mk_predict_models(problem->set, &models, N / 2, control, both));
  for (int i = 0; i < N / 2; i++)
    if (!(fabs(both[i] - value[i]) <= 1e-8 * (1.0 + fabs(value[i]))))
      fault_failed("two predictions that differ", "", i, MK_OK);
  return MK_OK;
}

static mk_status reduce(const mk_problem *problem, const mk_control *control, const mk_solution *s,
                        uint64_t *bits) {
  int sample[N];
  double beta[N];
  mk_reduced_set reduced = {.set = problem->set,
                            .theta = s->theta,
                            .alpha = s->alpha,
                            .most = N,
                            .sample = sample,
                            .beta = beta};
  mk_status status = mk_reduce(&reduced, control);
  if (status == MK_BAD_ARGUMENT) return MK_OK; /* linear kernels */
  MK_TRY(status);
  note(bits, beta, reduced.count * sizeof *beta);
  return MK_OK;
}

static mk_status predict(const mk_problem *problem, const mk_control *control, const mk_solution *s,
                         uint64_t *bits) {
  double value[N / 2], alpha[N / 2];
  memcpy(alpha, s->alpha, sizeof alpha);
  MK_TRY(mk_predict(problem->set, s->theta, alpha, N / 2, 1, control, value));
  note(bits, value, sizeof value);
  MK_TRY(reduce(problem, control, s, bits));
  return predict_pair(problem, control, s, value);
}

static mk_status fit_on(const fit_case *f, const mk_kernel_set *set, const mk_control *control,
                        uint64_t *bits) {
  double shape[3 * N * TASKS], label[N * TASKS];
  mk_problem problem = {.set = set,
                        .n = N,
                        .tasks = f->tasks,
                        .norm = f->norm,
                        .linear = is_regression(&f->loss) ? w.y : w.label,
                        .loss = f->loss,
                        .cost = w.cost};
  for (int i = 0; i < N * TASKS; i++) label[i] = 1.0;
  if (f->loss.type == MK_LOSS_ONE_CLASS) problem.linear = label;
  if (f->loss.type == MK_LOSS_JOINT) {
    problem.linear = label;
    for (int i = 0; i < N; i++) label[i] = !(label[N + i] = w.label[i] > 0.0);
  }
  mk_problem_shape(&problem, shape);
  mk_solution s;
  mk_status status = mk_solution_new(&s, &problem), predicted = MK_OK;
  if (status == MK_OK) status = mk_optimize(f->optimizer, &problem, control, NULL, &s);
  if (mk_usable_end(status)) {
    check_truth(&problem, control, &s);
    note(bits, s.theta, mk_set_kernels(set) * sizeof *s.theta);
    note(bits, s.alpha, N * f->tasks * sizeof *s.alpha);
    note(bits, &s.gap, sizeof s.gap);
    predicted = predict(&problem, control, &s, bits);
  }
  mk_solution_clear(&s);
  return predicted != MK_OK ? predicted : status;
}

static mk_status fit_trial(void *data, uint64_t *bits) {
  const fit_case *f = data;
  mk_control control = world_control(f->tol, f->cache);
  mk_kernel_set *set;
  control.trace = f->trace;
  mk_status status = world_set(f->kind, MK_SCALE_MULTIPLICATIVE, &control, &set);
  if (status == MK_OK) status = fit_on(f, set, &control, bits);
  mk_set_free(set);
  return status;
}

static const fit_case plain = {.norm = {.p = 4.0 / 3.0},
                               .loss = {.type = MK_LOSS_HINGE},
                               .tasks = 1,
                               .cache = ENOUGH,
                               .tol = 1e-3};

static void test_optimisers(void) {
  const double norms[] = {1.0, 4.0 / 3.0, 2.0, INFINITY};
  for (int o = 0; o < MK_OPTIMIZERS; o++)
    for (int k = 0; k < 4; k++) {
      char name[100];
      fit_case f = plain;
      f.optimizer = (mk_optimizer)o;
      f.norm = mk_lp(norms[k]);
      f.trace = k == 0;
      if (!mk_optimizer_serves(f.optimizer, &f.norm)) continue;
      snprintf(name, sizeof name, "optimiser %d, p = %g", o, norms[k]);
      sweep(name, fit_trial, &f);
    }
}

static void test_kernels_and_budgets(void) {
  const double norms[] = {1.0, 2.0};
  for (int kind = 0; kind < WORLD_KINDS; kind++)
    for (int k = 0; k < 4; k++) {
      char name[100];
      fit_case f = plain;
      f.kind = (world_kind)kind;
      f.norm = mk_lp(norms[k % 2]);
      f.cache = k < 2 ? 1 : ENOUGH;
      f.tasks = k < 2 ? 1 : TASKS;
      snprintf(name, sizeof name, "%s, p = %g, %zu bytes", kind_name[kind], norms[k % 2], f.cache);
      sweep(name, fit_trial, &f);
    }
}

static void test_losses(void) {
  const mk_loss losses[] = {
      {MK_LOSS_SQUARED_HINGE, 0.0, 0, NULL}, {MK_LOSS_LOGISTIC, 0.0, 0, NULL},
      {MK_LOSS_SQUARED, 0.0, 0, NULL},       {MK_LOSS_EPSILON, 0.1, 0, NULL},
      {MK_LOSS_HUBER, 0.3, 0, NULL},         {MK_LOSS_ONE_CLASS, 0.0, 1, NULL}};
  for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
    for (int kind = 0; kind < 3; kind++) {
      char name[100];
      fit_case f = plain;
      f.loss = losses[l];
      f.kind = (world_kind)kind;
      f.norm = mk_lp(kind == 2 ? 1.0 : 2.0);
      snprintf(name, sizeof name, "loss %d, %s", (int)losses[l].type, kind_name[kind]);
      sweep(name, fit_trial, &f);
    }
}

static void test_joint(void) {
  const double norms[] = {1.0, 4.0 / 3.0, INFINITY};
  for (int k = 0; k < 3; k++)
    for (int o = 0; o < MK_OPTIMIZERS; o++)
      for (int kind = 0; kind < 3; kind++) {
        char name[100];
        fit_case f = plain;
        f.optimizer = (mk_optimizer)o;
        f.kind = (world_kind)kind;
        f.tasks = TASKS;
        f.norm = mk_lp(norms[k]);
        f.loss = (mk_loss){.type = MK_LOSS_JOINT, .no_offset = 1};
        if (!mk_optimizer_serves(f.optimizer, &f.norm) || (o != 0 && kind != GAUSSIANS)) continue;
        snprintf(name, sizeof name, "joint, optimiser %d, p = %g, %s", o, norms[k], kind_name[kind]);
        sweep(name, fit_trial, &f);
      }
}

static void test_norms(void) {
  static const struct {
    mk_norm_type type;
    double parameter;
  } kinds[] = {
      {MK_NORM_LP, 1.5}, {MK_NORM_QUADRATIC, 0.0}, {MK_NORM_BLOCK, 3.0}, {MK_NORM_ELASTIC, 0.4}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    mk_kernel_spec spec[MOST_KERNELS];
    size_t count = world_specs(GAUSSIANS, spec);
    double memory[1000], values[MOST_KERNELS * MOST_KERNELS] = {0};
    CHECK(mk_norm_memory(kinds[k].type, count) <= 1000);
    for (size_t m = 0; m < count; m++)
      values[kinds[k].type == MK_NORM_QUADRATIC ? m * (count + 1) : m] = 1.0 + 0.1 * (double)m;
    fit_case f = plain;
    f.kind = GAUSSIANS;
    CHECK(mk_norm_make(&f.norm, kinds[k].type, count, kinds[k].parameter,
                       kinds[k].type == MK_NORM_LP || kinds[k].type == MK_NORM_QUADRATIC ? values
                                                                                         : NULL,
                       memory) == MK_OK);
    char name[100];
    snprintf(name, sizeof name, "norm %d", (int)kinds[k].type);
    sweep(name, fit_trial, &f);
  }
}

static void test_all(void) {
  test_optimisers();
  test_kernels_and_budgets();
  test_losses();
  test_joint();
  test_norms();
}

int main(void) {
  world_make();
  RUN_TEAM(1, test_all);
  faults_report("fits");
  return REPORT();
}
