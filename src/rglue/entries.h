/* The entry points for R, with their numbers of arguments: declared here for the glue, registered
 * by init.c. */
#ifndef MK_ENTRIES_H
#define MK_ENTRIES_H

#include <Rinternals.h>

#define MK_ENTRIES(ENTRY)                                                                          \
  ENTRY(set_new, 8)                                                                                \
  ENTRY(kinds, 0)                                                                                  \
  ENTRY(set_borrow_pairs, 2)                                                                       \
  ENTRY(set_keep_values, 2)                                                                        \
  ENTRY(set_keep_pairs, 3)                                                                         \
  ENTRY(set_normalize, 7)                                                                          \
  ENTRY(set_constants, 8)                                                                          \
  ENTRY(kept_distances, 4)                                                                         \
  ENTRY(set_widths, 2)                                                                             \
  ENTRY(fit, 8)                                                                                    \
  ENTRY(fit_grid, 6)                                                                               \
  ENTRY(gap, 8)                                                                                    \
  ENTRY(sides, 3)                                                                                  \
  ENTRY(share, 7)                                                                                  \
  ENTRY(predict, 4)                                                                                \
  ENTRY(predict_models, 7)                                                                         \
  ENTRY(swapped, 5)                                                                                \
  ENTRY(matrix, 5)                                                                                 \
  ENTRY(threads, 0)                                                                                \
  ENTRY(stay_alone, 0)                                                                             \
  ENTRY(inspect, 3)                                                                                \
  ENTRY(first_not_finite, 2)                                                                       \
  ENTRY(column_sums, 3)                                                                            \
  ENTRY(column_scaling, 3)                                                                         \
  ENTRY(standardize, 4)                                                                            \
  ENTRY(distances, 4)                                                                              \
  ENTRY(rademacher, 6)                                                                             \
  ENTRY(sign_forms, 4)                                                                             \
  ENTRY(norm_sides, 3)                                                                             \
  ENTRY(largest_diagonal, 1)                                                                       \
  ENTRY(inner_products, 4)                                                                         \
  ENTRY(gomp, 10)                                                                                  \
  ENTRY(path_values, 8)                                                                            \
  ENTRY(forms, 5)                                                                                  \
  ENTRY(reduce, 6)                                                                                 \
  ENTRY(local_fit, 9)                                                                              \
  ENTRY(local_gap, 10)                                                                             \
  ENTRY(local_decide, 6)                                                                           \
  ENTRY(stream_new, 4)                                                                             \
  ENTRY(stream_constants, 1)                                                                       \
  ENTRY(stream_strengths, 3)                                                                       \
  ENTRY(sequential, 7)                                                                             \
  ENTRY(file_open, 1)                                                                              \
  ENTRY(file_verify, 2)                                                                            \
  ENTRY(file_values, 3)                                                                            \
  ENTRY(file_create, 7)                                                                            \
  ENTRY(file_add, 2)                                                                               \
  ENTRY(file_finish, 1)                                                                            \
  ENTRY(column_file, 4)                                                                            \
  ENTRY(write_rows, 4)                                                                             \
  ENTRY(in_file, 1)                                                                                \
  ENTRY(native_alive, 1)                                                                           \
  ENTRY(native_values, 4)                                                                          \
  ENTRY(degree_profile, 3)                                                                         \
  ENTRY(pairs, 4)                                                                                  \
  ENTRY(product, 1)                                                                                \
  ENTRY(weighted_degree, 4)                                                                        \
  ENTRY(words, 3)                                                                                  \
  ENTRY(word_letters, 4)                                                                           \
  ENTRY(word_scores, 6)

#define MK_ARGS_0 void
#define MK_ARGS_1 SEXP
#define MK_ARGS_2 MK_ARGS_1, SEXP
#define MK_ARGS_3 MK_ARGS_2, SEXP
#define MK_ARGS_4 MK_ARGS_3, SEXP
#define MK_ARGS_5 MK_ARGS_4, SEXP
#define MK_ARGS_6 MK_ARGS_5, SEXP
#define MK_ARGS_7 MK_ARGS_6, SEXP
#define MK_ARGS_8 MK_ARGS_7, SEXP
#define MK_ARGS_9 MK_ARGS_8, SEXP
#define MK_ARGS_10 MK_ARGS_9, SEXP

#define MK_DECLARE(name, count) SEXP mk_r_##name(MK_ARGS_##count);
MK_ENTRIES(MK_DECLARE)

#endif
