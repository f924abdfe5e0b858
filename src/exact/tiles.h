/* Distances and inner products of many pairs by tiles. */
#ifndef MK_TILES_H
#define MK_TILES_H

#include "exact/exact.h"
#include "kernel/structure.h"

/* Samples of a dense family packed for tiles, as rows of every block. */
typedef struct mk_tiles mk_tiles;
/* Columns of one thread, packed likewise. */
typedef struct mk_tile_strip mk_tile_strip;

#define MK_STRIP_COLS MK_EXACT_COLS
#define MK_STRIP_ROWS 64 /* rows of a block; a multiple of MK_TILE_ROWS */

int mk_tiles_suit(const mk_family *family);
/* `distances` is 1 if distances will be asked for, 0 if only products will. */
mk_status mk_tiles_new(mk_tiles **tiles, const mk_kernel_set *set, const mk_family *family,
                       const int *samples, size_t count, int distances, mk_team *team);
void mk_tiles_free(mk_tiles *tiles);
mk_tile_strip *mk_tile_strip_new(const mk_tiles *tiles);
void mk_tile_strip_free(mk_tile_strip *strip);
void mk_tile_strip_pack(const mk_tiles *tiles, mk_tile_strip *strip, const int *samples,
                        size_t count);
/* Returns the largest |x|^2 + |z|^2 of a row and a column, whose roundings bound the errors of
 * distances; 0 if distances are sums of squared differences. */
double mk_tiles_reach(const mk_tiles *tiles, const mk_tile_strip *strip);
/* Computes rows first .. first + height (first a multiple of MK_TILE_ROWS) against the strip's
 * columns from `from` on. Rows are MK_STRIP_COLS apart; either array may be NULL. */
void mk_tiles_block(const mk_tiles *tiles, mk_tile_strip *strip, size_t first, size_t height,
                    size_t from, double *distance, double *product);

#endif
