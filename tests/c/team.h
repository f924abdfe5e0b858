/* Tests that run on a team of threads: RUN_TEAM(2, test_sum) runs test_sum() as RUN() does, and
 * `team` is what its controls need. */
#ifndef MK_TESTS_TEAM_H
#define MK_TESTS_TEAM_H

#include "base/threads.h"
#include "check.h"

static mk_team *team;

static inline mk_status team_test(void *test) {
  (*(void (**)(void))test)();
  return MK_OK;
}

#define RUN_TEAM(threads, test)                                                                    \
  do {                                                                                             \
    void (*team_body)(void) = test;                                                                \
    check_test = #test;                                                                            \
    mk_team_run((threads), &team, team_test, &team_body);                                          \
    fflush(stdout);                                                                                \
  } while (0)

#endif
