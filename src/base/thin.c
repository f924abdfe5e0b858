#include "thin.h"

#include "cholesky.h"
#include "product.h"
#include "simd.h"

#include <math.h>
#include <string.h>

#define CHUNK ((size_t)1024) /* rows whose products are formed at a time */

/* ---- life ---- */

mk_status mk_thin_new(mk_thin *z, size_t rows, size_t count, size_t entries) {
  int sparse = entries != MK_DENSE;
  memset(z, 0, sizeof *z);
  z->rows = rows;
  z->count = count;
  z->value = MK_TAKE(&z->memory, double, (sparse ? entries : rows * count) + 1);
  z->shift = MK_TAKE0(&z->memory, double, count + 1);
  z->root = MK_TAKE(&z->memory, double, count + 1);
  if (sparse) {
    z->start = MK_TAKE0(&z->memory, size_t, rows + 1);
    z->column = MK_TAKE(&z->memory, int, entries + 1);
  }
  MK_TRY(mk_pool_status(&z->memory));
  for (size_t j = 0; j < count; j++) z->root[j] = 1.0;
  return MK_OK;
}

void mk_thin_clear(mk_thin *z) {
  mk_pool_free(&z->memory);
  memset(z, 0, sizeof *z);
}

size_t mk_thin_bytes(const mk_thin *z) {
  size_t vectors = 2 * z->count * sizeof(double);
  if (z->column == NULL) return vectors + z->rows * z->count * sizeof(double);
  return vectors + z->rows * sizeof(size_t) + z->start[z->rows] * (sizeof(double) + sizeof(int));
}

/* ---- rows of X ---- */

static size_t row_at(const int *list, size_t k) {
  return list != NULL ? (size_t)list[k] : k;
}

/* Computes out += a times row i. */
static void add_row(const mk_thin *z, size_t i, double a, double *out) {
  if (z->column == NULL) {
    mk_simd_best()->axpy(z->count, a, z->value + i * z->count, out);
    return;
  }
  for (size_t e = z->start[i]; e < z->start[i + 1]; e++) out[z->column[e]] += a * z->value[e];
}

static double row_dot(const mk_thin *z, size_t i, const double *g) {
  if (z->column == NULL) return mk_simd_best()->dot(z->count, z->value + i * z->count, g);
  double sum = 0.0;
  for (size_t e = z->start[i]; e < z->start[i + 1]; e++) sum += z->value[e] * g[z->column[e]];
  return sum;
}

/* ---- means ---- */

/* Computes the mean of X over the listed rows; weight = NULL: equal weights. */
static void find_mean(const mk_thin *z, const int *list, size_t count, const double *weight,
                      double *mean) {
  double total = 0.0;
  memset(mean, 0, z->count * sizeof *mean);
  for (size_t k = 0; k < count; k++) {
    double own = weight == NULL ? 1.0 : weight[k];
    add_row(z, row_at(list, k), own, mean);
    total += own;
  }
  for (size_t j = 0; j < z->count; j++) mean[j] /= total;
}

void mk_thin_centre(mk_thin *z) {
  if (z->rows == 0) return;
  find_mean(z, NULL, z->rows, NULL, z->shift);
  if (z->column != NULL) return;
  for (size_t i = 0; i < z->rows; i++)
    mk_simd_best()->axpy(z->count, -1.0, z->shift, z->value + i * z->count);
  memset(z->shift, 0, z->count * sizeof *z->shift);
}

/* ---- products ---- */

void mk_thin_project(const mk_thin *z, const int *list, size_t count, const double *x,
                     double *out) {
  double total = 0.0;
  memset(out, 0, z->count * sizeof *out);
  for (size_t k = 0; k < count; k++) {
    if (x[k] == 0.0) continue;
    add_row(z, row_at(list, k), x[k], out);
    total += x[k];
  }
  for (size_t j = 0; j < z->count; j++) out[j] = z->root[j] * (out[j] - z->shift[j] * total);
}

void mk_thin_combine(const mk_thin *z, const int *list, size_t count, double *g, double *out) {
  double constant = 0.0;
  for (size_t j = 0; j < z->count; j++) {
    g[j] *= z->root[j];
    constant += g[j] * z->shift[j];
  }
  for (size_t k = 0; k < count; k++) out[k] = row_dot(z, row_at(list, k), g) - constant;
}

void mk_thin_spread(const mk_thin *z, const int *list, size_t count, double *out, size_t apart) {
  for (size_t j = 0; j < z->count; j++)
    for (size_t k = 0; k < count; k++) out[j * apart + k] = -z->root[j] * z->shift[j];
  for (size_t k = 0; k < count; k++) {
    size_t i = row_at(list, k);
    if (z->column == NULL) {
      for (size_t j = 0; j < z->count; j++)
        out[j * apart + k] += z->root[j] * z->value[i * z->count + j];
      continue;
    }
    for (size_t e = z->start[i]; e < z->start[i + 1]; e++)
      out[(size_t)z->column[e] * apart + k] += z->root[z->column[e]] * z->value[e];
  }
}

/* ---- Gram matrix of the columns ---- */

typedef struct gram {
  const mk_thin *z;
  const int *list;
  size_t count;
  const double *weight; /* count: the least delta divided by each one */
  double total;         /* sum of `weight` */
  /* columns x columns; products of the columns; their means; right-hand side */
  double *a, *mean, *y;
  /* dense: columns x CHUNK; CHUNK; work space of mk_product_add() */
  double *panel, *divisor, *product;
  mk_team *team;
} gram;

size_t mk_thin_work_bytes(size_t columns, int dense) {
  size_t d = columns, own = dense ? (d + 1) * CHUNK + mk_product_work(d) : 0;
  return (d * d + 2 * d + own) * sizeof(double);
}

static mk_status gram_new(gram *g, mk_buffer *work) {
  size_t d = g->z->count;
  g->a = mk_buffer_need(work, mk_thin_work_bytes(d, g->z->column == NULL), 1);
  if (g->a == NULL) return MK_NO_MEMORY;
  g->mean = g->a + d * d;
  g->y = g->mean + d;
  g->panel = g->y + d;
  g->divisor = g->panel + d * CHUNK;
  g->product = g->divisor + CHUNK;
  return MK_OK;
}

/* Copies rows column by column, as products need them. */
static void gather_rows(const gram *g, size_t from, size_t depth) {
  for (size_t k = 0; k < depth; k++) {
    const double *row = g->z->value + row_at(g->list, from + k) * g->z->count;
    for (size_t j = 0; j < g->z->count; j++) g->panel[j * depth + k] = row[j] - g->mean[j];
  }
}

static void add_dense(const gram *g) {
  for (size_t from = 0; from < g->count; from += CHUNK) {
    size_t depth = g->count - from < CHUNK ? g->count - from : CHUNK;
    gather_rows(g, from, depth);
    for (size_t k = 0; k < depth; k++) g->divisor[k] = 1.0 / g->weight[from + k];
    mk_product_add(g->z->count, depth, g->panel, g->divisor, g->product, g->team, g->a);
  }
}

static void add_sparse(const gram *g) {
  const mk_thin *z = g->z;
  size_t d = z->count;
  for (size_t k = 0; k < g->count; k++) {
    size_t i = row_at(g->list, k);
    for (size_t e = z->start[i]; e < z->start[i + 1]; e++) {
      double *row = g->a + (size_t)z->column[e] * d, value = g->weight[k] * z->value[e];
      for (size_t f = z->start[i]; f <= e; f++) row[z->column[f]] += value * z->value[f];
    }
  }
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j <= i; j++) g->a[i * d + j] -= g->total * g->mean[i] * g->mean[j];
}

/* Computes the Gram matrix of the listed rows of Z, weighted and centred, and their mean. */
static void fill_gram(const gram *g) {
  const mk_thin *z = g->z;
  size_t d = z->count;
  memset(g->a, 0, d * d * sizeof *g->a);
  find_mean(z, g->list, g->count, g->weight, g->mean);
  z->column == NULL ? add_dense(g) : add_sparse(g);
  for (size_t i = 0; i < d; i++) {
    g->mean[i] = z->root[i] * (g->mean[i] - z->shift[i]);
    for (size_t j = 0; j <= i; j++) g->a[i * d + j] *= z->root[i] * z->root[j];
  }
}

/* ---- systems ---- */

/* Adds the mean to the Gram matrix again: without an offset the system must not be centred. */
static void put_mean_back(const gram *g) {
  size_t d = g->z->count;
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j <= i; j++) g->a[i * d + j] += g->total * g->mean[i] * g->mean[j];
  memset(g->mean, 0, d * sizeof *g->mean);
}

static mk_status factor_gram(const gram *g, double delta, int no_offset) {
  mk_status status = MK_STALLED;
  double end = MK_SHIFT_GROWTH * MK_LARGEST_SHIFT * delta;
  for (double shift = delta; status == MK_STALLED && shift < end; shift *= MK_SHIFT_GROWTH) {
    fill_gram(g);
    if (no_offset) put_mean_back(g);
    status = mk_cholesky(g->a, g->z->count, shift, g->team);
  }
  return status;
}

static double weigh_rows(const mk_thin_system *s, double *weight, double *total) {
  double least = INFINITY;
  for (size_t k = 0; k < s->count; k++) least = fmin(least, s->delta[k]);
  for (size_t k = 0; k < s->count; k++) {
    weight[k] = least / s->delta[k];
    *total += weight[k];
  }
  return least;
}

/* Solves the system with an offset. With weights w = l / delta, l the least delta, W = diag(w), y =
 * Z'x, V = Z less its rows' weighted mean m, and r less its weighted mean:
 *   (V'W V + l I) y = V'W r + l sum m,  delta x = r - V y + l sum / total. */
static mk_status solve_centred(mk_thin_system *s, gram *g, double least, double *fitted) {
  size_t d = s->z->count;
  double mean = 0.0, along = 0.0, share = s->no_offset ? 0.0 : least * s->sum / g->total;
  MK_TRY(factor_gram(g, least, s->no_offset));
  for (size_t k = 0; k < s->count && !s->no_offset; k++) mean += g->weight[k] * s->x[k] / g->total;
  for (size_t k = 0; k < s->count; k++) {
    s->x[k] -= mean;
    fitted[k] = g->weight[k] * s->x[k];
  }
  mk_thin_project(s->z, s->list, s->count, fitted, g->y);
  for (size_t j = 0; j < d; j++) g->y[j] += least * s->sum * g->mean[j];
  mk_solve_lower(g->a, d, g->y);
  mk_solve_upper(g->a, d, g->y);
  for (size_t j = 0; j < d; j++) along += g->mean[j] * g->y[j];
  mk_thin_combine(s->z, s->list, s->count, g->y, fitted);
  for (size_t k = 0; k < s->count; k++)
    s->x[k] = (s->x[k] - fitted[k] + along + share) / s->delta[k];
  s->offset = mean - along - share;
  return MK_OK;
}

mk_status mk_thin_solve(mk_thin_system *s, mk_buffer *work, mk_team *team) {
  gram g = {.z = s->z, .list = s->list, .count = s->count, .team = team};
  MK_TRY(gram_new(&g, work));
  double *weight = MK_NEW(double, 2 * s->count);
  if (weight == NULL) return MK_NO_MEMORY;
  double least = weigh_rows(s, weight, &g.total);
  g.weight = weight;
  mk_status status = solve_centred(s, &g, least, weight + s->count);
  mk_free(weight);
  return status;
}
