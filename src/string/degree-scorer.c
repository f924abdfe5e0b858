/* Sums over support vectors by weighted degree kernels, without evaluating pairs. For each position
 * a trie holds the support vectors' letters from there on; its nodes hold the contribution of a
 * match that ends there. Each sequence walks down each trie once. Called by the expansions of
 * exact/, which the certificate and predictions read. MATHEMATICS.md, section 4.1. */
#include "degree-scorer.h"

#include "base/memory.h"
#include "base/simd.h"
#include "base/threads.h"
#include "weighted-degree-internal.h"

#include <string.h>

#define TRIES_PER_THREAD 4 /* tries per thread that exist at the same time */
#define VISITORS 512       /* sequences of a task that visit the tries */
#define FIRST_NODES 1024

/* Nodes by number, parents before children. A branch with a single support vector ends in a leaf,
 * whose letters are compared with those of the vector itself. */
typedef struct trie {
  size_t nodes, room;
  int *child; /* room x letters: 0: none; c > 0: node c; -1 - j: the leaf of support vector j */
  int *depth; /* number of letters on the way to the node */
  /* sum of the alphas below; at the end, the sum of contributions on the way to the node */
  double *value;
} trie;

typedef struct scoring {
  const mk_weighted_degree *kernel;
  const int *support, *sample;
  const double *alpha;
  size_t support_count, count;
  size_t first, tries; /* first position whose trie exists; number of tries */
  trie *trie;
  double *out;
} scoring;

static void trie_free(trie *trie) {
  mk_free(trie->child);
  mk_free(trie->depth);
  mk_free(trie->value);
}

/* ---- letters ---- */

/* The letters of a sequence from position l on, at most `degree` and up to the first unknown
 * letter. */
typedef struct suffix {
  const unsigned char *code;
  size_t length;
} suffix;

static suffix suffix_of(const mk_weighted_degree *kernel, int sample, size_t l) {
  const mk_sequences *all = &kernel->sequences;
  size_t length = all->start[sample + 1] - all->start[sample];
  size_t rest = l < length ? mk_smaller(length - l, kernel->degree) : 0;
  return (suffix){all->code + all->start[sample] + l, rest};
}

static int is_known(const mk_weighted_degree *kernel, const suffix *x, size_t d) {
  return d < x->length && x->code[d] < kernel->sequences.letters;
}

/* ---- making ---- */

static mk_status grow_trie(trie *trie, size_t letters) {
  size_t nodes = trie->nodes, room = trie->room > 0 ? 2 * trie->room : FIRST_NODES;
  if (nodes < trie->room) return MK_OK;
  double *value = mk_grown(trie->value, nodes, room, sizeof *value);
  if (value != NULL) trie->value = value;
  int *child = mk_grown(trie->child, nodes * letters, room * letters, sizeof *child);
  if (child != NULL) trie->child = child;
  int *depth = mk_grown(trie->depth, nodes, room, sizeof *depth);
  if (depth != NULL) trie->depth = depth;
  if (value == NULL || child == NULL || depth == NULL || room > 0x7fffffff / letters)
    return MK_NO_MEMORY;
  trie->room = room;
  return MK_OK;
}

static mk_status add_node(trie *trie, size_t letters, int depth, double value) {
  MK_TRY(grow_trie(trie, letters));
  memset(trie->child + trie->nodes * letters, 0, letters * sizeof *trie->child);
  trie->depth[trie->nodes] = depth;
  trie->value[trie->nodes++] = value;
  return MK_OK;
}

/* Moves the leaf at the end of a branch down and puts a node in its place. */
static mk_status split_leaf(const scoring *work, trie *trie, size_t l, size_t branch, size_t d) {
  size_t letters = (size_t)work->kernel->sequences.letters;
  int leaf = trie->child[branch], j = -1 - leaf;
  suffix x = suffix_of(work->kernel, work->support[j], l);
  MK_TRY(add_node(trie, letters, (int)d, work->alpha[j]));
  size_t node = trie->nodes - 1;
  trie->child[branch] = (int)node;
  if (is_known(work->kernel, &x, d)) trie->child[node * letters + x.code[d]] = leaf;
  return MK_OK;
}

static mk_status insert_suffix(const scoring *work, trie *trie, size_t l, int j) {
  size_t letters = (size_t)work->kernel->sequences.letters, node = 0;
  suffix x = suffix_of(work->kernel, work->support[j], l);
  for (size_t d = 0; is_known(work->kernel, &x, d); d++) {
    size_t branch = node * letters + x.code[d];
    if (trie->child[branch] == 0) {
      trie->child[branch] = -1 - j;
      return MK_OK;
    }
    if (trie->child[branch] < 0) MK_TRY(split_leaf(work, trie, l, branch, d + 1));
    node = (size_t)trie->child[branch];
    trie->value[node] += work->alpha[j];
  }
  return MK_OK;
}

static mk_status make_trie(void *data, size_t k, int thread) {
  const scoring *work = data;
  const mk_weighted_degree *kernel = work->kernel;
  size_t letters = (size_t)kernel->sequences.letters, l = work->first + k;
  trie *trie = &work->trie[k];
  (void)thread;
  trie->nodes = 0;
  MK_TRY(add_node(trie, letters, 0, 0.0));
  for (size_t j = 0; j < work->support_count; j++)
    if (work->alpha[j] != 0.0) MK_TRY(insert_suffix(work, trie, l, (int)j));
  for (size_t branch = 0; branch < trie->nodes * letters; branch++) {
    int node = trie->child[branch];
    if (node > 0)
      trie->value[node] =
          trie->value[branch / letters] + kernel->weight[trie->depth[node] - 1] * trie->value[node];
  }
  return MK_OK;
}

/* ---- visits ---- */

/* Returns the contribution of a sequence's letters from l on in the trie of position `at`. */
static double visit_trie(const scoring *work, const trie *trie, size_t at, int sample, size_t l) {
  const mk_weighted_degree *kernel = work->kernel;
  size_t letters = (size_t)kernel->sequences.letters, node = 0, d = 0;
  suffix x = suffix_of(kernel, sample, l);
  for (; is_known(kernel, &x, d); d++) {
    int next = trie->child[node * letters + x.code[d]];
    if (next == 0) break;
    if (next < 0) {
      suffix leaf = suffix_of(kernel, work->support[-1 - next], at);
      size_t end = d;
      while (is_known(kernel, &x, end) && end < leaf.length && leaf.code[end] == x.code[end]) end++;
      return trie->value[node] + work->alpha[-1 - next] * (kernel->run[end] - kernel->run[d]);
    }
    node = (size_t)next;
  }
  return trie->value[node];
}

/* Returns visit_trie() times the weight of the position. */
static double visit_from(const scoring *work, size_t k, int sample, size_t l) {
  size_t at = work->first + k;
  const double *weight = work->kernel->position_weight;
  if (l >= work->kernel->length) return 0.0;
  return (weight != NULL ? weight[mk_smaller(at, l)] : 1.0) *
         visit_trie(work, &work->trie[k], at, sample, l);
}

/* Returns all contributions of one trie to a sequence, with shifts to both sides. */
static double contribution_of(const scoring *work, size_t k, int sample) {
  const mk_weighted_degree *kernel = work->kernel;
  size_t at = work->first + k;
  double sum = 0.0;
  for (size_t s = 0; s < kernel->shifts; s++) {
    size_t by = kernel->shift[s].by;
    double part = visit_from(work, k, sample, at + by);
    if (by > 0 && by <= at) part += visit_from(work, k, sample, at - by);
    sum += kernel->shift[s].weight * part;
  }
  return sum;
}

static mk_status lead_through(void *data, size_t chunk, int thread) {
  const scoring *work = data;
  size_t end = mk_smaller((chunk + 1) * VISITORS, work->count);
  (void)thread;
  for (size_t k = 0; k < work->tries; k++)
    for (size_t i = chunk * VISITORS; i < end; i++)
      work->out[i] += contribution_of(work, k, work->sample[i]);
  return MK_OK;
}

/* Adds to alpha'K alpha by position, which is that of a match's first letter. */
static mk_status add_to_profile(void *data, size_t k, int thread) {
  const scoring *work = data;
  const mk_weighted_degree *kernel = work->kernel;
  size_t at = work->first + k;
  (void)thread;
  for (size_t s = 0; s < kernel->shifts; s++)
    for (int side = 0; side < (kernel->shift[s].by > 0 ? 2 : 1); side++) {
      size_t by = kernel->shift[s].by, l = side == 0 ? at + by : at - by;
      for (size_t i = 0; l < kernel->length && i < work->count; i++)
        work->out[l] +=
            kernel->shift[s].weight * work->alpha[i] * visit_from(work, k, work->sample[i], l);
    }
  return MK_OK;
}

/* Makes a few tries at a time, for all positions, and deals out `tasks` tasks that visit them (0:
 * one per trie). */
static mk_status score_by_tries(scoring *work, size_t tasks, mk_task task, mk_team *team,
                                const mk_control *control) {
  size_t room = TRIES_PER_THREAD * (size_t)mk_team_size(control->team);
  mk_status status = MK_OK;
  work->trie = MK_NEW0(trie, room);
  if (work->trie == NULL) return MK_NO_MEMORY;
  for (; status == MK_OK && work->first < work->kernel->length; work->first += room) {
    work->tries = mk_smaller(room, work->kernel->length - work->first);
    status = mk_for_each(work->tries, control->team, control, make_trie, work);
    if (status == MK_OK)
      status = mk_for_each(tasks > 0 ? tasks : work->tries, team, control, task, work);
  }
  for (size_t k = 0; k < room; k++) trie_free(&work->trie[k]);
  mk_free(work->trie);
  return status;
}

mk_status mk_weighted_degree_expand(void *data, const int *support, size_t support_count,
                                    const double *alpha, const int *sample, size_t count,
                                    const mk_control *control, double *out) {
  scoring work = {.kernel = data,
                  .support = support,
                  .sample = sample,
                  .alpha = alpha,
                  .support_count = support_count,
                  .count = count,
                  .out = out};
  memset(out, 0, count * sizeof *out);
  return score_by_tries(&work, (count + VISITORS - 1) / VISITORS, lead_through, control->team,
                        control);
}

double mk_weighted_degree_units(const mk_weighted_degree *kernel) {
  return (double)kernel->degree + 2.0 * (double)kernel->shifts * (double)kernel->length;
}

mk_status mk_weighted_degree_profile(const mk_weighted_degree *kernel, const int *support,
                                     size_t support_count, const double *alpha,
                                     const mk_control *control, double *out) {
  scoring work = {.kernel = kernel,
                  .support = support,
                  .sample = support,
                  .alpha = alpha,
                  .support_count = support_count,
                  .count = support_count,
                  .out = out};
  memset(out, 0, kernel->length * sizeof *out);
  return score_by_tries(&work, 0, add_to_profile, NULL,
                        control); /* several tries add to one position */
}

size_t mk_weighted_degree_length(const mk_weighted_degree *kernel) {
  return kernel->length;
}
