#include "alignment.h"

#include "base/pool.h"
#include "base/product.h"
#include "exact/exact.h"

#include <math.h>
#include <string.h>

#define TALL 16 /* rows of a block; its other samples are those of exact.h */

typedef struct pairing {
  const mk_kernel_set *set;
  const double *target;
  size_t n, kernels;
  mk_exact *exact;
  int *sample;
  double *z;       /* kernels + 1 x block: values */
  double *divisor; /* block: inverse of each pair's weight in the sum */
  double *work;    /* work space of mk_product_add() */
  double *mean;    /* kernels x n: row means, or NULL */
  double *total;   /* kernels: means of all values */
} pairing;

/* Computes values of all kernels between samples from i on and from j on. */
static mk_status fill_block(pairing *p, size_t i, size_t rows, size_t j, size_t cols) {
  mk_samples others = mk_list(p->sample + j, cols);
  size_t size = rows * cols;
  for (size_t f = 0; f < mk_set_families(p->set); f++) {
    MK_TRY(mk_exact_block(p->exact, f, p->sample + i, rows, &others));
    for (size_t k = 0; k < mk_family_size(p->set, f); k++) {
      size_t m = mk_family_member(p->set, f, k);
      for (size_t r = 0; r < rows; r++) mk_exact_values(p->exact, m, r, p->z + m * size + r * cols);
    }
  }
  return MK_OK;
}

static void add_means(pairing *p, size_t i, size_t rows, size_t cols) {
  for (size_t m = 0; m < p->kernels; m++)
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < cols; c++)
        p->mean[m * p->n + i + r] += p->z[(m * rows + r) * cols + c] / (double)p->n;
}

/* Centres the block and adds the products of its pairs i <= j, those of i < j twice. */
static void add_products(pairing *p, size_t i, size_t rows, size_t j, size_t cols, mk_team *team,
                         double *out) {
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++) {
      size_t row = i + r, other = j + c, at = r * cols + c;
      p->divisor[at] = other > row ? 0.5 : other == row ? 1.0 : INFINITY;
      p->z[p->kernels * rows * cols + at] = p->target[row] * p->target[other];
      for (size_t m = 0; p->mean != NULL && m < p->kernels; m++) {
        const double *mean = p->mean + m * p->n;
        p->z[m * rows * cols + at] += p->total[m] - mean[row] - mean[other];
      }
    }
  mk_product_add(p->kernels + 1, rows * cols, p->z, p->divisor, p->work, team, out);
}

/* Goes through all blocks: sums row means, or (if out) products of the upper triangle. */
static mk_status sweep_blocks(pairing *p, const mk_control *control, double *out) {
  for (size_t i = 0; i < p->n; i += TALL) {
    size_t rows = mk_smaller(TALL, p->n - i), from = out != NULL ? i : 0;
    MK_TRY(mk_check(control));
    for (size_t j = from; j < p->n; j += MK_EXACT_COLS) {
      size_t cols = mk_smaller(MK_EXACT_COLS, p->n - j);
      MK_TRY(fill_block(p, i, rows, j, cols));
      if (out != NULL)
        add_products(p, i, rows, j, cols, control->team, out);
      else
        add_means(p, i, rows, cols);
    }
  }
  return MK_OK;
}

static mk_status pair_all(pairing *p, int centred, const mk_control *control, double *out) {
  size_t size = p->kernels + 1;
  for (size_t i = 0; i < p->n; i++) p->sample[i] = (int)i;
  if (centred) {
    MK_TRY(sweep_blocks(p, control, NULL));
    for (size_t m = 0; m < p->kernels; m++)
      for (size_t i = 0; i < p->n; i++) p->total[m] += p->mean[m * p->n + i] / (double)p->n;
  }
  memset(out, 0, size * size * sizeof *out);
  MK_TRY(sweep_blocks(p, control, out));
  for (size_t k = 0; k < size; k++)
    for (size_t m = 0; m < k; m++) out[m * size + k] = out[k * size + m];
  return MK_OK;
}

mk_status mk_inner_products(const mk_kernel_set *set, const double *target, int centred,
                            const mk_control *control, double *out) {
  pairing p = {.set = set, .target = target, .n = mk_set_samples(set)};
  p.kernels = mk_set_kernels(set);
  size_t size = p.kernels + 1, block = TALL * MK_EXACT_COLS;
  p.exact = mk_exact_new(set);
  mk_pool pool = {NULL, 0, 0};
  p.sample = MK_TAKE(&pool, int, p.n);
  p.z = MK_TAKE(&pool, double, size *block);
  p.divisor = MK_TAKE(&pool, double, block);
  p.work = MK_TAKE(&pool, double, mk_product_work(size));
  p.total = MK_TAKE0(&pool, double, p.kernels);
  p.mean = centred ? MK_TAKE0(&pool, double, p.kernels *p.n) : NULL;
  mk_status status = p.exact != NULL ? mk_pool_status(&pool) : MK_NO_MEMORY;
  if (status == MK_OK) status = pair_all(&p, centred, control, out);
  mk_exact_free(p.exact);
  mk_pool_free(&pool);
  return status;
}
