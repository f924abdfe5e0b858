/* Multiple kernel learning with p = 1 over a stream: fits the active kernels, scans the others, and
 * lets the strongest that exceed the active ones join, until the certificate holds for all. Called
 * by rglue/sequential.c and rglue/local.c. MATHEMATICS.md, section 6.3. */
#include "sequential.h"

#include "active-set.h"
#include "base/memory.h"
#include "base/simd.h"
#include "certify.h"
#include "joining.h"

#include <math.h>
#include <string.h>

#define BEGINNING 64       /* kernels of the first fit */
#define LEAST_BEGINNING 16 /* kernels of the first fit if samples are many */
#define LOOSEST_FIT 0.03   /* largest gap asked of a fit on the active kernels */
#define FIT_SHARE 0.2      /* gap of such a fit as a share of the present gap */
#define FINEST_FIT 0.3     /* smallest gap of such a fit as a share of the wanted one */
#define POOL_GAP 0.6       /* share of the wanted gap that ends the rounds over the pool */
/* share of the gap at the last scan of all kernels that also ends these rounds */
#define POOL_SHARE_OF_ALL 0.15
/* share of the largest weight below which a weight is a rest of a fit's start */
#define LEAST_WEIGHT 2e-4
#define MOST_IDLE_SCANS 12 /* most successive scans without progress */
/* fall of the primal that counts as progress, as a share of the wanted gap */
#define PROGRESS 0.1
#define GAP_PROGRESS 0.99 /* share of the least gap so far below which a gap is progress */
/* share of the goal by which a joining kernel exceeds the strongest active one */
#define JOINING_SHARE 0.1

typedef struct run {
  const mk_stream *stream;
  const mk_problem *problem;
  const mk_sequential_settings *settings;
  const mk_control *control;
  mk_sequential_solution *solution;
  mk_active_set active;
  mk_active_set sound; /* the active set at the last scan of all kernels */
  /* largest strength at the last scan of all kernels; infinite: there was none */
  double sound_largest;
  mk_joining joining;
  double goal, tol;      /* gap that ends the search; gap for the next fit */
  double gap, whole_gap; /* gap over the kernels of the last scan; at the last scan of all */
  double primal;         /* primal value when it last fell by PROGRESS */
  double least[2];       /* smallest gap over the pool; over all */
  int idle;              /* scans since `least` or `primal` fell */
  int fresh;             /* 1 if all strengths are known at the present alphas */
} run;

/* ---- life ---- */

static mk_status begin_run(run *r) {
  size_t size = r->stream->size;
  size_t first = mk_by_samples(r->problem->n, BEGINNING, LEAST_BEGINNING);
  if (size == 0) return MK_BAD_ARGUMENT;
  r->sound_largest = r->gap = r->whole_gap = r->least[0] = r->least[1] = r->primal = INFINITY;
  r->goal = MK_GOAL_SHARE * r->control->tol;
  r->tol = size <= first ? r->goal : fmax(LOOSEST_FIT, FINEST_FIT * r->goal);
  first = mk_smaller(first, size);
  MK_TRY(mk_active_new(&r->active, r->stream, r->problem, first));
  MK_TRY(mk_active_new(&r->sound, r->stream, r->problem, first));
  return mk_joining_new(&r->joining, r->stream, r->settings);
}

static void end_run(run *r) {
  mk_active_clear(&r->active);
  mk_active_clear(&r->sound);
  mk_joining_clear(&r->joining);
}

/* ---- scans ---- */

/* Computes strengths of the pool or of all kernels. */
static mk_status scan_kernels(run *r, int whole) {
  mk_scan scan = {.alpha = r->active.alpha,
                  .tasks = r->problem->tasks,
                  .which = whole ? NULL : r->joining.pool,
                  .count = whole ? r->stream->size : r->joining.pooled,
                  .exact = whole,
                  .strength = r->joining.strength};
  return mk_stream_scan(r->stream, &scan, r->control);
}

static double largest_of(const run *r, size_t count) {
  double largest = r->active.largest;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, r->joining.strength[k]);
  return largest;
}

static mk_status keep_sound(run *r, double largest) {
  r->sound_largest = largest;
  return mk_active_copy(&r->sound, &r->active);
}

static mk_status record_pass(run *r, size_t scanned, size_t inserted, double dual, double gap) {
  mk_sequential_solution *s = r->solution;
  if (s->passes == s->room) {
    size_t room = s->room == 0 ? 32 : 2 * s->room;
    mk_sequential_pass *pass = mk_grown(s->pass, s->passes, room, sizeof *pass);
    if (pass == NULL) return MK_NO_MEMORY;
    s->pass = pass;
    s->room = room;
  }
  double seconds = mk_seconds() - r->control->start;
  double active = (double)mk_active_weighted(&r->active);
  s->pass[s->passes++] =
      (mk_sequential_pass){(double)scanned, (double)inserted, active, dual, gap, seconds};
  if (r->control->progress != NULL)
    r->control->progress(r->control->data, (double)s->passes, seconds, dual, gap, 0.0);
  return MK_OK;
}

/* ---- the end ---- */

/* Certifies the kernels with weight within so many seconds; dual and gap hold if no kernel is
 * stronger than `largest`. */
static mk_status certify_active(run *r, double largest, double seconds) {
  const mk_active_set *active = &r->active;
  mk_weighted weighted = {active->kernel, active->count, active->theta, active->alpha};
  mk_control patient = mk_patient(r->control);
  double gain;
  patient.max_time = seconds;
  MK_TRY(mk_certify_selected(r->stream, r->problem, &weighted, &patient, r->solution, &gain));
  mk_settle(r->solution, gain, largest);
  r->solution->fit.solves = active->solves;
  r->solution->fit.iterations = active->iterations;
  r->solution->fit.bytes = active->bytes + 3 * r->stream->size * sizeof(double);
  return MK_OK;
}

/* Certifies over all kernels; *converged is 1 if the gap is small enough. Kernels without weight
 * are removed, and so are weights left from a fit's start if the certificate allows it. */
static mk_status certify_all(run *r, int *converged) {
  const mk_sequential_solution *s = r->solution;
  size_t size = r->stream->size;
  int seen = s->passes > 0 && s->pass[s->passes - 1].scanned >= (double)size;
  if (!r->fresh) MK_TRY(scan_kernels(r, 1));
  double largest = largest_of(r, size);
  r->solution->complete = 1;
  MK_TRY(keep_sound(r, largest));
  mk_active_keep_weighted(&r->active, LEAST_WEIGHT);
  MK_TRY(certify_active(r, largest, INFINITY));
  if (s->fit.gap > r->control->tol) {
    MK_TRY(mk_active_copy(&r->active, &r->sound));
    mk_active_keep_weighted(&r->active, 0.0);
    MK_TRY(certify_active(r, largest, INFINITY));
  }
  *converged = s->fit.gap <= r->control->tol;
  return seen ? MK_OK : record_pass(r, size, 0, s->fit.dual, s->fit.gap);
}

static int is_zero(const double *value, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (value[i] != 0.0) return 0;
  return 1;
}

/* Ends the search at the time limit. If there was a scan of all kernels, the state at that scan is
 * certified. Otherwise the dual value is 0, that of alpha = 0, where all kernels are equal, and a
 * certificate over a single one takes the least time. */
static mk_status conclude_early(run *r) {
  mk_sequential_solution *s = r->solution;
  s->complete = isfinite(r->sound_largest);
  if (s->complete) MK_TRY(mk_active_copy(&r->active, &r->sound));
  if (is_zero(r->active.alpha, r->problem->n * r->problem->tasks)) {
    r->active.count = 1;
    r->active.theta[0] = 1.0;
  }
  mk_active_keep_weighted(&r->active, 0.0);
  MK_TRY(certify_active(r, r->sound_largest, s->complete ? INFINITY : mk_latest(r->control)));
  if (!s->complete) {
    s->fit.dual = 0.0;
    s->fit.gap = fmax(mk_relative_gap(s->fit.primal, 0.0), 0.0);
  }
  return s->passes > 0 ? MK_OK : record_pass(r, 0, 0, s->fit.dual, s->fit.gap);
}

/* ---- the loop ---- */

/* Fits the active kernels; *stalled is 1 if the gap asked for was not reached. */
static mk_status fit_active(run *r, int *stalled) {
  mk_status status = mk_active_fit(&r->active, r->settings, r->tol, r->control);
  r->fresh = 0;
  *stalled = status == MK_STALLED;
  return *stalled ? MK_OK : status;
}

/* Records a gap and counts scans without progress. Gaps may cycle, so progress requires a new
 * minimum. */
static void record_gap(run *r, int whole, double gap) {
  int better = gap < GAP_PROGRESS * r->least[whole];
  if (r->primal - r->active.primal > PROGRESS * r->goal * fabs(r->active.primal)) {
    r->primal = r->active.primal;
    better = 1;
  }
  r->idle = better ? 0 : r->idle + 1;
  r->least[whole] = fmin(gap, r->least[whole]);
  r->gap = gap;
  if (whole) r->whole_gap = gap;
}

/* Scans the pool or all kernels and adds violators to the active ones. */
static mk_status add_violators(run *r, int whole, size_t *joined) {
  size_t count = whole ? r->stream->size : r->joining.pooled;
  MK_TRY(scan_kernels(r, whole));
  double largest = largest_of(r, count), dual = r->active.gain - 0.5 * largest;
  record_gap(r, whole, mk_relative_gap(r->active.primal, dual));
  if (whole) MK_TRY(keep_sound(r, largest));
  r->fresh = whole;
  MK_TRY(mk_join(&r->joining, &r->active, whole, JOINING_SHARE * r->goal, joined));
  return record_pass(r, count, *joined, dual, r->gap);
}

static int pool_is_done(const run *r) {
  return r->gap <= fmax(POOL_GAP * r->goal, POOL_SHARE_OF_ALL * r->whole_gap);
}

static mk_status search_stream(run *r) {
  int stalled, converged, whole = 1, everything = r->joining.most == r->stream->size;
  size_t joined;
  for (;;) {
    MK_TRY(fit_active(r, &stalled));
    MK_TRY(add_violators(r, whole, &joined));
    if (whole && r->gap <= r->goal) {
      MK_TRY(certify_all(r, &converged));
      if (converged) return MK_OK;
      if (r->solution->fit.rounding >= r->control->tol) return MK_STALLED;
      MK_TRY(mk_active_copy(&r->active, &r->sound));
      r->goal *= 0.5;
    }
    if ((stalled && joined == 0 && whole) || r->idle > MOST_IDLE_SCANS) return MK_STALLED;
    if ((double)r->solution->passes >= r->control->max_iter) return MK_ITERATION_LIMIT;
    r->tol = fmax(FINEST_FIT * r->goal, fmin(LOOSEST_FIT, FIT_SHARE * r->gap));
    whole = everything || (!whole && (pool_is_done(r) || (stalled && joined == 0)));
  }
}

mk_status mk_sequential(const mk_stream *stream, const mk_problem *problem,
                        const mk_sequential_settings *settings, const mk_control *control,
                        mk_sequential_solution *solution) {
  run r = {.stream = stream,
           .problem = problem,
           .settings = settings,
           .control = control,
           .solution = solution};
  memset(solution, 0, sizeof *solution);
  mk_status status = begin_run(&r), ended = MK_OK;
  int converged = 0;
  if (status == MK_OK) status = search_stream(&r);
  if (status == MK_TIME_LIMIT) ended = conclude_early(&r);
  if (status == MK_STALLED || status == MK_ITERATION_LIMIT) ended = certify_all(&r, &converged);
  if (ended == MK_TIME_LIMIT) ended = conclude_early(&r);
  if (ended == MK_TIME_LIMIT) mk_sequential_clear(solution);
  if (converged) status = MK_OK;
  end_run(&r);
  return ended != MK_OK ? ended : status;
}

void mk_sequential_clear(mk_sequential_solution *solution) {
  mk_free(solution->selected);
  mk_free(solution->pass);
  mk_solution_clear(&solution->fit);
  memset(solution, 0, sizeof *solution);
}
