/* Expansions family by family. The pairs of a family are taken up in groups of
 * rows (support vectors) against strips of columns; a strip is one thread's, and
 * what it adds to its rows goes to a lane of its own, merged in order: the result
 * depends on the number of threads by rounding only, and not on their timing. */
#include "expansion.h"

#include "base/memory.h"
#include "base/threads.h"
#include "expansion-internal.h"
#include "features.h"

#include <math.h>
#include <string.h>

#define GROUP_ROWS 4096    /* rows packed at a time */
#define LANES_PER_THREAD 4 /* strips of one round */
#define PIECE_UNITS 64.0   /* roundings of a value that comes from pieces, or of a sum of them */
#define CROWD 0.0625       /* of a lane's pairs whose distances share a piece, at most */

/* A kernel evaluated pair by pair. */
typedef struct single {
  size_t m;
  int rooted, form; /* divided by roots (and centred) pairwise; its form is wanted */
  double weight;
} single;

/* What one family asks of its pairs. */
typedef struct plan {
  mk_expansion_job *job;
  const mk_family *family;
  size_t f;
  single *single;
  size_t singles;
  int *pieced; /* kernels evaluated by pieces */
  size_t pieced_count;
  double *width, *number; /* of each of them; work space */
  int mixed;              /* the pieces hold a mixture, not only sums */
  mk_pieces pieces;       /* count 0: none */
  int distances, products;
} plan;

/* One thread's work space. */
typedef struct bench {
  mk_exact *exact;
  mk_tile_strip *strip;
  double *distance, *product;     /* MK_STRIP_ROWS x MK_STRIP_COLS */
  double *value, *mixed, *weight; /* MK_STRIP_COLS each */
  double *sum;                    /* tasks x MK_STRIP_COLS: what a block adds to its columns */
  double reach;                   /* the largest of tiles */
} bench;

/* What one strip of a round adds up. */
typedef struct lane {
  double *rows;    /* group x tasks */
  mk_sum *forms;   /* singles */
  double *moments; /* pieces x MK_PIECE_TERMS */
} lane;

/* Columns `start` .. `start + count` of the list; the first `inside` are support vectors. */
typedef struct strip {
  size_t start, count, inside;
  const int *cols;
} strip;

typedef struct pass {
  plan *plan;
  mk_tiles *tiles;    /* NULL: blocks come from mk_exact */
  size_t first, rows; /* the group: places of its support vectors */
  bench *bench;       /* one per thread */
  lane *lane;         /* one per strip of a round */
  size_t lanes;
  size_t start, width, used; /* the strips of the round */
} pass;

/* ---- plans ---- */

static int is_rooted(const mk_expansion_job *job, const mk_member *member) {
  return !job->ask->raw && member->root != NULL;
}

/* The smallest width that pieces can serve, beside the largest; 0 when singles are cheaper. */
static double narrowest_pieced(const plan *plan, double *widest) {
  const mk_expansion_job *job = plan->job;
  double narrowest = INFINITY, pairs = (double)job->ask->support * (double)job->ask->count;
  size_t count = 0;
  *widest = 0.0;
  for (size_t k = 0; k < plan->family->count; k++) {
    const mk_member *member = &job->set->member[plan->family->member[k]];
    if (member->spec.type == MK_GAUSSIAN) *widest = fmax(*widest, member->spec.width);
  }
  for (size_t k = 0; k < plan->family->count; k++) {
    size_t m = (size_t)plan->family->member[k];
    const mk_member *member = &job->set->member[m];
    if (member->spec.type != MK_GAUSSIAN || is_rooted(job, member) ||
        !mk_pieces_serve(member->spec.width, *widest))
      continue;
    if (mk_is_idle(job, m)) continue;
    narrowest = fmin(narrowest, member->spec.width);
    count++;
  }
  if (count < MK_PIECES_FEWEST) return 0.0;
  /* an expansion costs about as much as 4 values a piece and width, moments 16 a lane */
  double lanes = job->ask->forms != NULL ? (double)mk_team_size(job->control->team) : 0.0;
  lanes *= LANES_PER_THREAD;
  double expansions = (double)mk_widths_needed(count, narrowest, *widest);
  double work = (double)mk_pieces_needed(narrowest, *widest) * (4.0 * expansions + 16.0 * lanes);
  return work < 0.5 * pairs * (double)count ? narrowest : 0.0;
}

static void add_single(plan *plan, size_t m, int form) {
  const mk_member *member = &plan->job->set->member[m];
  plan->single[plan->singles++] =
      (single){m, is_rooted(plan->job, member), form, plan->job->weight[m]};
  if (mk_takes_distances(&member->spec))
    plan->distances = 1;
  else
    plan->products = 1;
}

/* The mixture of the pieced kernels that have weights; few of these go one by one. */
static void plan_mixture(plan *plan) {
  const mk_expansion_job *job = plan->job;
  size_t active = 0;
  for (size_t k = 0; k < plan->pieced_count; k++) {
    size_t m = (size_t)plan->pieced[k];
    if (job->weight[m] == 0.0) continue;
    plan->width[active] = job->set->member[m].spec.width;
    plan->number[active++] = job->weight[m];
  }
  plan->mixed = active >= MK_PIECES_FEWEST;
  if (plan->mixed) mk_widths_add(&plan->pieces, job->set->simd, active, plan->width, plan->number);
  for (size_t k = 0; !plan->mixed && k < plan->pieced_count; k++)
    if (job->weight[plan->pieced[k]] != 0.0) add_single(plan, (size_t)plan->pieced[k], 0);
}

static mk_status plan_pieces(plan *plan, double narrowest, double widest) {
  MK_TRY(mk_pieces_new(&plan->pieces, narrowest, widest));
  plan->width = MK_NEW(double, plan->pieced_count);
  plan->number = MK_NEW(double, plan->pieced_count);
  if (plan->width == NULL || plan->number == NULL) return MK_NO_MEMORY;
  plan->distances = 1;
  plan->job->ask->pieced += plan->pieced_count;
  plan_mixture(plan);
  return MK_OK;
}

static mk_status plan_family(plan *plan) {
  const mk_expansion_job *job = plan->job;
  double widest, narrowest = narrowest_pieced(plan, &widest);
  plan->single = MK_NEW(single, plan->family->count);
  plan->pieced = MK_NEW(int, plan->family->count);
  if (plan->single == NULL || plan->pieced == NULL) return MK_NO_MEMORY;
  for (size_t k = 0; k < plan->family->count; k++) {
    size_t m = (size_t)plan->family->member[k];
    const mk_member *member = &job->set->member[m];
    if (mk_expands_by_features(job, m)) continue;
    if (mk_is_idle(job, m)) continue;
    if (narrowest > 0.0 && member->spec.type == MK_GAUSSIAN && !is_rooted(job, member) &&
        member->spec.width >= narrowest)
      plan->pieced[plan->pieced_count++] = (int)m;
    else
      add_single(plan, m, mk_wants_form(job, m));
  }
  return plan->pieced_count > 0 ? plan_pieces(plan, narrowest, widest) : MK_OK;
}

static void plan_clear(plan *plan) {
  mk_free(plan->single);
  mk_free(plan->pieced);
  mk_free(plan->width);
  mk_free(plan->number);
  mk_pieces_free(&plan->pieces);
}

/* ---- one row of a strip ---- */

/* alpha_r alpha_c summed over tasks, twice where the pair stands for its mirror image. */
static void pair_weights(const plan *plan, size_t r, const strip *strip, size_t from,
                         double *weight) {
  const mk_expansion *ask = plan->job->ask;
  size_t inside = strip->inside - from;
  memset(weight, 0, inside * sizeof *weight);
  for (size_t t = 0; t < ask->tasks; t++) {
    const double *alpha = ask->alpha + t * ask->support;
    plan->job->set->simd->axpy(inside, 2.0 * alpha[r], alpha + strip->start + from, weight);
  }
  if (strip->start + from == r) weight[0] *= 0.5;
}

static void add_singles(const plan *plan, size_t r, const strip *strip, size_t from,
                        const double *distance, const double *product, bench *bench, lane *lane) {
  const mk_expansion *ask = plan->job->ask;
  const mk_simd *simd = plan->job->set->simd;
  size_t inside = strip->inside > from ? strip->inside - from : 0;
  for (size_t k = 0; k < plan->singles; k++) {
    const single *one = &plan->single[k];
    size_t form = one->form ? inside : 0, count = one->weight != 0.0 ? strip->count - from : form;
    if (count == 0) continue;
    mk_columns columns = mk_list(strip->cols + from, count);
    mk_pair_values(plan->job->set, one->m, ask->sample[r], &columns, distance, product,
                   bench->value);
    if (one->rooted)
      mk_plain_centre(&plan->job->set->member[one->m], ask->sample[r], count, strip->cols + from,
                      bench->value);
    if (one->weight != 0.0) simd->axpy(count, one->weight, bench->value, bench->mixed);
    if (form > 0) mk_sum_add(&lane->forms[k], mk_long_dot(simd, form, bench->weight, bench->value));
  }
}

/* Pairs left of the diagonal were the mirror images of an earlier strip's. */
static void expand_row(const pass *pass, size_t r, const strip *strip, const double *distance,
                       const double *product, bench *bench, lane *lane) {
  const plan *plan = pass->plan;
  const mk_expansion *ask = plan->job->ask;
  const mk_simd *simd = plan->job->set->simd;
  size_t from = r > strip->start ? r - strip->start : 0, count = strip->count - from;
  size_t inside = strip->inside > from ? strip->inside - from : 0;
  size_t self = inside > 0 && strip->start + from == r;
  memset(bench->mixed, 0, count * sizeof *bench->mixed);
  if (inside > 0) pair_weights(plan, r, strip, from, bench->weight);
  distance += from;
  product += from;
  if (plan->mixed) simd->fine_add(count, distance, &plan->pieces.table, bench->mixed);
  if (plan->pieces.count > 0 && inside > 0)
    simd->fine_moments(inside, distance, bench->weight, &plan->pieces.table, lane->moments);
  add_singles(plan, r, strip, from, distance, product, bench, lane);
  if (ask->value == NULL) return;
  for (size_t t = 0; t < ask->tasks; t++) {
    const double *alpha = ask->alpha + t * ask->support;
    if (alpha[r] != 0.0)
      simd->axpy(count, alpha[r], bench->mixed, bench->sum + t * MK_STRIP_COLS + from);
    if (inside > self)
      lane->rows[t * pass->rows + r - pass->first] +=
          mk_long_dot(simd, inside - self, alpha + strip->start + from + self, bench->mixed + self);
  }
}

/* ---- strips ---- */

static mk_status take_block(const pass *pass, size_t r, size_t height, const strip *strip,
                            bench *bench, const double **distance, const double **product) {
  const plan *plan = pass->plan;
  size_t from = r > strip->start ? r - strip->start : 0;
  if (pass->tiles != NULL) {
    mk_tiles_block(pass->tiles, bench->strip, r - pass->first, height, from,
                   plan->distances ? bench->distance : NULL,
                   plan->products ? bench->product : NULL);
    *distance = bench->distance;
    *product = bench->product;
    return MK_OK;
  }
  mk_columns columns = mk_list(strip->cols, strip->count);
  MK_TRY(mk_exact_block(bench->exact, plan->f, plan->job->ask->sample + r, height, &columns));
  *distance = mk_exact_distances(bench->exact);
  *product = mk_exact_products(bench->exact);
  return MK_OK;
}

/* What a block of rows has added to its columns goes to their values. */
static void settle_columns(const mk_expansion *ask, const strip *strip, bench *bench) {
  for (size_t t = 0; ask->value != NULL && t < ask->tasks; t++) {
    double *sum = bench->sum + t * MK_STRIP_COLS;
    for (size_t c = 0; c < strip->count; c++)
      mk_add_value(ask, t * ask->count + strip->start + c, sum[c]);
    memset(sum, 0, strip->count * sizeof *sum);
  }
}

static mk_status expand_strip(const pass *pass, const strip *strip, bench *bench, lane *lane) {
  const mk_expansion *ask = pass->plan->job->ask;
  size_t end = mk_smaller(pass->first + pass->rows, strip->start + strip->count);
  if (strip->start >= ask->support) end = pass->first + pass->rows;
  if (pass->tiles != NULL) {
    mk_tile_strip_pack(pass->tiles, bench->strip, strip->cols, strip->count);
    bench->reach = fmax(bench->reach, mk_tiles_reach(pass->tiles, bench->strip));
  }
  for (size_t r = pass->first; r < end; r += MK_STRIP_ROWS) {
    size_t height = mk_smaller(end - r, MK_STRIP_ROWS);
    const double *distance, *product;
    MK_TRY(take_block(pass, r, height, strip, bench, &distance, &product));
    for (size_t i = 0; i < height; i++) {
      expand_row(pass, r + i, strip, distance + i * MK_STRIP_COLS, product + i * MK_STRIP_COLS,
                 bench, lane);
      if ((i + 1) % MK_SUM_ROWS == 0 || i + 1 == height) settle_columns(ask, strip, bench);
    }
  }
  return MK_OK;
}

static strip strip_at(const mk_expansion *ask, size_t start, size_t width) {
  strip out = {.start = start, .count = mk_smaller(width, ask->count - start)};
  out.cols = ask->sample + start;
  if (ask->forms != NULL && start < ask->support)
    out.inside = mk_smaller(ask->support - start, out.count);
  return out;
}

/* Narrower strips where there are few columns, so that all threads get some. */
static size_t strip_width(size_t columns, size_t lanes) {
  size_t width = (columns / (2 * lanes) + MK_TILE_COLS) / MK_TILE_COLS * MK_TILE_COLS;
  return mk_smaller(width < 2 * MK_TILE_COLS ? 2 * MK_TILE_COLS : width, MK_STRIP_COLS);
}

static void merge_rows(pass *pass) {
  const mk_expansion *ask = pass->plan->job->ask;
  for (size_t k = 0; ask->value != NULL && k < pass->used; k++) {
    lane *lane = &pass->lane[k];
    for (size_t t = 0; t < ask->tasks; t++)
      for (size_t i = 0; i < pass->rows; i++)
        mk_add_value(ask, t * ask->count + pass->first + i, lane->rows[t * pass->rows + i]);
    memset(lane->rows, 0, pass->rows * ask->tasks * sizeof *lane->rows);
  }
}

static mk_status expand_part(void *data, size_t i, int thread) {
  const pass *pass = data;
  size_t k = pass->used - 1 - i; /* the last ones meet the most rows: those first */
  strip part = strip_at(pass->plan->job->ask, pass->start + k * pass->width, pass->width);
  return expand_strip(pass, &part, &pass->bench[thread], &pass->lane[k]);
}

static mk_status expand_group(pass *pass, mk_team *team) {
  const mk_expansion_job *job = pass->plan->job;
  size_t begin = job->ask->forms != NULL ? pass->first : job->ask->support;
  pass->width = strip_width(job->ask->count - begin, pass->lanes);
  for (pass->start = begin; pass->start < job->ask->count;
       pass->start += pass->width * pass->lanes) {
    MK_TRY(mk_check(job->control));
    size_t parts = (job->ask->count - pass->start + pass->width - 1) / pass->width;
    pass->used = mk_smaller(pass->lanes, parts);
    MK_TRY(mk_deal_out(pass->used, team, expand_part, pass));
    merge_rows(pass);
  }
  return MK_OK;
}

/* ---- work space ---- */

static mk_status bench_new(bench *bench, const mk_kernel_set *set, size_t tasks) {
  size_t block = (size_t)MK_STRIP_ROWS * MK_STRIP_COLS;
  bench->distance = MK_NEW(double, 2 * block);
  bench->value = MK_NEW(double, 3 * MK_STRIP_COLS);
  bench->sum = MK_NEW0(double, tasks *MK_STRIP_COLS);
  bench->exact = mk_exact_new(set);
  if (bench->distance == NULL || bench->value == NULL || bench->sum == NULL || bench->exact == NULL)
    return MK_NO_MEMORY;
  bench->product = bench->distance + block;
  bench->mixed = bench->value + MK_STRIP_COLS;
  bench->weight = bench->mixed + MK_STRIP_COLS;
  return MK_OK;
}

static void bench_clear(bench *bench) {
  mk_free(bench->distance);
  mk_free(bench->value);
  mk_free(bench->sum);
  mk_exact_free(bench->exact);
}

static mk_status lane_new(lane *lane, const plan *plan) {
  const mk_expansion *ask = plan->job->ask;
  lane->rows = MK_NEW0(double, mk_smaller(GROUP_ROWS, ask->support) * ask->tasks);
  lane->forms = MK_NEW0(mk_sum, plan->singles + 1);
  lane->moments =
      MK_NEW0(double, (ask->forms != NULL ? plan->pieces.count : 0) * MK_PIECE_TERMS + 1);
  return lane->rows == NULL || lane->forms == NULL || lane->moments == NULL ? MK_NO_MEMORY : MK_OK;
}

static void lane_clear(lane *lane) {
  mk_free(lane->rows);
  mk_free(lane->forms);
  mk_free(lane->moments);
}

/* ---- families ---- */

static void read_pieces(const pass *pass) {
  plan *plan = pass->plan;
  const mk_expansion_job *job = plan->job;
  size_t wanted = 0;
  for (size_t k = 0; k < pass->lanes; k++) mk_pieces_collect(&plan->pieces, pass->lane[k].moments);
  for (size_t k = 0; k < plan->pieced_count; k++) {
    if (!mk_wants_form(job, (size_t)plan->pieced[k])) continue;
    plan->width[wanted++] = job->set->member[plan->pieced[k]].spec.width;
  }
  if (wanted == 0) return;
  mk_widths_sum(&plan->pieces, job->set->simd, wanted, plan->width, plan->number);
  for (size_t k = plan->pieced_count; k-- > 0;)
    if (mk_wants_form(job, (size_t)plan->pieced[k]))
      job->ask->forms[plan->pieced[k]] += plan->number[--wanted];
}

static void read_forms(const pass *pass) {
  const plan *plan = pass->plan;
  double *forms = plan->job->ask->forms;
  for (size_t k = 0; k < plan->singles; k++) {
    mk_sum sum = {0.0, 0.0};
    for (size_t l = 0; l < pass->lanes; l++) {
      mk_sum_add(&sum, pass->lane[l].forms[k].value);
      mk_sum_add(&sum, pass->lane[l].forms[k].rest);
    }
    forms[plan->single[k].m] += mk_sum_total(&sum);
  }
  if (plan->pieces.count > 0) read_pieces(pass);
}

static mk_status expand_groups(pass *pass, mk_team *team) {
  int threads = mk_team_size(team);
  const plan *plan = pass->plan;
  const mk_expansion *ask = plan->job->ask;
  mk_status status = MK_OK;
  for (pass->first = 0; status == MK_OK && pass->first < ask->support; pass->first += GROUP_ROWS) {
    pass->rows = mk_smaller(ask->support - pass->first, GROUP_ROWS);
    if (mk_tiles_suit(plan->family))
      status = mk_tiles_new(&pass->tiles, plan->job->set, plan->family, ask->sample + pass->first,
                            pass->rows, plan->distances, team);
    for (int t = 0; status == MK_OK && pass->tiles != NULL && t < threads; t++)
      if ((pass->bench[t].strip = mk_tile_strip_new(pass->tiles)) == NULL) status = MK_NO_MEMORY;
    if (status == MK_OK) status = expand_group(pass, team);
    for (int t = 0; t < threads; t++) {
      mk_tile_strip_free(pass->bench[t].strip);
      pass->bench[t].strip = NULL;
    }
    mk_tiles_free(pass->tiles);
    pass->tiles = NULL;
  }
  return status;
}

static mk_status expand_pairs(plan *plan, bench *bench) {
  mk_team *team = plan->family->type == MK_FAMILY_CALLBACK ? NULL : plan->job->control->team;
  pass pass = {
      .plan = plan, .bench = bench, .lanes = (size_t)mk_team_size(team) * LANES_PER_THREAD};
  pass.lane = MK_NEW0(lane, pass.lanes);
  mk_status status = pass.lane == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t k = 0; status == MK_OK && k < pass.lanes; k++) status = lane_new(&pass.lane[k], plan);
  if (status == MK_OK) status = expand_groups(&pass, team);
  if (status == MK_OK && plan->job->ask->forms != NULL) read_forms(&pass);
  for (size_t k = 0; pass.lane != NULL && k < pass.lanes; k++) lane_clear(&pass.lane[k]);
  mk_free(pass.lane);
  return status;
}

/* Sums of moments are the only long ones that are not compensated: a lane, of which each thread has
 * several, adds up its share of the pairs. */
static void count_roundings(const plan *plan, const bench *bench) {
  mk_expansion_job *job = plan->job;
  double support = (double)job->ask->support, mixed = (double)(plan->singles + plan->pieced_count);
  double moments = 0.5 * support * support * CROWD / LANES_PER_THREAD, reach = 0.0;
  for (int t = 0; t < mk_team_size(job->control->team); t++) {
    reach = fmax(reach, bench[t].reach);
    reach = fmax(reach, mk_exact_reach(bench[t].exact));
  }
  for (size_t k = 0; k < plan->family->count; k++) {
    size_t m = (size_t)plan->family->member[k];
    double units = mk_value_units(job, m, reach);
    job->value_units[m] = units + mixed;
    job->form_units[m] = units;
  }
  for (size_t k = 0; k < plan->pieced_count; k++) {
    size_t m = (size_t)plan->pieced[k];
    job->value_units[m] += PIECE_UNITS;
    job->form_units[m] += PIECE_UNITS + mixed + moments;
  }
}

static mk_status expand_by_pairs(mk_expansion_job *job, size_t f, bench *bench) {
  plan plan = {.job = job, .family = &job->set->family[f], .f = f};
  for (int t = 0; t < mk_team_size(job->control->team); t++) bench[t].reach = 0.0;
  mk_status status = plan_family(&plan);
  if (status == MK_OK && plan.singles + plan.pieced_count > 0) status = expand_pairs(&plan, bench);
  if (status == MK_OK) count_roundings(&plan, bench);
  plan_clear(&plan);
  return status;
}

static mk_status expand_merged(mk_expansion_job *job, size_t f, bench *bench) {
  mk_expansion *whole = job->ask;
  mk_merged merged;
  mk_status status = mk_merge(&merged, whole, &job->set->family[f]);
  int pays = status == MK_OK && mk_merge_pays(&merged);
  if (pays) job->ask = &merged.part;
  if (status == MK_OK) status = expand_by_pairs(job, f, bench);
  job->ask = whole;
  if (pays && status == MK_OK) mk_merge_spread(&merged);
  if (pays) whole->pieced = merged.part.pieced;
  mk_merge_clear(&merged);
  return status;
}

/* They answer for all samples at once, by columns. */
static mk_status expand_feature_blocks(const mk_expansion_job *job) {
  const mk_expansion *ask = job->ask;
  if (ask->theta == NULL && (ask->raw || ask->forms == NULL)) return MK_OK; /* constants: none */
  size_t n = job->set->n;
  double *decision = MK_NEW0(double, n * ask->tasks);
  if (decision == NULL) return MK_NO_MEMORY;
  double *slack = MK_NEW0(double, ask->tasks);
  mk_exact_ask features = {.set = job->set,
                           .theta = ask->theta,
                           .alpha = job->alpha,
                           .tasks = ask->tasks,
                           .level = ask->level,
                           .decision = decision,
                           .forms = ask->forms,
                           .slack = slack,
                           .form_slack = ask->form_slack,
                           .reach = ask->reach};
  mk_status status = slack == NULL ? MK_NO_MEMORY : mk_exact_features(&features, job->control);
  for (size_t i = 0; status == MK_OK && ask->value_slack != NULL && i < ask->count * ask->tasks;
       i++)
    ask->value_slack[i] += slack[i / ask->count];
  for (size_t t = 0; status == MK_OK && ask->value != NULL && t < ask->tasks; t++)
    for (size_t k = 0; k < ask->count; k++)
      mk_add_value(ask, t * ask->count + k, decision[t * n + (size_t)ask->sample[k]]);
  mk_free(slack);
  mk_free(decision);
  return status;
}

static int pairs_are_idle(const mk_expansion_job *job, const mk_family *family) {
  for (size_t k = 0; k < family->count; k++)
    if (!mk_is_idle(job, (size_t)family->member[k]) &&
        !mk_expands_by_features(job, (size_t)family->member[k]))
      return 0;
  return 1;
}

static mk_status expand_family(mk_expansion_job *job, size_t f, bench *bench) {
  const mk_family *family = &job->set->family[f];
  if (family->type == MK_FAMILY_MATRICES) return mk_expand_matrices(job, family);
  if (family->type == MK_FAMILY_FEATURES) return MK_OK; /* all at once, later */
  if (family->type == MK_FAMILY_EUCLIDEAN) MK_TRY(mk_expand_features(job, family));
  if (family->local != NULL) MK_TRY(mk_expand_local(job, family));
  if (job->ask->support == 0 || pairs_are_idle(job, family)) return MK_OK;
  return mk_merge_suits(job, family) ? expand_merged(job, f, bench)
                                     : expand_by_pairs(job, f, bench);
}

/* 1: forms of a few Gaussians, for which pieces would be dearer. */
static int is_small(mk_expansion_job *job, size_t f) {
  plan plan = {.job = job, .family = &job->set->family[f], .f = f};
  double widest;
  return mk_small_suits(job, plan.family) && narrowest_pieced(&plan, &widest) == 0.0;
}

/* The small ones, then the others one after another. */
static mk_status expand_families(mk_expansion_job *job, bench *bench) {
  size_t families = job->set->families, smalls = 0;
  size_t *small = MK_NEW(size_t, families);
  mk_status status = small == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t f = 0; status == MK_OK && f < families; f++) {
    if (is_small(job, f))
      small[smalls++] = f;
    else
      status = expand_family(job, f, bench);
  }
  if (status == MK_OK) status = mk_expand_small(job, small, smalls);
  mk_free(small);
  return status;
}

/* ---- all ---- */

static mk_status prepare(mk_expansion_job *job) {
  const mk_expansion *ask = job->ask;
  size_t n = job->set->n, kernels = job->set->kernels;
  job->weight = MK_NEW0(double, kernels);
  job->alpha = MK_NEW0(double, n * ask->tasks);
  job->value_units = MK_NEW0(double, 2 * kernels);
  job->form_units = job->value_units + kernels;
  if (job->weight == NULL || job->alpha == NULL || job->value_units == NULL) return MK_NO_MEMORY;
  if (ask->value != NULL && (job->ask->rest = MK_NEW0(double, ask->count * ask->tasks)) == NULL)
    return MK_NO_MEMORY;
  for (size_t m = 0; ask->theta != NULL && m < kernels; m++)
    job->weight[m] = ask->theta[m] * (ask->raw ? 1.0 : job->set->member[m].scale);
  for (size_t t = 0; t < ask->tasks; t++)
    for (size_t i = 0; i < ask->support; i++)
      job->alpha[t * n + (size_t)ask->sample[i]] = ask->alpha[t * ask->support + i];
  if (ask->value != NULL) memset(ask->value, 0, ask->count * ask->tasks * sizeof(double));
  if (ask->forms != NULL) memset(ask->forms, 0, kernels * sizeof(double));
  if (ask->value_slack != NULL)
    memset(ask->value_slack, 0, ask->count * ask->tasks * sizeof(double));
  if (ask->form_slack != NULL) memset(ask->form_slack, 0, kernels * sizeof(double));
  if (ask->reach != NULL) memset(ask->reach, 0, kernels * sizeof(double));
  return MK_OK;
}

/* Compensated sums become values, each by a last rounding. */
static void finish(mk_expansion *ask, mk_status status) {
  for (size_t i = 0; status == MK_OK && ask->value != NULL && i < ask->count * ask->tasks; i++) {
    ask->value[i] += ask->rest[i];
    if (ask->value_slack != NULL) ask->value_slack[i] += MK_UNIT * fabs(ask->value[i]);
  }
  mk_free(ask->rest);
  ask->rest = NULL;
}

static int visits_most_pairs(const mk_expansion *ask) {
  double n = (double)mk_set_samples(ask->set), support = (double)ask->support;
  double beside = (double)ask->count - (ask->forms != NULL ? 0.5 : 1.0) * support;
  return support * beside >= 0.4 * n * n;
}

mk_status mk_expand(mk_expansion *expansion, const mk_control *control) {
  mk_expansion_job job = {.ask = expansion, .control = control, .set = expansion->set};
  size_t threads = (size_t)mk_team_size(control->team);
  bench *bench = MK_NEW0(struct bench, threads);
  expansion->rest = NULL;
  expansion->pieced = 0;
  mk_status status = bench == NULL ? MK_NO_MEMORY : prepare(&job);
  if (status == MK_OK && visits_most_pairs(expansion)) status = mk_geometry_need(job.set, control);
  for (size_t t = 0; status == MK_OK && t < threads; t++)
    status = bench_new(&bench[t], job.set, expansion->tasks);
  if (status == MK_OK) status = expand_families(&job, bench);
  if (status == MK_OK && !expansion->raw) status = mk_expand_centring(&job);
  for (size_t t = 0; status == MK_OK && t < threads; t++)
    job.largest = fmax(job.largest, mk_exact_largest(bench[t].exact));
  if (status == MK_OK && job.set->features != NULL) status = expand_feature_blocks(&job);
  if (status == MK_OK) status = mk_expand_rounding(&job);
  finish(expansion, status);
  for (size_t t = 0; bench != NULL && t < threads; t++) bench_clear(&bench[t]);
  mk_free(bench);
  mk_free(job.value_units);
  mk_free(job.weight);
  mk_free(job.alpha);
  return status;
}
