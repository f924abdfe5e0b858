/* How many threads the work may use. */
#ifndef MK_THREADS_H
#define MK_THREADS_H

#include "base/control.h"

int mk_threads_available(void); /* cores the system and OpenMP allow */
int mk_threads(int asked);      /* asked <= 0: all that are available */
int mk_thread_number(void);     /* 0, 1, ... inside a parallel region */

/* task(data, k, thread) for k = 0, 1, ... count - 1, dealt out to the threads
 * in turns, with a look at the control's limits after each turn. */
mk_status mk_for_each(size_t count, int threads, const mk_control *control,
                      mk_status (*task)(void *data, size_t k, int thread), void *data);

#endif
