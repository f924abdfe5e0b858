/* The analytic step (JMLR eq. 16) as a rule (JMLR Algorithm 1). Called by optimizer/outer-loop.c.
 * MATHEMATICS.md, section 2.2. */
#include "theta/norm.h"
#include "rule.h"

static mk_status next_analytic(const mk_rule *rule, const mk_answer *answer,
                               mk_question *question) {
  mk_norm_step(rule->norm, rule->count, answer->theta, answer->s, question->theta);
  return MK_OK;
}

const mk_rule_type mk_analytic_rule = {.next = next_analytic};
