/* sum over pairs of weight * k_m for all M kernels at once. Tabled Gaussians
 * share one histogram of moments per family: each pair is looked at once,
 * however many widths there are. */
#include "base/memory.h"
#include "internal.h"

#include <string.h>

struct mk_sums {
  const mk_kernel_set *set;
  double *direct;  /* M */
  double *moments; /* by family: pieces x MK_PIECE_TERMS */
  size_t *from;    /* families + 1 offsets into moments */
};

mk_sums *mk_sums_new(const mk_kernel_set *set) {
  mk_sums *sums = MK_NEW0(mk_sums, 1);
  if (sums == NULL) return NULL;
  sums->set = set;
  sums->from = MK_NEW0(size_t, set->families + 1);
  sums->direct = MK_NEW0(double, set->kernels);
  if (sums->from != NULL) {
    for (size_t f = 0; f < set->families; f++)
      sums->from[f + 1] = sums->from[f] + (size_t)set->family[f].pieces * MK_PIECE_TERMS;
    sums->moments = MK_NEW0(double, sums->from[set->families] + 1);
  }
  if (sums->from == NULL || sums->direct == NULL || sums->moments == NULL) {
    mk_sums_free(sums);
    return NULL;
  }
  return sums;
}

void mk_sums_free(mk_sums *sums) {
  if (sums == NULL) return;
  mk_free(sums->direct);
  mk_free(sums->moments);
  mk_free(sums->from);
  mk_free(sums);
}

void mk_sums_clear(mk_sums *sums) {
  memset(sums->direct, 0, sums->set->kernels * sizeof *sums->direct);
  memset(sums->moments, 0, sums->from[sums->set->families] * sizeof *sums->moments);
}

/* Members that the table cannot carry: all but Gaussians without roots and means. */
static int summed_directly(const mk_member *member) {
  return member->tabled < 0 || member->root != NULL;
}

/* What centring takes off a tabled member's sum. */
static void subtract_means(mk_sums *sums, int m, int row, const mk_columns *columns,
                           const double *weight) {
  const mk_member *member = &sums->set->member[m];
  double own = member->total - member->mean[row], sum = 0.0;
  for (size_t c = 0; c < columns->count; c++)
    sum += weight[c] * (own - member->mean[mk_column(columns, c)]);
  sums->direct[m] += member->scale * sum;
}

/* sum_c weight_c k_m(row, c), at most MK_BLOCK_COLS columns. */
static double direct_sum(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                         mk_row base, const double *weight, mk_scratch *scratch) {
  size_t count = columns->count;
  const double *wide = mk_row_doubles(base, base.at != NULL ? count : 0, scratch->wide);
  mk_member_values(set, m, row, columns, wide, scratch->row[2]);
  return set->simd->dot(count, weight, scratch->row[2]);
}

void mk_sums_add(mk_sums *sums, size_t f, int row, const mk_columns *columns, mk_row base,
                 const double *weight, mk_scratch *scratch) {
  const mk_kernel_set *set = sums->set;
  const mk_family *family = &set->family[f];
  size_t count = columns->count;
  if (family->tabled_count > 0) {
    mk_table table = {.inv_sigma = family->inv_sigma, .u_max = family->u_max};
    set->simd->rows[base.single].table_moments(count, base.at, weight, &table,
                                               sums->moments + sums->from[f]);
  }
  for (size_t k = 0; k < family->count; k++) {
    int m = family->member[k];
    const mk_member *member = &set->member[m];
    if (!summed_directly(member)) {
      if (member->mean != NULL) subtract_means(sums, m, row, columns, weight);
      continue;
    }
    for (size_t from = 0; from < count; from += MK_BLOCK_COLS) {
      size_t rest = count - from;
      mk_columns part = mk_part(columns, from, rest < MK_BLOCK_COLS ? rest : MK_BLOCK_COLS);
      sums->direct[m] +=
          direct_sum(set, (size_t)m, row, &part, mk_row_from(base, from), weight + from, scratch);
    }
  }
}

void mk_sums_read(const mk_sums *sums, double *out) {
  const mk_kernel_set *set = sums->set;
  memcpy(out, sums->direct, set->kernels * sizeof *out);
  for (size_t f = 0; f < set->families; f++) {
    const mk_family *family = &set->family[f];
    const double *moments = sums->moments + sums->from[f];
    size_t length = (size_t)family->pieces * MK_PIECE_TERMS;
    size_t first = 0, last = length; /* most pieces are empty */
    while (first < last && moments[first] == 0.0) first++;
    while (last > first && moments[last - 1] == 0.0) last--;
    for (size_t k = 0; k < family->tabled_count; k++) {
      int m = family->tabled[k];
      if (summed_directly(&set->member[m])) continue;
      const double *basis = family->basis + k * length;
      out[m] += set->member[m].scale * set->simd->dot(last - first, basis + first, moments + first);
    }
  }
}

void mk_sums_merge(mk_sums *into, const mk_sums *from) {
  for (size_t m = 0; m < into->set->kernels; m++) into->direct[m] += from->direct[m];
  for (size_t k = 0; k < into->from[into->set->families]; k++) into->moments[k] += from->moments[k];
}
