/* The active kernels, and fits over them in memory by the ordinary optimiser. Called by
 * sequential.c and joining.c. MATHEMATICS.md, section 6.3. */
#include "active-set.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Least weight, as a share of the largest, of kernels that may get some: multiplicative steps
 * cannot leave 0. */
#define LEAST_START 1e-4

static double largest_of(const double *value, size_t count) {
  double largest = 0.0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, value[k]);
  return largest;
}

/* ---- life ---- */

static mk_status grow_set(mk_active_set *active, size_t count) {
  if (count <= active->room) return MK_OK;
  size_t room = 2 * count, old = active->count;
  size_t *kernel = mk_grown(active->kernel, old, room, sizeof *kernel);
  if (kernel != NULL) active->kernel = kernel;
  double *theta = mk_grown(active->theta, old, room, sizeof *theta);
  if (theta != NULL) active->theta = theta;
  double *form = mk_grown(active->form, old, room, sizeof *form);
  if (form != NULL) active->form = form;
  if (kernel == NULL || theta == NULL || form == NULL) return MK_NO_MEMORY;
  memset(theta + old, 0, (room - old) * sizeof *theta);
  memset(form + old, 0, (room - old) * sizeof *form);
  active->room = room;
  return MK_OK;
}

mk_status mk_active_new(mk_active_set *active, const mk_stream *stream, const mk_problem *problem,
                        size_t count) {
  memset(active, 0, sizeof *active);
  active->stream = stream;
  active->problem = problem;
  active->alpha = MK_NEW0(double, problem->n * problem->tasks);
  if (active->alpha == NULL) return MK_NO_MEMORY;
  MK_TRY(grow_set(active, count));
  double step = (double)stream->size / (double)count;
  for (size_t k = 0; k < count; k++) {
    active->kernel[k] = (size_t)((double)k * step);
    active->theta[k] = 1.0 / (double)count;
  }
  active->count = count;
  return MK_OK;
}

void mk_active_clear(mk_active_set *active) {
  mk_free(active->kernel);
  mk_free(active->theta);
  mk_free(active->form);
  mk_free(active->alpha);
  memset(active, 0, sizeof *active);
}

mk_status mk_active_copy(mk_active_set *into, const mk_active_set *from) {
  MK_TRY(grow_set(into, from->count));
  into->count = from->count;
  memcpy(into->kernel, from->kernel, from->count * sizeof *into->kernel);
  memcpy(into->theta, from->theta, from->count * sizeof *into->theta);
  memcpy(into->form, from->form, from->count * sizeof *into->form);
  memcpy(into->alpha, from->alpha, from->problem->n * from->problem->tasks * sizeof(double));
  into->gain = from->gain;
  into->primal = from->primal;
  into->largest = from->largest;
  return MK_OK;
}

/* ---- the fit ---- */

static void set_kernel(mk_active_set *active, size_t at, size_t kernel, double theta, double form) {
  active->kernel[at] = kernel;
  active->theta[at] = theta;
  active->form[at] = form;
}

static void move_kernel(mk_active_set *active, size_t to, size_t from) {
  set_kernel(active, to, active->kernel[from], active->theta[from], active->form[from]);
}

static void take_fit(mk_active_set *active, const mk_solution *fit) {
  size_t values = active->problem->n * active->problem->tasks;
  memcpy(active->theta, fit->theta, active->count * sizeof *active->theta);
  memcpy(active->form, fit->forms, active->count * sizeof *active->form);
  memcpy(active->alpha, fit->alpha, values * sizeof *active->alpha);
  active->largest = largest_of(active->form, active->count);
  active->gain = fit->dual + 0.5 * active->largest;
  active->primal = fit->primal;
  active->solves += fit->solves;
  active->iterations += fit->iterations;
  if (fit->bytes > active->bytes) active->bytes = fit->bytes;
}

static mk_status fit_on(mk_active_set *active, const mk_kernel_set *set, mk_optimizer optimizer,
                        const mk_control *control) {
  mk_problem problem = *active->problem;
  mk_solution fit;
  problem.set = set;
  problem.norm = mk_lp(1.0);
  double least = LEAST_START * largest_of(active->theta, active->count);
  for (size_t k = 0; k < active->count; k++)
    if (active->form[k] > active->largest) active->theta[k] = fmax(active->theta[k], least);
  mk_start start = {.theta = active->theta, .alpha = active->alpha};
  mk_status status = mk_solution_new(&fit, &problem);
  if (status == MK_OK) status = mk_optimize(optimizer, &problem, control, &start, &fit);
  if (mk_usable_end(status)) take_fit(active, &fit);
  mk_solution_clear(&fit);
  return status;
}

/* Removes kernels that turned out to be constant; returns 1 if there were any. */
static int drop_constant(mk_active_set *active) {
  const mk_stream *stream = active->stream;
  size_t kept = 0, before = active->count;
  for (size_t k = 0; stream->is_constant != NULL && k < before; k++)
    if (!stream->is_constant(stream->self, active->kernel[k])) move_kernel(active, kept++, k);
  if (stream->is_constant != NULL) active->count = kept;
  return active->count < before;
}

/* Replaces the active kernels by the first kernels that are not constant, which a scan of all
 * finds. */
static mk_status take_others(mk_active_set *active, const mk_control *control) {
  const mk_stream *stream = active->stream;
  double *strength = MK_NEW(double, stream->size);
  if (strength == NULL) return MK_NO_MEMORY;
  mk_scan all = {.alpha = active->alpha,
                 .tasks = active->problem->tasks,
                 .count = stream->size,
                 .strength = strength};
  mk_status status = mk_stream_scan(stream, &all, control);
  mk_free(strength);
  MK_TRY(status);
  for (size_t k = 0; k < stream->size && active->count < active->room; k++)
    if (!stream->is_constant(stream->self, k)) set_kernel(active, active->count++, k, 1.0, 0.0);
  return active->count > 0 ? MK_OK : MK_BAD_ARGUMENT;
}

/* Makes a set of the active kernels without constant ones. */
static mk_status open_set(mk_active_set *active, const mk_control *control, mk_kernel_set **set) {
  const mk_stream *stream = active->stream;
  MK_TRY(stream->select(stream->self, active->kernel, active->count, control, set));
  if (!drop_constant(active)) return MK_OK;
  stream->release(stream->self, *set);
  *set = NULL;
  if (active->count == 0) MK_TRY(take_others(active, control));
  return stream->select(stream->self, active->kernel, active->count, control, set);
}

mk_status mk_active_fit(mk_active_set *active, const mk_sequential_settings *settings, double tol,
                        const mk_control *control) {
  const mk_stream *stream = active->stream;
  mk_control own = *control;
  own.tol = tol;
  own.max_iter = INFINITY;
  own.progress = NULL;
  own.trace = 0;
  mk_kernel_set *set = NULL;
  mk_status status = open_set(active, control, &set);
  if (status == MK_OK) status = fit_on(active, set, settings->optimizer, &own);
  if (set != NULL) stream->release(stream->self, set);
  return status;
}

/* ---- kernels that join and leave ---- */

mk_status mk_active_insert(mk_active_set *active, size_t kernel, double strength, size_t *joined) {
  size_t at = active->count;
  while (at > 0 && active->kernel[at - 1] >= kernel) at--;
  if (at < active->count && active->kernel[at] == kernel) return MK_OK;
  MK_TRY(grow_set(active, active->count + 1));
  for (size_t k = active->count++; k > at; k--) move_kernel(active, k, k - 1);
  set_kernel(active, at, kernel, 0.0, strength);
  ++*joined;
  return MK_OK;
}

/* Keeps kernels whose weight is above `weight` or whose strength is at least `strength`. */
static void keep_strong(mk_active_set *active, double weight, double strength) {
  size_t kept = 0;
  for (size_t k = 0; k < active->count; k++) {
    if (active->theta[k] <= weight && active->form[k] < strength) continue;
    move_kernel(active, kept++, k);
  }
  active->count = kept;
}

void mk_active_drop(mk_active_set *active, double share) {
  keep_strong(active, 0.0, share * active->largest);
}

void mk_active_keep_weighted(mk_active_set *active, double dust) {
  double sum = 0.0;
  keep_strong(active, dust * largest_of(active->theta, active->count), INFINITY);
  for (size_t k = 0; k < active->count; k++) sum += active->theta[k];
  for (size_t k = 0; k < active->count; k++) active->theta[k] /= sum;
}

size_t mk_active_weighted(const mk_active_set *active) {
  size_t weighted = 0;
  for (size_t k = 0; k < active->count; k++) weighted += active->theta[k] > 0.0;
  return weighted;
}
