#define _POSIX_C_SOURCE 199309L
#include "control.h"

#include <math.h>
#include <time.h>

#define LATE_SHARE 0.05 /* share of a time limit by which it may be exceeded */
#define LATE_SECONDS 0.5

double mk_seconds(void) {
#if defined(CLOCK_MONOTONIC)
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
    return (double)now.tv_sec + MK_NANOSECOND * (double)now.tv_nsec;
#endif
  return (double)time(NULL);
}

double mk_latest(const mk_control *control) {
  double late = LATE_SHARE * control->max_time;
  return control->max_time + (late > LATE_SECONDS ? late : LATE_SECONDS);
}

int mk_is_late(const mk_control *control) {
  return (control->ended != NULL && *control->ended) ||
         mk_seconds() - control->start > control->max_time;
}

mk_control mk_patient(const mk_control *control) {
  mk_control patient = *control;
  patient.max_time = INFINITY;
  patient.ended = NULL;
  return patient;
}

mk_status mk_check(const mk_control *control) {
  if (control->poll != NULL && control->poll(control->data)) return MK_INTERRUPTED;
  return mk_is_late(control) ? MK_TIME_LIMIT : MK_OK;
}
