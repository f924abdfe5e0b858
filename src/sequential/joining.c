/* Adds violators to the active kernels, and chooses the pool of the strongest kernels. Called by
 * sequential.c after every scan. MATHEMATICS.md, section 6.3. */
#include "joining.h"

#include "base/largest.h"
#include "base/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_SAMPLES 1000.0  /* number of samples above which samples are many */
#define POOL_SHARE 50       /* the pool has one of so many kernels */
#define LEAST_POOL 4000     /* smallest size of the pool */
#define MOST_POOL 50000     /* largest size of the pool */
#define INSERT 100          /* kernels that join at once */
#define LEAST_INSERT 20     /* kernels that join at once if samples are many */
#define INSERT_SHARE 0.5    /* further kernels that join, as a share of those with weight */
#define CROWD 400           /* active kernels beyond which weak ones without weight leave */
#define LEAST_STRENGTH 0.9  /* share of the largest strength below which a kernel is weak */
#define SAME_STRENGTH 1e-13 /* relative difference that may be rounding */

/* ---- life ---- */

mk_status mk_joining_new(mk_joining *j, const mk_stream *stream,
                         const mk_sequential_settings *settings) {
  size_t size = stream->size, pool = settings->pool;
  if (pool == 0) {
    pool = size / POOL_SHARE;
    pool = pool < LEAST_POOL ? LEAST_POOL : mk_smaller(pool, MOST_POOL);
  }
  *j = (mk_joining){.stream = stream, .insert = settings->insert, .most = mk_smaller(pool, size)};
  j->strength = MK_TAKE0(&j->memory, double, size);
  j->peak = MK_TAKE0(&j->memory, double, size);
  j->pool = MK_TAKE(&j->memory, size_t, j->most);
  j->place = MK_TAKE(&j->memory, size_t, j->most);
  return mk_pool_status(&j->memory);
}

void mk_joining_clear(mk_joining *j) {
  mk_pool_free(&j->memory);
}

/* ---- the pool ---- */

static int by_number(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* Chooses the pool after a scan of all: half of it are the strongest kernels, half those that
 * exceed their neighbours. */
static void choose_pool(mk_joining *j) {
  size_t size = j->stream->size, half = j->most / 2;
  size_t held = mk_largest(j->strength, size, -INFINITY, half, j->pool);
  for (size_t k = 0; k < held; k++) j->peak[j->pool[k]] = -INFINITY;
  held += mk_largest(j->peak, size, -INFINITY, j->most - held, j->pool + held);
  qsort(j->pool, held, sizeof *j->pool, by_number);
  j->pooled = held;
}

/* ---- kernels that join ---- */

/* Finds kernels that exceed their neighbours by number. Neighbours, such as Gaussians of similar
 * widths, are often nearly equal, and the strongest represents them. */
static void find_peaks(mk_joining *j, const size_t *which, size_t count) {
  const double *s = j->strength;
  for (size_t k = 0; k < count; k++) {
    int left = k > 0 && (which == NULL || which[k - 1] + 1 == which[k]);
    int right = k + 1 < count && (which == NULL || which[k + 1] == which[k] + 1);
    int peak = (!left || s[k] > s[k - 1]) && (!right || s[k] >= s[k + 1]);
    j->peak[k] = peak ? s[k] : -INFINITY;
  }
}

size_t mk_by_samples(size_t samples, size_t most, size_t least) {
  double some = FEW_SAMPLES / (double)samples * (double)most;
  return some >= (double)most ? most : some < (double)least ? least : (size_t)some;
}

static size_t most_at_once(const mk_joining *j, const mk_active_set *active) {
  if (j->insert > 0) return j->insert;
  return mk_by_samples(j->stream->samples, INSERT, LEAST_INSERT) +
         (size_t)(INSERT_SHARE * (double)mk_active_weighted(active));
}

/* Adds only one of several kernels of equal strength, which may be the same kernel. If another is
 * still a violator after the next scan, it joins then. */
mk_status mk_join(mk_joining *j, mk_active_set *active, int whole, double margin, size_t *joined) {
  const size_t *which = whole ? NULL : j->pool;
  size_t count = whole ? j->stream->size : j->pooled, most = most_at_once(j, active);
  find_peaks(j, which, count);
  size_t found = mk_largest(j->peak, count, active->largest * (1.0 + margin), j->most, j->place);
  if (active->count > CROWD) mk_active_drop(active, LEAST_STRENGTH);
  double last = INFINITY;
  *joined = 0;
  for (size_t k = 0; k < found && *joined < most; k++) {
    size_t place = j->place[k];
    double strength = j->peak[place];
    if (last - strength <= SAME_STRENGTH * strength) continue;
    last = strength;
    MK_TRY(mk_active_insert(active, which != NULL ? which[place] : place, strength, joined));
  }
  if (whole && j->most < j->stream->size) choose_pool(j);
  return MK_OK;
}
