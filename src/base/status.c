#include "status.h"

static const char *const messages[MK_STATUS_COUNT] = {
    [MK_OK] = "converged",
    [MK_TIME_LIMIT] = "the time limit was reached",
    [MK_ITERATION_LIMIT] = "the iteration limit was reached",
    [MK_INTERRUPTED] = "interrupted",
    [MK_STALLED] = "no further progress in double precision",
    [MK_NO_MEMORY] = "not enough memory",
    [MK_TOO_LARGE] = "the problem is too large: a size overflows, or `cache` is too small for it",
    [MK_BAD_ARGUMENT] = "an argument has a wrong type, size or value",
    [MK_CALLBACK] = "a kernel function failed",
    [MK_NOT_FINITE] = "a kernel value is not finite",
    [MK_NO_FILE] = "a file can't be opened, read or written",
};

const char *mk_status_message(mk_status status) {
  if ((int)status < 0 || status >= MK_STATUS_COUNT) return "unknown status";
  return messages[status];
}
