/* Threads and their tasks.
 *
 * A team lives as long as one call from outside (a fit, a prediction). The calling thread does the
 * work and deals out tasks that can run at the same time; the other threads do nothing else. The
 * caller never waits for a thread that has not begun, which may take long on a busy machine: it
 * does that thread's tasks itself, under that thread's number. So results depend on the size of the
 * team, but not on which threads came. */
#ifndef MK_THREADS_H
#define MK_THREADS_H

#include "base/control.h"

/* Returns the number of cores that the system and OpenMP allow; 1 inside a parallel region, and in
 * a forked process: OpenMP's threads stay in the parent, and a child would wait for them for
 * ever. */
int mk_threads_available(void);
int mk_threads(int asked); /* asked <= 0: all that are available */

/* Declares that this process may use threads or, if it was forked before, that it may not. Called
 * when the core is loaded. Children that are forked later may not use threads. */
void mk_threads_begin(int forked);
int mk_threads_forked(void); /* 1 if this process may not use threads */

/* Calls work(data) with *team set to a team of so many threads, and back to NULL afterwards. */
typedef mk_status (*mk_work)(void *data);
mk_status mk_team_run(int threads, mk_team **team, mk_work work, void *data);

int mk_team_size(const mk_team *team);  /* NULL has size 1 */
int mk_team_leads(const mk_team *team); /* 1 on the thread that called the core */
/* Return `threads` and `team`, or 1 and NULL if the operations are not worth more threads. */
int mk_threads_worth(int threads, double operations);
mk_team *mk_team_worth(mk_team *team, double operations);

/* A task. If one fails, the others are still done. */
typedef mk_status (*mk_task)(void *data, size_t k, int thread);

/* Does task(data, k, thread) for k = 0, 1, ... count - 1. Thread v does tasks v, v + size, v + 2
 * size, ... one after another, never two at once. A task that deals out tasks does all of them
 * itself. */
mk_status mk_deal_out(size_t count, mk_team *team, mk_task task, void *data);
/* Deals out tasks as mk_deal_out() does, and stops at the control's limits. */
mk_status mk_for_each(size_t count, mk_team *team, const mk_control *control, mk_task task,
                      void *data);

#endif
