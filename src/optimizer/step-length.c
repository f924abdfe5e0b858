#include "step-length.h"

#include "base/memory.h"
#include "kernel/features.h"
#include "optimizer/curvature.h"

#include <math.h>

#define FAIR 0.6    /* of what its kernels give: a sample's system that has less knows too little */
#define BEND 1.0    /* at most, to the shorter side: what lies further is not known well */
#define UNSURE 0.05 /* lengths err by as much */

/* The value along theta + t step, at free variables that stay: its slope is first + second t /
 * (1 + bend t), which has the right third derivative too. */
typedef struct path {
  const mk_machine *machine;
  double *step, *turn; /* M: of theta; Z'Z step, by twice which forms fall */
  double first, second, bend;
} path;

static void find_slope(path *along) {
  const mk_machine *machine = along->machine;
  const mk_curvature *curvature = &machine->curvature;
  size_t kernels = machine->kernels;
  for (size_t m = 0; m < kernels; m++) along->turn[m] = 0.0;
  for (size_t m = 0; m < kernels; m++) along->first -= 0.5 * along->step[m] * machine->s[m];
  for (size_t r = 0; r < curvature->rank; r++) {
    const double *z = curvature->z + r * kernels;
    double share = 0.0;
    for (size_t m = 0; m < kernels; m++) share += z[m] * along->step[m];
    for (size_t m = 0; m < kernels; m++) along->turn[m] += share * z[m];
    along->second += share * share;
  }
}

/* The third derivative is -3 x'K_step x, x being by what alphas fall; x'K_theta x is the second, or
 * more where some variables stand for others. */
static mk_status find_bend(mk_machine *machine, path *along) {
  size_t kernels = machine->kernels;
  double third = 0.0, whole = 0.0;
  double *x = MK_NEW(double, machine->svm[0].n + kernels), *forms = x + machine->svm[0].n;
  if (x == NULL) return MK_NO_MEMORY;
  mk_status status = mk_curvature_follow(machine, along->step, x);
  if (status == MK_OK) status = mk_gram_forms(machine->gram, &(mk_alphas){1, &x}, forms);
  for (size_t m = 0; status == MK_OK && m < kernels; m++) {
    third += along->step[m] * forms[m];
    whole += machine->theta[m] * forms[m];
  }
  if (along->second > FAIR * whole) along->bend = fmax(1.5 * third / along->second, -BEND);
  mk_free(x);
  return status;
}

/* Of theta there. */
static double gap_at(const path *along, double t) {
  const mk_machine *machine = along->machine;
  double turned = 2.0 * t / (1.0 + along->bend * t), most = 0.0, mean = 0.0;
  for (size_t m = 0; m < machine->kernels; m++) {
    double s = machine->s[m] - turned * along->turn[m];
    most = fmax(most, s);
    mean += (machine->theta[m] + t * along->step[m]) * s;
  }
  return most - mean;
}

/* Where the slope is zero, or a little before or behind: on one of its sides the gap grows much
 * faster, since the largest form is that of a kernel of little weight. */
static double best_length(const path *along) {
  double whole = -along->first / along->second;
  double t = along->bend * whole < 1.0 ? fmin(1.0, whole / (1.0 - along->bend * whole)) : 1.0;
  double before = (1.0 - UNSURE) * t, behind = (1.0 + UNSURE) * t;
  return gap_at(along, before) < gap_at(along, behind) ? before : fmin(1.0, behind);
}

mk_status mk_step_length(mk_machine *machine, const double *point, double *length) {
  const mk_norm *norm = &machine->problem->norm;
  size_t kernels = machine->kernels;
  *length = 1.0;
  if (!mk_norm_is_plain(norm) || norm->p != 1.0 || mk_set_explicit(machine->problem->set) ||
      mk_gram_is_model(machine->gram))
    return MK_OK;
  path along = {.machine = machine, .step = MK_NEW(double, 2 * kernels)};
  if (along.step == NULL) return MK_NO_MEMORY;
  along.turn = along.step + kernels;
  for (size_t m = 0; m < kernels; m++) along.step[m] = point[m] - machine->theta[m];
  find_slope(&along);
  mk_status status = mk_curvature_can_follow(machine) ? find_bend(machine, &along) : MK_OK;
  if (status == MK_OK && along.first < 0.0 && along.second > 0.0) *length = best_length(&along);
  mk_free(along.step);
  return status;
}
