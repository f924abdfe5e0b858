/* Registers the entry points with R, which finds them by these names only. Called by R when it
 * loads the package. */
#include "base/threads.h"
#include "rglue/call.h"
#include "rglue/glue.h"
#include "rglue/mapped-values.h"
#include "rglue/native-fit.h"
#include "rglue/native.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, count) {"mk_" #name, (DL_FUNC)&mk_r_##name, count},

static const R_CallMethodDef entries[] = {MK_ENTRIES(ENTRY){NULL, NULL, 0}};

void attribute_visible R_init_manykernels(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  R_RegisterCCallable("manykernels", "manykernels_abi", (DL_FUNC)&mk_native_abi);
  R_RegisterCCallable("manykernels", "manykernels_kernel_pointer", (DL_FUNC)&mk_native_pointer);
  R_RegisterCCallable("manykernels", "manykernels_fit", (DL_FUNC)&mk_native_fit);
  R_RegisterCCallable("manykernels", "manykernels_predict", (DL_FUNC)&mk_native_predict);
  mk_threads_begin(0);
  mk_watch_begin();
  mk_column_class(dll);
}
