/* How many threads the work may use. */
#ifndef MK_THREADS_H
#define MK_THREADS_H

#include "base/control.h"

int mk_threads_available(void); /* cores the system and OpenMP allow */
int mk_threads(int asked);      /* asked <= 0: all that are available */
/* `threads`, or 1 where so few operations are done sooner than others are woken. */
int mk_threads_worth(int threads, double operations);
int mk_thread_number(void); /* 0, 1, ... inside a parallel region */

/* What threads do. Tasks that fail don't keep the others from being done. */
typedef mk_status (*mk_task)(void *data, size_t k, int thread);

/* task(data, k, thread) for k = 0, 1, ... count - 1, dealt out to the threads one by one. */
mk_status mk_deal_out(size_t count, int threads, mk_task task, void *data);
/* The same in turns, with a look at the control's limits before each. */
mk_status mk_for_each(size_t count, int threads, const mk_control *control, mk_task task,
                      void *data);

#endif
