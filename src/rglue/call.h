/* Calls of the core by R, and of R by the core. */
#ifndef MK_RGLUE_CALL_H
#define MK_RGLUE_CALL_H

#include "base/control.h"
#include "base/threads.h"
#include "rglue/glue.h"

/* Enters the core: calls work(data) with *team set to a team of so many threads. This is the only
 * way in and out. mk_run() continues R's jump if a call of R made one, raises an R error if the
 * work failed, and otherwise returns MK_OK or the limit that was reached. Memory that the core
 * allocates must be owned (mk_own). */
mk_status mk_run(int threads, mk_team **team, mk_work work, void *data);
mk_status mk_run_alone(mk_work work, void *data);
/* Inside mk_run(): calls body(data), which may call R. Returns 0 if R has jumped; the core should
 * then return, and later calls are refused. */
int mk_call(SEXP (*body)(void *data), void *data);
void mk_watch_begin(void); /* called on R's thread when the package is loaded */
/* Raises an R error for failures of the glue itself. */
NORET void mk_fail(mk_status status);

int mk_poll_interrupt(void *data);

/* R objects that a control's callbacks use. */
typedef struct mk_caller {
  SEXP progress; /* a function, or NULL */
  SEXP stopping; /* a function, called at the first interrupt, which ends the work early; NULL: an
                    interrupt jumps */
  SEXP save;     /* a function of a fit's state, or NULL */
  int ended;     /* 1 after an interrupt that called `stopping` */
} mk_caller;

/* Calls body(data) like mk_call(). An interrupt within it may end the work early. */
int mk_call_stoppable(mk_caller *caller, SEXP (*body)(void *data), void *data);

#endif
