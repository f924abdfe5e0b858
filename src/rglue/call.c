/* Entry into the core and return from it, with calls of R in between. An R function may end in a
 * jump: an error, an interrupt, a restart, a time limit. Such jumps can reach handlers and restarts
 * outside. If R jumps, the core returns first, so that it frees its memory and its threads meet;
 * then R continues to its target. The R memory for this is allocated before threads start. Called
 * by the callbacks and the entry points of rglue/. */
#include "call.h"

#include <setjmp.h>

/* Test builds with MK_WATCH_R end the process if the core calls R on another thread than R's, or if
 * nothing would catch R's jump. */
#ifdef MK_WATCH_R
#include <stdio.h>

static _Thread_local char here_is;
static const char *main_thread = NULL;

void mk_watch_begin(void) {
  main_thread = &here_is;
}

static void check_thread(int allowed, const char *what) {
  if (allowed && main_thread == &here_is) return;
  fprintf(stderr, "manykernels: R is called %s, in %s\n",
          main_thread == &here_is ? "outside of mk_run()" : "on another thread than its own", what);
  abort();
}
#else
#define check_thread(allowed, what) ((void)0)

void mk_watch_begin(void) {}
#endif

/* One entry into the core. R functions that the core calls may enter it again. */
typedef struct stay {
  SEXP token; /* target of R's jump */
  int jumps;  /* 1 if R has jumped and the core should return */
  struct stay *outer;
} stay;

static stay *current = NULL;

mk_status mk_run(int threads, mk_team **team, mk_work work, void *data) {
  check_thread(1, "mk_run");
  stay own = {.token = PROTECT(R_MakeUnwindCont()), .outer = current};
  current = &own;
  mk_status status = mk_team_run(threads, team, work, data);
  current = own.outer;
  if (own.jumps) R_ContinueUnwind(own.token);
  UNPROTECT(1);
  if (status != MK_OK && status != MK_TIME_LIMIT && status != MK_ITERATION_LIMIT &&
      status != MK_STALLED)
    mk_fail(status);
  return status;
}

mk_status mk_run_alone(mk_work work, void *data) {
  mk_team *none;
  return mk_run(1, &none, work, data);
}

void mk_fail(mk_status status) {
  check_thread(1, "mk_fail");
  Rf_error("%s", mk_status_message(status));
}

/* ---- calls of R ---- */

static void come_back(void *place, Rboolean jump) {
  if (jump) longjmp(*(jmp_buf *)place, 1);
}

int mk_call(SEXP (*body)(void *data), void *data) {
  jmp_buf here;
  stay *own = current;
  check_thread(own != NULL, "mk_call");
  if (own == NULL || own->jumps) return 0;
  if (setjmp(here) != 0) {
    own->jumps = 1;
    return 0;
  }
  R_UnwindProtect(body, data, come_back, &here, own->token);
  SETCAR(own->token, R_NilValue); /* the result is kept elsewhere */
  return 1;
}

/* ---- interrupts ---- */

#define PAUSE 0.02 /* seconds between polls; R may have events to handle */
#define TWICE 2.0  /* seconds within which a second interrupt stops whatever runs then */

static SEXP check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* The caller, and what is called in its place. */
typedef struct stoppable {
  mk_caller *caller;
  SEXP (*body)(void *data);
  void *data;
} stoppable;

static double interrupted = -TWICE; /* when work was last ended early */

static SEXP end_early(SEXP condition, void *data) {
  mk_caller *caller = data;
  (void)condition;
  interrupted = mk_seconds();
  caller->ended = 1;
  SEXP call = PROTECT(Rf_lang1(caller->stopping));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(1);
  return R_NilValue;
}

static SEXP call_stoppable(void *data) {
  stoppable *s = data;
  SEXP class = PROTECT(Rf_mkString("interrupt"));
  R_tryCatch(s->body, s->data, class, end_early, s->caller, NULL, NULL);
  UNPROTECT(1);
  return R_NilValue;
}

int mk_call_stoppable(mk_caller *caller, SEXP (*body)(void *data), void *data) {
  int stops = caller != NULL && caller->stopping != R_NilValue && !caller->ended &&
              mk_seconds() - interrupted > TWICE;
  if (!stops) return mk_call(body, data);
  return mk_call(call_stoppable, &(stoppable){caller, body, data});
}

/* data: the caller, or NULL. */
int mk_poll_interrupt(void *data) {
  static double asked = -PAUSE;
  double now = mk_seconds();
  check_thread(current != NULL, "mk_poll_interrupt");
  if (current != NULL && current->jumps) return 1;
  if (now - asked < PAUSE) return 0;
  asked = now;
  return !mk_call_stoppable(data, check_interrupt, NULL);
}
