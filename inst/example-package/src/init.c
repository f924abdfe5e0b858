#include "kernels.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef entries[] = {
    {"intersection_pointer", (DL_FUNC)&intersection_pointer, 1},
    {"collection", (DL_FUNC)&collection, 0},
    {"is_living", (DL_FUNC)&is_living, 1},
    {"add_graphs", (DL_FUNC)&add_graphs, 2},
    {"graph_pointer", (DL_FUNC)&graph_pointer, 1},
    {"fit_graphs", (DL_FUNC)&fit_graphs, 5},
    {"predict_graphs", (DL_FUNC)&predict_graphs, 3},
    {NULL, NULL, 0}};

void attribute_visible R_init_mkexample(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
