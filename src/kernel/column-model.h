/* What the files of the column model share. */
#ifndef MK_COLUMN_MODEL_H
#define MK_COLUMN_MODEL_H

#include "features.h"
#include "internal.h"

typedef struct mk_entry {
  int slot;
  double weight, shift;
} mk_entry;

struct mk_column_model {
  const mk_kernel_set *set;
  mk_slot_weights weights; /* of the model, by slot */
  size_t count;
  mk_entry *entry; /* increasing by slot; those of dense views are used */
  int exact;
  int sparse;       /* 1: there are sparse views */
  double *row_part; /* n: what shifts take off sparse rows, with `constant` */
  double constant;
  double *store; /* stored x stored: values between the samples in ... */
  int *position; /* ... n: their places; NULL: nothing is stored */
  size_t stored;
  mk_pool pool, storage; /* storage: of the stored values */
};

size_t mk_first_entry(const mk_column_model *model, size_t slot);

/* Panels of `width` samples side by side, entry after entry, weighted or not:
 * entries from..to of the `depth` at e, each read once in the order of samples. */
void mk_pack_entries(const mk_column_model *model, const mk_entry *e, size_t depth, size_t from,
                     size_t to, const int *samples, size_t count, size_t width, int weighted,
                     double *out);
/* out (rows x cols, ld apart) += the products of two sides so packed, in tiles from the first row
 * and column on. */
void mk_add_panels(const mk_simd *simd, size_t depth, const double *left, size_t rows,
                   const double *right, size_t cols, double *out, size_t ld);
/* As mk_column_model_block, computed; without the dense views unless `dense`. */
void mk_model_block(const mk_column_model *model, int dense, const int *rows, size_t row_count,
                    const mk_columns *columns, double *out, size_t ld, mk_scratch *scratch);

#endif
