/* Piecewise quadratic losses. Called by loss.c, svm/loss.c, certificate/losses.c and the glue.
 * MATHEMATICS.md, section 1.2. */
#include "pieces.h"

#include <math.h>

/* Phi'(t) = slope + bend (t - at) near a t, and Phi(at) = value. */
typedef struct spot {
  double at, slope, value, bend;
} spot;

mk_piece_table mk_pieces_of(const mk_pieces *pieces, double y) {
  size_t low = 0, high = pieces->tables;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pieces->y[middle] < y)
      low = middle + 1;
    else
      high = middle;
  }
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

/* Returns the spot that begins at the last of the knots k < `first`; before the first knot and after
 * the last one Phi' goes on from there. */
static spot spot_before(const mk_piece_table *table, size_t first) {
  size_t last = table->count - 1, k = first == 0 ? 0 : first - 1;
  double bend = first == 0     ? (table->open[0] ? bend_of(table, 0) : 0.0)
                : k == last    ? (table->open[1] ? bend_of(table, last - 1) : 0.0)
                               : bend_of(table, k);
  return (spot){table->at[k], table->slope[k], table->value[k], bend};
}

/* Returns the number of knots whose t + weight Phi'(t) is at most `level`. */
static size_t knots_below(const mk_piece_table *table, double weight, double level) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    double own = table->at[middle] + (weight > 0.0 ? weight * table->slope[middle] : 0.0);
    if (own <= level)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
  size_t low = 0, high = table->count; /* knots whose slope is below u, or at most u */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (right ? table->slope[middle] <= u : table->slope[middle] < u)
      low = middle + 1;
    else
      high = middle;
  }
  if (right && low > 0 && table->slope[low - 1] == u) return table->at[low - 1];
  if (!right && low < table->count && table->slope[low] == u) return table->at[low];
  spot s = spot_before(table, low);
  return s.bend > 0.0 ? s.at + (u - s.slope) / s.bend : s.at;
}

double mk_piece_conjugate(const mk_piece_table *table, double u) {
  double t = mk_piece_inverse(table, u, 0);
  return u * t - mk_piece_value(table, t);
}
