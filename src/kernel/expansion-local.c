/* Locally linear kernels for expansions, by their features: v = sum_j alpha_j h_j (x_j - c), so
 * that s = v'v and f(x) = h(x) <v, x - c>. Everything afresh from the data, which are shifted by
 * one of the anchors, as the kernels don't mind. */
#include "base/memory.h"
#include "base/threads.h"
#include "expansion-internal.h"
#include "points.h"

#include <math.h>
#include <string.h>

#define RUN ((size_t)256) /* samples at a time */

typedef struct local_pass {
  const mk_expansion_job *job;
  mk_sample_block all;
  const double *shift; /* depth */
  size_t tasks, count; /* kernels that take part: */
  int *member;
  double *h;     /* count x n */
  double *v;     /* by thread: count x tasks x (depth + 1), last the sum of alpha h */
  double *x;     /* by thread: depth x RUN */
  double *value; /* tasks x n by sample */
  double *reach; /* by thread: the largest |x_i|^2, from the shift */
} local_pass;

/* Some samples. */
typedef struct stretch {
  size_t from, height;
  const double *x; /* depth x RUN, from the shift */
} stretch;

static stretch pack_run(const local_pass *pass, size_t k, int thread) {
  double *x = pass->x + (size_t)thread * pass->all.depth * RUN;
  stretch run = {k * RUN, mk_smaller(pass->all.count - k * RUN, RUN), x};
  mk_block_pack(&pass->all, run.from, run.height, RUN, x);
  for (size_t j = 0; j < pass->all.depth; j++)
    for (size_t r = 0; r < RUN; r++) x[j * RUN + r] -= pass->shift[j];
  return run;
}

static double largest_square(const local_pass *pass, const stretch *run) {
  double square[RUN] = {0}, most = 0.0;
  for (size_t j = 0; j < pass->all.depth; j++)
    pass->job->set->simd->add_squares(run->height, 0.0, run->x + j * RUN, square);
  for (size_t r = 0; r < run->height; r++) most = fmax(most, square[r]);
  return most;
}

static double anchor_at(const local_pass *pass, size_t m, size_t k) {
  return pass->job->set->member[pass->member[m]].spec.anchor[k] - pass->shift[k];
}

/* h of one kernel over a run. */
static double *map_run(const local_pass *pass, size_t m, const stretch *run) {
  const mk_kernel_spec *spec = &pass->job->set->member[pass->member[m]].spec;
  double *h = pass->h + m * pass->all.count + run->from;
  memset(h, 0, run->height * sizeof *h);
  for (size_t k = 0; k < pass->all.depth; k++)
    pass->job->set->simd->add_squares(run->height, anchor_at(pass, m, k), run->x + k * RUN, h);
  mk_local_values(spec->map, spec->gamma, run->height, h, h);
  return h;
}

/* Room for the vector of a kernel and task in a thread's sums. */
static double *vector_of(const local_pass *pass, int thread, size_t m, size_t t) {
  size_t place = ((size_t)thread * pass->count + m) * pass->tasks + t;
  return pass->v + place * (pass->all.depth + 1);
}

static mk_status collect_run(void *data, size_t k, int thread) {
  const local_pass *pass = data;
  stretch run = pack_run(pass, k, thread);
  size_t depth = pass->all.depth;
  double a[RUN];
  pass->reach[thread] = fmax(pass->reach[thread], largest_square(pass, &run));
  for (size_t m = 0; m < pass->count; m++) {
    const double *h = map_run(pass, m, &run);
    for (size_t t = 0; t < pass->tasks; t++) {
      const double *alpha = pass->job->alpha + t * pass->all.count + run.from;
      double *v = vector_of(pass, thread, m, t);
      double sum = 0.0;
      int any = 0;
      for (size_t r = 0; r < run.height; r++) {
        a[r] = alpha[r] * h[r];
        sum += a[r];
        any |= a[r] != 0.0;
      }
      v[depth] += sum;
      for (size_t j = 0; any && j < depth; j++)
        v[j] += pass->job->set->simd->dot(run.height, a, run.x + j * RUN);
    }
  }
  return MK_OK;
}

/* The threads' sums as one; the last number becomes <v, c>. */
static void merge(const local_pass *pass, size_t threads) {
  size_t depth = pass->all.depth, length = pass->count * pass->tasks * (depth + 1);
  for (size_t t = 1; t < threads; t++)
    pass->job->set->simd->axpy(length, 1.0, pass->v + t * length, pass->v);
  for (size_t m = 0; m < pass->count; m++)
    for (size_t t = 0; t < pass->tasks; t++) {
      double *v = vector_of(pass, 0, m, t), at_anchor = 0.0, square = 0.0;
      for (size_t k = 0; k < depth; k++) {
        double c = anchor_at(pass, m, k);
        v[k] -= v[depth] * c;
        at_anchor += v[k] * c;
        square += v[k] * v[k];
      }
      v[depth] = at_anchor;
      if (pass->job->ask->forms != NULL) pass->job->ask->forms[pass->member[m]] += square;
    }
}

/* What rounding may have done (expansion-rounding.c), magnitudes being no more than the longest of
 * samples and anchors from the shift, and no h more than 1. */
static void add_slack(const local_pass *pass, size_t threads) {
  const mk_expansion *ask = pass->job->ask;
  size_t n = pass->all.count, depth = pass->all.depth;
  double far = 0.0, anchors = 0.0;
  double units = MK_SUM_UNITS + (double)(RUN + n / RUN + 4 * depth);
  for (size_t t = 0; t < threads; t++) far = fmax(far, pass->reach[t]);
  for (size_t m = 0; m < pass->count; m++) {
    double square = 0.0;
    for (size_t k = 0; k < depth; k++) square += anchor_at(pass, m, k) * anchor_at(pass, m, k);
    anchors = fmax(anchors, square);
  }
  double reach = sqrt(far) + sqrt(anchors);
  for (size_t t = 0; t < pass->tasks; t++) {
    double sum = 0.0, slack = 0.0;
    for (size_t i = 0; i < n; i++) sum += fabs(pass->job->alpha[t * n + i]);
    double e = MK_UNIT * units * reach * sum;
    for (size_t m = 0; m < pass->count; m++) {
      const double *v = vector_of(pass, 0, m, t);
      double square = pass->job->set->simd->dot(depth, v, v), length = sqrt(square);
      slack += pass->job->weight[pass->member[m]] * reach *
               (e + MK_UNIT * (units + (double)pass->count) * length);
      if (ask->form_slack != NULL)
        ask->form_slack[pass->member[m]] += pass->job->set->member[pass->member[m]].scale *
                                            (2.0 * length * e + e * e + MK_UNIT * units * square);
    }
    for (size_t i = 0; ask->value_slack != NULL && i < ask->count; i++)
      ask->value_slack[t * ask->count + i] += slack;
  }
}

static mk_status evaluate_run(void *data, size_t k, int thread) {
  const local_pass *pass = data;
  stretch run = pack_run(pass, k, thread);
  size_t n = pass->all.count, depth = pass->all.depth;
  double y[RUN];
  for (size_t m = 0; m < pass->count; m++) {
    double weight = pass->job->weight[pass->member[m]];
    const double *h = pass->h + m * n + run.from;
    for (size_t t = 0; weight != 0.0 && t < pass->tasks; t++) {
      const double *v = vector_of(pass, 0, m, t);
      double *value = pass->value + t * n + run.from;
      for (size_t r = 0; r < run.height; r++) y[r] = -v[depth];
      for (size_t j = 0; j < depth; j++)
        pass->job->set->simd->axpy(run.height, v[j], run.x + j * RUN, y);
      for (size_t r = 0; r < run.height; r++) value[r] += weight * h[r] * y[r];
    }
  }
  return MK_OK;
}

static mk_status run(local_pass *pass) {
  const mk_expansion_job *job = pass->job;
  size_t n = pass->all.count, runs = (n + RUN - 1) / RUN;
  double work = (double)n * (double)pass->all.depth * (double)pass->count;
  mk_team *team = mk_team_worth(job->control->team, 4.0 * work);
  size_t threads = (size_t)mk_team_size(team);
  pass->h = MK_NEW(double, pass->count *n);
  pass->v = MK_NEW0(double, threads * pass->count * pass->tasks * (pass->all.depth + 1));
  pass->x = MK_NEW(double, threads * pass->all.depth * RUN);
  pass->value = MK_NEW0(double, pass->tasks *n);
  pass->reach = MK_NEW0(double, threads);
  if (pass->h == NULL || pass->v == NULL || pass->x == NULL || pass->value == NULL ||
      pass->reach == NULL)
    return MK_NO_MEMORY;
  MK_TRY(mk_for_each(runs, team, job->control, collect_run, pass));
  merge(pass, threads);
  add_slack(pass, threads);
  if (job->ask->value == NULL) return MK_OK;
  MK_TRY(mk_for_each(runs, team, job->control, evaluate_run, pass));
  for (size_t t = 0; t < pass->tasks; t++)
    for (size_t i = 0; i < job->ask->count; i++)
      mk_add_value(job->ask, t * job->ask->count + i,
                   pass->value[t * n + (size_t)job->ask->sample[i]]);
  return MK_OK;
}

mk_status mk_expand_local(const mk_expansion_job *job, const mk_family *family) {
  local_pass pass = {.job = job, .tasks = job->ask->tasks};
  pass.all =
      (mk_sample_block){family->view, family->features, family->feature_count, NULL, job->set->n};
  pass.member = MK_NEW(int, family->local->count);
  if (pass.member == NULL) return MK_NO_MEMORY;
  for (size_t s = 0; s < family->local->count; s++) {
    size_t m = (size_t)family->local->member[s];
    if (mk_expands_by_features(job, m) && !mk_is_idle(job, m)) pass.member[pass.count++] = (int)m;
  }
  mk_status status = MK_OK;
  if (pass.count > 0) {
    pass.shift = job->set->member[pass.member[0]].spec.anchor;
    status = run(&pass);
  }
  mk_free(pass.member);
  mk_free(pass.h);
  mk_free(pass.v);
  mk_free(pass.x);
  mk_free(pass.value);
  mk_free(pass.reach);
  return status;
}
