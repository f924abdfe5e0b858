/* How theta moves in the optimisers that ask one question again and again: what is this theta
 * worth? The answer is about
 *   J(theta) = max over alpha of  linear - theta's/2   (linear and s belong to alpha),
 * which is convex in theta. A rule sees the answer for the theta that it asked for last, and says
 * which one to ask for next; it knows nothing of kernels or SVMs. Called by optimizer/outer-loop.c.
 * MATHEMATICS.md, section 3. */
#ifndef MK_THETA_RULE_H
#define MK_THETA_RULE_H

#include "base/control.h"
#include "theta/norm.h"

#define MK_ANSWER_ERROR 0.3 /* of the fall that a rule looks for, that answers may miss */

typedef struct mk_answer {
  const double *theta, *s;
  double lower, upper; /* of J(theta) */
  double least_upper;  /* of all answers so far */
  const double *alpha; /* where it comes from: any vector of which means are feasible */
} mk_answer;

/* What a rule asks next, and what it knows. */
typedef struct mk_question {
  double *theta;
  double accuracy;    /* absolute: what the answer must have to be of use; infinity: any */
  int trial;          /* 1: theta is a try on the way of a line search */
  double lower;       /* of the least J; -infinity: nothing is known */
  const double *mean; /* alphas: the mean of answers' that proves `lower`, or NULL */
  size_t bytes;       /* that the rule takes */
} mk_question;

typedef struct mk_rule {
  const mk_norm *norm;
  size_t count;  /* of weights */
  size_t alphas; /* values of an answer's alpha, or 0 */
  size_t budget; /* bytes that what it remembers may take */
  mk_team *team; /* may be NULL */
  double tol;    /* relative difference of the bounds of the least J that is aimed at */
  void *state;   /* the rule's own */
} mk_rule;

typedef struct mk_rule_type {
  int (*serves)(const mk_norm *norm); /* NULL: any */
  mk_status (*begin)(mk_rule *rule);  /* NULL: nothing to remember */
  /* MK_STALLED: it knows no better theta. */
  mk_status (*next)(const mk_rule *rule, const mk_answer *answer, mk_question *question);
  void (*end)(mk_rule *rule); /* after a begin that failed, too */
} mk_rule_type;

extern const mk_rule_type mk_analytic_rule;         /* JMLR eq. 16 */
extern const mk_rule_type mk_cutting_plane_rule;    /* SILP, SIP */
extern const mk_rule_type mk_level_rule;            /* Xu, Jin, King & Lyu 2009 */
extern const mk_rule_type mk_reduced_gradient_rule; /* SimpleMKL */

#endif
