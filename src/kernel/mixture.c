/* Rows of sum_m theta_m k_m, and single kernels, from base values. */
#include "base/memory.h"
#include "internal.h"

#include <math.h>
#include <string.h>

struct mk_mixture {
  const mk_kernel_set *set;
  double *weight;      /* M: theta_m * scale_m */
  mk_table *table;     /* one per family; pieces = 0 when nothing is tabled */
  double *coef;        /* what the tables point into */
  int *listed;         /* members evaluated one by one, by family; what listed_from indexes */
  size_t *listed_from; /* families + 1 */
  double *shift;       /* n: sum_m weight_m mean_m(i) of centred kernels without roots, or NULL */
  double constant;     /* the same sum of their totals */
  int shifted;
};

static double int_power(double base, int exponent) {
  double out = 1.0;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) out *= base;
  return out;
}

/* k_m between row and columns, as its definition has it. */
static void plain_values(const mk_kernel_set *set, const mk_member *member, int row,
                         const mk_columns *columns, const double *base, double *out) {
  const mk_kernel_spec *spec = &member->spec;
  size_t count = columns->count;
  if (spec->type == MK_GAUSSIAN) {
    set->simd->exp_decay(count, base, 1.0 / spec->width, out);
  } else if (spec->type == MK_PRECOMPUTED) {
    const double *k = spec->matrix + (size_t)row * set->n;
    if (columns->index == NULL)
      memcpy(out, k + columns->start, count * sizeof *out);
    else
      for (size_t c = 0; c < count; c++) out[c] = k[columns->index[c]];
  } else if (spec->type == MK_FUNCTION) {
    memcpy(out, base, count * sizeof *out);
  } else {
    const double *half = set->family[member->family].raw_half_square;
    double own = half[row];
    for (size_t c = 0; c < count; c++) out[c] = own + half[mk_column(columns, c)] - 0.5 * base[c];
    if (spec->type == MK_POLYNOMIAL) {
      int degree = (int)spec->degree;
      for (size_t c = 0; c < count; c++)
        out[c] = int_power(spec->scale * out[c] + spec->offset, degree);
    }
  }
}

void mk_member_values(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                      const double *base, double *out) {
  const mk_member *member = &set->member[m];
  size_t count = columns->count;
  plain_values(set, member, row, columns, base, out);
  if (member->mean != NULL) {
    double own = member->total - member->mean[row];
    for (size_t c = 0; c < count; c++) out[c] += own - member->mean[mk_column(columns, c)];
  }
  double scale = member->scale;
  if (member->root != NULL) {
    scale *= member->root[row];
    for (size_t c = 0; c < count; c++) out[c] *= scale * member->root[mk_column(columns, c)];
  } else if (scale != 1.0) {
    for (size_t c = 0; c < count; c++) out[c] *= scale;
  }
}

/* ---- mixture ---- */

mk_mixture *mk_mixture_new(const mk_kernel_set *set) {
  mk_mixture *mixture = MK_NEW0(mk_mixture, 1);
  if (mixture == NULL) return NULL;
  size_t length = 0;
  for (size_t f = 0; f < set->families; f++)
    length += (size_t)set->family[f].pieces * MK_PIECE_TERMS;
  mixture->set = set;
  mixture->weight = MK_NEW0(double, set->kernels);
  mixture->table = MK_NEW0(mk_table, set->families);
  mixture->coef = MK_NEW0(double, length + 1);
  mixture->listed = MK_NEW(int, set->kernels);
  mixture->listed_from = MK_NEW0(size_t, set->families + 1);
  for (size_t m = 0; m < set->kernels; m++)
    if (set->member[m].mean != NULL && set->member[m].root == NULL) mixture->shifted = 1;
  if (mixture->shifted) mixture->shift = MK_NEW0(double, set->n);
  if (mixture->weight == NULL || mixture->table == NULL || mixture->coef == NULL ||
      mixture->listed == NULL || mixture->listed_from == NULL ||
      (mixture->shifted && mixture->shift == NULL)) {
    mk_mixture_free(mixture);
    return NULL;
  }
  return mixture;
}

void mk_mixture_free(mk_mixture *mixture) {
  if (mixture == NULL) return;
  mk_free(mixture->weight);
  mk_free(mixture->table);
  mk_free(mixture->coef);
  mk_free(mixture->listed);
  mk_free(mixture->listed_from);
  mk_free(mixture->shift);
  mk_free(mixture);
}

static int goes_by_table(const mk_member *member) {
  return member->tabled >= 0 && member->root == NULL;
}

static void compile_family(mk_mixture *mixture, size_t f, double *coef, size_t *listed) {
  const mk_kernel_set *set = mixture->set;
  const mk_family *family = &set->family[f];
  size_t length = (size_t)family->pieces * MK_PIECE_TERMS;
  int any = 0;
  memset(coef, 0, length * sizeof *coef);
  for (size_t k = 0; k < family->count; k++) {
    int m = family->member[k];
    const mk_member *member = &set->member[m];
    double weight = mixture->weight[m];
    if (weight == 0.0) continue;
    if (!goes_by_table(member)) {
      mixture->listed[(*listed)++] = m;
      continue;
    }
    const double *basis = family->basis + (size_t)member->tabled * length;
    for (size_t t = 0; t < length; t++) coef[t] += weight * basis[t];
    any = 1;
  }
  mixture->table[f] = (mk_table){family->inv_sigma, family->u_max, any ? family->pieces : 0, coef};
}

void mk_mixture_compile(mk_mixture *mixture, const double *theta) {
  const mk_kernel_set *set = mixture->set;
  for (size_t m = 0; m < set->kernels; m++) mixture->weight[m] = theta[m] * set->member[m].scale;
  double *coef = mixture->coef;
  size_t listed = 0;
  for (size_t f = 0; f < set->families; f++) {
    mixture->listed_from[f] = listed;
    compile_family(mixture, f, coef, &listed);
    coef += (size_t)set->family[f].pieces * MK_PIECE_TERMS;
  }
  mixture->listed_from[set->families] = listed;
  if (!mixture->shifted) return;
  memset(mixture->shift, 0, set->n * sizeof *mixture->shift);
  mixture->constant = 0.0;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (member->mean == NULL || member->root != NULL || mixture->weight[m] == 0.0) continue;
    mixture->constant += mixture->weight[m] * member->total;
    for (size_t i = 0; i < set->n; i++) mixture->shift[i] += mixture->weight[m] * member->mean[i];
  }
}

void mk_mixture_add(const mk_mixture *mixture, size_t f, int row, const mk_columns *columns,
                    const double *base, double *out, mk_scratch *scratch) {
  const mk_kernel_set *set = mixture->set;
  size_t count = columns->count;
  if (mixture->table[f].pieces > 0) set->simd->table_add(count, base, &mixture->table[f], out);
  double *value = scratch->row[2];
  for (size_t from = 0; from < count; from += MK_BLOCK_COLS) {
    mk_columns part =
        mk_part(columns, from, count - from < MK_BLOCK_COLS ? count - from : MK_BLOCK_COLS);
    for (size_t k = mixture->listed_from[f]; k < mixture->listed_from[f + 1]; k++) {
      int m = mixture->listed[k];
      const mk_member *member = &set->member[m];
      double weight = mixture->weight[m];
      if (member->root != NULL) {
        weight /= member->scale;
        mk_member_values(set, (size_t)m, row, &part, base != NULL ? base + from : NULL, value);
      } else {
        plain_values(set, member, row, &part, base != NULL ? base + from : NULL, value);
      }
      for (size_t c = 0; c < part.count; c++) out[from + c] += weight * value[c];
    }
  }
}

void mk_mixture_centre(const mk_mixture *mixture, int row, const mk_columns *columns, double *out) {
  if (!mixture->shifted) return;
  double own = mixture->constant - mixture->shift[row];
  for (size_t c = 0; c < columns->count; c++) out[c] += own - mixture->shift[mk_column(columns, c)];
}

/* What every sample gets from kernels whose diagonal is constant: spherical
 * ones (scale) and Gaussians (scale times one). */
static double constant_diagonal(const mk_mixture *mixture) {
  double sum = 0.0;
  for (size_t m = 0; m < mixture->set->kernels; m++) {
    const mk_member *member = &mixture->set->member[m];
    if (member->root != NULL || member->spec.type == MK_GAUSSIAN) sum += mixture->weight[m];
  }
  return sum;
}

static mk_status add_member_diagonal(const mk_mixture *mixture, size_t m, const int *rows,
                                     size_t count, double *out, mk_scratch *scratch) {
  const mk_kernel_set *set = mixture->set;
  const mk_member *member = &set->member[m];
  for (size_t r = 0; r < count; r++) {
    mk_columns self = mk_list(&rows[r], 1);
    double base = 0.0, value; /* the distance of a sample from itself */
    if (member->spec.type == MK_FUNCTION)
      MK_TRY(mk_base_block(set, member->family, &rows[r], 1, &self, &base, 1, scratch));
    plain_values(set, member, rows[r], &self, &base, &value);
    out[r] += mixture->weight[m] * value;
  }
  return MK_OK;
}

mk_status mk_mixture_diagonal(const mk_mixture *mixture, const int *rows, size_t count, double *out,
                              mk_scratch *scratch) {
  const mk_kernel_set *set = mixture->set;
  double constant = constant_diagonal(mixture);
  for (size_t r = 0; r < count; r++) out[r] = constant;
  for (size_t m = 0; m < set->kernels; m++) {
    const mk_member *member = &set->member[m];
    if (mixture->weight[m] != 0.0 && member->root == NULL && member->spec.type != MK_GAUSSIAN)
      MK_TRY(add_member_diagonal(mixture, m, rows, count, out, scratch));
  }
  for (size_t r = 0; mixture->shifted && r < count; r++)
    out[r] += mixture->constant - 2.0 * mixture->shift[rows[r]];
  return MK_OK;
}
