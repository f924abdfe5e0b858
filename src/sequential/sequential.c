#include "sequential.h"

#include "active-set.h"
#include "base/memory.h"
#include "largest.h"
#include "optimizer/certificate.h"
#include "twins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING 64              /* kernels of the first fit, ... */
#define LEAST_BEGINNING 16        /* ... fewer where there are many samples, ... */
#define FEW_SAMPLES 1000.0        /* ... more than these: then fits are dear beside scans */
#define STRETCH ((size_t)1 << 16) /* kernels scanned between looks at the limits */
#define POOL_SHARE 50             /* the pool has one kernel of so many, ... */
#define LEAST_POOL 4000           /* ... but no fewer, ... */
#define MOST_POOL 50000           /* ... and no more */
#define INSERT 100                /* kernels that join at once ... */
#define LEAST_INSERT 20           /* ... fewer where there are many samples, ... */
#define INSERT_SHARE 0.5          /* ... and as many again as this share of those of weight */
#define FEW 12                    /* peaks, beside which others join, too */
#define CROWD 400                 /* kernels beyond which those that matter little leave */
#define MATTER 0.9                /* those below this share of the largest strength do */
#define ALIKE 20                  /* kernels of one strength that may join at once */
#define DUST 2e-4        /* of the largest weight: weights below are no more than fits began with */
#define LOOSEST 0.03     /* gap asked of a fit on the active kernels, ... */
#define FOLLOW 0.2       /* ... and as a share of the gap there is ... */
#define FINEST 0.3       /* ... or of the one wanted */
#define POOL_GOAL 0.6    /* share of the wanted gap that ends the rounds over the pool, ... */
#define POOL_FOLLOW 0.15 /* ... or of the gap when all kernels were scanned last */
#define PATIENCE 12      /* scans without progress that end it all, ... */
#define PROGRESS 0.1     /* ... which is so much of the wanted gap off the primal, too */

typedef struct run {
  const mk_stream *stream;
  const mk_problem *problem;
  const mk_sequential_settings *settings;
  const mk_control *control;
  mk_sequential_solution *solution;
  mk_active_set active;
  mk_active_set sound;        /* as it was when all kernels were scanned last, ... */
  double sound_largest;       /* ... the largest strength of all then; infinite: they never were */
  double *strength;           /* of the kernels scanned, by place in the scan */
  double *peak;               /* the same of those that exceed their neighbours */
  size_t *place;              /* of those that stand out, ... */
  double *height;             /* ... and their strengths */
  size_t *pool, pooled, most; /* kernels that are scanned more often; most: as many at most */
  double goal, tol;           /* gap that ends the search; gap asked of the next fit */
  double gap, whole_gap;      /* over the kernels of the last scan; of the last scan of all */
  double primal;              /* the least when it last fell by much */
  double least[2];            /* smallest gap over the pool since the last scan of all; over all */
  int idle[2];                /* scans of the pool, of all since that or the primal fell */
  int fresh;                  /* all strengths are known at the present alphas, as certified */
} run;

/* ---- life ---- */

static size_t within(size_t value, size_t least, size_t most) {
  return value < least ? least : value > most ? most : value;
}

/* A number of kernels, in inverse proportion to the samples where these are many. */
static size_t by_samples(const run *r, size_t most, size_t least) {
  double share = FEW_SAMPLES / (double)r->problem->n;
  return share >= 1.0 ? most : within((size_t)(share * (double)most), least, most);
}

static mk_status begin(run *r) {
  size_t size = r->stream->size, pool = r->settings->pool;
  size_t first = by_samples(r, BEGINNING, LEAST_BEGINNING);
  if (size == 0) return MK_BAD_ARGUMENT;
  if (pool == 0) pool = within(size / POOL_SHARE, LEAST_POOL, MOST_POOL);
  r->most = pool < size ? pool : size;
  r->sound_largest = r->gap = r->whole_gap = r->least[0] = r->least[1] = r->primal = INFINITY;
  r->goal = 0.9 * r->control->tol;
  r->tol = fmax(LOOSEST, FINEST * r->goal);
  if (size <= first) {
    first = size;
    r->tol = r->goal;
  }
  MK_TRY(mk_active_new(&r->active, r->stream, r->problem, first));
  MK_TRY(mk_active_new(&r->sound, r->stream, r->problem, first));
  r->strength = MK_NEW0(double, size);
  r->peak = MK_NEW0(double, size);
  r->pool = MK_NEW(size_t, r->most);
  r->place = MK_NEW(size_t, r->most);
  r->height = MK_NEW(double, r->most);
  return r->strength == NULL || r->peak == NULL || r->pool == NULL || r->place == NULL ||
                 r->height == NULL
             ? MK_NO_MEMORY
             : MK_OK;
}

static void end(run *r) {
  mk_active_clear(&r->active);
  mk_active_clear(&r->sound);
  mk_free(r->strength);
  mk_free(r->peak);
  mk_free(r->pool);
  mk_free(r->place);
  mk_free(r->height);
}

/* ---- scans ---- */

/* Strengths of the listed kernels, or of all, where `which` is NULL. */
static mk_status scan(run *r, const size_t *which, size_t count, int exact) {
  mk_scan part = {.alpha = r->active.alpha, .tasks = r->problem->tasks, .exact = exact};
  for (size_t from = 0; from < count; from += STRETCH) {
    MK_TRY(mk_check(r->control));
    part.which = which != NULL ? which + from : NULL;
    part.from = from;
    part.count = within(count - from, 0, STRETCH);
    part.strength = r->strength + from;
    MK_TRY(r->stream->strengths(r->stream->self, &part, r->control));
    for (size_t k = 0; k < part.count; k++)
      if (!isfinite(part.strength[k])) return MK_NOT_FINITE;
  }
  return MK_OK;
}

static double largest_of(const run *r, size_t count) {
  double largest = r->active.largest;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, r->strength[k]);
  return largest;
}

static double relative_gap(double primal, double dual) {
  return (primal - dual) / fmax(fabs(primal), 1e-300);
}

static mk_status record(run *r, size_t scanned, size_t inserted, double dual, double gap) {
  mk_sequential_solution *s = r->solution;
  if (s->passes == s->room) {
    size_t room = s->room == 0 ? 32 : 2 * s->room;
    mk_sequential_pass *pass = MK_NEW(mk_sequential_pass, room);
    if (pass == NULL) return MK_NO_MEMORY;
    if (s->passes > 0) memcpy(pass, s->pass, s->passes * sizeof *pass);
    mk_free(s->pass);
    s->pass = pass;
    s->room = room;
  }
  double seconds = mk_seconds() - r->control->start;
  double active = (double)mk_active_weighted(&r->active);
  s->pass[s->passes++] =
      (mk_sequential_pass){(double)scanned, (double)inserted, active, dual, gap, seconds};
  if (r->control->progress != NULL)
    r->control->progress(r->control->data, (double)s->passes, seconds, dual, gap);
  return MK_OK;
}

/* ---- who joins ---- */

static int by_number(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* Neighbours by number are often much the same, as Gaussians of many widths are: of these the
 * strongest stands for all. Others are -infinity. */
static void find_peaks(run *r, const size_t *which, size_t count) {
  const double *s = r->strength;
  for (size_t k = 0; k < count; k++) {
    int left = k > 0 && (which == NULL || which[k - 1] + 1 == which[k]);
    int right = k + 1 < count && (which == NULL || which[k + 1] == which[k] + 1);
    int peak = (!left || s[k] > s[k - 1]) && (!right || s[k] >= s[k + 1]);
    r->peak[k] = peak ? s[k] : -INFINITY;
  }
}

/* The strongest kernels of the last scan are the new pool, with more of those that stand out among
 * their neighbours. */
static void refill(run *r) {
  size_t size = r->stream->size, half = r->most / 2;
  size_t held = mk_largest(r->strength, size, -INFINITY, half, r->pool);
  for (size_t k = 0; k < held; k++) r->peak[r->pool[k]] = -INFINITY;
  held += mk_largest(r->peak, size, -INFINITY, r->most - held, r->pool + held);
  qsort(r->pool, held, sizeof *r->pool, by_number);
  r->pooled = held;
}

/* Adds the strongest of `value`, of `most` different strengths; those of one strength may be a
 * kernel and its twins. */
static size_t choose(run *r, const double *value, size_t count, double above, size_t chosen,
                     size_t most) {
  double last = INFINITY;
  size_t found = mk_largest(value, count, above, r->most - chosen, r->place + chosen);
  size_t different = chosen, alike = 0;
  for (size_t k = chosen, end = chosen + found; k < end; k++) {
    double strength = value[r->place[k]];
    alike = mk_as_strong(last, strength) ? alike + 1 : 0;
    if (alike == 0 && different++ == most) break;
    if (alike == 0) last = strength;
    if (alike < ALIKE) r->place[chosen++] = r->place[k];
  }
  return chosen;
}

/* Of the kernels scanned those that exceed the active ones join: peaks, and others where these are
 * few. */
static mk_status insert(run *r, const size_t *which, size_t count, size_t *joined) {
  size_t weighted = mk_active_weighted(&r->active);
  size_t most = r->settings->insert;
  if (most == 0)
    most = by_samples(r, INSERT, LEAST_INSERT) + (size_t)(INSERT_SHARE * (double)weighted);
  double above = r->active.largest * (1.0 + 0.1 * r->goal);
  size_t chosen = choose(r, r->peak, count, above, 0, most);
  if (chosen < FEW) chosen = choose(r, r->strength, count, above, chosen, within(FEW, 0, most));
  for (size_t k = 0; k < chosen; k++) {
    r->height[k] = r->strength[r->place[k]];
    if (which != NULL) r->place[k] = which[r->place[k]];
  }
  MK_TRY(mk_part_twins(r->stream, r->active.alpha, r->problem->tasks, r->control, r->place,
                       r->height, &chosen));
  chosen = within(chosen, 0, most);
  if (r->active.count > CROWD) mk_active_drop(&r->active, MATTER);
  return mk_active_insert(&r->active, r->place, r->height, chosen, joined);
}

/* ---- the end ---- */

/* The certificate over the kernels of weight; dual and gap are theirs alone. */
static mk_status certify_on(run *r, const mk_kernel_set *set, double *gain) {
  mk_sequential_solution *out = r->solution;
  mk_active_set *active = &r->active;
  mk_problem problem = *r->problem;
  mk_control patient = *r->control;
  patient.max_time = INFINITY;
  problem.set = set;
  problem.norm = mk_lp(1.0);
  mk_solution_clear(&out->fit);
  mk_free(out->selected);
  out->count = active->count;
  out->selected = MK_NEW(size_t, active->count);
  if (out->selected == NULL) return MK_NO_MEMORY;
  MK_TRY(mk_solution_new(&out->fit, &problem));
  memcpy(out->selected, active->kernel, active->count * sizeof *out->selected);
  memcpy(out->fit.theta, active->theta, active->count * sizeof(double));
  memcpy(out->fit.alpha, active->alpha, problem.n * problem.tasks * sizeof(double));
  mk_certificate certificate = {
      .offset = out->fit.offset, .forms = out->fit.forms, .decision = out->fit.decision};
  MK_TRY(mk_certify(&problem, out->fit.theta, out->fit.alpha, &patient, &certificate));
  *gain = certificate.gain;
  out->fit.primal = certificate.primal;
  out->fit.dual = certificate.dual;
  out->fit.rounding = certificate.rounding;
  return MK_OK;
}

static mk_status certify_weighted(run *r, double *gain) {
  mk_kernel_set *set = NULL;
  mk_control patient = *r->control;
  patient.max_time = INFINITY;
  mk_status status =
      r->stream->select(r->stream->self, r->active.kernel, r->active.count, &patient, &set);
  if (status == MK_OK) status = certify_on(r, set, gain);
  if (set != NULL) r->stream->release(r->stream->self, set);
  return status;
}

static void settle(run *r, double largest, double dual) {
  mk_sequential_solution *out = r->solution;
  out->largest = largest;
  out->fit.dual = dual;
  out->fit.gap = fmax(relative_gap(out->fit.primal, dual), 0.0);
  out->fit.solves = r->active.solves;
  out->fit.iterations = r->active.iterations;
  out->fit.bytes = r->active.bytes + 3 * r->stream->size * sizeof(double);
}

/* With all strengths known. */
static mk_status certify_all(run *r, double largest) {
  double gain;
  MK_TRY(certify_weighted(r, &gain));
  /* what evaluation may be off by is part of the set's own */
  largest = fmax(largest, 2.0 * (gain - r->solution->fit.dual));
  settle(r, largest, gain - 0.5 * largest);
  return MK_OK;
}

/* The certificate over all kernels; *converged: it says what is wanted. Kernels without weight
 * leave, and so does the dust of weights that fits began with, where the certificate agrees. */
static mk_status conclude(run *r, int *converged) {
  const mk_sequential_solution *s = r->solution;
  double tol = r->control->tol, size = (double)r->stream->size;
  int seen = s->passes > 0 && s->pass[s->passes - 1].scanned >= size;
  if (!r->fresh) MK_TRY(scan(r, NULL, r->stream->size, 1));
  double largest = largest_of(r, r->stream->size);
  r->solution->complete = 1;
  MK_TRY(mk_active_copy(&r->sound, &r->active));
  r->sound_largest = largest;
  mk_active_keep_weighted(&r->active, DUST);
  MK_TRY(certify_all(r, largest));
  if (r->solution->fit.gap > tol) {
    MK_TRY(mk_active_copy(&r->active, &r->sound));
    mk_active_keep_weighted(&r->active, 0.0);
    MK_TRY(certify_all(r, largest));
  }
  *converged = s->fit.gap <= tol;
  return seen ? MK_OK : record(r, r->stream->size, 0, s->fit.dual, s->fit.gap);
}

/* Out of time: what was known when all kernels were scanned last, if they were. */
static mk_status conclude_early(run *r) {
  double gain;
  int complete = isfinite(r->sound_largest);
  if (complete) MK_TRY(mk_active_copy(&r->active, &r->sound));
  mk_active_keep_weighted(&r->active, 0.0);
  MK_TRY(certify_weighted(r, &gain));
  double largest = fmax(r->sound_largest, 2.0 * (gain - r->solution->fit.dual));
  settle(r, largest, complete ? gain - 0.5 * largest : 0.0);
  r->solution->complete = complete;
  if (r->solution->passes > 0) return MK_OK;
  return record(r, 0, 0, r->solution->fit.dual, r->solution->fit.gap);
}

/* ---- the loop ---- */

/* The fit on the active kernels; *stalled: it can't be had as close as asked. */
static mk_status fit(run *r, int *stalled) {
  mk_status status = mk_active_fit(&r->active, r->settings, r->tol, r->control);
  r->fresh = 0;
  *stalled = status == MK_STALLED;
  return *stalled ? MK_OK : status;
}

/* What a scan says of the progress. Gaps may go in a circle, but not below their least each time.
 */
static void follow(run *r, int whole, double gap) {
  int better = gap < 0.99 * r->least[whole];
  r->idle[whole] = better ? 0 : r->idle[whole] + 1;
  if (r->primal - r->active.primal > PROGRESS * r->goal * fabs(r->active.primal)) {
    r->primal = r->active.primal;
    r->idle[0] = r->idle[1] = 0;
  }
  r->least[whole] = fmin(gap, r->least[whole]);
  r->gap = gap;
  if (!whole) return;
  r->whole_gap = gap;
  r->least[0] = INFINITY;
  r->idle[0] = 0;
}

static int goes_nowhere(const run *r) {
  return r->idle[0] > PATIENCE || r->idle[1] > PATIENCE;
}

/* One scan, of the pool or of all, and what follows from it. */
static mk_status look(run *r, int whole, size_t *joined) {
  const size_t *which = whole ? NULL : r->pool;
  size_t count = whole ? r->stream->size : r->pooled;
  MK_TRY(scan(r, which, count, whole && r->stream->certified));
  double largest = largest_of(r, count), dual = r->active.gain - 0.5 * largest;
  double gap = relative_gap(r->active.primal, dual);
  if (whole) {
    MK_TRY(mk_active_copy(&r->sound, &r->active));
    r->sound_largest = largest;
    r->fresh = r->stream->certified;
  }
  follow(r, whole, gap);
  find_peaks(r, which, count);
  MK_TRY(insert(r, which, count, joined));
  if (whole && r->most < r->stream->size) refill(r);
  return record(r, count, *joined, dual, gap);
}

static int pool_is_done(const run *r) {
  return r->gap <= fmax(POOL_GOAL * r->goal, POOL_FOLLOW * r->whole_gap);
}

static mk_status search(run *r) {
  int stalled, converged, whole = 1, everything = r->most == r->stream->size;
  size_t joined;
  for (;;) {
    MK_TRY(fit(r, &stalled));
    MK_TRY(look(r, whole, &joined));
    if (whole && r->gap <= r->goal) {
      MK_TRY(conclude(r, &converged));
      if (converged) return MK_OK;
      if (r->solution->fit.rounding >= r->control->tol) return MK_STALLED;
      MK_TRY(mk_active_copy(&r->active, &r->sound));
      r->goal *= 0.5;
    }
    if ((stalled && joined == 0 && whole) || goes_nowhere(r)) return MK_STALLED;
    if ((double)r->solution->passes >= r->control->max_iter) return MK_ITERATION_LIMIT;
    r->tol = fmax(FINEST * r->goal, fmin(LOOSEST, FOLLOW * r->gap));
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
  mk_status status = begin(&r), ended = MK_OK;
  int converged = 0;
  if (status == MK_OK) status = search(&r);
  if (status == MK_TIME_LIMIT) ended = conclude_early(&r);
  if (status == MK_STALLED || status == MK_ITERATION_LIMIT) ended = conclude(&r, &converged);
  if (ended == MK_TIME_LIMIT) ended = conclude_early(&r);
  if (converged) status = MK_OK;
  end(&r);
  return ended != MK_OK ? ended : status;
}

void mk_sequential_clear(mk_sequential_solution *solution) {
  mk_free(solution->selected);
  mk_free(solution->pass);
  mk_solution_clear(&solution->fit);
  memset(solution, 0, sizeof *solution);
}
