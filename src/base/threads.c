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
