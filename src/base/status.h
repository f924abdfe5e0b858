/* Status codes. Every core routine that can fail returns one. */
#ifndef MK_STATUS_H
#define MK_STATUS_H

typedef enum mk_status {
  MK_OK = 0,
  MK_TIME_LIMIT,
  MK_ITERATION_LIMIT,
  MK_INTERRUPTED,
  MK_STALLED, /* double precision allows no further progress */
  MK_NO_MEMORY,
  MK_TOO_LARGE, /* a size exceeds its type or the allowed memory */
  MK_BAD_ARGUMENT,
  MK_CALLBACK,   /* a kernel function of the caller failed */
  MK_NOT_FINITE, /* a kernel value is NaN or infinite */
  MK_NO_FILE,    /* a file can't be opened, read or written */
  MK_STATUS_COUNT
} mk_status;

const char *mk_status_message(mk_status status);

#define MK_TRY(call)                                                                               \
  do {                                                                                             \
    mk_status mk_try_ = (call);                                                                    \
    if (mk_try_ != MK_OK) return mk_try_;                                                          \
  } while (0)

#endif
