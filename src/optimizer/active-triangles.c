/* Kernels by the hundred on few samples: the values of all of them are there (triangles.h), and
 * all are priced in one pass over these. The first round is one SVM for all kernels. */
#include "active-internal.h"

#include "base/memory.h"
#include "kernel/features.h"
#include "optimizer/interleaved.h"
#include "optimizer/machine.h"
#include "optimizer/triangles.h"

#include <math.h>
#include <string.h>

#define TAKEN 40       /* kernels that join at a time, ... */
#define NEARLY 0.98    /* ... with forms above this share of the largest that takes part */
#define NEWCOMER 0.01  /* weight of a kernel that joins, of the largest */
#define IDLE 0.8       /* kernels without weight leave when their forms are below this share */
#define LEAST 1e-3     /* of the largest: smaller weights of a start are none, if p = 1 */
#define FEWEST 64      /* kernels, ... */
#define ALIKE 14       /* ... at most so many of them on the same features: tables do as well ... */
#define MOST_BYTES 8e7 /* ... of whose values there are no more */
#define ROUGH 1e300    /* a gap that anything is within */

int mk_has_few_samples(const mk_problem *problem, const mk_control *control) {
  const mk_norm *norm = &problem->norm;
  size_t kernels = mk_set_kernels(problem->set), families = mk_set_families(problem->set);
  if (!mk_norm_is_plain(norm) || !mk_norm_is_sparse(norm) || mk_set_explicit(problem->set))
    return 0;
  for (size_t f = 0; f < families; f++)
    if (mk_family_serial(problem->set, f)) return 0; /* its calls are worth sparing */
  if (problem->n > MK_ALL_AT_ONCE || kernels < FEWEST || kernels > ALIKE * families) return 0;
  return control->single && mk_triangles_bytes(problem->set) <=
                                fmin(MOST_BYTES, 0.25 * (double)mk_row_budget(control));
}

typedef struct pool {
  mk_triangles *triangles;
  int *all; /* M: the numbers of all kernels */
} pool;

static mk_status prepare(mk_active *a) {
  mk_control patient = *a->control; /* as the certificate, which asks for all values too */
  patient.max_time = INFINITY;
  pool *own = a->own = MK_NEW0(pool, 1);
  if (own == NULL) return MK_NO_MEMORY;
  own->all = MK_NEW(int, a->kernels);
  if (own->all == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < a->kernels; m++) own->all[m] = (int)m;
  return mk_triangles_new(&own->triangles, a->problem->set, &patient);
}

static void release(mk_active *a) {
  pool *own = a->own;
  if (own == NULL) return;
  mk_triangles_free(own->triangles);
  mk_free(own->all);
  mk_free(own);
}

static mk_status solve(mk_active *a, const mk_start *start, double goal, mk_solution *part) {
  const pool *own = a->own;
  mk_some_kernels some = {a->problem->set, own->triangles, a->list, a->count};
  mk_problem problem = *a->problem;
  mk_control control = *a->control;
  problem.part = &some;
  control.progress = NULL;
  control.trace = 0;
  mk_status status = mk_interleaved_part(&problem, &control, start, goal, part);
  part->bytes += mk_set_bytes(a->problem->set) + (size_t)mk_triangles_bytes(a->problem->set);
  return status;
}

static int any_above_zero(const double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (x[k] > 0.0) return 1;
  return 0;
}

/* Theta stays where forms say nothing of the kernels, or there is no time for rounds. */
static mk_status begin(mk_active *a, const mk_start *start) {
  mk_solution all;
  mk_status status = mk_solution_new(&all, a->problem);
  a->count = a->kernels;
  memcpy(a->list, ((const pool *)a->own)->all, a->kernels * sizeof(int));
  if (status == MK_OK) status = solve(a, start, ROUGH, &all);
  if (status != MK_NO_MEMORY) {
    memcpy(a->s, all.forms, a->kernels * sizeof(double));
    memcpy(a->solution->alpha, all.alpha, a->problem->n * a->problem->tasks * sizeof(double));
    if (start->theta != NULL || status == MK_TIME_LIMIT || !any_above_zero(a->s, a->kernels)) {
      memcpy(a->solution->theta, all.theta, a->kernels * sizeof(double));
      mk_norm_prune(&a->problem->norm, a->kernels, LEAST, a->solution->theta);
    }
    a->iterations = all.iterations;
    a->solves = all.solves;
  }
  mk_solution_clear(&all);
  return status == MK_STALLED ? MK_OK : status;
}

static int stays(const mk_active *a, size_t m, double most_weight, double most_form) {
  (void)most_weight;
  return a->solution->theta[m] > 0.0 || (a->in[m] && a->s[m] >= IDLE * most_form);
}

static mk_status price(mk_active *a) {
  const pool *own = a->own;
  return mk_triangles_forms(own->triangles, a->solution->alpha, a->problem->tasks, a->control->team,
                            a->s);
}

const mk_pool mk_triangle_pool = {TAKEN, NEARLY, NEWCOMER, prepare, release,
                                  begin, stays,  price,    solve};
