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

int mk_thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

mk_status mk_for_each(size_t count, int threads, const mk_control *control,
                      mk_status (*task)(void *data, size_t k, int thread), void *data) {
  mk_status status = MK_OK;
  for (size_t start = 0; start < count; start += (size_t)threads) {
    size_t rest = count - start;
    int turn = rest < (size_t)threads ? (int)rest : threads;
    MK_TRY(mk_check(control));
#ifdef _OPENMP
#pragma omp parallel for num_threads(turn) schedule(static, 1) if (turn > 1)
#endif
    for (int t = 0; t < turn; t++) {
      mk_status done = task(data, start + (size_t)t, t);
      if (done != MK_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        status = done;
      }
    }
    if (status != MK_OK) return status;
  }
  return status;
}
