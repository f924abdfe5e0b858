/* Squared distances from tiles of inner products, once for each precision:
 * include with REAL (float or double) and DENSE(name) defined. */

#define COLS (MK_TILE_BYTES / sizeof(REAL)) /* of a tile */

/* `width` rows side by side, feature by feature; missing rows are zero. */
static void DENSE(pack)(const mk_family *family, const REAL *centred, const int *rows, size_t count,
                        size_t width, size_t from, size_t depth, REAL *out) {
  for (size_t r = 0; r < width; r++) {
    if (r >= count) {
      for (size_t k = 0; k < depth; k++) out[k * width + r] = 0;
      continue;
    }
    const REAL *x = centred + (size_t)rows[r] * family->view->cols;
    if (family->features == NULL) {
      x += from;
      for (size_t k = 0; k < depth; k++) out[k * width + r] = x[k];
    } else {
      for (size_t k = 0; k < depth; k++) out[k * width + r] = x[family->features[from + k]];
    }
  }
}

static void DENSE(to_distance)(const mk_family *family, int row, const int *cols, size_t count,
                               REAL *product) {
  double own = family->square[row];
  for (size_t c = 0; c < count; c++) {
    double d = own + family->square[cols[c]] - 2.0 * (double)product[c];
    product[c] = d > 0.0 && cols[c] != row ? (REAL)d : 0;
  }
}

/* Products of one slice of features are added to a tile of `out`. */
static void DENSE(add_tile)(const mk_kernel_set *set, size_t depth, const REAL *left,
                            const REAL *right, size_t height, size_t width, REAL *out, size_t ld) {
  REAL tile[MK_TILE_ROWS * COLS] __attribute__((aligned(64))) = {0};
  set->simd->rows[sizeof(REAL) == sizeof(float)].dot_tile(depth, left, right, tile);
  for (size_t k = 0; k < height; k++)
    for (size_t j = 0; j < width; j++) out[k * ld + j] += tile[k * COLS + j];
}

/* At most MK_PACK_ROWS rows; column strips of one tile. Rows are packed once
 * per depth slice and strip group, which is small beside the products. */
static void DENSE(dense_block)(const mk_kernel_set *set, const mk_family *family,
                               const REAL *centred, const int *rows, size_t row_count,
                               const mk_columns *columns, REAL *out, size_t ld,
                               mk_scratch *scratch) {
  REAL *left = (REAL *)scratch->left, *right = (REAL *)scratch->right;
  size_t slices = (family->feature_count + MK_DEPTH - 1) / MK_DEPTH;
  size_t slice = (family->feature_count + slices - 1) / slices;
  int cols[MK_BLOCK_COLS];
  for (size_t r = 0; r < row_count; r++) memset(out + r * ld, 0, columns->count * sizeof *out);
  for (size_t from = 0; from < family->feature_count; from += slice) {
    size_t depth = family->feature_count - from < slice ? family->feature_count - from : slice;
    for (size_t r = 0; r < row_count; r += MK_TILE_ROWS)
      DENSE(pack)
      (family, centred, rows + r, row_count - r, MK_TILE_ROWS, from, depth, left + r * depth);
    for (size_t c = 0; c < columns->count; c += COLS) {
      size_t width = columns->count - c < COLS ? columns->count - c : COLS;
      for (size_t k = 0; k < width; k++) cols[k] = (int)mk_column(columns, c + k);
      DENSE(pack)(family, centred, cols, width, COLS, from, depth, right);
      for (size_t r = 0; r < row_count; r += MK_TILE_ROWS) {
        size_t height = row_count - r < MK_TILE_ROWS ? row_count - r : MK_TILE_ROWS;
        DENSE(add_tile)(set, depth, left + r * depth, right, height, width, out + r * ld + c, ld);
      }
    }
  }
  for (size_t c = 0; c < columns->count; c += MK_BLOCK_COLS) {
    size_t width = columns->count - c < MK_BLOCK_COLS ? columns->count - c : MK_BLOCK_COLS;
    for (size_t k = 0; k < width; k++) cols[k] = (int)mk_column(columns, c + k);
    for (size_t r = 0; r < row_count; r++)
      DENSE(to_distance)(family, rows[r], cols, width, out + r * ld + c);
  }
}

#undef COLS
