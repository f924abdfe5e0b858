#include "columns.h"

#include "memory.h"
#include "threads.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

#define CHUNK ((size_t)1 << 16) /* values per task */
#define LANES 8                 /* sums side by side, which vector registers can hold */
#define MOST_EXPONENT 1000      /* 2^1000 times the smallest positive number is below 1 */

/* Returns 1 if all values are finite: x - x is 0 for finite values and NaN otherwise. */
static int all_finite(const double *x, size_t count) {
  double sum[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) sum[k] += x[i + k] - x[i + k];
  for (; i < count; i++) sum[0] += x[i] - x[i];
  double total = 0.0;
  for (size_t k = 0; k < LANES; k++) total += sum[k];
  return total == 0.0;
}

typedef struct scan {
  const double *x;
  size_t count;
  atomic_size_t first; /* least position found so far */
} scan;

static mk_status scan_chunk(void *data, size_t k, int thread) {
  scan *s = data;
  size_t at = k * CHUNK, size = s->count - at < CHUNK ? s->count - at : CHUNK;
  size_t first = atomic_load(&s->first);
  (void)thread;
  if (at >= first || all_finite(s->x + at, size)) return MK_OK;
  while (isfinite(s->x[at])) at++;
  while (at < first && !atomic_compare_exchange_weak(&s->first, &first, at)) continue;
  return MK_OK;
}

size_t mk_first_not_finite(const double *x, size_t count, mk_team *team) {
  scan s = {.x = x, .count = count};
  atomic_init(&s.first, count);
  mk_deal_out(count / CHUNK + (count % CHUNK != 0), mk_team_worth(team, (double)count), scan_chunk,
              &s);
  return atomic_load(&s.first);
}

static double weighted_sum(const double *x, const double *weight, size_t count) {
  double sum[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) sum[k] += x[i + k] * weight[i + k];
  for (; i < count; i++) sum[0] += x[i] * weight[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

typedef struct summing {
  const double *x, *weight;
  size_t rows;
  double *out;
} summing;

static mk_status sum_column(void *data, size_t j, int thread) {
  const summing *s = data;
  (void)thread;
  s->out[j] = weighted_sum(s->x + j * s->rows, s->weight, s->rows);
  return MK_OK;
}

void mk_column_sums(const double *x, size_t rows, size_t cols, const double *weight, double *out,
                    mk_team *team) {
  summing s = {x, weight, rows, out};
  mk_deal_out(cols, mk_team_worth(team, (double)rows * (double)cols), sum_column, &s);
}

/* ---- standard columns ---- */

typedef struct scaling {
  const double *x;
  const int *start, *row;
  size_t rows, known; /* number of rows of x; number of rows that count */
  double *picked;     /* by thread: a column's values in the rows that count */
  double *centre, *scale;
} scaling;

static double largest_size(const double *x, size_t count) {
  double lane[LANES] = {0.0}, largest = 0.0;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      double size = fabs(x[i + k]);
      lane[k] = size > lane[k] ? size : lane[k];
    }
  for (; i < count; i++) largest = fmax(largest, fabs(x[i]));
  for (size_t k = 0; k < LANES; k++) largest = fmax(largest, lane[k]);
  return largest;
}

static int is_indicator(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (x[i] != 0.0 && x[i] != 1.0) return 0;
  return 1;
}

/* Sums the deviations of unit * x from a mean, and the squares of the deviations. */
static void sum_off(const double *x, size_t count, double unit, double mean, double *sum,
                    double *squares) {
  double first[LANES] = {0.0}, second[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      double off = x[i + k] * unit - mean;
      first[k] += off;
      second[k] += off * off;
    }
  for (; i < count; i++) {
    double off = x[i] * unit - mean;
    first[0] += off;
    second[0] += off * off;
  }
  *sum = *squares = 0.0;
  for (size_t k = 0; k < LANES; k++) {
    *sum += first[k];
    *squares += second[k];
  }
}

/* Returns a power of two that brings the largest value near 1, so that no square overflows or
 * vanishes and products with it are exact. */
static double unit_of(double largest) {
  int exponent;
  frexp(largest, &exponent);
  return ldexp(1.0, exponent < -MOST_EXPONENT ? MOST_EXPONENT : -exponent);
}

/* Returns the stored values of a column, and their number. */
static const double *column_values(const scaling *s, size_t j, int thread, size_t *count) {
  if (s->start != NULL) {
    *count = (size_t)(s->start[j + 1] - s->start[j]);
    return s->x + s->start[j];
  }
  *count = s->known;
  if (s->row == NULL) return s->x + j * s->rows;
  double *out = s->picked + (size_t)thread * s->known;
  for (size_t i = 0; i < s->known; i++) out[i] = s->x[j * s->rows + (size_t)s->row[i]];
  return out;
}

static mk_status scale_column(void *data, size_t j, int thread) {
  const scaling *s = data;
  size_t count;
  const double *x = column_values(s, j, thread, &count);
  double n = (double)s->known, zeros = n - (double)count, sum, rest, squares;
  s->centre[j] = 0.0;
  s->scale[j] = 1.0;
  if (is_indicator(x, count)) return MK_OK;
  double largest = largest_size(x, count), unit = unit_of(largest);
  sum_off(x, count, unit, 0.0, &sum, &squares);
  double mean = sum / n;
  sum_off(x, count, unit, mean, &rest, &squares);
  double deviation = sqrt((squares + zeros * mean * mean) / fmax(n - 1.0, 1.0));
  s->centre[j] = (mean + (rest - zeros * mean) / n) / unit;
  if (deviation > sqrt(n) * DBL_EPSILON * largest * unit) s->scale[j] = deviation / unit;
  return MK_OK;
}

mk_status mk_column_scaling(const double *x, const int *start, size_t rows, size_t cols,
                            const int *row, size_t count, double *centre, double *scale,
                            mk_team *team) {
  size_t known = row != NULL ? count : rows;
  double *picked = MK_NEW(double, row != NULL ? (size_t)mk_team_size(team) * count + 1 : 1);
  if (picked == NULL) return MK_NO_MEMORY;
  scaling s = {x, start, row, rows, known, picked, centre, scale};
  double values = start == NULL ? (double)known * (double)cols : (double)start[cols];
  mk_status status = mk_deal_out(cols, mk_team_worth(team, values), scale_column, &s);
  mk_free(picked);
  return status;
}

typedef struct standard {
  const double *x, *centre, *scale;
  size_t rows;
  double *out;
} standard;

static mk_status standardize_column(void *data, size_t j, int thread) {
  const standard *s = data;
  const double *x = s->x + j * s->rows;
  double *out = s->out + j * s->rows, centre = s->centre[j], scale = s->scale[j];
  (void)thread;
  for (size_t i = 0; i < s->rows; i++) {
    double value = (x[i] - centre) / scale;
    out[i] = isinf(value) ? copysign(DBL_MAX, value) : value;
  }
  return MK_OK;
}

void mk_standardize(const double *x, size_t rows, size_t cols, const double *centre,
                    const double *scale, double *out, mk_team *team) {
  standard s = {x, centre, scale, rows, out};
  mk_deal_out(cols, mk_team_worth(team, (double)rows * (double)cols), standardize_column, &s);
}
