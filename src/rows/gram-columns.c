/* Provider for linear kernels on columns of their own (kernel/features.h): responses and quadratic
 * forms follow from g = X'alpha. If columns are many, rows are estimated from some of them; if they
 * are few, SVMs use the columns in place of rows. Called by gram.c. MATHEMATICS.md, section 3.4. */
#include "base/mechanisms.h"
#include "base/pool.h"
#include "kernel/features.h"
#include "rows/feature-pass.h"
#include "rows/gram-provider.h"
#include "rows/gram-sweep.h"
#include "rows/thin-features.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* share of the budget for values between the samples of the working set */
#define STORED_SHARE 0.2
#define COLUMNS_PER_SAMPLE 8 /* columns per sample that a row uses */
#define CHEAP_OPERATIONS 4e9 /* operations for all rows up to which it uses more columns */

typedef struct feature_columns {
  mk_gram_context *at;
  int is_thin;
  mk_thin thin;        /* columns of the working set */
  size_t tasks;        /* number of tasks that there is memory for */
  mk_pool memory;      /* owns the vectors of these tasks */
  double **alpha, **g; /* tasks: n values by sample; values by column id */
  double **response;   /* tasks: n values by sample */
  /* alphas and true responses, of all tasks one after another, from which rows have learned for
   * this theta; by position */
  double *last_alpha, *last_truth;
  double *guess, *way, *truth; /* n, scratch */
} feature_columns;

/* ---- memory ---- */

static void close_columns(void *own) {
  feature_columns *c = own;
  mk_pool_free(&c->memory);
  mk_thin_clear(&c->thin);
  mk_free(c->guess);
  mk_free(c);
}

/* Returns 1 if there are no other kernels and the columns are few and fit the memory. */
static int wants_thin(const mk_gram_context *at) {
  if (!MK_WITH_THIN_COLUMNS || at->rows_only || !mk_set_is_thin(at->set, at->offset)) return 0;
  size_t system = mk_thin_work_bytes(mk_features_width(at->set), 1);
  return mk_features_thin_bytes(at->set) <= mk_row_budget(at->control) / 2 &&
         (double)system <= mk_system_budget(at->control);
}

static mk_status open_columns(mk_gram_context *at, void **own) {
  if (!mk_set_explicit(at->set)) return MK_OK;
  feature_columns *c = *own = MK_NEW0(feature_columns, 1);
  if (c == NULL) return MK_NO_MEMORY;
  c->at = at;
  c->is_thin = wants_thin(at);
  c->guess = MK_NEW(double, 3 * at->n);
  if (c->guess == NULL) return MK_NO_MEMORY;
  c->way = c->guess + at->n;
  c->truth = c->way + at->n;
  return MK_OK;
}

static size_t columns_bytes(const void *own) {
  const feature_columns *c = own;
  size_t scratch = 3 * c->at->n * sizeof(double);
  return c->memory.bytes + scratch + (c->is_thin ? mk_thin_bytes(&c->thin) : 0);
}

static mk_status grow_columns(void *own, size_t budget) {
  feature_columns *c = own;
  (void)budget;
  if (!c->is_thin) return MK_OK;
  mk_thin_clear(&c->thin);
  return mk_features_thin(c->at->set, c->at->sample, c->at->count, c->at->offset, &c->thin);
}

static const mk_thin *thin_columns(const void *own) {
  const feature_columns *c = own;
  return c->is_thin ? &c->thin : NULL;
}

/* ---- mixtures ---- */

static void limit_columns(void *own) {
  feature_columns *c = own;
  double count = fmax((double)c->at->count, 1.0);
  double most = fmax(COLUMNS_PER_SAMPLE * count, CHEAP_OPERATIONS / (count * count));
  int all = !MK_WITH_SAMPLED_COLUMNS || c->at->exact || c->at->rows_only || c->is_thin;
  mk_mixture_limit(c->at->mixture, all ? SIZE_MAX : (size_t)most);
}

static int is_approximate(const void *own) {
  return mk_mixture_is_model(((const feature_columns *)own)->at->mixture);
}

/* Resets the stored alphas and true responses to 0. */
static void reset_truths(feature_columns *c) {
  memset(c->last_alpha, 0, c->tasks * c->at->n * sizeof(double));
  memset(c->last_truth, 0, c->tasks * c->at->n * sizeof(double));
}

static mk_status mix_columns(void *own, const double *theta, int renewed) {
  feature_columns *c = own;
  mk_gram_context *at = c->at;
  (void)theta;
  if (c->tasks > 0) reset_truths(c);
  if (!renewed) return MK_OK;
  if (c->is_thin) {
    mk_features_root(at->set, mk_mixture_column_weights(at->mixture), &c->thin);
    return MK_OK;
  }
  double bytes = (double)at->count * (double)at->count * sizeof(double);
  int fits = MK_WITH_STORED_MIXTURE && bytes <= STORED_SHARE * (double)at->control->cache;
  if (!fits && !is_approximate(c)) return MK_OK;
  return mk_mixture_store(at->mixture, at->sample, at->count, at->scratch[0], at->control);
}

/* ---- rows ---- */

static int columns_prefer_blocks(const void *own) {
  (void)own;
  return 1; /* a block of rows reads the columns once */
}

typedef struct filling {
  const mk_gram_context *at;
  const int *rows;
  size_t count, chunk;
  const mk_row *target;
} filling;

/* Copies rows from the stored values between the samples. */
static mk_status copy_chunk(void *data, size_t k, int thread) {
  const filling *fill = data;
  const mk_gram_context *at = fill->at;
  const mk_row_loops *loops = &mk_simd_best()->rows[at->single];
  size_t from = k * fill->chunk, count = mk_smaller(fill->chunk, at->count - from);
  const double *stored = mk_mixture_stored(at->mixture) + from;
  (void)thread;
  for (size_t r = 0; r < fill->count; r++)
    loops->add(count, 1.0, stored + (size_t)fill->rows[r] * at->count,
               mk_row_from(fill->target[r], from).at);
  return MK_OK;
}

static mk_status fill_chunk(void *data, size_t k, int thread) {
  const filling *fill = data;
  const mk_gram_context *at = fill->at;
  mk_scratch *scratch = at->scratch[thread];
  mk_row block = mk_scratch_block(scratch, at->single);
  size_t from = k * fill->chunk, count = mk_smaller(fill->chunk, at->count - from);
  mk_samples others = mk_list(at->sample + from, count);
  for (size_t first = 0; first < fill->count; first += MK_BLOCK_ROWS) {
    int sample[MK_BLOCK_ROWS];
    size_t height = mk_smaller(MK_BLOCK_ROWS, fill->count - first);
    for (size_t r = 0; r < height; r++) sample[r] = at->sample[fill->rows[first + r]];
    mk_mixture_block(at->mixture, sample, height, &others, block, MK_BLOCK_COLS, scratch);
    for (size_t r = 0; r < height; r++)
      mk_row_add(mk_row_from(fill->target[first + r], from), mk_row_from(block, r * MK_BLOCK_COLS),
                 count);
  }
  return MK_OK;
}

static mk_status add_column_rows(void *own, const int *rows, size_t count, const mk_row *target) {
  const feature_columns *c = own;
  const mk_gram_context *at = c->at;
  size_t chunk = mk_column_chunk(at, at->count);
  filling fill = {at, rows, count, chunk, target};
  mk_team *team = mk_team_worth(at->control->team, (double)count * (double)at->count);
  mk_task task = mk_mixture_stored(at->mixture) != NULL ? copy_chunk : fill_chunk;
  return mk_deal_out((at->count + chunk - 1) / chunk, team, task, &fill);
}

/* ---- products with the columns ---- */

static mk_status make_vectors(feature_columns *c, size_t tasks) {
  size_t n = c->at->n;
  mk_pool *memory = &c->memory;
  if (c->tasks == tasks) return MK_OK;
  mk_pool_free(memory);
  c->tasks = 0;
  double ***of_tasks[] = {&c->alpha, &c->g, &c->response};
  for (int k = 0; k < 3; k++) *of_tasks[k] = MK_TAKE(memory, double *, tasks);
  c->last_alpha = MK_TAKE0(memory, double, tasks *n);
  c->last_truth = MK_TAKE0(memory, double, tasks *n);
  for (size_t t = 0; !memory->failed && t < tasks; t++) {
    c->alpha[t] = MK_TAKE0(memory, double, n);
    c->response[t] = MK_TAKE(memory, double, n);
    c->g[t] = MK_TAKE0(memory, double, mk_set_column_ids(c->at->set));
  }
  if (!memory->failed) c->tasks = tasks;
  return mk_pool_status(memory);
}

static mk_pass plan_pass(const feature_columns *c, const mk_column_weights *weights) {
  return (mk_pass){
      .tasks = c->tasks, .alpha = c->alpha, .g = c->g, .weights = weights, .response = c->response};
}

/* Returns 1 if g was computed from these alphas. Initially alphas and g are 0. */
static int g_is_current(const feature_columns *c, const mk_alphas *alphas) {
  for (size_t t = 0; t < c->tasks; t++)
    for (size_t i = 0; i < c->at->count; i++)
      if (c->alpha[t][c->at->sample[i]] != alphas->alpha[t][i]) return 0;
  return 1;
}

/* Computes g of these alphas and, with weights, the mixture's responses at all samples. */
static mk_status read_columns(feature_columns *c, const mk_alphas *alphas,
                              const mk_column_weights *weights) {
  const mk_gram_context *at = c->at;
  MK_TRY(make_vectors(c, alphas->tasks));
  if (weights == NULL && g_is_current(c, alphas)) return MK_OK;
  for (size_t t = 0; t < c->tasks; t++) {
    memset(c->alpha[t], 0, at->n * sizeof(double));
    for (size_t i = 0; i < at->count; i++) c->alpha[t][at->sample[i]] = alphas->alpha[t][i];
  }
  mk_pass pass = plan_pass(c, weights);
  return mk_features_pass(at->set, &pass, at->control);
}

static mk_status respond_everywhere(feature_columns *c, const mk_alphas *alphas) {
  return read_columns(c, alphas, mk_mixture_column_weights(c->at->mixture));
}

static mk_status respond_from(void *own, const mk_alphas *alphas, size_t from, double **out) {
  feature_columns *c = own;
  (void)from;
  MK_TRY(respond_everywhere(c, alphas));
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t i = 0; i < c->at->n; i++) out[t][i] += c->response[t][i];
  return MK_OK;
}

/* ---- rows that stand for all columns ---- */

/* Computes out = K_model x. */
static void guess_response(const feature_columns *c, const double *x, double *out) {
  const double *model = mk_mixture_stored(c->at->mixture);
  size_t a = c->at->count;
  memset(out, 0, a * sizeof *out);
  for (size_t i = 0; i < a; i++)
    if (x[i] != 0.0) mk_simd_best()->axpy(a, x[i], model + i * a, out);
}

/* Updates the column models by BFGS with the true response to the change of the alphas. */
static void update_models(feature_columns *c, const mk_alphas *alphas) {
  const mk_gram_context *at = c->at;
  for (size_t t = 0; t < alphas->tasks; t++) {
    double *last_alpha = c->last_alpha + t * at->n, *last_truth = c->last_truth + t * at->n;
    for (size_t i = 0; i < at->count; i++) {
      double alpha = alphas->alpha[t][i], truth = c->response[t][at->sample[i]];
      c->way[i] = alpha - last_alpha[i];
      c->truth[i] = truth - last_truth[i];
      last_alpha[i] = alpha;
      last_truth[i] = truth;
    }
    mk_mixture_learn(at->mixture, c->way, c->truth, c->guess);
  }
}

static mk_status respond_by_columns(void *own, const mk_alphas *alphas, int lacking, double **out) {
  feature_columns *c = own;
  int approximate = is_approximate(c);
  if (lacking && !approximate) return MK_OK;
  MK_TRY(respond_everywhere(c, alphas));
  for (size_t t = 0; t < alphas->tasks; t++) {
    if (lacking) guess_response(c, alphas->alpha[t], c->guess);
    for (size_t i = 0; i < c->at->count; i++)
      out[t][i] += c->response[t][c->at->sample[i]] - (lacking ? c->guess[i] : 0.0);
  }
  if (MK_WITH_LEARNING && approximate) update_models(c, alphas);
  return MK_OK;
}

/* ---- all kernels at once ---- */

static mk_status form_columns(void *own, const mk_alphas *alphas, double *s) {
  feature_columns *c = own;
  MK_TRY(read_columns(c, alphas, NULL));
  mk_pass pass = plan_pass(c, NULL);
  mk_features_forms(c->at->set, &pass, s);
  return MK_OK;
}

/* A reading kernel by kernel, since each column is read as a whole. */
typedef struct member_reading {
  const mk_gram_context *at;
  const mk_member_ask *ask;
  mk_pass pass;
  double *work; /* threads x n */
} member_reading;

static mk_status read_member(void *data, size_t k, int thread) {
  const member_reading *to = data;
  const mk_gram_context *at = to->at;
  double *response = to->work + (size_t)thread * at->n;
  size_t m = mk_features_member(at->set, &to->pass, k, response);
  for (size_t i = 0; i < to->ask->count; i++)
    to->ask->u[i * to->ask->kernels + m] = response[at->sample[to->ask->positions[i]]];
  return MK_OK;
}

static mk_status respond_members(void *own, const mk_member_ask *ask) {
  feature_columns *c = own;
  const mk_gram_context *at = c->at;
  mk_alphas alphas = {1, (double **)&ask->alpha};
  double *work = MK_NEW(double, (size_t)at->threads * at->n);
  mk_status status = work == NULL ? MK_NO_MEMORY : read_columns(c, &alphas, NULL);
  if (status == MK_OK) {
    member_reading to = {at, ask, plan_pass(c, NULL), work};
    double values = (double)mk_features_columns(at->set) * (double)at->n;
    status = mk_deal_out(mk_features_count(at->set), mk_team_worth(at->control->team, values),
                         read_member, &to);
  }
  mk_free(work);
  return status;
}

const mk_provider mk_column_provider = {
    .doubles = 1,
    .open = open_columns,
    .close = close_columns,
    .bytes = columns_bytes,
    .grow = grow_columns,
    .prefers_blocks = columns_prefer_blocks,
    .before_mix = limit_columns,
    .mix = mix_columns,
    .is_approximate = is_approximate,
    .rows = add_column_rows,
    .response = respond_by_columns,
    .response_from = respond_from,
    .forms = form_columns,
    .members = respond_members,
    .thin = thin_columns,
};
