/* Gaussian kernels of a family as piecewise polynomials of its distances, for mixtures and sums. */
#ifndef MK_TABLE_H
#define MK_TABLE_H

#include "kernel/structure.h"

#define MK_MAX_OCTAVES 40

typedef struct mk_family_tables {
  /* number of Gaussian members that are not divided by roots, which one table mixes */
  size_t count;
  int *member; /* their kernel numbers */
  /* number of Gaussians on the pieces: the members, or a few from which these are combined */
  size_t tables;
  double *width; /* tables: their widths */
  double *basis; /* tables x pieces x MK_PIECE_TERMS, or NULL */
  /* members x tables: parts of the tables in each member; NULL: each is its own table */
  double *share;
  double inv_sigma, u_max;
  int pieces;
} mk_family_tables;

/* Returns the family's tables; empty if it has none. */
static inline const mk_family_tables *mk_tables_of(const mk_family *family) {
  static const mk_family_tables none;
  return family->tables != NULL ? family->tables : &none;
}

/* Makes the tables of all families, on the thread that called the core. */
mk_status mk_table_need(const mk_kernel_set *set);
/* Computes the weights of a family's tables in a mixture of kernels with the given weights. */
void mk_table_weights(const mk_kernel_set *set, const mk_family_tables *tables,
                      const double *weight, double *out);
/* Gives a table of doubles a coarse one in `out`, MK_PIECE_TERMS x MK_COARSE_PIECES, unless
 * distances span too many octaves. */
void mk_table_coarsen(const mk_kernel_set *set, mk_table *table, float *out);

#endif
