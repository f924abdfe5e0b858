/* Solves SVMs chunk by chunk, and computes gradients and gap over all samples after each round.
 * Called by chunking.c and rglue/shares.c. MATHEMATICS.md, section 3.5. */
#include "chunking/chunks.h"

#include "svm/loss.h"
#include "svm/smo.h"
#include "svm/state.h"

#include <math.h>
#include <string.h>

/* samples per sample of a chunk: a chunk of a sixth represents them all */
#define CHUNK_OF_ALL 6.0
#define LEAST_CHUNK 1000.0
#define SQUARE_SHARE 0.5 /* share of the memory for rows that a chunk's square may take */
#define CHUNK_SHARE 0.1  /* share of a chunk's first violation to which the chunk is solved */
#define NEAR_SHARE 0.1   /* share of the last violation; samples that near to one join the chunk */
#define CHUNK_STEPS 10.0 /* most steps of the solver per sample of a chunk */
/* time of a pair in the certificate, in multiples of its time in a pass */
#define CERTIFICATE_TIMES 6.0

/* ---- passes of this process ---- */

static mk_status respond_here(void *gram, const double *theta, size_t tasks, double **alpha,
                              double **out) {
  const mk_alphas alphas = {tasks, alpha};
  (void)theta; /* mixed already */
  return mk_gram_response_everywhere(gram, &alphas, out);
}

static mk_status form_here(void *gram, size_t tasks, double **alpha, double *s) {
  const mk_alphas alphas = {tasks, alpha};
  return mk_gram_forms(gram, &alphas, s);
}

/* ---- memory ---- */

/* Lists all samples in steps of about the golden section of n, so that neighbours are listed far
 * apart. */
static void mix_samples(mk_chunks *c) {
  size_t n = c->n, step = (size_t)(0.6180339887 * (double)n), a, b;
  for (step = step > 0 ? step : 1;; step++) { /* until n and the step have no common divisor */
    for (a = n, b = step; b > 0;) {
      size_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) break;
  }
  for (size_t k = 0, i = 0; k < n; k++, i = (i + step) % n) c->mixed[k] = (int)i;
}

static size_t chunk_size(size_t n, const mk_control *control) {
  double room = SQUARE_SHARE * (double)mk_row_budget(control) / sizeof(double);
  double size = fmin(fmax((double)n / CHUNK_OF_ALL, LEAST_CHUNK), sqrt(room));
  return mk_smaller((size_t)fmax(size, 2.0), n);
}

int mk_chunks_are_single(const mk_control *control) {
  return control->single && control->tol >= MK_SINGLE_PRECISION_TOL;
}

static mk_status open_gram(mk_chunks *c) {
  int single = mk_chunks_are_single(&c->lean);
  for (size_t i = 0; i < c->n; i++) c->order[i] = (int)i;
  MK_TRY(mk_gram_new(&c->gram, c->problem->set, single, !c->problem->loss.no_offset, &c->lean));
  return mk_gram_extend(c->gram, c->order, c->n);
}

static mk_status open_chunk(mk_chunks *c) {
  size_t apart = mk_padded(c->size);
  int single = mk_gram_is_single(c->gram);
  c->square = (mk_row){mk_pool_alloc(&c->memory, c->size * apart, mk_row_size(single)), single};
  c->row = MK_TAKE(&c->memory, mk_row, c->size);
  c->diagonal = MK_TAKE0(&c->memory, double, apart);
  c->sample = MK_TAKE(&c->memory, int, c->size);
  MK_TRY(mk_pool_status(&c->memory));
  return mk_svm_init(&c->svm, c->size, &c->problem->loss);
}

static mk_status open_tasks(mk_chunks *c) {
  double ***of_tasks[] = {&c->alpha, &c->response, &c->change, &c->moved};
  c->task = MK_TAKE0(&c->memory, mk_chunk_task, c->tasks);
  for (size_t k = 0; k < sizeof of_tasks / sizeof *of_tasks; k++) {
    *of_tasks[k] = MK_TAKE0(&c->memory, double *, c->tasks);
    MK_TRY(mk_pool_status(&c->memory));
    for (size_t t = 0; t < c->tasks; t++) (*of_tasks[k])[t] = MK_TAKE0(&c->memory, double, c->n);
  }
  MK_TRY(mk_pool_status(&c->memory));
  for (size_t t = 0; t < c->tasks; t++)
    c->task[t] = (mk_chunk_task){.terms = mk_problem_terms(c->problem, t),
                                 .alpha = c->alpha[t],
                                 .response = c->response[t],
                                 .place = {0.0, INFINITY}};
  return MK_OK;
}

mk_status mk_chunks_new(mk_chunks *c, const mk_problem *problem, const mk_control *control) {
  size_t n = problem->n;
  *c = (mk_chunks){.problem = problem,
                   .control = control,
                   .lean = *control,
                   .n = n,
                   .tasks = problem->tasks,
                   .kernels = mk_set_kernels(problem->set)};
  c->size = chunk_size(n, control);
  MK_TRY(open_tasks(c));
  c->gradient = MK_TAKE0(&c->memory, double, n);
  c->theta = MK_TAKE0(&c->memory, double, c->kernels);
  c->order = MK_TAKE(&c->memory, int, n);
  c->mixed = MK_TAKE(&c->memory, int, n);
  MK_TRY(mk_pool_status(&c->memory));
  c->lean.cache = 0;
  mix_samples(c);
  MK_TRY(open_gram(c));
  c->passes = control->passes != NULL ? *control->passes
                                      : (mk_passes){respond_here, form_here, NULL, c->gram};
  return open_chunk(c);
}

void mk_chunks_clear(mk_chunks *c) {
  mk_gram_free(c->gram);
  mk_svm_clear(&c->svm);
  mk_pool_free(&c->memory);
}

size_t mk_chunks_bytes(const mk_chunks *c) {
  return mk_gram_bytes(c->gram) + c->memory.bytes;
}

/* ---- all samples ---- */

/* Computes out[t] = K_theta alpha[t]. */
static mk_status compute_responses(mk_chunks *c, double **alpha, double **out) {
  double began = mk_seconds();
  MK_TRY(mk_check(&c->lean));
  MK_TRY(c->passes.respond(c->passes.data, c->theta, c->tasks, alpha, out));
  c->seconds += mk_seconds() - began;
  c->pairs += mk_support_count(alpha, c->tasks, c->n) * (double)c->n;
  return MK_OK;
}

mk_status mk_chunks_forms(const mk_chunks *c, double *s) {
  return c->passes.form(c->passes.data, c->tasks, c->alpha, s);
}

/* Reserves the time of the present alphas' certificate, if the fit has a limit. */
static void keep_time_back(mk_chunks *c) {
  double pairs = mk_support_count(c->alpha, c->tasks, c->n) * (double)c->n;
  if (isfinite(c->control->max_time) && c->pairs > 0.0)
    c->lean.max_time = c->control->max_time - CERTIFICATE_TIMES * c->seconds * pairs / c->pairs;
}

/* Computes a task's offset, loss, gain and quadratic form at this theta. */
static void measure_task(mk_chunks *c, mk_chunk_task *task) {
  const mk_simd *simd = mk_simd_best();
  const mk_terms *terms = &task->terms;
  for (size_t i = 0; i < c->n; i++) c->gradient[i] = terms->linear[i] - task->response[i];
  task->loss = mk_loss_total(terms, c->gradient, c->order, &task->offset);
  task->gain =
      simd->dot(c->n, terms->linear, task->alpha) - mk_loss_total_penalty(terms, task->alpha);
  task->value = simd->dot(c->n, task->alpha, task->response);
}

static mk_status measure_tasks(mk_chunks *c) {
  for (size_t t = 0; t < c->tasks; t++) measure_task(c, &c->task[t]);
  keep_time_back(c);
  return isfinite(mk_chunks_gap(c)) ? MK_OK : MK_NOT_FINITE;
}

mk_status mk_chunks_use_theta(mk_chunks *c, const double *theta) {
  memcpy(c->theta, theta, c->kernels * sizeof *theta);
  MK_TRY(mk_gram_mix(c->gram, c->theta));
  MK_TRY(compute_responses(c, c->alpha, c->response));
  return measure_tasks(c);
}

mk_status mk_chunks_resume(mk_chunks *c) {
  MK_TRY(mk_gram_mix(c->gram, c->theta));
  return measure_tasks(c);
}

mk_status mk_chunks_begin(mk_chunks *c, const double *theta, const double *alpha) {
  for (size_t t = 0; t < c->tasks; t++) {
    if (alpha != NULL) memcpy(c->alpha[t], alpha + t * c->n, c->n * sizeof *alpha);
    mk_make_feasible(&c->task[t].terms, c->alpha[t]);
  }
  return mk_chunks_use_theta(c, theta);
}

/* ---- the chunk ---- */

/* Returns the violation of optimality of sample i at the task's offset; below 0, the distance from
 * violating it. */
static double violation_of(const mk_chunk_task *task, size_t i) {
  const mk_terms *terms = &task->terms;
  double right, left, gradient = terms->linear[i] - task->response[i];
  if (!(terms->upper[i] > terms->lower[i])) return -INFINITY;
  mk_loss_slopes(terms, i, task->alpha[i], &right, &left);
  return fmax(gradient - right - task->offset, task->offset - gradient + left);
}

/* Chooses the next violators in the mixed order, and samples that nearly are violators. The chunk
 * then represents all violators; a chunk of the worst alone would be solved at the expense of the
 * others. */
static void choose_chunk(mk_chunks *c, mk_chunk_task *task) {
  double near = -NEAR_SHARE * task->place[1], most = 0.0;
  c->count = 0;
  size_t next = (size_t)task->place[0];
  for (size_t k = 0; k < c->n && c->count < c->size; k++) {
    size_t i = (size_t)c->mixed[next];
    next = next + 1 < c->n ? next + 1 : 0;
    double violation = violation_of(task, i);
    if (!(violation > near)) continue;
    most = fmax(most, violation);
    c->sample[c->count++] = (int)i;
  }
  task->place[0] = (double)next;
  task->place[1] = most;
}

static mk_status fill_chunk(mk_chunks *c, const mk_chunk_task *task) {
  mk_svm *svm = &c->svm;
  const mk_terms *terms = &task->terms;
  const double *diagonal = mk_gram_diagonal(c->gram);
  size_t apart = mk_padded(c->count);
  svm->n = c->count;
  svm->offset = task->offset;
  for (size_t k = 0; k < c->count; k++) {
    size_t i = (size_t)c->sample[k];
    c->row[k] = mk_row_from(c->square, k * apart);
    svm->alpha[k] = task->alpha[i];
    svm->gradient[k] = terms->linear[i] - task->response[i];
    svm->linear[k] = terms->linear[i];
    svm->lower[k] = terms->lower[i];
    svm->upper[k] = terms->upper[i];
    if (terms->ridge != NULL) svm->ridge[k] = terms->ridge[i];
    c->diagonal[k] = diagonal[i];
  }
  for (size_t k = c->count; k < apart; k++) c->diagonal[k] = 0.0;
  mk_svm_reset_bounds(svm);
  return mk_gram_square(c->gram, c->sample, c->count, c->row);
}

static mk_row row_of_chunk(void *data, size_t i, mk_status *status) {
  (void)status;
  return ((mk_chunks *)data)->row[i];
}

static mk_status solve_chunk(mk_chunks *c, double accuracy) {
  double violation;
  mk_svm_task task = {.svm = &c->svm,
                      .rows = {.row = row_of_chunk,
                               .data = c,
                               .single = c->square.single,
                               .unit = mk_gram_unit(c->gram)},
                      .diagonal = c->diagonal,
                      .control = &c->lean};
  return mk_smo_run(&task, accuracy, CHUNK_STEPS * (double)c->count, &violation);
}

/* Solves the next chunk of a task if its gap is above `target`, and computes the change of its
 * alpha. */
static mk_status next_chunk(mk_chunks *c, mk_chunk_task *task, double target, double *change) {
  double steps = c->svm.steps;
  memset(change, 0, c->n * sizeof *change);
  if (c->tasks > 1 && task->loss + task->value - task->gain <= target) return MK_OK;
  choose_chunk(c, task);
  if (c->count == 0) return MK_OK;
  MK_TRY(fill_chunk(c, task));
  MK_TRY(solve_chunk(c, CHUNK_SHARE * task->place[1]));
  if (c->svm.steps == steps) task->place[1] = INFINITY; /* the next chunk takes all samples */
  for (size_t k = 0; k < c->count; k++) {
    size_t i = (size_t)c->sample[k];
    change[i] = c->svm.alpha[k] - task->alpha[i];
    task->alpha[i] = c->svm.alpha[k];
  }
  return MK_OK;
}

/* Solves a chunk of each task that needs one, then updates all responses in one pass. */
mk_status mk_chunks_round(mk_chunks *c, double target) {
  for (size_t t = 0; t < c->tasks; t++)
    MK_TRY(next_chunk(c, &c->task[t], target / (double)c->tasks, c->change[t]));
  MK_TRY(compute_responses(c, c->change, c->moved));
  for (size_t t = 0; t < c->tasks; t++)
    mk_simd_best()->axpy(c->n, 1.0, c->moved[t], c->response[t]);
  return measure_tasks(c);
}
