/* Row means of kernel matrices, for centring. A strip of targets meets a group of known samples;
 * the distances and products of a target then lie side by side, and every kernel sums its values of
 * them. Many Gaussians use one histogram of moments instead. Called by normalize/. MATHEMATICS.md,
 * section 4.2. */
#include "exact/means.h"

#include "base/memory.h"
#include "base/threads.h"
#include "exact/expansion-direct.h"
#include "exact/pairs.h"
#include "exact/pieces.h"
#include "kernel/geometry.h"

#include <math.h>
#include <string.h>

#define GROUP 4096                         /* known samples at a time */
#define TARGETS ((size_t)2 * MK_TILE_COLS) /* targets of a strip */
#define MOST_BASIS ((size_t)8 << 20) /* largest number of terms of all kernels on all pieces */

/* One thread's work space. */
typedef struct bench {
  double *side[2]; /* distances, products by targets: TARGETS x GROUP */
  double *moments, value[MK_STRIP_COLS];
  int *occupied;
} bench;

typedef struct job {
  const mk_kernel_set *set;
  const mk_family *family;
  size_t from, known;
  double *const *mean;
  int *sample;         /* 0, 1, ... n - 1 */
  double *weight;      /* n: 1 for samples that count, 0 for others */
  double total;        /* sum of the known samples' weights */
  size_t first, count; /* the present group */
  mk_pairs pairs;
  bench *bench; /* one per thread */
  mk_pool pool;
  /* pieces and basis of the present family */
  mk_pieces pieces; /* count 0: none */
  double narrowest; /* narrowest width that is evaluated by pieces */
  double *basis;    /* members x pieces x MK_PIECE_TERMS */
  mk_pool family_pool;
} job;

static int is_gaussian(const job *job, size_t m, double narrowest) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  return job->mean[m] != NULL && mk_member_is_gaussian(&job->set->member[m]) &&
         spec->width >= narrowest;
}

static int by_pieces(const job *job, size_t m) {
  return job->pieces.count > 0 && is_gaussian(job, m, job->narrowest);
}

/* ---- a target ---- */

/* Lists the pieces that hold distances of counted samples. */
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
  const double *weight = job->weight + job->first;
  double sum = 0.0;
  for (size_t c = 0; c < job->count; c += MK_STRIP_COLS) {
    size_t count = mk_smaller(job->count - c, MK_STRIP_COLS);
    mk_samples known = mk_span(job->first + c, count);
    mk_plain_values(job->set, m, (int)i, &known, distance + c, product + c, bench->value);
    sum += job->set->simd->dot(count, bench->value, weight + c);
  }
  return sum;
}

static void add_target(const job *job, bench *bench, size_t i, const double *distance,
                       const double *product) {
  size_t occupied = 0;
  if (job->pieces.count > 0) {
    memset(bench->moments, 0, job->pieces.count * MK_PIECE_TERMS * sizeof *bench->moments);
    job->set->simd->fine_moments(job->count, distance, job->weight + job->first, &job->pieces.table,
                                 bench->moments);
    occupied = find_occupied(job, bench);
  }
  for (size_t k = 0; k < job->family->count; k++) {
    size_t m = (size_t)job->family->member[k];
    if (job->mean[m] == NULL) continue;
    double sum = by_pieces(job, m) ? sum_pieces(job, bench, k, occupied)
                                   : sum_values(job, bench, m, i, distance, product);
    job->mean[m][i] += sum / job->total;
  }
}

/* ---- a strip of targets ---- */

static mk_status take_up(const job *job, int thread, size_t start, size_t count) {
  const mk_pairs *pairs = &job->pairs;
  mk_pairs_strip(pairs, thread, job->sample + start, count);
  for (size_t r = 0; r < job->count; r += MK_STRIP_ROWS) {
    size_t height = mk_smaller(job->count - r, MK_STRIP_ROWS);
    const double *block[2];
    MK_TRY(mk_pairs_block(pairs, thread, r, height, 0, &block[0], &block[1]));
    for (int side = 0; side < 2; side++)
      for (size_t c = 0; (side ? pairs->products : pairs->distances) && c < count; c++)
        for (size_t i = 0; i < height; i++)
          job->bench[thread].side[side][c * GROUP + r + i] = block[side][i * MK_STRIP_COLS + c];
  }
  return MK_OK;
}

static mk_status add_strip(void *data, size_t k, int thread) {
  const job *job = data;
  bench *bench = &job->bench[thread];
  size_t start = job->from + k * TARGETS, count = mk_smaller(job->set->n - start, TARGETS);
  MK_TRY(take_up(job, thread, start, count));
  for (size_t c = 0; c < count; c++)
    add_target(job, bench, start + c, bench->side[0] + c * GROUP, bench->side[1] + c * GROUP);
  return MK_OK;
}

/* ---- a family ---- */

/* Makes pieces if enough Gaussians are to be centred and each of them can have a basis. */
static mk_status choose_pieces(job *job, int threads) {
  double widest = 0.0;
  size_t gaussians = 0, members = job->family->count;
  const int *member = job->family->member;
  job->narrowest = INFINITY;
  for (size_t k = 0; k < members; k++)
    if (is_gaussian(job, (size_t)member[k], 0.0))
      widest = fmax(widest, job->set->member[member[k]].spec.width);
  for (size_t k = 0; k < members; k++)
    if (is_gaussian(job, (size_t)member[k], mk_pieces_least(widest))) {
      job->narrowest = fmin(job->narrowest, job->set->member[member[k]].spec.width);
      gaussians++;
    }
  if (gaussians < MK_LEAST_PIECED) return MK_OK;
  size_t needed = mk_pieces_needed(job->narrowest, widest), length = needed * MK_PIECE_TERMS;
  if (needed > job->known || length > MOST_BASIS / members) return MK_OK;
  MK_TRY(mk_pieces_new(&job->pieces, job->narrowest, widest));
  job->basis = MK_TAKE0(&job->family_pool, double, length *members);
  for (int t = 0; t < threads; t++) {
    job->bench[t].moments = MK_TAKE(&job->family_pool, double, length);
    job->bench[t].occupied = MK_TAKE(&job->family_pool, int, needed);
  }
  MK_TRY(mk_pool_status(&job->family_pool));
  for (size_t k = 0; k < members; k++)
    if (by_pieces(job, (size_t)member[k]))
      mk_pieces_add(&job->pieces, job->set->simd, job->set->member[member[k]].spec.width, 1.0,
                    job->basis + k * length);
  return MK_OK;
}

/* Reports the share of all families' pairs that is done with the present group. */
static void tell_share(const job *job, const mk_control *control) {
  double done = (double)(job->first + job->count) / (double)job->known;
  double before = (double)(job->family - job->set->family);
  if (control->share != NULL)
    control->share(control->data, (before + done) / (double)job->set->families);
}

static mk_status add_groups(job *job, const mk_control *control) {
  mk_team *team = mk_family_serial(job->set, job->pairs.f) ? NULL : control->team;
  size_t strips = (job->set->n - job->from + TARGETS - 1) / TARGETS;
  MK_TRY(choose_pieces(job, mk_team_size(control->team)));
  for (job->first = 0; job->first < job->known; job->first += GROUP) {
    job->count = mk_smaller(job->known - job->first, GROUP);
    MK_TRY(mk_pairs_group(&job->pairs, job->sample + job->first, job->count, team));
    MK_TRY(mk_for_each(strips, team, control, add_strip, job));
    tell_share(job, control);
  }
  return MK_OK;
}

static void add_matrix(const job *job, size_t m) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  double *wide = job->bench[0].side[0];
  for (size_t i = job->from; i < job->set->n; i++) {
    mk_sum sum = {0.0, 0.0};
    for (size_t c = 0; c < job->known; c += GROUP) {
      size_t count = mk_smaller(job->known - c, GROUP);
      const double *k = mk_row_doubles(mk_matrix_row(job->set, spec, i, c), count, wide);
      mk_sum_add(&sum, mk_long_dot(job->set->simd, count, k, job->weight + c));
    }
    job->mean[m][i] = mk_sum_total(&sum) / job->total;
  }
}

static mk_status add_function(const job *job, size_t m, const mk_control *control) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  size_t count = job->set->n - job->from;
  double *sum = MK_NEW(double, count);
  if (sum == NULL) return MK_NO_MEMORY;
  mk_status status = spec->expand(spec->function_data, job->sample, job->known, job->weight,
                                  job->sample + job->from, count, control, sum);
  for (size_t i = 0; status == MK_OK && i < count; i++)
    job->mean[m][job->from + i] = sum[i] / job->total;
  mk_free(sum);
  return status;
}

static mk_status add_family(job *job, size_t f, const mk_control *control) {
  int distances = 0, products = 0;
  job->family = &job->set->family[f];
  for (size_t k = 0; k < job->family->count; k++) {
    size_t m = (size_t)job->family->member[k];
    if (mk_family_has_matrices(job->family)) MK_TRY(mk_check(control));
    if (job->mean[m] == NULL) continue;
    if (mk_family_has_matrices(job->family)) {
      add_matrix(job, m);
      continue;
    }
    if (job->set->member[m].spec.expand != NULL) {
      MK_TRY(add_function(job, m, control));
      continue;
    }
    distances |= job->set->member[m].kind->distances;
    products |= job->set->member[m].kind->products;
  }
  if (!distances && !products) return MK_OK;
  mk_pairs_family(&job->pairs, f, distances, products);
  mk_status status = add_groups(job, control);
  mk_pieces_free(&job->pieces);
  mk_pool_free(&job->family_pool);
  return status;
}

/* ---- all ---- */

static mk_status open_job(job *job, const mk_counted *counted, mk_team *team) {
  size_t n = job->set->n;
  int threads = mk_team_size(team);
  job->sample = MK_TAKE(&job->pool, int, n);
  job->weight = MK_TAKE(&job->pool, double, n);
  job->bench = MK_TAKE0(&job->pool, bench, (size_t)threads);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t i = 0; i < n; i++) job->sample[i] = (int)i;
  for (size_t i = 0; i < n; i++) job->weight[i] = counted != NULL ? counted->weight[i] : 1.0;
  for (size_t i = 0; i < job->known; i++) job->total += job->weight[i];
  for (int t = 0; t < threads; t++)
    for (int side = 0; side < 2; side++)
      job->bench[t].side[side] = MK_TAKE(&job->pool, double, TARGETS *GROUP);
  MK_TRY(mk_pool_status(&job->pool));
  return mk_pairs_new(&job->pairs, job->set, team);
}

mk_status mk_exact_means(const mk_kernel_set *set, size_t from, size_t known,
                         const mk_counted *counted, double *const *mean,
                         const mk_control *control) {
  job job = {.set = set, .from = from, .known = known, .mean = mean, .pairs = {.set = set}};
  mk_status status = open_job(&job, counted, control->team);
  if (status == MK_OK && known == set->n) status = mk_geometry_need(set, control);
  for (size_t m = 0; m < set->kernels; m++)
    for (size_t i = from; mean[m] != NULL && i < set->n; i++) mean[m][i] = 0.0;
  for (size_t f = 0; status == MK_OK && f < set->families; f++)
    status = add_family(&job, f, control);
  mk_pairs_free(&job.pairs);
  mk_pool_free(&job.pool);
  return status;
}
