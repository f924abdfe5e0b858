/* How many threads the work may use. */
#ifndef MK_THREADS_H
#define MK_THREADS_H

int mk_threads_available(void); /* cores the system and OpenMP allow */
int mk_threads(int asked);      /* asked <= 0: all that are available */
int mk_thread_number(void);     /* 0, 1, ... inside a parallel region */

#endif
