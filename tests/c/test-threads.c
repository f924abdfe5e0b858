/* Teams of threads: every task is done once, under its own number, whichever threads arrive. */
#include "base/memory.h"
#include "team.h"

#include <stdatomic.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>
#define CAN_FORK
#endif
#include <string.h>

#define MOST 7 /* threads */
#define COUNT 1000

typedef struct record {
  int size;
  atomic_int done[COUNT], inside[MOST]; /* how often a task was done; who is in a number's tasks */
  size_t last[MOST];
  double sum[MOST];
  int wrong[MOST];
  size_t fails; /* the task that does */
  int polls;
} record;

static mk_status note(void *data, size_t k, int thread) {
  record *r = data;
  int others = atomic_fetch_add(&r->inside[thread], 1);
  r->wrong[thread] += others != 0 || k % (size_t)r->size != (size_t)thread;
  r->wrong[thread] += k >= (size_t)r->size && r->last[thread] != k - (size_t)r->size;
  r->last[thread] = k;
  for (size_t i = 0; i < 20 + k % 37; i++) r->sum[thread] += 1.0 / (double)(k + i + 1);
  atomic_fetch_add(&r->done[k], 1);
  atomic_fetch_sub(&r->inside[thread], 1);
  return k == r->fails ? MK_STALLED : MK_OK;
}

static void start(record *r) {
  memset(r, 0, sizeof *r);
  r->size = mk_team_size(team);
  r->fails = COUNT;
}

static void check_record(const record *r, size_t count, int times) {
  int wrong = 0;
  for (size_t k = 0; k < COUNT; k++) wrong += r->done[k] != (k < count ? times : 0);
  for (int t = 0; t < MOST; t++) wrong += r->wrong[t] + r->inside[t];
  CHECK(wrong == 0);
}

static void test_every_task_is_done_once(void) {
  static const size_t counts[] = {0, 1, 2, 3, 6, 7, 8, 50, COUNT};
  record r;
  for (int round = 0; round < 900; round++) {
    start(&r);
    CHECK(mk_deal_out(counts[round % 9], team, note, &r) == MK_OK);
    check_record(&r, counts[round % 9], 1);
  }
}

static void test_failures_are_heard_of_and_stop_nobody(void) {
  record r;
  for (size_t k = 0; k < 2 * MOST; k++) {
    start(&r);
    r.fails = k;
    CHECK(mk_deal_out(COUNT, team, note, &r) == MK_STALLED);
    check_record(&r, COUNT, 1);
    start(&r);
    CHECK(mk_deal_out(COUNT, team, note, &r) == MK_OK); /* and are forgotten */
  }
}

static int refuse_third(void *data) {
  return ++((record *)data)->polls > 2;
}

static void test_limits_end_the_rest(void) {
  record r;
  start(&r);
  mk_control control = {
      .max_time = INFINITY, .poll = refuse_third, .data = &r, .start = mk_seconds()};
  CHECK(mk_for_each(COUNT, team, &control, note, &r) == MK_INTERRUPTED);
  int done = 0, twice = 0;
  for (size_t k = 0; k < COUNT; k++) {
    done += r.done[k];
    twice += r.done[k] > 1;
  }
  CHECK(r.polls == 3 && done < COUNT && twice == 0);
  CHECK(r.done[0] == 1 && r.done[r.size] == 1 && r.done[2 * r.size] == 0);
  control.poll = NULL;
  start(&r);
  CHECK(mk_for_each(COUNT, team, &control, note, &r) == MK_OK);
  check_record(&r, COUNT, 1);
}

static mk_status nest(void *data, size_t k, int thread) {
  (void)k;
  return mk_deal_out(COUNT, team, note, (record *)data + thread);
}

static void test_tasks_that_deal_out_do_all_themselves(void) {
  record *r = MK_NEW(record, MOST);
  for (int t = 0; t < MOST; t++) start(&r[t]);
  CHECK(mk_deal_out((size_t)r->size, team, nest, r) == MK_OK);
  for (int t = 0; t < r->size; t++) check_record(&r[t], COUNT, 1);
  mk_free(r);
}

/* What polls may call R, which only the leader may. */
typedef struct watch {
  mk_control control;
  atomic_int polls, strangers;
} watch;

static int poll_watch(void *data) {
  watch *w = data;
  atomic_fetch_add(&w->polls, 1);
  atomic_fetch_add(&w->strangers, !mk_team_leads(team));
  return 0;
}

static mk_status do_nothing(void *data, size_t k, int thread) {
  (void)data, (void)k, (void)thread;
  return MK_OK;
}

static mk_status nest_watched(void *data, size_t k, int thread) {
  watch *w = data;
  (void)k, (void)thread;
  return mk_for_each(3, team, &w->control, do_nothing, NULL);
}

static void test_only_the_leader_polls(void) {
  watch w = {.control = {.max_time = INFINITY, .poll = poll_watch, .start = mk_seconds()}};
  w.control.data = &w;
  for (int round = 0; round < 20; round++)
    CHECK(mk_for_each(COUNT, team, &w.control, nest_watched, &w) == MK_OK);
  CHECK(w.polls > 0 && w.strangers == 0);
}

static mk_status count_up(void *data, size_t k, int thread) {
  (void)k, (void)thread;
  atomic_fetch_add((atomic_int *)data, 1);
  return MK_OK;
}

/* Threads that come late meet another round. */
static void test_many_small_rounds(void) {
  atomic_int sum = 0;
  for (int round = 0; round < 20000; round++) {
    mk_deal_out(5, team, count_up, &sum);
    if (round % 1000 == 0) /* long enough for the others to fall asleep */
      for (double begin = mk_seconds(); mk_seconds() < begin + 1e-3;) continue;
  }
  CHECK(sum == 100000);
}

typedef struct lonely {
  mk_team *team;
  double sum[MOST];
} lonely;

static mk_status sum_up(void *data) {
  lonely *own = data;
  mk_team *outer = team;
  record r;
  team = own->team;
  start(&r);
  mk_status status = mk_deal_out(COUNT, team, note, &r);
  memcpy(own->sum, r.sum, sizeof own->sum);
  team = outer;
  return status;
}

static mk_status sum_up_alone(void *data, size_t k, int thread) {
  lonely *own = data;
  (void)k, (void)thread;
  return mk_team_run(mk_team_size(team), &own->team, sum_up, own);
}

/* A team inside a team's task is lent no threads. */
static void test_sums_do_not_depend_on_who_comes(void) {
  lonely together = {.team = team}, alone = {.team = NULL};
  CHECK(sum_up(&together) == MK_OK);
  CHECK(sum_up_alone(&alone, 0, 0) == MK_OK);
  CHECK(alone.team == NULL);
  CHECK(memcmp(together.sum, alone.sum, sizeof alone.sum) == 0);
}

static mk_status fail(void *data) {
  CHECK(mk_team_size(*(mk_team **)data) == 3);
  return MK_NO_MEMORY;
}

static void test_a_team_ends_with_its_work(void) {
  CHECK(mk_team_run(3, &team, fail, &team) == MK_NO_MEMORY);
  CHECK(team == NULL && mk_team_size(team) == 1);
  CHECK(mk_team_worth(team, INFINITY) == NULL);
}

#ifdef CAN_FORK
static int threads_of_child(void) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit(mk_threads(0) == 1 && mk_threads(5) == 1);
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_forked_children_are_alone(void) {
  int here = mk_threads_available();
  mk_threads_begin(0);
  CHECK(mk_threads_available() == here);
  CHECK(threads_of_child() == 1);
  CHECK(mk_threads_available() == here);
  mk_threads_begin(1);
  CHECK(mk_threads_available() == 1);
  mk_threads_begin(0);
  CHECK(mk_threads_available() == here);
}
#endif

static mk_status count_threads(void *data) {
  mk_team *nested = *(mk_team **)data;
  return mk_team_size(nested) < 2 || mk_threads(2) == 1 ? MK_OK : MK_STALLED;
}

static void test_teams_lend_no_threads(void) {
  CHECK(mk_team_run(2, &team, count_threads, &team) == MK_OK);
}

int main(void) {
#ifdef CAN_FORK
  RUN(test_forked_children_are_alone);
#endif
  RUN(test_teams_lend_no_threads);
  RUN(test_a_team_ends_with_its_work);
  for (int threads = 1; threads <= MOST; threads += 1 + (threads > 2)) {
    RUN_TEAM(threads, test_every_task_is_done_once);
    RUN_TEAM(threads, test_failures_are_heard_of_and_stop_nobody);
    RUN_TEAM(threads, test_limits_end_the_rest);
    RUN_TEAM(threads, test_tasks_that_deal_out_do_all_themselves);
    RUN_TEAM(threads, test_only_the_leader_polls);
    RUN_TEAM(threads, test_many_small_rounds);
    RUN_TEAM(threads, test_sums_do_not_depend_on_who_comes);
  }
  return REPORT();
}
