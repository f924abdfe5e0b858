/* Expansions of locally linear kernels by their features: with v = sum_j alpha_j h_j (x_j - c), s =
 * v'v and f(x) = h(x) <v, x - c>. Everything is computed from the data, shifted by one of the
 * anchors, which changes no kernel. Called by expansion.c. MATHEMATICS.md, section 6.2. */
#include "expansion-local.h"

#include "base/threads.h"
#include "exact/expansion-direct.h"
#include "exact/expansion-job.h"
#include "kernel/local-map.h"
#include "kernel/local.h"
#include "kernel/points.h"

#include <math.h>
#include <string.h>

#define RUN ((size_t)256) /* samples at a time */

typedef struct local_pass {
  const mk_expansion_job *job;
  mk_sample_block all;
  const double *shift; /* depth: what is subtracted from samples and anchors */
  size_t tasks, count; /* tasks, and kernels of this pass */
  int *member;
  double *h;     /* count x n: maps */
  double *v;     /* by thread: count x tasks x (depth + 1); the last entry is the sum of alpha h */
  double *x;     /* by thread: depth x RUN */
  double *value; /* tasks x n, indexed by sample */
  double *length, *error, *slack; /* n: |x_i - shift|; count x tasks: error bounds of v; tasks x n:
                                     error bounds of values */
  mk_pool pool;
} local_pass;

/* A run of consecutive samples. */
typedef struct stretch {
  size_t from, height;
  const double *x; /* depth x RUN, shifted */
} stretch;

static stretch pack_run(const local_pass *pass, size_t k, int thread) {
  double *x = pass->x + (size_t)thread * pass->all.depth * RUN;
  stretch run = {k * RUN, mk_smaller(pass->all.count - k * RUN, RUN), x};
  mk_block_pack(&pass->all, run.from, run.height, RUN, x);
  for (size_t j = 0; j < pass->all.depth; j++)
    for (size_t r = 0; r < RUN; r++) x[j * RUN + r] -= pass->shift[j];
  return run;
}

static void find_lengths(const local_pass *pass, const stretch *run) {
  double *length = pass->length + run->from;
  memset(length, 0, run->height * sizeof *length);
  for (size_t j = 0; j < pass->all.depth; j++)
    pass->job->set->simd->add_squares(run->height, 0.0, run->x + j * RUN, length);
  for (size_t r = 0; r < run->height; r++) length[r] = sqrt(length[r]);
}

static double anchor_at(const local_pass *pass, size_t m, size_t k) {
  return pass->job->set->member[pass->member[m]].spec.anchor[k] - pass->shift[k];
}

/* Computes the map h of one kernel over a run. */
static double *map_run(const local_pass *pass, size_t m, const stretch *run) {
  const mk_kernel_spec *spec = &pass->job->set->member[pass->member[m]].spec;
  double *h = pass->h + m * pass->all.count + run->from;
  memset(h, 0, run->height * sizeof *h);
  for (size_t k = 0; k < pass->all.depth; k++)
    pass->job->set->simd->add_squares(run->height, anchor_at(pass, m, k), run->x + k * RUN, h);
  mk_local_values(spec->map, spec->gamma, run->height, h, h);
  return h;
}

/* Returns the place of a kernel's and task's vector in a thread's sums. */
static double *vector_of(const local_pass *pass, int thread, size_t m, size_t t) {
  size_t place = ((size_t)thread * pass->count + m) * pass->tasks + t;
  return pass->v + place * (pass->all.depth + 1);
}

static mk_status collect_run(void *data, size_t k, int thread) {
  const local_pass *pass = data;
  stretch run = pack_run(pass, k, thread);
  size_t depth = pass->all.depth;
  double a[RUN];
  find_lengths(pass, &run);
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

/* Adds up the threads' sums. The last entry of each vector becomes <v, c>. */
static void merge_threads(const local_pass *pass, size_t threads) {
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

/* ---- bounds of rounding errors: see expansion-rounding.c ---- */

/* Returns the roundings of a term of v or of a value. */
static double units_of(const local_pass *pass) {
  return MK_SUM_UNITS + (double)(RUN + pass->all.count / RUN + 4 * pass->all.depth + pass->count);
}

static double anchor_length(const local_pass *pass, size_t m) {
  double square = 0.0;
  for (size_t k = 0; k < pass->all.depth; k++)
    square += anchor_at(pass, m, k) * anchor_at(pass, m, k);
  return sqrt(square);
}

/* Bounds the errors of one kernel's vectors and forms. Magnitudes are the distances of samples and
 * anchor from the shift, times the sensitivity of h. */
static mk_status find_errors(void *data, size_t m, int thread) {
  const local_pass *pass = data;
  const mk_expansion *ask = pass->job->ask;
  const mk_member *member = &pass->job->set->member[pass->member[m]];
  size_t n = pass->all.count, depth = pass->all.depth;
  double unit = MK_UNIT * sqrt(units_of(pass)), anchor = anchor_length(pass, m);
  (void)thread;
  for (size_t t = 0; t < pass->tasks; t++) {
    const double *alpha = pass->job->alpha + t * n, *v = vector_of(pass, 0, m, t);
    double all = 0.0, square = 0.0, most = 0.0, form = pass->job->set->simd->dot(depth, v, v);
    for (size_t i = 0; i < n; i++) {
      if (alpha[i] == 0.0) continue;
      double share = mk_local_error(member->spec.map, pass->h[m * n + i]);
      double size = share * (pass->length[i] + anchor), term = fabs(alpha[i]) * size;
      most = fmax(most, size);
      all += term;
      square += term * term;
    }
    double e = unit * MK_SURE * sqrt(square);
    pass->error[m * pass->tasks + t] = e + unit * sqrt(form);
    if (ask->level) pass->error[m * pass->tasks + t] += most * fabs(mk_alpha_sum(pass->job, t));
    if (ask->form_slack != NULL)
      ask->form_slack[pass->member[m]] +=
          member->scale * (2.0 * sqrt(form) * e + e * e + unit * form);
    if (ask->reach != NULL) ask->reach[pass->member[m]] += sqrt(member->scale) * all;
  }
  return MK_OK;
}

static void add_value_slack(const local_pass *pass, size_t m, size_t t, const stretch *run) {
  const mk_member *member = &pass->job->set->member[pass->member[m]];
  const double *h = pass->h + m * pass->all.count + run->from;
  const double *length = pass->length + run->from;
  double *slack = pass->slack + t * pass->all.count + run->from, anchor = anchor_length(pass, m);
  double each = pass->job->weight[pass->member[m]] * pass->error[m * pass->tasks + t];
  for (size_t r = 0; r < run->height; r++)
    slack[r] += each * mk_local_error(member->spec.map, h[r]) * (length[r] + anchor);
}

/* ---- values ---- */

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
      if (pass->slack != NULL) add_value_slack(pass, m, t, &run);
    }
  }
  return MK_OK;
}

/* Copies sums, indexed by sample, to the expansion, which is indexed by place in its list. */
static void hand_over(const local_pass *pass) {
  const mk_expansion *ask = pass->job->ask;
  for (size_t i = 0; i < ask->count * ask->tasks; i++) {
    size_t at = i / ask->count * pass->all.count + (size_t)ask->sample[i % ask->count];
    mk_add_value(ask, i, pass->value[at]);
    if (pass->slack != NULL) ask->value_slack[i] += pass->slack[at];
  }
}

static mk_status add_all(local_pass *pass) {
  const mk_expansion_job *job = pass->job;
  const mk_expansion *ask = job->ask;
  size_t n = pass->all.count, depth = pass->all.depth, runs = (n + RUN - 1) / RUN;
  double work = (double)n * (double)depth * (double)pass->count;
  mk_team *team = mk_team_worth(job->control->team, 4.0 * work);
  size_t threads = (size_t)mk_team_size(team);
  pass->h = MK_TAKE(&pass->pool, double, pass->count *n);
  pass->v = MK_TAKE0(&pass->pool, double, threads * pass->count * pass->tasks * (depth + 1));
  pass->x = MK_TAKE(&pass->pool, double, threads *depth *RUN);
  pass->value = MK_TAKE0(&pass->pool, double, pass->tasks *n);
  pass->length = MK_TAKE(&pass->pool, double, n);
  pass->error = MK_TAKE(&pass->pool, double, pass->count * pass->tasks);
  if (ask->value_slack != NULL) pass->slack = MK_TAKE0(&pass->pool, double, pass->tasks *n);
  MK_TRY(mk_pool_status(&pass->pool));
  MK_TRY(mk_for_each(runs, team, job->control, collect_run, pass));
  merge_threads(pass, threads);
  if (ask->value_slack != NULL || ask->form_slack != NULL)
    MK_TRY(mk_for_each(pass->count, team, job->control, find_errors, pass));
  if (ask->value == NULL) return MK_OK;
  MK_TRY(mk_for_each(runs, team, job->control, evaluate_run, pass));
  hand_over(pass);
  return MK_OK;
}

mk_status mk_expand_local(const mk_expansion_job *job, const mk_family *family) {
  local_pass pass = {.job = job, .tasks = job->ask->tasks};
  pass.all =
      (mk_sample_block){family->view, family->features, family->feature_count, NULL, job->set->n};
  pass.member = MK_TAKE(&pass.pool, int, family->local->count);
  mk_status status = mk_pool_status(&pass.pool);
  for (size_t s = 0; status == MK_OK && s < family->local->count; s++) {
    size_t m = (size_t)family->local->member[s];
    if (mk_expands_by_features(job, m) && !mk_is_idle(job, m)) pass.member[pass.count++] = (int)m;
  }
  if (pass.count > 0) {
    pass.shift = job->set->member[pass.member[0]].spec.anchor;
    status = add_all(&pass);
  }
  mk_pool_free(&pass.pool);
  return status;
}
