/* k(G, H) = the number of pairs of an edge of G and one of H with the same labels at their ends, for
 * graphs of a collection, whose positions (from 1) are the samples. */
#include "kernels.h"

#include <manykernels.h>

#include <stdlib.h>
#include <string.h>

struct graphs {
  size_t count;
  size_t *length; /* edges of each */
  double **code;  /* their labels, sorted */
};

static void free_graphs(SEXP pointer) {
  graphs *all = R_ExternalPtrAddr(pointer);
  if (all == NULL) return;
  for (size_t g = 0; g < all->count; g++) free(all->code[g]);
  free(all->code);
  free(all->length);
  free(all);
  R_ClearExternalPtr(pointer);
}

SEXP collection(void) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, Rf_install("mkexample_graphs"), R_NilValue));
  R_RegisterCFinalizerEx(pointer, free_graphs, TRUE);
  R_SetExternalPtrAddr(pointer, calloc(1, sizeof(graphs)));
  UNPROTECT(1);
  return pointer;
}

SEXP is_living(SEXP pointer) {
  return Rf_ScalarLogical(R_ExternalPtrAddr(pointer) != NULL);
}

graphs *graphs_of(SEXP pointer) {
  graphs *all = R_ExternalPtrAddr(pointer);
  if (all == NULL) Rf_error("the collection of graphs is gone");
  return all;
}

/* No thread is at work while R calls this. */
SEXP add_graphs(SEXP pointer, SEXP given) {
  graphs *all = graphs_of(pointer);
  size_t more = (size_t)XLENGTH(given), total = all->count + more;
  if (more == 0) return R_NilValue;
  size_t *length = realloc(all->length, total * sizeof *length);
  if (length != NULL) all->length = length;
  double **code = realloc(all->code, total * sizeof *code);
  if (code != NULL) all->code = code;
  if (length == NULL || code == NULL) Rf_error("not enough memory");
  for (size_t g = 0; g < more; g++) {
    SEXP own = VECTOR_ELT(given, (R_xlen_t)g);
    size_t bytes = (size_t)XLENGTH(own) * sizeof(double);
    double *copy = malloc(bytes + 1);
    if (copy == NULL) Rf_error("not enough memory");
    memcpy(copy, REAL(own), bytes);
    all->code[all->count] = copy;
    all->length[all->count++] = (size_t)XLENGTH(own);
  }
  return R_NilValue;
}

/* Equal codes of two sorted lists, pair by pair. */
static double count_pairs(const double *x, size_t x_length, const double *z, size_t z_length) {
  double pairs = 0.0;
  for (size_t i = 0, j = 0; i < x_length && j < z_length;) {
    if (x[i] != z[j]) {
      x[i] < z[j] ? i++ : j++;
      continue;
    }
    size_t from = i, other = j;
    while (i < x_length && x[i] == x[from]) i++;
    while (j < z_length && z[j] == z[other]) j++;
    pairs += (double)(i - from) * (double)(j - other);
  }
  return pairs;
}

size_t count_graphs(const graphs *all) {
  return all->count;
}

double common_edges(const graphs *all, size_t g, size_t h) {
  return count_pairs(all->code[g], all->length[g], all->code[h], all->length[h]);
}

/* A position in the collection; its count where there is none such: standardised columns, say. */
static size_t place(const graphs *all, double position) {
  if (!(position >= 1.0 && position <= (double)all->count)) return all->count;
  size_t g = (size_t)position;
  return (double)g == position ? g - 1 : all->count;
}

static int compare(void *data, size_t depth, const double *const *x, size_t x_count,
                   const double *const *z, size_t z_count, double *out) {
  const graphs *all = data;
  if (depth != 1) return 1;
  for (size_t c = 0; c < z_count; c++)
    for (size_t r = 0; r < x_count; r++) {
      size_t g = place(all, *x[r]), h = place(all, *z[c]);
      if (g == all->count || h == all->count) return 1;
      out[r + c * x_count] = common_edges(all, g, h);
    }
  return 0;
}

/* The pointer of the kernel keeps that of the collection. */
SEXP graph_pointer(SEXP pointer) {
  manykernels_kernel kernel = {.abi = MANYKERNELS_ABI,
                               .thread_safe = 1,
                               .values = compare,
                               .data = graphs_of(pointer)};
  return manykernels_kernel_pointer(&kernel, pointer);
}
