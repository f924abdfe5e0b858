/* Sums of locally linear kernels by their feature weights v, for the optimisers (gram-local.c,
 * sequential/): tiles of alpha h against samples, and of v against rows. MATHEMATICS.md, section
 * 6.2. */
#include "rows/local-sums.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/threads.h"
#include "kernel/local.h"
#include "kernel/points.h"

#include <string.h>

static int is_plain(const mk_kernel_set *set, size_t m) {
  return set->member[m].root == NULL && set->member[m].mean == NULL;
}

size_t mk_family_locals(const mk_kernel_set *set, size_t f) {
  const mk_local *local = set->family[f].local;
  size_t count = 0;
  for (size_t s = 0; local != NULL && s < local->count; s++)
    count += is_plain(set, (size_t)local->member[s]) != 0;
  return count;
}

int mk_family_all_local(const mk_kernel_set *set, size_t f) {
  return mk_family_locals(set, f) == set->family[f].count;
}

size_t mk_family_local(const mk_kernel_set *set, size_t f, size_t place) {
  const mk_local *local = set->family[f].local;
  size_t s = 0;
  for (; !is_plain(set, (size_t)local->member[s]) || place-- > 0; s++) continue;
  return (size_t)local->member[s];
}

/* ---- vectors ---- */

typedef struct vectors {
  const mk_local_ask *ask;
  const mk_kernel_set *set;
  const mk_family *family;
  const mk_local *local;
  size_t places, depth, wide; /* wide: depth padded to tiles */
  int *slot;                  /* by place */
  const double *origin;       /* depth: origin of the samples */
  double *x;                  /* samples in panels of MK_TILE_COLS features */
  double *panel;              /* by thread: count x MK_TILE_ROWS */
  double *v;                  /* places x wide, of one task */
  size_t task;
  mk_team *team;
  mk_pool pool;
} vectors;

static size_t tiled(size_t count) {
  return (count + MK_TILE_COLS - 1) / MK_TILE_COLS * MK_TILE_COLS;
}

static const double *anchor_of(const vectors *w, size_t place) {
  return w->set->member[w->local->member[w->slot[place]]].spec.anchor;
}

/* Packs a run of samples into panels of their features. */
#define RUN ((size_t)64)
static mk_status pack_run(void *data, size_t k, int thread) {
  const vectors *w = data;
  mk_sample_block block = {w->family->view, w->family->features, w->depth, w->ask->sample,
                           w->ask->count};
  size_t from = k * RUN, height = mk_smaller(w->ask->count - from, RUN);
  double *value = MK_NEW(double, RUN * w->depth);
  (void)thread;
  if (value == NULL) return MK_NO_MEMORY;
  mk_block_pack(&block, from, height, RUN, value);
  for (size_t j = 0; j < w->depth; j++) {
    size_t panel = j / MK_TILE_COLS * MK_TILE_COLS;
    double *to = w->x + panel * w->ask->count + j - panel;
    for (size_t r = 0; r < height; r++)
      to[(from + r) * MK_TILE_COLS] = value[j * RUN + r] - w->origin[j];
  }
  mk_free(value);
  return MK_OK;
}

/* Sums MK_TILE_ROWS vectors. */
static mk_status sum_vectors(void *data, size_t k, int thread) {
  const vectors *w = data;
  const mk_simd *simd = mk_simd_best();
  size_t first = k * MK_TILE_ROWS, height = mk_smaller(w->places - first, MK_TILE_ROWS);
  size_t count = w->ask->count;
  const double *alpha = w->ask->alpha + w->task * count;
  double *panel = w->panel + (size_t)thread * count * MK_TILE_ROWS, total[MK_TILE_ROWS] = {0};
  for (size_t j = 0; j < count; j++)
    for (size_t r = 0; r < MK_TILE_ROWS; r++) {
      size_t slot = (size_t)w->slot[first + (r < height ? r : 0)];
      double h = w->local->h[(size_t)w->ask->sample[j] * w->local->padded + slot];
      panel[j * MK_TILE_ROWS + r] = alpha[j] * h;
      total[r] += alpha[j] * h;
    }
  for (size_t j = 0; j < w->wide; j += MK_TILE_COLS) {
    double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
    simd->dot_tile(count, panel, w->x + j * count, tile);
    for (size_t r = 0; r < height; r++)
      memcpy(w->v + (first + r) * w->wide + j, tile + r * MK_TILE_COLS,
             MK_TILE_COLS * sizeof *tile);
  }
  for (size_t r = 0; r < height; r++) {
    double *v = w->v + (first + r) * w->wide;
    const double *c = anchor_of(w, first + r);
    for (size_t j = 0; j < w->depth; j++) v[j] -= total[r] * (c[j] - w->origin[j]);
  }
  return MK_OK;
}

static mk_status open_vectors(vectors *w, const mk_local_ask *ask, mk_team *team) {
  *w = (vectors){.ask = ask, .set = ask->set, .family = &ask->set->family[ask->family]};
  w->local = w->family->local;
  w->places = mk_family_locals(ask->set, ask->family);
  w->depth = w->family->feature_count;
  w->wide = tiled(w->depth);
  w->team = mk_team_worth(team, (double)w->places * (double)w->depth * (double)ask->count);
  size_t threads = (size_t)mk_team_size(w->team);
  w->slot = MK_TAKE(&w->pool, int, w->places);
  w->x = MK_TAKE0(&w->pool, double, ask->count * w->wide);
  w->panel = MK_TAKE(&w->pool, double, threads * ask->count * MK_TILE_ROWS);
  w->v = MK_TAKE0(&w->pool, double, w->places * w->wide);
  MK_TRY(mk_pool_status(&w->pool));
  for (size_t s = 0, place = 0; s < w->local->count; s++)
    if (is_plain(w->set, (size_t)w->local->member[s])) w->slot[place++] = (int)s;
  w->origin = anchor_of(w, 0);
  return mk_deal_out((ask->count + RUN - 1) / RUN, w->team, pack_run, w);
}

static mk_status find_vectors(vectors *w) {
  return mk_deal_out((w->places + MK_TILE_ROWS - 1) / MK_TILE_ROWS, w->team, sum_vectors, w);
}

/* ---- what is asked ---- */

mk_status mk_local_forms(const mk_local_ask *ask, mk_team *team, double *s) {
  vectors w;
  mk_status status = open_vectors(&w, ask, team);
  for (size_t p = 0; status == MK_OK && p < w.places; p++) s[w.local->member[w.slot[p]]] = 0.0;
  for (w.task = 0; status == MK_OK && w.task < ask->tasks; w.task++) {
    status = find_vectors(&w);
    for (size_t p = 0; p < w.places; p++) {
      size_t m = (size_t)w.local->member[w.slot[p]];
      const double *v = w.v + p * w.wide;
      s[m] += w.set->member[m].scale * w.set->simd->dot(w.depth, v, v);
    }
  }
  mk_pool_free(&w.pool);
  return status;
}

/* A request for responses, with the vectors in panels of MK_TILE_COLS places. */
typedef struct responding {
  vectors vectors;
  const int *rows;
  size_t row_count;
  double *panel, *at; /* at: <v, c> relative to the origin */
  double *out;
} responding;

static mk_status respond_to_tile(void *data, size_t k, int thread) {
  const responding *r = data;
  const vectors *w = &r->vectors;
  size_t first = k * MK_TILE_ROWS, height = mk_smaller(r->row_count - first, MK_TILE_ROWS);
  mk_sample_block block = {w->family->view, w->family->features, w->depth, r->rows, r->row_count};
  double *x = MK_NEW(double, MK_TILE_ROWS * w->depth);
  (void)thread;
  if (x == NULL) return MK_NO_MEMORY;
  mk_block_pack(&block, first, height, MK_TILE_ROWS, x);
  for (size_t j = 0; j < w->depth; j++)
    for (size_t i = 0; i < MK_TILE_ROWS; i++) x[j * MK_TILE_ROWS + i] -= w->origin[j];
  for (size_t p = 0; p < w->places; p += MK_TILE_COLS) {
    double tile[MK_TILE_ROWS * MK_TILE_COLS] __attribute__((aligned(64))) = {0};
    w->set->simd->dot_tile(w->depth, x, r->panel + p * w->depth, tile);
    size_t width = mk_smaller(w->places - p, MK_TILE_COLS);
    for (size_t i = 0; i < height; i++)
      for (size_t c = 0; c < width; c++) {
        size_t slot = (size_t)w->slot[p + c], own = (size_t)r->rows[first + i];
        double h = w->local->h[own * w->local->padded + slot];
        double scale = w->set->member[w->local->member[slot]].scale;
        r->out[(first + i) * w->places + p + c] =
            scale * h * (tile[i * MK_TILE_COLS + c] - r->at[p + c]);
      }
  }
  mk_free(x);
  return MK_OK;
}

static mk_status respond_all(responding *r) {
  vectors *w = &r->vectors;
  r->panel = MK_TAKE0(&w->pool, double, tiled(w->places) * w->depth);
  r->at = MK_TAKE0(&w->pool, double, tiled(w->places));
  MK_TRY(mk_pool_status(&w->pool));
  for (size_t p = 0; p < w->places; p++) {
    size_t panel = p / MK_TILE_COLS * MK_TILE_COLS;
    const double *v = w->v + p * w->wide, *c = anchor_of(w, p);
    for (size_t j = 0; j < w->depth; j++) {
      r->panel[panel * w->depth + j * MK_TILE_COLS + p - panel] = v[j];
      r->at[p] += v[j] * (c[j] - w->origin[j]);
    }
  }
  return mk_deal_out((r->row_count + MK_TILE_ROWS - 1) / MK_TILE_ROWS, w->team, respond_to_tile, r);
}

mk_status mk_local_responses(const mk_local_ask *ask, const int *rows, size_t row_count,
                             mk_team *team, double *out) {
  responding r = {.rows = rows, .row_count = row_count, .out = out};
  mk_status status = open_vectors(&r.vectors, ask, team);
  if (status == MK_OK) status = find_vectors(&r.vectors);
  if (status == MK_OK) status = respond_all(&r);
  mk_pool_free(&r.vectors.pool);
  return status;
}
