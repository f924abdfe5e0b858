/* Handles of dictionaries, made by dictionary.c and read by sequential.c of rglue/. */
#ifndef MK_RGLUE_DICTIONARY_H
#define MK_RGLUE_DICTIONARY_H

#include "rglue/kernels.h"
#include "sequential/source.h"

/* Kernels times sets of columns: kernel b on set s has number s * kernels + b. */
typedef struct mk_dictionary_part {
  const mk_handle *base; /* specs of the kernels */
  size_t kernels, sets;
  const int *centred, *scaling; /* by kernel */
  size_t *start;                /* sets + 1: offsets into `column` */
  int *column;                  /* columns of the sets; NULL: kernels have their own */
  size_t first;                 /* number of the part's first kernel */
} mk_dictionary_part;

typedef struct mk_dictionary_handle {
  mk_dictionary_part *part;
  size_t parts;
  mk_kernel_set *views; /* any set over the views; NULL with a function */
  SEXP function;        /* R function, or NULL */
  /* list whose first element is the set that the function made, while the set is in use */
  SEXP lent;
  mk_source source;
  mk_sourced *sourced;
  mk_stream stream;
} mk_dictionary_handle;

mk_dictionary_handle *mk_arg_stream(SEXP pointer);

#endif
