/* Rows of K_theta, and single kernels, from base values. The row providers (gram-*.c) compile a
 * theta and then evaluate family by family. MATHEMATICS.md, section 1. */
#include "rows/mixture.h"

#include "base/mechanisms.h"
#include "base/memory.h"
#include "kernel/geometry.h"
#include "rows/column-model.h"
#include "rows/column-store.h"
#include "rows/local-rows.h"
#include "rows/table.h"

#include <string.h>

struct mk_mixture {
  const mk_kernel_set *set;
  int single;
  double *weight;       /* M: theta_m * scale_m */
  mk_table *table;      /* one per family; pieces = 0 if nothing is tabled */
  double *table_weight; /* weights of a family's tables */
  double *coef;         /* coefficients of the tables */
  float *coarse;        /* coefficients for rows of floats; NULL for doubles */
  int *listed;          /* members evaluated one by one, by family */
  size_t *listed_from;  /* families + 1: offsets into `listed` */
  double *shift;        /* n: sum_m weight_m mean_m(i) of centred kernels without roots, or NULL */
  double constant;      /* sum of the same kernels' weighted totals */
  mk_local_mix *local;  /* by family */
  mk_pool pool;
  /* feature blocks */
  mk_column_weights all, former; /* present column weights; those for which the model was chosen */
  mk_column_model *model;
  size_t limit;
  int stale; /* 1 if the model must be chosen anew */
};

#define COARSE_NUMBERS (MK_PIECE_TERMS * MK_COARSE_PIECES)
#define MOST_DRIFT 0.2 /* share of the mixture that may change before the model is chosen anew */

const double *mk_family_products(const mk_kernel_set *set, size_t f, int row,
                                 const mk_samples *others, const double *base, double *out) {
  const double *half = set->family[f].raw_half_square;
  if (base == NULL || half == NULL) return base;
  const int *index = others->index;
  double own = half[row];
  if (index == NULL) half += others->start;
  for (size_t c = 0; c < others->count; c++)
    out[c] = own + half[index != NULL ? (size_t)index[c] : c] - 0.5 * base[c];
  return out;
}

void mk_member_values(const mk_kernel_set *set, size_t m, int row, const mk_samples *others,
                      const double *base, const double *product, double *out) {
  const mk_member *member = &set->member[m];
  size_t count = others->count;
  mk_plain_values(set, m, row, others, base, product, out);
  if (member->mean != NULL) {
    double own = member->total - member->mean[row];
    for (size_t c = 0; c < count; c++) out[c] += own - member->mean[mk_sample(others, c)];
  }
  double scale = member->scale;
  if (member->root != NULL) {
    scale *= member->root[row];
    for (size_t c = 0; c < count; c++) out[c] *= scale * member->root[mk_sample(others, c)];
  } else if (scale != 1.0) {
    for (size_t c = 0; c < count; c++) out[c] *= scale;
  }
}

mk_status mk_set_settle(const mk_kernel_set *set, const mk_control *control) {
  MK_TRY(mk_table_need(set));
  return mk_geometry_need(set, control);
}

/* ---- a mixture's life ---- */

static int any_shifted(const mk_kernel_set *set) {
  for (size_t m = 0; m < set->kernels; m++)
    if (set->member[m].mean != NULL && set->member[m].root == NULL) return 1;
  return 0;
}

static mk_status open_mixture(mk_mixture *mixture, const mk_kernel_set *set, int single) {
  mk_pool *pool = &mixture->pool;
  size_t length = 0, tables = 0;
  MK_TRY(mk_table_need(set));
  for (size_t f = 0; f < set->families; f++) {
    const mk_family_tables *own = mk_tables_of(&set->family[f]);
    length += (size_t)own->pieces * MK_PIECE_TERMS;
    if (own->tables > tables) tables = own->tables;
  }
  mixture->set = set;
  mixture->single = single;
  mixture->weight = MK_TAKE0(pool, double, set->kernels);
  mixture->table = MK_TAKE0(pool, mk_table, set->families);
  mixture->table_weight = MK_TAKE(pool, double, tables);
  mixture->coef = MK_TAKE0(pool, double, length);
  if (MK_WITH_COARSE_TABLES && single)
    mixture->coarse = MK_TAKE(pool, float, set->families *COARSE_NUMBERS);
  mixture->listed = MK_TAKE(pool, int, set->kernels);
  mixture->listed_from = MK_TAKE0(pool, size_t, set->families + 1);
  mixture->local = MK_TAKE0(pool, mk_local_mix, set->families);
  if (any_shifted(set)) mixture->shift = MK_TAKE0(pool, double, set->n);
  MK_TRY(mk_pool_status(pool));
  for (size_t f = 0; f < set->families; f++)
    if (set->family[f].local != NULL)
      MK_TRY(mk_local_mix_new(&mixture->local[f], set, set->family[f].local, single, pool));
  if (set->features == NULL) return MK_OK;
  mixture->stale = 1;
  mixture->limit = set->features->ids * 2;
  MK_TRY(mk_column_weights_new(&mixture->all, set));
  MK_TRY(mk_column_weights_new(&mixture->former, set));
  return mk_column_model_new(&mixture->model, set);
}

mk_mixture *mk_mixture_new(const mk_kernel_set *set, int single) {
  mk_mixture *mixture = MK_NEW0(mk_mixture, 1);
  if (mixture == NULL || open_mixture(mixture, set, single) == MK_OK) return mixture;
  mk_mixture_free(mixture);
  return NULL;
}

void mk_mixture_free(mk_mixture *mixture) {
  if (mixture == NULL) return;
  mk_column_weights_clear(&mixture->all);
  mk_column_weights_clear(&mixture->former);
  mk_column_model_free(mixture->model);
  mk_pool_free(&mixture->pool);
  mk_free(mixture);
}

/* ---- compiling ---- */

static void compile_family(mk_mixture *mixture, size_t f, double *coef, size_t *listed) {
  const mk_kernel_set *set = mixture->set;
  const mk_family *family = &set->family[f];
  const mk_family_tables *own = mk_tables_of(family);
  size_t length = (size_t)own->pieces * MK_PIECE_TERMS;
  mixture->table[f] = (mk_table){.inv_sigma = own->inv_sigma, .u_max = own->u_max, .coef = coef};
  if (mk_family_has_blocks(family)) return;
  for (size_t k = 0; k < family->count; k++) {
    int m = family->member[k];
    if (mixture->weight[m] != 0.0 && set->member[m].tabled < 0 && !mk_goes_by_slot(&set->member[m]))
      mixture->listed[(*listed)++] = m;
  }
  if (family->local != NULL)
    mk_local_mix_fill(&mixture->local[f], set, family->local, mixture->weight);
  mk_table_weights(set, own, mixture->weight, mixture->table_weight);
  for (size_t j = 0; j < own->tables; j++) {
    if (mixture->table_weight[j] == 0.0) continue;
    if (mixture->table[f].pieces == 0) memset(coef, 0, length * sizeof *coef);
    set->simd->axpy(length, mixture->table_weight[j], own->basis + j * length, coef);
    mixture->table[f].pieces = own->pieces;
  }
  if (mixture->coarse != NULL && mixture->table[f].pieces > 0)
    mk_table_coarsen(set, &mixture->table[f], mixture->coarse + f * COARSE_NUMBERS);
}

static void compile_shift(mk_mixture *mixture) {
  const mk_kernel_set *set = mixture->set;
  if (mixture->shift == NULL) return;
  memset(mixture->shift, 0, set->n * sizeof *mixture->shift);
  mixture->constant = 0.0;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (member->mean == NULL || member->root != NULL || mixture->weight[m] == 0.0) continue;
    if (member->family == set->matrices) continue; /* mk_matrices_centre() handles it */
    mixture->constant += mixture->weight[m] * member->total;
    set->simd->axpy(set->n, mixture->weight[m], member->mean, mixture->shift);
  }
}

static void copy_weights(const mk_column_weights *from, const mk_column_weights *to, size_t ids) {
  memcpy(to->plain, from->plain, ids * sizeof(double));
  if (from->centred != NULL) memcpy(to->centred, from->centred, ids * sizeof(double));
}

/* Returns 1 if the model was chosen anew, which invalidates rows. */
static int compile_features(mk_mixture *mixture, const double *theta) {
  const mk_kernel_set *set = mixture->set;
  mk_column_weights_fill(&mixture->all, set, theta);
  int alone = set->families == 1 && mk_mixture_is_model(mixture);
  double drift = mk_column_model_drift(mixture->model, &mixture->all, &mixture->former);
  int anew = mixture->stale || !alone || drift > MOST_DRIFT;
  if (anew) {
    mk_column_model_choose(mixture->model, &mixture->all, mixture->limit);
    copy_weights(&mixture->all, &mixture->former, set->features->ids);
    mixture->stale = 0;
  }
  return anew;
}

int mk_mixture_compile(mk_mixture *mixture, const double *theta) {
  const mk_kernel_set *set = mixture->set;
  for (size_t m = 0; m < set->kernels; m++) mixture->weight[m] = theta[m] * set->member[m].scale;
  double *coef = mixture->coef;
  size_t listed = 0;
  for (size_t f = 0; f < set->families; f++) {
    mixture->listed_from[f] = listed;
    compile_family(mixture, f, coef, &listed);
    coef += (size_t)mk_tables_of(&set->family[f])->pieces * MK_PIECE_TERMS;
  }
  mixture->listed_from[set->families] = listed;
  compile_shift(mixture);
  return set->features == NULL || compile_features(mixture, theta);
}

void mk_mixture_limit(mk_mixture *mixture, size_t columns) {
  if (mixture->limit != columns) mixture->stale = 1;
  mixture->limit = columns;
}

size_t mk_mixture_bytes(const mk_mixture *mixture) {
  size_t model = mixture->model == NULL ? 0 : mk_column_model_bytes(mixture->model);
  return mixture->pool.bytes + model;
}

int mk_mixture_is_model(const mk_mixture *mixture) {
  return mixture->model != NULL && !mk_column_model_exact(mixture->model);
}

const mk_column_weights *mk_mixture_column_weights(const mk_mixture *mixture) {
  return &mixture->all;
}

mk_status mk_mixture_store(mk_mixture *mixture, const int *samples, size_t count,
                           mk_scratch *scratch, const mk_control *control) {
  return mk_column_model_store(mixture->model, samples, count, scratch, control);
}

const double *mk_mixture_stored(const mk_mixture *mixture) {
  return mk_column_model_stored(mixture->model);
}

void mk_mixture_learn(mk_mixture *mixture, const double *way, const double *truth,
                      double *scratch) {
  mk_column_model_learn(mixture->model, way, truth, scratch);
}

void mk_mixture_block(const mk_mixture *mixture, const int *rows, size_t row_count,
                      const mk_samples *others, mk_row out, size_t ld, mk_scratch *scratch) {
  double *wide = out.single ? scratch->block : out.at, value[MK_BLOCK_COLS];
  mk_column_model_block(mixture->model, 1, rows, row_count, others, wide, ld, scratch);
  for (size_t r = 0; out.single && r < row_count; r++) { /* in place, since floats need less room */
    memcpy(value, wide + r * ld, others->count * sizeof *value);
    mk_row_store(mk_row_from(out, r * ld), value, others->count);
  }
}

const double *mk_mixture_weights(const mk_mixture *mixture) {
  return mixture->weight;
}

/* Adds members without a table, at most MK_BLOCK_COLS others. */
static void add_listed(const mk_mixture *mixture, size_t f, int row, const mk_samples *others,
                       mk_row base, mk_row out, mk_scratch *scratch) {
  const mk_kernel_set *set = mixture->set;
  const mk_row_loops *loops = &set->simd->rows[out.single];
  double *value = scratch->row[2];
  const double *wide = NULL, *product = NULL;
  for (size_t k = mixture->listed_from[f]; k < mixture->listed_from[f + 1]; k++) {
    int m = mixture->listed[k];
    const mk_member *member = &set->member[m];
    double weight = mixture->weight[m];
    if (member->root == NULL && mk_member_is_gaussian(member)) {
      loops->exp_add(others->count, base.at, 1.0 / member->spec.width, weight, out.at);
      continue;
    }
    if (wide == NULL && base.at != NULL) {
      wide = mk_row_doubles(base, others->count, scratch->wide);
      product = mk_family_products(set, f, row, others, wide, scratch->row[1]);
    }
    if (member->root != NULL) {
      weight /= member->scale;
      mk_member_values(set, (size_t)m, row, others, wide, product, value);
    } else {
      mk_plain_values(set, (size_t)m, row, others, wide, product, value);
    }
    loops->add(others->count, weight, value, out.at);
  }
}

void mk_mixture_add(const mk_mixture *mixture, size_t f, int row, const mk_samples *others,
                    mk_row base, mk_row out, mk_scratch *scratch) {
  const mk_table *table = &mixture->table[f];
  size_t count = others->count;
  int fresh = f == 0;
  if (fresh && table->pieces == 0) mk_row_clear(out, count);
  if (mk_family_has_blocks(&mixture->set->family[f])) {
    if (base.at != NULL) mk_row_add(out, base, count);
    return;
  }
  if (f == mixture->set->matrices) return; /* mk_matrices_mix() handles it */
  if (table->pieces > 0)
    mixture->set->simd->rows[out.single].table_add(count, base.at, table, fresh, out.at);
  if (mixture->local[f].padded > 0)
    mk_local_add(mixture->set, &mixture->local[f], row, others, base, out, scratch);
  if (mixture->listed_from[f] == mixture->listed_from[f + 1]) return;
  for (size_t from = 0; from < count; from += MK_BLOCK_COLS) {
    mk_samples part = mk_part(others, from, mk_smaller(count - from, MK_BLOCK_COLS));
    add_listed(mixture, f, row, &part, mk_row_from(base, from), mk_row_from(out, from), scratch);
  }
}

void mk_mixture_centre(const mk_mixture *mixture, int row, const mk_samples *others, mk_row out,
                       mk_scratch *scratch) {
  if (mixture->shift == NULL) return;
  double own = mixture->constant - mixture->shift[row], *value = scratch->row[2];
  for (size_t from = 0; from < others->count; from += MK_BLOCK_COLS) {
    size_t width = mk_smaller(others->count - from, MK_BLOCK_COLS);
    for (size_t c = 0; c < width; c++) value[c] = own - mixture->shift[mk_sample(others, from + c)];
    mixture->set->simd->rows[out.single].add(width, 1.0, value, mk_row_from(out, from).at);
  }
}

/* Returns the part of the diagonal that all samples share: of spherical kernels (scale), and of
 * kinds with unit diagonal. */
static double constant_diagonal(const mk_mixture *mixture) {
  double sum = 0.0;
  for (size_t m = 0; m < mixture->set->kernels; m++) {
    const mk_member *member = &mixture->set->member[m];
    if (member->root != NULL || member->kind->unit_diagonal) sum += mixture->weight[m];
  }
  return sum;
}

static void add_member_diagonal(const mk_mixture *mixture, size_t m, const int *rows, size_t count,
                                double *out) {
  const mk_kernel_set *set = mixture->set;
  const mk_member *member = &set->member[m];
  /* for the others in `shift` */
  const double *mean = member->family == set->matrices ? member->mean : NULL;
  for (size_t r = 0; member->diagonal != NULL && r < count; r++) {
    double centre = mean != NULL ? member->total - 2.0 * mean[rows[r]] : 0.0;
    out[r] += mixture->weight[m] * (member->diagonal[rows[r]] + centre);
  }
  for (size_t r = 0; member->diagonal == NULL && r < count; r++) {
    mk_samples self = mk_list(&rows[r], 1);
    const double itself = 0.0; /* the distance of a sample from itself */
    double value, square;
    const double *product =
        mk_family_products(set, member->family, rows[r], &self, &itself, &square);
    mk_plain_values(set, m, rows[r], &self, &itself, product, &value);
    out[r] += mixture->weight[m] * value;
  }
}

void mk_mixture_diagonal(const mk_mixture *mixture, const int *rows, size_t count, double *out) {
  const mk_kernel_set *set = mixture->set;
  double constant = constant_diagonal(mixture);
  for (size_t r = 0; r < count; r++) out[r] = constant;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (mixture->weight[m] != 0.0 && member->root == NULL && !member->kind->unit_diagonal &&
        !mk_is_block(set, m))
      add_member_diagonal(mixture, m, rows, count, out);
  }
  for (size_t r = 0; mixture->shift != NULL && r < count; r++)
    out[r] += mixture->constant - 2.0 * mixture->shift[rows[r]];
  if (mixture->model != NULL) mk_column_model_diagonal(mixture->model, rows, count, out);
}
