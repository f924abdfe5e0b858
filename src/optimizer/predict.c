#include "predict.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

typedef struct prediction {
  const mk_kernel_set *set;
  const mk_bases *bases;
  const mk_mixture *mixture;
  const double *alpha;
  size_t known, tasks, fresh; /* fresh: new samples */
  double *out;
  int *support; /* training samples with a nonzero alpha */
  size_t support_count;
  mk_scratch **scratch; /* one per thread */
  double **mixed;       /* one block per thread */
} prediction;

static mk_status predict_block(const prediction *p, size_t from, size_t height, int thread) {
  mk_scratch *scratch = p->scratch[thread];
  mk_row base = mk_scratch_block(scratch, 0), mixed = {p->mixed[thread], 0};
  int rows[MK_BLOCK_ROWS];
  for (size_t r = 0; r < height; r++) rows[r] = (int)(p->known + from + r);
  for (size_t c = 0; c < p->support_count; c += MK_BLOCK_COLS) {
    size_t width = p->support_count - c < MK_BLOCK_COLS ? p->support_count - c : MK_BLOCK_COLS;
    mk_columns columns = mk_list(p->support + c, width);
    mk_row_clear(mixed, (size_t)MK_BLOCK_ROWS * MK_BLOCK_COLS);
    for (size_t f = 0; f < mk_set_families(p->set); f++) {
      MK_TRY(mk_base_block(p->bases, f, rows, height, &columns, base, MK_BLOCK_COLS, scratch));
      for (size_t r = 0; r < height; r++)
        mk_mixture_add(p->mixture, f, rows[r], &columns, mk_row_from(base, r * MK_BLOCK_COLS),
                       mk_row_from(mixed, r * MK_BLOCK_COLS), scratch);
    }
    for (size_t r = 0; r < height; r++) {
      const double *row = p->mixed[thread] + r * MK_BLOCK_COLS;
      mk_mixture_centre(p->mixture, rows[r], &columns, mk_row_from(mixed, r * MK_BLOCK_COLS),
                        scratch);
      for (size_t t = 0; t < p->tasks; t++) {
        double sum = 0.0;
        for (size_t k = 0; k < width; k++)
          sum += p->alpha[t * p->known + (size_t)columns.index[k]] * row[k];
        p->out[t * p->fresh + from + r] += sum;
      }
    }
  }
  return MK_OK;
}

static mk_status predict_all(const prediction *p, int threads, const mk_control *control) {
  mk_status status = MK_OK;
  size_t step = (size_t)MK_BLOCK_ROWS * (size_t)threads;
  for (size_t start = 0; start < p->fresh; start += step) {
    MK_TRY(mk_check(control));
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
#endif
    for (int k = 0; k < threads; k++) {
      size_t from = start + (size_t)k * MK_BLOCK_ROWS;
      if (from >= p->fresh) continue;
      size_t height = p->fresh - from < MK_BLOCK_ROWS ? p->fresh - from : MK_BLOCK_ROWS;
      mk_status done = predict_block(p, from, height, mk_thread_number());
      if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        status = done;
      }
    }
    if (status != MK_OK) return status;
  }
  return MK_OK;
}

static void list_support(prediction *p) {
  for (size_t i = 0; i < p->known; i++)
    for (size_t t = 0; t < p->tasks; t++)
      if (p->alpha[t * p->known + i] != 0.0) {
        p->support[p->support_count++] = (int)i;
        break;
      }
}

mk_status mk_predict(const mk_kernel_set *set, const double *theta, const double *alpha,
                     size_t known, size_t tasks, const mk_control *control, double *out) {
  size_t n = mk_set_samples(set), threads = (size_t)control->threads;
  if (known == 0 || known > n) return MK_BAD_ARGUMENT;
  for (size_t f = 0; f < mk_set_families(set); f++)
    if (mk_family_serial(set, f)) threads = 1;
  mk_mixture *mixture = mk_mixture_new(set, 0);
  mk_bases *bases = NULL;
  prediction p = {.set = set,
                  .mixture = mixture,
                  .alpha = alpha,
                  .known = known,
                  .tasks = tasks,
                  .fresh = n - known,
                  .out = out};
  p.support = MK_NEW(int, known);
  p.scratch = MK_NEW0(mk_scratch *, threads);
  p.mixed = MK_NEW0(double *, threads);
  mk_status status = mixture == NULL || p.support == NULL || p.scratch == NULL || p.mixed == NULL
                         ? MK_NO_MEMORY
                         : MK_OK;
  for (size_t t = 0; status == MK_OK && t < threads; t++) {
    p.scratch[t] = mk_scratch_new(set);
    p.mixed[t] = MK_NEW(double, (size_t)MK_BLOCK_ROWS *MK_BLOCK_COLS);
    if (p.scratch[t] == NULL || p.mixed[t] == NULL) status = MK_NO_MEMORY;
  }
  if (status == MK_OK) status = mk_bases_new(&bases, set, 0, (int)threads);
  if (status == MK_OK) {
    p.bases = bases;
    mk_mixture_compile(mixture, theta);
    list_support(&p);
    memset(out, 0, p.fresh * tasks * sizeof *out);
    status = predict_all(&p, (int)threads, control);
  }
  for (size_t t = 0; t < threads; t++) {
    if (p.scratch != NULL) mk_scratch_free(p.scratch[t]);
    if (p.mixed != NULL) mk_free(p.mixed[t]);
  }
  mk_free(p.scratch);
  mk_free(p.mixed);
  mk_free(p.support);
  mk_mixture_free(mixture);
  mk_bases_free(bases);
  return status;
}
