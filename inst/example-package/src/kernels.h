#ifndef MKEXAMPLE_KERNELS_H
#define MKEXAMPLE_KERNELS_H

#include <Rinternals.h>

/* A collection of graphs, numbered from 0. */
typedef struct graphs graphs;
graphs *graphs_of(SEXP pointer);
size_t count_graphs(const graphs *all);
double common_edges(const graphs *all, size_t g, size_t h);

SEXP intersection_pointer(SEXP power);
SEXP collection(void);
SEXP is_living(SEXP pointer);
SEXP add_graphs(SEXP pointer, SEXP graphs);
SEXP graph_pointer(SEXP pointer);
SEXP fit_graphs(SEXP pointer, SEXP y, SEXP cost, SEXP p, SEXP threads);
SEXP predict_graphs(SEXP pointer, SEXP fit, SEXP threads);

#endif
