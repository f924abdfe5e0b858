/* Streams of kernels from descriptions: sets are made a block at a time. Called by
 * rglue/dictionary.c. MATHEMATICS.md, sections 4.2 and 6.3. */
#include "source.h"

#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"
#include "exact/expansion.h"
#include "kernel/constants.h"
#include "kernel/features.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 256       /* most kernels of one task; neighbours may share their features */
#define LEAST_BLOCK 16  /* fewest kernels of one task */
#define BLOCK_PAIRS 3e7 /* pairs of samples that make a task large enough */
#define LONG_ROWS 3000  /* samples above which one set keeps all threads busy */
#define CONSTANT (-1.0)
#define BALANCED 1e-13 /* share of the sum of |alpha| below which a sum of alphas counts as 0 */

struct mk_sourced {
  mk_source source;
  double *scale;            /* by kernel: its scale; 0: not known yet; CONSTANT: it is constant */
  _Atomic size_t bad;       /* first kernel that cannot be normalised, or the number of kernels */
  _Atomic size_t constants; /* number of constant kernels seen */
};

/* ---- scales ---- */

/* Allocates row means for the kernels of a block that are centred by them. */
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

/* Computes scales from the data and stores them. */
static mk_status find_scales(mk_sourced *sourced, mk_kernel_set *set, const size_t *which,
                             mk_constants *constants, const mk_control *control) {
  MK_TRY(mk_normalize_fit(set, constants, NULL, control));
  for (size_t k = 0; k < mk_set_kernels(set); k++) {
    double *scale = &sourced->scale[which[k]];
    if (constants[k].degenerate && !constants[k].constant) {
      note_bad(sourced, which[k]);
      return MK_BAD_ARGUMENT;
    }
    if (constants[k].constant && *scale != CONSTANT) atomic_fetch_add(&sourced->constants, 1);
    *scale = constants[k].constant ? CONSTANT : constants[k].scale;
  }
  return MK_OK;
}

/* Copies stored scales; returns 1 if all of them are known. */
static int recall_scales(const mk_sourced *sourced, const size_t *which, size_t count,
                         mk_constants *constants) {
  for (size_t k = 0; k < count; k++)
    if (sourced->scale[which[k]] == 0.0) return 0;
  for (size_t k = 0; k < count; k++) {
    constants[k].constant = sourced->scale[which[k]] == CONSTANT;
    constants[k].scale = constants[k].constant ? 1.0 : sourced->scale[which[k]];
  }
  return 1;
}

static mk_status normalize_kernels(mk_sourced *sourced, mk_kernel_set *set, const size_t *which,
                                   mk_constants *constants, const mk_control *control) {
  size_t count = mk_set_kernels(set), n = mk_set_samples(set);
  double *means;
  MK_TRY(lend_means(set, constants, &means));
  if (means == NULL && recall_scales(sourced, which, count, constants))
    return mk_normalize_apply(set, constants, n, 1, control);
  mk_status status = find_scales(sourced, set, which, constants, control);
  mk_free(means);
  return status;
}

/* ---- strengths ---- */

/* The support vectors, and all samples with centred alphas: if 1'alpha = 0, centring the kernel
 * equals centring alpha. */
typedef struct work {
  mk_sourced *sourced;
  const mk_scan *scan;
  const mk_control *control; /* control of a task */
  size_t block;              /* number of kernels of a task */
  size_t n;
  mk_support support;
  int *all;
  double *centred; /* n x tasks; NULL: not needed, since alphas sum to 0 */
} work;

static mk_status centre_alphas(work *w) {
  const double *alpha = w->scan->alpha;
  size_t n = w->n, tasks = w->scan->tasks;
  int balanced = 1;
  w->all = MK_NEW(int, n);
  w->centred = MK_NEW(double, n *tasks);
  if (w->all == NULL || w->centred == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) w->all[i] = (int)i;
  for (size_t t = 0; t < tasks; t++) {
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
      sum += alpha[t * n + i];
      size += fabs(alpha[t * n + i]);
    }
    balanced &= fabs(sum) <= BALANCED * size;
    for (size_t i = 0; i < n; i++) w->centred[t * n + i] = alpha[t * n + i] - sum / (double)n;
  }
  if (!balanced) return MK_OK;
  mk_free(w->centred);
  w->centred = NULL;
  return MK_OK;
}

/* Returns 1 if kernel k is scaled by sample, which includes kernels whose view some samples
 * lack. */
static int is_rooted(const mk_kernel_set *set, size_t k, const mk_constants *constants) {
  return constants->scaling == MK_SCALE_SPHERICAL || mk_set_has(set, k) != NULL;
}

/* Removes centring from kernels without roots, since alphas are centred in its place. */
static mk_status leave_scales(mk_kernel_set *set, const mk_constants *constants) {
  for (size_t k = 0; k < mk_set_kernels(set); k++) {
    double scale = constants[k].scale;
    if (is_rooted(set, k, &constants[k])) continue;
    MK_TRY(mk_is_linear(set, k) ? mk_linear_normalize(set, k, scale, 0, mk_set_samples(set), NULL)
                                : mk_set_normalization(set, k, scale, NULL, 0.0, NULL));
  }
  return MK_OK;
}

static mk_status scale_set(const work *w, mk_kernel_set *set, const size_t *which,
                           mk_constants *constants) {
  size_t count = mk_set_kernels(set);
  int rooted = 0;
  for (size_t k = 0; k < count; k++) rooted |= is_rooted(set, k, &constants[k]);
  if (rooted || !recall_scales(w->sourced, which, count, constants))
    MK_TRY(normalize_kernels(w->sourced, set, which, constants, w->control));
  return leave_scales(set, constants);
}

/* Adds forms of the kernels that need centred alphas, or of all others, which need the alphas as
 * they are. */
static mk_status add_forms(const work *w, const mk_kernel_set *set, const mk_constants *constants,
                           int centred, double *out) {
  size_t count = mk_set_kernels(set), any = 0, samples = centred ? w->n : w->support.count;
  int wanted[BLOCK];
  double form[BLOCK], slack[BLOCK];
  for (size_t k = 0; k < count; k++) {
    int own = constants[k].centred && !is_rooted(set, k, &constants[k]);
    wanted[k] = !constants[k].constant && (own && w->centred != NULL) == centred;
    any += wanted[k] != 0;
  }
  if (any == 0) return MK_OK;
  mk_expansion expansion = {.set = set,
                            .sample = centred ? w->all : w->support.sample,
                            .support = samples,
                            .count = samples,
                            .tasks = w->scan->tasks,
                            .alpha = centred ? w->centred : w->support.alpha,
                            .forms = form,
                            .form_slack = slack,
                            .wanted = wanted};
  MK_TRY(mk_expand(&expansion, w->control));
  for (size_t k = 0; k < count; k++)
    if (wanted[k]) out[k] = form[k] + (w->scan->exact ? slack[k] : 0.0);
  return MK_OK;
}

static mk_status find_forms(const work *w, mk_kernel_set *set, const size_t *which,
                            mk_constants *constants, double *out) {
  MK_TRY(scale_set(w, set, which, constants));
  for (size_t k = 0; k < mk_set_kernels(set); k++) out[k] = 0.0;
  MK_TRY(add_forms(w, set, constants, 0, out));
  return add_forms(w, set, constants, 1, out);
}

static mk_status measure_block(void *data, size_t b, int thread) {
  const work *w = data;
  const mk_source *source = &w->sourced->source;
  size_t from = b * w->block, count = mk_smaller(w->scan->count - from, w->block);
  size_t which[BLOCK];
  mk_constants constants[BLOCK] = {{0}};
  mk_kernel_set *set = NULL;
  (void)thread;
  for (size_t k = 0; k < count; k++) which[k] = mk_scan_kernel(w->scan, from + k);
  mk_status status = source->open(source->self, which, count, w->control, 0, &set, constants);
  if (status == MK_OK) status = find_forms(w, set, which, constants, w->scan->strength + from);
  if (set != NULL) source->close(source->self, set);
  return status;
}

static size_t block_size(size_t n) {
  double size = 2.0 * BLOCK_PAIRS / ((double)n * (double)n);
  return size < LEAST_BLOCK ? LEAST_BLOCK : size > BLOCK ? BLOCK : (size_t)size;
}

/* Measures the blocks one after another, each on all threads, or at the same time, each on one
 * thread. */
static mk_status measure_all(work *w, const mk_control *control) {
  size_t blocks = (w->scan->count + w->block - 1) / w->block;
  mk_control quiet = mk_patient(control);
  MK_TRY(mk_support_new(&w->support, w->scan->alpha, w->n, w->scan->tasks));
  MK_TRY(centre_alphas(w));
  if (w->sourced->source.serial || w->n >= LONG_ROWS) {
    for (size_t b = 0; b < blocks; b++) {
      MK_TRY(mk_check(control));
      MK_TRY(measure_block(w, b, 0));
    }
    return MK_OK;
  }
  quiet.team = NULL;
  quiet.poll = NULL;
  w->control = &quiet;
  mk_status status = mk_for_each(blocks, control->team, control, measure_block, w);
  w->control = control;
  return status;
}

static mk_status strengths(void *self, const mk_scan *scan, const mk_control *control) {
  mk_sourced *sourced = self;
  size_t n = sourced->source.samples;
  work w = {.sourced = sourced, .scan = scan, .control = control, .n = n, .block = block_size(n)};
  mk_status status = measure_all(&w, control);
  mk_support_clear(&w.support);
  mk_free(w.all);
  mk_free(w.centred);
  return status;
}

/* ---- sets ---- */

static mk_status select_kernels(void *self, const size_t *which, size_t count,
                                const mk_control *control, mk_kernel_set **set) {
  mk_sourced *sourced = self;
  mk_constants *constants = MK_NEW0(mk_constants, count);
  if (constants == NULL) return MK_NO_MEMORY;
  mk_status status =
      sourced->source.open(sourced->source.self, which, count, control, 1, set, constants);
  if (status == MK_OK) status = normalize_kernels(sourced, *set, which, constants, control);
  mk_free(constants);
  return status;
}

static void release(void *self, mk_kernel_set *set) {
  mk_sourced *sourced = self;
  sourced->source.close(sourced->source.self, set);
}

static int is_constant(void *self, size_t kernel) {
  return mk_sourced_is_constant(self, kernel);
}

/* ---- life ---- */

mk_status mk_sourced_new(mk_sourced **out, const mk_source *source, mk_stream *stream) {
  mk_sourced *sourced = MK_NEW0(mk_sourced, 1);
  *out = sourced;
  if (sourced == NULL) return MK_NO_MEMORY;
  sourced->source = *source;
  atomic_init(&sourced->bad, source->size);
  atomic_init(&sourced->constants, 0);
  sourced->scale = MK_NEW0(double, source->size);
  *stream = (mk_stream){.self = sourced,
                        .size = source->size,
                        .samples = source->samples,
                        .strengths = strengths,
                        .select = select_kernels,
                        .release = release,
                        .is_constant = is_constant};
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

size_t mk_sourced_constants(const mk_sourced *sourced) {
  return atomic_load(&sourced->constants);
}

int mk_sourced_is_constant(const mk_sourced *sourced, size_t m) {
  return sourced->scale[m] == CONSTANT;
}
