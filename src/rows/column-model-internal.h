/* What the files of the column model share. */
#ifndef MK_COLUMN_MODEL_INTERNAL_H
#define MK_COLUMN_MODEL_INTERNAL_H

#include "rows/bases-internal.h"
#include "rows/column-model.h"

typedef struct mk_entry {
  int id;
  double weight, shift;
} mk_entry;

struct mk_column_model {
  const mk_kernel_set *set;
  mk_column_weights weights; /* of the model, by column id */
  size_t count;
  mk_entry *entry; /* increasing by id; those of dense views are used */
  int exact;
  int sparse;       /* 1: there are sparse views */
  double *row_part; /* n: what shifts take off sparse rows, with `constant` */
  double constant;
  double *store; /* room x room: values between samples, ... */
  int is_stored; /* ... if they are */
  size_t room;
  mk_pool pool, storage; /* storage: of `store` */
};

size_t mk_first_entry(const mk_column_model *model, size_t id);

/* The values of an entry's column; NULL: its view is sparse. */
const double *mk_entry_column(const mk_column_model *model, const mk_entry *e);

#endif
