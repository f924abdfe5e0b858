/* Values of the functions along a path, from the kernels' plain definition.
 * Called by rglue/gomp.c.
 * MATHEMATICS.md, section 5. */
#include "path.h"

#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"
#include "exact/exact.h"
#include "kernel/features.h"

#include <string.h>

#define ROWS 64  /* rows of a strip */
#define SLOTS 12 /* number of families whose blocks are kept at once */

static size_t column_of(const mk_path_values *p, size_t block, size_t task) {
  return block * p->tasks + task;
}

/* ---- linear kernels, by their columns ---- */

/* Adds z (z'alpha) to out for one column z of the kernel at place k. */
static void add_outer(const mk_path_values *p, size_t k, const double *column, double *from,
                      double *row) {
  const mk_simd *simd = mk_simd_best();
  for (size_t i = 0; i < p->from_count; i++) from[i] = column[p->from[i]];
  for (size_t i = 0; i < p->row_count; i++) row[i] = column[p->row[i]];
  for (size_t b = 0; b < p->blocks; b++)
    for (size_t t = 0; p->last[b] > k && t < p->tasks; t++) {
      size_t at = column_of(p, b, t);
      double g = simd->dot(p->from_count, from, p->alpha + at * p->from_count);
      simd->axpy(p->row_count, g, row, p->out + at * p->row_count);
    }
}

static mk_status add_linear(const mk_path_values *p, const mk_control *control) {
  double *column = MK_NEW(double, mk_set_samples(p->set));
  double *from = MK_NEW(double, p->from_count + 1), *row = MK_NEW(double, p->row_count + 1);
  mk_status status = column == NULL || from == NULL || row == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t k = 0; status == MK_OK && k < p->count; k++) {
    size_t m = (size_t)p->kernel[k], width = mk_linear_width(p->set, m);
    if (width > 0) status = mk_check(control);
    for (size_t j = 0; status == MK_OK && j < width; j++) {
      mk_linear_column(p->set, m, j, p->known, column);
      add_outer(p, k, column, from, row);
    }
  }
  mk_free(column);
  mk_free(from);
  mk_free(row);
  return status;
}

/* ---- other kernels, block by block ---- */

/* One thread's work space. */
typedef struct bench {
  mk_exact *exact[SLOTS];
  size_t family[SLOTS]; /* family of the block in each slot */
  size_t next;          /* slot to be reused next */
  double *sum;          /* ROWS x MK_EXACT_COLS: sum of the kernels so far */
  double value[MK_EXACT_COLS];
} bench;

typedef struct evaluation {
  const mk_path_values *p;
  bench *bench;
  size_t slots;
} evaluation;

/* Returns the slot with this block of family f. */
static mk_status find_block(const evaluation *e, bench *b, size_t f, const int *row, size_t rows,
                            const mk_samples *others, mk_exact **exact) {
  size_t slot = 0;
  while (slot < e->slots && b->family[slot] != f) slot++;
  int known = slot < e->slots;
  if (!known) slot = b->next++ % e->slots;
  *exact = b->exact[slot];
  b->family[slot] = f;
  return known ? MK_OK : mk_exact_block(*exact, f, row, rows, others);
}

/* Adds the products for the blocks b of the path whose sum is complete with kernel k. */
static void add_products(const mk_path_values *p, const bench *b, size_t k, size_t first,
                         size_t rows, size_t from, size_t width) {
  const mk_simd *simd = mk_simd_best();
  for (size_t block = 0; block < p->blocks; block++)
    for (size_t t = 0; p->last[block] == k + 1 && t < p->tasks; t++) {
      size_t at = column_of(p, block, t);
      const double *alpha = p->alpha + at * p->from_count + from;
      double *out = p->out + at * p->row_count + first;
      for (size_t r = 0; r < rows; r++)
        out[r] += simd->dot(width, b->sum + r * MK_EXACT_COLS, alpha);
    }
}

static mk_status add_block(const evaluation *e, bench *b, size_t first, size_t rows, size_t from,
                           size_t width) {
  const mk_path_values *p = e->p;
  mk_samples others = mk_list(p->from + from, width);
  mk_exact *exact;
  memset(b->sum, 0, rows * MK_EXACT_COLS * sizeof *b->sum);
  for (size_t s = 0; s < e->slots; s++) b->family[s] = mk_set_families(p->set);
  for (size_t k = 0; k < p->count; k++) {
    size_t m = (size_t)p->kernel[k], f = mk_family_of(p->set, m);
    if (mk_linear_width(p->set, m) == 0) {
      MK_TRY(find_block(e, b, f, p->row + first, rows, &others, &exact));
      for (size_t r = 0; r < rows; r++) {
        mk_exact_values(exact, m, r, b->value);
        mk_simd_best()->axpy(width, 1.0, b->value, b->sum + r * MK_EXACT_COLS);
      }
    }
    add_products(p, b, k, first, rows, from, width);
  }
  return MK_OK;
}

static mk_status add_strip(void *data, size_t k, int thread) {
  const evaluation *e = data;
  size_t first = k * ROWS, rows = mk_smaller(e->p->row_count - first, ROWS);
  for (size_t from = 0; from < e->p->from_count; from += MK_EXACT_COLS)
    MK_TRY(add_block(e, &e->bench[thread], first, rows, from,
                     mk_smaller(e->p->from_count - from, MK_EXACT_COLS)));
  return MK_OK;
}

static mk_status lay_benches(const evaluation *e, int threads) {
  for (int t = 0; t < threads; t++) {
    bench *b = &e->bench[t];
    b->sum = MK_NEW(double, (size_t)ROWS *MK_EXACT_COLS);
    if (b->sum == NULL) return MK_NO_MEMORY;
    for (size_t s = 0; s < e->slots; s++)
      if ((b->exact[s] = mk_exact_new(e->p->set)) == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

static void free_benches(bench *benches, int threads) {
  for (int t = 0; benches != NULL && t < threads; t++) {
    for (size_t s = 0; s < SLOTS; s++) mk_exact_free(benches[t].exact[s]);
    mk_free(benches[t].sum);
  }
  mk_free(benches);
}

/* Returns 1 if R evaluates one of these kernels. */
static int serial_among(const mk_path_values *p) {
  for (size_t k = 0; k < p->count; k++)
    if (mk_family_serial(p->set, mk_family_of(p->set, (size_t)p->kernel[k]))) return 1;
  return 0;
}

static mk_status add_others(const mk_path_values *p, const mk_control *control) {
  mk_team *team = serial_among(p) ? NULL : control->team;
  int threads = mk_team_size(team);
  evaluation e = {.p = p, .bench = MK_NEW0(bench, (size_t)threads)};
  e.slots = mk_smaller(SLOTS, p->count);
  mk_status status = e.bench == NULL ? MK_NO_MEMORY : lay_benches(&e, threads);
  size_t strips = (p->row_count + ROWS - 1) / ROWS;
  if (status == MK_OK) status = mk_for_each(strips, team, control, add_strip, &e);
  free_benches(e.bench, threads);
  return status;
}

mk_status mk_path_evaluate(const mk_path_values *p, const mk_control *control) {
  int linear = 0, other = 0;
  memset(p->out, 0, p->row_count * p->tasks * p->blocks * sizeof *p->out);
  for (size_t k = 0; k < p->count; k++)
    mk_linear_width(p->set, (size_t)p->kernel[k]) > 0 ? (linear = 1) : (other = 1);
  if (linear) MK_TRY(add_linear(p, control));
  return other ? add_others(p, control) : MK_OK;
}
