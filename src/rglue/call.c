/* Calls of R out of the core. What R functions do there may end in a jump: an error, an interrupt,
 * a restart, a time limit. Handlers and restarts from outside are in reach of them, and where R
 * jumps, the core returns first, so that it frees its memory; then R goes on to where it wanted.
 * Called by the callbacks of rglue/ and, when the core has returned, its entry points. */
#include "glue.h"

#include <setjmp.h>

static SEXP pending = NULL; /* the jump that waits for the core to return */

static void stay(void *place, Rboolean jump) {
  if (jump) longjmp(*(jmp_buf *)place, 1);
}

int mk_call(SEXP (*body)(void *data), void *data) {
  jmp_buf here;
  if (pending != NULL) return 0;
  SEXP token = PROTECT(R_MakeUnwindCont());
  if (setjmp(here) == 0) {
    R_UnwindProtect(body, data, stay, &here, token);
  } else {
    R_PreserveObject(token);
    pending = token;
  }
  UNPROTECT(1);
  return pending == NULL;
}

void mk_fail(mk_status status) {
  if (pending != NULL) {
    SEXP token = PROTECT(pending);
    pending = NULL;
    R_ReleaseObject(token);
    R_ContinueUnwind(token);
  }
  if (status != MK_OK && status != MK_TIME_LIMIT && status != MK_ITERATION_LIMIT &&
      status != MK_STALLED)
    Rf_error("%s", mk_status_message(status));
}

/* ---- interrupts ---- */

#define PAUSE 0.02 /* seconds between questions: R may have events to look after */

static SEXP check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return R_NilValue;
}

int mk_poll_interrupt(void *data) {
  static double asked = -PAUSE;
  double now = mk_seconds();
  (void)data;
  if (pending == NULL && now - asked < PAUSE) return 0;
  asked = now;
  return !mk_call(check_interrupt, NULL);
}
