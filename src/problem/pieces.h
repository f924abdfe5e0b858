/* Losses that a user gives by their derivatives. V(y - t, y), as a function of t, is approximated
 * by a function Phi whose derivative is piecewise linear: one table of knots for each target y. Its
 * conjugate psi(u) = max over t of u t - Phi(t) has the inverse of Phi' as its derivative
 * (MATHEMATICS.md, section 1.2). */
#ifndef MK_PIECES_H
#define MK_PIECES_H

#include <stddef.h>

typedef struct mk_pieces {
  size_t tables;
  const double *y;     /* tables: the targets, rising */
  const int *start;    /* tables + 1: the first knot of each table, and their number */
  const double *at;    /* t at the knots, rising within a table */
  const double *slope; /* Phi' at the knots, not falling; 0 is among them or at an open end */
  const double *value; /* Phi at the knots; its least value is 0 */
  const int *open;     /* 2 x tables: 1 if Phi' goes on as in the first piece, as in the last one; 0
                          if it is constant beyond the knots */
} mk_pieces;

typedef struct mk_piece_table {
  size_t count;
  const double *at, *slope, *value;
  const int *open;
} mk_piece_table;

/* Returns the table of the target, or that of the next larger one (count = 0: none). */
mk_piece_table mk_pieces_of(const mk_pieces *pieces, double y);
/* Computes Phi at the knots of one table from its derivative. */
void mk_pieces_integrate(const mk_piece_table *table, double *value);

/* Returns the least (above = 0) or largest value of Phi'. */
double mk_piece_bound(const mk_piece_table *table, int above);
double mk_piece_value(const mk_piece_table *table, double t);
/* Returns Phi'(s) at the s with s + weight Phi'(s) = t, and in *bend Phi'' there. */
double mk_piece_slope(const mk_piece_table *table, double t, double weight, double *bend);
/* Returns psi'(u) from the left (right = 0) or from the right, within the knots. */
double mk_piece_inverse(const mk_piece_table *table, double u, int right);
double mk_piece_conjugate(const mk_piece_table *table, double u); /* returns psi(u) */

#endif
