/* Certificates over a whole dictionary: kernels with weight are certified in memory, and of the
 * others only the largest strength is needed. Called by sequential.c and rglue/local.c.
 * MATHEMATICS.md, sections 1.3 and 6.3. */
#include "certify.h"

#include "base/memory.h"
#include "certificate/certificate.h"

#include <math.h>
#include <string.h>

static mk_status certify_on(const mk_problem *problem, const mk_weighted *w,
                            const mk_control *control, mk_solution *fit, double *gain) {
  MK_TRY(mk_solution_new(fit, problem));
  memcpy(fit->theta, w->theta, w->count * sizeof *w->theta);
  memcpy(fit->alpha, w->alpha, problem->n * problem->tasks * sizeof *w->alpha);
  mk_certificate certificate = {
      .offset = fit->offset, .forms = fit->forms, .decision = fit->decision};
  MK_TRY(mk_certify(problem, w->theta, w->alpha, control, &certificate));
  *gain = certificate.gain;
  fit->primal = certificate.primal;
  fit->dual = certificate.dual;
  fit->rounding = certificate.rounding;
  return MK_OK;
}

mk_status mk_certify_selected(const mk_stream *stream, const mk_problem *problem,
                              const mk_weighted *weighted, const mk_control *control,
                              mk_sequential_solution *solution, double *gain) {
  mk_problem own = *problem;
  mk_kernel_set *set = NULL;
  mk_solution_clear(&solution->fit);
  mk_free(solution->selected);
  solution->count = weighted->count;
  solution->selected = MK_NEW(size_t, weighted->count);
  if (solution->selected == NULL) return MK_NO_MEMORY;
  memcpy(solution->selected, weighted->kernel, weighted->count * sizeof *weighted->kernel);
  mk_status status = stream->select(stream->self, weighted->kernel, weighted->count, control, &set);
  own.set = set;
  own.norm = mk_lp(1.0);
  if (status == MK_OK) status = certify_on(&own, weighted, control, &solution->fit, gain);
  if (set != NULL) stream->release(stream->self, set);
  return status;
}

void mk_settle(mk_sequential_solution *solution, double gain, double largest) {
  mk_solution *fit = &solution->fit;
  /* the set's certificate includes the error bounds of its forms */
  solution->largest = fmax(largest, 2.0 * (gain - fit->dual));
  fit->dual = gain - 0.5 * solution->largest;
  fit->gap = fmax(mk_relative_gap(fit->primal, fit->dual), 0.0);
}

mk_status mk_sequential_certify(const mk_stream *stream, const mk_problem *problem,
                                const mk_weighted *weighted, const mk_control *control,
                                mk_sequential_solution *solution) {
  double gain = 0.0, largest = 0.0, *strength = MK_NEW(double, stream->size);
  if (strength == NULL) return MK_NO_MEMORY;
  mk_scan all = {.alpha = weighted->alpha,
                 .tasks = problem->tasks,
                 .count = stream->size,
                 .exact = 1,
                 .strength = strength};
  mk_status status = mk_certify_selected(stream, problem, weighted, control, solution, &gain);
  if (status == MK_OK) status = mk_stream_scan(stream, &all, control);
  for (size_t m = 0; status == MK_OK && m < stream->size; m++) largest = fmax(largest, strength[m]);
  if (status == MK_OK) mk_settle(solution, gain, largest);
  mk_free(strength);
  return status;
}
