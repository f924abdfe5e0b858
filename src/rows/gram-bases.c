/* Provider for kernels that share a base with their family: Gaussians, polynomials and linear
 * kernels on the same columns from squared distances, and functions from their values. Called by
 * gram.c. MATHEMATICS.md, section 3.4. */
#include "gram-bases.h"

#include "rows/gram-pairs.h"
#include "rows/gram-store.h"
#include "rows/gram-sweep.h"
#include "rows/gram-values.h"
#include "rows/packed.h"

/* ---- memory ---- */

static void close_bases(void *own) {
  mk_base_rows *b = own;
  mk_store_free(b);
  mk_values_free(b->values);
  mk_bases_free(b->bases);
  mk_packed_free(b->packed);
  for (int t = 0; t < b->at->threads && b->sums != NULL; t++) mk_sums_free(b->sums[t]);
  mk_pool_free(&b->memory);
  mk_free(b);
}

static mk_status open_bases(mk_gram_context *at, void **own) {
  size_t families = mk_set_families(at->set), first = 0;
  while (first < families && !mk_family_has_base(at->set, first)) first++;
  if (first == families) return MK_OK;
  mk_base_rows *b = *own = MK_NEW0(mk_base_rows, 1);
  if (b == NULL) return MK_NO_MEMORY;
  b->at = at;
  b->families = families;
  b->first = first;
  b->store = MK_TAKE0(&b->memory, mk_buffer, families);
  b->sums = MK_TAKE0(&b->memory, mk_sums *, (size_t)at->threads);
  b->list = MK_TAKE(&b->memory, int, at->n);
  if (b->memory.failed) return MK_NO_MEMORY;
  for (int t = 0; t < at->threads; t++)
    if ((b->sums[t] = mk_new_sums(b)) == NULL) return MK_NO_MEMORY;
  for (size_t f = 0; f < families; f++) b->functions |= mk_family_serial(at->set, f);
  return mk_bases_new(&b->bases, at->set, at->single, at->control);
}

static size_t made_from_bytes(const mk_base_rows *b) {
  return mk_bases_bytes(b->bases) + (b->packed != NULL ? mk_packed_bytes(b->packed) : 0);
}

static size_t bases_bytes(const void *own) {
  const mk_base_rows *b = own;
  return made_from_bytes(b) + mk_store_bytes(b) + mk_values_bytes(b->values);
}

static mk_status grow_bases(void *own, size_t budget) {
  mk_base_rows *b = own;
  mk_packed_free(b->packed);
  MK_TRY(mk_packed_new(&b->packed, b->bases, b->at->sample, b->at->n));
  size_t taken = made_from_bytes(b);
  size_t room = budget > taken ? budget - taken : 0;
  MK_TRY(mk_values_grow(b, room));
  return b->values == NULL ? mk_store_grow(b, room) : MK_OK;
}

static mk_status mix_bases(void *own, const double *theta, int renewed) {
  mk_base_rows *b = own;
  (void)renewed;
  if (b->values != NULL) mk_values_mix(b, theta);
  return MK_OK;
}

static int bases_prefer_blocks(const void *own) {
  const mk_base_rows *b = own;
  return b->stored == 0 && b->values == NULL; /* a block of rows reads the columns once */
}

/* ---- rows ---- */

typedef struct mixing {
  mk_base_rows *b;
  const mk_row *target; /* one target per row of the sweep */
} mixing;

static void mix_row(void *data, size_t f, size_t r, const mk_sweep_block *block, mk_row base,
                    int thread) {
  const mixing *mix = data;
  const mk_gram_context *at = mix->b->at;
  mk_row out = mk_row_from(mix->target[block->first + r], block->from);
  mk_mixture_add(at->mixture, f, at->sample[block->rows[r]], &block->others, base, out,
                 at->scratch[thread]);
}

static void centre_rows(void *data, const mk_sweep_block *block, int thread) {
  const mixing *mix = data;
  const mk_gram_context *at = mix->b->at;
  for (size_t r = 0; r < block->row_count; r++)
    mk_mixture_centre(at->mixture, at->sample[block->rows[r]], &block->others,
                      mk_row_from(mix->target[block->first + r], block->from), at->scratch[thread]);
}

static mk_status add_base_rows(void *own, const int *rows, size_t count, const mk_row *target) {
  mk_base_rows *b = own;
  if (b->values != NULL) return mk_values_rows(b, rows, count, target);
  mixing mix = {b, target};
  mk_base_sweep sweep = {.rows = rows,
                         .row_count = count,
                         .count = b->at->count,
                         .visit = mix_row,
                         .finish = centre_rows};
  return mk_sweep_bases(b, &sweep, &mix);
}

static mk_status add_base_square(void *own, const int *rows, size_t count, const mk_row *target) {
  mk_base_rows *b = own;
  mixing mix = {b, target};
  mk_packed *packed = NULL;
  for (size_t k = 0; k < count; k++) b->list[k] = b->at->sample[rows[k]];
  mk_status status = mk_packed_new(&packed, b->bases, b->list, count);
  mk_base_sweep sweep = {.rows = rows,
                         .row_count = count,
                         .positions = rows,
                         .packed = packed,
                         .count = count,
                         .visit = mix_row,
                         .finish = centre_rows};
  if (status == MK_OK) status = mk_sweep_bases(b, &sweep, &mix);
  mk_packed_free(packed);
  return status;
}

/* ---- responses by sample ---- */

typedef struct responding {
  mk_base_rows *b;
  const mk_alphas *alphas;
  double *sum;  /* tasks x n, by position */
  double *rows; /* threads x MK_BLOCK_ROWS x MK_BLOCK_COLS */
} responding;

static mk_row response_row(const responding *to, int thread, size_t r) {
  mk_row rows = {to->rows, to->b->at->single};
  return mk_row_from(rows, ((size_t)thread * MK_BLOCK_ROWS + r) * MK_BLOCK_COLS);
}

static void respond_row(void *data, size_t f, size_t r, const mk_sweep_block *block, mk_row base,
                        int thread) {
  const responding *to = data;
  const mk_gram_context *at = to->b->at;
  mk_row out = response_row(to, thread, r);
  if (f == to->b->first) mk_row_clear(out, block->count);
  mk_mixture_add(at->mixture, f, at->sample[block->rows[r]], &block->others, base, out,
                 at->scratch[thread]);
}

static void add_responses(void *data, const mk_sweep_block *block, int thread) {
  const responding *to = data;
  const mk_gram_context *at = to->b->at;
  const mk_row_loops *loops = &mk_simd_best()->rows[at->single];
  for (size_t r = 0; r < block->row_count; r++) {
    mk_row row = response_row(to, thread, r);
    mk_mixture_centre(at->mixture, at->sample[block->rows[r]], &block->others, row,
                      at->scratch[thread]);
    for (size_t t = 0; t < to->alphas->tasks; t++) {
      double weight = to->alphas->alpha[t][block->rows[r]];
      if (weight != 0.0)
        loops->axpy(block->count, weight, row.at, to->sum + t * at->n + block->from);
    }
  }
}

static mk_status respond_from(void *own, const mk_alphas *alphas, size_t from, double **out) {
  mk_base_rows *b = own;
  const mk_gram_context *at = b->at;
  responding to = {.b = b, .alphas = alphas};
  to.rows = MK_NEW(double, (size_t)at->threads *MK_BLOCK_ROWS *MK_BLOCK_COLS);
  to.sum = MK_NEW0(double, alphas->tasks * at->n);
  mk_base_sweep sweep = {.rows = b->list,
                         .from = from,
                         .count = at->n - from,
                         .visit = respond_row,
                         .finish = add_responses};
  sweep.row_count = mk_list_support(at, alphas, b->list);
  mk_status status =
      to.rows == NULL || to.sum == NULL ? MK_NO_MEMORY : mk_sweep_bases(b, &sweep, &to);
  for (size_t t = 0; status == MK_OK && t < alphas->tasks; t++)
    for (size_t k = from; k < at->n; k++) out[t][at->sample[k]] += to.sum[t * at->n + k];
  mk_free(to.rows);
  mk_free(to.sum);
  return status;
}

const mk_provider mk_base_provider = {
    .open = open_bases,
    .close = close_bases,
    .bytes = bases_bytes,
    .grow = grow_bases,
    .prefers_blocks = bases_prefer_blocks,
    .mix = mix_bases,
    .rows = add_base_rows,
    .square = add_base_square,
    .response_from = respond_from,
    .forms = mk_form_by_pairs,
    .shares_forms = 1,
    .members = mk_respond_by_pairs,
};
