#ifndef MKEXAMPLE_KERNELS_H
#define MKEXAMPLE_KERNELS_H

#include <Rinternals.h>

SEXP intersection_pointer(SEXP power);
SEXP collection(void);
SEXP is_living(SEXP pointer);
SEXP add_graphs(SEXP pointer, SEXP graphs);
SEXP graph_pointer(SEXP pointer);

#endif
