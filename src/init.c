#include "base/threads.h"
#include "rglue/glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, count)                                                                         \
  { "mk_" #name, (DL_FUNC)&mk_r_##name, count }

static const R_CallMethodDef entries[] = {
    ENTRY(set_new, 8),
    ENTRY(set_normalize, 4),
    ENTRY(set_constants, 8),
    ENTRY(fit, 8),
    ENTRY(gap, 8),
    ENTRY(predict, 4),
    ENTRY(matrix, 5),
    ENTRY(threads, 0),
    ENTRY(stay_alone, 0),
    ENTRY(inspect, 3),
    ENTRY(first_not_finite, 2),
    ENTRY(column_sums, 3),
    ENTRY(column_scaling, 2),
    ENTRY(standardize, 4),
    ENTRY(distances, 2),
    ENTRY(rademacher, 6),
    ENTRY(sign_values, 4),
    ENTRY(largest_diagonal, 1),
    ENTRY(inner_products, 4),
    ENTRY(gomp, 8),
    ENTRY(path_values, 8),
    ENTRY(forms, 4),
    ENTRY(local_fit, 9),
    ENTRY(local_gap, 10),
    ENTRY(local_decide, 6),
    ENTRY(stream_new, 4),
    ENTRY(stream_strengths, 3),
    ENTRY(sequential, 7),
    {NULL, NULL, 0},
};

void attribute_visible R_init_manykernels(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  mk_threads_begin(0);
}
