/* Cuts, and the programs over them. Called by cutting-plane.c and level.c. MATHEMATICS.md, section
 * 3.2. */
#include "cuts.h"

#include "base/memory.h"
#include "base/simd.h"
#include "theta/lp.h"
#include "theta/master.h"
#include "theta/norm.h"

#include <math.h>
#include <string.h>

#define MAX_CUTS 1024 /* most cuts; a program over a third of them takes a second */
/* programs after which an inactive cut is left out until it is violated */
#define IDLE_PROGRAMS 3
/* rounds of programs whose solution violates cuts that were left out */
#define MAX_ROUNDS 50
/* share of the values' size by which a violated cut is exceeded, at least the programs' accuracy */
#define LEAST_CUT_VIOLATION 1e-11
#define ACTIVE_MULTIPLIER 1e-9 /* share of the multipliers above which a cut is active */

int mk_cuts_serve(const mk_norm *norm) {
  return mk_norm_has_ball(norm) && !mk_norm_rises(norm) && !mk_norm_is_fixed(norm);
}

mk_status mk_cuts_begin(mk_cuts *cuts, const mk_rule *rule) {
  size_t kernels = rule->count, row = kernels + rule->alphas;
  size_t room = rule->budget / (row * sizeof(double));
  room = room < 2 ? 2 : room > MAX_CUTS ? MAX_CUTS : room;
  *cuts = (mk_cuts){.kernels = kernels,
                    .room = room,
                    .row = row,
                    .norm = rule->norm,
                    .team = rule->team,
                    .lower = -INFINITY};
  cuts->slope = MK_NEW(double, room *row);
  cuts->linear = MK_NEW(double, 4 * room + 3 * kernels + row);
  cuts->age = MK_NEW(int, 2 * room);
  cuts->chosen = MK_NEW(const double *, room);
  if (cuts->slope == NULL || cuts->linear == NULL || cuts->age == NULL || cuts->chosen == NULL)
    return MK_NO_MEMORY;
  cuts->share = cuts->linear + room;
  cuts->multiplier = cuts->share + room;
  cuts->chosen_linear = cuts->multiplier + room;
  cuts->t = cuts->chosen_linear + room;
  cuts->centre = cuts->t + kernels;
  cuts->scratch = cuts->centre + kernels;
  cuts->mean = cuts->scratch + kernels;
  cuts->list = cuts->age + room;
  return MK_OK;
}

void mk_cuts_end(mk_cuts *cuts) {
  mk_free(cuts->slope);
  mk_free(cuts->linear);
  mk_free(cuts->age);
  mk_free(cuts->chosen);
}

void mk_cuts_tell(const mk_cuts *cuts, mk_question *question) {
  size_t values = cuts->count * cuts->row + 4 * cuts->room + 3 * cuts->kernels + cuts->row;
  question->lower = cuts->lower;
  question->mean = cuts->mean + cuts->kernels;
  question->bytes = values * sizeof(double);
}

static void move_cut(mk_cuts *cuts, size_t to, size_t from) {
  cuts->linear[to] = cuts->linear[from];
  cuts->share[to] = cuts->share[from];
  cuts->age[to] = cuts->age[from];
  memmove(cuts->slope + to * cuts->row, cuts->slope + from * cuts->row, cuts->row * sizeof(double));
}

/* Deletes cuts that have not been active lately. Those that give the bound are active. */
static void forget_idle(mk_cuts *cuts) {
  size_t kept = 0;
  for (size_t j = 0; j < cuts->count; j++)
    if (cuts->age[j] <= IDLE_PROGRAMS) move_cut(cuts, kept++, j);
  cuts->count = kept;
}

static size_t least_share(const mk_cuts *cuts, size_t except) {
  size_t least = except == 0;
  for (size_t j = 0; j < cuts->count; j++)
    if (j != except && cuts->share[j] < cuts->share[least]) least = j;
  return least;
}

/* Merges the two cuts of the smallest multipliers into their mean weighted by multipliers, which is
 * a cut, too, and leaves the bound. MK_STALLED: the two have more than half of all multipliers. */
static mk_status merge_least(mk_cuts *cuts) {
  size_t least = least_share(cuts, cuts->count), second = least_share(cuts, least);
  double both = cuts->share[least] + cuts->share[second];
  if (both > 0.5) return MK_STALLED;
  double part = both > 0.0 ? cuts->share[least] / both : 0.0;
  double *a = cuts->slope + least * cuts->row, *b = cuts->slope + second * cuts->row;
  for (size_t k = 0; k < cuts->row; k++) b[k] += part * (a[k] - b[k]);
  cuts->linear[second] += part * (cuts->linear[least] - cuts->linear[second]);
  cuts->share[second] = both;
  move_cut(cuts, least, --cuts->count);
  return MK_OK;
}

/* Adds the cut of an answer. J is convex in the coordinates, too: J(t) >= value - slope'(t - at)
 * with slope = s/2 dtheta/dt. */
mk_status mk_cuts_add(mk_cuts *cuts, const mk_answer *answer) {
  if (cuts->count == cuts->room) forget_idle(cuts);
  if (cuts->count == cuts->room) MK_TRY(merge_least(cuts));
  size_t kernels = cuts->kernels;
  double *slope = cuts->slope + cuts->count * cuts->row, *at = cuts->t;
  mk_norm_coordinates(cuts->norm, kernels, answer->theta, at);
  mk_norm_unfold(cuts->norm, kernels, at, cuts->centre, slope, cuts->scratch);
  for (size_t m = 0; m < kernels; m++) slope[m] *= 0.5 * fmax(answer->s[m], 0.0);
  if (cuts->row > kernels)
    memcpy(slope + kernels, answer->alpha, (cuts->row - kernels) * sizeof *slope);
  cuts->linear[cuts->count] = answer->lower + mk_simd_best()->dot(kernels, slope, at);
  cuts->age[cuts->count++] = 0;
  return MK_OK;
}

/* ---- programs ---- */

static size_t choose_active(mk_cuts *cuts) {
  size_t count = 0;
  for (size_t j = 0; j < cuts->count; j++) {
    if (cuts->age[j] > IDLE_PROGRAMS) continue;
    cuts->list[count] = (int)j;
    cuts->chosen[count] = cuts->slope + j * cuts->row;
    cuts->chosen_linear[count++] = cuts->linear[j];
  }
  return count;
}

static double value_at(const mk_cuts *cuts, size_t j, const double *t) {
  const double *slope = cuts->slope + j * cuts->row;
  return cuts->linear[j] - mk_simd_best()->dot(cuts->kernels, slope, t);
}

/* Marks the violated cuts among those left out as active and returns their number. */
static size_t take_in_violated(mk_cuts *cuts, double level, const double *t) {
  size_t found = 0;
  for (size_t j = 0; j < cuts->count; j++) {
    if (cuts->age[j] <= IDLE_PROGRAMS) continue;
    if (value_at(cuts, j, t) - level <= LEAST_CUT_VIOLATION * fabs(level)) continue;
    cuts->age[j] = 0;
    found++;
  }
  return found;
}

static void update_ages(mk_cuts *cuts, size_t chosen) {
  double sum = 0.0;
  for (size_t k = 0; k < chosen; k++) sum += cuts->multiplier[k];
  for (size_t j = 0; j < cuts->count; j++) cuts->age[j]++;
  for (size_t k = 0; k < chosen; k++)
    if (cuts->multiplier[k] > ACTIVE_MULTIPLIER * sum) cuts->age[cuts->list[k]] = 0;
}

/* Raises the bound to the dual value of the multipliers, a bound whether or not they are optimal.
 * Forms are convex, so the mean of the alphas attains at least this value. */
static void raise_bound(mk_cuts *cuts, size_t chosen) {
  double sum = 0.0, value = 0.0;
  memset(cuts->mean, 0, cuts->row * sizeof *cuts->mean);
  memset(cuts->share, 0, cuts->count * sizeof *cuts->share);
  for (size_t k = 0; k < chosen; k++) sum += cuts->multiplier[k];
  for (size_t k = 0; k < chosen; k++) {
    double share = cuts->multiplier[k] / sum;
    cuts->share[cuts->list[k]] = share;
    value += share * cuts->chosen_linear[k];
    mk_simd_best()->axpy(cuts->row, share, cuts->chosen[k], cuts->mean);
  }
  value -= mk_lp_dual_norm(cuts->kernels, cuts->norm->p, cuts->mean);
  if (isfinite(value)) cuts->lower = fmax(cuts->lower, value);
}

/* Solves a program; t holds the starting point, then the solution. */
static mk_status solve_program(mk_cuts *cuts, const double *centre, double level, double *t) {
  for (int round = 0; round < MAX_ROUNDS; round++) {
    size_t chosen = choose_active(cuts);
    mk_master master = {.count = cuts->kernels,
                        .cuts = chosen,
                        .p = cuts->norm->p,
                        .team = cuts->team,
                        .linear = cuts->chosen_linear,
                        .slope = cuts->chosen,
                        .centre = centre,
                        .level = level,
                        .multiplier = cuts->multiplier};
    MK_TRY(mk_master_solve(&master, t));
    if (centre == NULL) raise_bound(cuts, chosen);
    if (take_in_violated(cuts, master.level, t) > 0) continue;
    update_ages(cuts, chosen);
    return MK_OK;
  }
  return MK_OK;
}

static void to_theta(const mk_cuts *cuts, double *theta) {
  double *ignored = cuts->scratch;
  mk_norm_unfold(cuts->norm, cuts->kernels, cuts->t, theta, ignored, ignored);
}

mk_status mk_cuts_minimise(mk_cuts *cuts, double *theta) {
  mk_lp_start(cuts->kernels, cuts->norm->p, cuts->t);
  MK_TRY(solve_program(cuts, NULL, 0.0, cuts->t));
  to_theta(cuts, theta);
  return MK_OK;
}

mk_status mk_cuts_project(mk_cuts *cuts, const double *from, double level, double *theta) {
  mk_norm_coordinates(cuts->norm, cuts->kernels, from, cuts->t);
  memcpy(cuts->centre, cuts->t, cuts->kernels * sizeof(double));
  MK_TRY(solve_program(cuts, cuts->centre, level, cuts->t));
  to_theta(cuts, theta);
  return MK_OK;
}
