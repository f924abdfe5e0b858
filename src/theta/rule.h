/* Rules that move theta in optimisers which evaluate one theta after another. An answer is about
 *   J(theta) = max over alpha of  linear - theta's/2   (linear and s belong to alpha),
 * which is convex in theta. A rule gets the answer for its last theta, returns the next theta, and
 * depends on no kernels or SVMs. Called by optimizer/outer-loop.c. MATHEMATICS.md, section 3.2. */
#ifndef MK_THETA_RULE_H
#define MK_THETA_RULE_H

#include "base/control.h"
#include "problem/norm.h"

/* share of theta's gap or a goal by which SVMs' answers and the bound of coordinates may err */
#define MK_ANSWER_SHARE 0.3
/* answers in a row that bring a rule no further, after which it gives up its way */
#define MK_MAX_IDLE_ANSWERS 3

typedef struct mk_answer {
  const double *theta, *s;
  double lower, upper; /* bounds of J(theta) */
  double least_upper;  /* least upper bound of all answers so far */
  const double *alpha; /* the alpha that gives the answer, or any vector whose means are feasible */
} mk_answer;

/* The next theta to evaluate, and the rule's bound. */
typedef struct mk_question {
  double *theta;
  double accuracy;    /* absolute accuracy that the answer needs to be useful; infinity: any */
  int trial;          /* 1 if theta is a trial point of a line search */
  double lower;       /* lower bound of the least J; -infinity: none */
  const double *mean; /* mean of answers' alphas that proves `lower`, or NULL */
  size_t bytes;       /* memory of the rule */
} mk_question;

typedef struct mk_rule {
  const mk_norm *norm;
  size_t count;        /* number of weights */
  size_t alphas;       /* number of values in an answer's alpha, or 0 */
  size_t budget;       /* largest memory of the rule */
  mk_team *team;       /* may be NULL */
  double tol;          /* relative difference of the bounds of the least J to aim at */
  const double *level; /* see mk_control; NULL: by default */
  void *state;         /* state that belongs to the rule */
} mk_rule;

typedef struct mk_rule_type {
  int (*serves)(const mk_norm *norm); /* returns 1 if the rule works for this norm; NULL: for any */
  mk_status (*begin)(mk_rule *rule);  /* allocates the state; NULL: there is none */
  /* Chooses the next theta. MK_STALLED: no better theta is known. */
  mk_status (*next)(const mk_rule *rule, const mk_answer *answer, mk_question *question);
  void (*end)(mk_rule *rule); /* frees the state; also called after a begin that failed */
} mk_rule_type;

extern const mk_rule_type mk_analytic_rule;         /* JMLR eq. 16 */
extern const mk_rule_type mk_cutting_plane_rule;    /* SILP, SIP */
extern const mk_rule_type mk_level_rule;            /* Xu, Jin, King & Lyu 2009 */
extern const mk_rule_type mk_reduced_gradient_rule; /* SimpleMKL */

#endif
