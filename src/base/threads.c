#include "threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int mk_threads_available(void) {
#ifdef _OPENMP
  int cores = omp_get_num_procs();
  int limit = omp_get_thread_limit();
  int most = omp_get_max_threads();
  int threads = cores < limit ? cores : limit;
  threads = threads < most ? threads : most;
  return threads < 1 ? 1 : threads;
#else
  return 1;
#endif
}

int mk_threads(int asked) {
  int available = mk_threads_available();
  return asked <= 0 || asked > available ? available : asked;
}

#define LEAST_WORK 2e6

int mk_threads_worth(int threads, double operations) {
  return operations < LEAST_WORK ? 1 : threads;
}

int mk_thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/* Tasks first, first + 1, ... */
static mk_status deal_out(size_t first, size_t count, int threads, mk_task task, void *data) {
  mk_status status = MK_OK;
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1 && count > 1)
#endif
  for (size_t k = 0; k < count; k++) {
    mk_status done = task(data, first + k, mk_thread_number());
    if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
      status = done;
    }
  }
  return status;
}

mk_status mk_deal_out(size_t count, int threads, mk_task task, void *data) {
  return deal_out(0, count, threads, task, data);
}

mk_status mk_for_each(size_t count, int threads, const mk_control *control, mk_task task,
                      void *data) {
  for (size_t start = 0; start < count; start += (size_t)threads) {
    size_t rest = count - start;
    MK_TRY(mk_check(control));
    MK_TRY(deal_out(start, rest < (size_t)threads ? rest : (size_t)threads, threads, task, data));
  }
  return MK_OK;
}
