/* Threads: how many, and what they do.
 *
 * A team lives as long as one call from outside (a fit, a prediction). Its calling thread does
 * the work and deals out what can be done side by side; the others do nothing but such tasks. It
 * never waits for a thread that has not begun, since on a busy machine that may take long: it does
 * that thread's tasks itself, under that thread's number. So the results depend on the size of the
 * team and not on who came. */
#ifndef MK_THREADS_H
#define MK_THREADS_H

#include "base/control.h"

/* Cores the system and OpenMP allow; 1 inside a parallel region, and in a process that was forked:
 * OpenMP's threads stay behind in the parent, where a child would wait for them for ever. */
int mk_threads_available(void);
int mk_threads(int asked); /* asked <= 0: all that are available */

/* Whoever loads the core says that this process is the one that may use threads; or, where it was
 * forked before, that it may not. Children that are forked later may not. */
void mk_threads_begin(int forked);
int mk_threads_forked(void); /* 1: this one may not */

/* work(data) with *team made of so many threads, which is NULL again afterwards. */
typedef mk_status (*mk_work)(void *data);
mk_status mk_team_run(int threads, mk_team **team, mk_work work, void *data);

int mk_team_size(const mk_team *team);  /* 1 for NULL: the calling thread alone */
int mk_team_leads(const mk_team *team); /* 1 on the thread that called the core */
/* `threads`, or 1, and `team`, or NULL, where so few operations are done sooner than others hear
 * of them. */
int mk_threads_worth(int threads, double operations);
mk_team *mk_team_worth(mk_team *team, double operations);

/* What threads do. Tasks that fail don't keep the others from being done. */
typedef mk_status (*mk_task)(void *data, size_t k, int thread);

/* task(data, k, thread) for k = 0, 1, ... count - 1: thread v has v, v + size, v + 2 size, ... one
 * after the other, and is never two of them at a time. A task that deals out itself does all. */
mk_status mk_deal_out(size_t count, mk_team *team, mk_task task, void *data);
/* The same with looks at the control's limits, which end it. */
mk_status mk_for_each(size_t count, mk_team *team, const mk_control *control, mk_task task,
                      void *data);

#endif
