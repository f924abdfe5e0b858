/* Quadratic forms and responses of all kernels with bases at once: each pair of samples is visited
 * once, whatever the number of kernels. Called by gram-bases.c. MATHEMATICS.md, section 3.4. */
#include "gram-pairs.h"

#include "base/mechanisms.h"
#include "base/pool.h"
#include "rows/feature-pass.h"
#include "rows/gram-bases.h"
#include "rows/gram-sweep.h"
#include "rows/gram-values.h"
#include "rows/local-sums.h"
#include "rows/packed.h"

#include <string.h>

#define GROUP_ROWS 16      /* rows whose responses share the bases */
#define GROUP_SUMS 1000000 /* largest number of sums for such rows, each of which takes memory */
#define LINEAR_VALUES 1e8  /* values read at most for forms that pairs compute less accurately */

mk_sums *mk_new_sums(const mk_base_rows *b) {
  mk_sums *sums = mk_sums_new(b->at->set, b->at->single);
  if (sums != NULL) mk_sums_leave_local(sums); /* gram-local.c sums locally linear kernels */
  return sums;
}

/* Returns 1 if pairs contribute nothing. */
static int only_local(const mk_base_rows *b) {
  for (size_t f = 0; f < b->families; f++)
    if (mk_family_has_base(b->at->set, f) && !mk_family_all_local(b->at->set, f)) return 0;
  return 1;
}

/* Packs the samples at these positions. */
static mk_status pack_samples(const mk_base_rows *b, const int *positions, size_t count,
                              mk_packed **packed) {
  int *sample = MK_NEW(int, count + 1);
  if (sample == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < count; k++) sample[k] = b->at->sample[positions[k]];
  mk_status status = mk_packed_new(packed, b->bases, sample, count);
  mk_free(sample);
  return status;
}

typedef struct forming {
  mk_base_rows *b;
  mk_pool memory; /* owns the lists below */
  const mk_alphas *alphas;
  size_t count;      /* number of support vectors, in b->list */
  mk_packed *packed; /* the support vectors */
  double *own;       /* tasks x count: their alphas */
  int square;        /* 1 for weights alpha_i alpha_j, each pair once; 0 for alpha_j */
  /* threads x height x MK_BLOCK_COLS: weights that all families of a block share */
  double *weight;
  size_t height;
  mk_sums **sums; /* threads x group: responses need sums for each row of a block */
  size_t group;
} forming;

static mk_status forming_new(forming *form, mk_base_rows *b, const mk_alphas *alphas, size_t rows) {
  size_t count = mk_list_support(b->at, alphas, b->list);
  *form = (forming){.b = b, .alphas = alphas, .count = count, .sums = b->sums, .group = 1};
  form->height = b->families > 1 ? rows : 1;
  form->weight =
      MK_TAKE(&form->memory, double, (size_t)b->at->threads * form->height * MK_BLOCK_COLS);
  form->own = MK_TAKE(&form->memory, double, alphas->tasks *count + 1);
  if (form->memory.failed) return MK_NO_MEMORY;
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t k = 0; k < count; k++) form->own[t * count + k] = alphas->alpha[t][b->list[k]];
  return pack_samples(b, b->list, count, &form->packed);
}

static void forming_clear(forming *form) {
  for (size_t k = 0; form->sums != form->b->sums && form->sums != NULL &&
                     k < (size_t)form->b->at->threads * form->group;
       k++)
    mk_sums_free(form->sums[k]);
  mk_packed_free(form->packed);
  mk_pool_free(&form->memory);
}

static void pair_weights(const forming *form, const mk_sweep_block *block, size_t r,
                         double *weight) {
  if (!form->square) {
    memcpy(weight, form->own + block->from, block->count * sizeof *weight);
    return;
  }
  /* samples after this block of rows also stand for their mirror images */
  int last = block->rows[block->row_count - 1];
  size_t once = 0;
  while (once < block->count && block->positions[once] <= last) once++;
  memset(weight, 0, block->count * sizeof *weight);
  for (size_t t = 0; t < form->alphas->tasks; t++) {
    const double *others = form->own + t * form->count + block->from;
    double own = form->alphas->alpha[t][block->rows[r]];
    if (own == 0.0) continue;
    mk_simd_best()->axpy(once, own, others, weight);
    mk_simd_best()->axpy(block->count - once, 2.0 * own, others + once, weight + once);
  }
}

static void form_row(void *data, size_t f, size_t r, const mk_sweep_block *block, mk_row base,
                     int thread) {
  const forming *form = data;
  const mk_gram_context *at = form->b->at;
  size_t place = (size_t)thread * form->height + (form->height > 1 ? r : 0);
  double *weight = form->weight + place * MK_BLOCK_COLS;
  if (f == form->b->first) pair_weights(form, block, r, weight);
  mk_sums *sums = form->sums[(size_t)thread * form->group + (form->group > 1 ? r : 0)];
  mk_sums_add(sums, f, at->sample[block->rows[r]], &block->others, base, weight,
              at->scratch[thread]);
}

/* ---- forms ---- */

/* Computes forms of linear kernels by X'alpha if that is little work: if a form is small beside its
 * terms, pairs leave only rounding errors. */
static mk_status form_linear(const mk_base_rows *b, const mk_alphas *alphas, double *s) {
  const mk_gram_context *at = b->at;
  double values = (double)alphas->tasks * mk_linear_form_values(at->set);
  if (values == 0.0 || values > LINEAR_VALUES) return MK_OK;
  mk_pool memory = {0};
  double **scattered = MK_TAKE(&memory, double *, alphas->tasks);
  size_t count = mk_takes_block(at->control, 0) ? at->count : 0; /* other shares are 0 */
  for (size_t t = 0; !memory.failed && t < alphas->tasks; t++) {
    scattered[t] = MK_TAKE0(&memory, double, at->n);
    for (size_t i = 0; !memory.failed && i < count; i++)
      scattered[t][at->sample[i]] = alphas->alpha[t][i];
  }
  mk_linear_ask ask = {at->set, alphas->tasks, scattered, s};
  mk_status status = mk_pool_status(&memory);
  if (status == MK_OK) mk_linear_forms(&ask, mk_team_worth(at->control->team, values));
  mk_pool_free(&memory);
  return status;
}

static mk_status form_pairs(mk_base_rows *b, const mk_alphas *alphas, double *s) {
  forming form;
  mk_status status = forming_new(&form, b, alphas, MK_BLOCK_ROWS);
  form.square = 1;
  mk_base_sweep sweep = {.rows = b->list,
                         .row_count = form.count,
                         .positions = b->list,
                         .packed = form.packed,
                         .count = form.count,
                         .symmetric = 1,
                         .visit = form_row};
  if (status == MK_OK) status = mk_sweep_bases(b, &sweep, &form);
  for (int t = 1; t < b->at->threads; t++) mk_sums_merge(b->sums[0], b->sums[t]);
  mk_sums_read(b->sums, 1, s);
  forming_clear(&form);
  return status;
}

mk_status mk_form_by_pairs(void *own, const mk_alphas *alphas, double *s) {
  mk_base_rows *b = own;
  if (only_local(b)) return MK_OK;
  MK_TRY(b->values != NULL ? mk_values_forms(b, alphas, s) : form_pairs(b, alphas, s));
  return form_linear(b, alphas, s);
}

/* ---- responses ---- */

/* Gives each row of a group sums of its own, if that takes little memory. */
static mk_status group_rows(forming *form) {
  const mk_gram_context *at = form->b->at;
  size_t count = (size_t)at->threads * GROUP_ROWS;
  if (!MK_WITH_ROW_GROUPS || mk_set_kernels(at->set) * count > GROUP_SUMS) return MK_OK;
  form->group = GROUP_ROWS;
  form->sums = MK_TAKE0(&form->memory, mk_sums *, count);
  for (size_t k = 0; form->sums != NULL && k < count; k++)
    if ((form->sums[k] = mk_new_sums(form->b)) == NULL) return MK_NO_MEMORY;
  return form->sums != NULL ? MK_OK : MK_NO_MEMORY;
}

typedef struct replies {
  forming form;
  const mk_member_ask *ask;
} replies;

/* Computes one group of rows against all support vectors. Its sums belong to one thread. */
static mk_status answer_group(void *data, size_t k, int thread) {
  replies *to = data;
  forming *form = &to->form;
  size_t first = k * form->group;
  mk_sums **sums = form->sums + (size_t)thread * form->group;
  mk_sweep_block block = {.packed = form->packed,
                          .rows = to->ask->positions + first,
                          .row_count = mk_smaller(form->group, to->ask->count - first)};
  mk_status status = MK_OK;
  for (; status == MK_OK && block.from < form->count; block.from += MK_BLOCK_COLS) {
    block.count = mk_smaller(MK_BLOCK_COLS, form->count - block.from);
    block.positions = form->b->list + block.from;
    status = mk_visit_bases(form->b, &block, thread, form_row, form);
  }
  mk_sums_read(sums, block.row_count, to->ask->u + first * to->ask->kernels);
  return status;
}

mk_status mk_respond_by_pairs(void *own, const mk_member_ask *ask) {
  mk_base_rows *b = own;
  if (b->values != NULL) return mk_values_members(b, ask);
  const mk_alphas alphas = {1, (double **)&ask->alpha};
  replies to = {.ask = ask};
  mk_status status = forming_new(&to.form, b, &alphas, 1);
  if (status == MK_OK) status = group_rows(&to.form);
  if (status == MK_OK)
    status = mk_deal_out((ask->count + to.form.group - 1) / to.form.group,
                         mk_calls_functions(b, b->at->count) ? NULL : b->at->control->team,
                         answer_group, &to);
  forming_clear(&to.form);
  return status;
}
