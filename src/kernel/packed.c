/* Samples packed by features, for blocks that meet them as columns again and again. */
#include "base/memory.h"
#include "internal.h"

/* Families of few features that take all of a view are read from here. */
static int is_worth_packing(const mk_bases *bases, size_t v) {
  return bases->centred[v].at != NULL && bases->set->view[v].cols <= MK_NOT_MANY_FEATURES;
}

#define PACK(type)                                                                                 \
  do {                                                                                             \
    const type *from = x.at;                                                                       \
    type *to = out.at;                                                                             \
    for (size_t c = 0; c < packed->count; c++)                                                     \
      for (size_t k = 0; k < cols; k++)                                                            \
        to[k * packed->apart + c] = from[(size_t)packed->sample[c] * cols + k];                    \
  } while (0)

static void pack(const mk_packed *packed, mk_row x, size_t cols, mk_row out) {
  if (x.single)
    PACK(float);
  else
    PACK(double);
}

static mk_status pack_view(mk_packed *packed, const mk_bases *bases, size_t v) {
  size_t cols = bases->set->view[v].cols, size = mk_row_size(bases->single);
  mk_row out = {mk_alloc(cols * packed->apart, size), bases->single};
  if (out.at == NULL) return MK_NO_MEMORY;
  packed->view[v] = out;
  packed->bytes += cols * packed->apart * size;
  pack(packed, bases->centred[v], cols, out);
  return MK_OK;
}

mk_status mk_packed_new(mk_packed **out, const mk_bases *bases, const int *samples, size_t count) {
  mk_packed *packed = MK_NEW0(mk_packed, 1);
  *out = packed;
  if (packed == NULL) return MK_NO_MEMORY;
  packed->set = bases->set;
  packed->count = count;
  packed->apart = mk_padded(count + 1);
  packed->view = MK_NEW0(mk_row, bases->set->views + 1);
  packed->sample = MK_NEW(int, count + 1);
  if (packed->view == NULL || packed->sample == NULL) return MK_NO_MEMORY;
  packed->bytes = (count + 1) * sizeof(int);
  for (size_t c = 0; c < count; c++) packed->sample[c] = samples[c];
  for (size_t v = 0; v < bases->set->views; v++)
    if (is_worth_packing(bases, v)) MK_TRY(pack_view(packed, bases, v));
  return MK_OK;
}

void mk_packed_free(mk_packed *packed) {
  if (packed == NULL) return;
  for (size_t v = 0; packed->view != NULL && v < packed->set->views; v++)
    mk_free(packed->view[v].at);
  mk_free(packed->view);
  mk_free(packed->sample);
  mk_free(packed);
}

size_t mk_packed_bytes(const mk_packed *packed) {
  return packed == NULL ? 0 : packed->bytes;
}

mk_columns mk_packed_columns(const mk_packed *packed, size_t from, size_t count) {
  mk_columns columns = mk_list(packed->sample + from, count);
  columns.packed = packed;
  columns.at = from;
  return columns;
}
