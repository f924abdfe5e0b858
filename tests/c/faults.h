/* Failing allocations, interrupts and time limits at every place of a computation, one after
 * another. In programs called test-faults-*.c, malloc(), free(), mk_check() and the functions that
 * open and write files are wrapped by the linker (tests/c/Makefile).
 *
 * A trial is one whole computation, which frees all that it allocates. sweep() repeats it for every
 * k: with the k-th allocation failing, with all failing from the k-th on, with an interrupt at the
 * k-th check of the limits, and with a time limit there. Each time the status must be one that is
 * expected, no block may leak, and the next undisturbed trial must give the bits of the first. */
#ifndef MK_TESTS_FAULTS_H
#define MK_TESTS_FAULTS_H

#include "base/control.h"
#include "check.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
void __real_free(void *block);
mk_status __real_mk_check(const mk_control *control);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
void __wrap_free(void *block);
mk_status __wrap_mk_check(const mk_control *control);
FILE *__real_fopen(const char *name, const char *mode);
size_t __real_fwrite(const void *values, size_t size, size_t count, FILE *file);
int __real_fclose(FILE *file);
void *__real_mmap(void *at, size_t bytes, int allowed, int flags, int file, off_t offset);
FILE *__wrap_fopen(const char *name, const char *mode);
size_t __wrap_fwrite(const void *values, size_t size, size_t count, FILE *file);
int __wrap_fclose(FILE *file);
void *__wrap_mmap(void *at, size_t bytes, int allowed, int flags, int file, off_t offset);

/* ---- faults ---- */

static struct faults {
  atomic_long allocations, checks; /* numbers since the trial began */
  atomic_long live;                /* blocks that are allocated */
  atomic_long calls;               /* calls of the system for files */
  long refused_call;               /* number of the call that fails; 0: none */
  long refused, last_refused;      /* allocations from .. to, counted from 1; 0: none */
  long stopped;                    /* check of the limits from which all end the work; 0: none */
  mk_status answer;                /* status of these checks, if the control has a limit */
} faults;

static int refuses_memory(void) {
  long number = atomic_fetch_add(&faults.allocations, 1) + 1;
  return faults.refused > 0 && number >= faults.refused && number <= faults.last_refused;
}

void *__wrap_malloc(size_t bytes) {
  void *block = refuses_memory() ? NULL : __real_malloc(bytes);
  if (block != NULL) atomic_fetch_add(&faults.live, 1);
  return block;
}

void *__wrap_calloc(size_t count, size_t size) {
  void *block = refuses_memory() ? NULL : __real_calloc(count, size);
  if (block != NULL) atomic_fetch_add(&faults.live, 1);
  return block;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes) {
  int failed = refuses_memory() || __real_posix_memalign(block, alignment, bytes) != 0;
  if (!failed) atomic_fetch_add(&faults.live, 1);
  return failed;
}

void __wrap_free(void *block) {
  if (block != NULL) atomic_fetch_sub(&faults.live, 1);
  __real_free(block);
}

mk_status __wrap_mk_check(const mk_control *control) {
  long number = atomic_fetch_add(&faults.checks, 1) + 1;
  int stop = faults.stopped > 0 && number >= faults.stopped;
  if (stop && (faults.answer == MK_INTERRUPTED || isfinite(control->max_time)))
    return faults.answer;
  return __real_mk_check(control);
}

static int refuses_call(void) {
  return atomic_fetch_add(&faults.calls, 1) + 1 == faults.refused_call;
}

FILE *__wrap_fopen(const char *name, const char *mode) {
  return refuses_call() ? NULL : __real_fopen(name, mode);
}

size_t __wrap_fwrite(const void *values, size_t size, size_t count, FILE *file) {
  return __real_fwrite(values, size, refuses_call() ? count / 2 : count, file);
}

int __wrap_fclose(FILE *file) {
  int refuses = refuses_call(), closed = __real_fclose(file);
  return refuses ? EOF : closed;
}

void *__wrap_mmap(void *at, size_t bytes, int allowed, int flags, int file, off_t offset) {
  return refuses_call() ? MAP_FAILED : __real_mmap(at, bytes, allowed, flags, file, offset);
}

/* ---- trials ---- */

/* A computation that frees everything; note() adds its results to the bits. */
typedef mk_status (*fault_trial)(void *data, uint64_t *bits);

static inline void note(uint64_t *bits, const void *values, size_t bytes) {
  const unsigned char *byte = values;
  for (size_t k = 0; k < bytes; k++) *bits = (*bits ^ byte[k]) * 1099511628211u;
}

/* Suspends faults and counts while a trial checks its own results. */
static inline struct faults faults_pause(void) {
  struct faults kept = faults;
  faults.refused = faults.stopped = 0;
  return kept;
}

static inline void faults_resume(const struct faults *kept) {
  atomic_store(&faults.allocations, atomic_load(&kept->allocations));
  atomic_store(&faults.checks, atomic_load(&kept->checks));
  faults.refused = kept->refused;
  faults.stopped = kept->stopped;
}

static mk_status faults_try(fault_trial trial, void *data, uint64_t *bits) {
  atomic_store(&faults.allocations, 0);
  atomic_store(&faults.checks, 0);
  *bits = 14695981039346656037u;
  mk_status status = trial(data, bits);
  faults.refused = faults.stopped = 0;
  return status;
}

/* ---- sweeps ---- */

static struct fault_counts {
  long memory, interrupts, limits, files, failures, trials;
} fault_counts;

static inline void fault_failed(const char *name, const char *what, long k, mk_status status) {
  fault_counts.failures++;
  if (fault_counts.failures < 20)
    printf("%s: %s %ld: %s\n", name, what, k, mk_status_message(status));
}

/* Largest numbers of allocations and of checks of the limits at which faults are tried, unless
 * MANYKERNELS_FAULTS is "all", or "few" (FEW_PLACES, for tools that make programs slow). Checks get
 * more places, since the code after them differs more than that after allocations. */
static long fault_places = 20, fault_looks = 120;
#define FEW_PLACES 3
/* disturbed trials between two undisturbed ones */
#define LOOKS_BETWEEN 8

static inline int faults_wanted(const char *how) {
  const char *wanted = getenv("MANYKERNELS_FAULTS");
  return wanted != NULL && strcmp(wanted, how) == 0;
}

static inline int fault_all(void) {
  return faults_wanted("all");
}

static inline long fault_step(long places, long most) {
  if (most > FEW_PLACES && faults_wanted("few")) most = FEW_PLACES;
  return fault_all() || places <= most ? 1 : places / most;
}

typedef struct sweep_state {
  const char *name;
  fault_trial trial;
  void *data;
  uint64_t bits; /* bits of an undisturbed trial */
  long live;
} sweep_state;

static void sweep_undisturbed(const sweep_state *s, const char *what, long k) {
  uint64_t bits;
  mk_status status = faults_try(s->trial, s->data, &bits);
  if (status != MK_OK) fault_failed(s->name, "undisturbed trial after", k, status);
  if (bits != s->bits) fault_failed(s->name, "other bits after", k, status);
  if (atomic_load(&faults.live) != s->live) fault_failed(s->name, what, k, MK_OK);
}

static void sweep_memory(const sweep_state *s, long places, int all) {
  const char *what = all ? "no memory from" : "no memory at";
  for (long k = 1; k <= places; k += fault_step(places, fault_places)) {
    uint64_t bits;
    faults.refused = k;
    faults.last_refused = all ? INT32_MAX : k;
    mk_status status = faults_try(s->trial, s->data, &bits);
    fault_counts.memory++;
    /* MK_STALLED: a second optimiser, which would have gone on, had no memory */
    int fine = status == MK_NO_MEMORY || status == MK_OK || status == MK_STALLED;
    if (!fine) fault_failed(s->name, what, k, status);
    if (atomic_load(&faults.live) != s->live)
      fault_failed(s->name, "leak, no memory at", k, status);
    sweep_undisturbed(s, what, k);
  }
}

static void sweep_limits(const sweep_state *s, long places, mk_status answer) {
  const char *what = answer == MK_INTERRUPTED ? "interrupted at" : "out of time at";
  long step = fault_step(places, fault_looks), turn = 0;
  for (long k = 1; k <= places; k += step) {
    uint64_t bits;
    faults.stopped = k;
    faults.answer = answer;
    mk_status status = faults_try(s->trial, s->data, &bits);
    *(answer == MK_INTERRUPTED ? &fault_counts.interrupts : &fault_counts.limits) += 1;
    int fine =
        status == answer || (answer == MK_TIME_LIMIT && (status == MK_OK || status == MK_STALLED));
    if (!fine) fault_failed(s->name, what, k, status);
    if (atomic_load(&faults.live) != s->live) fault_failed(s->name, "leak, stopped at", k, status);
    if (fault_all() || turn++ % LOOKS_BETWEEN == 0) sweep_undisturbed(s, what, k);
  }
}

/* Runs a trial with every fault. With one thread, the k-th allocation is always the same one. */
static void sweep(const char *name, fault_trial trial, void *data) {
  sweep_state s = {name, trial, data, 0, 0};
  long before = fault_counts.failures;
  s.live = atomic_load(&faults.live);
  mk_status status = faults_try(trial, data, &s.bits);
  long allocations = atomic_load(&faults.allocations), checks = atomic_load(&faults.checks);
  if (status != MK_OK) fault_failed(name, "undisturbed trial", 0, status);
  if (atomic_load(&faults.live) != s.live) fault_failed(name, "leak, undisturbed", 0, status);
  fault_counts.trials++;
  sweep_memory(&s, allocations, 0);
  sweep_memory(&s, allocations, 1);
  sweep_limits(&s, checks, MK_INTERRUPTED);
  sweep_limits(&s, checks, MK_TIME_LIMIT);
  if (getenv("MK_FAULTS_TELL") != NULL)
    printf("  %-50s %6ld allocations %6ld looks\n", name, allocations, checks);
  check_note(fault_counts.failures == before, name, __FILE__, __LINE__);
}

/* Prints the lines for bench/reliability.md. */
static inline void faults_report(const char *what) {
  printf("| %s: computations | %ld | |\n", what, fault_counts.trials);
  printf("| %s: refused allocations | %ld | %ld |\n", what, fault_counts.memory,
         fault_counts.failures);
  printf("| %s: interrupts | %ld | %ld |\n", what, fault_counts.interrupts, fault_counts.failures);
  printf("| %s: time limits | %ld | %ld |\n", what, fault_counts.limits, fault_counts.failures);
  if (fault_counts.files > 0)
    printf("| %s: refused calls for files | %ld | %ld |\n", what, fault_counts.files,
           fault_counts.failures);
}

#endif
