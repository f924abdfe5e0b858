/* All values of a column model between the samples of the working set at once: every column is
 * packed once, and half of the products suffice. */
#include "base/memory.h"
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

void mk_column_model_forget(mk_column_model *model) {
  mk_free(model->store);
  mk_free(model->position);
  model->store = NULL;
  model->position = NULL;
  model->stored = 0;
}

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
  const mk_simd *simd = s->model->set->simd;
  size_t depth = s->depth, from = k * STRIP;
  size_t to = from + STRIP < s->count ? from + STRIP : s->count;
  (void)thread;
  for (size_t c = from / MK_TILE_COLS * MK_TILE_COLS; c < s->count; c += MK_TILE_COLS) {
    size_t width = s->count - c < MK_TILE_COLS ? s->count - c : MK_TILE_COLS;
    for (size_t r = from; r < to && r < c + width; r += MK_TILE_ROWS) {
      double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
      simd->dot_tile(depth, s->left + r * depth, s->right + c * depth, tile);
      for (size_t i = 0; i < MK_TILE_ROWS && r + i < to; i++)
        for (size_t j = 0; j < width; j++)
          s->out[(r + i) * s->count + c + j] += tile[i * MK_TILE_COLS + j];
    }
  }
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
      s->depth = to - from < DEPTH ? to - from : DEPTH;
      add_entries(s, control->team);
    }
  }
  return MK_OK;
}

static void mirror(double *out, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) out[i * count + j] = out[j * count + i];
}

/* Means of the rows; returns the mean of all. */
static double row_means(const double *k, size_t count, double *mean) {
  double all = 0.0;
  for (size_t i = 0; i < count; i++) {
    mean[i] = 0.0;
    for (size_t j = 0; j < count; j++) mean[i] += k[i * count + j] / (double)count;
    all += mean[i] / (double)count;
  }
  return all;
}

/* Off the diagonal, centred values are those of all columns and an error of
 * known size: they shrink to the share that is no chance. */
static void shrink(const mk_column_model *model, double *k, size_t count, double *mean) {
  double all = row_means(k, count, mean), size = 0.0, part = (double)count / (double)model->set->n;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) {
      double value = k[i * count + j] - mean[i] - mean[j] + all;
      size += 2.0 * value * value;
    }
  double chance = model->chance * part * part;
  double share = size > chance ? 1.0 - chance / size : 0.0;
  for (size_t i = 0; i < count; i++) {
    double own = k[i * count + i] - 2.0 * mean[i] + all;
    for (size_t j = 0; j < count; j++) k[i * count + j] *= share;
    k[i * count + i] += (1.0 - share) * own;
  }
}

static mk_status fill(storing *s, mk_scratch *scratch, const mk_control *control) {
  mk_columns all = mk_list(s->samples, s->count);
  for (size_t r = 0; r < s->count; r += MK_BLOCK_ROWS) {
    size_t height = s->count - r < MK_BLOCK_ROWS ? s->count - r : MK_BLOCK_ROWS;
    mk_model_block(s->model, 0, s->samples + r, height, &all, s->out + r * s->count, s->count,
                   scratch);
  }
  MK_TRY(add_dense(s, control));
  mirror(s->out, s->count);
  if (!s->model->exact) shrink(s->model, s->out, s->count, s->left);
  return MK_OK;
}

mk_status mk_column_model_store(mk_column_model *model, const int *samples, size_t count,
                                mk_scratch *scratch, const mk_control *control) {
  size_t padded = (count + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
  mk_column_model_forget(model);
  double *store = MK_NEW(double, count *count);
  int *position = MK_NEW0(int, model->set->n);
  storing s = {.model = model, .samples = samples, .count = count, .out = store};
  s.left = MK_NEW(double, padded *DEPTH);
  s.right = MK_NEW(double, padded *DEPTH);
  mk_status status = MK_NO_MEMORY;
  if (store != NULL && position != NULL && s.left != NULL && s.right != NULL)
    status = fill(&s, scratch, control);
  mk_free(s.left);
  mk_free(s.right);
  model->store = store;
  model->position = position;
  model->stored = count;
  for (size_t i = 0; status == MK_OK && i < count; i++) position[samples[i]] = (int)i;
  if (status != MK_OK) mk_column_model_forget(model);
  return status;
}
