/* Structs of many vectors, whose allocations fail one after another (faults.h): no missing vector
 * is read or written. */
#include "fault-world.h"

#include "problem/problem.h"
#include "theta/cuts.h"

/* A trial of solutions. */
static mk_status solution_trial(void *data, uint64_t *bits) {
  mk_problem problem = {.set = data, .n = N, .tasks = TASKS};
  size_t kernels = mk_set_kernels(problem.set);
  mk_solution s;
  mk_status status = mk_solution_new(&s, &problem);
  if (status == MK_OK) {
    s.theta[0] = s.forms[kernels - 1] = s.alpha[N * TASKS - 1] = 1.0;
    s.decision[0] = s.offset[TASKS - 1] = s.slack[N * TASKS + 2 * kernels - 1] = 2.0;
    note(bits, s.alpha, N * TASKS * sizeof *s.alpha);
  }
  mk_solution_clear(&s);
  return status;
}

/* A trial of cuts. */
static mk_status cut_trial(void *data, uint64_t *bits) {
  enum { KERNELS = 3, ROOM = 4 };
  mk_norm norm = mk_lp(1.0);
  mk_rule rule = {.norm = &norm, .count = KERNELS, .budget = ROOM * KERNELS * sizeof(double)};
  mk_cuts cuts;
  (void)data;
  mk_status status = mk_cuts_begin(&cuts, &rule);
  if (status == MK_OK) {
    cuts.slope[ROOM * KERNELS - 1] = cuts.linear[0] = cuts.mean[KERNELS - 1] = 1.0;
    cuts.age[ROOM - 1] = cuts.list[ROOM - 1] = 2;
    cuts.chosen[ROOM - 1] = cuts.slope;
    note(bits, cuts.linear, sizeof *cuts.linear);
  }
  mk_cuts_end(&cuts);
  return status;
}

static void test_all(void) {
  mk_control control = world_control(1e-3, 1);
  mk_kernel_set *set;
  CHECK(world_set(GAUSSIANS, MK_SCALE_MULTIPLICATIVE, &control, &set) == MK_OK);
  sweep("a solution", solution_trial, set);
  sweep("cuts", cut_trial, NULL);
  mk_set_free(set);
  CHECK(fault_counts.failures == 0);
}

int main(void) {
  world_make();
  RUN_TEAM(1, test_all);
  faults_report("vectors");
  return REPORT();
}
