/* Decision values of new samples by an expansion. Called by the glue. MATHEMATICS.md, section 1. */
#include "exact/predict.h"

#include "base/memory.h"
#include "exact/expansion.h"

#include <string.h>

/* Lists the training samples with a nonzero alpha, then the new samples. Returns the number of
 * training samples listed. */
static size_t list_samples(const double *alpha, size_t known, size_t n, size_t tasks, int *sample) {
  size_t count = 0;
  for (size_t i = 0; i < known; i++)
    for (size_t t = 0; t < tasks; t++)
      if (alpha[t * known + i] != 0.0) {
        sample[count++] = (int)i;
        break;
      }
  for (size_t i = known; i < n; i++) sample[count + i - known] = (int)i;
  return count;
}

mk_status mk_predict(const mk_kernel_set *set, const double *theta, const double *alpha,
                     size_t known, size_t tasks, const mk_control *control, double *out) {
  size_t n = mk_set_samples(set);
  if (known == 0 || known > n) return MK_BAD_ARGUMENT;
  int *sample = MK_NEW(int, n);
  double *own = MK_NEW(double, known *tasks), *value = MK_NEW(double, n *tasks);
  mk_status status = sample == NULL || own == NULL || value == NULL ? MK_NO_MEMORY : MK_OK;
  if (status == MK_OK) {
    size_t fresh = n - known, support = list_samples(alpha, known, n, tasks, sample);
    for (size_t t = 0; t < tasks; t++)
      for (size_t k = 0; k < support; k++)
        own[t * support + k] = alpha[t * known + (size_t)sample[k]];
    mk_expansion expansion = {.set = set,
                              .sample = sample,
                              .support = support,
                              .count = support + fresh,
                              .tasks = tasks,
                              .alpha = own,
                              .theta = theta,
                              .value = value};
    status = mk_expand(&expansion, control);
    for (size_t t = 0; status == MK_OK && t < tasks; t++)
      memcpy(out + t * fresh, value + t * (support + fresh) + support, fresh * sizeof *out);
  }
  mk_free(sample);
  mk_free(own);
  mk_free(value);
  return status;
}
