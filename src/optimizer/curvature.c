#include "curvature.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/threads.h"
#include "optimizer/free-sample.h"
#include "theta/compress.h"

#include <math.h>
#include <string.h>

#define JITTER 100.0    /* units of the rows, of the diagonal: keeps singular kernels factorable */
#define TOGETHER 64     /* rows that are made at a time */
#define SAME 1.05       /* candidates have hardly changed */
#define GOOD_FRESH 0.1  /* share of the theta gap that steps may leave to use the same */
#define GOOD_AGAIN 0.15 /* curvature once more, and yet once more */
#define TOO_LITTLE 0.6  /* share of the promised fall that asks for a larger sample */
#define EARLY 5e-3      /* theta goal, of the objective: theta moves again with more candidates */

/* The system of some free variables: rows of K_theta with psi'' on its diagonal. */
typedef struct filling {
  const mk_svm *svm;
  const mk_free_sample *sample;
  mk_row a, row[TOGETHER];
  size_t first;
} filling;

static mk_status fill_row(void *data, size_t r, int thread) {
  const filling *fill = data;
  const mk_free_sample *sample = fill->sample;
  size_t k = fill->first + r, i = (size_t)sample->at[k];
  mk_row own = mk_row_from(fill->a, mk_factor_at(sample->count, k));
  mk_terms terms = mk_svm_terms(fill->svm);
  double bend = mk_loss_curvature(&terms, i, fill->svm->alpha[i]) / sample->share;
  (void)thread;
  mk_row_gather(fill->row[r], sample->at, k + 1, own);
  mk_row_set(own, k, mk_free_sample_diagonal(sample, k, fill->row[r]) + bend);
  return MK_OK;
}

/* That, then u' (width x count), centred, and a row of ones. */
static mk_status fill_system(mk_machine *machine, const mk_svm *svm, const mk_free_sample *sample,
                             size_t width, const double *u, mk_row a, double *size) {
  size_t count = sample->count, rows;
  const double *diagonal = mk_gram_diagonal(machine->gram);
  filling fill = {.svm = svm, .sample = sample, .a = a};
  for (; fill.first < count; fill.first += rows) {
    rows = mk_smaller(TOGETHER, count - fill.first);
    MK_TRY(mk_gram_rows(machine->gram, sample->at + fill.first, &rows, fill.row));
    mk_buffer_touch(&machine->system,
                    mk_factor_at(count, fill.first + rows) * mk_row_size(a.single));
    MK_TRY(mk_deal_out(rows, machine->control->team, fill_row, &fill));
  }
  for (size_t k = 0; k < count; k++) *size = fmax(*size, diagonal[sample->at[k]]);
  for (size_t m = 0; m <= width; m++) {
    mk_row out = mk_row_from(a, mk_factor_at(count, count + m));
    double mean = 0.0;
    int centred = m < width && !svm->kind.no_offset;
    for (size_t k = 0; centred && k < count; k++) mean += u[k * width + m] / (double)count;
    for (size_t k = 0; k < count; k++)
      mk_row_set(out, k, m < width ? u[k * width + m] - mean : 1.0);
  }
  return MK_OK;
}

/* out := the row less its part along `ones`, if there are any. */
static void take_out(mk_row row, const double *ones, size_t count, size_t width, double *out) {
  double along = 0.0, square = 0.0;
  for (size_t k = 0; k < count && ones == NULL; k++) out[k * width] = mk_row_at(row, k);
  if (ones == NULL) return;
  for (size_t k = 0; k < count; k++) {
    along += ones[k] * mk_row_at(row, k);
    square += ones[k] * ones[k];
  }
  for (size_t k = 0; k < count; k++) out[k * width] = mk_row_at(row, k) - along / square * ones[k];
}

/* u (count x width by rows) becomes Z with Z'Z = u' Pi u: the factor of the
 * free rows is applied and their common shift projected out. */
static mk_status project(mk_machine *machine, const mk_svm *svm, const mk_free_sample *sample,
                         size_t width, double *u) {
  int single = mk_gram_is_single(machine->gram);
  size_t count = sample->count;
  size_t rows = count + width + 1, values = mk_factor_at(count, rows);
  mk_row a = {mk_buffer_need(&machine->system, values, mk_row_size(single)), single};
  double *wide = MK_NEW(double, count), size = 0.0;
  double jitter = JITTER * mk_gram_unit(machine->gram);
  mk_status status = a.at == NULL || wide == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) status = fill_system(machine, svm, sample, width, u, a, &size);
  if (status == MK_OK)
    status = mk_factor(a, count, rows, jitter * size, sample->share > 1.0 ? &sample->pivots : NULL,
                       machine->control->team);
  if (status == MK_OK) {
    const double *ones =
        svm->kind.no_offset
            ? NULL
            : mk_row_doubles(mk_row_from(a, mk_factor_at(count, rows - 1)), count, wide);
    for (size_t m = 0; m < width; m++)
      take_out(mk_row_from(a, mk_factor_at(count, count + m)), ones, count, width, u + m);
  }
  mk_free(wide);
  return status;
}

static size_t *enough(mk_machine *machine) {
  return &machine->curvature.enough[machine->curvature.early];
}

static void keep_positions(mk_machine *machine, mk_free_sample *sample) {
  machine->curvature.free = sample->count;
  machine->curvature.at = sample->at;
  sample->at = NULL;
}

/* Z over all tasks, in terms of generators: *rows x generators. MK_STALLED: too
 * large for the memory budget. */
static mk_status form_responses(mk_machine *machine, double **z, size_t *rows) {
  size_t width = mk_gram_generators(machine->gram), total = 0, largest = 0;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    size_t all = mk_svm_free_count(&machine->svm[t]);
    size_t count = mk_smaller(all, *enough(machine));
    machine->curvature.sampled |= count < all;
    total += count;
    largest = count > largest ? count : largest;
  }
  /* the factor, the responses and their compressed form share the memory
   * budget with the rows */
  double bytes = (double)mk_row_size(mk_gram_is_single(machine->gram)) *
                     (double)mk_factor_at(largest, largest + width + 1) +
                 12.0 * (double)total * (double)width;
  if (bytes > mk_system_budget(machine->control)) return MK_STALLED;
  mk_free_sample sample;
  mk_status status = mk_free_sample_new(&sample, mk_gram_count(machine->gram));
  *rows = 0;
  *z = MK_NEW(double, total *width + 1);
  if (*z == NULL) status = MK_NO_MEMORY;
  for (size_t t = 0; status == MK_OK && t < machine->problem->tasks; t++) {
    mk_free_sample_choose(&sample, &machine->svm[t], *enough(machine));
    if (sample.count < 2) continue;
    double *u = *z + *rows * width;
    status =
        mk_gram_generator_responses(machine->gram, machine->alpha[t], sample.at, sample.count, u);
    if (status == MK_OK) status = project(machine, &machine->svm[t], &sample, width, u);
    *rows += sample.count;
  }
  if (status == MK_OK && machine->problem->tasks == 1 && *rows > 0)
    keep_positions(machine, &sample);
  mk_free_sample_clear(&sample);
  if (status == MK_OK) status = mk_theta_compress(*z, rows, width);
  return status;
}

/* From generators to kernels. */
static mk_status expand_responses(mk_machine *machine, double **z, size_t rows) {
  size_t width = mk_gram_generators(machine->gram), kernels = machine->kernels;
  if (8.0 * (double)rows * (double)kernels > mk_system_budget(machine->control)) return MK_STALLED;
  double *all = MK_NEW(double, rows *kernels + 1);
  if (all == NULL) return MK_NO_MEMORY;
  for (size_t r = 0; r < rows; r++)
    mk_gram_expand(machine->gram, *z + r * width, all + r * kernels);
  mk_free(*z);
  *z = all;
  return MK_OK;
}

static void drop(mk_machine *machine) {
  mk_free(machine->curvature.z);
  mk_free(machine->curvature.at);
  machine->curvature.z = NULL;
  machine->curvature.at = NULL;
}

/* Steps with what is known will do, or a new curvature would not end the moves either. */
static int known_will_do(const mk_machine *machine) {
  double gap = machine->theta_gap, goal = machine->theta_goal;
  return GOOD_AGAIN * gap <= goal || MK_LANDING * gap > goal;
}

mk_status mk_curvature_find(mk_machine *machine) {
  mk_curvature *curvature = &machine->curvature;
  size_t count = mk_gram_count(machine->gram);
  int same = (double)count <= SAME * (double)curvature->candidates;
  if (curvature->z != NULL && same && known_will_do(machine)) return MK_OK;
  drop(machine);
  curvature->candidates = count;
  curvature->used = 0;
  curvature->sampled = 0;
  curvature->early = machine->theta_goal > EARLY * fabs(machine->upper);
  mk_status status = form_responses(machine, &curvature->z, &curvature->rank);
  if (status == MK_OK) status = expand_responses(machine, &curvature->z, curvature->rank);
  if (status != MK_OK) drop(machine);
  return status;
}

void mk_curvature_judge(mk_machine *machine, double gap_before, double kept_share) {
  mk_curvature *curvature = &machine->curvature;
  double left = machine->theta_gap / gap_before;
  int first = curvature->used++ == 0;
  if (first && curvature->sampled && (kept_share < TOO_LITTLE || left > 1.0)) *enough(machine) *= 2;
  if (left > (first ? GOOD_FRESH : GOOD_AGAIN) || kept_share < TOO_LITTLE) drop(machine);
}

void mk_curvature_reject(mk_machine *machine) {
  if (machine->curvature.sampled) *enough(machine) *= 2;
  drop(machine);
}

/* out (generators): by how much the step changes the share of each. */
static mk_status step_of_generators(const mk_machine *machine, const double *step, double *out) {
  size_t width = mk_gram_generators(machine->gram), kernels = machine->kernels;
  double *one = MK_NEW0(double, width + kernels), *shares = one + width;
  if (one == NULL) return MK_NO_MEMORY;
  for (size_t g = 0; g < width; g++) {
    one[g] = 1.0;
    mk_gram_expand(machine->gram, one, shares);
    one[g] = out[g] = 0.0;
    for (size_t m = 0; m < kernels; m++) out[g] += shares[m] * step[m];
  }
  mk_free(one);
  return MK_OK;
}

int mk_curvature_can_follow(const mk_machine *machine) {
  const mk_curvature *curvature = &machine->curvature;
  return curvature->at != NULL && curvature->used == 0 &&
         mk_gram_generators(machine->gram) <= curvature->free;
}

/* x, ones (count): scratch. */
static void follow(const mk_machine *machine, const double *share, double *x, double *ones,
                   double *change) {
  const mk_curvature *curvature = &machine->curvature;
  const mk_svm *svm = &machine->svm[0];
  size_t width = mk_gram_generators(machine->gram), count = curvature->free;
  mk_row a = {machine->system.at, mk_gram_is_single(machine->gram)};
  mk_row u = mk_row_from(a, mk_factor_at(count, count));
  memset(x, 0, count * sizeof *x);
  for (size_t g = 0; g < width; g++)
    mk_simd_best()->rows[u.single].axpy(count, share[g], mk_row_from(u, g * count).at, x);
  for (size_t k = 0; k < count; k++) ones[k] = mk_row_at(u, width * count + k);
  take_out((mk_row){x, 0}, svm->kind.no_offset ? NULL : ones, count, 1, x);
  mk_factor_upper(a, count, x);
  memset(change, 0, svm->n * sizeof *change);
  for (size_t k = 0; k < count; k++) change[curvature->at[k]] = x[k];
}

mk_status mk_curvature_follow(const mk_machine *machine, const double *step, double *change) {
  size_t width = mk_gram_generators(machine->gram), count = machine->curvature.free;
  double *share = MK_NEW(double, width + 2 * count), *x = share + width;
  if (share == NULL) return MK_NO_MEMORY;
  mk_status status = step_of_generators(machine, step, share);
  if (status == MK_OK) follow(machine, share, x, x + count, change);
  mk_free(share);
  return status;
}
