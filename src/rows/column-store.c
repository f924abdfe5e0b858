/* All values of a column model between the samples of a working set: Z W Z' of the dense columns,
 * plus the contributions of sparse ones; true products update them. Called by mixture.c.
 * MATHEMATICS.md, section 1: K_theta. */
#include "column-store.h"

#include "base/product.h"
#include "rows/base-block-internal.h"
#include "rows/column-model-internal.h"

#define DEPTH 256 /* columns at a time */
/* least share of the stored values' form that true products must have; less is rounding */
#define LEAST_CURVATURE 1e-6

typedef struct storing {
  const mk_column_model *model;
  const int *samples;
  size_t count;
  /* count x DEPTH: values; inverse weights; work space of the product */
  double *z, *inverse, *work;
  double *out;
} storing;

/* Packs the samples' values of `depth` entries, by rows. */
static void pack_entries(storing *s, const mk_entry *e, size_t depth) {
  for (size_t k = 0; k < depth; k++) {
    const double *x = mk_entry_column(s->model, &e[k]);
    s->inverse[k] = 1.0 / e[k].weight;
    for (size_t i = 0; i < s->count; i++) s->z[i * depth + k] = x[s->samples[i]] - e[k].shift;
  }
}

static mk_status add_dense(storing *s, const mk_control *control) {
  const mk_kernel_set *set = s->model->set;
  for (size_t v = 0; v < set->views; v++) {
    if (set->view[v].x == NULL) continue;
    size_t to = mk_first_entry(s->model, set->features->from[v + 1]);
    for (size_t from = mk_first_entry(s->model, set->features->from[v]); from < to; from += DEPTH) {
      size_t depth = mk_smaller(to - from, DEPTH);
      MK_TRY(mk_check(control));
      pack_entries(s, s->model->entry + from, depth);
      mk_product_add(s->count, depth, s->z, s->inverse, s->work, control->team, s->out);
    }
  }
  return MK_OK;
}

/* Fills the lower triangle and mirrors it. */
static mk_status fill_store(storing *s, mk_scratch *scratch, const mk_control *control) {
  for (size_t r = 0; r < s->count; r += MK_BLOCK_ROWS) {
    size_t height = mk_smaller(s->count - r, MK_BLOCK_ROWS);
    mk_samples before = mk_list(s->samples, r + height);
    mk_column_model_block(s->model, 0, s->samples + r, height, &before, s->out + r * s->count,
                          s->count, scratch);
  }
  MK_TRY(add_dense(s, control));
  mk_product_mirror(s->count, s->out);
  return MK_OK;
}

/* Allocates the store, or reuses its memory for as many samples. */
static mk_status make_store(mk_column_model *model, size_t count) {
  model->is_stored = 0;
  if (model->room == count) return MK_OK;
  mk_pool_free(&model->storage);
  model->room = 0;
  model->store = MK_TAKE(&model->storage, double, count *count);
  MK_TRY(mk_pool_status(&model->storage));
  model->room = count;
  return MK_OK;
}

mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control) {
  mk_pool pool = {NULL, 0, 0};
  MK_TRY(make_store(model, count));
  storing s = {.model = model, .samples = samples, .count = count, .out = model->store};
  s.z = MK_TAKE(&pool, double, count *DEPTH);
  s.inverse = MK_TAKE(&pool, double, DEPTH);
  s.work = MK_TAKE(&pool, double, mk_product_work(count));
  mk_status status = mk_pool_status(&pool);
  if (status == MK_OK) status = fill_store(&s, scratch, control);
  mk_pool_free(&pool);
  model->is_stored = status == MK_OK;
  return status;
}

/* ---- learning ---- */

/* Adds scale v v' to the stored values. */
static void add_square(mk_column_model *model, const double *v, double scale) {
  size_t count = model->room;
  for (size_t i = 0; i < count; i++)
    model->set->simd->axpy(count, scale * v[i], v, model->store + i * count);
}

/* Makes the BFGS update, which keeps the values positive definite. */
void mk_column_model_learn(mk_column_model *model, const double *way, const double *truth,
                           double *scratch) {
  const mk_simd *simd = model->set->simd;
  size_t count = model->room;
  for (size_t i = 0; i < count; i++)
    scratch[i] = simd->dot(count, model->store + i * count, way);
  double guessed = simd->dot(count, way, scratch), found = simd->dot(count, way, truth);
  if (!(guessed > 0.0) || !(found > LEAST_CURVATURE * guessed)) return;
  add_square(model, scratch, -1.0 / guessed);
  add_square(model, truth, 1.0 / found);
}
