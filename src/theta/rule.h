/* How theta moves in the optimisers that ask one question again and again: what is this theta
 * worth? The answer is about
 *   J(theta) = max over alpha of  linear - theta's/2   (linear and s belong to alpha),
 * which is convex in theta. A rule sees the answer for the theta that it asked for last, and says
 * which one to ask for next; it knows nothing of kernels or SVMs. */
#ifndef MK_THETA_RULE_H
#define MK_THETA_RULE_H

#include "base/control.h"
#include "theta/norm.h"

#define MK_ANSWER_ERROR 0.3 /* of the fall that a rule looks for, that answers may miss */

typedef struct mk_answer {
  const double *theta, *s;
  double lower, upper; /* of J(theta) */
  const double *alpha; /* where it comes from: any vector of which means are feasible */
} mk_answer;

typedef struct mk_rule {
  const mk_norm *norm;
  size_t count;        /* of weights */
  size_t alphas;       /* values of an answer's alpha, or 0 */
  size_t budget;       /* bytes that what it remembers may take */
  mk_team *team;       /* may be NULL */
  double tol;          /* relative difference of these that is aimed at: */
  double lower, upper; /* what it knows of the least J: -infinity, infinity: nothing */
  double accuracy;     /* absolute: what the next answer must have to be of use; infinity: any */
  const double *mean;  /* alphas: the mean of answers' that proves `lower`, or NULL */
  int trial;           /* the theta asked for is a try on the way of a line search */
  void *state;         /* the rule's own, ... */
  size_t bytes;        /* ... and what it takes */
} mk_rule;

typedef struct mk_rule_type {
  int (*serves)(const mk_norm *norm); /* NULL: any */
  mk_status (*begin)(mk_rule *rule);  /* NULL: nothing to remember */
  /* MK_STALLED: it knows no better theta. */
  mk_status (*next)(mk_rule *rule, const mk_answer *answer, double *theta);
  void (*end)(mk_rule *rule); /* after a begin that failed, too */
} mk_rule_type;

extern const mk_rule_type mk_analytic_rule;         /* JMLR eq. 16 */
extern const mk_rule_type mk_cutting_plane_rule;    /* SILP, SIP */
extern const mk_rule_type mk_level_rule;            /* Xu, Jin, King & Lyu 2009 */
extern const mk_rule_type mk_reduced_gradient_rule; /* SimpleMKL */

#endif
