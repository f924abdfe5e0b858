#include "cholesky.h"

#include "base/flush.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

#define PANEL 64     /* columns factored together; a multiple of both tile sides and MK_TILE_ROWS */
#define DEPTH 256    /* columns packed at a time */
#define FEW_STRIPS 8 /* strips that one thread updates alone; it factors half as many */

typedef struct factoring {
  mk_row a;
  size_t n, rows, tile; /* size; rows; columns of a tile */
  int packed;           /* 1 if rows begin where mk_factor_at() says, 0 if n values apart */
  const mk_row_loops *loops;
  double shift;
  mk_row right;   /* minus the panel's rows, packed: PANEL x DEPTH */
  mk_row inverse; /* inverses of the triangles of the panel's tiles, transposed: PANEL x tile */
} factoring;

/* The columns first .. first + width - 1, which lose the products of the packed columns from ..
 * from + depth - 1 of the same rows. */
typedef struct update {
  size_t first, width, from, depth;
  mk_row packed;
} update;

static size_t strip_of(size_t n, size_t i) {
  return mk_smaller(i, n - 1) / PANEL;
}

/* Returns the length of the rows of a strip. */
static size_t row_length(size_t n, size_t strip) {
  return mk_smaller(n, (strip + 1) * PANEL);
}

size_t mk_factor_at(size_t n, size_t i) {
  if (n == 0) return 0;
  size_t strip = strip_of(n, i), before = strip * (strip + 1) / 2 * PANEL * PANEL;
  return before + (i - strip * PANEL) * row_length(n, strip);
}

/* Returns the n with n (n + PANEL) / 2 = values, roughly, since the last strip may be short. */
double mk_factor_most(double values) {
  return sqrt(0.25 * PANEL * PANEL + 2.0 * values) - 0.5 * PANEL;
}

static size_t values_before(const factoring *f, size_t i) {
  return f->packed ? mk_factor_at(f->n, i) : i * f->n;
}

/* Returns the distance from row i to the next row of its strip. */
static size_t stride(const factoring *f, size_t i) {
  return f->packed ? row_length(f->n, strip_of(f->n, i)) : f->n;
}

static mk_row row_of(const factoring *f, size_t i) {
  return mk_row_from(f->a, values_before(f, i));
}

/* Packs minus the rows of the columns that change, tile by tile. */
static void pack_update(const factoring *f, const update *u) {
  for (size_t c = 0; c < u->width; c += f->tile)
    for (size_t r = 0; r < f->tile; r++) {
      size_t i = u->first + c + r;
      int beyond = i >= f->n;
      mk_row row = mk_row_from(row_of(f, beyond ? u->first : i), u->from);
      mk_row out = mk_row_from(u->packed, c * u->depth);
      for (size_t k = 0; k < u->depth; k++)
        mk_row_set(out, k * f->tile + r, beyond ? 0.0 : -mk_row_at(row, k));
    }
}

/* Updates rows i .. i + height - 1, at most four, within the lower triangle. */
static void update_rows(const factoring *f, const update *u, size_t i, size_t height) {
  const void *left[MK_TILE_ROWS];
  mk_row rows = row_of(f, i);
  size_t end = u->first + u->width, apart = stride(f, i);
  for (size_t r = 0; r < MK_TILE_ROWS; r++)
    left[r] = mk_row_from(rows, (r < height ? r * apart : 0) + u->from).at;
  for (size_t first = u->first; first < end && first < i + height; first += f->tile) {
    const void *right = mk_row_from(u->packed, (first - u->first) * u->depth).at;
    if (height == MK_TILE_ROWS && first + f->tile <= end && first + f->tile <= i + 1) {
      f->loops->row_tile(u->depth, left, right, mk_row_from(rows, first).at, apart);
      continue;
    }
    char values[MK_TILE_ROWS * MK_TILE_BYTES] __attribute__((aligned(64))) = {0};
    mk_row tile = {values, f->a.single};
    f->loops->row_tile(u->depth, left, right, values, f->tile);
    for (size_t r = 0; r < height; r++) {
      size_t last = i + r + 1 < end ? i + r + 1 : end;
      if (first < last)
        mk_row_add(mk_row_from(rows, r * apart + first), mk_row_from(tile, r * f->tile),
                   last - first < f->tile ? last - first : f->tile);
    }
  }
}

static void update_strip(const factoring *f, const update *u, size_t first, size_t last) {
  for (size_t i = first; i < last; i += MK_TILE_ROWS)
    update_rows(f, u, i, last - i < MK_TILE_ROWS ? last - i : MK_TILE_ROWS);
}

static size_t strip_end(const factoring *f, size_t first) {
  return first + PANEL < f->rows ? first + PANEL : f->rows;
}

/* A panel, which the tasks for strips of its rows share. */
typedef struct paneling {
  const factoring *f;
  update before;       /* the update by all columns before the panel */
  size_t panel, width; /* first column, and number of columns */
} paneling;

static mk_status update_task(void *data, size_t k, int thread) {
  const paneling *p = data;
  size_t first = p->panel + k * PANEL;
  unsigned mode = mk_flush_begin();
  (void)thread;
  update_strip(p->f, &p->before, first, strip_end(p->f, first));
  mk_flush_end(mode);
  return MK_OK;
}

static size_t strips(const factoring *f, size_t first) {
  return (f->rows - first + PANEL - 1) / PANEL;
}

/* Subtracts the products of all columns before the panel. */
static void update_panel(paneling *p, mk_team *team) {
  size_t panel = p->panel, count = strips(p->f, panel);
  for (size_t from = 0; from < panel; from += DEPTH) {
    size_t depth = panel - from < DEPTH ? panel - from : DEPTH;
    p->before = (update){panel, p->width, from, depth, p->f->right};
    pack_update(p->f, &p->before);
    mk_deal_out(count, count > FEW_STRIPS ? team : NULL, update_task, p);
  }
}

/* Factors row i of a tile's columns by forward substitution with the rows above. */
static mk_status factor_row(const factoring *f, size_t i, size_t first, size_t width) {
  mk_row row = mk_row_from(row_of(f, i), first), above = mk_row_from(row_of(f, first), first);
  size_t last = i - first < width ? i - first : width, apart = stride(f, first);
  for (size_t k = 0; k < last; k++, above = mk_row_from(above, apart)) {
    double value = mk_row_at(row, k) - f->loops->dot(k, row.at, above.at);
    mk_row_set(row, k, value / mk_row_at(above, k));
  }
  if (last == width) return MK_OK;
  double square = mk_row_at(row, last) + f->shift - f->loops->dot(last, row.at, row.at);
  if (!(square > 0.0) || !isfinite(square)) return MK_STALLED;
  mk_row_set(row, last, sqrt(square));
  return MK_OK;
}

/* Inverts the triangle of the tile at column `first`, for solve_rows(). */
static void invert_tile(const factoring *f, size_t first, mk_row out) {
  for (size_t k = 0; k < f->tile; k++)
    for (size_t c = 0; c < f->tile; c++) {
      double value = c == k ? 1.0 : 0.0;
      mk_row row = mk_row_from(row_of(f, first + c), first);
      for (size_t j = k; j < c; j++) value -= mk_row_at(row, j) * mk_row_at(out, k * f->tile + j);
      mk_row_set(out, k * f->tile + c, c < k ? 0.0 : value / mk_row_at(row, c));
    }
}

/* Multiplies four rows of a tile's columns by the inverse of its triangle. */
static void solve_rows(const factoring *f, size_t i, size_t first, mk_row inverse) {
  char values[MK_TILE_ROWS * MK_TILE_BYTES] __attribute__((aligned(64)));
  const void *left[MK_TILE_ROWS];
  mk_row rows = mk_row_from(row_of(f, i), first);
  size_t apart = stride(f, i);
  for (size_t r = 0; r < MK_TILE_ROWS; r++) {
    void *at = mk_row_from(rows, r * apart).at;
    left[r] = memcpy(values + r * MK_TILE_BYTES, at, MK_TILE_BYTES);
    memset(at, 0, MK_TILE_BYTES);
  }
  f->loops->row_tile(f->tile, left, inverse.at, rows.at, apart);
}

/* Returns the update of the tile at column c by the panel's columns before it. */
static update inner_update(const factoring *f, size_t panel, size_t width, size_t c) {
  size_t tile = width - c < f->tile ? width - c : f->tile;
  return (update){panel + c, tile, panel, c, mk_row_from(f->right, c * PANEL)};
}

/* Factors the triangle of a panel, tile by tile: subtracts the products of its earlier columns,
 * then divides by the tile's triangle. */
static mk_status factor_triangle(const factoring *f, size_t panel, size_t width) {
  for (size_t c = 0; c < width; c += f->tile) {
    update u = inner_update(f, panel, width, c);
    pack_update(f, &u);
    if (c > 0) update_strip(f, &u, u.first, panel + width);
    for (size_t i = u.first; i < panel + width; i++) MK_TRY(factor_row(f, i, u.first, u.width));
    if (u.width == f->tile) invert_tile(f, u.first, mk_row_from(f->inverse, c * f->tile));
  }
  return MK_OK;
}

/* Factors rows first .. last - 1 below the triangle, with the inverses and updates that
 * factor_triangle() has packed. */
static void factor_strip(const factoring *f, size_t panel, size_t width, size_t first,
                         size_t last) {
  for (size_t c = 0; c < width; c += f->tile) {
    update u = inner_update(f, panel, width, c);
    if (c > 0) update_strip(f, &u, first, last);
    size_t i = first;
    for (; i + MK_TILE_ROWS <= last && u.width == f->tile; i += MK_TILE_ROWS)
      solve_rows(f, i, u.first, mk_row_from(f->inverse, c * f->tile));
    for (; i < last; i++) factor_row(f, i, u.first, u.width);
  }
}

static mk_status factor_task(void *data, size_t k, int thread) {
  const paneling *p = data;
  size_t first = p->panel + p->width + k * PANEL;
  unsigned mode = mk_flush_begin();
  (void)thread;
  factor_strip(p->f, p->panel, p->width, first, strip_end(p->f, first));
  mk_flush_end(mode);
  return MK_OK;
}

/* Factors the panel's triangle, then the rows below it. */
static mk_status factor_panel(paneling *p, mk_team *team) {
  size_t count = strips(p->f, p->panel + p->width);
  unsigned mode = mk_flush_begin();
  mk_status status = factor_triangle(p->f, p->panel, p->width);
  mk_flush_end(mode);
  if (status != MK_OK) return status;
  return mk_deal_out(count, count > FEW_STRIPS / 2 ? team : NULL, factor_task, p);
}

/* Factors panel by panel; control (or NULL) sets limits, checked after the first panel. */
static mk_status factor_panels(factoring *f, mk_team *team, const mk_control *control) {
  size_t value = mk_row_size(f->a.single);
  f->tile = MK_TILE_BYTES / value;
  f->loops = &mk_simd_best()->rows[f->a.single];
  f->right = (mk_row){mk_alloc((size_t)PANEL * (DEPTH + f->tile), value), f->a.single};
  f->inverse = mk_row_from(f->right, (size_t)PANEL * DEPTH);
  mk_status status = f->right.at == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t panel = 0; status == MK_OK && panel < f->n; panel += PANEL) {
    if (panel > 0 && control != NULL) status = mk_check(control);
    if (status != MK_OK) break;
    paneling p = {.f = f, .panel = panel, .width = mk_smaller(f->n - panel, PANEL)};
    update_panel(&p, team);
    status = factor_panel(&p, team);
  }
  mk_free(f->right.at);
  return status;
}

mk_status mk_factor(mk_row a, size_t n, size_t rows, double shift, const mk_control *control) {
  factoring f = {.a = a, .n = n, .rows = rows, .packed = 1, .shift = shift};
  return factor_panels(&f, control->team, control);
}

static void solve_lower(const factoring *f, double *x) {
  const mk_row_loops *loops = &mk_simd_best()->rows[f->a.single];
  for (size_t i = 0; i < f->n; i++) {
    mk_row row = row_of(f, i);
    x[i] = (x[i] - loops->dot_double(i, row.at, x)) / mk_row_at(row, i);
  }
}

static void solve_upper(const factoring *f, double *x) {
  const mk_row_loops *loops = &mk_simd_best()->rows[f->a.single];
  for (size_t i = f->n; i-- > 0;) {
    mk_row row = row_of(f, i);
    x[i] /= mk_row_at(row, i);
    loops->axpy(i, -x[i], row.at, x);
  }
}

void mk_factor_lower(mk_row l, size_t n, double *x) {
  solve_lower(&(factoring){.a = l, .n = n, .packed = 1}, x);
}

void mk_factor_upper(mk_row l, size_t n, double *x) {
  solve_upper(&(factoring){.a = l, .n = n, .packed = 1}, x);
}

mk_status mk_cholesky(double *a, size_t n, double shift, mk_team *team) {
  factoring f = {.a = {a, 0}, .n = n, .rows = n, .shift = shift};
  return factor_panels(&f, team, NULL);
}

mk_status mk_cholesky_within(double *a, size_t n, double shift, const mk_control *control) {
  factoring f = {.a = {a, 0}, .n = n, .rows = n, .shift = shift};
  return factor_panels(&f, control->team, control);
}

void mk_solve_lower(const double *l, size_t n, double *x) {
  solve_lower(&(factoring){.a = {(void *)l, 0}, .n = n}, x);
}

void mk_solve_upper(const double *l, size_t n, double *x) {
  solve_upper(&(factoring){.a = {(void *)l, 0}, .n = n}, x);
}
