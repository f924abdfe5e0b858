/* The extended level method (Xu, Jin, King & Lyu 2009, Algorithm 2): the next theta is the
 * projection of the last one on the set where no cut exceeds a level between the bounds of the
 * least J. The lower bound is the least value of the largest cut. The level moves closer to the
 * upper bound in the end: in the paper once the bounds differ by 0.01, its tolerance, here by
 * `tol`. Called by outer-loop.c. MATHEMATICS.md, section 3.2. */
#include "base/memory.h"
#include "theta/cuts.h"

#include <math.h>
#include <string.h>

#define FIRST_LEVEL 0.9 /* share of the upper bound in the level, as in the paper */
#define LATE_LEVEL 0.99 /* share once the bounds differ by less than the tolerance */

typedef struct level {
  mk_cuts cuts;
  double share, late; /* share of the upper bound in the level, now and in the end */
  int again;          /* number of sharper answers asked for at the last theta */
} level;

static mk_status begin_level(mk_rule *rule) {
  level *l = rule->state = MK_NEW0(level, 1);
  if (l == NULL) return MK_NO_MEMORY;
  int given = rule->level != NULL && rule->level[0] > 0.0;
  l->share = given ? rule->level[0] : FIRST_LEVEL;
  l->late = given ? rule->level[1] : LATE_LEVEL;
  return mk_cuts_begin(&l->cuts, rule);
}

static double level_of(const level *l, double upper) {
  return l->share * upper + (1.0 - l->share) * l->cuts.lower;
}

static mk_status next_by_level(const mk_rule *rule, const mk_answer *answer,
                               mk_question *question) {
  level *l = rule->state;
  MK_TRY(mk_cuts_add(&l->cuts, answer));
  MK_TRY(mk_cuts_minimise(&l->cuts, question->theta));
  mk_cuts_tell(&l->cuts, question);
  double upper = answer->least_upper;
  if (upper - l->cuts.lower < rule->tol * fabs(level_of(l, upper))) l->share = l->late;
  double at = level_of(l, upper);
  question->accuracy = MK_ANSWER_SHARE * (upper - at);
  /* an answer whose cut is below the level at theta does not move theta; a sharper one may */
  question->trial = !(answer->lower > at);
  l->again = question->trial ? l->again + 1 : 0;
  if (!question->trial) return mk_cuts_project(&l->cuts, answer->theta, at, question->theta);
  memcpy(question->theta, answer->theta, rule->count * sizeof(double));
  return l->again <= MK_MAX_IDLE_ANSWERS ? MK_OK : MK_STALLED;
}

static void end_level(mk_rule *rule) {
  level *l = rule->state;
  if (l != NULL) mk_cuts_end(&l->cuts);
  mk_free(l);
}

const mk_rule_type mk_level_rule = {mk_cuts_serve, begin_level, next_by_level, end_level};
