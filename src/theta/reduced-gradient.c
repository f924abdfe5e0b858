/* SimpleMKL (Rakotomamonjy, Bach, Canu & Grandvalet 2008, Algorithm 1), for p = 1. A move follows
 * the reduced gradient of J on the simplex: whole steps, each of which takes one weight to 0, as
 * long as J falls, then a golden-section search on the last of them. Called by
 * optimizer/outer-loop.c. MATHEMATICS.md, section 3.2. */
#include "base/memory.h"
#include "theta/norm.h"
#include "theta/rule.h"

#include <math.h>
#include <string.h>

#define SEARCH_WIDTH 0.1   /* width of the bracket, as a share of the step, that ends a search */
#define LEAST_WIDTH 1e-9   /* width that ends a search which has gained nothing */
#define FLAT_GRADIENT 1e-8 /* share of the largest form below which the gradient counts as 0 */
#define SLIGHT_GAIN 1e-5   /* share of the tolerance: a move that gains less has met a kink */
/* share of the weight that goes to all kernels at the first kink; each later kink takes half as
 * much */
#define FIRST_SPREAD 0.03

typedef enum phase { AT_BASE, DESCENDING, SEARCHING } phase;

/* A move in the coordinates t = scale theta, on the simplex. */
typedef struct search {
  phase phase;
  size_t pivot;            /* the largest weight, which changes so that the sum stays 1 */
  double *base, *d;        /* count: present point of the move; its direction */
  double value, above;     /* J at `base`, and its upper bound */
  double before;           /* J where the move began */
  int slight;              /* number of successive moves of slight gain */
  double spread;           /* share of the weight for all kernels at the next kink */
  double most;             /* length of the whole step */
  double low, high;        /* bracket of the golden section */
  double a, b, at_a, at_b; /* inner points of the bracket and their values */
  double asked;            /* the step whose answer is awaited */
  double best, best_value;
  int advanced;   /* 1 if the move has taken whole steps */
  size_t blocked; /* the weight that the whole step takes to 0 */
} search;

static int serves_simplex(const mk_norm *norm) {
  return norm->type == MK_NORM_LP && norm->p == 1.0;
}

static mk_status begin_search_state(mk_rule *rule) {
  search *state = rule->state = MK_NEW0(search, 1);
  if (state == NULL) return MK_NO_MEMORY;
  state->spread = FIRST_SPREAD;
  state->base = MK_NEW0(double, 2 * rule->count);
  if (state->base == NULL) return MK_NO_MEMORY;
  state->d = state->base + rule->count;
  return MK_OK;
}

static void end_search_state(mk_rule *rule) {
  search *state = rule->state;
  if (state != NULL) mk_free(state->base);
  mk_free(state);
}

static double scale_of(const mk_rule *rule, size_t m) {
  return rule->norm->scale != NULL ? rule->norm->scale[m] : 1.0;
}

/* ---- direction ---- */

/* Computes minus the reduced gradient; returns 0 if it is too flat. */
static int find_direction(const mk_rule *rule, search *state, const double *s) {
  double total = 0.0, most = 0.0, largest = 0.0;
  state->pivot = 0;
  for (size_t m = 0; m < rule->count; m++)
    if (state->base[m] > state->base[state->pivot]) state->pivot = m;
  double at_pivot = 0.5 * s[state->pivot] / scale_of(rule, state->pivot);
  for (size_t m = 0; m < rule->count; m++) {
    double own = 0.5 * s[m] / scale_of(rule, m), gain = own - at_pivot;
    state->d[m] = m == state->pivot || (state->base[m] <= 0.0 && gain <= 0.0) ? 0.0 : gain;
    total += state->d[m];
    most = fmax(most, fabs(state->d[m]));
    largest = fmax(largest, own);
  }
  state->d[state->pivot] = -total;
  return most > FLAT_GRADIENT * largest;
}

/* Finds the longest step, and the weight that ends it. */
static void find_reach(const mk_rule *rule, search *state) {
  state->most = INFINITY;
  state->blocked = rule->count;
  for (size_t m = 0; m < rule->count; m++) {
    if (!(state->d[m] < 0.0)) continue;
    double reach = -state->base[m] / state->d[m];
    if (reach >= state->most) continue;
    state->most = reach;
    state->blocked = m;
  }
}

static mk_status ask_at_step(const mk_rule *rule, search *state, double step,
                             mk_question *question) {
  for (size_t m = 0; m < rule->count; m++) {
    double t =
        m == state->blocked && step == state->most ? 0.0 : state->base[m] + step * state->d[m];
    question->theta[m] = fmax(t, 0.0) / scale_of(rule, m);
  }
  state->asked = step;
  question->trial = 1;
  return MK_OK;
}

/* Ends a move at this step. The next move begins with the answer there. */
static mk_status end_move(const mk_rule *rule, search *state, double step, mk_question *question) {
  mk_status status = ask_at_step(rule, state, step, question);
  state->phase = AT_BASE;
  question->trial = 0;
  return status;
}

/* ---- phases ---- */

static mk_status search_further(const mk_rule *rule, search *state, mk_question *question);

/* Asks for a whole step from the base, if the direction has an end. */
static mk_status ask_whole_step(const mk_rule *rule, search *state, mk_question *question) {
  find_reach(rule, state);
  if (state->blocked == rule->count) return MK_STALLED;
  state->best = 0.0;
  state->best_value = state->value;
  state->phase = DESCENDING;
  return ask_at_step(rule, state, state->most, question);
}

/* Makes the whole step the new base. The weight that became 0 stays 0 in this move. */
static mk_status accept_whole_step(const mk_rule *rule, search *state, const mk_answer *answer,
                                   mk_question *question) {
  for (size_t m = 0; m < rule->count; m++) state->base[m] = answer->theta[m] * scale_of(rule, m);
  state->value = answer->lower;
  state->above = answer->upper;
  state->advanced = 1;
  size_t blocked = state->blocked, pivot = state->pivot;
  double freed = blocked == pivot ? 0.0 : state->d[blocked];
  state->d[blocked] = 0.0;
  state->base[blocked] = 0.0;
  state->d[pivot] += freed;
  int moves = 0;
  for (size_t m = 0; m < rule->count; m++) moves |= state->d[m] < 0.0;
  if (!moves || blocked == pivot) return end_move(rule, state, 0.0, question);
  return ask_whole_step(rule, state, question);
}

static mk_status begin_search(const mk_rule *rule, search *state, mk_question *question) {
  state->phase = SEARCHING;
  state->low = 0.0;
  state->high = state->most;
  state->a = state->b = state->at_a = state->at_b = NAN;
  return search_further(rule, state, question);
}

/* Leaves a kink. If K_theta of few kernels is singular, alpha is not unique and J has a kink, where
 * the slope by one alpha may show no direction of descent. A little weight on all kernels makes J
 * smooth. */
static mk_status leave_kink(const mk_rule *rule, search *state, mk_question *question) {
  double total = 0.0;
  for (size_t m = 0; m < rule->count; m++) total += state->base[m];
  for (size_t m = 0; m < rule->count; m++)
    question->theta[m] =
        ((1.0 - state->spread) * state->base[m] + state->spread * total / (double)rule->count) /
        scale_of(rule, m);
  state->spread *= 0.5;
  state->slight = 0;
  state->phase = AT_BASE;
  question->trial = 0;
  return MK_OK;
}

/* Records the gain of a move; returns 1 if moves should continue. */
static int should_continue(const mk_rule *rule, search *state, int gained) {
  double fall = state->before - state->best_value;
  state->slight = fall > SLIGHT_GAIN * rule->tol * fabs(state->before) ? 0 : state->slight + 1;
  return (gained && state->slight < MK_MAX_IDLE_ANSWERS) || state->spread < MK_ROUNDED_WEIGHT;
}

/* Asks for the next point of the golden section, or returns to the best one. */
static mk_status search_further(const mk_rule *rule, search *state, mk_question *question) {
  int gained = state->best > 0.0 || state->advanced;
  if (state->high - state->low <= (gained ? SEARCH_WIDTH : LEAST_WIDTH) * state->most) {
    if (!should_continue(rule, state, gained)) return leave_kink(rule, state, question);
    question->trial = 0;
    return gained ? end_move(rule, state, state->best, question) : MK_STALLED;
  }
  double part = (sqrt(1.25) - 0.5) * (state->high - state->low); /* by the golden ratio */
  if (isnan(state->at_a)) return ask_at_step(rule, state, state->a = state->high - part, question);
  return ask_at_step(rule, state, state->b = state->low + part, question);
}

static void shrink_bracket(search *state) {
  if (isnan(state->at_a) || isnan(state->at_b)) return;
  if (state->at_a < state->at_b) {
    state->high = state->b;
    state->b = state->a;
    state->at_b = state->at_a;
    state->a = state->at_a = NAN;
  } else {
    state->low = state->a;
    state->a = state->b;
    state->at_a = state->at_b;
    state->b = state->at_b = NAN;
  }
}

static void take_value(search *state, double value) {
  if (state->asked == state->a)
    state->at_a = value;
  else
    state->at_b = value;
  if (value < state->best_value) {
    state->best_value = value;
    state->best = state->asked;
  }
  shrink_bracket(state);
}

static mk_status next_by_gradient(const mk_rule *rule, const mk_answer *answer,
                                  mk_question *question) {
  search *state = rule->state;
  if (state->phase == DESCENDING) {
    /* a rise must exceed the bounds of J, or else the last bit of a weight would end the descent */
    if (!(answer->lower < state->above)) return begin_search(rule, state, question);
    return accept_whole_step(rule, state, answer, question);
  } else if (state->phase == SEARCHING) {
    take_value(state, answer->lower);
    return search_further(rule, state, question);
  }
  question->trial = 0;
  state->advanced = 0;
  for (size_t m = 0; m < rule->count; m++) state->base[m] = answer->theta[m] * scale_of(rule, m);
  state->value = state->before = answer->lower;
  state->above = answer->upper;
  if (!find_direction(rule, state, answer->s)) return MK_STALLED;
  return ask_whole_step(rule, state, question);
}

const mk_rule_type mk_reduced_gradient_rule = {serves_simplex, begin_search_state, next_by_gradient,
                                               end_search_state};
