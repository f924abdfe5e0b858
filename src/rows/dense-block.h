/* Inner products of centred rows by tiles, once for each precision. Before including it, define
 * REAL (float or double) and DENSE(name). */

#define COLS (MK_TILE_BYTES / sizeof(REAL)) /* columns of a tile */

/* Packs `width` rows feature by feature; missing rows are 0. */
static void DENSE(pack)(const mk_family *family, const REAL *centred, const int *rows, size_t count,
                        size_t from, size_t depth, REAL *out) {
  for (size_t r = 0; r < COLS; r++) {
    if (r >= count) {
      for (size_t k = 0; k < depth; k++) out[k * COLS + r] = 0;
      continue;
    }
    const REAL *x = centred + (size_t)rows[r] * family->view->cols;
    if (family->features == NULL) {
      x += from;
      for (size_t k = 0; k < depth; k++) out[k * COLS + r] = x[k];
    } else {
      for (size_t k = 0; k < depth; k++) out[k * COLS + r] = x[family->features[from + k]];
    }
  }
}

/* Points to a slice of four rows, in place or with their features copied to `picked`. */
static void DENSE(point)(const mk_family *family, const REAL *centred, const int *rows,
                         size_t count, size_t from, size_t depth, REAL *picked, const void **left) {
  for (size_t r = 0; r < MK_TILE_ROWS; r++) {
    const REAL *x = centred + (size_t)rows[r < count ? r : 0] * family->view->cols;
    left[r] = x + from;
    if (family->features == NULL) continue;
    for (size_t k = 0; k < depth; k++) picked[r * depth + k] = x[family->features[from + k]];
    left[r] = picked + r * depth;
  }
}

/* Adds products of one slice of features to a tile of `out`. */
static void DENSE(add_tile)(const mk_row_loops *loops, size_t depth, const void *const *left,
                            const REAL *right, size_t height, size_t width, REAL *out, size_t ld) {
  if (height == MK_TILE_ROWS && width == COLS) {
    loops->row_tile(depth, left, right, out, ld);
    return;
  }
  REAL tile[MK_TILE_ROWS * COLS] __attribute__((aligned(64))) = {0};
  loops->row_tile(depth, left, right, tile, COLS);
  for (size_t k = 0; k < height; k++)
    for (size_t j = 0; j < width; j++) out[k * ld + j] += tile[k * COLS + j];
}

/* Computes products of at most MK_PACK_ROWS rows, whose slices stay in the cache; columns are
 * packed tile by tile, which is cheap beside the products. */
static void DENSE(dense_products)(const mk_kernel_set *set, const mk_family *family,
                                  const REAL *centred, const int *rows, size_t row_count,
                                  const mk_samples *others, REAL *out, size_t ld,
                                  mk_scratch *scratch) {
  const mk_row_loops *loops = &set->simd->rows[sizeof(REAL) == sizeof(float)];
  const void *left[MK_PACK_ROWS];
  REAL *picked = (REAL *)scratch->left, *right = (REAL *)scratch->right;
  size_t slices = (family->feature_count + MK_DEPTH - 1) / MK_DEPTH;
  size_t slice = (family->feature_count + slices - 1) / slices;
  int cols[COLS];
  for (size_t r = 0; r < row_count; r++) memset(out + r * ld, 0, others->count * sizeof *out);
  for (size_t from = 0; from < family->feature_count; from += slice) {
    size_t depth = family->feature_count - from < slice ? family->feature_count - from : slice;
    for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) DENSE(point)
    (family, centred, rows + r, row_count - r, from, depth, picked + r * depth, left + r);
    for (size_t c = 0; c < others->count; c += COLS) {
      size_t width = others->count - c < COLS ? others->count - c : COLS;
      for (size_t k = 0; k < width; k++) cols[k] = (int)mk_sample(others, c + k);
      DENSE(pack)(family, centred, cols, width, from, depth, right);
      for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
        size_t height = row_count - r < MK_TILE_ROWS ? row_count - r : MK_TILE_ROWS;
        DENSE(add_tile)(loops, depth, left + r, right, height, width, out + r * ld + c, ld);
      }
    }
  }
}

/* Returns features of at most MK_BLOCK_COLS columns, `apart` values from one to the next. */
static const REAL *DENSE(side_by_side)(const mk_family *family, const REAL *centred,
                                       const mk_samples *others, REAL *room, size_t *apart) {
  const mk_packed *packed = others->packed;
  if (packed != NULL && family->features == NULL) {
    *apart = packed->apart;
    return (const REAL *)packed->view[family->view - packed->set->view].at + others->at;
  }
  *apart = MK_BLOCK_COLS;
  for (size_t c = 0; c < others->count; c++) {
    const REAL *x = centred + mk_sample(others, c) * family->view->cols;
    for (size_t k = 0; k < family->feature_count; k++)
      room[k * MK_BLOCK_COLS + c] = x[mk_family_feature(family, k)];
  }
  return room;
}

/* Computes squared distances over a few features by definition. */
static void DENSE(differences)(const mk_kernel_set *set, const mk_family *family,
                               const REAL *centred, const int *rows, size_t row_count,
                               const mk_samples *others, REAL *out, size_t ld,
                               mk_scratch *scratch) {
  const mk_row_loops *loops = &set->simd->rows[sizeof(REAL) == sizeof(float)];
  size_t depth = family->feature_count, cols = family->view->cols, apart;
  REAL own[MK_NOT_MANY_FEATURES];
  for (size_t from = 0; from < others->count; from += MK_BLOCK_COLS) {
    mk_samples part = mk_part(others, from, mk_smaller(MK_BLOCK_COLS, others->count - from));
    const REAL *panel = DENSE(side_by_side)(family, centred, &part, (REAL *)scratch->left, &apart);
    for (size_t r = 0; r < row_count; r++) {
      for (size_t k = 0; k < depth; k++)
        own[k] = centred[(size_t)rows[r] * cols + mk_family_feature(family, k)];
      loops->few_squares(part.count, depth, own, panel, apart, out + r * ld + from);
    }
  }
}

#undef COLS
