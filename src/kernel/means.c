/* A strip of targets meets a group of known samples; a target's distances and
 * products then lie side by side, and every kernel sums its values of them. Many
 * Gaussians read one histogram of moments instead. */
#include "means.h"

#include "base/memory.h"
#include "base/threads.h"
#include "expansion-internal.h"

#include <math.h>
#include <string.h>

#define GROUP 4096                         /* known samples at a time */
#define TARGETS ((size_t)2 * MK_TILE_COLS) /* of a strip */
#define MOST_BASIS ((size_t)8 << 20)       /* terms of all kernels on all pieces */

/* One thread's work space. */
typedef struct bench {
  mk_exact *exact;
  mk_tile_strip *strip;
  double *block[2]; /* distances, products: MK_STRIP_ROWS x MK_STRIP_COLS */
  double *side[2];  /* the same by targets: TARGETS x GROUP */
  double *moments, value[MK_STRIP_COLS];
  int *occupied;
} bench;

typedef struct job {
  const mk_kernel_set *set;
  const mk_family *family;
  size_t f, from, known;
  double *const *mean;
  int *sample;         /* 0, 1, ... n - 1 */
  size_t first, count; /* the group */
  int distances, products;
  mk_tiles *tiles;      /* of the group; NULL: blocks come from mk_exact */
  mk_pieces pieces;     /* count 0: none */
  double narrowest;     /* of the widths that go by pieces */
  double *basis, *ones; /* members x pieces x MK_PIECE_TERMS; GROUP */
  bench *bench;         /* one per thread */
} job;

static int by_pieces(const job *job, size_t m) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  return job->pieces.count > 0 && spec->type == MK_GAUSSIAN && spec->width >= job->narrowest;
}

/* ---- a target ---- */

/* The pieces with distances: all weights are one. */
static size_t find_occupied(const job *job, bench *bench) {
  size_t count = 0;
  for (size_t k = 0; k < job->pieces.count; k++)
    if (bench->moments[k * MK_PIECE_TERMS] != 0.0) bench->occupied[count++] = (int)k;
  return count;
}

static double sum_pieces(const job *job, const bench *bench, size_t member, size_t occupied) {
  const double *basis = job->basis + member * job->pieces.count * MK_PIECE_TERMS;
  double sum[MK_PIECE_TERMS] = {0}, total = 0.0;
  for (size_t o = 0; o < occupied; o++) {
    size_t k = (size_t)bench->occupied[o] * MK_PIECE_TERMS;
    for (size_t r = 0; r < MK_PIECE_TERMS; r++) sum[r] += bench->moments[k + r] * basis[k + r];
  }
  for (size_t r = 0; r < MK_PIECE_TERMS; r++) total += sum[r];
  return total;
}

static double sum_values(const job *job, bench *bench, size_t m, size_t i, const double *distance,
                         const double *product) {
  double sum = 0.0;
  for (size_t c = 0; c < job->count; c += MK_STRIP_COLS) {
    size_t count = mk_smaller(job->count - c, MK_STRIP_COLS);
    mk_columns known = mk_run(job->first + c, count);
    mk_pair_values(job->set, m, (int)i, &known, distance + c, product + c, bench->value);
    sum += job->set->simd->dot(count, bench->value, job->ones);
  }
  return sum;
}

static void add_target(const job *job, bench *bench, size_t i, const double *distance,
                       const double *product) {
  size_t occupied = 0;
  if (job->pieces.count > 0) {
    memset(bench->moments, 0, job->pieces.count * MK_PIECE_TERMS * sizeof *bench->moments);
    job->set->simd->fine_moments(job->count, distance, job->ones, &job->pieces.table,
                                 bench->moments);
    occupied = find_occupied(job, bench);
  }
  for (size_t k = 0; k < job->family->count; k++) {
    size_t m = (size_t)job->family->member[k];
    if (job->mean[m] == NULL) continue;
    double sum = by_pieces(job, m) ? sum_pieces(job, bench, k, occupied)
                                   : sum_values(job, bench, m, i, distance, product);
    job->mean[m][i] += sum / (double)job->known;
  }
}

/* ---- a strip of targets ---- */

static void from_tiles(const job *job, bench *bench, const int *targets, size_t count) {
  mk_tile_strip_pack(job->tiles, bench->strip, targets, count);
  for (size_t r = 0; r < job->count; r += MK_STRIP_ROWS) {
    size_t height = mk_smaller(job->count - r, MK_STRIP_ROWS);
    mk_tiles_block(job->tiles, bench->strip, r, height, 0, job->distances ? bench->block[0] : NULL,
                   job->products ? bench->block[1] : NULL);
    for (int side = 0; side < 2; side++)
      for (size_t c = 0; (side ? job->products : job->distances) && c < count; c++)
        for (size_t i = 0; i < height; i++)
          bench->side[side][c * GROUP + r + i] = bench->block[side][i * MK_STRIP_COLS + c];
  }
}

static mk_status from_exact(const job *job, bench *bench, const int *targets, size_t count) {
  for (size_t c = 0; c < job->count; c += MK_EXACT_COLS) {
    size_t width = mk_smaller(job->count - c, MK_EXACT_COLS);
    mk_columns part = mk_run(job->first + c, width);
    MK_TRY(mk_exact_block(bench->exact, job->f, targets, count, &part));
    for (size_t i = 0; i < count; i++) {
      const double *distance = mk_exact_distances(bench->exact) + i * MK_EXACT_COLS;
      const double *product = mk_exact_products(bench->exact) + i * MK_EXACT_COLS;
      if (job->distances) memcpy(bench->side[0] + i * GROUP + c, distance, width * sizeof(double));
      if (job->products) memcpy(bench->side[1] + i * GROUP + c, product, width * sizeof(double));
    }
  }
  return MK_OK;
}

static mk_status add_strip(void *data, size_t k, int thread) {
  const job *job = data;
  bench *bench = &job->bench[thread];
  size_t start = job->from + k * TARGETS, count = mk_smaller(job->set->n - start, TARGETS);
  if (job->tiles != NULL)
    from_tiles(job, bench, job->sample + start, count);
  else
    MK_TRY(from_exact(job, bench, job->sample + start, count));
  for (size_t c = 0; c < count; c++)
    add_target(job, bench, start + c, bench->side[0] + c * GROUP, bench->side[1] + c * GROUP);
  return MK_OK;
}

/* ---- a family ---- */

/* Pieces, where enough Gaussians are to be centred and all of them can have a basis. */
static mk_status choose_pieces(job *job, const mk_control *control) {
  double widest = 0.0;
  size_t gaussians = 0;
  job->narrowest = INFINITY;
  for (int round = 0; round < 2; round++)
    for (size_t k = 0; k < job->family->count; k++) {
      size_t m = (size_t)job->family->member[k];
      const mk_kernel_spec *spec = &job->set->member[m].spec;
      if (job->mean[m] == NULL || spec->type != MK_GAUSSIAN) continue;
      widest = fmax(widest, spec->width);
      if (round == 0 || !mk_pieces_serve(spec->width, widest)) continue;
      job->narrowest = fmin(job->narrowest, spec->width);
      gaussians++;
    }
  if (gaussians < MK_PIECES_FEWEST) return MK_OK;
  size_t needed = mk_pieces_needed(job->narrowest, widest);
  size_t length = needed * MK_PIECE_TERMS;
  if (needed > job->known || length > MOST_BASIS / job->family->count) return MK_OK;
  MK_TRY(mk_pieces_new(&job->pieces, job->narrowest, widest));
  job->basis = MK_NEW0(double, length * job->family->count);
  if (job->basis == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < job->family->count; k++) {
    size_t m = (size_t)job->family->member[k];
    if (job->mean[m] != NULL && by_pieces(job, m))
      mk_pieces_add(&job->pieces, job->set->simd, job->set->member[m].spec.width, 1.0,
                    job->basis + k * length);
  }
  for (int t = 0; t < mk_team_size(control->team); t++) {
    job->bench[t].moments = MK_NEW(double, length);
    job->bench[t].occupied = MK_NEW(int, needed);
    if (job->bench[t].moments == NULL || job->bench[t].occupied == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

static mk_status add_group(job *job, const mk_control *control) {
  mk_team *team = job->family->type == MK_FAMILY_CALLBACK ? NULL : control->team;
  int threads = mk_team_size(team);
  mk_status status = MK_OK;
  if (mk_tiles_suit(job->family))
    status = mk_tiles_new(&job->tiles, job->set, job->family, job->sample + job->first, job->count,
                          job->distances, team);
  for (int t = 0; status == MK_OK && job->tiles != NULL && t < threads; t++)
    if ((job->bench[t].strip = mk_tile_strip_new(job->tiles)) == NULL) status = MK_NO_MEMORY;
  if (status == MK_OK)
    status = mk_for_each((job->set->n - job->from + TARGETS - 1) / TARGETS, team, control,
                         add_strip, job);
  for (int t = 0; t < threads; t++) {
    mk_tile_strip_free(job->bench[t].strip);
    job->bench[t].strip = NULL;
  }
  mk_tiles_free(job->tiles);
  job->tiles = NULL;
  return status;
}

static mk_status add_family(job *job, const mk_control *control) {
  int any = 0;
  job->distances = job->products = 0;
  for (size_t k = 0; k < job->family->count; k++) {
    size_t m = (size_t)job->family->member[k];
    if (job->mean[m] == NULL) continue;
    any = 1;
    if (mk_takes_distances(&job->set->member[m].spec))
      job->distances = 1;
    else
      job->products = 1;
  }
  if (!any) return MK_OK;
  mk_status status = choose_pieces(job, control);
  for (job->first = 0; status == MK_OK && job->first < job->known; job->first += GROUP) {
    job->count = mk_smaller(job->known - job->first, GROUP);
    status = add_group(job, control);
  }
  for (int t = 0; t < mk_team_size(control->team); t++) {
    mk_free(job->bench[t].moments);
    mk_free(job->bench[t].occupied);
    job->bench[t].moments = NULL;
    job->bench[t].occupied = NULL;
  }
  mk_pieces_free(&job->pieces);
  mk_free(job->basis);
  job->basis = NULL;
  return status;
}

static void add_matrix(const job *job, size_t m) {
  for (size_t i = job->from; i < job->set->n; i++)
    job->mean[m][i] =
        mk_long_dot(job->set->simd, job->known,
                    job->set->member[m].spec.matrix + i * job->set->n, job->ones) /
        (double)job->known;
}

static mk_status prepare(job *job, const mk_control *control) {
  size_t n = job->set->n, block = (size_t)MK_STRIP_ROWS * MK_STRIP_COLS;
  job->sample = MK_NEW(int, n);
  job->ones = MK_NEW(double, n > GROUP ? n : GROUP);
  job->bench = MK_NEW0(bench, (size_t)mk_team_size(control->team));
  if (job->sample == NULL || job->ones == NULL || job->bench == NULL) return MK_NO_MEMORY;
  for (size_t i = 0; i < n; i++) job->sample[i] = (int)i;
  for (size_t i = 0; i < (n > GROUP ? n : GROUP); i++) job->ones[i] = 1.0;
  for (int t = 0; t < mk_team_size(control->team); t++) {
    bench *bench = &job->bench[t];
    bench->exact = mk_exact_new(job->set);
    bench->block[0] = MK_NEW(double, 2 * block);
    bench->side[0] = MK_NEW(double, 2 * TARGETS * GROUP);
    if (bench->exact == NULL || bench->block[0] == NULL || bench->side[0] == NULL)
      return MK_NO_MEMORY;
    bench->block[1] = bench->block[0] + block;
    bench->side[1] = bench->side[0] + TARGETS * GROUP;
  }
  return MK_OK;
}

static void clear(job *job, const mk_control *control) {
  for (int t = 0; job->bench != NULL && t < mk_team_size(control->team); t++) {
    mk_exact_free(job->bench[t].exact);
    mk_free(job->bench[t].block[0]);
    mk_free(job->bench[t].side[0]);
  }
  mk_free(job->bench);
  mk_free(job->sample);
  mk_free(job->ones);
}

mk_status mk_exact_means(const mk_kernel_set *set, size_t from, size_t known, double *const *mean,
                         const mk_control *control) {
  job job = {.set = set, .from = from, .known = known, .mean = mean};
  mk_status status = prepare(&job, control);
  if (status == MK_OK && known == set->n) status = mk_geometry_need(set, control);
  for (size_t m = 0; m < set->kernels; m++)
    for (size_t i = from; mean[m] != NULL && i < set->n; i++) mean[m][i] = 0.0;
  for (job.f = 0; status == MK_OK && job.f < set->families; job.f++) {
    job.family = &set->family[job.f];
    if (job.family->type != MK_FAMILY_MATRICES) {
      status = add_family(&job, control);
      continue;
    }
    for (size_t k = 0; status == MK_OK && k < job.family->count; k++) {
      size_t m = (size_t)job.family->member[k];
      if (mean[m] != NULL) add_matrix(&job, m);
      status = mk_check(control);
    }
  }
  clear(&job, control);
  return status;
}
