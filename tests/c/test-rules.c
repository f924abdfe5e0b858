/* Rules for theta, and the convex programs that they solve, against conditions of optimality. */
#include "base/memory.h"
#include "both-sides.h"
#include "check.h"
#include "data.h"
#include "theta/cuts.h"
#include "theta/lp.h"
#include "theta/master.h"
#include "theta/norm.h"
#include "theta/rule.h"

#include <string.h>

#define MOST 40 /* weights */
#define CUTS 25

static const double norms[] = {1.0, 32.0 / 31.0, 4.0 / 3.0, 2.0, 4.0, 16.0};
#define NORMS (sizeof norms / sizeof *norms)

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0.0;
  for (size_t m = 0; m < n; m++) sum += x[m] * y[m];
  return sum;
}

/* ---- the programs ---- */

typedef struct program {
  double linear[CUTS], slope[CUTS][MOST], multiplier[CUTS], t[MOST];
  const double *row[CUTS];
  mk_master master;
} program;

static void make_program(program *g, size_t count, size_t cuts, double p) {
  memset(g, 0, sizeof *g);
  for (size_t j = 0; j < cuts; j++) {
    g->row[j] = g->slope[j];
    g->linear[j] = 100.0 * (2.0 + data_next());
    for (size_t m = 0; m < count; m++) g->slope[j][m] = 40.0 * fabs(data_next());
  }
  g->master = (mk_master){.count = count,
                          .cuts = cuts,
                          .p = p,
                          .linear = g->linear,
                          .slope = g->row,
                          .multiplier = g->multiplier};
  mk_lp_start(count, p, g->t);
}

static double worst_cut(const program *g, const double *t) {
  double worst = -INFINITY;
  for (size_t j = 0; j < g->master.cuts; j++)
    worst = fmax(worst, g->linear[j] - dot(g->slope[j], t, g->master.count));
  return worst;
}

static void check_on_sphere(const program *g, const double *t) {
  double sum = 0.0;
  for (size_t m = 0; m < g->master.count; m++) {
    CHECK(t[m] >= 0.0);
    sum += pow(t[m], g->master.p);
  }
  CHECK_NEAR(sum, 1.0, 1e-9);
}

static void test_least_level_by_hand(void) {
  /* max(10 - 4 a, 8 - 6 b), a + b = 1: equal at a = 4/5 */
  program g;
  make_program(&g, 2, 2, 1.0);
  g.linear[0] = 10.0;
  g.linear[1] = 8.0;
  g.slope[0][0] = 4.0;
  g.slope[0][1] = g.slope[1][0] = 0.0;
  g.slope[1][1] = 6.0;
  CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
  CHECK_NEAR(g.t[0], 0.8, 1e-9);
  CHECK_NEAR(g.master.level, 6.8, 1e-8);
  CHECK_NEAR(g.multiplier[0], 0.6, 1e-8); /* 4 and 6 times theirs are equal */
  /* one cut: all weight on the steepest, or by Hoelder for p = 2 */
  make_program(&g, 3, 1, 1.0);
  g.linear[0] = 1.0;
  for (int m = 0; m < 3; m++) g.slope[0][m] = 1.0 + m;
  CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
  CHECK_NEAR(g.t[2], 1.0, 1e-9);
  g.master.p = 2.0;
  CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
  for (int m = 0; m < 3; m++) CHECK_NEAR(g.t[m], (1.0 + m) / sqrt(14.0), 1e-9);
  CHECK_NEAR(g.master.level, 1.0 - sqrt(14.0), 1e-8);
}

/* Strong duality: the level is sum lambda linear - ||sum lambda slope||_{p*}. */
static void test_least_level_is_the_dual_value(void) {
  program g;
  for (size_t k = 0; k < NORMS; k++)
    for (size_t cuts = 1; cuts <= CUTS; cuts += 4)
      for (size_t count = 1; count <= MOST; count += 13) {
        double mean[MOST] = {0}, sum = 0.0;
        make_program(&g, count, cuts, norms[k]);
        CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
        check_on_sphere(&g, g.t);
        for (size_t j = 0; j < cuts; j++) {
          CHECK(g.multiplier[j] >= 0.0);
          sum += g.multiplier[j];
          for (size_t m = 0; m < count; m++) mean[m] += g.multiplier[j] * g.slope[j][m];
        }
        CHECK_NEAR(sum, 1.0, 5e-11);
        double dual = dot(g.multiplier, g.linear, cuts) - mk_lp_dual_norm(count, norms[k], mean);
        CHECK_NEAR(g.master.level, dual, 1e-8); /* of values of some hundreds */
        CHECK_NEAR(worst_cut(&g, g.t), g.master.level, norms[k] == 1.0 ? 1e-7 : 1e-9);
      }
}

static void test_projection_by_hand(void) {
  /* from (1/2, 1/2) to 10 - 4 a <= 7: a = 3/4 */
  program g;
  double centre[] = {0.5, 0.5};
  make_program(&g, 2, 1, 1.0);
  g.linear[0] = 10.0;
  g.slope[0][0] = 4.0;
  g.slope[0][1] = 0.0;
  g.master.centre = centre;
  g.master.level = 7.0;
  CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
  CHECK_NEAR(g.t[0], 0.75, 1e-9);
  CHECK_NEAR(g.t[1], 0.25, 1e-9);
}

/* A point is the projection iff it is feasible and no feasible point is on the centre's side of
 * it: (t - centre)'(other - t) >= 0. */
static void test_projections_satisfy_their_inequality(void) {
  program g, least;
  double centre[MOST], other[MOST];
  for (size_t k = 0; k < NORMS; k++)
    for (size_t cuts = 1; cuts <= CUTS; cuts += 6) {
      double p = norms[k];
      make_program(&g, MOST, cuts, p);
      least = g;
      for (size_t j = 0; j < cuts; j++) least.row[j] = least.slope[j];
      least.master.slope = least.row;
      least.master.linear = least.linear;
      least.master.multiplier = least.multiplier;
      CHECK(mk_master_solve(&least.master, least.t) == MK_OK);
      mk_lp_start(MOST, p, centre);
      double level = 0.3 * worst_cut(&g, centre) + 0.7 * least.master.level;
      g.master.centre = centre;
      g.master.level = level;
      CHECK(mk_master_solve(&g.master, g.t) == MK_OK);
      check_on_sphere(&g, g.t);
      CHECK(worst_cut(&g, g.t) <= level + 1e-7);
      int feasible = 0;
      for (int trial = 0; trial < 300; trial++) {
        double product = 0.0;
        for (int m = 0; m < MOST; m++) other[m] = pow(fabs(data_next()), 4.0);
        mk_lp_normalize(MOST, p, other);
        double share = 1.0 - pow(0.2, trial % 5); /* of a feasible point; the set is convex */
        for (int m = 0; m < MOST; m++) other[m] = share * least.t[m] + (1.0 - share) * other[m];
        if (worst_cut(&g, other) > level) continue;
        feasible++;
        for (int m = 0; m < MOST; m++) product += (g.t[m] - centre[m]) * (other[m] - g.t[m]);
        CHECK(product >= -1e-8);
      }
      CHECK(feasible > 0);
    }
}

static void test_no_point_below_the_level(void) {
  program g;
  double centre[MOST];
  make_program(&g, MOST, 5, 1.0);
  mk_lp_start(MOST, 1.0, centre);
  g.master.centre = centre;
  g.master.level = -1e6;
  CHECK(mk_master_solve(&g.master, g.t) == MK_STALLED);
}

/* ---- rules on a function that is known ---- */

/* J = sum c_m^2 / (theta_m + e), the largest over b of sum 2 c b - (theta + e) b^2. */
typedef struct worth {
  double c[MOST], s[MOST], theta[MOST];
  mk_answer answer;
} worth;

#define EDGE 0.01

static void look(worth *w, size_t count) {
  double value = 0.0;
  for (size_t m = 0; m < count; m++) {
    double b = w->c[m] / (w->theta[m] + EDGE);
    value += w->c[m] * b;
    w->s[m] = 2.0 * b * b;
  }
  w->answer = (mk_answer){w->theta, w->s, value, value, fmin(w->answer.least_upper, value), NULL};
}

/* How far theta is from the best, by the dual norm. */
static double lag(const mk_norm *norm, const worth *w, size_t count) {
  return 0.5 * (dual_of(norm, count, w->s) - dot(w->theta, w->s, count));
}

static mk_question question_for(double *theta) {
  return (mk_question){.theta = theta, .accuracy = INFINITY, .lower = -INFINITY};
}

static void start_rule(mk_rule *rule, const mk_norm *norm, size_t count, worth *w) {
  *rule = (mk_rule){.norm = norm, .count = count, .budget = 1 << 20, .tol = 1e-8};
  w->answer.least_upper = INFINITY;
  for (size_t m = 0; m < count; m++) w->c[m] = m % 5 == 0 ? 1.0 + fabs(data_next()) : 0.01;
  mk_norm_start(norm, count, w->theta);
}

/* Whatever a rule asks for is a theta: on the sphere, and nowhere negative. */
static void check_on_the_sphere(const mk_norm *norm, size_t count, const double *theta) {
  double there[MOST], far = 0.0, least = 0.0;
  memcpy(there, theta, count * sizeof *there);
  mk_norm_normalize(norm, count, there);
  for (size_t m = 0; m < count; m++) {
    least = fmin(least, theta[m]);
    far = fmax(far, fabs(there[m] - theta[m]));
  }
  CHECK(least == 0.0);
  CHECK_NEAR(far, 0.0, 1e-9);
}

/* Answers until theta is good to `tol`, or `most` of them. */
static int drive(const mk_rule_type *type, mk_rule *rule, worth *w, double tol, int most) {
  double next[MOST], bound = -INFINITY, best = INFINITY;
  mk_question question = question_for(next);
  for (int k = 0; k < most; k++) {
    look(w, rule->count);
    best = fmin(best, w->answer.lower);
    if (lag(rule->norm, w, rule->count) <= tol * w->answer.upper) return k + 1;
    mk_status status = type->next(rule, &w->answer, &question);
    CHECK(status == MK_OK);
    if (status != MK_OK) return most;
    check_on_the_sphere(rule->norm, rule->count, next);
    CHECK(question.lower >= bound); /* the bound never falls, and is one */
    CHECK(question.lower <= best + 1e-9 * fabs(best));
    bound = question.lower;
    memcpy(w->theta, next, rule->count * sizeof *next);
  }
  return most;
}

static void check_rule(const mk_rule_type *type, const mk_norm *norm, double tol, int most) {
  worth w;
  mk_rule rule;
  CHECK(type->serves == NULL || type->serves(norm));
  start_rule(&rule, norm, MOST, &w);
  CHECK(type->begin == NULL || type->begin(&rule) == MK_OK);
  int answers = drive(type, &rule, &w, tol, most);
  CHECK(answers < most);
  if (answers >= most) printf("    p = %g: %d answers\n", norm->p, answers);
  if (type->end != NULL) type->end(&rule);
}

static void test_rules_find_the_best_theta(void) {
  for (size_t k = 0; k < NORMS; k++) {
    mk_norm norm = mk_lp(norms[k]);
    check_rule(&mk_level_rule, &norm, 1e-6, 400);
    check_rule(&mk_cutting_plane_rule, &norm, norms[k] < 1.1 ? 1e-3 : 1e-6, 400);
    if (norms[k] > 1.1) check_rule(&mk_analytic_rule, &norm, 1e-6, 400);
  }
  mk_norm simplex = mk_lp(1.0);
  check_rule(&mk_reduced_gradient_rule, &simplex, 1e-3, 3000);
  /* cuts that nearly agree leave the programs little but rounding */
  for (int draw = 0; draw < 20; draw++) check_rule(&mk_level_rule, &simplex, 1e-6, 400);
}

static mk_rule begun_search(const mk_norm *norm) {
  worth w;
  mk_rule rule;
  start_rule(&rule, norm, MOST, &w);
  CHECK(mk_reduced_gradient_rule.begin(&rule) == MK_OK);
  return rule;
}

/* J that no step lowers: the search ends, and what ends in a stall is a move, which limits count.
 */
static void test_a_search_in_vain_ends(void) {
  mk_norm simplex = mk_lp(1.0);
  mk_rule rule = begun_search(&simplex);
  double theta[MOST] = {1.0}, s[MOST], next[MOST];
  mk_question question = question_for(next);
  int answers = 0;
  for (int m = 0; m < MOST; m++) s[m] = 1.0 + m;
  mk_status status = MK_OK;
  for (; status == MK_OK && answers < 20000; answers++) {
    int at_start = theta[0] == 1.0;
    double value = at_start ? 1.0 : 2.0;
    mk_answer answer = {.theta = theta, .s = s, .lower = value, .upper = value};
    status = mk_reduced_gradient_rule.next(&rule, &answer, &question);
    if (status == MK_OK) check_on_the_sphere(&simplex, MOST, next);
    memcpy(theta, next, sizeof theta);
    if (!question.trial) {
      memset(theta, 0, sizeof theta); /* what was left comes back */
      theta[0] = 1.0;
    }
  }
  CHECK(status == MK_STALLED);
  CHECK(!question.trial);
  mk_reduced_gradient_rule.end(&rule);
}

/* J that is the same everywhere: whole steps that cost nothing are moves. */
static void test_steps_that_gain_nothing_are_moves(void) {
  mk_norm simplex = mk_lp(1.0);
  mk_rule rule = begun_search(&simplex);
  double theta[MOST] = {1.0}, s[MOST], next[MOST];
  mk_question question = question_for(next);
  int moves = 0;
  for (int k = 0; k < 400 * MOST; k++) {
    for (int m = 0; m < MOST; m++) s[m] = theta[m] > 0.0 ? 1.0 : 2.0;
    mk_answer answer = {.theta = theta, .s = s, .lower = 1.0, .upper = 1.5};
    if (mk_reduced_gradient_rule.next(&rule, &answer, &question) != MK_OK) break;
    memcpy(theta, next, sizeof theta);
    moves += !question.trial;
  }
  CHECK(moves >= 100);
  mk_reduced_gradient_rule.end(&rule);
}

/* J that falls by an ulp with each move between two weights: the third one ends at a kink, which
 * all weights leave. */
static void test_slight_gains_end_at_a_kink(void) {
  mk_norm simplex = mk_lp(1.0);
  mk_rule rule = begun_search(&simplex);
  double theta[MOST] = {0.5, 0.5}, s[MOST] = {1.0, 2.0}, next[MOST] = {0}, level = 1.0;
  mk_question question = question_for(next);
  int moves = 0, trials = 0;
  mk_status status = MK_OK;
  for (int answers = 0; status == MK_OK && next[MOST - 1] == 0.0 && answers < 1000; answers++) {
    double value = level;
    trials = question.trial ? trials + 1 : 0;
    if (trials == 2) value = level -= 0x1p-52; /* the first point after the whole step */
    if (trials > 0 && trials != 2) value = 2.0;
    mk_answer answer = {.theta = theta, .s = s, .lower = value, .upper = value};
    status = mk_reduced_gradient_rule.next(&rule, &answer, &question);
    memcpy(theta, next, sizeof theta);
    moves += !question.trial;
  }
  CHECK(status == MK_OK && next[MOST - 1] > 0.0);
  CHECK(moves == 3);
  mk_reduced_gradient_rule.end(&rule);
}

static void test_rules_know_weights(void) {
  double weights[MOST], *memory = MK_NEW(double, mk_norm_memory(MK_NORM_LP, MOST));
  for (int m = 0; m < MOST; m++) weights[m] = 0.5 + fabs(data_next());
  for (size_t k = 0; k < NORMS; k++) {
    mk_norm norm;
    CHECK(mk_norm_make(&norm, MK_NORM_LP, MOST, norms[k], weights, memory) == MK_OK);
    check_rule(&mk_level_rule, &norm, 1e-6, 400);
    check_rule(&mk_cutting_plane_rule, &norm, norms[k] < 1.1 ? 1e-3 : 1e-6, 400);
    if (norms[k] == 1.0) check_rule(&mk_reduced_gradient_rule, &norm, 1e-3, 3000);
  }
  mk_free(memory);
}

/* In the coordinates of the elastic net J is convex, too. */
static void test_cuts_serve_the_elastic_net(void) {
  const double shares[] = {0.05, 0.5, 0.9};
  double *memory = MK_NEW(double, mk_norm_memory(MK_NORM_ELASTIC, MOST));
  for (int k = 0; k < 3; k++) {
    mk_norm norm;
    CHECK(mk_norm_make(&norm, MK_NORM_ELASTIC, MOST, shares[k], NULL, memory) == MK_OK);
    check_rule(&mk_level_rule, &norm, 1e-6, 400);
  }
  mk_free(memory);
}

/* Answers at the corners of a triangle over which J is the largest of their cuts: the mean of their
 * alphas, by the multipliers, is worth the bound. */
static void test_the_mean_of_alphas_proves_the_bound(void) {
  mk_norm norm = mk_lp(1.0);
  mk_rule rule = {.norm = &norm, .count = 2, .alphas = 2, .budget = 1 << 16, .tol = 1e-8};
  const double corner[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, forms[2][2] = {{2.0, 0.0}, {0.0, 6.0}};
  double theta[2];
  mk_question question = question_for(theta);
  CHECK(mk_cutting_plane_rule.begin(&rule) == MK_OK);
  for (int k = 0; k < 2; k++) {
    /* J >= 4 - s't/2, s/2 = (1, 0) or (0, 3); its own alpha is a unit vector */
    mk_answer answer = {corner[k], forms[k], 4.0 - 0.5 * forms[k][k], 5.0, 5.0, corner[k]};
    CHECK(mk_cutting_plane_rule.next(&rule, &answer, &question) == MK_OK);
  }
  /* 4 - a = 4 - 3 (1 - a): a = 3/4; multipliers 3/4 and 1/4 make both slopes equal */
  CHECK_NEAR(theta[0], 0.75, 1e-8);
  CHECK_NEAR(question.lower, 3.25, 1e-8);
  CHECK_NEAR(question.mean[0], 0.75, 1e-7);
  CHECK_NEAR(question.mean[1], 0.25, 1e-7);
  mk_cutting_plane_rule.end(&rule);
}

static void test_rules_say_what_they_serve(void) {
  mk_norm plain = mk_lp(2.0), fixed = mk_lp(INFINITY), block = {.type = MK_NORM_BLOCK, .p = 2.0};
  CHECK(!mk_level_rule.serves(&fixed) && !mk_level_rule.serves(&block));
  CHECK(!mk_cutting_plane_rule.serves(&block));
  CHECK(!mk_reduced_gradient_rule.serves(&plain));
}

static void test_room_for_few_cuts(void) {
  worth w;
  mk_rule rule;
  mk_norm norm = mk_lp(1.0);
  start_rule(&rule, &norm, MOST, &w);
  rule.budget = 14 * MOST * sizeof(double);
  CHECK(mk_level_rule.begin(&rule) == MK_OK);
  CHECK(drive(&mk_level_rule, &rule, &w, 1e-4, 400) < 400);
  mk_level_rule.end(&rule);
  /* there is not even room for those that matter */
  start_rule(&rule, &norm, MOST, &w);
  rule.budget = 0;
  CHECK(mk_cutting_plane_rule.begin(&rule) == MK_OK);
  double next[MOST];
  mk_question question = question_for(next);
  mk_status status = MK_OK;
  for (int k = 0; k < 50 && status == MK_OK; k++) {
    look(&w, MOST);
    status = mk_cutting_plane_rule.next(&rule, &w.answer, &question);
    memcpy(w.theta, next, sizeof next);
  }
  CHECK(status == MK_STALLED);
  mk_cutting_plane_rule.end(&rule);
}

/* An answer whose cut would not move theta is asked for once more, a few times. */
static void test_loose_answers_are_asked_for_again_a_few_times(void) {
  mk_norm norm = mk_lp(1.0);
  mk_rule rule = {.norm = &norm, .count = 2, .budget = 1 << 16, .tol = 1e-8};
  double theta[2] = {0.5, 0.5}, s[2] = {1.0, 1.0}, next[2];
  mk_question question = question_for(next);
  int asked = 0;
  CHECK(mk_level_rule.begin(&rule) == MK_OK);
  mk_answer answer = {.theta = theta, .s = s, .lower = -100.0, .upper = 5.0, .least_upper = 5.0};
  while (asked < 20 && mk_level_rule.next(&rule, &answer, &question) == MK_OK) {
    CHECK(question.trial && next[0] == 0.5 && next[1] == 0.5);
    asked++;
  }
  CHECK(asked > 0 && asked < 20);
  mk_level_rule.end(&rule);
}

/* Cuts j >= 10 + c_j/5 - c_j t_j, c = 1, ..., 5: all meet at t_j = 1/5, where multipliers are
 * proportional to 1/c_j. With room for five, a sixth merges the last two, 1/4 to 1/5. */
static void test_merged_cuts_are_their_mean_by_multipliers(void) {
  mk_norm norm = mk_lp(1.0);
  mk_rule rule = {.norm = &norm, .count = 5, .budget = 5 * 5 * sizeof(double)};
  mk_cuts cuts;
  double theta[5];
  CHECK(mk_cuts_begin(&cuts, &rule) == MK_OK);
  for (size_t j = 0; j < 6; j++) {
    double corner[5] = {0.0}, s[5] = {0.0}, c = 1.0 + (double)(j % 5);
    corner[j % 5] = 1.0;
    s[j % 5] = 2.0 * c;
    mk_answer answer = {.theta = corner, .s = s, .lower = 10.0 + c / 5.0 - c};
    if (j == 5) CHECK(mk_cuts_minimise(&cuts, theta) == MK_OK);
    CHECK(mk_cuts_add(&cuts, &answer) == MK_OK);
  }
  CHECK(cuts.count == 5);
  size_t merged = 0;
  for (size_t j = 0; j < 5; j++) {
    const double *slope = cuts.slope + 5 * j;
    if (slope[3] == 0.0 || slope[4] == 0.0) continue;
    merged++;
    CHECK_NEAR(slope[3], 4.0 * 5.0 / 9.0, 1e-6);
    CHECK_NEAR(slope[4], 5.0 * 4.0 / 9.0, 1e-6);
    CHECK(slope[0] == 0.0 && slope[1] == 0.0 && slope[2] == 0.0);
    CHECK_NEAR(cuts.linear[j], 10.0 + 8.0 / 9.0, 1e-6);
  }
  CHECK(merged == 1);
  mk_cuts_end(&cuts);
}

int main(void) {
  RUN(test_least_level_by_hand);
  RUN(test_least_level_is_the_dual_value);
  RUN(test_projection_by_hand);
  RUN(test_projections_satisfy_their_inequality);
  RUN(test_no_point_below_the_level);
  RUN(test_rules_find_the_best_theta);
  RUN(test_a_search_in_vain_ends);
  RUN(test_steps_that_gain_nothing_are_moves);
  RUN(test_rules_know_weights);
  RUN(test_cuts_serve_the_elastic_net);
  RUN(test_the_mean_of_alphas_proves_the_bound);
  RUN(test_rules_say_what_they_serve);
  RUN(test_room_for_few_cuts);
  RUN(test_loose_answers_are_asked_for_again_a_few_times);
  RUN(test_merged_cuts_are_their_mean_by_multipliers);
  RUN(test_slight_gains_end_at_a_kink);
  return REPORT();
}
