/* The kernels of a dictionary: their memory, factors and improvements. Called by gomp.c and
 * ridge.c. MATHEMATICS.md, section 5: I_j. */
#include "dictionary.h"

#include "base/cholesky.h"
#include "base/simd.h"
#include "base/threads.h"
#include "kernel/features.h"
#include "rls/dictionary-internal.h"

#include <math.h>
#include <string.h>

/* ---- the division of memory ---- */

static size_t packed(size_t n) {
  return n * (n + 1) / 2;
}

static size_t factor_size(const mk_dictionary *d, size_t m) {
  return d->width[m] > 0 ? d->width[m] : d->problem->n;
}

/* Returns the number of doubles for the kernel and its factor; columns go to the panel. */
static size_t room_size(const mk_dictionary *d, size_t m) {
  size_t size = factor_size(d, m);
  return size * size;
}

/* Returns 1 if members of family f can take their values from one base. */
static int may_share(const mk_dictionary *d, size_t f) {
  const mk_kernel_set *set = d->problem->set;
  return mk_family_has_base(set, f) && !mk_family_serial(set, f) && mk_family_size(set, f) > 1;
}

static int any_shared(const mk_dictionary *d) {
  for (size_t f = 0; f < mk_set_families(d->problem->set); f++)
    if (may_share(d, f)) return 1;
  return 0;
}

/* Divides the memory budget: first one kernel in progress and the system of the refit, then a
 * kernel for each thread, then shared bases, then kept factors. */
static void share_budget(mk_dictionary *d) {
  size_t n = d->problem->n, most = 0, panel = 0, dense = 0;
  for (size_t m = 0; m < d->kernels; m++) {
    if (room_size(d, m) > most) most = room_size(d, m);
    if (mk_panel_size(d, d->width[m]) > panel) panel = mk_panel_size(d, d->width[m]);
    dense += d->width[m] == 0;
  }
  double room = 8.0 * ((double)most + (double)panel);
  /* few columns take next to no memory */
  double square = dense > 0 ? 8.0 * (double)n * (double)n : 0.0;
  double spare = (double)d->control->cache - room - square;
  if (spare >= room * (d->benches - 1)) {
    d->rooms = d->benches;
    spare -= room * (d->benches - 1);
  }
  if (any_shared(d) && spare >= square) {
    d->shares = 1;
    spare -= square;
  }
  for (size_t m = 0; m < d->kernels; m++) {
    double bytes = 8.0 * (double)packed(factor_size(d, m));
    if (bytes > spare) continue;
    d->keeps[m] = 1;
    spare -= bytes;
  }
}

/* ---- life ---- */

static mk_status lay_benches(mk_dictionary *d) {
  d->bench = MK_TAKE0(&d->memory, mk_bench, (size_t)d->benches);
  MK_TRY(mk_pool_status(&d->memory));
  for (int t = 0; t < d->benches; t++) {
    mk_bench *b = &d->bench[t];
    b->bad = -1;
    b->scratch = mk_scratch_new(d->problem->set);
    b->column = MK_TAKE(&d->memory, double, d->samples);
    b->solution = MK_TAKE(&d->memory, double, d->problem->n * d->problem->tasks);
    if (b->scratch == NULL) return MK_NO_MEMORY;
  }
  return mk_pool_status(&d->memory);
}

mk_status mk_dictionary_new(mk_dictionary **out, const mk_gomp_problem *problem,
                            const mk_control *control) {
  const mk_kernel_set *set = problem->set;
  mk_dictionary *d = MK_NEW0(mk_dictionary, 1);
  *out = d;
  if (d == NULL) return MK_NO_MEMORY;
  d->problem = problem;
  d->control = control;
  d->kernels = mk_set_kernels(set);
  d->samples = mk_set_samples(set);
  d->benches = mk_team_size(control->team);
  d->rooms = 1;
  d->based = mk_set_families(set);
  d->whole = problem->n == d->samples;
  for (size_t i = 0; i < problem->n; i++) d->whole &= problem->sample[i] == (int)i;
  d->width = MK_TAKE0(&d->memory, size_t, d->kernels + 1);
  d->keeps = MK_TAKE0(&d->memory, char, d->kernels + 1);
  d->factor = MK_TAKE0(&d->memory, double *, d->kernels + 1);
  d->list = MK_TAKE(&d->memory, int, d->kernels + 1);
  MK_TRY(mk_pool_status(&d->memory));
  for (size_t m = 0; m < d->kernels; m++) {
    size_t width = mk_linear_width(set, m);
    d->width[m] = 2 * width <= problem->n ? width : 0;
  }
  share_budget(d);
  MK_TRY(lay_benches(d));
  return mk_bases_new(&d->bases, set, 0, control);
}

void mk_dictionary_free(mk_dictionary *d) {
  if (d == NULL) return;
  for (int t = 0; d->bench != NULL && t < d->benches; t++) {
    mk_scratch_free(d->bench[t].scratch);
    mk_buffer_free(&d->bench[t].room);
    mk_buffer_free(&d->bench[t].panel);
  }
  for (size_t m = 0; d->factor != NULL && m < d->kernels; m++) mk_free(d->factor[m]);
  mk_bases_free(d->bases);
  mk_buffer_free(&d->base);
  mk_pool_free(&d->memory);
  mk_free(d);
}

size_t mk_dictionary_bytes(const mk_dictionary *d) {
  size_t bytes = d->base.bytes + mk_bases_bytes(d->bases);
  for (int t = 0; t < d->benches; t++) bytes += d->bench[t].room.bytes + d->bench[t].panel.bytes;
  for (size_t m = 0; m < d->kernels; m++)
    if (d->factor[m] != NULL) bytes += packed(factor_size(d, m)) * sizeof(double);
  return bytes;
}

size_t mk_dictionary_kept(const mk_dictionary *d) {
  size_t count = 0;
  for (size_t m = 0; d->factor != NULL && m < d->kernels; m++) count += d->factor[m] != NULL;
  return count;
}

long mk_dictionary_bad(const mk_dictionary *d) {
  long bad = -1;
  for (int t = 0; d->bench != NULL && t < d->benches; t++)
    if (bad < 0 || (d->bench[t].bad >= 0 && d->bench[t].bad < bad)) bad = d->bench[t].bad;
  return bad;
}

size_t mk_dictionary_width(const mk_dictionary *d, size_t m) {
  return d->width[m];
}

/* ---- factors ---- */

/* Finds the factor of kernel m, with rows `ld` apart or packed (0): the kept one, or a new one in
 * the memory of the bench. */
static mk_status find_factor(mk_dictionary *d, size_t m, mk_bench *b, const double **factor,
                             size_t *ld) {
  size_t size = factor_size(d, m);
  *ld = 0;
  *factor = d->factor[m];
  if (*factor != NULL) return MK_OK;
  double *room = mk_buffer_need(&b->room, room_size(d, m), sizeof *room);
  if (room == NULL) return MK_NO_MEMORY;
  MK_TRY(d->width[m] > 0 ? mk_dictionary_multiply(d, m, b, d->inner.team, room)
                         : mk_dictionary_fill(d, m, b, room));
  mk_status status = mk_cholesky_within(room, size, mk_gomp_delta(d->problem), &d->inner);
  if (status == MK_STALLED && b->bad < 0) b->bad = (long)m;
  MK_TRY(status);
  *factor = room;
  *ld = size;
  if (!d->keeps[m]) return MK_OK;
  d->factor[m] = MK_NEW(double, packed(size));
  if (d->factor[m] == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < size; i++)
    memcpy(d->factor[m] + packed(i), room + i * size, (i + 1) * sizeof *room);
  return MK_OK;
}

/* Returns || L^-1 x ||^2 summed over the tasks; overwrites x (size x tasks). */
static double solved_square(const double *l, size_t ld, size_t size, size_t tasks, double *x) {
  const mk_simd *simd = mk_simd_best();
  double sum = 0.0;
  for (size_t i = 0; i < size; i++) {
    const double *row = l + (ld > 0 ? i * ld : packed(i));
    for (size_t t = 0; t < tasks; t++) {
      double *own = x + t * size;
      own[i] = (own[i] - simd->dot(i, row, own)) / row[i];
      sum += own[i] * own[i];
    }
  }
  return sum;
}

/* Computes the improvement of kernel m. If K = ZZ', K (K + delta I)^-1 = Z (Z'Z + delta I)^-1 Z';
 * in general it is I - delta (K + delta I)^-1. */
static mk_status score_kernel(mk_dictionary *d, size_t m, mk_bench *b) {
  size_t n = d->problem->n, tasks = d->problem->tasks, ld;
  size_t width = d->width[m], size = factor_size(d, m);
  const double *factor;
  MK_TRY(find_factor(d, m, b, &factor, &ld));
  if (width == 0) {
    memcpy(b->solution, d->r, n * tasks * sizeof *d->r);
    double rest = solved_square(factor, ld, size, tasks, b->solution);
    d->score[m] = fmax(d->square - mk_gomp_delta(d->problem) * rest, 0.0);
    return MK_OK;
  }
  double *column = mk_buffer_need(&b->panel, n, sizeof *column);
  if (column == NULL) return MK_NO_MEMORY;
  for (size_t j = 0; j < width; j++) {
    mk_dictionary_column(d, m, j, b, column);
    for (size_t t = 0; t < tasks; t++)
      b->solution[t * width + j] = mk_simd_best()->dot(n, column, d->r + t * n);
  }
  d->score[m] = solved_square(factor, ld, size, tasks, b->solution);
  return MK_OK;
}

static mk_status score_listed(void *data, size_t k, int thread) {
  mk_dictionary *d = data;
  return score_kernel(d, (size_t)d->list[k], &d->bench[thread]);
}

/* ---- passes ---- */

/* Scores kernels at the same time if each thread has memory for one, otherwise one after another on
 * all threads. */
static mk_status score_list(mk_dictionary *d, size_t count, int serial) {
  int wide = !serial && d->rooms > 1 && count >= (size_t)d->rooms;
  d->inner = *d->control;
  if (wide) d->inner.team = NULL, d->inner.poll = NULL; /* only one thread may call R */
  return mk_for_each(count, wide ? d->control->team : NULL, d->control, score_listed, d);
}

/* Lists the kernels of family f that need new factors of n x n values. */
static size_t list_family(mk_dictionary *d, size_t f, const char *skipped) {
  const mk_kernel_set *set = d->problem->set;
  size_t count = 0;
  for (size_t k = 0; k < mk_family_size(set, f); k++) {
    size_t m = mk_family_member(set, f, k);
    if (!skipped[m] && d->width[m] == 0 && d->factor[m] == NULL) d->list[count++] = (int)m;
  }
  return count;
}

/* Scores members of one family from one base. */
static mk_status score_sharing(mk_dictionary *d, size_t f, const char *skipped, char *done) {
  size_t count = list_family(d, f, skipped);
  if (count < 2) return MK_OK;
  MK_TRY(mk_dictionary_lay_base(d, f));
  d->shared = d->base.at;
  for (size_t k = 0; k < count; k++) done[d->list[k]] = 1;
  mk_status status = score_list(d, count, 0);
  d->shared = NULL;
  return status;
}

/* Scores the remaining kernels, each by itself: if `serial` those that R evaluates, otherwise the
 * others. */
static mk_status score_rest(mk_dictionary *d, const char *done, int serial) {
  size_t count = 0;
  for (size_t m = 0; m < d->kernels; m++) {
    size_t f = mk_family_of(d->problem->set, m);
    int called = mk_family_serial(d->problem->set, f) && d->factor[m] == NULL;
    if (!done[m] && called == serial) d->list[count++] = (int)m;
  }
  return score_list(d, count, serial);
}

mk_status mk_dictionary_score(mk_dictionary *d, const double *r, const char *skipped,
                              double *score) {
  const mk_kernel_set *set = d->problem->set;
  size_t values = d->problem->n * d->problem->tasks;
  char *done = MK_NEW(char, d->kernels + 1);
  if (done == NULL) return MK_NO_MEMORY;
  memcpy(done, skipped, d->kernels);
  d->r = r;
  d->square = mk_simd_best()->dot(values, r, r);
  d->score = score;
  d->shared = NULL;
  mk_status status = MK_OK;
  for (size_t f = 0; status == MK_OK && d->shares && f < mk_set_families(set); f++)
    if (may_share(d, f)) status = score_sharing(d, f, skipped, done);
  for (int serial = 0; status == MK_OK && serial < 2; serial++)
    status = score_rest(d, done, serial);
  mk_free(done);
  return status;
}
