/* Stored values of all kernels over the working set, for few samples whose bases serve few kernels
 * each. Products with stored values then cost less than computing values anew, or than moments of
 * every family. Called by gram-bases.c and gram-pairs.c. MATHEMATICS.md, section 1. */
#include "gram-values.h"

#include "base/mechanisms.h"
#include "rows/gram-bases.h"
#include "rows/local-sums.h"
#include "rows/mixture.h"

#include <string.h>

/* largest memory of the values; more are read more slowly than moments are computed */
#define MOST_BYTES 3.2e7
/* least number of families with a base; with fewer, any way is cheap */
#define LEAST_FAMILIES 8
/* largest mean number of kernels per family; moments serve any number at one price */
#define MOST_PER_FAMILY 4
#define BATCH 64             /* rows added in one call */
#define LEAST_OPERATIONS 3e4 /* operations that are worth another thread */

struct mk_value_store {
  size_t kernels, count, apart; /* apart: stride from one row's values to the next one's */
  int *member;                  /* kernels: their numbers */
  double *theta;                /* kernels: weights of the mixture */
  mk_row at;                    /* kernels x count x apart */
  mk_pool memory;
};

static mk_row row_of(const mk_value_store *v, size_t k, size_t i) {
  return mk_row_from(v->at, (k * v->count + i) * v->apart);
}

/* ---- memory ---- */

static size_t count_kernels(const mk_base_rows *b, size_t *families) {
  size_t kernels = 0;
  *families = 0;
  for (size_t f = 0; f < b->families; f++) {
    if (!mk_family_has_base(b->at->set, f)) continue;
    kernels += mk_family_size(b->at->set, f);
    *families += 1;
  }
  return kernels;
}

static int any_local(const mk_base_rows *b) {
  for (size_t f = 0; f < b->families; f++)
    if (mk_family_locals(b->at->set, f) > 0) return 1;
  return 0;
}

/* Returns 1 if stored values of so many kernels are better than bases. */
static int serves(const mk_base_rows *b, size_t kernels, size_t families, size_t budget) {
  const mk_gram_context *at = b->at;
  double bytes =
      (double)(kernels * at->count * mk_padded(at->count)) * (double)mk_row_size(at->single);
  return MK_WITH_STORED_VALUES && !b->functions && !any_local(b) && families >= LEAST_FAMILIES &&
         kernels <= MOST_PER_FAMILY * families && bytes <= MOST_BYTES && bytes <= (double)budget;
}

void mk_values_free(mk_value_store *v) {
  if (v == NULL) return;
  mk_pool_free(&v->memory);
  mk_free(v);
}

size_t mk_values_bytes(const mk_value_store *v) {
  return v != NULL ? v->memory.bytes : 0;
}

/* ---- filling ---- */

typedef struct filling {
  const mk_base_rows *b;
  const mk_value_store *v;
  const size_t *first; /* families: number of the first kernel of each */
} filling;

/* Computes values of one family's kernels between position i and the columns up to it. */
static void fill_row(const filling *fill, size_t f, size_t i, size_t from, size_t count,
                     mk_row base) {
  const mk_gram_context *at = fill->b->at;
  double wide[MK_BLOCK_COLS], buffer[MK_BLOCK_COLS], value[MK_BLOCK_COLS];
  mk_samples samples = mk_list(at->sample + from, count);
  const double *values = mk_row_doubles(base, count, wide);
  const double *product = mk_family_products(at->set, f, at->sample[i], &samples, values, buffer);
  for (size_t k = 0; k < mk_family_size(at->set, f); k++) {
    mk_member_values(at->set, mk_family_member(at->set, f, k), at->sample[i], &samples, values,
                     product, value);
    mk_row_store(mk_row_from(row_of(fill->v, fill->first[f] + k, i), from), value, count);
  }
}

static void mirror_rows(const mk_value_store *v, size_t k) {
  for (size_t i = 0; i < v->count; i++)
    for (size_t j = i + 1; j < v->count; j++)
      mk_row_set(row_of(v, k, i), j, mk_row_at(row_of(v, k, j), i));
}

static mk_status fill_family(void *data, size_t f, int thread) {
  const filling *fill = data;
  const mk_gram_context *at = fill->b->at;
  size_t n = fill->v->count;
  mk_scratch *scratch = at->scratch[thread];
  mk_row block = mk_scratch_block(scratch, at->single);
  if (!mk_family_has_base(at->set, f)) return MK_OK;
  for (size_t first = 0; first < n; first += MK_BLOCK_ROWS) {
    size_t last = mk_smaller(first + MK_BLOCK_ROWS, n);
    for (size_t from = 0; from < last; from += MK_BLOCK_COLS) {
      mk_samples samples = mk_list(at->sample + from, mk_smaller(MK_BLOCK_COLS, last - from));
      MK_TRY(mk_base_block(fill->b->bases, f, at->sample + first, last - first, &samples, block,
                           MK_BLOCK_COLS, scratch));
      for (size_t i = first > from ? first : from; i < last; i++)
        fill_row(fill, f, i, from, mk_smaller(samples.count, i + 1 - from),
                 mk_row_from(block, (i - first) * MK_BLOCK_COLS));
    }
  }
  for (size_t k = 0; k < mk_family_size(at->set, f); k++) mirror_rows(fill->v, fill->first[f] + k);
  return MK_OK;
}

static mk_status fill_values(mk_base_rows *b, mk_value_store *v) {
  const mk_gram_context *at = b->at;
  size_t *first = MK_NEW(size_t, b->families), k = 0;
  if (first == NULL) return MK_NO_MEMORY;
  for (size_t f = 0; f < b->families; f++) {
    first[f] = k;
    for (size_t j = 0; mk_family_has_base(at->set, f) && j < mk_family_size(at->set, f); j++)
      v->member[k++] = (int)mk_family_member(at->set, f, j);
  }
  filling fill = {b, v, first};
  mk_status status = mk_for_each(b->families, at->control->team, at->control, fill_family, &fill);
  mk_free(first);
  return status;
}

mk_status mk_values_grow(mk_base_rows *b, size_t budget) {
  const mk_gram_context *at = b->at;
  size_t families, kernels = count_kernels(b, &families);
  mk_values_free(b->values);
  b->values = NULL;
  if (!serves(b, kernels, families, budget)) return MK_OK;
  mk_value_store *v = b->values = MK_NEW0(mk_value_store, 1);
  if (v == NULL) return MK_NO_MEMORY;
  v->kernels = kernels;
  v->count = at->count;
  v->apart = mk_padded(at->count);
  v->member = MK_TAKE(&v->memory, int, kernels);
  v->theta = MK_TAKE0(&v->memory, double, kernels);
  v->at.single = at->single;
  v->at.at = mk_pool_alloc(&v->memory, kernels * v->count * v->apart, mk_row_size(at->single));
  MK_TRY(mk_pool_status(&v->memory));
  return fill_values(b, v);
}

/* ---- products ---- */

static mk_team *team_for(const mk_base_rows *b, size_t rows) {
  const mk_value_store *v = b->values;
  return (double)(v->kernels * rows * v->count) > LEAST_OPERATIONS ? b->at->control->team : NULL;
}

void mk_values_mix(mk_base_rows *b, const double *theta) {
  mk_value_store *v = b->values;
  for (size_t k = 0; k < v->kernels; k++) v->theta[k] = theta[v->member[k]];
}

typedef struct product {
  const mk_base_rows *b;
  const int *positions; /* positions of the rows */
  const mk_row *target;
  const mk_alphas *alphas;
  const mk_member_ask *ask;
  size_t count; /* number of support vectors, in b->list */
  double *s;
} product;

static mk_status mix_row(void *data, size_t r, int thread) {
  const product *p = data;
  const mk_value_store *v = p->b->values;
  const void *row[BATCH];
  double weight[BATCH], *sum = mk_scratch_row(p->b->at->scratch[thread], 0);
  for (size_t from = 0; from < v->count; from += MK_BLOCK_COLS) {
    size_t width = mk_smaller(MK_BLOCK_COLS, v->count - from);
    memset(sum, 0, width * sizeof *sum);
    for (size_t k = 0, held = 0; k < v->kernels; k++) {
      if (v->theta[k] != 0.0) {
        row[held] = mk_row_from(row_of(v, k, (size_t)p->positions[r]), from).at;
        weight[held++] = v->theta[k];
      }
      if (held < BATCH && k + 1 < v->kernels) continue;
      mk_simd_best()->rows[v->at.single].combine(width, held, row, weight, sum);
      held = 0;
    }
    mk_simd_best()->rows[v->at.single].add(width, 1.0, sum, mk_row_from(p->target[r], from).at);
  }
  return MK_OK;
}

mk_status mk_values_rows(const mk_base_rows *b, const int *rows, size_t count,
                         const mk_row *target) {
  product p = {.b = b, .positions = rows, .target = target};
  return mk_deal_out(count, team_for(b, count), mix_row, &p);
}

static double response_at(const mk_value_store *v, size_t k, size_t i, const double *alpha) {
  return mk_simd_best()->rows[v->at.single].dot_double(v->count, row_of(v, k, i).at, alpha);
}

static mk_status form_kernel(void *data, size_t k, int thread) {
  const product *p = data;
  const mk_value_store *v = p->b->values;
  double sum = 0.0;
  (void)thread;
  for (size_t t = 0; t < p->alphas->tasks; t++) {
    const double *alpha = p->alphas->alpha[t];
    for (size_t j = 0; j < p->count; j++) {
      size_t i = (size_t)p->b->list[j];
      if (alpha[i] != 0.0) sum += alpha[i] * response_at(v, k, i, alpha);
    }
  }
  p->s[v->member[k]] = sum;
  return MK_OK;
}

mk_status mk_values_forms(const mk_base_rows *b, const mk_alphas *alphas, double *s) {
  product p = {.b = b, .alphas = alphas, .s = s};
  p.count = mk_list_support(b->at, alphas, b->list);
  return mk_deal_out(b->values->kernels, team_for(b, p.count), form_kernel, &p);
}

static mk_status respond_at(void *data, size_t r, int thread) {
  const product *p = data;
  const mk_value_store *v = p->b->values;
  double *u = p->ask->u + r * p->ask->kernels;
  (void)thread;
  memset(u, 0, p->ask->kernels * sizeof *u);
  for (size_t k = 0; k < v->kernels; k++)
    u[v->member[k]] = response_at(v, k, (size_t)p->ask->positions[r], p->ask->alpha);
  return MK_OK;
}

mk_status mk_values_members(const mk_base_rows *b, const mk_member_ask *ask) {
  product p = {.b = b, .ask = ask};
  return mk_deal_out(ask->count, team_for(b, ask->count), respond_at, &p);
}
