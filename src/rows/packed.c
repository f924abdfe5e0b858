/* Samples packed by features, for blocks that use them as columns many times: the working set of
 * the row providers, for the distances of base-block.c. MATHEMATICS.md, section 4.1. */
#include "packed.h"

#include "base/memory.h"
#include "rows/base-block-internal.h"

/* Returns 1 if families of few features take all columns of the view. */
static int is_worth_packing(const mk_bases *bases, size_t v) {
  return bases->centred[v].at != NULL && bases->set->view[v].cols <= MK_NOT_MANY_FEATURES;
}

static void pack_values(const mk_packed *packed, mk_row x, size_t cols, mk_row out) {
  for (size_t c = 0; c < packed->count; c++)
    for (size_t k = 0; k < cols; k++)
      mk_row_set(out, k * packed->apart + c, mk_row_at(x, (size_t)packed->sample[c] * cols + k));
}

mk_status mk_packed_new(mk_packed **out, const mk_bases *bases, const int *samples, size_t count) {
  mk_packed *packed = *out = MK_NEW0(mk_packed, 1);
  if (packed == NULL) return MK_NO_MEMORY;
  packed->set = bases->set;
  packed->count = count;
  packed->apart = mk_padded(count + 1);
  packed->view = MK_TAKE0(&packed->pool, mk_row, bases->set->views);
  packed->sample = MK_TAKE(&packed->pool, int, count);
  MK_TRY(mk_pool_status(&packed->pool));
  for (size_t c = 0; c < count; c++) packed->sample[c] = samples[c];
  for (size_t v = 0; v < bases->set->views; v++) {
    size_t cols = bases->set->view[v].cols;
    if (!is_worth_packing(bases, v)) continue;
    packed->view[v] =
        (mk_row){mk_pool_alloc(&packed->pool, cols * packed->apart, mk_row_size(bases->single)),
                 bases->single};
    MK_TRY(mk_pool_status(&packed->pool));
    pack_values(packed, bases->centred[v], cols, packed->view[v]);
  }
  return MK_OK;
}

void mk_packed_free(mk_packed *packed) {
  if (packed == NULL) return;
  mk_pool_free(&packed->pool);
  mk_free(packed);
}

size_t mk_packed_bytes(const mk_packed *packed) {
  return packed == NULL ? 0 : packed->pool.bytes;
}

mk_samples mk_packed_samples(const mk_packed *packed, size_t from, size_t count) {
  mk_samples others = mk_list(packed->sample + from, count);
  others.packed = packed;
  others.at = from;
  return others;
}
