/* s for all M kernels at once from base values: sums over pairs of weight times k_m, for the
 * optimisers' passes (gram-*.c). Tabled Gaussians share one histogram of moments per family, so
 * each pair is visited once, whatever the number of widths. The contributions of other kernels, and
 * what centring subtracts, have sums of their own. The sums of all kernels follow from these and
 * tabled Gaussians. MATHEMATICS.md, section 3.4. */
#include "rows/sums.h"

#include "base/memory.h"
#include "rows/local-rows.h"
#include "rows/mixture.h"
#include "rows/table.h"

#include <string.h>

struct mk_sums {
  const mk_kernel_set *set;
  int no_local;        /* 1 if locally linear kernels with slots are left out */
  int *listed;         /* members with sums of their own, sorted by family */
  size_t *listed_from; /* families + 1: offsets into `listed` */
  double *generator;   /* sums of the listed, then of the tabled members by family */
  double *table;       /* sums of a family's tables */
  double *moments;     /* by family: pieces x MK_PIECE_TERMS */
  size_t *from;        /* families + 1 offsets into moments */
  size_t count, generators, tables;
  mk_pool pool;
};

static void lay_out(mk_sums *sums) {
  const mk_kernel_set *set = sums->set;
  size_t tabled = 0;
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    for (size_t k = 0; k < family->count && !mk_family_has_blocks(family); k++) {
      const mk_member *member = &set->member[family->member[k]];
      if (member->tabled < 0 || member->mean != NULL)
        sums->listed[sums->count++] = family->member[k];
    }
    sums->listed_from[f + 1] = sums->count;
    const mk_family_tables *tables = mk_tables_of(family);
    sums->from[f + 1] = sums->from[f] + (size_t)tables->pieces * MK_PIECE_TERMS;
    tabled += tables->count;
    if (tables->tables > sums->tables) sums->tables = tables->tables;
  }
  sums->generators = sums->count + tabled;
}

static mk_status open_sums(mk_sums *sums, const mk_kernel_set *set) {
  MK_TRY(mk_table_need(set));
  sums->set = set;
  sums->from = MK_TAKE0(&sums->pool, size_t, set->families + 1);
  sums->listed_from = MK_TAKE0(&sums->pool, size_t, set->families + 1);
  sums->listed = MK_TAKE(&sums->pool, int, set->kernels);
  MK_TRY(mk_pool_status(&sums->pool));
  lay_out(sums);
  sums->generator = MK_TAKE0(&sums->pool, double, sums->generators);
  sums->table = MK_TAKE(&sums->pool, double, sums->tables);
  sums->moments = MK_TAKE0(&sums->pool, double, sums->from[set->families]);
  MK_TRY(mk_pool_status(&sums->pool));
  return MK_OK;
}

mk_sums *mk_sums_new(const mk_kernel_set *set, int single) {
  mk_sums *sums = MK_NEW0(mk_sums, 1);
  (void)single;
  if (sums == NULL || open_sums(sums, set) == MK_OK) return sums;
  mk_sums_free(sums);
  return NULL;
}

void mk_sums_free(mk_sums *sums) {
  if (sums == NULL) return;
  mk_pool_free(&sums->pool);
  mk_free(sums);
}

/* Adds what centring subtracts from a tabled member's sum. */
static void subtract_means(mk_sums *sums, size_t k, int row, const mk_samples *others,
                           const double *weight) {
  const mk_member *member = &sums->set->member[sums->listed[k]];
  double own = member->total - member->mean[row], sum = 0.0;
  for (size_t c = 0; c < others->count; c++)
    sum += weight[c] * (own - member->mean[mk_sample(others, c)]);
  sums->generator[k] += member->scale * sum;
}

/* Returns 1 for locally linear kernels, which are summed together. */
static int summed_by_slot(const mk_member *member) {
  return mk_goes_by_slot(member) && member->mean == NULL;
}

static void add_slots(mk_sums *sums, size_t f, int row, const mk_samples *others, mk_row base,
                      const double *weight, mk_scratch *scratch) {
  const mk_kernel_set *set = sums->set;
  mk_local_sums(set, set->family[f].local, row, others, base, weight, scratch);
  for (size_t k = sums->listed_from[f]; k < sums->listed_from[f + 1]; k++) {
    const mk_member *member = &set->member[sums->listed[k]];
    if (summed_by_slot(member)) sums->generator[k] += member->scale * scratch->local[member->slot];
  }
}

/* Adds the sums over at most MK_BLOCK_COLS columns of members without a table. */
static void add_directly(mk_sums *sums, size_t f, int row, const mk_samples *others, mk_row base,
                         const double *weight, mk_scratch *scratch) {
  const mk_kernel_set *set = sums->set;
  const double *wide = NULL, *product = NULL;
  size_t count = others->count;
  for (size_t k = sums->listed_from[f]; k < sums->listed_from[f + 1]; k++) {
    size_t m = (size_t)sums->listed[k];
    const mk_member *member = &set->member[m];
    if (summed_by_slot(member) || member->tabled >= 0) continue;
    if (mk_member_is_exponential(member) && member->mean == NULL) {
      double rate = 1.0 / member->spec.width;
      sums->generator[k] +=
          member->scale * set->simd->rows[base.single].exp_dot(count, base.at, rate, weight);
      continue;
    }
    if (wide == NULL && base.at != NULL) {
      wide = mk_row_doubles(base, count, scratch->wide);
      product = mk_family_products(set, f, row, others, wide, scratch->row[1]);
    }
    mk_member_values(set, m, row, others, wide, product, scratch->row[2]);
    sums->generator[k] += set->simd->dot(count, weight, scratch->row[2]);
  }
}

void mk_sums_add(mk_sums *sums, size_t f, int row, const mk_samples *others, mk_row base,
                 const double *weight, mk_scratch *scratch) {
  const mk_kernel_set *set = sums->set;
  const mk_family *family = &set->family[f];
  size_t count = others->count;
  if (mk_family_has_blocks(family)) return; /* the functions of features.h sum them */
  if (family->tables != NULL) {
    mk_table table = {.inv_sigma = family->tables->inv_sigma, .u_max = family->tables->u_max};
    set->simd->rows[base.single].table_moments(count, base.at, weight, &table,
                                               sums->moments + sums->from[f]);
  }
  if (family->local != NULL && !sums->no_local)
    add_slots(sums, f, row, others, base, weight, scratch);
  for (size_t k = sums->listed_from[f]; k < sums->listed_from[f + 1]; k++)
    if (set->member[sums->listed[k]].tabled >= 0) subtract_means(sums, k, row, others, weight);
  for (size_t from = 0; from < count; from += MK_BLOCK_COLS) {
    mk_samples part = mk_part(others, from, mk_smaller(count - from, MK_BLOCK_COLS));
    add_directly(sums, f, row, &part, mk_row_from(base, from), weight + from, scratch);
  }
}

void mk_sums_leave_local(mk_sums *sums) {
  sums->no_local = 1;
}

/* ---- reading ---- */

/* Finds first .. last, the range of moments that are not all 0: most pieces are empty. */
static void find_filled(size_t count, double *const *moments, size_t *first, size_t *last) {
  size_t from = *last, to = 0;
  for (size_t r = 0; r < count; r++) {
    size_t low = 0, high = *last;
    while (low < from && moments[r][low] == 0.0) low++;
    while (high > to && moments[r][high - 1] == 0.0) high--;
    from = mk_smaller(from, low);
    to = high > to ? high : to;
  }
  *first = from;
  *last = to > from ? to : from;
}

/* Computes out[r][k], row k of x times y[r], for `count` of MK_DOTS vectors y. */
static void multiply_rows(const mk_simd *simd, size_t rows, size_t n, const double *x, size_t ld,
                          size_t count, double *const *y, double *const *out) {
  double dot[MK_DOTS];
  for (size_t k = 0; k < rows; k++) {
    if (count == 1)
      dot[0] = simd->dot(n, x + k * ld, y[0]);
    else
      simd->dots(n, x + k * ld, (const double *const *)y, dot);
    for (size_t r = 0; r < count; r++) out[r][k] = dot[r];
  }
}

/* Computes the sums of one family's tabled members, from generator `at` on, and empties its
 * moments. Tables are long and are read once for MK_DOTS rows. */
static void read_tabled(mk_sums *const *sums, size_t count, size_t f, size_t at) {
  const mk_sums *one = sums[0];
  const mk_family_tables *tables = mk_tables_of(&one->set->family[f]);
  double *moments[MK_DOTS], *value[MK_DOTS], *member[MK_DOTS], *table[MK_DOTS];
  for (size_t r = 0; r < MK_DOTS; r++) {
    const mk_sums *own = sums[r < count ? r : 0];
    moments[r] = own->moments + one->from[f];
    member[r] = own->generator + at;
    value[r] = table[r] = tables->share == NULL ? member[r] : own->table;
  }
  size_t length = (size_t)tables->pieces * MK_PIECE_TERMS, first = 0, last = length;
  find_filled(count, moments, &first, &last);
  for (size_t r = 0; r < MK_DOTS; r++) moments[r] += first;
  multiply_rows(one->set->simd, tables->tables, last - first, tables->basis + first, length, count,
                moments, table);
  if (tables->share != NULL)
    multiply_rows(one->set->simd, tables->count, tables->tables, tables->share, tables->tables,
                  count, value, member);
  for (size_t r = 0; r < count; r++) memset(moments[r], 0, (last - first) * sizeof **moments);
}

static void expand_to_kernels(const mk_sums *sums, double *out) {
  const mk_kernel_set *set = sums->set;
  const double *tabled = sums->generator + sums->count;
  memset(out, 0, set->kernels * sizeof *out);
  for (size_t k = 0; k < sums->count; k++) out[sums->listed[k]] = sums->generator[k];
  for (size_t f = 0; f < set->families; f++) {
    const mk_family_tables *tables = mk_tables_of(&set->family[f]);
    for (size_t k = 0; k < tables->count; k++, tabled++) {
      int m = tables->member[k];
      out[m] += set->member[m].scale * *tabled;
    }
  }
}

void mk_sums_read(mk_sums *const *sums, size_t count, double *out) {
  const mk_kernel_set *set = sums[0]->set;
  for (size_t first = 0; first < count; first += MK_DOTS) {
    size_t few = mk_smaller(MK_DOTS, count - first), at = sums[0]->count;
    for (size_t f = 0; f < set->families; f++) {
      read_tabled(sums + first, few, f, at);
      at += mk_tables_of(&set->family[f])->count;
    }
  }
  for (size_t r = 0; r < count; r++) {
    expand_to_kernels(sums[r], out + r * set->kernels);
    memset(sums[r]->generator, 0, sums[r]->count * sizeof(double));
  }
}

static void move_sums(size_t count, double *from, double *into) {
  for (size_t k = 0; k < count; k++) into[k] += from[k];
  memset(from, 0, count * sizeof *from);
}

void mk_sums_merge(mk_sums *into, mk_sums *from) {
  move_sums(into->count, from->generator, into->generator);
  move_sums(into->from[into->set->families], from->moments, into->moments);
}
