#include "source.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/expansion.h"
#include "kernel/features.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 256      /* most kernels of one task: neighbours may share their features */
#define LEAST_BLOCK 16 /* ... and fewest, ... */
#define ENOUGH 3e7     /* ... and pairs of samples that are enough for one */
#define LONG_ROWS 3000 /* samples from which one set keeps all threads busy */
#define BALANCED 1e-13 /* of the sum of all |alpha|: a sum of alphas that is 0 but for rounding */

struct mk_sourced {
  mk_source source;
  double *scale;      /* by kernel; 0: not known yet */
  _Atomic size_t bad; /* the first kernel without a scale, or all */
};

/* ---- scales ---- */

/* Row means of the kernels of a block that are centred by them; one allocation. */
static mk_status lend_means(const mk_kernel_set *set, mk_constants *constants, double **memory) {
  size_t count = mk_set_kernels(set), n = mk_set_samples(set), needed = 0;
  for (size_t k = 0; k < count; k++) needed += mk_needs_means(set, k, &constants[k]) != 0;
  *memory = NULL;
  if (needed == 0) return MK_OK;
  double *next = *memory = MK_NEW0(double, n *needed);
  if (next == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) {
    if (!mk_needs_means(set, k, &constants[k])) continue;
    constants[k].mean = next;
    next += n;
  }
  return MK_OK;
}

static void note_bad(mk_sourced *sourced, size_t kernel) {
  size_t known = atomic_load(&sourced->bad);
  while (kernel < known && !atomic_compare_exchange_weak(&sourced->bad, &known, kernel)) {
  }
}

/* From the data, and remembered. */
static mk_status find_scales(mk_sourced *sourced, mk_kernel_set *set, const size_t *which,
                             mk_constants *constants, const mk_control *control) {
  MK_TRY(mk_normalize_fit(set, constants, control));
  for (size_t k = 0; k < mk_set_kernels(set); k++) {
    if (constants[k].degenerate) {
      note_bad(sourced, which[k]);
      return MK_BAD_ARGUMENT;
    }
    sourced->scale[which[k]] = constants[k].scale;
  }
  return MK_OK;
}

static int are_known(const mk_sourced *sourced, const size_t *which, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (sourced->scale[which[k]] == 0.0) return 0;
  return 1;
}

static void recall(const mk_sourced *sourced, const size_t *which, size_t count,
                   mk_constants *constants) {
  for (size_t k = 0; k < count; k++) constants[k].scale = sourced->scale[which[k]];
}

static int any_means(const mk_kernel_set *set, const mk_constants *constants) {
  for (size_t k = 0; k < mk_set_kernels(set); k++)
    if (mk_needs_means(set, k, &constants[k])) return 1;
  return 0;
}

static mk_status normalize(mk_sourced *sourced, mk_kernel_set *set, const size_t *which,
                           mk_constants *constants, const mk_control *control) {
  size_t count = mk_set_kernels(set), n = mk_set_samples(set);
  double *means;
  int known = are_known(sourced, which, count) && !any_means(set, constants);
  if (known) {
    recall(sourced, which, count, constants);
    return mk_normalize_apply(set, constants, n, 1, control);
  }
  mk_status status = lend_means(set, constants, &means);
  if (status == MK_OK) status = find_scales(sourced, set, which, constants, control);
  mk_free(means);
  return status;
}

/* ---- strengths ---- */

/* Alphas of the samples that have any, and these centred: 1'alpha = 0 makes centring a kernel and
 * centring alpha the same. */
typedef struct signals {
  size_t n, tasks, support;
  int *sample, *all;
  double *alpha, *centred; /* support x tasks, n x tasks; NULL: no need, alphas sum to zero */
} signals;

typedef struct work {
  mk_sourced *sourced;
  const mk_scan *scan;
  const mk_control *control; /* of a task */
  size_t block;              /* kernels of a task */
  signals signals;
} work;

static void signals_clear(signals *s) {
  mk_free(s->sample);
  mk_free(s->all);
  mk_free(s->alpha);
  mk_free(s->centred);
}

static void list_support(signals *s, const double *alpha) {
  for (size_t i = 0; i < s->n; i++) {
    int any = 0;
    for (size_t t = 0; t < s->tasks; t++) any |= alpha[t * s->n + i] != 0.0;
    if (any) s->sample[s->support++] = (int)i;
    s->all[i] = (int)i;
  }
}

static mk_status centre_alphas(signals *s, const double *alpha) {
  int balanced = 1;
  for (size_t t = 0; t < s->tasks; t++) {
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < s->n; i++) {
      sum += alpha[t * s->n + i];
      size += fabs(alpha[t * s->n + i]);
    }
    balanced &= fabs(sum) <= BALANCED * size;
  }
  if (balanced) return MK_OK;
  s->centred = MK_NEW(double, s->n * s->tasks);
  if (s->centred == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < s->tasks; t++) {
    double sum = 0.0;
    for (size_t i = 0; i < s->n; i++) sum += alpha[t * s->n + i];
    for (size_t i = 0; i < s->n; i++)
      s->centred[t * s->n + i] = alpha[t * s->n + i] - sum / (double)s->n;
  }
  return MK_OK;
}

static mk_status signals_new(signals *s, const mk_scan *scan, size_t n) {
  s->n = n;
  s->tasks = scan->tasks;
  s->sample = MK_NEW(int, n);
  s->all = MK_NEW(int, n);
  s->alpha = MK_NEW(double, n * s->tasks);
  if (s->sample == NULL || s->all == NULL || s->alpha == NULL) return MK_NO_MEMORY;
  list_support(s, scan->alpha);
  for (size_t t = 0; t < s->tasks; t++)
    for (size_t k = 0; k < s->support; k++)
      s->alpha[t * s->support + k] = scan->alpha[t * n + (size_t)s->sample[k]];
  return centre_alphas(s, scan->alpha);
}

/* Kernels that are not divided by roots are scaled alone: their alphas are centred, not they. */
static mk_status leave_scales(mk_kernel_set *set, const mk_constants *constants) {
  for (size_t k = 0; k < mk_set_kernels(set); k++) {
    double scale = constants[k].scale;
    if (constants[k].scaling == MK_SCALE_SPHERICAL) continue;
    MK_TRY(mk_is_linear(set, k) ? mk_linear_normalize(set, k, scale, 0, mk_set_samples(set))
                                : mk_set_normalization(set, k, scale, NULL, 0.0, NULL));
  }
  return MK_OK;
}

static mk_status prepare(const work *w, mk_kernel_set *set, const size_t *which,
                         mk_constants *constants) {
  size_t count = mk_set_kernels(set);
  int rooted = 0;
  for (size_t k = 0; k < count; k++) rooted |= constants[k].scaling == MK_SCALE_SPHERICAL;
  if (!rooted && are_known(w->sourced, which, count))
    recall(w->sourced, which, count, constants);
  else
    MK_TRY(normalize(w->sourced, set, which, constants, w->control));
  return leave_scales(set, constants);
}

/* Forms of the kernels that meet the alphas as they are, or centred ones. */
static mk_status add_forms(const work *w, const mk_kernel_set *set, const mk_constants *constants,
                           int centred, double *out) {
  const signals *s = &w->signals;
  size_t count = mk_set_kernels(set), any = 0;
  int wanted[BLOCK];
  double form[BLOCK], slack[BLOCK];
  for (size_t k = 0; k < count; k++) {
    int own = constants[k].centred && constants[k].scaling != MK_SCALE_SPHERICAL;
    wanted[k] = (own && s->centred != NULL) == centred;
    any += wanted[k] != 0;
  }
  if (any == 0) return MK_OK;
  mk_expansion expansion = {.set = set,
                            .sample = centred ? s->all : s->sample,
                            .support = centred ? s->n : s->support,
                            .count = centred ? s->n : s->support,
                            .tasks = s->tasks,
                            .alpha = centred ? s->centred : s->alpha,
                            .forms = form,
                            .form_slack = slack,
                            .wanted = wanted};
  MK_TRY(mk_expand(&expansion, w->control));
  for (size_t k = 0; k < count; k++)
    if (wanted[k]) out[k] = form[k] + (w->scan->exact ? slack[k] : 0.0);
  return MK_OK;
}

static mk_status measure(const work *w, mk_kernel_set *set, const size_t *which,
                         mk_constants *constants, double *out) {
  MK_TRY(prepare(w, set, which, constants));
  MK_TRY(add_forms(w, set, constants, 0, out));
  return add_forms(w, set, constants, 1, out);
}

static mk_status measure_block(void *data, size_t b, int thread) {
  const work *w = data;
  const mk_scan *scan = w->scan;
  const mk_source *source = &w->sourced->source;
  size_t from = b * w->block, rest = scan->count - from;
  size_t count = rest < w->block ? rest : w->block;
  size_t which[BLOCK];
  mk_constants constants[BLOCK] = {{0}};
  mk_kernel_set *set = NULL;
  (void)thread;
  for (size_t k = 0; k < count; k++) which[k] = mk_scan_kernel(scan, from + k);
  mk_status status = source->open(source->self, which, count, 1, w->control->team, &set, constants);
  if (status == MK_OK) status = measure(w, set, which, constants, scan->strength + from);
  if (set != NULL) source->close(source->self, set);
  return status;
}

static size_t block_size(size_t n) {
  double size = 2.0 * ENOUGH / ((double)n * (double)n);
  return size < LEAST_BLOCK ? LEAST_BLOCK : size > BLOCK ? BLOCK : (size_t)size;
}

static mk_status strengths(void *self, const mk_scan *scan, const mk_control *control) {
  mk_sourced *sourced = self;
  work w = {.sourced = sourced, .scan = scan, .control = control};
  size_t n = sourced->source.samples;
  w.block = block_size(n);
  size_t blocks = (scan->count + w.block - 1) / w.block;
  mk_control quiet = *control;
  mk_status status = signals_new(&w.signals, scan, n);
  if (sourced->source.serial || n >= LONG_ROWS) {
    for (size_t b = 0; status == MK_OK && b < blocks; b++) {
      status = mk_check(control);
      if (status == MK_OK) status = measure_block(&w, b, 0);
    }
  } else if (status == MK_OK) {
    quiet.team = NULL;
    quiet.poll = NULL;
    quiet.max_time = INFINITY;
    w.control = &quiet;
    status = mk_for_each(blocks, control->team, control, measure_block, &w);
  }
  signals_clear(&w.signals);
  return status;
}

/* ---- sets ---- */

static mk_status select_kernels(void *self, const size_t *which, size_t count,
                                const mk_control *control, mk_kernel_set **set) {
  mk_sourced *sourced = self;
  mk_constants *constants = MK_NEW0(mk_constants, count);
  if (constants == NULL) return MK_NO_MEMORY;
  mk_status status =
      sourced->source.open(sourced->source.self, which, count, 0, control->team, set, constants);
  if (status == MK_OK) status = normalize(sourced, *set, which, constants, control);
  mk_free(constants);
  return status;
}

static void release(void *self, mk_kernel_set *set) {
  mk_sourced *sourced = self;
  sourced->source.close(sourced->source.self, set);
}

/* ---- life ---- */

mk_status mk_sourced_new(mk_sourced **out, const mk_source *source, mk_stream *stream) {
  mk_sourced *sourced = MK_NEW0(mk_sourced, 1);
  *out = sourced;
  if (sourced == NULL) return MK_NO_MEMORY;
  sourced->source = *source;
  atomic_init(&sourced->bad, source->size);
  sourced->scale = MK_NEW0(double, source->size);
  *stream = (mk_stream){.self = sourced,
                        .size = source->size,
                        .samples = source->samples,
                        .strengths = strengths,
                        .select = select_kernels,
                        .release = release,
                        .certified = 1};
  return sourced->scale == NULL ? MK_NO_MEMORY : MK_OK;
}

void mk_sourced_free(mk_sourced *sourced) {
  if (sourced == NULL) return;
  mk_free(sourced->scale);
  mk_free(sourced);
}

size_t mk_sourced_bad(const mk_sourced *sourced) {
  return atomic_load(&sourced->bad);
}
