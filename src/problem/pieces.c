/* Piecewise quadratic losses. Called by loss.c, svm/loss.c, certificate/losses.c and the glue.
 * MATHEMATICS.md, section 1.2. */
#include "pieces.h"

#include <math.h>

/* Phi'(t) = slope + bend (t - at) near a t, and Phi(at) = value. */
typedef struct spot {
  double at, slope, value, bend;
} spot;

/* Returns the number of rising values x + weight * slope that are below `level`, or equal to it if
 * `equal` is 1. slope is not read if weight is 0. */
static size_t count_below(const double *x, const double *slope, double weight, size_t count,
                          double level, int equal) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    double own = x[middle] + (weight > 0.0 ? weight * slope[middle] : 0.0);
    if (equal ? own <= level : own < level)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

mk_piece_table mk_pieces_of(const mk_pieces *pieces, double y) {
  size_t low = count_below(pieces->y, NULL, 0.0, pieces->tables, y, 0);
  if (low == pieces->tables) return (mk_piece_table){.count = 0};
  size_t from = (size_t)pieces->start[low];
  return (mk_piece_table){.count = (size_t)pieces->start[low + 1] - from,
                          .at = pieces->at + from,
                          .slope = pieces->slope + from,
                          .value = pieces->value + from,
                          .open = pieces->open + 2 * low};
}

/* Returns the integral of Phi' over the piece that ends at knot k. */
static double piece_rise(const mk_piece_table *table, size_t k) {
  return 0.5 * (table->slope[k - 1] + table->slope[k]) * (table->at[k] - table->at[k - 1]);
}

/* Sums begin where Phi is least: losses far from there may be larger by 1e16 and more. */
void mk_pieces_integrate(const mk_piece_table *table, double *value) {
  size_t least = 0;
  while (least + 1 < table->count && table->slope[least] < 0.0) least++;
  value[least] = 0.0;
  for (size_t k = least; k-- > 0;) value[k] = value[k + 1] - piece_rise(table, k + 1);
  for (size_t k = least + 1; k < table->count; k++) value[k] = value[k - 1] + piece_rise(table, k);
}

double mk_piece_bound(const mk_piece_table *table, int above) {
  if (table->open[above]) return above ? INFINITY : -INFINITY;
  return table->slope[above ? table->count - 1 : 0];
}

static double bend_of(const mk_piece_table *table, size_t k) {
  return (table->slope[k + 1] - table->slope[k]) / (table->at[k + 1] - table->at[k]);
}

/* Returns the spot that begins at the last of the knots k < `first`; before the first knot and
 * after the last one Phi' goes on from there. */
static spot spot_before(const mk_piece_table *table, size_t first) {
  size_t last = table->count - 1, k = first == 0 ? 0 : first - 1;
  double bend = first == 0     ? (table->open[0] ? bend_of(table, 0) : 0.0)
                : k == last    ? (table->open[1] ? bend_of(table, last - 1) : 0.0)
                               : bend_of(table, k);
  return (spot){table->at[k], table->slope[k], table->value[k], bend};
}

/* Returns the number of knots whose t + weight Phi'(t) is at most `level`. */
static size_t knots_below(const mk_piece_table *table, double weight, double level) {
  return count_below(table->at, table->slope, weight, table->count, level, 1);
}

double mk_piece_value(const mk_piece_table *table, double t) {
  spot s = spot_before(table, knots_below(table, 0.0, t));
  double d = t - s.at;
  return s.value + d * (s.slope + 0.5 * s.bend * d);
}

double mk_piece_slope(const mk_piece_table *table, double t, double weight, double *bend) {
  spot s = spot_before(table, knots_below(table, weight, t));
  *bend = s.bend;
  return s.slope + s.bend * (t - s.at - weight * s.slope) / (1.0 + weight * s.bend);
}

double mk_piece_inverse(const mk_piece_table *table, double u, int right) {
  size_t low = count_below(table->slope, NULL, 0.0, table->count, u, right);
  if (right && low > 0 && table->slope[low - 1] == u) return table->at[low - 1];
  if (!right && low < table->count && table->slope[low] == u) return table->at[low];
  spot s = spot_before(table, low);
  return s.bend > 0.0 ? s.at + (u - s.slope) / s.bend : s.at;
}

double mk_piece_conjugate(const mk_piece_table *table, double u) {
  double t = mk_piece_inverse(table, u, 0);
  return u * t - mk_piece_value(table, t);
}
