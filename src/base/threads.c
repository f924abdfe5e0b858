#define _POSIX_C_SOURCE 200112L /* for nanosleep() */
#include "threads.h"

#include "memory.h"

#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#include <time.h>
#include <unistd.h>
#define MK_CAN_SLEEP
#define MK_CAN_FORK
#elif defined(__has_include)
#if __has_include(<sched.h>) && __has_include(<pthread_time.h>) /* winpthreads */
#include <pthread_time.h>
#include <sched.h>
#define MK_CAN_SLEEP
#endif
#endif

/* ---- how many ---- */

#ifdef MK_CAN_FORK
static pid_t home = 0; /* the process that may use threads; 0: any process */

void mk_threads_begin(int forked) {
  home = forked ? -1 : getpid();
}

int mk_threads_forked(void) {
  return home != 0 && home != getpid();
}
#else
void mk_threads_begin(int forked) {
  (void)forked;
}

int mk_threads_forked(void) {
  return 0;
}
#endif

int mk_threads_available(void) {
  if (mk_threads_forked()) return 1;
#ifdef _OPENMP
  if (omp_in_parallel()) return 1;
  int cores = omp_get_num_procs();
  int limit = omp_get_thread_limit();
  int most = omp_get_max_threads();
  int threads = cores < limit ? cores : limit;
  threads = threads < most ? threads : most;
  return threads < 1 ? 1 : threads;
#else
  return 1;
#endif
}

int mk_threads(int asked) {
  int available = mk_threads_available();
  return asked <= 0 || asked > available ? available : asked;
}

/* ---- teams ---- */

/* The tasks of one round. */
typedef struct deal {
  size_t count;
  int threads;
  mk_task task;
  void *data;
  const mk_control *control; /* NULL: no limits */
  atomic_int stopped;        /* status of the limit that was reached */
} deal;

#define APART 128 /* bytes between what different threads write: two cache lines */

/* The tasks that belong to one thread's number. Round r finds `state` at 2r - 2; the thread that
 * moves it to 2r - 1 does the tasks and leaves it at 2r. */
typedef struct lane {
  atomic_size_t state;
  mk_status status;
  char apart[APART - sizeof(size_t) - sizeof(mk_status)];
} lane;

struct mk_team {
  int size, busy; /* busy: 1 during a round, so that its tasks start no other */
  deal *deal;
  char apart[APART];
  atomic_size_t round; /* twice the number of the round that was opened last, or OVER */
  char further_apart[APART];
  lane lane[]; /* size */
};

#define OVER ((size_t)-1)

int mk_team_size(const mk_team *team) {
  return team == NULL ? 1 : team->size;
}

int mk_team_leads(const mk_team *team) {
#ifdef _OPENMP
  return team == NULL || omp_get_thread_num() == 0;
#else
  (void)team;
  return 1;
#endif
}

#define LEAST_WORK 2e6

int mk_threads_worth(int threads, double operations) {
  return operations < LEAST_WORK ? 1 : threads;
}

mk_team *mk_team_worth(mk_team *team, double operations) {
  return operations < LEAST_WORK ? NULL : team;
}

/* ---- waiting ---- */

#define SPINS 8000     /* first turns of a waiting thread: some hundred microseconds in all */
#define YIELDS 5000    /* turns that then yield to other threads: some milliseconds, as SVMs take */
#define SLEEP 20000    /* nanoseconds by which each sleep after that is longer than the last */
#define LONGEST 150000 /* nanoseconds of the longest sleep, which costs hardly anything */

static void spin(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#ifdef MK_CAN_SLEEP
static void rest(unsigned turn) {
  if (turn < SPINS) {
    spin();
  } else if (turn < SPINS + YIELDS) {
    sched_yield();
  } else {
    unsigned slept = turn - SPINS - YIELDS;
    long time = slept < LONGEST / SLEEP ? (long)(slept + 1) * SLEEP : LONGEST;
    nanosleep(&(struct timespec){.tv_nsec = time}, NULL);
  }
}
#else
static void rest(unsigned turn) {
  (void)turn;
  spin();
}
#endif

/* ---- rounds ---- */

/* Does the tasks that belong to one number. Only the leader may check the limits. */
static mk_status do_lane(deal *d, int number, int leader) {
  mk_status status = MK_OK;
  for (size_t k = (size_t)number; k < d->count; k += (size_t)d->threads) {
    if (atomic_load(&d->stopped) != MK_OK) break;
    mk_status limit = leader && d->control != NULL ? mk_check(d->control) : MK_OK;
    if (limit != MK_OK) {
      atomic_store(&d->stopped, (int)limit);
      break;
    }
    mk_status done = d->task(d->data, k, number);
    if (status == MK_OK) status = done;
  }
  return status;
}

/* Does all lanes of a round that nobody has begun, its own lane first. */
static void do_lanes(mk_team *team, int self, size_t round) {
  for (int v = 0; v < team->size; v++) {
    int number = (self + v) % team->size;
    lane *own = &team->lane[number];
    size_t free = round - 2;
    if (!atomic_compare_exchange_strong(&own->state, &free, round - 1)) continue;
    own->status = do_lane(team->deal, number, self == 0);
    atomic_store_explicit(&own->state, round, memory_order_release);
  }
}

static mk_status lead_round(mk_team *team, deal *d) {
  mk_status status = MK_OK;
  size_t round = atomic_load_explicit(&team->round, memory_order_relaxed) + 2;
  team->deal = d;
  team->busy = 1;
  atomic_store_explicit(&team->round, round, memory_order_release);
  do_lanes(team, 0, round);
  for (int v = 0; v < team->size; v++) {
    lane *own = &team->lane[v];
    for (unsigned turn = 0; atomic_load_explicit(&own->state, memory_order_acquire) != round;)
      rest(turn++);
    if (status == MK_OK) status = own->status;
  }
  team->busy = 0;
  return status;
}

static mk_status do_alone(const mk_team *team, deal *d) {
  mk_status status = MK_OK;
  int leader = mk_team_leads(team);
  for (int v = 0; v < d->threads; v++) {
    mk_status done = do_lane(d, v, leader);
    if (status == MK_OK) status = done;
  }
  return status;
}

static mk_status deal_out(mk_team *team, deal *d) {
  d->threads = mk_team_size(team);
  mk_status status =
      d->threads == 1 || d->count < 2 || team->busy ? do_alone(team, d) : lead_round(team, d);
  mk_status stopped = (mk_status)atomic_load(&d->stopped);
  return stopped != MK_OK ? stopped : status;
}

mk_status mk_deal_out(size_t count, mk_team *team, mk_task task, void *data) {
  deal d = {.count = count, .task = task, .data = data};
  return deal_out(team, &d);
}

mk_status mk_for_each(size_t count, mk_team *team, const mk_control *control, mk_task task,
                      void *data) {
  deal d = {.count = count, .task = task, .data = data, .control = control};
  return deal_out(team, &d);
}

/* ---- the life of a team ---- */

#ifdef _OPENMP
static void serve_rounds(mk_team *team, int self) {
  size_t seen = 0, round;
  unsigned turn = 0;
  while ((round = atomic_load_explicit(&team->round, memory_order_acquire)) != OVER) {
    if (round == seen) {
      rest(turn++);
      continue;
    }
    do_lanes(team, self, round);
    seen = round;
    turn = 0;
  }
}

static mk_status run_together(mk_team *team, mk_work work, void *data) {
  mk_status status = MK_OK;
#pragma omp parallel num_threads(team->size)
  {
    int self = omp_get_thread_num();
    if (self > 0) {
      serve_rounds(team, self);
    } else {
      status = work(data);
      atomic_store_explicit(&team->round, OVER, memory_order_release);
    }
  }
  return status;
}
#else
static mk_status run_together(mk_team *team, mk_work work, void *data) {
  (void)team;
  return work(data);
}
#endif

/* Allocates a team in memory of its own, which threads may read until all have met: the caller's
 * stack would be gone if R made the leader jump. NULL: no memory; the leader then works alone. */
static mk_team *new_team(int threads) {
  mk_team *team = mk_calloc(1, sizeof *team + (size_t)threads * sizeof team->lane[0]);
  if (team != NULL) team->size = threads;
  return team;
}

mk_status mk_team_run(int threads, mk_team **team, mk_work work, void *data) {
  mk_team *own = threads > 1 ? new_team(threads) : NULL;
  *team = own;
  mk_status status = own != NULL ? run_together(own, work, data) : work(data);
  *team = NULL;
  mk_free(own);
  return status;
}
