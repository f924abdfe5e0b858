/* Cutting planes: the next theta is where the largest of all cuts is least. At p = 1 this is the
 * linear program of Sonnenburg et al. (2006), SILP. For p > 1 it is the program of Kloft et al.
 * (2009), SIP, with the norm itself in place of repeated second-order expansions. Called by
 * outer-loop.c. MATHEMATICS.md, section 3.2. */
#include "base/memory.h"
#include "theta/cuts.h"

static mk_status begin_cuts(mk_rule *rule) {
  rule->state = MK_NEW0(mk_cuts, 1);
  return rule->state == NULL ? MK_NO_MEMORY : mk_cuts_begin(rule->state, rule);
}

static mk_status next_by_cuts(const mk_rule *rule, const mk_answer *answer, mk_question *question) {
  mk_cuts *cuts = rule->state;
  MK_TRY(mk_cuts_add(cuts, answer));
  MK_TRY(mk_cuts_minimise(cuts, question->theta));
  mk_cuts_tell(cuts, question);
  question->accuracy = MK_ANSWER_SHARE * (answer->least_upper - cuts->lower);
  return MK_OK;
}

static void end_cuts(mk_rule *rule) {
  if (rule->state != NULL) mk_cuts_end(rule->state);
  mk_free(rule->state);
}

const mk_rule_type mk_cutting_plane_rule = {mk_cuts_serve, begin_cuts, next_by_cuts, end_cuts};
