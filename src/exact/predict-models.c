/* Decision values of the models of one fit, each with its own kernel weights and support vectors:
 * kernel values of a support vector and a block of new samples are computed once, for all models
 * that it belongs to. Called by the glue. MATHEMATICS.md, section 1: f_t(x) = sum_m theta_mt sum_j
 * alpha_jt k_m(x_j, x). */
#include "predict-models.h"

#include "base/pool.h"
#include "base/threads.h"
#include "exact/exact.h"
#include "kernel/structure.h"

/* A support vector's part in a model. */
typedef struct part {
  size_t model;
  double alpha;
} part;

/* One thread's work space. */
typedef struct bench {
  mk_exact *exact;
  double *value;    /* kernels x MK_EXACT_COLS: of one support vector */
  const void **row; /* kernels: values of each kernel at work */
  int *kernel;      /* kernels: those at work */
  double *weight;   /* kernels */
} bench;

typedef struct job {
  const mk_kernel_set *set;
  const mk_models *models;
  size_t known, fresh;
  mk_pool pool;
  size_t supports, *first; /* support vector j has the parts first[j] .. first[j + 1] */
  int *sample;             /* known, then fresh: support vectors, then new samples */
  part *part;
  bench *bench;
  double *out;
} job;

/* ---- support vectors ---- */

static void count_parts(const job *job, size_t *count) {
  for (int e = 0; e < job->models->start[job->models->count]; e++) count[job->models->sample[e]]++;
}

/* Lists the support vectors of all models, each with its parts in the order of the models. */
static mk_status list_supports(job *job) {
  const mk_models *models = job->models;
  size_t entries = (size_t)models->start[models->count];
  size_t *count = MK_TAKE0(&job->pool, size_t, job->known);
  size_t *place = MK_TAKE(&job->pool, size_t, job->known);
  job->sample = MK_TAKE(&job->pool, int, job->known + job->fresh);
  job->first = MK_TAKE0(&job->pool, size_t, job->known + 1);
  job->part = MK_TAKE(&job->pool, part, entries);
  MK_TRY(mk_pool_status(&job->pool));
  count_parts(job, count);
  for (size_t i = 0; i < job->known; i++) {
    if (count[i] == 0) continue;
    place[i] = job->first[job->supports];
    job->sample[job->supports++] = (int)i;
    job->first[job->supports] = place[i] + count[i];
  }
  for (size_t t = 0; t < models->count; t++)
    for (int e = models->start[t]; e < models->start[t + 1]; e++)
      job->part[place[models->sample[e]]++] = (part){t, models->alpha[e]};
  for (size_t i = 0; i < job->fresh; i++) job->sample[job->supports + i] = (int)(job->known + i);
  return MK_OK;
}

/* ---- blocks of new samples ---- */

static int is_active(const mk_models *models, size_t kernels, size_t m) {
  for (size_t t = 0; t < models->count; t++)
    if (models->theta[t * kernels + m] != 0.0) return 1;
  return 0;
}

/* The family's kernels that any model gives weight. */
static size_t kernels_at_work(const job *job, const mk_family *family, const bench *bench) {
  size_t count = 0;
  for (size_t k = 0; k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (!is_active(job->models, mk_set_kernels(job->set), m)) continue;
    bench->row[count] = bench->value + count * MK_EXACT_COLS;
    bench->kernel[count++] = (int)m;
  }
  return count;
}

/* Adds support vector j, row r of the block at hand, to the decision values of its models. */
static void add_support(const job *job, const bench *bench, size_t active, size_t j, size_t r,
                        size_t from, size_t width) {
  const mk_row_loops *loops = &job->set->simd->rows[0];
  size_t kernels = mk_set_kernels(job->set);
  for (size_t k = 0; k < active; k++)
    mk_exact_values(bench->exact, (size_t)bench->kernel[k], r, bench->value + k * MK_EXACT_COLS);
  for (size_t p = job->first[j]; p < job->first[j + 1]; p++) {
    const part *own = &job->part[p];
    const double *theta = job->models->theta + own->model * kernels;
    for (size_t k = 0; k < active; k++) bench->weight[k] = own->alpha * theta[bench->kernel[k]];
    loops->combine(width, active, bench->row, bench->weight,
                   job->out + own->model * job->fresh + from);
  }
}

static mk_status add_family(const job *job, const bench *bench, size_t f, size_t from,
                            size_t width) {
  size_t active = kernels_at_work(job, &job->set->family[f], bench);
  mk_samples others = mk_list(job->sample + job->supports + from, width);
  for (size_t j = 0; active > 0 && j < job->supports; j += MK_EXACT_ROWS) {
    size_t height = mk_smaller(job->supports - j, MK_EXACT_ROWS);
    MK_TRY(mk_exact_block(bench->exact, f, job->sample + j, height, &others));
    for (size_t r = 0; r < height; r++) add_support(job, bench, active, j + r, r, from, width);
  }
  return MK_OK;
}

static mk_status add_block(void *data, size_t k, int thread) {
  const job *job = data;
  size_t from = k * MK_EXACT_COLS, width = mk_smaller(job->fresh - from, MK_EXACT_COLS);
  for (size_t f = 0; f < job->set->families; f++)
    MK_TRY(add_family(job, &job->bench[thread], f, from, width));
  return MK_OK;
}

/* ---- all ---- */

static mk_status take_benches(job *job, size_t threads) {
  size_t kernels = mk_set_kernels(job->set);
  job->bench = MK_TAKE0(&job->pool, bench, threads);
  MK_TRY(mk_pool_status(&job->pool));
  for (size_t t = 0; t < threads; t++) {
    bench *bench = &job->bench[t];
    bench->value = MK_TAKE(&job->pool, double, kernels *MK_EXACT_COLS);
    bench->row = MK_TAKE(&job->pool, const void *, kernels);
    bench->kernel = MK_TAKE(&job->pool, int, kernels);
    bench->weight = MK_TAKE(&job->pool, double, kernels);
    if ((bench->exact = mk_exact_new(job->set)) == NULL) return MK_NO_MEMORY;
  }
  return mk_pool_status(&job->pool);
}

static int any_serial(const mk_kernel_set *set) {
  for (size_t f = 0; f < set->families; f++)
    if (mk_family_serial(set, f)) return 1;
  return 0;
}

mk_status mk_predict_models(const mk_kernel_set *set, const mk_models *models, size_t known,
                            const mk_control *control, double *out) {
  size_t n = mk_set_samples(set);
  if (known == 0 || known > n) return MK_BAD_ARGUMENT;
  mk_team *team = any_serial(set) ? NULL : control->team;
  size_t threads = (size_t)mk_team_size(team);
  job job = {.set = set, .models = models, .known = known, .fresh = n - known, .out = out};
  for (size_t i = 0; i < job.fresh * models->count; i++) out[i] = 0.0;
  mk_status status = list_supports(&job);
  if (status == MK_OK) status = take_benches(&job, threads);
  if (status == MK_OK)
    status = mk_for_each((job.fresh + MK_EXACT_COLS - 1) / MK_EXACT_COLS, team, control, add_block,
                         &job);
  for (size_t t = 0; job.bench != NULL && t < threads; t++) mk_exact_free(job.bench[t].exact);
  mk_pool_free(&job.pool);
  return status;
}
