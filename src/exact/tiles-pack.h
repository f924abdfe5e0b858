/* Packed samples and their structures, shared by tiles.c and tiles-pack.c only. */
#ifndef MK_TILES_PACK_H
#define MK_TILES_PACK_H

#include "base/pool.h"
#include "exact/tiles.h"

#define FEW_FEATURES 16 /* differences of so few features cost next to nothing */

/* How pairs of rows and columns are evaluated. */
typedef enum mk_tiling {
  MK_BY_DIFFERENCES, /* at most FEW_FEATURES */
  MK_BY_PANELS,      /* tiles of inner products of centred rows */
  MK_BY_LISTS,       /* rows as lists of their nonzero entries */
  MK_BY_GEOMETRY     /* pairs that the family keeps */
} mk_tiling;

/* Packed samples: slices of `depth` features, in each slice panels of `width` samples, feature by
 * feature. */
typedef struct mk_side {
  size_t count, padded, width; /* number of samples, padded to a multiple of width */
  double *packed;
  double *square, *rest; /* squared norms from the centre; their part in unpacked features */
  double *shift;         /* x'z = product of the packed features + shift of x + shift of z */
} mk_side;

struct mk_tiles {
  const mk_kernel_set *set;
  const mk_family *family;
  mk_tiling how;
  mk_pool memory;       /* owns all vectors but the rows */
  mk_side row;          /* the rows; by lists nothing is packed */
  size_t depth;         /* features in a slice */
  size_t kept;          /* features in which rows differ from the centre */
  int *place;           /* by feature of the family: its number among the kept ones, or -1 */
  double *centre;       /* by feature of the family; 0 unless distances are computed by panels */
  double half_centre;   /* half the squared norm of the centre */
  int *feature;         /* sparse views: the family's feature of each column, or -1 */
  size_t *start;        /* lists: slices x (padded rows + 1) offsets into index and value */
  unsigned char *index; /* lists: place within the slice */
  double *value;        /* lists: value */
  int *sample;          /* by geometry: the rows */
};

struct mk_tile_strip {
  mk_side col;
  double *tile; /* inner products: MK_STRIP_ROWS x MK_STRIP_COLS, for dense rows tile by tile */
  double *rows; /* lists: MK_TILE_ROWS rows of a slice, filled up with zeros */
  int sample[MK_STRIP_COLS]; /* by geometry: the columns */
};

/* Chooses the way of tiling, the features and their centre. */
mk_status mk_tiles_survey(mk_tiles *tiles, const int *samples, int distances, mk_team *team);
mk_status mk_side_new(mk_side *side, size_t count, size_t width, size_t features);
void mk_side_free(mk_side *side);
/* Packs samples start .. stop (multiples of the width) of a side. */
void mk_side_pack(const mk_tiles *tiles, mk_side *side, const int *samples, size_t start,
                  size_t stop);
mk_status mk_tiles_list(mk_tiles *tiles, const int *samples, mk_team *team);

static inline size_t mk_slice_depth(const mk_tiles *tiles, size_t slice) {
  return tiles->kept - slice < tiles->depth ? tiles->kept - slice : tiles->depth;
}

/* Returns the place of samples from `first` (a multiple of the width) on in the slice that begins
 * at this feature. */
static inline double *mk_panel(const mk_tiles *tiles, const mk_side *side, size_t slice,
                               size_t first) {
  return side->packed + slice * side->padded + first * mk_slice_depth(tiles, slice);
}

#endif
