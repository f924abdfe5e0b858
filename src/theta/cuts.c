#include "cuts.h"

#include "base/memory.h"
#include "base/simd.h"
#include "theta/lp.h"
#include "theta/master.h"

#include <math.h>
#include <string.h>

#define FIRST_ROOM 32
#define KEPT 3     /* programs that a cut may sit out before it has to be asked for */
#define TOGETHER 8 /* violated cuts taken in at a time */
#define ROUNDS 50
#define VIOLATION 1e-11 /* of the values' size, that counts as none */
#define MATTERS 1e-9    /* share of the multipliers that shows a cut to matter */

int mk_cuts_serve(const mk_norm *norm) {
  return norm->type == MK_NORM_LP && !mk_norm_is_fixed(norm);
}

static mk_status grow(mk_cuts *cuts) {
  size_t room = cuts->room == 0 ? FIRST_ROOM : 2 * cuts->room;
  if (room > cuts->most) room = cuts->most;
  double *slope = MK_NEW(double, room * cuts->kernels), *numbers = MK_NEW(double, 3 * room);
  int *age = MK_NEW(int, 2 * room);
  const double **chosen = MK_NEW(const double *, room);
  if (slope == NULL || numbers == NULL || age == NULL || chosen == NULL) {
    mk_free(slope);
    mk_free(numbers);
    mk_free(age);
    mk_free(chosen);
    return MK_NO_MEMORY;
  }
  if (cuts->count > 0) {
    memcpy(slope, cuts->slope, cuts->count * cuts->kernels * sizeof *slope);
    memcpy(numbers, cuts->linear, cuts->count * sizeof *numbers);
    memcpy(age, cuts->age, cuts->count * sizeof *age);
  }
  mk_free(cuts->slope);
  mk_free(cuts->linear);
  mk_free(cuts->age);
  mk_free(cuts->chosen);
  cuts->slope = slope;
  cuts->linear = numbers;
  cuts->multiplier = numbers + room;
  cuts->chosen_linear = numbers + 2 * room;
  cuts->age = age;
  cuts->list = age + room;
  cuts->chosen = chosen;
  cuts->room = room;
  return MK_OK;
}

mk_status mk_cuts_begin(mk_cuts *cuts, const mk_rule *rule) {
  size_t row = rule->count * sizeof(double);
  cuts->kernels = rule->count;
  cuts->norm = rule->norm;
  cuts->team = rule->team;
  cuts->lower = -INFINITY;
  cuts->most = rule->budget / row < 2 ? 2 : rule->budget / row;
  cuts->t = MK_NEW(double, 2 * rule->count);
  if (cuts->t == NULL) return MK_NO_MEMORY;
  cuts->theta = cuts->t + rule->count;
  return grow(cuts);
}

void mk_cuts_end(mk_cuts *cuts) {
  mk_free(cuts->slope);
  mk_free(cuts->linear);
  mk_free(cuts->age);
  mk_free(cuts->chosen);
  mk_free(cuts->t);
}

/* Those that have not mattered lately; the bound stays, as the cuts that give it do. */
static void forget(mk_cuts *cuts, int age) {
  size_t kept = 0;
  for (size_t j = 0; j < cuts->count; j++) {
    if (cuts->age[j] > age) continue;
    cuts->linear[kept] = cuts->linear[j];
    cuts->age[kept] = cuts->age[j];
    memmove(cuts->slope + kept * cuts->kernels, cuts->slope + j * cuts->kernels,
            cuts->kernels * sizeof(double));
    kept++;
  }
  cuts->count = kept;
}

static double scale_of(const mk_cuts *cuts, size_t m) {
  return cuts->norm->scale != NULL ? cuts->norm->scale[m] : 1.0;
}

mk_status mk_cuts_add(mk_cuts *cuts, const mk_answer *answer) {
  if (cuts->count == cuts->room && cuts->room < cuts->most) MK_TRY(grow(cuts));
  for (int age = KEPT; cuts->count == cuts->room && age >= 0; age--) forget(cuts, age);
  if (cuts->count == cuts->room) return MK_STALLED;
  double *slope = cuts->slope + cuts->count * cuts->kernels;
  for (size_t m = 0; m < cuts->kernels; m++)
    slope[m] = 0.5 * fmax(answer->s[m], 0.0) / scale_of(cuts, m);
  cuts->linear[cuts->count] = answer->linear;
  cuts->age[cuts->count++] = 0;
  return MK_OK;
}

/* ---- programs ---- */

static size_t choose(mk_cuts *cuts) {
  size_t count = 0;
  for (size_t j = 0; j < cuts->count; j++) {
    if (cuts->age[j] > KEPT) continue;
    cuts->list[count] = (int)j;
    cuts->chosen[count] = cuts->slope + j * cuts->kernels;
    cuts->chosen_linear[count++] = cuts->linear[j];
  }
  return count;
}

static double value_at(const mk_cuts *cuts, size_t j, const double *t) {
  const double *slope = cuts->slope + j * cuts->kernels;
  return cuts->linear[j] - mk_simd_best()->dot(cuts->kernels, slope, t);
}

/* The most violated of the other cuts come to matter; how many do. */
static size_t take_in(mk_cuts *cuts, double level, const double *t) {
  double slack = VIOLATION * fabs(level);
  size_t found = 0;
  for (; found < TOGETHER; found++) {
    double worst = slack;
    size_t most = cuts->count;
    for (size_t j = 0; j < cuts->count; j++) {
      if (cuts->age[j] <= KEPT) continue;
      double beyond = value_at(cuts, j, t) - level;
      if (!(beyond > worst)) continue;
      worst = beyond;
      most = j;
    }
    if (most == cuts->count) break;
    cuts->age[most] = 0;
  }
  return found;
}

static void grow_old(mk_cuts *cuts, size_t chosen) {
  double sum = 0.0;
  for (size_t k = 0; k < chosen; k++) sum += cuts->multiplier[k];
  for (size_t j = 0; j < cuts->count; j++) cuts->age[j]++;
  for (size_t k = 0; k < chosen; k++)
    if (cuts->multiplier[k] > MATTERS * sum) cuts->age[cuts->list[k]] = 0;
}

/* The dual value of the multipliers, whatever they are worth as a solution. */
static void raise_bound(mk_cuts *cuts, size_t chosen) {
  double sum = 0.0, value = 0.0;
  const mk_simd *simd = mk_simd_best();
  double *mean = cuts->theta;
  memset(mean, 0, cuts->kernels * sizeof *mean);
  for (size_t k = 0; k < chosen; k++) sum += cuts->multiplier[k];
  for (size_t k = 0; k < chosen; k++) {
    double share = cuts->multiplier[k] / sum;
    value += share * cuts->chosen_linear[k];
    simd->axpy(cuts->kernels, share, cuts->chosen[k], mean);
  }
  value -= mk_lp_dual_norm(cuts->kernels, cuts->norm->p, mean);
  if (isfinite(value)) cuts->lower = fmax(cuts->lower, value);
}

/* t: where to start, then the solution. */
static mk_status solve(mk_cuts *cuts, const double *centre, double level, double *t) {
  for (int round = 0; round < ROUNDS; round++) {
    size_t chosen = choose(cuts);
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
    if (take_in(cuts, master.level, t) > 0) continue;
    grow_old(cuts, chosen);
    return MK_OK;
  }
  return MK_OK;
}

static void to_theta(const mk_cuts *cuts, double *theta) {
  for (size_t m = 0; m < cuts->kernels; m++) theta[m] = cuts->t[m] / scale_of(cuts, m);
}

mk_status mk_cuts_minimise(mk_cuts *cuts, double *theta) {
  mk_lp_start(cuts->kernels, cuts->norm->p, cuts->t);
  MK_TRY(solve(cuts, NULL, 0.0, cuts->t));
  to_theta(cuts, theta);
  return MK_OK;
}

mk_status mk_cuts_project(mk_cuts *cuts, const double *from, double level, double *theta) {
  for (size_t m = 0; m < cuts->kernels; m++)
    cuts->theta[m] = cuts->t[m] = from[m] * scale_of(cuts, m);
  MK_TRY(solve(cuts, cuts->theta, level, cuts->t));
  to_theta(cuts, theta);
  return MK_OK;
}
