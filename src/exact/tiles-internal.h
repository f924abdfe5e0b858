/* What tiles.c and tiles-pack.c share; nobody else includes it. */
#ifndef MK_TILES_INTERNAL_H
#define MK_TILES_INTERNAL_H

#include "base/pool.h"
#include "exact/tiles.h"

/* How rows meet columns. */
typedef enum mk_tiling {
  MK_BY_DIFFERENCES, /* few features, one after the other */
  MK_BY_PANELS,      /* tiles of inner products of centred rows */
  MK_BY_LISTS,       /* rows as lists of their nonzero entries */
  MK_BY_GEOMETRY     /* what the family keeps of all pairs */
} mk_tiling;

/* Samples side by side: slices of `depth` features, in each of them panels of
 * `width` samples, feature by feature. */
typedef struct mk_side {
  size_t count, padded, width; /* samples; as a multiple of width */
  double *packed;
  double *square, *rest; /* squared norms from the centre; what features not packed are of them */
  double *shift;         /* x'z = product of what is packed + shift of x + shift of z */
} mk_side;

struct mk_tiles {
  const mk_kernel_set *set;
  const mk_family *family;
  mk_tiling how;
  mk_pool memory;       /* of all vectors but the rows */
  mk_side row;          /* rows; nothing is packed where they are lists */
  size_t depth;         /* features in a slice */
  size_t kept;          /* features in which the rows differ from the centre ... */
  int *place;           /* ... their number among these, or -1; one per feature of the family */
  double *centre;       /* one per feature; zero but for distances by panels */
  double half_centre;   /* half the squared norm of the centre */
  int *feature;         /* sparse views: the family's feature that a column is, or -1 */
  size_t *start;        /* lists: slices x (padded rows + 1) offsets into ... */
  unsigned char *index; /* ... place within the slice and ... */
  double *value;        /* ... value */
  int *sample;          /* pairs: the rows */
};

struct mk_tile_strip {
  mk_side col;
  double *tile; /* inner products: MK_STRIP_ROWS x MK_STRIP_COLS, for dense rows tile by tile */
  double *rows; /* lists: MK_TILE_ROWS rows of a slice, filled up */
  int sample[MK_STRIP_COLS]; /* pairs: the columns */
};

/* Chooses how, which features, and around which centre. */
mk_status mk_tiles_survey(mk_tiles *tiles, const int *samples, int distances, mk_team *team);
mk_status mk_side_new(mk_side *side, size_t count, size_t width, size_t features);
void mk_side_free(mk_side *side);
/* Samples from start to stop (multiples of the width) of a side. */
void mk_side_pack(const mk_tiles *tiles, mk_side *side, const int *samples, size_t start,
                  size_t stop);
mk_status mk_tiles_list(mk_tiles *tiles, const int *samples, mk_team *team);

static inline size_t mk_slice_depth(const mk_tiles *tiles, size_t slice) {
  return tiles->kept - slice < tiles->depth ? tiles->kept - slice : tiles->depth;
}

/* Where samples from `first` (a multiple of the width) lie in the slice that begins at a feature.
 */
static inline double *mk_panel(const mk_tiles *tiles, const mk_side *side, size_t slice,
                               size_t first) {
  return side->packed + slice * side->padded + first * mk_slice_depth(tiles, slice);
}

#endif
