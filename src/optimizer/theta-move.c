/* How theta moves between SVM solves (mathematics section 2). */
#include "machine.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernel/features.h"
#include "optimizer/free-sample.h"
#include "theta/compress.h"

#include <math.h>
#include <string.h>

#define ENOUGH 0.5   /* an analytic step should leave at most this share of the theta gap, ... */
#define SOON 2.0     /* ... and as many more of them should do, ... */
#define AT_ONCE 1.0  /* ... or these where they cost more than a Newton step: with so many ... */
#define MANY 2       /* ... candidates for each free variable that shows the curvature */
#define JITTER 100.0 /* units of the rows, of the diagonal: keeps singular kernels factorable */
#define HALVINGS 5
#define ROUGH_HALVINGS 2 /* where a better curvature is to be had */
#define TOGETHER 64      /* rows that are made at a time */
#define SAME 1.05        /* candidates have hardly changed */
#define LANDING 0.03     /* share of the theta gap that a Newton step is expected to leave */
#define SHARP 0.5        /* SVM gap, of the theta gap beside it, that will do then */
#define GOOD_FRESH 0.1   /* share of the theta gap that steps may leave to use the same */
#define GOOD_AGAIN 0.15  /* curvature once more, and yet once more */
#define TOO_LITTLE 0.6   /* share of the promised fall that asks for a larger sample */
#define CLOSE 0.03       /* theta gap, of the objective, from which Newton steps are good at once */
#define EARLY 5e-3       /* theta goal, of the objective: theta moves again with more candidates */
#define DEAR 1e8 /* operations of a Newton step beyond which analytic steps are quicker, ... */
#define DEAR_NEAR_ONE 6e9 /* ... and for p near 1, where those are slow */
#define FREE 4.0          /* free variables for each of few columns ... */
#define NEAR 1e-3         /* ... and share of the objective that Newton steps are worth then */
#define REVIVED 1e-3      /* weight of a kernel that returns, of the largest */
#define POOR 0.25         /* share of the promised fall that asks for more damping, ... */
#define GOOD 0.75         /* ... and for less, ... */
#define STEEPER 4.0
#define LEAST_DAMPING 0.03 /* ... which starts and ends here */

static mk_status analytic_move(mk_machine *machine) {
  double before = machine->theta_gap;
  mk_norm_step(&machine->problem->norm, machine->kernels, machine->theta, machine->s,
               machine->trial);
  MK_TRY(mk_machine_use_theta(machine, machine->trial));
  machine->left = machine->theta_gap / before;
  machine->old_left = 0;
  return MK_OK;
}

/* By what the last one left; that of fewer candidates or for a larger goal counts where theta is
 * near its end, since Newton steps from afar lead astray. */
static int too_many_analytic(const mk_machine *machine) {
  if (machine->left == 0.0) return 0;
  if (machine->old_left && machine->theta_gap > CLOSE * fabs(machine->upper)) return 0;
  int dear = mk_gram_count(machine->gram) > MANY * machine->curvature.enough[0];
  double left = pow(machine->left, dear ? AT_ONCE : SOON);
  return machine->left > ENOUGH || left * machine->theta_gap > machine->theta_goal;
}

/* Weights near zero whose kernels are worth more than the mixture come back with some: steps in
 * log theta would take long, or for ever. */
static void revive(const mk_machine *machine, double *next) {
  double most = 0.0, mean = 0.0, sum = 0.0;
  for (size_t m = 0; m < machine->kernels; m++) {
    most = fmax(most, next[m]);
    mean += machine->theta[m] * machine->s[m];
    sum += machine->theta[m];
  }
  for (size_t m = 0; m < machine->kernels; m++)
    if (machine->s[m] * sum > mean) next[m] = fmax(next[m], REVIVED * most);
  mk_norm_normalize(&machine->problem->norm, machine->kernels, next);
}

/* A longer step; after one that does not pay, what is known is forgotten. */
static mk_status long_move(mk_machine *machine) {
  double before = machine->theta_gap;
  mk_stride *stride = &machine->stride;
  if (stride->residual == NULL) stride->residual = MK_NEW0(double, machine->kernels);
  if (stride->residual == NULL) return MK_NO_MEMORY;
  mk_norm_stride(&machine->problem->norm, stride, machine->kernels, machine->theta, machine->s,
                 machine->trial);
  if (mk_norm_is_plain(&machine->problem->norm) && mk_norm_is_sparse(&machine->problem->norm))
    revive(machine, machine->trial);
  MK_TRY(mk_machine_use_theta(machine, machine->trial));
  if (machine->theta_gap > before) stride->length = 0.0;
  return MK_OK;
}

/* ---- Newton ---- */

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
  mk_row own = mk_row_from(fill->a, k * sample->count);
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
    MK_TRY(mk_deal_out(rows, machine->control->team, fill_row, &fill));
  }
  for (size_t k = 0; k < count; k++) *size = fmax(*size, diagonal[sample->at[k]]);
  for (size_t m = 0; m <= width; m++) {
    mk_row out = mk_row_from(a, (count + m) * count);
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
  size_t rows = count + width + 1;
  mk_row a = {mk_buffer_need(&machine->system, count * rows, mk_row_size(single)), single};
  double *wide = MK_NEW(double, count), size = 0.0;
  double jitter = JITTER * mk_gram_unit(machine->gram);
  mk_status status = a.at == NULL || wide == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) status = fill_system(machine, svm, sample, width, u, a, &size);
  if (status == MK_OK)
    status = mk_factor(a, count, rows, jitter * size, sample->share > 1.0 ? &sample->pivots : NULL,
                       machine->control->team);
  if (status == MK_OK) {
    const double *ones = svm->kind.no_offset
                             ? NULL
                             : mk_row_doubles(mk_row_from(a, (count + width) * count), count, wide);
    for (size_t m = 0; m < width; m++)
      take_out(mk_row_from(a, (count + m) * count), ones, count, width, u + m);
  }
  mk_free(wide);
  return status;
}

static size_t *enough(mk_machine *machine) {
  return &machine->curvature.enough[machine->curvature.early];
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
  double bytes = (double)mk_row_size(mk_gram_is_single(machine->gram)) * (double)largest *
                     (double)(largest + width) +
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

static void drop_curvature(mk_machine *machine) {
  mk_free(machine->curvature.z);
  machine->curvature.z = NULL;
}

/* Steps with what is known will do, or a new curvature would not end the moves either. */
static int known_will_do(const mk_machine *machine) {
  double gap = machine->theta_gap, goal = machine->theta_goal;
  return GOOD_AGAIN * gap <= goal || LANDING * gap > goal;
}

/* The one at hand, unless candidates have changed it, or a new one; MK_STALLED when it is not to
 * be had. */
static mk_status find_curvature(mk_machine *machine) {
  mk_curvature *curvature = &machine->curvature;
  size_t count = mk_gram_count(machine->gram);
  int same = (double)count <= SAME * (double)curvature->candidates;
  if (curvature->z != NULL && same && known_will_do(machine)) return MK_OK;
  drop_curvature(machine);
  curvature->candidates = count;
  curvature->used = 0;
  curvature->sampled = 0;
  curvature->early = machine->theta_goal > EARLY * fabs(machine->upper);
  mk_status status = form_responses(machine, &curvature->z, &curvature->rank);
  if (status == MK_OK) status = expand_responses(machine, &curvature->z, curvature->rank);
  if (status != MK_OK) drop_curvature(machine);
  return status;
}

/* It stays while its steps do well. A sample that shows much too little promises too much. */
static void judge_curvature(mk_machine *machine, double gap_before, double kept_share) {
  mk_curvature *curvature = &machine->curvature;
  double left = machine->theta_gap / gap_before;
  int first = curvature->used++ == 0;
  if (first && curvature->sampled && (kept_share < TOO_LITTLE || left > 1.0)) *enough(machine) *= 2;
  if (left > (first ? GOOD_FRESH : GOOD_AGAIN) || kept_share < TOO_LITTLE) drop_curvature(machine);
}

/* The Newton point and by what it should pay. */
static mk_status newton_point(mk_machine *machine, double *point, double *fall) {
  MK_TRY(find_curvature(machine));
  return mk_norm_newton(&machine->problem->norm,
                        &(mk_theta_model){.count = machine->kernels,
                                          .rank = machine->curvature.rank,
                                          .damping = machine->damping,
                                          .team = machine->control->team,
                                          .theta = machine->theta,
                                          .s = machine->s,
                                          .z = machine->curvature.z},
                        point, fall);
}

/* The free variables change on the way: more damping where the value falls short of what the model
 * promised, unless a rough one is to blame; less where it keeps its word, and where a promise is as
 * small as the errors of the values: steps must not stay short for ever. */
static void adapt_damping(mk_machine *machine, double fell, double promised, int rough) {
  int judged = promised > machine->svm_gap;
  double damping = machine->damping;
  if (judged && fell < POOR * promised)
    machine->damping = rough ? damping : fmin(1.0, fmax(LEAST_DAMPING, STEEPER * damping));
  else if (!judged || fell > GOOD * promised)
    machine->damping = damping > LEAST_DAMPING ? damping / STEEPER : 0.0;
}

/* Tries theta + step (newton - theta), halving until the value of the SVM at
 * theta does not rise, or the theta gap is half of the least so far: half of the present one would
 * let steps go to and fro. Back to theta otherwise, for an analytic step or, if the curvature was
 * an old one or sampled, a better one. */
static mk_status newton_move(mk_machine *machine, const double *point, double fall) {
  size_t kernels = machine->kernels;
  double value = machine->fixed_dual, gap = machine->theta_gap;
  double slack = machine->svm_gap + 1e-14 * fabs(value);
  int rough = machine->curvature.used > 0 || machine->curvature.sampled;
  memcpy(machine->kept, machine->theta, kernels * sizeof(double));
  double step = 1.0;
  if (LANDING * gap <= machine->theta_goal) /* the last move, most likely */
    machine->target = fmin(machine->target, machine->svm_goal);
  else if (machine->curvature.used == 0) /* so sharp that the next move need not wait */
    machine->target = fmin(machine->target, SHARP * LANDING * gap);
  machine->least_gap = fmin(machine->least_gap, gap);
  for (int k = 0; k < (rough ? ROUGH_HALVINGS : HALVINGS); k++, step *= 0.5) {
    mk_norm_between(&machine->problem->norm, kernels, machine->kept, point, step, machine->trial);
    MK_TRY(mk_machine_use_theta(machine, machine->trial));
    if (k == 0) adapt_damping(machine, value - machine->fixed_dual, fall, rough);
    if (machine->fixed_dual <= value + slack || machine->theta_gap < 0.5 * machine->least_gap) {
      double fell = value - machine->fixed_dual;
      machine->least_gap = fmin(machine->least_gap, machine->theta_gap);
      judge_curvature(machine, gap, fell / fall);
      return MK_OK;
    }
  }
  if (machine->curvature.sampled) *enough(machine) *= 2;
  drop_curvature(machine);
  MK_TRY(mk_machine_use_theta(machine, machine->kept));
  if (rough) return MK_OK;
  machine->use_newton = 0;
  return analytic_move(machine);
}

/* Columns of feature blocks are many, and each is a kernel of its own to a Newton step. Where they
 * are few, SVMs are quick, and Newton steps pay near the end of what p = 1 does to the others. */
static int newton_is_dear(const mk_machine *machine) {
  const mk_norm *norm = &machine->problem->norm;
  double free = 0.0, largest = 0.0;
  if (!mk_set_explicit(machine->problem->set) || mk_norm_is_fixed(norm)) return 0;
  for (size_t t = 0; t < machine->problem->tasks; t++) {
    double count = (double)mk_svm_free_count(&machine->svm[t]);
    free += count;
    largest = fmax(largest, count);
  }
  const mk_thin *columns = mk_gram_columns(machine->gram);
  if (columns != NULL)
    return !mk_norm_is_sparse(norm) || largest > FREE * (double)columns->count ||
           machine->theta_gap > NEAR * fabs(machine->upper);
  return largest * free * (double)machine->kernels >
         (mk_norm_is_sparse(norm) ? DEAR_NEAR_ONE : DEAR);
}

mk_status mk_machine_newton(mk_machine *machine) {
  double fall = 0.0, *point = MK_NEW(double, machine->kernels);
  mk_status status = point == NULL ? MK_NO_MEMORY : newton_point(machine, point, &fall);
  if (status == MK_OK)
    status = newton_move(machine, point, fall);
  else if (status == MK_STALLED)
    status = analytic_move(machine);
  mk_free(point);
  return status;
}

mk_status mk_machine_move_theta(mk_machine *machine) {
  if (machine->rough || newton_is_dear(machine)) return long_move(machine);
  if (too_many_analytic(machine)) machine->use_newton = 1;
  return machine->use_newton ? mk_machine_newton(machine) : analytic_move(machine);
}
