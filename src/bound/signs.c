/* Quadratic forms of many sign vectors at once, family by family, for Rademacher complexities.
 * Called by rglue/bound.c. MATHEMATICS.md, section 7.2. */
#include "signs.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/threads.h"
#include "bound/distances.h"
#include "kernel/constants.h"
#include "kernel/features.h"
#include "kernel/samples.h"
#include "rows/base-block.h"
#include "rows/feature-pass.h"
#include "rows/mixture.h"

#include <math.h>
#include <string.h>

/* most batches of strips in a family, each followed by a progress report */
#define NEWS 50
#define ROWS 128                  /* rows of a strip; a multiple of MK_TILE_ROWS */
#define COLS 256                  /* columns of a block */
#define LANES MK_TILE_COLS_SINGLE /* sign vectors side by side in a panel */
#define AT_ONCE 8                 /* sign vectors of feature blocks evaluated at once */
/* largest product of numbers of Gaussians and samples at which each Gaussian is summed by itself */
#define FEW 20000
/* least sum of squares at which a row of values needs no unit as floats */
#define LEAST_SQUARE 1e-40
#define MOST_EXPONENT 1000 /* exponent of a power of 2 whose inverse is also a number */

/* The sums of one family's kernels; empty for feature blocks. */
typedef struct family_sums {
  /* number of kernels; of those, the first, that are summed by themselves; the others are Gaussians
   * by distance */
  size_t count, direct;
  size_t *kernel;
  double *width; /* widths of the kernels by distance, in their order */
  double *pairs; /* count x MK_SIGN_LANES: twice the sums over i < j */
  double *trace; /* count: sums of the diagonal */
  mk_distance_scale scale;
} family_sums;

/* One thread's work space. */
typedef struct bench {
  mk_scratch *scratch;
  double *base;           /* ROWS x COLS */
  double value[COLS];     /* a row of values */
  float *block;           /* ROWS x COLS, each row divided by its unit */
  double unit[ROWS];      /* unit of each row */
  double *pairs, *trace;  /* this thread's part of the family's sums */
  mk_distance_sums *sums; /* NULL if nothing is summed by distance */
} bench;

typedef struct job {
  const mk_sign_question *question;
  const mk_kernel_set *set;
  const int *signs; /* signs of this pass: n x draws, at most MK_SIGN_LANES */
  size_t n, first, draws, families;
  float *panel;        /* panels of n x LANES; 0 beyond the last sign vector */
  unsigned char *byte; /* n x MK_SIGN_LANES: 1 for -1, 0 for 1 */
  mk_bases *bases;
  family_sums *family;
  bench *bench;
  int benches;
  mk_pool memory; /* owns the vectors of the job, its families and benches */
  size_t f;       /* the present family */
  size_t strip;   /* first strip of the present batch */
} job;

/* ---- pairs, one kernel after another ---- */

/* Computes pairs[t] += weight * sum over the rows of sign_it * (values . signs_t) for a panel of
 * sign vectors. */
static void add_panel(const mk_simd *simd, const bench *bench, const float *row_signs,
                      const float *col_signs, size_t rows, size_t cols, double weight,
                      double *pairs) {
  for (size_t r = 0; r < rows; r += MK_TILE_ROWS) {
    float tile[MK_TILE_ROWS * LANES] __attribute__((aligned(64))) = {0};
    const void *left[MK_TILE_ROWS];
    for (size_t k = 0; k < MK_TILE_ROWS; k++) left[k] = bench->block + (r + k) * COLS;
    simd->rows[1].row_tile(cols, left, col_signs, tile, LANES);
    size_t height = mk_smaller(rows - r, MK_TILE_ROWS);
    for (size_t k = 0; k < height; k++)
      for (size_t t = 0; t < LANES; t++)
        pairs[t] += weight * bench->unit[r + k] *
                    (double)(tile[k * LANES + t] * row_signs[(r + k) * LANES + t]);
  }
}

/* Returns 1, or a power of 2 near the largest value if values are too large or too small for
 * floats. */
static double unit_of(const mk_simd *simd, const double *value, size_t count) {
  double squares = simd->dot(count, value, value), most = 0.0;
  int exponent;
  if (squares > LEAST_SQUARE && squares < 1.0 / LEAST_SQUARE) return 1.0;
  for (size_t c = 0; c < count; c++) most = fmax(most, fabs(value[c]));
  if (most == 0.0 || !isfinite(most)) return 1.0;
  frexp(most, &exponent);
  exponent = exponent < -MOST_EXPONENT ? -MOST_EXPONENT : exponent;
  return ldexp(1.0, exponent > MOST_EXPONENT ? MOST_EXPONENT : exponent);
}

/* Writes values of kernel g between rows and columns as floats; values of a sample with itself are
 * added to the trace. */
static void fill_block(const job *job, bench *bench, size_t g, size_t first, size_t rows,
                       const mk_samples *others) {
  const mk_simd *simd = mk_simd_best();
  int has_base = mk_family_has_base(job->set, job->f);
  for (size_t r = 0; r < rows; r++) {
    float *out = bench->block + r * COLS;
    size_t m = job->family[job->f].kernel[g];
    const double *base = has_base ? bench->base + r * COLS : NULL;
    const double *product = mk_family_products(job->set, mk_family_of(job->set, m),
                                               (int)(first + r), others, base, bench->value);
    mk_member_values(job->set, m, (int)(first + r), others, base, product, bench->value);
    if (others->start == first) {
      bench->trace[g] += bench->value[r];
      bench->value[r] = 0.0;
    }
    bench->unit[r] = unit_of(simd, bench->value, others->count);
    double inverse = 1.0 / bench->unit[r];
    for (size_t c = 0; c < others->count; c++) out[c] = (float)(bench->value[c] * inverse);
  }
}

static void add_directly(const job *job, bench *bench, size_t first, size_t rows,
                         const mk_samples *others) {
  const mk_simd *simd = mk_simd_best();
  for (size_t g = 0; g < job->family[job->f].direct; g++) {
    fill_block(job, bench, g, first, rows, others);
    for (size_t t = 0; t < job->draws; t += LANES) {
      const float *panel = job->panel + t * job->n;
      add_panel(simd, bench, panel + first * LANES, panel + others->start * LANES, rows,
                others->count, others->start == first ? 1.0 : 2.0,
                bench->pairs + g * MK_SIGN_LANES + t);
    }
  }
}

/* ---- pairs by distance ---- */

static void add_distances(const job *job, bench *bench, size_t first, size_t rows,
                          const mk_samples *others) {
  for (size_t r = 0; r < rows; r++) {
    size_t skip = others->start == first ? r + 1 : 0; /* each pair counts once */
    mk_distance_sums_add(bench->sums, others->count - skip, bench->base + r * COLS + skip,
                         job->byte + (first + r) * MK_SIGN_LANES,
                         job->byte + (others->start + skip) * MK_SIGN_LANES);
  }
}

/* Finds bins from a bound on the family's distances, computed from those to the first sample. */
static mk_status find_scale(const job *job, family_sums *sums) {
  double *distance = MK_NEW(double, job->n), farthest = 0.0, narrowest = INFINITY;
  const int first = 0;
  mk_samples all = mk_span(0, job->n);
  if (distance == NULL) return MK_NO_MEMORY;
  mk_status status = mk_base_block(job->bases, job->f, &first, 1, &all, (mk_row){distance, 0},
                                   job->n, job->bench->scratch);
  for (size_t i = 0; i < job->n; i++) farthest = fmax(farthest, distance[i]);
  for (size_t k = 0; k < sums->count - sums->direct; k++)
    narrowest = fmin(narrowest, sums->width[k]);
  sums->scale = mk_distance_scale_for(narrowest, 4.0 * farthest);
  mk_free(distance);
  return status;
}

static void read_distances(const job *job, family_sums *sums) {
  size_t count = sums->count - sums->direct;
  double *pairs = sums->pairs + sums->direct * MK_SIGN_LANES;
  for (int t = 1; t < job->benches; t++)
    mk_distance_sums_merge(job->bench[0].sums, job->bench[t].sums);
  mk_distance_sums_end(job->bench[0].sums);
  mk_distance_sums_read(job->bench[0].sums, count, sums->width, pairs);
  for (size_t k = 0; k < count; k++) {
    double scale = mk_set_scale(job->set, sums->kernel[sums->direct + k]);
    sums->trace[sums->direct + k] = scale * (double)job->n;
    for (size_t t = 0; t < MK_SIGN_LANES; t++) pairs[k * MK_SIGN_LANES + t] *= 2.0 * scale;
  }
}

/* ---- families ---- */

static mk_status add_block(const job *job, bench *bench, size_t first, size_t rows, size_t from,
                           size_t cols) {
  int sample[ROWS];
  mk_samples others = mk_span(from, cols);
  for (size_t r = 0; r < rows; r++) sample[r] = (int)(first + r);
  MK_TRY(mk_base_block(job->bases, job->f, sample, rows, &others, (mk_row){bench->base, 0}, COLS,
                       bench->scratch));
  add_directly(job, bench, first, rows, &others);
  if (bench->sums != NULL) add_distances(job, bench, first, rows, &others);
  return MK_OK;
}

/* Adds the pairs of strip k's rows with each other and with all later rows. */
static mk_status add_strip(void *data, size_t k, int thread) {
  const job *job = data;
  size_t first = (job->strip + k) * ROWS, rows = mk_smaller(job->n - first, ROWS);
  MK_TRY(add_block(job, &job->bench[thread], first, rows, first, rows));
  for (size_t from = first + rows; from < job->n; from += COLS)
    MK_TRY(add_block(job, &job->bench[thread], first, rows, from, mk_smaller(job->n - from, COLS)));
  return MK_OK;
}

/* Lists the kernels; if Gaussians are few, they are summed by themselves. */
static mk_status list_kernels(job *job, family_sums *sums) {
  size_t count = mk_family_size(job->set, job->f), gaussians = 0;
  double width;
  sums->kernel = MK_TAKE(&job->memory, size_t, count + 1);
  sums->width = MK_TAKE(&job->memory, double, count + 1);
  sums->pairs = MK_TAKE0(&job->memory, double, count *MK_SIGN_LANES);
  sums->trace = MK_TAKE0(&job->memory, double, count + 1);
  MK_TRY(mk_pool_status(&job->memory));
  for (size_t k = 0; k < count; k++)
    gaussians += mk_is_plain_gaussian(job->set, mk_family_member(job->set, job->f, k), &width) != 0;
  int by_distance = gaussians > 2 && gaussians * job->n > FEW;
  sums->direct = sums->count = by_distance ? count - gaussians : count;
  for (size_t k = 0, direct = 0; k < count; k++) {
    size_t m = mk_family_member(job->set, job->f, k);
    if (mk_is_plain_gaussian(job->set, m, &width) && by_distance) {
      sums->width[sums->count - sums->direct] = width;
      sums->kernel[sums->count++] = m;
    } else {
      sums->kernel[direct++] = m;
    }
  }
  return by_distance ? find_scale(job, sums) : MK_OK;
}

static mk_status lay_benches(const job *job, const family_sums *sums, int threads) {
  for (int t = 0; t < threads; t++) {
    bench *bench = &job->bench[t];
    bench->pairs = MK_NEW0(double, sums->direct *MK_SIGN_LANES + 1);
    bench->trace = MK_NEW0(double, sums->direct + 1);
    if (bench->pairs == NULL || bench->trace == NULL) return MK_NO_MEMORY;
    if (sums->direct == sums->count) continue;
    bench->sums = mk_distance_sums_new(&sums->scale);
    if (bench->sums == NULL) return MK_NO_MEMORY;
  }
  return MK_OK;
}

static void clear_benches(const job *job, int threads) {
  for (int t = 0; t < threads; t++) {
    bench *bench = &job->bench[t];
    mk_free(bench->pairs);
    mk_free(bench->trace);
    mk_distance_sums_free(bench->sums);
    bench->pairs = bench->trace = NULL;
    bench->sums = NULL;
  }
}

/* Reports the percentage done, and the numbers of sign vectors and samples. */
static void report_share(const job *job, const mk_control *control, size_t strips) {
  if (control->progress == NULL) return;
  double left =
      /* share of the rows left; its square is the share of pairs */
      1.0 - (double)job->strip / (double)strips;
  double pass = ((double)job->f + 1.0 - left * left) / (double)job->families;
  double share = ((double)job->first + pass * (double)job->draws) / (double)job->question->draws;
  control->progress(control->data, 100.0 * share, mk_seconds() - control->start,
                    (double)job->question->draws, (double)job->n, 0.0);
}

/* Adds all pairs, in batches with a progress report after each. */
static mk_status add_strips(job *job, mk_team *team, const mk_control *control) {
  size_t strips = (job->n + ROWS - 1) / ROWS, batch = strips / NEWS + 1;
  size_t least = 4 * (size_t)mk_team_size(team); /* at least four strips for each thread */
  if (batch < least) batch = least;
  mk_status status = MK_OK;
  for (job->strip = 0; status == MK_OK && job->strip < strips; job->strip += batch) {
    report_share(job, control, strips);
    status = mk_for_each(mk_smaller(strips - job->strip, batch), team, control, add_strip, job);
  }
  return status;
}

static mk_status add_family(job *job, const mk_control *control) {
  family_sums *sums = &job->family[job->f];
  mk_team *team = mk_family_serial(job->set, job->f) ? NULL : control->team;
  int threads = mk_team_size(team);
  MK_TRY(list_kernels(job, sums));
  mk_status status = lay_benches(job, sums, threads);
  if (status == MK_OK) status = add_strips(job, team, control);
  for (int t = 0; status == MK_OK && t < threads; t++) {
    const bench *bench = &job->bench[t];
    for (size_t k = 0; k < sums->direct * MK_SIGN_LANES; k++) sums->pairs[k] += bench->pairs[k];
    for (size_t g = 0; g < sums->direct; g++) sums->trace[g] += bench->trace[g];
  }
  if (status == MK_OK && sums->direct < sums->count) read_distances(job, sums);
  clear_benches(job, threads);
  return status;
}

/* ---- reading ---- */

typedef struct reader {
  double *alpha, *g; /* AT_ONCE sign vectors as doubles; X'sigma of feature blocks, by column id */
} reader;

/* Returns MK_NOT_FINITE if one of the forms s is not finite. */
static mk_status check_forms(size_t kernels, const double *s) {
  for (size_t m = 0; m < kernels; m++)
    if (!isfinite(s[m])) return MK_NOT_FINITE;
  return MK_OK;
}

/* Evaluates sign vectors first .. first + count of the pass, at most AT_ONCE. */
static mk_status read_some(const job *job, const mk_control *control, const reader *reader,
                           size_t first, size_t count) {
  double *alpha[AT_ONCE], *g[AT_ONCE];
  int features = mk_set_explicit(job->set);
  size_t kernels = mk_set_kernels(job->set);
  for (size_t k = 0; k < count; k++) {
    alpha[k] = reader->alpha + k * job->n;
    g[k] = reader->g + k * (features ? mk_set_column_ids(job->set) : 0);
    for (size_t i = 0; i < job->n; i++) alpha[k][i] = job->signs[(first + k) * job->n + i];
  }
  mk_pass pass = {.tasks = count, .alpha = alpha, .g = g};
  if (features) MK_TRY(mk_features_pass(job->set, &pass, control));
  for (size_t k = 0; k < count; k++) {
    mk_pass one = {.tasks = 1, .alpha = alpha + k, .g = g + k};
    double *s = job->question->forms + (job->first + first + k) * kernels;
    if (features) mk_features_forms(job->set, &one, s);
    for (size_t f = 0; f < job->families; f++) {
      const family_sums *sums = &job->family[f];
      for (size_t j = 0; j < sums->count; j++)
        s[sums->kernel[j]] = sums->trace[j] + sums->pairs[j * MK_SIGN_LANES + first + k];
    }
    MK_TRY(check_forms(kernels, s));
  }
  return MK_OK;
}

static mk_status read_all(const job *job, const mk_control *control) {
  size_t ids = mk_set_explicit(job->set) ? mk_set_column_ids(job->set) : 0;
  double *memory = MK_NEW(double, AT_ONCE *(job->n + ids));
  if (memory == NULL) return MK_NO_MEMORY;
  reader reader = {.alpha = memory, .g = memory + AT_ONCE * job->n};
  mk_status status = MK_OK;
  for (size_t first = 0; status == MK_OK && first < job->draws; first += AT_ONCE) {
    status = mk_check(control);
    if (status == MK_OK)
      status = read_some(job, control, &reader, first, mk_smaller(job->draws - first, AT_ONCE));
  }
  mk_free(memory);
  return status;
}

/* ---- passes ---- */

static void pack_signs(job *job) {
  for (size_t t = 0; t < job->draws; t++) {
    float *to = job->panel + t / LANES * job->n * LANES + t % LANES;
    for (size_t i = 0; i < job->n; i++) {
      to[i * LANES] = (float)job->signs[t * job->n + i];
      job->byte[i * MK_SIGN_LANES + t] = job->signs[t * job->n + i] < 0;
    }
  }
}

static mk_status open_job(job *job) {
  job->panel = MK_TAKE0(&job->memory, float, job->n *MK_SIGN_LANES);
  job->byte = MK_TAKE0(&job->memory, unsigned char, job->n *MK_SIGN_LANES);
  job->family = MK_TAKE0(&job->memory, family_sums, job->families + 1);
  job->bench = MK_TAKE0(&job->memory, bench, (size_t)job->benches);
  MK_TRY(mk_pool_status(&job->memory));
  pack_signs(job);
  for (int t = 0; t < job->benches; t++) {
    bench *bench = &job->bench[t];
    bench->scratch = mk_scratch_new(job->set);
    bench->base = MK_TAKE(&job->memory, double, (size_t)ROWS *COLS);
    bench->block = MK_TAKE0(&job->memory, float, (size_t)ROWS *COLS);
    if (bench->scratch == NULL) return MK_NO_MEMORY;
  }
  return mk_pool_status(&job->memory);
}

static void clear_job(job *job) {
  for (int t = 0; job->bench != NULL && t < job->benches; t++)
    mk_scratch_free(job->bench[t].scratch);
  mk_pool_free(&job->memory);
}

/* Evaluates at most MK_SIGN_LANES sign vectors. */
static mk_status run_pass(job *job, const mk_control *control) {
  mk_status status = open_job(job);
  for (job->f = 0; status == MK_OK && job->f < job->families; job->f++)
    if (!mk_family_explicit(job->set, job->f)) status = add_family(job, control);
  if (status == MK_OK) status = read_all(job, control);
  clear_job(job);
  return status;
}

mk_status mk_sign_forms(const mk_sign_question *q, const mk_control *control) {
  mk_bases *bases = NULL;
  size_t n = mk_set_samples(q->set);
  mk_status status = mk_bases_new(&bases, q->set, 0, control);
  for (size_t first = 0; status == MK_OK && first < q->draws; first += MK_SIGN_LANES) {
    job job = {.question = q,
               .set = q->set,
               .signs = q->signs + first * n,
               .n = n,
               .first = first,
               .draws = mk_smaller(q->draws - first, MK_SIGN_LANES),
               .families = mk_set_families(q->set),
               .bases = bases,
               .benches = mk_team_size(control->team)};
    status = run_pass(&job, control);
  }
  mk_bases_free(bases);
  return status;
}
