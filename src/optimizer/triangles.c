#include "triangles.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernel/exact.h"
#include "kernel/values.h"

#include <string.h>

#define STRIP 16      /* rows that are mixed together, and edge of the squares that are mirrored */
#define BATCH 64      /* kernels added in one call */
#define ALIGN 16      /* floats of a cache line */
#define LARGEST 1e25f /* value; sums of many stay finite */
#define SMALLEST 1e-25f
#define DEAR 3e4 /* operations worth another thread */

struct mk_triangles {
  const mk_kernel_set *set;
  size_t n, kernels;
  size_t size; /* values from one triangle to the next */
  float *value;
};

static size_t row_start(size_t i) {
  return i * (i + 1) / 2;
}

static size_t triangle_size(size_t n) {
  return (row_start(n) + ALIGN - 1) / ALIGN * ALIGN;
}

static const float *row_of(const mk_triangles *t, size_t m, size_t i) {
  return t->value + m * t->size + row_start(i);
}

double mk_triangles_bytes(const mk_kernel_set *set) {
  return (double)sizeof(float) * (double)mk_set_kernels(set) *
         (double)triangle_size(mk_set_samples(set));
}

/* ---- filling ---- */

typedef struct filling {
  mk_triangles *to;
  mk_bases *bases;
  mk_scratch **scratch; /* one per thread */
  size_t strips;        /* of MK_BLOCK_ROWS rows */
} filling;

/* One family, one strip of rows. */
static mk_status fill_strip(void *data, size_t item, int thread) {
  const filling *fill = data;
  const mk_kernel_set *set = fill->to->set;
  size_t f = item / fill->strips, first = item % fill->strips * MK_BLOCK_ROWS;
  size_t last = mk_smaller(first + MK_BLOCK_ROWS, fill->to->n);
  mk_scratch *scratch = fill->scratch[thread];
  mk_row block = mk_scratch_block(scratch, 1);
  int rows[MK_BLOCK_ROWS];
  for (size_t i = first; i < last; i++) rows[i - first] = (int)i;
  for (size_t from = 0; from < last; from += MK_BLOCK_COLS) {
    mk_columns columns = mk_run(from, mk_smaller(MK_BLOCK_COLS, last - from));
    int based = mk_family_has_base(set, f);
    if (based)
      MK_TRY(mk_base_block(fill->bases, f, rows, last - first, &columns, block, MK_BLOCK_COLS,
                           scratch));
    for (size_t k = 0; k < mk_exact_family_size(set, f); k++)
      for (size_t i = first > from ? first : from; i < last; i++) {
        mk_columns part = mk_run(from, mk_smaller(columns.count, i + 1 - from));
        mk_row base = {NULL, 1};
        if (based) base = mk_row_from(block, (i - first) * MK_BLOCK_COLS);
        size_t m = mk_exact_family_member(set, f, k);
        mk_values_single(set, m, (int)i, &part, base, scratch,
                         fill->to->value + m * fill->to->size + row_start(i) + from);
      }
  }
  return MK_OK;
}

/* Function kernels are called on the thread that called the core. */
static mk_status fill(const filling *fill, const mk_control *control) {
  size_t families = mk_set_families(fill->to->set);
  int serial = 0;
  for (size_t f = 0; f < families; f++) serial |= mk_family_serial(fill->to->set, f);
  return mk_for_each(families * fill->strips, serial ? NULL : control->team, control, fill_strip,
                     (void *)fill);
}

static mk_status open_scratch(filling *fill, size_t threads) {
  fill->scratch = MK_NEW0(mk_scratch *, threads);
  for (size_t t = 0; fill->scratch != NULL && t < threads; t++)
    if ((fill->scratch[t] = mk_scratch_new(fill->to->set)) == NULL) return MK_NO_MEMORY;
  return fill->scratch != NULL ? MK_OK : MK_NO_MEMORY;
}

/* Floats hold a kernel whose diagonal is neither tiny nor huge: other values are no larger. */
static mk_status check_range(const mk_triangles *t) {
  for (size_t m = 0; m < t->kernels; m++) {
    float most = 0.0f;
    for (size_t i = 0; i < t->n; i++) {
      float own = row_of(t, m, i)[i];
      if (!(own <= LARGEST)) return MK_NOT_FINITE;
      most = own > most ? own : most;
    }
    if (most < SMALLEST) return MK_NOT_FINITE;
  }
  return MK_OK;
}

mk_status mk_triangles_new(mk_triangles **out, const mk_kernel_set *set,
                           const mk_control *control) {
  mk_triangles *t = *out = MK_NEW0(mk_triangles, 1);
  if (t == NULL) return MK_NO_MEMORY;
  size_t n = mk_set_samples(set), threads = (size_t)mk_team_size(control->team);
  t->set = set;
  t->n = n;
  t->kernels = mk_set_kernels(set);
  t->size = triangle_size(n);
  t->value = MK_NEW(float, t->kernels * t->size);
  if (t->value == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < t->kernels; m++)
    memset(t->value + m * t->size + row_start(n), 0, (t->size - row_start(n)) * sizeof(float));
  filling filling = {.to = t, .strips = (n + MK_BLOCK_ROWS - 1) / MK_BLOCK_ROWS};
  mk_status status = mk_bases_new(&filling.bases, set, 1, control->team);
  if (status == MK_OK) status = open_scratch(&filling, threads);
  if (status == MK_OK) status = fill(&filling, control);
  for (size_t k = 0; filling.scratch != NULL && k < threads; k++)
    mk_scratch_free(filling.scratch[k]);
  mk_free(filling.scratch);
  mk_bases_free(filling.bases);
  return status == MK_OK ? check_range(t) : status;
}

void mk_triangles_free(mk_triangles *t) {
  if (t == NULL) return;
  mk_free(t->value);
  mk_free(t);
}

/* ---- passes ---- */

typedef struct pass {
  const mk_triangles *from;
  const int *list; /* of kernels, or of samples */
  size_t count, ld;
  int whole;            /* responses of all samples are wanted */
  const double *weight; /* of kernels, or of pairs of samples */
  double *out;
} pass;

static mk_team *team_for(const mk_triangles *t, size_t kernels, mk_team *team) {
  return (double)kernels * (double)t->size > DEAR ? team : NULL;
}

/* Rows up to the diagonal: as they lie in the triangles, all at once, and then each to its place,
 * which is never before the one that it has. */
static mk_status mix_strip(void *data, size_t strip, int thread) {
  const pass *p = data;
  const void *row[BATCH];
  double factor[BATCH];
  size_t first = strip * STRIP, last = mk_smaller(first + STRIP, p->from->n), held = 0;
  size_t length = row_start(last) - row_start(first);
  double *out = p->out + first * p->ld;
  (void)thread;
  memset(out, 0, length * sizeof *out);
  for (size_t k = 0; k < p->count; k++) {
    if (p->weight[k] == 0.0) continue;
    row[held] = row_of(p->from, (size_t)p->list[k], first);
    factor[held++] = p->weight[k];
    if (held < BATCH) continue;
    mk_simd_best()->rows[1].combine(length, held, row, factor, out);
    held = 0;
  }
  mk_simd_best()->rows[1].combine(length, held, row, factor, out);
  for (size_t i = last; i-- > first;) {
    double *to = p->out + i * p->ld;
    memmove(to, out + row_start(i) - row_start(first), (i + 1) * sizeof *out);
    memset(to + p->from->n, 0, (p->ld - p->from->n) * sizeof *out);
  }
  return MK_OK;
}

/* Columns of a strip, from its diagonal square down, to the rows above. */
static void mirror_strip(const pass *p, size_t strip) {
  size_t first = strip * STRIP, last = mk_smaller(first + STRIP, p->from->n);
  for (size_t i0 = first; i0 < p->from->n; i0 += STRIP)
    for (size_t j = first; j < last; j++)
      for (size_t i = i0 > j ? i0 : j + 1; i < mk_smaller(i0 + STRIP, p->from->n); i++)
        p->out[j * p->ld + i] = p->out[i * p->ld + j];
}

void mk_triangles_mix(const mk_triangles *t, const int *list, size_t count, const double *weight,
                      mk_team *team, double *rows, size_t ld) {
  pass p = {.from = t, .list = list, .count = count, .ld = ld, .weight = weight, .out = rows};
  size_t strips = (t->n + STRIP - 1) / STRIP;
  mk_deal_out(strips, team_for(t, count, team), mix_strip, &p);
  for (size_t k = 0; k < strips; k++) mirror_strip(&p, k);
}

/* Rows and columns of samples without alpha add nothing. */
static mk_status respond_kernel(void *data, size_t k, int thread) {
  const pass *p = data;
  size_t n = p->from->n;
  double *u = p->out + k * n;
  const double *alpha = p->weight;
  (void)thread;
  memset(u, 0, n * sizeof *u);
  for (size_t i = 0; i < n; i++) {
    if (alpha[i] == 0.0 && !p->whole) continue;
    const float *row = row_of(p->from, (size_t)p->list[k], i);
    u[i] += mk_simd_best()->rows[1].both_ways(i, alpha[i], row, alpha, u) + row[i] * alpha[i];
  }
  return MK_OK;
}

void mk_triangles_respond(const mk_triangles *t, const int *list, size_t count, const double *alpha,
                          int whole, mk_team *team, double *u) {
  pass p = {.from = t, .list = list, .count = count, .weight = alpha, .whole = whole, .out = u};
  mk_deal_out(count, team_for(t, count, team), respond_kernel, &p);
}

static mk_status form_kernel(void *data, size_t k, int thread) {
  const pass *p = data;
  double sum = 0.0;
  (void)thread;
  for (size_t r = 0; r < p->count; r++) {
    size_t i = (size_t)p->list[r];
    sum +=
        mk_simd_best()->rows[1].dot_double(i + 1, row_of(p->from, k, i), p->weight + row_start(i));
  }
  p->out[k] = sum;
  return MK_OK;
}

mk_status mk_triangles_forms(const mk_triangles *t, const double *alpha, size_t tasks,
                             mk_team *team, double *s) {
  double *pair = MK_NEW0(double, t->size);
  int *support = MK_NEW(int, t->n);
  pass p = {.from = t, .list = support, .weight = pair, .out = s};
  mk_status status = pair == NULL || support == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t i = 0; status == MK_OK && i < t->n; i++) {
    int any = 0;
    for (size_t k = 0; k < tasks; k++) {
      const double *own = alpha + k * t->n;
      any |= own[i] != 0.0;
      mk_simd_best()->axpy(i, 2.0 * own[i], own, pair + row_start(i));
      pair[row_start(i) + i] += own[i] * own[i];
    }
    if (any) support[p.count++] = (int)i;
  }
  if (status == MK_OK) mk_deal_out(t->kernels, team_for(t, t->kernels, team), form_kernel, &p);
  mk_free(pair);
  mk_free(support);
  return status;
}
