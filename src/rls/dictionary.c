#include "dictionary.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/simd.h"
#include "base/threads.h"
#include "kernel/exact.h"
#include "kernel/features.h"
#include "kernel/values.h"

#include <math.h>
#include <string.h>

#define ROWS MK_BLOCK_ROWS /* of a strip */
#define DEPTH 256          /* columns multiplied at a time */
#define MANY 16            /* columns whose products are worth packing */
#define ENOUGH 1e6         /* operations worth a task of its own */

/* One thread's work space. */
typedef struct bench {
  mk_scratch *scratch;
  mk_buffer room;   /* a kernel and its factor */
  mk_buffer panel;  /* columns and what their products take */
  double *column;   /* at all samples of the set, ... */
  double *solution; /* ... and n x tasks */
  long bad;         /* the first kernel that has no factor, or -1 */
} bench;

struct mk_dictionary {
  const mk_gomp_problem *problem;
  const mk_control *control;
  mk_bases *bases;
  size_t kernels, samples; /* of the set */
  int whole;               /* 1: all of its samples take part, in their order */
  size_t *width;           /* by kernel: columns, or 0 for one of n x n values */
  char *keeps;             /* its factor is to be kept ... */
  double **factor;         /* ... here: the packed lower triangle */
  int benches, rooms;      /* rooms: benches with room for a factor at once */
  bench *bench;
  mk_buffer base;       /* of a family whose members share it, ... */
  size_t based;         /* ... of this one; the number of families: none */
  int shares;           /* 1: there is memory for that */
  int *list;            /* kernels at work, ... */
  size_t listed, group; /* ... how many, and how many of them are one task */
  /* of the pass at hand */
  const double *r, *shared;
  double *score, square;
  mk_team *inner; /* for one kernel at a time */
  size_t filled;  /* the kernel, or family, that strips are of */
  double *target; /* where they go */
};

/* ---- what goes where ---- */

static size_t packed(size_t n) {
  return n * (n + 1) / 2;
}

static size_t factor_size(const mk_dictionary *d, size_t m) {
  return d->width[m] > 0 ? d->width[m] : d->problem->n;
}

/* Doubles of room for the kernel and its factor; columns go to the panel. */
static size_t room_size(const mk_dictionary *d, size_t m) {
  size_t size = factor_size(d, m);
  return size * size;
}

static size_t panel_size(const mk_dictionary *d, size_t width) {
  size_t n = d->problem->n;
  if (width == 0) return 0;
  return n * width + (width >= MANY ? n + mk_product_work(width) : 0);
}

/* 1: members of family f may take their values from one base. */
static int may_share(const mk_dictionary *d, size_t f) {
  const mk_kernel_set *set = d->problem->set;
  return mk_family_has_base(set, f) && !mk_family_serial(set, f) &&
         mk_exact_family_size(set, f) > 1;
}

static int any_shared(const mk_dictionary *d) {
  for (size_t f = 0; f < mk_set_families(d->problem->set); f++)
    if (may_share(d, f)) return 1;
  return 0;
}

/* One kernel at work and the system of the refit come first; then a kernel for each thread, then
 * what members of a family share, then factors. */
static void share_budget(mk_dictionary *d) {
  size_t n = d->problem->n, most = 0, panel = 0, dense = 0;
  for (size_t m = 0; m < d->kernels; m++) {
    if (room_size(d, m) > most) most = room_size(d, m);
    if (panel_size(d, d->width[m]) > panel) panel = panel_size(d, d->width[m]);
    dense += d->width[m] == 0;
  }
  double room = 8.0 * ((double)most + (double)panel);
  double square = dense > 0 ? 8.0 * (double)n * (double)n : 0.0; /* few columns: next to nothing */
  double left = (double)d->control->cache - room - square;
  if (left >= room * (d->benches - 1)) {
    d->rooms = d->benches;
    left -= room * (d->benches - 1);
  }
  if (any_shared(d) && left >= square) {
    d->shares = 1;
    left -= square;
  }
  for (size_t m = 0; m < d->kernels; m++) {
    double bytes = 8.0 * (double)packed(factor_size(d, m));
    if (bytes > left) continue;
    d->keeps[m] = 1;
    left -= bytes;
  }
}

/* ---- life ---- */

static mk_status lay_benches(mk_dictionary *d) {
  d->bench = MK_NEW0(bench, (size_t)d->benches);
  if (d->bench == NULL) return MK_NO_MEMORY;
  for (int t = 0; t < d->benches; t++) {
    bench *b = &d->bench[t];
    b->bad = -1;
    b->scratch = mk_scratch_new(d->problem->set);
    b->column = MK_NEW(double, d->samples);
    b->solution = MK_NEW(double, d->problem->n * d->problem->tasks);
    if (b->scratch == NULL || b->column == NULL || b->solution == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
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
  d->width = MK_NEW0(size_t, d->kernels + 1);
  d->keeps = MK_NEW0(char, d->kernels + 1);
  d->factor = MK_NEW0(double *, d->kernels + 1);
  d->list = MK_NEW(int, d->kernels + 1);
  if (d->width == NULL || d->keeps == NULL || d->factor == NULL || d->list == NULL)
    return MK_NO_MEMORY;
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
    mk_free(d->bench[t].column);
    mk_free(d->bench[t].solution);
  }
  for (size_t m = 0; d->factor != NULL && m < d->kernels; m++) mk_free(d->factor[m]);
  mk_bases_free(d->bases);
  mk_buffer_free(&d->base);
  mk_free(d->bench);
  mk_free(d->width);
  mk_free(d->keeps);
  mk_free(d->factor);
  mk_free(d->list);
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
  for (size_t m = 0; m < d->kernels; m++) count += d->factor[m] != NULL;
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

/* ---- columns ---- */

/* The k-th column of linear kernel m at the samples that take part. */
static void read_column(const mk_dictionary *d, size_t m, size_t k, bench *b, double *out) {
  double *column = d->whole ? out : b->column;
  mk_linear_column(d->problem->set, m, k, d->samples, column);
  if (d->whole) return;
  for (size_t i = 0; i < d->problem->n; i++) out[i] = b->column[d->problem->sample[i]];
}

void mk_dictionary_columns(mk_dictionary *d, size_t m, double *z) {
  for (size_t k = 0; k < mk_linear_width(d->problem->set, m); k++)
    read_column(d, m, k, d->bench, z + k * d->problem->n);
}

/* The lower triangle of Z'Z. */
static mk_status multiply_columns(const mk_dictionary *d, size_t m, bench *b, mk_team *team,
                                  double *out) {
  size_t n = d->problem->n, width = d->width[m];
  double *z = mk_buffer_need(&b->panel, panel_size(d, width), sizeof *z);
  if (z == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < width; k++) read_column(d, m, k, b, z + k * n);
  memset(out, 0, width * width * sizeof *out);
  if (width < MANY) {
    for (size_t i = 0; i < width; i++)
      for (size_t j = 0; j <= i; j++)
        out[i * width + j] = mk_simd_best()->dot(n, z + i * n, z + j * n);
    return MK_OK;
  }
  double *ones = z + n * width;
  for (size_t i = 0; i < n; i++) ones[i] = 1.0;
  mk_product_add(width, n, z, ones, ones + n, team, out);
  return MK_OK;
}

/* ZZ' of a linear kernel of many columns that has no base. */
static mk_status multiply_rows(const mk_dictionary *d, size_t m, bench *b, mk_team *team,
                               double *out) {
  size_t n = d->problem->n, width = mk_linear_width(d->problem->set, m);
  double *z = mk_buffer_need(&b->panel, n * (DEPTH + 1) + DEPTH + mk_product_work(n), sizeof *z);
  if (z == NULL) return MK_NO_MEMORY;
  double *column = z + n * DEPTH, *ones = column + n;
  for (size_t k = 0; k < DEPTH; k++) ones[k] = 1.0;
  memset(out, 0, n * n * sizeof *out);
  for (size_t from = 0; from < width; from += DEPTH) {
    size_t depth = mk_smaller(width - from, DEPTH);
    for (size_t k = 0; k < depth; k++) {
      read_column(d, m, from + k, b, column);
      for (size_t i = 0; i < n; i++) z[i * depth + k] = column[i];
    }
    mk_product_add(n, depth, z, ones, ones + DEPTH, team, out);
  }
  return MK_OK;
}

/* ---- values ---- */

static mk_columns some_columns(const mk_dictionary *d, size_t from, size_t count) {
  return d->whole ? mk_run(from, count) : mk_list(d->problem->sample + from, count);
}

/* Rows first.. of the lower triangle of family f's base. */
static mk_status base_strip(void *data, size_t k, int thread) {
  mk_dictionary *d = data;
  size_t n = d->problem->n, first = k * ROWS, rows = mk_smaller(n - first, ROWS);
  mk_columns columns = some_columns(d, 0, first + rows);
  return mk_base_block(d->bases, d->filled, d->problem->sample + first, rows, &columns,
                       (mk_row){d->target + first * n, 0}, n, d->bench[thread].scratch);
}

/* Rows first.. of the lower triangle of kernel m, from the shared base or one of their own. */
static mk_status value_strip(const mk_dictionary *d, size_t m, size_t first, bench *b,
                             double *out) {
  const mk_kernel_set *set = d->problem->set;
  size_t n = d->problem->n, rows = mk_smaller(n - first, ROWS), f = mk_family_of(set, m);
  const int *sample = d->problem->sample + first;
  mk_row block = mk_scratch_block(b->scratch, 0);
  int own = d->shared == NULL && mk_family_has_base(set, f);
  for (size_t from = 0; from < first + rows; from += MK_BLOCK_COLS) {
    size_t width = mk_smaller(first + rows - from, MK_BLOCK_COLS);
    mk_columns columns = some_columns(d, from, width);
    if (own) MK_TRY(mk_base_block(d->bases, f, sample, rows, &columns, block, width, b->scratch));
    for (size_t r = 0; r < rows; r++) {
      size_t at = (first + r) * n + from;
      const double *base = own                 ? (const double *)block.at + r * width
                           : d->shared != NULL ? d->shared + at
                                               : NULL;
      mk_values_from_base(set, m, sample[r], &columns, base, out + at);
    }
  }
  return MK_OK;
}

static mk_status target_strip(void *data, size_t k, int thread) {
  const mk_dictionary *d = data;
  return value_strip(d, d->filled, k * ROWS, &d->bench[thread], d->target);
}

static size_t strips(const mk_dictionary *d) {
  return (d->problem->n + ROWS - 1) / ROWS;
}

/* The lower triangle of K_m, by all threads where they are free. */
static mk_status fill_values(mk_dictionary *d, size_t m, bench *b, double *out) {
  const mk_kernel_set *set = d->problem->set;
  size_t f = mk_family_of(set, m);
  if (mk_family_explicit(set, f)) return multiply_rows(d, m, b, d->inner, out);
  if (d->inner == NULL || mk_family_serial(set, f)) {
    for (size_t k = 0; k < strips(d); k++) MK_TRY(value_strip(d, m, k * ROWS, b, out));
    return MK_OK;
  }
  d->filled = m;
  d->target = out;
  return mk_deal_out(strips(d), d->inner, target_strip, d);
}

const double *mk_dictionary_values(mk_dictionary *d, size_t m, mk_status *status) {
  size_t n = d->problem->n;
  double *out = mk_buffer_need(&d->bench->room, n * n, sizeof *out);
  d->shared = d->based == mk_family_of(d->problem->set, m) ? d->base.at : NULL;
  d->inner = d->control->team;
  *status = out == NULL ? MK_NO_MEMORY : fill_values(d, m, d->bench, out);
  return *status == MK_OK ? out : NULL;
}

/* ---- factors ---- */

/* The factor of kernel m, with rows `ld` apart or packed (0): the one that is kept, or a new one in
 * the room of the bench. */
static mk_status find_factor(mk_dictionary *d, size_t m, bench *b, const double **factor,
                             size_t *ld) {
  size_t size = factor_size(d, m);
  *ld = 0;
  *factor = d->factor[m];
  if (*factor != NULL) return MK_OK;
  double *room = mk_buffer_need(&b->room, room_size(d, m), sizeof *room);
  if (room == NULL) return MK_NO_MEMORY;
  MK_TRY(d->width[m] > 0 ? multiply_columns(d, m, b, d->inner, room) : fill_values(d, m, b, room));
  mk_status status = mk_cholesky(room, size, mk_gomp_delta(d->problem), d->inner);
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

/* || L^-1 x ||^2 summed over the tasks; x, size x tasks, is lost. */
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

/* With K = ZZ', K (K + delta I)^-1 = Z (Z'Z + delta I)^-1 Z'; and in general it is
 * I - delta (K + delta I)^-1. */
static mk_status score_kernel(mk_dictionary *d, size_t m, bench *b) {
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
    read_column(d, m, j, b, column);
    for (size_t t = 0; t < tasks; t++)
      b->solution[t * width + j] = mk_simd_best()->dot(n, column, d->r + t * n);
  }
  d->score[m] = solved_square(factor, ld, size, tasks, b->solution);
  return MK_OK;
}

static mk_status score_group(void *data, size_t k, int thread) {
  mk_dictionary *d = data;
  size_t last = mk_smaller((k + 1) * d->group, d->listed);
  for (size_t i = k * d->group; i < last; i++)
    MK_TRY(score_kernel(d, (size_t)d->list[i], &d->bench[thread]));
  return MK_OK;
}

/* ---- passes ---- */

/* Operations that the dearest kernel of the list takes, at least. */
static double dearest(const mk_dictionary *d, size_t count) {
  double n = (double)d->problem->n, most = 1.0;
  for (size_t i = 0; i < count; i++) {
    size_t m = (size_t)d->list[i];
    double width = d->width[m] > 0 ? (double)d->width[m] : n;
    most = fmax(most, n * width * (d->factor[m] == NULL ? width : (double)d->problem->tasks));
  }
  return most;
}

static mk_status score_list(mk_dictionary *d, size_t count, int serial) {
  size_t threads = (size_t)d->rooms;
  int wide = !serial && threads > 1 && count >= threads;
  d->inner = wide ? NULL : d->control->team;
  d->listed = count;
  d->group = 1 + (size_t)(ENOUGH / dearest(d, count));
  if (wide) d->group = mk_smaller(d->group, (count + threads - 1) / threads);
  return mk_for_each((count + d->group - 1) / d->group, wide ? d->control->team : NULL, d->control,
                     score_group, d);
}

/* Kernels of family f whose factors are to be made from n x n values. */
static size_t list_family(mk_dictionary *d, size_t f, const char *taken) {
  const mk_kernel_set *set = d->problem->set;
  size_t count = 0;
  for (size_t k = 0; k < mk_exact_family_size(set, f); k++) {
    size_t m = mk_exact_family_member(set, f, k);
    if (!taken[m] && d->width[m] == 0 && d->factor[m] == NULL) d->list[count++] = (int)m;
  }
  return count;
}

/* The base of family f, if it isn't there already. */
static mk_status lay_base(mk_dictionary *d, size_t f) {
  size_t n = d->problem->n, none = mk_set_families(d->problem->set);
  if (d->based == f) return MK_OK;
  d->based = none;
  d->filled = f;
  d->target = mk_buffer_need(&d->base, n * n, sizeof *d->target);
  if (d->target == NULL) return MK_NO_MEMORY;
  MK_TRY(mk_for_each(strips(d), d->control->team, d->control, base_strip, d));
  d->based = f;
  return MK_OK;
}

/* Members of one family from one base. */
static mk_status score_sharing(mk_dictionary *d, size_t f, const char *taken, char *done) {
  size_t count = list_family(d, f, taken);
  if (count < 2) return MK_OK;
  MK_TRY(lay_base(d, f));
  d->shared = d->base.at;
  for (size_t k = 0; k < count; k++) done[d->list[k]] = 1;
  mk_status status = score_list(d, count, 0);
  d->shared = NULL;
  return status;
}

/* The kernels that are left, each by itself: those that R evaluates (serial) or the others. */
static mk_status score_rest(mk_dictionary *d, const char *done, int serial) {
  size_t count = 0;
  for (size_t m = 0; m < d->kernels; m++) {
    size_t f = mk_family_of(d->problem->set, m);
    int called = mk_family_serial(d->problem->set, f) && d->factor[m] == NULL;
    if (!done[m] && called == serial) d->list[count++] = (int)m;
  }
  return score_list(d, count, serial);
}

mk_status mk_dictionary_score(mk_dictionary *d, const double *r, const char *taken, double *score) {
  const mk_kernel_set *set = d->problem->set;
  size_t values = d->problem->n * d->problem->tasks;
  char *done = MK_NEW(char, d->kernels + 1);
  if (done == NULL) return MK_NO_MEMORY;
  memcpy(done, taken, d->kernels);
  d->r = r;
  d->square = mk_simd_best()->dot(values, r, r);
  d->score = score;
  d->shared = NULL;
  mk_status status = MK_OK;
  for (size_t f = 0; status == MK_OK && d->shares && f < mk_set_families(set); f++)
    if (may_share(d, f)) status = score_sharing(d, f, taken, done);
  for (int serial = 0; status == MK_OK && serial < 2; serial++)
    status = score_rest(d, done, serial);
  mk_free(done);
  return status;
}
