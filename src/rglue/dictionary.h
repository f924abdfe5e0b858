/* Handles of dictionaries: made by dictionary.c, read by sequential.c of rglue/. */
#ifndef MK_RGLUE_DICTIONARY_H
#define MK_RGLUE_DICTIONARY_H

#include "glue.h"
#include "sequential/source.h"

/* Kernels times sets of columns: kernel b on set s has the number s * kernels + b. */
typedef struct mk_dictionary_part {
  const mk_handle *base; /* its specs */
  size_t kernels, sets;
  const int *centred, *scaling; /* by kernel */
  size_t *start;                /* sets + 1 offsets into ... */
  int *column;                  /* ... columns; NULL: kernels have their own */
  size_t first;                 /* number of its first kernel */
} mk_dictionary_part;

typedef struct mk_dictionary_handle {
  mk_dictionary_part *part;
  size_t parts;
  mk_kernel_set *views; /* any set over the views; NULL with a function */
  SEXP function;        /* R's, or NULL */
  SEXP lent;            /* its first element: the set that the function made, while it is in use */
  mk_source source;
  mk_sourced *sourced;
  mk_stream stream;
} mk_dictionary_handle;

mk_dictionary_handle *mk_arg_stream(SEXP pointer);

#endif
