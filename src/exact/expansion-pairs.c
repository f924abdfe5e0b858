/* Expansions over the pairs of one family. Groups of support vectors meet strips of samples.
 * A strip belongs to one thread, and its contributions to rows go to a lane of its own. Lanes are
 * merged in order, so the result depends on the number of threads by rounding only, and not on
 * their timing. Called by expansion.c and expansion-merge.c. MATHEMATICS.md, section 1. */
#include "expansion-pairs.h"

#include "base/threads.h"
#include "exact/exact-internal.h"
#include "exact/expansion-direct.h"
#include "exact/expansion-units.h"
#include "exact/pieces.h"

#include <math.h>
#include <string.h>

#define GROUP_ROWS 4096    /* rows packed at a time */
#define LANES_PER_THREAD 4 /* strips of one round */
#define PIECE_UNITS 64.0   /* roundings of a value, or of a sum of values, that comes from pieces */
#define PIECE_SHARE 0.0625 /* largest expected share of a lane's pairs in one piece */

/* A kernel that is evaluated pair by pair. */
typedef struct single {
  size_t m;
  int form; /* 1 if its form is wanted */
  double weight;
} single;

/* One thread's work space. */
typedef struct bench {
  double *value, *mixed, *weight; /* MK_STRIP_COLS each */
  double *sum;                    /* tasks x MK_STRIP_COLS: what a block adds to its samples */
} bench;

/* The sums of one strip in a round. */
typedef struct lane {
  double *rows;    /* group x tasks */
  mk_sum *forms;   /* singles */
  double *moments; /* pieces x MK_PIECE_TERMS */
} lane;

/* Columns start .. start + count of the list, of which the first `inside` are support vectors. */
typedef struct strip {
  size_t start, count, inside;
  const int *cols;
  int thread;
  lane *lane;
} strip;

typedef struct pass {
  mk_expansion_job *job;
  const mk_family *family;
  mk_pairs *pairs;
  mk_pool pool;
  single *single;
  size_t singles;
  int *pieced; /* kernels evaluated by pieces */
  size_t pieced_count;
  int mixed;          /* 1 if the pieces hold a mixture; 0 if they only collect moments */
  mk_pieces pieces;   /* count 0: none */
  size_t first, rows; /* first: place of the group's first support vector */
  bench *bench;       /* one per thread */
  lane *lane;         /* one per strip of a round */
  size_t lanes;
  size_t start, width, used; /* the strips of the round */
  int serial; /* 1 if the kernel calls back and may take long: limits are checked between blocks */
} pass;

/* ---- how each kernel is evaluated ---- */

static int goes_by_pieces(const mk_expansion_job *job, size_t m, double narrowest) {
  const mk_kernel_spec *spec = &job->set->member[m].spec;
  return mk_member_is_gaussian(&job->set->member[m]) && spec->width >= narrowest &&
         !mk_is_rooted(job, m) && !mk_is_idle(job, m);
}

double mk_narrowest_pieced(const mk_expansion_job *job, const mk_family *family, double *widest) {
  double narrowest = INFINITY, pairs = (double)job->ask->support * (double)job->ask->count;
  size_t count = 0;
  *widest = 0.0;
  for (size_t k = 0; k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (goes_by_pieces(job, m, 0.0)) *widest = fmax(*widest, job->set->member[m].spec.width);
  }
  for (size_t k = 0; k < family->count; k++) {
    size_t m = (size_t)family->member[k];
    if (!goes_by_pieces(job, m, mk_pieces_least(*widest))) continue;
    narrowest = fmin(narrowest, job->set->member[m].spec.width);
    count++;
  }
  if (count < MK_LEAST_PIECED) return 0.0;
  /* an expansion costs about 4 values per piece and width, moments 16 per lane */
  double lanes = job->ask->forms != NULL ? (double)mk_team_size(job->control->team) : 0.0;
  lanes *= LANES_PER_THREAD;
  double work = (double)mk_pieces_needed(narrowest, *widest) * (4.0 * (double)count + 16.0 * lanes);
  return work < 0.5 * pairs * (double)count ? narrowest : 0.0;
}

static void add_single(pass *pass, size_t m, int form) {
  pass->single[pass->singles++] = (single){m, form, pass->job->weight[m]};
}

/* Makes the mixture of the pieced kernels that have weights, unless they are so few that each is
 * evaluated by itself. */
static void plan_mixture(pass *pass) {
  const mk_expansion_job *job = pass->job;
  size_t active = 0;
  for (size_t k = 0; k < pass->pieced_count; k++) active += job->weight[pass->pieced[k]] != 0.0;
  pass->mixed = active >= MK_LEAST_PIECED;
  for (size_t k = 0; k < pass->pieced_count; k++) {
    size_t m = (size_t)pass->pieced[k];
    if (job->weight[m] == 0.0) continue;
    if (pass->mixed)
      mk_pieces_add(&pass->pieces, job->set->simd, job->set->member[m].spec.width, job->weight[m],
                    pass->pieces.coef);
    else
      add_single(pass, m, 0);
  }
}

static mk_status plan_pass(pass *pass) {
  const mk_expansion_job *job = pass->job;
  double widest, narrowest = mk_narrowest_pieced(job, pass->family, &widest);
  pass->single = MK_TAKE(&pass->pool, single, pass->family->count);
  pass->pieced = MK_TAKE(&pass->pool, int, pass->family->count);
  MK_TRY(mk_pool_status(&pass->pool));
  for (size_t k = 0; k < pass->family->count; k++) {
    size_t m = (size_t)pass->family->member[k];
    if (mk_expands_by_features(job, m) || mk_is_idle(job, m)) continue;
    if (narrowest > 0.0 && goes_by_pieces(job, m, narrowest))
      pass->pieced[pass->pieced_count++] = (int)m;
    else
      add_single(pass, m, mk_wants_form(job, m));
  }
  if (pass->pieced_count == 0) return MK_OK;
  job->ask->pieced += pass->pieced_count;
  MK_TRY(mk_pieces_new(&pass->pieces, narrowest, widest));
  plan_mixture(pass);
  return MK_OK;
}

/* ---- one row of a strip ---- */

/* Computes alpha_r alpha_c, summed over tasks, twice where a pair stands for its mirror image. */
static void pair_weights(const pass *pass, size_t r, const strip *strip, size_t from,
                         double *weight) {
  const mk_expansion *ask = pass->job->ask;
  size_t inside = strip->inside - from;
  memset(weight, 0, inside * sizeof *weight);
  for (size_t t = 0; t < ask->tasks; t++) {
    const double *alpha = ask->alpha + t * ask->support;
    pass->job->set->simd->axpy(inside, 2.0 * alpha[r], alpha + strip->start + from, weight);
  }
  if (strip->start + from == r) weight[0] *= 0.5;
}

static void add_singles(const pass *pass, size_t r, const strip *strip, size_t from,
                        const double *distance, const double *product) {
  const mk_expansion_job *job = pass->job;
  const bench *bench = &pass->bench[strip->thread];
  size_t inside = strip->inside > from ? strip->inside - from : 0;
  int row = job->ask->sample[r];
  for (size_t k = 0; k < pass->singles; k++) {
    const single *one = &pass->single[k];
    size_t form = one->form ? inside : 0, count = one->weight != 0.0 ? strip->count - from : form;
    if (count == 0) continue;
    mk_samples others = mk_list(strip->cols + from, count);
    mk_plain_values(job->set, one->m, row, &others, distance, product, bench->value);
    if (mk_is_rooted(job, one->m))
      mk_plain_centre(&job->set->member[one->m], row, count, strip->cols + from, bench->value);
    if (one->weight != 0.0) job->set->simd->axpy(count, one->weight, bench->value, bench->mixed);
    if (form > 0)
      mk_sum_add(&strip->lane->forms[k],
                 mk_long_dot(job->set->simd, form, bench->weight, bench->value));
  }
}

/* Adds one row of a strip. Pairs left of the diagonal were mirror images of an earlier strip's
 * pairs. */
static void expand_row(const pass *pass, size_t r, const strip *strip, const double *distance,
                       const double *product) {
  const mk_expansion *ask = pass->job->ask;
  const mk_simd *simd = pass->job->set->simd;
  const bench *bench = &pass->bench[strip->thread];
  size_t from = r > strip->start ? r - strip->start : 0, count = strip->count - from;
  size_t inside = strip->inside > from ? strip->inside - from : 0;
  size_t self = inside > 0 && strip->start + from == r;
  memset(bench->mixed, 0, count * sizeof *bench->mixed);
  if (inside > 0) pair_weights(pass, r, strip, from, bench->weight);
  if (pass->mixed) simd->fine_add(count, distance + from, &pass->pieces.table, bench->mixed);
  if (pass->pieces.count > 0 && inside > 0)
    simd->fine_moments(inside, distance + from, bench->weight, &pass->pieces.table,
                       strip->lane->moments);
  add_singles(pass, r, strip, from, distance + from, product + from);
  for (size_t t = 0; ask->value != NULL && t < ask->tasks; t++) {
    const double *alpha = ask->alpha + t * ask->support;
    if (alpha[r] != 0.0)
      simd->axpy(count, alpha[r], bench->mixed, bench->sum + t * MK_STRIP_COLS + from);
    if (inside > self)
      strip->lane->rows[t * pass->rows + r - pass->first] +=
          mk_long_dot(simd, inside - self, alpha + strip->start + from + self, bench->mixed + self);
  }
}

/* ---- strips ---- */

/* Adds a block's contributions to its samples to their values. */
static void settle_columns(const pass *pass, const strip *strip) {
  const mk_expansion *ask = pass->job->ask;
  for (size_t t = 0; ask->value != NULL && t < ask->tasks; t++) {
    double *sum = pass->bench[strip->thread].sum + t * MK_STRIP_COLS;
    for (size_t c = 0; c < strip->count; c++)
      mk_add_value(ask, t * ask->count + strip->start + c, sum[c]);
    memset(sum, 0, strip->count * sizeof *sum);
  }
}

static strip strip_at(const pass *pass, size_t k, int thread) {
  const mk_expansion *ask = pass->job->ask;
  size_t start = pass->start + k * pass->width;
  strip out = {.start = start, .count = mk_smaller(pass->width, ask->count - start)};
  out.cols = ask->sample + start;
  out.thread = thread;
  out.lane = &pass->lane[k];
  if (ask->forms != NULL && start < ask->support)
    out.inside = mk_smaller(ask->support - start, out.count);
  return out;
}

static mk_status expand_strip(void *data, size_t i, int thread) {
  const pass *pass = data;
  /* the last strips have the most rows and are taken first */
  strip strip = strip_at(pass, pass->used - 1 - i, thread);
  size_t end = pass->first + pass->rows;
  size_t number = strip.start / pass->width + pass->first / GROUP_ROWS;
  if (!mk_takes_block(pass->job->control, number)) return MK_OK;
  if (strip.start < pass->job->ask->support) end = mk_smaller(end, strip.start + strip.count);
  mk_pairs_strip(pass->pairs, thread, strip.cols, strip.count);
  for (size_t r = pass->first; r < end; r += MK_STRIP_ROWS) {
    size_t height = mk_smaller(end - r, MK_STRIP_ROWS);
    size_t from = r > strip.start ? r - strip.start : 0;
    const double *distance, *product;
    if (pass->serial) MK_TRY(mk_check(pass->job->control));
    MK_TRY(mk_pairs_block(pass->pairs, thread, r - pass->first, height, from, &distance, &product));
    for (size_t k = 0; k < height; k++) {
      expand_row(pass, r + k, &strip, distance + k * MK_STRIP_COLS, product + k * MK_STRIP_COLS);
      if ((k + 1) % MK_SUM_ROWS == 0 || k + 1 == height) settle_columns(pass, &strip);
    }
  }
  return MK_OK;
}

static void merge_rows(const pass *pass) {
  const mk_expansion *ask = pass->job->ask;
  for (size_t k = 0; ask->value != NULL && k < pass->used; k++) {
    double *rows = pass->lane[k].rows;
    for (size_t t = 0; t < ask->tasks; t++)
      for (size_t i = 0; i < pass->rows; i++)
        mk_add_value(ask, t * ask->count + pass->first + i, rows[t * pass->rows + i]);
    memset(rows, 0, pass->rows * ask->tasks * sizeof *rows);
  }
}

/* ---- groups ---- */

/* Returns the width of strips, smaller for few samples so that all threads get some. */
static size_t strip_width(const pass *pass, size_t samples) {
  if (pass->serial) return MK_STRIP_COLS;
  size_t width = (samples / (2 * pass->lanes) + MK_TILE_COLS) / MK_TILE_COLS * MK_TILE_COLS;
  return mk_smaller(width < 2 * MK_TILE_COLS ? 2 * MK_TILE_COLS : width, MK_STRIP_COLS);
}

static mk_status expand_group(pass *pass, mk_team *team) {
  const mk_expansion *ask = pass->job->ask;
  size_t begin = ask->forms != NULL ? pass->first : ask->support;
  pass->width = strip_width(pass, ask->count - begin);
  for (pass->start = begin; pass->start < ask->count; pass->start += pass->width * pass->lanes) {
    MK_TRY(mk_check(pass->job->control));
    size_t parts = (ask->count - pass->start + pass->width - 1) / pass->width;
    pass->used = mk_smaller(pass->lanes, parts);
    MK_TRY(mk_deal_out(pass->used, team, expand_strip, pass));
    merge_rows(pass);
  }
  return MK_OK;
}

static mk_status take_work_space(pass *pass, size_t threads) {
  const mk_expansion *ask = pass->job->ask;
  size_t rows = mk_smaller(GROUP_ROWS, ask->support) * ask->tasks;
  size_t terms = ask->forms != NULL ? pass->pieces.count * MK_PIECE_TERMS : 0;
  pass->lane = MK_TAKE0(&pass->pool, lane, pass->lanes);
  pass->bench = MK_TAKE0(&pass->pool, bench, threads);
  MK_TRY(mk_pool_status(&pass->pool));
  for (size_t k = 0; k < pass->lanes; k++) {
    pass->lane[k].rows = MK_TAKE0(&pass->pool, double, rows);
    pass->lane[k].forms = MK_TAKE0(&pass->pool, mk_sum, pass->singles);
    pass->lane[k].moments = MK_TAKE0(&pass->pool, double, terms);
  }
  for (size_t t = 0; t < threads; t++) {
    bench *bench = &pass->bench[t];
    bench->value = MK_TAKE(&pass->pool, double, MK_STRIP_COLS);
    bench->mixed = MK_TAKE(&pass->pool, double, MK_STRIP_COLS);
    bench->weight = MK_TAKE(&pass->pool, double, MK_STRIP_COLS);
    bench->sum = MK_TAKE0(&pass->pool, double, ask->tasks *MK_STRIP_COLS);
  }
  return mk_pool_status(&pass->pool);
}

static void read_forms(pass *pass) {
  const mk_expansion_job *job = pass->job;
  double *forms = job->ask->forms;
  for (size_t k = 0; k < pass->singles; k++) {
    mk_sum sum = {0.0, 0.0};
    for (size_t l = 0; l < pass->lanes; l++) {
      mk_sum_add(&sum, pass->lane[l].forms[k].value);
      mk_sum_add(&sum, pass->lane[l].forms[k].rest);
    }
    forms[pass->single[k].m] += mk_sum_total(&sum);
  }
  for (size_t l = 0; l < pass->lanes; l++) mk_pieces_collect(&pass->pieces, pass->lane[l].moments);
  for (size_t k = 0; k < pass->pieced_count; k++) {
    size_t m = (size_t)pass->pieced[k];
    if (mk_wants_form(job, m))
      forms[m] += mk_pieces_sum(&pass->pieces, job->set->simd, job->set->member[m].spec.width);
  }
}

/* Reports the share of all families' pairs that is done with the present group. */
static void tell_share(const pass *pass) {
  const mk_control *control = pass->job->control;
  const mk_expansion *ask = pass->job->ask;
  double support = (double)ask->support, end = (double)(pass->first + pass->rows);
  double others = (double)ask->count - (ask->forms != NULL ? 0.0 : support);
  double bend = ask->forms != NULL ? 0.5 : 0.0; /* forms need half of the square */
  double done = (others - bend * end) * end / ((others - bend * support) * support);
  double before = (double)(pass->family - pass->job->set->family);
  if (control->share != NULL)
    control->share(control->data, (before + done) / (double)pass->job->set->families);
}

static mk_status expand_groups(pass *pass) {
  const mk_expansion *ask = pass->job->ask;
  size_t f = (size_t)(pass->family - pass->job->set->family);
  pass->serial = mk_family_serial(pass->job->set, f);
  mk_team *team = pass->serial ? NULL : pass->job->control->team;
  int distances = pass->pieced_count > 0, products = 0;
  for (size_t k = 0; k < pass->singles; k++) {
    const mk_kind *kind = pass->job->set->member[pass->single[k].m].kind;
    distances |= kind->distances;
    products |= kind->products;
  }
  pass->lanes = (size_t)mk_team_size(team) * LANES_PER_THREAD;
  MK_TRY(take_work_space(pass, (size_t)mk_team_size(team)));
  mk_pairs_family(pass->pairs, f, distances, products);
  for (pass->first = 0; pass->first < ask->support; pass->first += GROUP_ROWS) {
    pass->rows = mk_smaller(ask->support - pass->first, GROUP_ROWS);
    MK_TRY(mk_pairs_group(pass->pairs, ask->sample + pass->first, pass->rows, team));
    MK_TRY(expand_group(pass, team));
    tell_share(pass);
  }
  if (ask->forms != NULL) read_forms(pass);
  return MK_OK;
}

/* Counts the roundings of a term. The sums of moments are the only long ones without compensation;
 * each lane, of which a thread has several, adds up its share of the pairs. */
static void count_roundings(const pass *pass) {
  mk_expansion_job *job = pass->job;
  double support = (double)job->ask->support, mixed = (double)(pass->singles + pass->pieced_count);
  double moments = 0.5 * support * support * PIECE_SHARE / LANES_PER_THREAD;
  double reach = mk_pairs_reach(pass->pairs);
  for (size_t k = 0; k < pass->family->count; k++) {
    size_t m = (size_t)pass->family->member[k];
    job->form_units[m] = mk_value_units(job->set, m, reach);
    job->value_units[m] = job->form_units[m] + mixed;
  }
  for (size_t k = 0; k < pass->pieced_count; k++) {
    job->value_units[pass->pieced[k]] += PIECE_UNITS;
    job->form_units[pass->pieced[k]] += PIECE_UNITS + mixed + moments;
  }
}

mk_status mk_expand_pairs(mk_expansion_job *job, size_t f, mk_pairs *pairs) {
  pass pass = {.job = job, .family = &job->set->family[f], .pairs = pairs};
  mk_status status = plan_pass(&pass);
  if (status == MK_OK && pass.singles + pass.pieced_count > 0) status = expand_groups(&pass);
  if (status == MK_OK) count_roundings(&pass);
  mk_pieces_free(&pass.pieces);
  mk_pool_free(&pass.pool);
  return status;
}
