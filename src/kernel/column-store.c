/* All values of a column model between the samples of a working set at once, for mixture.c: every
 * column is packed once, and half of the products suffice (K_theta of mathematics.md, 1). */
#include "base/threads.h"
#include "column-model.h"

#include <string.h>

#define DEPTH 256

typedef struct storing {
  const mk_column_model *model;
  const int *samples;
  size_t count;
  double *left, *right; /* panels of DEPTH entries */
  double *out;
  const mk_entry *entry; /* `depth` of them are at work */
  size_t depth;
} storing;

static mk_status pack_entry(void *data, size_t k, int thread) {
  const storing *s = data;
  (void)thread;
  mk_pack_entries(s->model, s->entry, s->depth, k, k + 1, s->samples, s->count, MK_TILE_ROWS, 1,
                  s->left);
  mk_pack_entries(s->model, s->entry, s->depth, k, k + 1, s->samples, s->count, MK_TILE_COLS, 0,
                  s->right);
  return MK_OK;
}

#define STRIP 32 /* rows that one thread takes at a time */

/* They against the columns on and above the diagonal; adds. */
static mk_status multiply(void *data, size_t k, int thread) {
  const storing *s = data;
  size_t from = k * STRIP, col = from / MK_TILE_COLS * MK_TILE_COLS;
  (void)thread;
  mk_add_panels(s->model->set->simd, s->depth, s->left + from * s->depth,
                mk_smaller(s->count - from, STRIP), s->right + col * s->depth, s->count - col,
                s->out + from * s->count + col, s->count);
  return MK_OK;
}

static void add_entries(storing *s, mk_team *team) {
  team = mk_team_worth(team, 0.5 * (double)s->count * (double)s->count * (double)s->depth);
  mk_deal_out(s->depth, team, pack_entry, s);
  mk_deal_out((s->count + STRIP - 1) / STRIP, team, multiply, s);
}

static mk_status add_dense(storing *s, const mk_control *control) {
  const mk_kernel_set *set = s->model->set;
  for (size_t v = 0; v < set->views; v++) {
    if (set->view[v].x == NULL) continue;
    size_t to = mk_first_entry(s->model, set->features->from[v + 1]);
    for (size_t from = mk_first_entry(s->model, set->features->from[v]); from < to; from += DEPTH) {
      MK_TRY(mk_check(control));
      s->entry = s->model->entry + from;
      s->depth = mk_smaller(to - from, DEPTH);
      add_entries(s, control->team);
    }
  }
  return MK_OK;
}

static void mirror(double *out, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) out[i * count + j] = out[j * count + i];
}

static mk_status fill(storing *s, mk_scratch *scratch, const mk_control *control) {
  mk_columns all = mk_list(s->samples, s->count);
  for (size_t r = 0; r < s->count; r += MK_BLOCK_ROWS) {
    size_t height = mk_smaller(s->count - r, MK_BLOCK_ROWS);
    mk_model_block(s->model, 0, s->samples + r, height, &all, s->out + r * s->count, s->count,
                   scratch);
  }
  MK_TRY(add_dense(s, control));
  mirror(s->out, s->count);
  return MK_OK;
}

mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control) {
  size_t padded = (count + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
  mk_pool pool = {NULL, 0, 0};
  mk_column_model_forget(model);
  double *store = MK_TAKE(&model->storage, double, count *count);
  int *position = MK_TAKE0(&model->storage, int, model->set->n);
  storing s = {.model = model, .samples = samples, .count = count, .out = store};
  s.left = MK_TAKE(&pool, double, padded *DEPTH);
  s.right = MK_TAKE(&pool, double, padded *DEPTH);
  mk_status status = pool.failed ? MK_NO_MEMORY : mk_pool_status(&model->storage);
  if (status == MK_OK) status = fill(&s, scratch, control);
  mk_pool_free(&pool);
  if (status != MK_OK) {
    mk_column_model_forget(model);
    return status;
  }
  for (size_t i = 0; i < count; i++) position[samples[i]] = (int)i;
  model->store = store;
  model->position = position;
  model->stored = count;
  return MK_OK;
}
