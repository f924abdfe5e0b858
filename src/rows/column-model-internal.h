/* The structure shared by the files of the column model. */
#ifndef MK_COLUMN_MODEL_INTERNAL_H
#define MK_COLUMN_MODEL_INTERNAL_H

#include "base/pool.h"
#include "rows/column-model.h"

typedef struct mk_entry {
  int id;
  double weight, shift;
} mk_entry;

struct mk_column_model {
  const mk_kernel_set *set;
  mk_column_weights weights; /* weights of the model, by column id */
  size_t count;
  mk_entry *entry; /* by increasing id; blocks read the entries of dense views */
  int exact;
  int sparse;       /* 1 if there are sparse views */
  double *row_part; /* n: what the shifts subtract from sparse rows, together with `constant` */
  double constant;
  double *store; /* room x room: values between samples */
  int is_stored; /* 1 if `store` is filled */
  size_t room;
  mk_pool pool, storage; /* storage: owns `store` */
};

size_t mk_first_entry(const mk_column_model *model, size_t id);

/* Returns the values of an entry's column, or NULL if its view is sparse. */
const double *mk_entry_column(const mk_column_model *model, const mk_entry *e);

#endif
