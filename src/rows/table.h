/* Gaussian kernels of a family as piecewise polynomials of its distances, for those who mix and sum
 * them. */
#ifndef MK_TABLE_H
#define MK_TABLE_H

#include "kernel/structure.h"

#define MK_MAX_OCTAVES 40

typedef struct mk_family_tables {
  size_t count;  /* Gaussian members without roots: mixed through one table */
  int *member;   /* their kernel numbers */
  size_t tables; /* Gaussians on the pieces: the members, or a few that make these */
  double *width; /* tables: their widths */
  double *basis; /* tables x pieces x MK_PIECE_TERMS, or NULL */
  double *share; /* members x tables: what each takes of each; NULL: just its own */
  double inv_sigma, u_max;
  int pieces;
} mk_family_tables;

/* The family's; empty where it has none. */
static inline const mk_family_tables *mk_tables_of(const mk_family *family) {
  static const mk_family_tables none;
  return family->tables != NULL ? family->tables : &none;
}

/* Makes the tables of all families, for those who ask first, on the thread that called the core. */
mk_status mk_table_need(const mk_kernel_set *set);
/* The weights of a family's tables in a mixture of kernels with the given weights. */
void mk_table_weights(const mk_kernel_set *set, const mk_family_tables *tables,
                      const double *weight, double *out);
/* Gives a table of doubles its coarse one in `out`, MK_PIECE_TERMS x MK_COARSE_PIECES, unless
 * distances span too many octaves. */
void mk_table_coarsen(const mk_kernel_set *set, mk_table *table, float *out);

#endif
